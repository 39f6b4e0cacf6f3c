#!/usr/bin/env python3
"""experiments.py: experiments/README.md names every file of experiments/, and each result file that it names is in results/ or is marked as
not kept. A `*` in a name stands for any text."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    os.chdir(ROOT)
    with open("experiments/README.md", encoding="utf-8") as file:
        text = file.read()
    wrong = []
    linked = set(re.findall(r"\]\(((?:cpu|gpu)/[^)]+)\)", text))
    for path in glob.glob("experiments/*/**", recursive=True):
        name = os.path.relpath(path, "experiments")
        if os.path.isfile(path) and "__pycache__" not in path and name not in linked:
            wrong.append(f"does not name {name}")
    for row in (line for line in text.splitlines() if line.startswith("| [") and line.count(" | ") == 3):
        for name, kept in re.findall(r"`([^`]+\.tsv)`( \(not kept\))?", row.split(" | ")[2]):
            found = glob.glob(f"results/{name}")
            if bool(found) == bool(kept):
                wrong.append(f"names {name}{kept}, which is {'in' if found else 'not in'} results/")
    for line in wrong:
        print(f"experiments/README.md: {line}")
    return 1 if wrong else 0


sys.exit(main())
