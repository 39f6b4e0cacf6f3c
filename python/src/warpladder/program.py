"""Where the program and the library are, and how the program is started."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional, Sequence

LIBRARY = "libwarpladder.so.1"


def _is_program(path: Path) -> bool:
    """The wheel's own command is called warpladder, too, and is a script."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def program_path() -> Path:
    """The program `warpladder`: the one that the environment variable WARPLADDER names, the wheel's, that of the source tree which
    this package lies in, or the first one on PATH. FileNotFoundError: there is none."""
    here = Path(__file__).resolve().parent
    named = os.environ.get("WARPLADDER")
    if named:
        if _is_program(Path(named)):
            return Path(named).resolve()
        raise FileNotFoundError(f"WARPLADDER={named}: is not the program; expected a path such as build/warpladder")
    for path in (here / "native/bin/warpladder", here.parents[2] / "build/warpladder"):
        if _is_program(path):
            return path
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder and _is_program(Path(folder, "warpladder")):
            return Path(folder, "warpladder").resolve()
    raise FileNotFoundError("the program warpladder is not found; install the wheel, build the source tree, or let WARPLADDER name it")


def _beside(program: Path, *names: str) -> Path:
    for name in names:
        if (program.parent / name).exists():
            return (program.parent / name).resolve()
    raise FileNotFoundError(f"{program}: found no {names[0]} beside it; install it whole")


def library_path() -> Path:
    """The shared library that belongs to the program: the environment variable WARPLADDER_LIBRARY names another."""
    named = os.environ.get("WARPLADDER_LIBRARY")
    return Path(named) if named else _beside(program_path(), f"../lib/{LIBRARY}", f"library/{LIBRARY}")


def tools_path() -> Path:
    """The folder with the stages' sources and what programs for the simulated device are compiled with."""
    return _beside(program_path(), "../lib/warpladder", "lib/warpladder")


def environment() -> dict[str, str]:
    """What the program runs with. Programs that it compiles find the wheel's libraries, as the linker looks there, and later, since
    the linker notes the folder in them."""
    variables = dict(os.environ)
    bundled = program_path().parent.parent / "lib/bundled"
    if bundled.is_dir():
        for name in ("LIBRARY_PATH", "LD_RUN_PATH"):
            variables[name] = os.pathsep.join(filter(None, [variables.get(name), str(bundled)]))
    return variables


def run(arguments: Sequence[str | os.PathLike[str]], *, program: Optional[Path] = None, cwd: str | os.PathLike[str] | None = None,
        variables: Optional[dict[str, str]] = None) -> subprocess.CompletedProcess[str]:
    """Run `warpladder ARGUMENT...`, and return its exit code and what it printed."""
    return subprocess.run([program or program_path(), *arguments], cwd=cwd, env=environment() | (variables or {}), stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", errors="replace", check=False)


def gpu_name() -> Optional[str]:
    """The first GPU's name if there are a GPU and nvcc; else None."""
    if not shutil.which("nvcc") or not shutil.which("nvidia-smi"):
        return None
    told = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=False)
    names = told.stdout.splitlines()
    return names[0].strip() if told.returncode == 0 and names else None


def main() -> None:
    """The command `warpladder` of the wheel."""
    try:
        program = program_path()
    except FileNotFoundError as error:
        sys.exit(f"warpladder: {error}")
    os.execve(program, ["warpladder", *sys.argv[1:]], environment())
