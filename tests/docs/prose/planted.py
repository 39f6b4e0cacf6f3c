#!/usr/bin/env python3
"""The check finds what stands in planted/expected, no more and no less, and each rule of patterns.tsv at least once."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))


def lines(*path):
    with open(os.path.join(here, *path), encoding="utf-8") as file:
        return file.read().splitlines()


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "pages")
        shutil.copytree(os.path.join(here, "planted"), root)
        page = root / "docs/to_do.md"  # no page of the tree has such a line, this one neither
        page.write_text(page.read_text(encoding="utf-8").replace(" <!-- value:", "\n<!-- value:"), encoding="utf-8")
        done = subprocess.run([sys.executable, os.path.join(here, "check.py"), "--root", root], capture_output=True, text=True, check=False)
    found, expected = done.stdout.splitlines(), lines("planted", "expected")
    if not shutil.which("codespell"):
        expected = [line for line in expected if ": codespell: " not in line]
    assert done.returncode == 1, f"exit code {done.returncode}; expected 1: {done.stdout}{done.stderr}"
    assert found == expected, "found\n" + "\n".join(found) + "\nexpected\n" + "\n".join(expected)
    rules = {line.split("\t")[0] for line in lines("patterns.tsv") if not line.startswith("#")} | {"sentence", "stage", "table", "link"}
    unseen = sorted(rule for rule in rules if not any(f": {rule}: " in line for line in found))
    assert not unseen, f"rules of which planted/ has no case: {', '.join(unseen)}"


main()
