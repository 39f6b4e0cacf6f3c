"""What the comparisons with other people's programs share: our program, random trees, and what "the same" means."""

import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
WORK = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(WORK.name)


def run(*words, **options):
    return subprocess.run([str(word) for word in words], cwd=FOLDER, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, **options)


def random_tree(taxa, seed):
    """Joined at random. No branch is so short that PhyML would put a minimum of its own in its place."""
    chance = random.Random(seed)
    parts = list(taxa)
    while len(parts) > 3:
        one, other = (parts.pop(chance.randrange(len(parts))) for _ in "xy")
        parts.append(f"({one}:{chance.uniform(0.01, 0.3):.6f},{other}:{chance.uniform(0.01, 0.3):.6f})")
    return "(" + ",".join(f"{part}:{chance.uniform(0.01, 0.3):.6f}" for part in parts) + ");\n"


def ours(alignment, *words):
    done = run(PROGRAM, "likelihood", "--quiet", "--tree", "tree.nwk", "--alignment", alignment, *words)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def same(what, found, printed):
    """To the digits that were printed; the last may have been rounded the other way."""
    digits = len(printed.split(".")[1])
    print(f"{what}: {found:.10f}, {pathlib.Path(sys.argv[0]).stem} {printed}")
    assert abs(found - float(printed)) <= 0.51 * 10**-digits, what
