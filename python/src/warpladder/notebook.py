"""Cell magics: %%cuda, %%kernel and %%lab. %load_ext warpladder gives them to a notebook."""
from __future__ import annotations

import json
import re
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional, Sequence

from IPython.core.magic import Magics as Base
from IPython.core.magic import cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import MagicArgumentParser
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from . import _launch, _stage, program
from ._report import CELL, Counters, Report, Table, changes, marks_in, ratio, short

# As much as a notebook waits for gladly; without it, what `warpladder explain` counts.
SMALL = {"lessons": ["--instances", "32", "--attributes", "512"], "distances": ["--instances", "32", "--attributes", "512"]}


# In a table for people, in this order.
COUNTED = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors", "atomic_requests", "atomic_operations",
           "atomic_addresses", "shared_requests", "shared_passes", "constant_requests", "barriers")
RATIOS = (("sectors per load request", "global_load_sectors", "global_load_requests"), ("passes per shared request", "shared_passes", "shared_requests"))


WRONG_LINE = 2  # the exit code of a command whose options are wrong

_told: set[str] = set()


def _said(text: str) -> list[str]:
    """What a program wrote to standard error, without its own name before it. That clang is missing is told once."""
    lines = [re.sub(r"^(warpladder \w+|cell|prog|a\.out): ", "", line) for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if line not in _told]
    _told.update(line for line in lines if line.startswith("clang is not found"))
    return lines


# ---------------------------------------------------------------- %%cuda


def _kernels(report: dict[str, Any]) -> list[Table]:
    kernels = report["kernels"]
    cell = [line for kernel in kernels for line in kernel["lines"] if line["file"] and Path(line["file"]).name == CELL]
    if not kernels:
        return []
    counters: list[Counters] = [kernel["counters"] for kernel in kernels]
    rows: list[list[Any]] = [[name.replace("_", " "), *(c[name] for c in counters)] for name in COUNTED if any(c[name] for c in counters)]
    for words, above, below in (*RATIOS, ("sectors per store request", "global_store_sectors", "global_store_requests")):
        if any(c[below] for c in counters):
            rows.append([words, *(ratio(c, above, below) for c in counters)])
    rows.append(["idle lanes per step", *(32 - c["step_lanes"] / c["steps"] if c["steps"] else None for c in counters)])
    title = "Counted on the simulated device; no number is a time."
    return [Table(title, ["per program", *(kernel["name"] for kernel in kernels)], rows), *_lines(cell)]


def _lines(lines: list[dict[str, Any]]) -> list[Table]:
    rows: dict[int, list[Any]] = {}
    for line in lines:
        c = line["counters"]
        requests, sectors = c["global_load_requests"] + c["global_store_requests"], c["global_load_sectors"] + c["global_store_sectors"]
        if requests or c["atomic_requests"] or c["shared_requests"]:
            rows.setdefault(line["line"], [f"line {line['line']}", requests or None, sectors / requests if requests else None,
                                           c["atomic_operations"] or None, c["shared_requests"] or None,
                                           ratio(c, "shared_passes", "shared_requests")])
    head = ["line of the cell", "global requests", "sectors per request", "atomic operations", "shared requests", "passes per request"]
    return [Table("By line", head, [rows[line] for line in sorted(rows)])] if rows else []


def _findings(report: dict[str, Any]) -> list[str]:
    return [found["message"] + (f" ({found['count']:,} times)" if found["count"] > 1 else "") for found in report["found"]]


