#!/usr/bin/env python3
"""beast_analysis.py RUNS TABLE: what beast_analysis.sh has sampled, as one of three tables.

  posterior   each quantity of each chain: mean, 95 % interval, effective sample size, and the value that the data evolved with
  agreement   each quantity of the chains of one model with two libraries or precisions: whether they sampled the same distribution. The first one
              of a model is ours in double precision, where there is one
  times       seconds per 1,000 states, and what 25 million states would take, as many as the paper's analysis had

RUNS has a folder for each chain, MODEL.LIBRARY.PRECISION.NUMBER, with BEAST's chain.log and chain.trees; the values that the data were
simulated with, MODEL.truth; and times.tsv. The first fifth of a chain is left out. A chain with a NUMBER from 100 on continues another one and
is whole. Chains that differ only in their NUMBER are pooled; rows with the library "all" pool all chains of a model.
"""
import functools
import glob
import math
import os
import re
import sys

BURN_IN = 0.2
LEVEL = 0.95
PAPER_STATES = 25e6
SKIPPED = {"state", "posterior"}
# What BEAST calls the quantities. The first three, kappa and omega are in the paper's Table 1.
NAMES = {"treeModel.rootHeight": "tree height", "alpha": "alpha of rate classes", "ucld.stdev": "sigma of the clock", "yule.birthRate": "birth rate",
         "treeLength": "tree length", "meanRate": "mean rate of branches", "likelihood": "log-likelihood",
         **{pair: "rate of " + pair.upper() for pair in ("ac", "ag", "at", "cg", "gt")},
         **{f"frequencies{i + 1}": "frequency of " + letter for i, letter in enumerate("ACGT")}}


def autocorrelation_time(values):
    """The number of samples that are worth one independent one: the sum of autocorrelations over pairs of lags while it is positive and
    falls (Geyer 1992)."""
    count = len(values)
    mean = sum(values) / count
    centred = [value - mean for value in values]
    variance = sum(value * value for value in centred) / count
    if variance == 0:
        return float(count)

    def correlation(lag):
        return sum(a * b for a, b in zip(centred, centred[lag:])) / count / variance

    total, last = -1.0, math.inf
    for lag in range(0, count - 1, 2):
        pair = correlation(lag) + correlation(lag + 1)
        if pair <= 0:
            break
        last = min(last, pair)
        total += 2 * last
    return max(total, 1.0)


def highest_density(values, level=LEVEL):
    """The shortest interval with this share of the samples."""
    ordered = sorted(values)
    inside = max(1, math.ceil(level * len(ordered)))
    width, first = min((ordered[i + inside - 1] - ordered[i], i) for i in range(len(ordered) - inside + 1))
    return ordered[first], ordered[first] + width


def kolmogorov_smirnov(one, other):
    """(largest distance of the two distributions, probability of one as large if they are the same)."""
    one, other = sorted(one), sorted(other)
    i = j = 0
    distance = 0.0
    while i < len(one) and j < len(other):
        value = min(one[i], other[j])
        while i < len(one) and one[i] == value:
            i += 1
        while j < len(other) and other[j] == value:
            j += 1
        distance = max(distance, abs(i / len(one) - j / len(other)))
    root = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    return distance, kolmogorov_tail((root + 0.12 + 0.11 / root) * distance)


def kolmogorov_tail(x):
    if x < 0.2:
        return 1.0
    return min(1.0, 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * x * x) for k in range(1, 101)))


def later(samples, path):
    """The samples of a file of a chain, without its beginning."""
    goes_on = re.search(r"\.(\d{3,})/[^/]*$", path)
    return samples[0 if goes_on else int(BURN_IN * len(samples)):]


@functools.cache
def read_log(path):
    """The columns of a log by name. A last line that the clock has cut off is left out."""
    lines = [line[:-1].split("\t") for line in open(path, encoding="ascii") if not line.startswith("#") and line[-1] == "\n"]
    return {name: [float(row[i]) for row in later(lines[1:], path)] for i, name in enumerate(lines[0] if lines else [])}


