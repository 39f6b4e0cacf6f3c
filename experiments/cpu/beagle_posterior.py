#!/usr/bin/env python3
"""beagle_posterior.py FOLDER: what beagle_posterior.sh has sampled, as a table. A row for each quantity: its mean and standard deviation by
each program, and the difference of ours to BEAGLE's in standard errors, which come from batches of the chains. Then a row
for each split of the taxa that was sampled in a twentieth of the trees: how often it was."""
import math
import re
import sys

PROGRAMS = ["mb_theirs", "mb_ours", "chain"]
CHAINS = (1, 2, 3)
BATCHES = 10  # per chain
NAMES = {"LnL": "likelihood", "TL": "treeLength", "r(A<->C)": "rAC", "r(A<->G)": "rAG", "r(A<->T)": "rAT",
         "r(C<->G)": "rCG", "r(C<->T)": "rCT", "r(G<->T)": "rGT"}
QUANTITIES = ["likelihood", "treeLength", "alpha", "rAC", "rAG", "rAT", "rCG", "rCT", "rGT"]


def later(samples):
    return samples[len(samples) // 4:]


def read_table(path):
    lines = [line for line in open(path, encoding="ascii") if not line.startswith(("#", "["))]
    head = [NAMES.get(name, name) for name in lines[0].split()]
    return [dict(zip(head, map(float, line.split()))) for line in later(lines[1:])]


def splits_of(newick, names):
    """The sets of taxa on one side of each inner branch, that without the first taxon; and not the pendant ones."""
    stack, found, all_names = [[]], set(), frozenset(names.values())
    for token in re.findall(r"[(),]|[^(),:;]+|:[^(),;]+", newick):
        if token == "(":
            stack.append([])
        elif token == ")":
            inside = stack.pop()
            stack[-1].extend(inside)
            side = frozenset(inside)
            if names["1"] in side:
                side = all_names - side
            if 1 < len(side) < len(all_names) - 1:
                found.add(side)
        elif token not in "," and token[0] != ":":
            stack[-1].append(names[token])
    return found


def read_trees(path):
    text = open(path, encoding="ascii").read()
    names = dict(re.findall(r"(\d+) ([^\s,;]+)[,;]", text[text.index("translate"):text.index("tree ", text.index("translate") + 9)]))
    trees = re.findall(r"^\s*tree [^=]*(?:\[[^\]]*\])? = \[&U\] (.*;)$", text, re.MULTILINE)
    return [splits_of(tree, names) for tree in later(trees)]


def paths(folder, program, chain):
    if program == "chain":
        return f"{folder}/chain_{chain}/chain.log", f"{folder}/chain_{chain}/chain.trees"
    return f"{folder}/{program}_{chain}.p", f"{folder}/{program}_{chain}.t"


def batches(values):
    each = len(values) // BATCHES
    return [sum(values[i * each:(i + 1) * each]) / each for i in range(BATCHES)]


def summary(chains):
    """Of several chains' values: mean, standard deviation, standard error of the mean."""
    all_values = [value for chain in chains for value in chain]
    mean = sum(all_values) / len(all_values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in all_values) / (len(all_values) - 1))
    means = [value for chain in chains for value in batches(chain)]
    error = math.sqrt(sum((value - mean) ** 2 for value in means) / (len(means) - 1) / len(means))
    return mean, deviation, error


def main():
    folder = sys.argv[1]
    table = {p: [read_table(paths(folder, p, c)[0]) for c in CHAINS] for p in PROGRAMS}
    trees = {p: [read_trees(paths(folder, p, c)[1]) for c in CHAINS] for p in PROGRAMS}
    print("quantity", *[f"{p}_{what}" for p in PROGRAMS for what in ("mean", "sd", "error")], "chain_off_by_errors", sep="\t")
    for quantity in QUANTITIES:
        row = [summary([[sample[quantity] for sample in chain] for chain in table[p]]) for p in PROGRAMS]
        off = (row[2][0] - row[0][0]) / math.hypot(row[2][2], row[0][2])
        print(quantity, *[f"{value:.7g}" for one in row for value in one], f"{off:.2f}", sep="\t")
    every = {split for p in PROGRAMS for chain in trees[p] for tree in chain for split in tree}
    share = {split: [summary([[float(split in tree) for tree in chain] for chain in trees[p]]) for p in PROGRAMS] for split in every}
    often = sorted(every, key=lambda split: -share[split][0][0])
    for split in often:
        row = share[split]
        if max(one[0] for one in row) < 0.05:
            continue
        error = math.hypot(row[2][2], row[0][2])
        off = (row[2][0] - row[0][0]) / error if error > 0 else 0
        print("split of " + "+".join(sorted(split)), *[f"{value:.4g}" for one in row for value in one], f"{off:.2f}", sep="\t")


main()