def simulate(source: str, *, arguments: Sequence[str] = (), options: Sequence[str] = (), seconds: int = 60, steps: bool = False,
             launch: Optional[_launch.Launch] = None) -> Report:
    """Run a program, or the kernel that `launch` calls, on the simulated device. `source` begins with the magic's line."""
    with tempfile.TemporaryDirectory(prefix="warpladder-") as name:
        folder = Path(name)
        _write(folder, source, launch)
        page = ["--interactive", "steps.html"] if steps else []
        done = program.run(["simulate", CELL, "--quiet", "--report", "report.json", "--seconds", str(seconds), *page, *options, "--", *arguments],
                           cwd=folder)
        result = Report(source, done.returncode == 0, output=done.stdout)
        if not (folder / "report.json").exists():
            result.messages = _said(done.stderr)
            return result
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        count = len(report["found"])
        warnings = ["warning: " + text for text in report["warnings"]]
        result.messages = _findings(report) + [text for text in warnings if marks_in([text])]
        result.notes = [short(text) for text in (*warnings, *("note: " + text for text in report["notes"])) if text not in result.messages]
        if launch:  # what its main() says is told with its line
            result.output = "".join(line for line in done.stdout.splitlines(True) if line.strip()[len("CUDA: "):] not in result.messages)
        for found in report["found"]:  # a program that prints cudaGetErrorString()
            result.output = result.output.replace(found["message"], "(explained below)")
        result.notes += [line for line in _said(done.stderr) if not line.startswith("found wrong: ")]
        result.tables = _kernels(report)
        if count:
            result.verdict = "1 thing was found wrong" if count == 1 else f"{count} things were found wrong"
        elif done.returncode:
            result.verdict = f"the program ended with exit code {done.returncode}"
        if (folder / "steps.html").exists():
            result.page = (folder / "steps.html").read_text(encoding="utf-8")
        if launch and result.ok:
            launch.read(folder)
        return result


