#!/usr/bin/env python3
"""The arithmetic of experiments/cpu/beast_*.py on values that are known: time of autocorrelation, intervals, Kolmogorov-Smirnov, heights
of clades, rate classes, and the simulated processes."""
import math
import os
import random
import statistics
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/experiments/cpu")
sys.dont_write_bytecode = True
import beast_analysis as analysis  # noqa: E402
import beast_data as data  # noqa: E402


def near(found, expected, tolerance, what):
    assert abs(found - expected) <= tolerance, f"{what}: found {found}; expected {expected} within {tolerance}"


def check_autocorrelation():
    rng = random.Random(1)
    for share in (0.0, 0.8):  # x' = share x + noise: the time is (1 + share) / (1 - share)
        values = [0.0]
        for _ in range(20000):
            values.append(share * values[-1] + rng.gauss(0, 1))
        near(analysis.autocorrelation_time(values), (1 + share) / (1 - share), 0.15 * (1 + share) / (1 - share), f"time with {share}")
    near(analysis.autocorrelation_time([3.0] * 50), 50, 0, "time of a constant")
    near(analysis.autocorrelation_time([1.0, -1.0] * 50), 1, 0, "time of an alternating chain")


def check_interval():
    assert analysis.highest_density(list(range(100))) == (0, 94), analysis.highest_density(list(range(100)))
    skewed = [-math.log(1 - (i + 0.5) / 1000) for i in range(1000)]
    low, high = analysis.highest_density(skewed)
    near(low, 0, 0.001, "lower end of an exponential distribution")
    near(high, -math.log(0.05), 0.02, "upper end of an exponential distribution")


def check_kolmogorov_smirnov():
    near(analysis.kolmogorov_smirnov([1, 2, 3], [2.5, 3.5, 4.5])[0], 2 / 3, 1e-12, "distance")
    near(analysis.kolmogorov_smirnov([1, 1, 2], [1, 2, 2])[0], 1 / 3, 1e-12, "distance with ties")
    assert analysis.kolmogorov_smirnov([5, 1], [1, 5]) == (0.0, 1.0)
    for x, tail in ((1.2238, 0.1), (1.3581, 0.05), (1.6276, 0.01)):
        near(analysis.kolmogorov_tail(x), tail, 5e-5, f"tail at {x}")


def check_clades():
    tree = "(((1:[&rate=0.9]1.0,2:1.0):[&rate=1.1]0.5,3:1.5):2E-1,4:1.7);"
    found = {"".join(sorted(clade)): height for clade, height in analysis.clades_of(tree).items()}
    assert found.keys() == {"12", "123", "1234"}, found
    for clade, height in (("12", 1.0), ("123", 1.5), ("1234", 1.7)):
        near(found[clade], height, 1e-12, clade)


def check_log():
    with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
        rows = "".join(f"{i}\t{10 + i}\n" for i in range(10))
        file.write("# BEAST\nstate\talpha\n" + rows + "10\t2")  # the clock has cut off the last line
        file.flush()
        found = analysis.read_log(file.name)
    assert found == {"state": [float(i) for i in range(2, 10)], "alpha": [float(i) for i in range(12, 20)]}, found
    assert analysis.later([1] * 10, "runs/gtr.ours.double.101/chain.log") == [1] * 10  # what goes on with a chain has no beginning to leave out
    assert analysis.later([1] * 10, "runs/gtr.ours.double.1/chain.log") == [1] * 8


def check_times():
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        for library, per in (("java", 4), ("ours", 1)):
            for states in (1000, 5000):
                file.write(f"gtr\t{library}\tdouble\t1\t{states}\t{3 + per * states / 1000}\t{2 + per * states / 2000}\n")
        file.flush()
        rows = {row[1]: row for row in analysis.times_rows(file.name)}
    assert rows["ours"][4:] == (5000, "1", "0.5", f"{25e6 / 1000 / 3600:.6g}", f"{25e6 / 2000 / 3600:.6g}", "4", "4"), rows["ours"]


def check_rates():
    z = statistics.NormalDist()
    medians = [z.inv_cdf((1 + (2 * i + 1) / 8) / 2) ** 2 for i in range(4)]  # of a gamma distribution with shape 1/2: a squared normal
    for found, expected in zip(data.gamma_classes(0.5, 4), medians):
        near(found, expected * 4 / sum(medians), 1e-9, "rate class")


def check_processes():
    alphabet = [codon for codon in data.CODE if data.CODE[codon] != "*"]
    assert len(alphabet) == 60
    for frequencies, rates in ((data.FREQUENCIES, data.gtr_rates(data.FREQUENCIES, data.EXCHANGE)),
                               ([1 / 60] * 60, data.gy94_rates(alphabet, [1 / 60] * 60, 6.0, 0.05))):
        process = data.Process(frequencies, rates)
        near(sum(f * leave for f, leave in zip(frequencies, process.leave)), 1, 1e-12, "events per unit of time")
        for i in range(len(frequencies)):
            for j in range(i):
                near(frequencies[i] * rates[i][j], frequencies[j] * rates[j][i], 1e-12, f"detailed balance of {i} and {j}")
    rate = {(a, b): data.gy94_rates(alphabet, [1 / 60] * 60, 6.0, 0.05)[alphabet.index(a)][alphabet.index(b)] * 60
            for a, b in (("CTA", "CTG"), ("CTA", "CTC"), ("ATA", "ATC"), ("CTA", "CCA"), ("CTA", "GCA"))}
    for pair, expected in zip(rate, (6.0, 1.0, 0.05, 0.3, 0.0)):
        near(rate[pair], expected, 1e-12, str(pair))
    rng, time, sites = random.Random(2), 0.5, 20000
    equal = data.Process([0.25] * 4, data.gtr_rates([0.25] * 4, {}))
    same = sum(equal.evolve(0, time, rng) == 0 for _ in range(sites)) / sites
    near(same, 0.25 + 0.75 * math.exp(-4 * time / 3), 0.012, "share of unchanged sites, Jukes and Cantor")


for name, function in list(globals().items()):
    if name.startswith("check_"):
        function()
