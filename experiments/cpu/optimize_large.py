#!/usr/bin/env python3
"""optimize_large.py BUILD OUT [COLUMNS [THREADS [ROUNDS]]]: `warpladder likelihood --optimize all` beside IQ-TREE 2 (-te TREE -m GTR+G4) on a
random tree of 200 taxa and columns that evolved along it under GTR with four rate classes. The programs run in turns, on as many threads;
seconds of processor time and by the clock, medians of the rounds. Writes OUT/optimize_large_2core.tsv. 100,000 columns take some minutes."""

import json
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TAXA, ALPHA_RATES = 200, (0.0334, 0.2519, 0.8203, 2.8944)  # means of the quarters of a gamma distribution of shape 0.5
FREQUENCY = (0.3, 0.2, 0.22, 0.28)
EXCHANGE = {(0, 1): 1.2, (0, 2): 3.5, (0, 3): 0.8, (1, 2): 0.9, (1, 3): 4.1, (2, 3): 1.0}


def rate_matrix():
    q = [[0.0] * 4 for _ in range(4)]
    for (i, j), exchange in EXCHANGE.items():
        q[i][j], q[j][i] = exchange * FREQUENCY[j], exchange * FREQUENCY[i]
    for i in range(4):
        q[i][i] = -sum(q[i])
    speed = -sum(FREQUENCY[i] * q[i][i] for i in range(4))
    return [[x / speed for x in row] for row in q]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def exponential(q, t):
    """By squaring: e^(qt) = (e^(qt / 2^20))^(2^20)."""
    p = [[(i == j) + q[i][j] * t / 2**20 for j in range(4)] for i in range(4)]
    for _ in range(20):
        p = product(p, p)
    return p


def grow(rng):
    """A random tree, as nested lists [name, length, children]."""
    nodes = [[f"t{i + 1}", rng.expovariate(20) + 0.002, []] for i in range(TAXA)]
    while len(nodes) > 3:
        pair = [nodes.pop(rng.randrange(len(nodes))) for _ in range(2)]
        nodes.append(["", rng.expovariate(20) + 0.002, pair])
    return ["", 0.0, nodes]


def newick(node):
    name, length, children = node
    inner = "(" + ",".join(newick(child) for child in children) + ")" if children else name
    return f"{inner}:{length:.6f}" if length else inner + ";"


def evolve(rng, node, states, classes, q, rows):
    name, length, children = node
    if length:
        after = list(states)
        places = {}
        for c, key in enumerate(zip(classes, states)):
            places.setdefault(key, []).append(c)
        for (rate, state), columns in places.items():
            drawn = rng.choices(range(4), exponential(q, ALPHA_RATES[rate] * length)[state], k=len(columns))
            for c, new in zip(columns, drawn):
                after[c] = new
        states = after
    if not children:
        rows[name] = "".join("ACGT"[s] for s in states)
    for child in children:
        evolve(rng, child, states, classes, q, rows)


def timed(words, folder):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-1000:]
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - begun


def main():
    program, out = pathlib.Path(sys.argv[1]).resolve() / "warpladder", pathlib.Path(sys.argv[2])
    columns, threads, rounds = (int(word) for word in (sys.argv[3:] + ["100000", "2", "3"][len(sys.argv) - 3:]))
    rng = random.Random(2010)
    out.mkdir(parents=True, exist_ok=True)
    found = {"warpladder": [], "iqtree2": []}
    with tempfile.TemporaryDirectory() as work:
        folder, rows, tree = pathlib.Path(work), {}, grow(rng)
        evolve(rng, tree, rng.choices(range(4), FREQUENCY, k=columns), rng.choices(range(4), k=columns), rate_matrix(), rows)
        (folder / "t.nwk").write_text(newick(tree) + "\n", encoding="ascii")
        (folder / "a.fa").write_text("".join(f">{name}\n{row}\n" for name, row in rows.items()), encoding="ascii")
        for _ in range(rounds):
            said, used, waited = timed([program, "likelihood", "--device", "cpu", "--threads", threads, "--tree", "t.nwk", "--alignment", "a.fa",
                                        "--model", "GTR+G4", "--optimize", "all", "--json", "--quiet"], folder)
            found["warpladder"].append((json.loads(said)["log_likelihood"], used, waited))
            _, used, waited = timed(["iqtree2", "-s", "a.fa", "-te", "t.nwk", "-m", "GTR+G4", "-nt", threads, "-redo", "-quiet", "-pre", "iq"], folder)
            report = (folder / "iq.iqtree").read_text()
            found["iqtree2"].append((float(re.search(r"Log-likelihood of the tree: (\S+)", report).group(1)), used, waited))
    machine = subprocess.run([program, "machine"], capture_output=True, text=True, check=True).stdout
    with open(out / "optimize_large_2core.tsv", "w", encoding="utf-8") as stream:
        print("# what: maximum likelihood on a fixed tree, in turns; processor_s, clock_s: seconds, medians; experiments/cpu/optimize_large.py", file=stream)
        print(re.sub(r"(?m)^([a-z_0-9]+) +", r"# \1: ", machine), end="", file=stream)
        print(f"# command: experiments/cpu/optimize_large.py BUILD OUT {columns} {threads} {rounds}", file=stream)
        print("program\ttaxa\tcolumns\tmodel\tthreads\trounds\tlog_likelihood\tprocessor_s\tclock_s", file=stream)
        for name, runs in found.items():
            used, waited = (statistics.median(run[i] for run in runs) for i in (1, 2))
            print(f"{name}\t{TAXA}\t{columns}\tGTR+G4\t{threads}\t{rounds}\t{max(run[0] for run in runs):.4f}\t{used:.2f}\t{waited:.2f}", file=stream)


if __name__ == "__main__":
    main()