def clades_of(newick):
    """Height of each clade, a set of tips' numbers, in a tree whose tips are at height 0."""
    found, stack = {}, [[]]
    last = None  # what ended last: (clade, height)
    for token in re.findall(r"[(),]|:[^(),]+|[^(),:;]+", re.sub(r"\[[^\]]*\]", "", newick)):
        if token == "(":
            stack.append([])
        elif token == ")":
            below = stack.pop()
            clade, height = frozenset().union(*(c for c, _ in below)), max(h for _, h in below)
            found[clade] = height
            stack[-1].append((clade, height))
        elif token[0] == ":":
            clade, height = stack[-1][-1]
            stack[-1][-1] = (clade, height + float(token[1:]))
        elif token != ",":
            stack[-1].append((frozenset([token]), 0.0))
    return found


@functools.cache
def read_trees(path):
    text = open(path, encoding="ascii").read()
    names = dict(re.findall(r"^\s*(\d+) '?([^\s',]+)'?,?$", text, re.MULTILINE))
    trees = [clades_of(tree) for tree in later(re.findall(r"^tree [^=]*(?:\[[^\]]*\])? = \[&R\] (.*;)$", text, re.MULTILINE), path)]
    return [{frozenset(names[tip] for tip in clade): height for clade, height in tree.items()} for tree in trees]


def read_truth(path):
    """(values of parameters, heights of clades)."""
    values, heights = {}, {}
    for line in open(path, encoding="ascii") if os.path.exists(path) else []:
        name, value = line.rstrip("\n").split("\t")
        if name.startswith("clade "):
            heights[frozenset(name[6:].split("+"))] = float(value)
        else:
            values[name] = float(value)
    return values, heights


class Chains:
    """Chains of one model, library and precision, with other random numbers."""

    def __init__(self, folders):
        self.model, self.library, self.precision = os.path.basename(folders[0]).split(".")[:3]
        logs = [read_log(folder + "/chain.log") for folder in folders]
        self.columns = {name: [log[name] for log in logs] for name in logs[0] if name not in SKIPPED}
        self.times = {name: [autocorrelation_time(values) for values in chains] for name, chains in self.columns.items()}
        self.trees = [tree for folder in folders for tree in read_trees(folder + "/chain.trees")]
        self.truth, self.heights = read_truth(os.path.join(os.path.dirname(folders[0]), self.model + ".truth"))

    def names(self):
        """The quantities that vary."""
        return [name for name in self.columns if len(set(self.values(name))) > 1]

    def values(self, name):
        return [value for chain in self.columns[name] for value in chain]

    def thinned(self, name):
        return [value for chain, time in zip(self.columns[name], self.times[name]) for value in chain[::math.ceil(time)]]

    def effective(self, name):
        return sum(len(chain) / time for chain, time in zip(self.columns[name], self.times[name]))

    def error(self, name):
        return deviation(self.values(name)) / math.sqrt(self.effective(name))

    def clade_shares(self):
        counted = {}
        for tree in self.trees:
            for clade in tree:
                counted[clade] = counted.get(clade, 0) + 1
        return {clade: count / len(self.trees) for clade, count in counted.items()}


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    centre = mean(values)
    return math.sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - 1))


def number(value):
    return "NA" if value is None else f"{value:.6g}"


def posterior_rows(chain):
    head = (chain.model, chain.library, chain.precision)
    known = covered = 0
    for name in chain.names():
        values = chain.values(name)
        low, high = highest_density(values)
        truth = chain.truth.get(name)
        inside = "NA" if truth is None else "yes" if low <= truth <= high else "no"
        known, covered = known + (truth is not None), covered + (inside == "yes")
        yield *head, NAMES.get(name, name), number(truth), number(mean(values)), number(deviation(values)), number(low), number(high), inside, \
            len(values), f"{chain.effective(name):.0f}"
    if known:
        yield *head, "true values inside the interval", known, covered, "NA", "NA", "NA", "NA", "NA", "NA"
    if chain.heights:
        inside = found = 0
        shares = chain.clade_shares()
        for clade, height in chain.heights.items():
            if shares.get(clade, 0) > 0.5:
                found += 1
                low, high = highest_density([tree[clade] for tree in chain.trees if clade in tree])
                inside += low <= height <= high
        wrong = sum(share > 0.5 and clade not in chain.heights for clade, share in shares.items())
        for name, truth, value in (("true clades in more than half of the trees", len(chain.heights), found),
                                   ("other clades in more than half of the trees", 0, wrong),
                                   ("of these true clades, heights inside the interval", None, inside)):
            yield *head, name, number(truth), number(value), "NA", "NA", "NA", "NA", len(chain.trees), "NA"