def run_on_gpu(source: str, *, arguments: Sequence[str] = (), seconds: int = 60, launch: Optional[_launch.Launch] = None) -> Report:
    """The same by nvcc on a GPU: what it prints, and no more."""
    if program.gpu_name() is None:
        return Report(source, False, "there is no GPU here, or no nvcc; without --device gpu the simulated device runs the cell")
    with tempfile.TemporaryDirectory(prefix="warpladder-") as name:
        folder = Path(name)
        _write(folder, source, launch)
        built = subprocess.run(["nvcc", "-O3", "-lineinfo", "-arch=native", CELL, "-o", "cell"], cwd=folder, capture_output=True, text=True, check=False)
        if built.returncode:
            return Report(source, False, messages=_said(built.stdout + built.stderr))
        try:
            done = subprocess.run(["./cell", *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                                  errors="replace", timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return Report(source, False, f"stopped after {seconds} seconds")
        result = Report(source, done.returncode == 0, f"on {program.gpu_name()}", done.stdout, _said(done.stderr))
        if launch and result.ok:
            launch.read(folder)
        return result


def _write(folder: Path, source: str, launch: Optional[_launch.Launch]) -> None:
    text = launch.program() if launch else ""
    (folder / CELL).write_text(source + (f'\n#line 1 "{_launch.FILE}"\n{text}' if launch else ""), encoding="utf-8")
    if launch:
        (folder / _launch.FILE).write_text(text, encoding="utf-8")  # where the names of arrays are looked up
        launch.write(folder)


# ---------------------------------------------------------------- %%kernel


@lru_cache(maxsize=64)
def _counted(stage: str, shape: tuple[str, ...]) -> Optional[Counters]:
    """The counters of a stage of the tree, which do not change."""
    return _counters(program.run(["explain", stage, "--tsv", *shape]))


def _counters(done: subprocess.CompletedProcess[str]) -> Optional[Counters]:
    """Of all kernels of the stage, added up."""
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    if done.returncode or len(lines) < 2:
        return None
    return {name: sum(int(row[lines[0].index(name)]) for row in lines[1:]) for name in COUNTED}


def _beside(stage: str, before: Optional[str], of_before: Optional[Counters], yours: Counters, shape: Sequence[str]) -> Table:
    rows: list[list[Any]] = []
    for name, value in yours.items():
        old = of_before[name] if of_before else 0
        if value or old:
            rows.append([name.replace("_", " "), *([old] if of_before else []), value, *([changes(old, value)] if of_before else [])])
    for words, above, below in RATIOS:
        pair = [ratio(c, above, below) if c else None for c in (of_before, yours)]
        if any(pair):
            rows.append([words, *pair, changes(*pair)] if of_before else [words, pair[1]])
    head = ["per launch", *([before.split("/")[1]] if of_before and before else []), "yours", *(["change"] if of_before else [])]
    at = " ".join(shape).replace("--", "") or "the shape of 'warpladder explain'"
    return Table(f"Counted on the simulated device, {at}.", head, rows)


def check_kernel(stage: str, source: str, *, whole: bool = False, steps: bool = False, device: str = "sim", shape: Sequence[str] = ()) -> Report:
    """Check the kernel of a cell in place of the stage's against the reference, and count. `source` begins with the magic's line."""
    cell = source.split("\n", 1)[1]
    before = _stage.stage_before(stage)
    shape = tuple(shape) or tuple(SMALL.get(stage.split("/")[0], ()))
    with tempfile.TemporaryDirectory(prefix="warpladder-") as name, ThreadPoolExecutor(3) as pool:
        folder, variant = Path(name), stage.split("/")[0] + "/yours"
        (folder / "yours").mkdir()
        (folder / "yours/kernel.cu").write_text(_stage.with_cell(stage, cell), encoding="utf-8")
        (folder / CELL).write_text(source, encoding="utf-8")  # for the page of steps
        counting = pool.submit(_counted, before, shape) if before else None
        if device == "gpu":
            done = program.run(["check", "yours", "--device", "gpu"], cwd=folder)
            return _verdict(source, done)
        built = program.run(["cc", "yours", "-o", "prog"], cwd=folder)
        if built.returncode:
            return Report(source, False, "the cell does not compile", messages=_compiler_said(built.stderr), notes=[])
        own = folder / "prog"
        checking = pool.submit(program.run, ["check", variant, "--device", "sim", *([] if whole else ["--quick"])], program=own, cwd=folder)
        explaining = pool.submit(program.run, ["explain", variant, "--tsv", *shape], program=own, cwd=folder)
        if steps:
            program.run(["explain", variant, "--interactive", "--make-folders", "--out", "out"], program=own, cwd=folder)
        result = _verdict(source, checking.result())
        result.notes += _said(built.stderr)
        explained = explaining.result()
        if explained.returncode == WRONG_LINE:
            return Report(source, False, "An option is wrong.", messages=_said(explained.stderr))
        counters = _counters(explained)
        if counters and result.ok:
            result.tables.append(_beside(stage, before, counting.result() if counting else None, counters, shape))
        for page in folder.glob("out/*_steps.html"):
            result.page = page.read_text(encoding="utf-8")
        return result


def _compiler_said(text: str) -> list[str]:
    """Only lines that are errors, and what belongs to them; the last line says what the verdict says, too."""
    lines = _said(text)
    return [line for line in lines if re.search(r": (error|fatal error|note): ", line)] or lines


def _verdict(source: str, done: subprocess.CompletedProcess[str]) -> Report:
    if done.returncode == 0:
        told = done.stdout.strip().rpartition(": ")[2]
        told = told.replace("ok, ", "").replace(" (--quick)", ": --all tries them, too")
        return Report(source, True, "The results are right at " + told)
    failed = re.findall(r"^\S+/yours \w+: FAILED: (.*)", done.stdout, re.M)
    messages = failed or [re.sub(r"^\S+/yours on \w+ ", "", line) for line in _said(done.stderr)]
    return Report(source, False, "The kernel is not right yet.", messages=messages)


# ---------------------------------------------------------------- %%lab


def check_lab(lab: str, source: str, seed: str) -> Report:
    """What `warpladder lab check` says of the cell, a lab's kernel.cu. `source` begins with the magic's line."""
    with tempfile.TemporaryDirectory(prefix="warpladder-") as name:
        folder = Path(name)
        (folder / "kernel.cu").write_text(source.split("\n", 1)[1], encoding="utf-8")
        done = program.run(["lab", "check", "--lab", lab, "--seed", seed, "kernel.cu"], cwd=folder)
        said, errors = (re.sub(r"[^\s(]*kernel\.cu:(\d+)", lambda line: f"{CELL}:{int(line[1]) + 1}", text) for text in (done.stdout, done.stderr))
        lines = said.splitlines()
        if not lines:
            return Report(source, False, messages=_said(errors))
        if "does not compile" in said:
            return Report(source, False, lines[-1], messages=_compiler_said(errors))
        marked = [line.strip() for line in lines if CELL + ":" in line]
        return Report(source, done.returncode == 0, lines[-1], "\n".join(lines[:-1]) + "\n", marked)


# ---------------------------------------------------------------- the magics


def _parser(of: str, words: str) -> MagicArgumentParser:
    return MagicArgumentParser(prog=of, description=words, add_help=False)


_CUDA = _parser("%%cuda", "run the cell on the simulated device: a whole program, or a kernel with its launch, 'add<<<4, 256>>>(a, b, c, 1000)'")
_CUDA.add_argument("--device", choices=["sim", "gpu"], default="sim", help="gpu: compiled by nvcc")
_CUDA.add_argument("--steps", action="store_true", help="show the kernel step by step")
_CUDA.add_argument("--seconds", type=int, default=60, help="stop after so many seconds")
_CUDA.add_argument("--keep-going", action="store_true", help="go on after a finding")
_CUDA.add_argument("--gpu", help="a GPU's name, such as H200: report the occupancy on it")

_KERNEL = _parser("%%kernel", "check the cell's kernel in place of a stage's, %%kernel lessons/05_shared; other options are the problem's")
_KERNEL.add_argument("stage")
_KERNEL.add_argument("--all", action="store_true", dest="whole", help="check at all awkward shapes")
_KERNEL.add_argument("--device", choices=["sim", "gpu"], default="sim")
_KERNEL.add_argument("--steps", action="store_true", help="show the kernel step by step")

_LAB = _parser("%%lab", "check the cell as the kernel.cu of a lab, %%lab 01_naive --seed 17")
_LAB.add_argument("lab")
_LAB.add_argument("--seed", default="1")


@magics_class
class Magics(Base):  # type: ignore[misc]
    """%%cuda, %%kernel and %%lab."""

    shell: InteractiveShell

    @cell_magic
    def cuda(self, line: str, cell: str) -> Report:
        """Run the cell on the simulated device: output, what is found wrong, and counters.

            %%cuda                                    the cell is a program; words after -- are its arguments
            %%cuda add<<<4, 256>>>(a, b, c, 1000)     the cell is a kernel; a, b, c are NumPy arrays, changed in place
            --steps      show the kernel step by step     --device gpu   compile by nvcc, run on a GPU
            --seconds N  stop after N seconds (60)        --keep-going   go on after a finding"""
        text, _, words = f" {line}".partition(" -- ")
        launched = re.search(r"\w+\s*(<[^<>]*>)?\s*<<<.*>>>\s*\(.*\)", text)
        text = text.replace(launched[0], "") if launched else text
        options = _CUDA.parse_args(shlex.split(text))
        source = f"%%cuda {line}".rstrip() + "\n" + cell
        plain = "\n" + cell  # line 1 is the magic's
        launch = None
        try:
            if launched:
                launch = _launch.Launch(launched[0], plain, self.shell.user_ns)
            elif not _launch.has_main(plain):
                kernel = _launch.only_kernel(plain) or "add"
                raise _launch.LaunchError(f"the cell has no main(); expected a launch in its first line, '%%cuda {kernel}<<<4, 256>>>(a, b, c, 1000)'")
            if options.device == "gpu":
                result = run_on_gpu(plain, arguments=shlex.split(words), seconds=options.seconds, launch=launch)
            else:
                more = (["--keep-going"] if options.keep_going else []) + (["--gpu", options.gpu] if options.gpu else [])
                result = simulate(plain, arguments=shlex.split(words), options=more, seconds=options.seconds, steps=options.steps, launch=launch)
        except _launch.LaunchError as error:
            return Report(source, False, str(error))
        result.source = source
        return result

    @cell_magic
    def kernel(self, line: str, cell: str) -> Report:
        """Check the cell's kernel in place of a stage's against the reference, and count what it does to memory.

            %%kernel lessons/05_shared
            --all        at all awkward shapes, not only at small ones
            --steps      show the kernel step by step
            --device gpu check it on a GPU
            --instances 112 --attributes 512     count at this shape"""
        options, shape = _KERNEL.parse_known_args(shlex.split(line))
        try:
            return check_kernel(options.stage, f"%%kernel {line}\n{cell}", whole=options.whole, steps=options.steps, device=options.device, shape=shape)
        except _stage.StageError as error:
            return Report(cell, False, str(error))

    @line_magic("kernel")  # type: ignore[arg-type]
    def kernel_text(self, line: str) -> None:
        """%kernel lessons/05_shared makes the next cell: the stage's kernel, to be changed."""
        try:
            self.shell.set_next_input(f"%%kernel {line.strip()}\n{_stage.kernel_of(line.strip())}")
        except _stage.StageError as error:
            raise UsageError(str(error)) from None

    @cell_magic
    def lab(self, line: str, cell: str) -> Report:
        """Save the cell as kernel.cu and check it: %%lab 01_naive --seed 17."""
        options = _LAB.parse_args(shlex.split(line))
        Path("kernel.cu").write_text(cell, encoding="utf-8")
        return check_lab(options.lab, f"%%lab {line}\n{cell}", options.seed)
