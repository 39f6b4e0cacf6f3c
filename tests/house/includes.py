#!/usr/bin/env python3
"""includes.py [--check]: how much of this project a reader of a stage opens.

For each stage: the files that its kernel.cu includes, directly and through others, and their lines, kernel.cu among them; without
harness/stage.h and what that includes, which every stage shares. --check: exit code 1 if the first stage of a ladder includes more than
300 lines, its kernel.cu not counted, or any stage more than 900."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST_MOST, MOST = 300, 900


def included(path, seen):
    """Adds `path` and all that it includes from this project to `seen`."""
    if path in seen:
        return seen
    seen.append(path)
    folder = os.path.dirname(path)
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M):
            for candidate in (name, os.path.join(folder, name)):
                if os.path.isfile(os.path.join(ROOT, candidate)):
                    included(os.path.normpath(candidate), seen)
                    break
    return seen


def lines(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return sum(1 for _ in file)


def main():
    face = set(included("harness/stage.h", []))
    failed = False
    print("stage\tfiles\tlines\tkernel_lines\tincluded_lines")
    for ladder in sorted(entry for entry in os.listdir(ROOT) if os.path.isfile(os.path.join(ROOT, entry, "problem.c"))):
        stages = sorted(
            entry
            for entry in os.listdir(os.path.join(ROOT, ladder))
            if re.match(r"\d\d_", entry) and os.path.isfile(os.path.join(ROOT, ladder, entry, "kernel.cu"))
        )
        for place, stage in enumerate(stages):
            kernel = f"{ladder}/{stage}/kernel.cu"
            files = [path for path in included(kernel, []) if path not in face]
            own, total = lines(kernel), sum(map(lines, files))
            print(f"{ladder}/{stage}\t{len(files)}\t{total}\t{own}\t{total - own}")
            if "--check" in sys.argv and total - own > (FIRST_MOST if place == 0 else MOST):
                failed = True
                print(f"{kernel}: {total - own} lines included; expected at most {FIRST_MOST if place == 0 else MOST}", file=sys.stderr)
                print("\n".join(f"  {lines(path):5} {path}" for path in files), file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