def agreement_rows(one, other):
    head = (one.model, f"{one.library} {one.precision}", f"{other.library} {other.precision}")
    smallest = 1.0
    for name in one.names():
        a, b = one.thinned(name), other.thinned(name)
        distance, probability = kolmogorov_smirnov(a, b)
        smallest = min(smallest, probability)
        off = (mean(other.values(name)) - mean(one.values(name))) / math.hypot(one.error(name), other.error(name))
        (low, high), (other_low, other_high) = highest_density(one.values(name)), highest_density(other.values(name))
        overlap = max(0.0, min(high, other_high) - max(low, other_low)) / (max(high, other_high) - min(low, other_low))
        yield *head, NAMES.get(name, name), len(a), len(b), f"{distance:.3f}", f"{probability:.3g}", f"{off:.2f}", f"{overlap:.2f}"
    yield *head, "smallest p times the number of quantities", "NA", "NA", "NA", f"{min(1.0, smallest * len(one.names())):.3g}", "NA", "NA"
    shares, others = one.clade_shares(), other.clade_shares()
    largest = max(abs(shares.get(clade, 0) - others.get(clade, 0)) for clade in shares.keys() | others.keys())
    yield *head, "largest difference of a clade's share", len(one.trees), len(other.trees), f"{largest:.3f}", "NA", "NA", "NA"


def times_rows(path):
    """Two lengths of a chain: their difference has no start of Java and no reading of data. Medians of what was repeated."""
    runs = {}
    for line in open(path, encoding="ascii"):
        model, library, precision, threads, states, wall, processor = line.rstrip("\n").split("\t")
        runs.setdefault((model, library, precision, threads), {}).setdefault(int(states), []).append((float(wall), float(processor)))
    per = {}
    for key, lengths in runs.items():
        if len(lengths) > 1:
            short, long = min(lengths), max(lengths)
            per[key] = [1000 * (median([run[i] for run in lengths[long]]) - median([run[i] for run in lengths[short]])) / (long - short) for i in (0, 1)]
    for (model, library, precision, threads), (wall, processor) in per.items():
        java = per.get((model, "java", "double", "1"))
        hours = [seconds / 1000 * PAPER_STATES / 3600 for seconds in (wall, processor)]
        yield model, library, precision, threads, max(runs[model, library, precision, threads]), number(wall), number(processor), \
            number(hours[0]), number(hours[1]), number(java and java[1] / processor), number(java and java[0] / wall)


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def main():
    runs, table = sys.argv[1:]
    if table == "times":
        print("model", "library", "precision", "threads", "chain_states", "wall_s_per_1000", "processor_s_per_1000", "wall_hours_25_million",
              "processor_hours_25_million", "processor_speedup_java", "wall_speedup_java", sep="\t")
        rows = sorted(times_rows(runs + "/times.tsv"), key=lambda row: (*row[:3], int(row[3])))
    else:
        kinds = {}
        for folder in sorted(glob.glob(runs + "/*.*.*.*")):
            if os.path.exists(folder + "/chain.trees") and len(read_log(folder + "/chain.log").get("state", [])) > 1 and read_trees(folder + "/chain.trees"):
                kinds.setdefault(folder.rsplit(".", 1)[0], []).append(folder)
        chains = [Chains(folders) for folders in kinds.values()]
        if table == "posterior":
            for model in sorted({chain.model for chain in chains}):
                if sum(chain.model == model for chain in chains) > 1:
                    pooled = Chains([folder for kind, folders in kinds.items() if os.path.basename(kind).split(".")[0] == model for folder in folders])
                    pooled.library = pooled.precision = "all"
                    chains.append(pooled)
            print("model", "library", "precision", "quantity", "truth", "mean", "sd", "low", "high", "inside", "samples", "ess", sep="\t")
            rows = [row for chain in chains for row in posterior_rows(chain)]
        else:
            print("model", "chain", "other", "quantity", "samples", "other_samples", "ks", "p", "mean_off_by_errors", "interval_overlap", sep="\t")
            chains.sort(key=lambda chain: (chain.library, chain.precision) != ("ours", "double"))  # else the order of the names: gpu double
            first = {}
            for chain in chains:
                first.setdefault(chain.model, chain)
            rows = [row for chain in chains if chain is not first[chain.model] for row in agreement_rows(first[chain.model], chain)]
    for row in rows:
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
