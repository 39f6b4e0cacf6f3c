#!/usr/bin/env python3
"""notebook_cells.py BUILD OUT [ROUNDS]: the time from a changed cell of a notebook to its verdict, for the cells below. Each round changes
each cell. Needs NumPy and IPython, g++ and clang. Writes OUT/notebook_cells_2core.tsv: medians of the rounds, of processor time and by the
clock. The first round, in which headers are compiled for those that follow, has rows of its own. Needs two idle cores."""

import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
os.environ["WARPLADDER"] = str(build / "warpladder")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/src"))

import numpy  # noqa: E402
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from warpladder._stage import kernel_of, source_of  # noqa: E402

ADD = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""
FIRST = source_of("lessons/01_naive").parents[1] / "00_first_program/vector_addition.cu"
CELLS = {"kernel-01": ("%%kernel lessons/01_naive", kernel_of("lessons/01_naive")),
         "kernel-05": ("%%kernel lessons/05_shared", kernel_of("lessons/05_shared")),
         "cuda-launch": ("%%cuda add<<<4, 256>>>(a, b, c, 1000)", ADD), "cuda-program": ("%%cuda", FIRST.read_text(encoding="utf-8"))}


def seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(one.ru_utime + one.ru_stime for one in used), time.monotonic()


def main():
    out.mkdir(parents=True, exist_ok=True)
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "warpladder")
    shell.user_ns.update({name: numpy.ones(1000, dtype="f4") for name in "abc"})
    found = {cell: [] for cell in CELLS}
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for number in range(rounds + 1):
            for cell, (first_line, source) in CELLS.items():
                magic, _, line = first_line[2:].partition(" ")
                begun = seconds()
                report = shell.run_cell_magic(magic, line, f"{source}// {number}\n")
                found[cell].append([after - before for after, before in zip(seconds(), begun)])
                assert report.ok, report
    machine = subprocess.run([build / "warpladder", "machine"], capture_output=True, text=True, check=True).stdout
    with open(out / "notebook_cells_2core.tsv", "w", encoding="utf-8") as stream:
        print("# what: seconds from a changed cell to its verdict; experiments/cpu/notebook_cells.py", file=stream)
        print(re.sub(r"(?m)^([a-z_0-9]+) +", r"# \1: ", machine), end="", file=stream)
        print(f"# command: experiments/cpu/notebook_cells.py BUILD OUT {rounds}", file=stream)
        print("cell\tmagic\tturn\trounds\tprocessor_s\tclock_s\tclock_most_s", file=stream)
        for cell, times in found.items():
            for turn, some in (("first", times[:1]), ("later", times[1:])):
                used, waited = ([one[i] for one in some] for i in (0, 1))
                print(f"{cell}\t{CELLS[cell][0]}\t{turn}\t{len(some)}\t{statistics.median(used):.2f}\t{statistics.median(waited):.2f}\t{max(waited):.2f}", file=stream)


if __name__ == "__main__":
    main()
