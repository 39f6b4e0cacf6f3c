"""A stage of a ladder whose kernel is a cell's, and where the kernel is in a stage's file."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

from . import program
from ._report import CELL


class StageError(ValueError):
    """One line: what was found and what was expected."""


def source_of(stage: str) -> Path:
    """The file of "lessons/05_shared"."""
    path = program.tools_path() / stage / "kernel.cu"
    if re.fullmatch(r"\w+/[0-9][0-9]_\w+", stage) is None or not path.is_file():
        raise StageError(f"found the stage '{stage}'; expected one that 'warpladder list' names, such as lessons/05_shared")
    return path


def stage_before(stage: str) -> Optional[str]:
    """lessons/04_registers is the one before lessons/05_shared; None: it is the first."""
    folder = source_of(stage).parent
    before = [path.parent.name for path in folder.parent.glob("[0-9][0-9]_*/kernel.cu") if path.parent.name < folder.name]
    return f"{folder.parent.name}/{max(before)}" if before else None


def _split(text: str) -> tuple[list[str], list[str], list[str]]:
    """The lines to the last #include at the top, those of the kernels with their constants and helpers, and the host code."""
    lines = text.splitlines()
    includes = [i for i, line in enumerate(lines) if line.startswith("#include")]
    kernels = [i for i, line in enumerate(lines) if re.search(r"\b__global__\b", line) and not line.lstrip().startswith(("/", "*"))]
    if not includes or not kernels:
        raise StageError("found no kernel in the stage's file; expected a stage that has one")
    end = next(i for i in range(kernels[-1], len(lines)) if lines[i].startswith("}")) + 1
    begin = max(i for i in includes if i < kernels[0]) + 1
    return lines[:begin], lines[begin:end], lines[end:]


def kernel_of(stage: str) -> str:
    """The kernels of a stage, with constants and helpers: what a cell has in their place."""
    _, kernels, _ = _split(source_of(stage).read_text(encoding="utf-8"))
    return "\n".join(line for line in kernels if not re.match(r"\s*// (BEGIN|END) SOLUTION", line)).strip("\n") + "\n"


def with_cell(stage: str, cell: str) -> str:
    """The stage's file with the cell in place of its kernels. The compiler counts the cell's lines from 2, since the magic is line 1. A
    cell with a descriptor (LESSONS_STAGE) is a whole file."""
    if re.search(r"\b[A-Z]+_STAGE\s*\(", cell):
        return f'#line 2 "{CELL}"\n{cell}\n'
    head, kernels, host = _split(source_of(stage).read_text(encoding="utf-8"))
    after = len(head) + len(kernels) + 1
    return "\n".join([*head, f'#line 2 "{CELL}"', cell.rstrip("\n"), f'#line {after} "{source_of(stage)}"', *host]) + "\n"
