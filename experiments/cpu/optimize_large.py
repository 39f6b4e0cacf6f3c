#!/usr/bin/env python3
"""optimize_large.py BUILD OUT [COLUMNS [THREADS [ROUNDS]]] [--gpu] [--iqtree PROGRAM] [--limit SECONDS]: `warpladder likelihood --optimize all`
beside IQ-TREE 2 (-te TREE -m GTR+G4) on a random tree of 200 taxa and columns that evolved along it under GTR with four rate classes. COLUMNS
may be several numbers, 10000,100000. The programs run in turns, on as many threads; seconds of processor time and by the clock, medians of
the rounds. Writes OUT/optimize_large_2core.tsv. 100,000 columns take some minutes.

--gpu: Warpladder on the GPU ROUNDS times, and once on THREADS processors, as IQ-TREE is; writes OUT/optimize_large_h200.tsv, anew after each
run. --iqtree none: without IQ-TREE. A program that takes longer than --limit is stopped: it has no row, and a
line of the header says so."""

import argparse
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


def timed(words, folder, limit):
    """What it says, seconds of processor time and by the clock; None: it was stopped."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    words = [str(word) for word in words]
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-1000:]
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - begun


def ours(program, device, threads, folder, limit):
    found = timed([program, "likelihood", "--device", device, "--threads", threads, "--tree", "t.nwk", "--alignment", "a.fa", "--model", "GTR+G4",
                   "--optimize", "all", "--json", "--quiet"], folder, limit)
    return found and (json.loads(found[0])["log_likelihood"], *found[1:])


def iqtree(program, threads, folder, limit):
    found = timed([program, "-s", "a.fa", "-te", "t.nwk", "-m", "GTR+G4", "-nt", threads, "-redo", "-quiet", "-pre", "iq"], folder, limit)
    report = found and (folder / "iq.iqtree").read_text()
    return found and (float(re.search(r"Log-likelihood of the tree: (\S+)", report).group(1)), *found[1:])


def write_data(folder, columns):
    rng, rows = random.Random(2010), {}
    tree = grow(rng)
    evolve(rng, tree, rng.choices(range(4), FREQUENCY, k=columns), rng.choices(range(4), k=columns), rate_matrix(), rows)
    (folder / "t.nwk").write_text(newick(tree) + "\n", encoding="ascii")
    (folder / "a.fa").write_text("".join(f">{name}\n{row}\n" for name, row in rows.items()), encoding="ascii")


def write_rows(path, machine, found, threads, limit):
    """found: lists of runs by program, device and columns; None of a run that was stopped."""
    with open(path, "w", encoding="utf-8") as stream:
        print("# what: maximum likelihood on a fixed tree, in turns; processor_s, clock_s: seconds, medians; experiments/cpu/optimize_large.py", file=stream)
        print(re.sub(r"(?m)^([a-z_0-9]+) +", r"# \1: ", machine), end="", file=stream)
        print("# command:", "experiments/cpu/optimize_large.py BUILD OUT", *sys.argv[3:], file=stream)
        for (name, device, columns), runs in found.items():
            if None in runs:
                print(f"# stopped: {name} on {device}, {columns} columns, after {limit} s", file=stream)
        print("program\tdevice\ttaxa\tcolumns\tmodel\tthreads\trounds\tlog_likelihood\tprocessor_s\tclock_s", file=stream)
        for (name, device, columns), runs in found.items():
            row = f"{name}\t{device}\t{TAXA}\t{columns}\tGTR+G4\t{threads}\t{len(runs)}"
            if None not in runs:
                used, waited = (statistics.median(run[i] for run in runs) for i in (1, 2))
                print(f"{row}\t{max(run[0] for run in runs):.4f}\t{used:.2f}\t{waited:.2f}", file=stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("columns", nargs="?", default="100000")
    parser.add_argument("threads", nargs="?", type=int, default=2)
    parser.add_argument("rounds", nargs="?", type=int, default=3)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--iqtree", default="iqtree2")
    parser.add_argument("--limit", type=int, default=1000)
    args = parser.parse_args()
    program, limit = args.build.resolve() / "warpladder", args.limit
    path = args.out / ("optimize_large_h200.tsv" if args.gpu else "optimize_large_2core.tsv")
    args.out.mkdir(parents=True, exist_ok=True)
    machine = subprocess.run([program, "machine"], capture_output=True, text=True, check=True).stdout
    found = {}
    beside = 1 if args.gpu else args.rounds
    for columns in (int(number) for number in args.columns.split(",")):
        programs = [("warpladder", "gpu", args.rounds)] if args.gpu else []
        programs.append(("warpladder", "cpu", beside))
        if args.iqtree != "none":
            programs.append(("iqtree2", "cpu", beside))
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            write_data(folder, columns)
            for turn in range(args.rounds):
                for name, device, rounds in programs:
                    if turn >= rounds or None in found.get((name, device, columns), []):  # it was stopped
                        continue
                    run = iqtree(args.iqtree, args.threads, folder, limit) if name == "iqtree2" else ours(program, device, args.threads, folder, limit)
                    found.setdefault((name, device, columns), []).append(run)
                    print(name, device, columns, run, flush=True)
                    write_rows(path, machine, found, args.threads, limit)


if __name__ == "__main__":
    main()
