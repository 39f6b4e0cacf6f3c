#!/usr/bin/python3
"""compare.py path/to/warpladder ORACLE: `distances` against

counted     distances that are counted here one site at a time: random alignments, genotypes in .bed and VCF, tables, with missing
            values; every measure, rescaled or not, and the number of compared sites
layouts     CSV as Python's csv module reads it, molten tables, and clusters that are found here by walking from neighbour to neighbour
plink       PLINK 1.9 on random .bed files with missing calls, and on the VCF that it makes of them
numpy       what NumPy reads from .npy
snp_dists   snp-dists, byte for byte
snp_sites   the alignment that snp-sites made a haploid VCF of
ape         dist.dna of R's package ape: p-distance, JC69, K80, TN93, LogDet
bcftools    VCF with several alternative alleles that bcftools norm has split
memory      what --memory says: the peak of a run whose matrix does not fit, beside that of a run with next to no data; and that near
            pairs and clusters keep no matrix, whatever memory there is

Prints "skipped: ..." where the oracle is not installed."""
import csv
import io
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

PROGRAM, ORACLE = os.path.abspath(sys.argv[1]), sys.argv[2]
MISSING = None


def skip(what):
    print(f"skipped: {what} is not installed")
    sys.exit(0)


def run(*words):
    done = subprocess.run([PROGRAM, "distances", *words, "--quiet"], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"distances {' '.join(words)}: exit code {done.returncode}, said {done.stderr}")
    return done.stdout


def table(text):
    """The rows of a TSV square without its names."""
    return [[float(cell) for cell in line.split("\t")[1:]] for line in text.splitlines()[1:]]


def same(what, found, expected, tolerance):
    """Both are squares; NaN equals NaN."""
    assert len(found) == len(expected), f"{what}: {len(found)} rows, expected {len(expected)}"
    for i, (row, other) in enumerate(zip(found, expected)):
        assert len(row) == len(other), f"{what}: row {i} has {len(row)} cells, expected {len(other)}"
        for j, (a, b) in enumerate(zip(row, other)):
            both_nan = math.isnan(a) and math.isnan(b)
            if not both_nan and a != b and not abs(a - b) <= tolerance * max(1, abs(b)):
                sys.exit(f"{what}: pair {i}, {j} has {a}, expected {b}")


# --- Random data: [instances][sites], MISSING where there is no value ------------------------------------------------

def random_values(rng, instances, sites, values, missing):
    ancestor = [rng.choice(values) for _ in range(sites)]
    rows = []
    for _ in range(instances):
        rows.append([MISSING if rng.random() < missing else rng.choice(values) if rng.random() < 0.4 else ancestor[k]
                     for k in range(sites)])
    return rows


def write_fasta(path, rows, rng, unknown="NNNNNNNNNNNNNNnn----.?*RYkv"):
    with open(path, "w") as file:
        for i, row in enumerate(rows):
            text = "".join(rng.choice(unknown) if v is MISSING else rng.choice(v + v.lower()) for v in row)
            file.write(f">s{i} of many\n{text[:50]}\n{text[50:]}\n")


def write_bed(stem, rows, negative=()):
    """Genotypes: how many of A1; `negative`: variants that have a negative position."""
    code = {2: 0, MISSING: 1, 1: 2, 0: 3}
    with open(stem + ".bed", "wb") as bed:
        bed.write(b"\x6c\x1b\x01")
        for k in range(len(rows[0])):
            packed = bytearray((len(rows) + 3) // 4)
            for i, row in enumerate(rows):
                packed[i // 4] |= code[row[k]] << 2 * (i % 4)
            bed.write(packed)
    with open(stem + ".fam", "w") as fam:
        fam.writelines(f"f{i} s{i} 0 0 1 -9\n" for i in range(len(rows)))
    with open(stem + ".bim", "w") as bim:
        bim.writelines(f"1\tv{k}\t0\t{'-' * (k in negative)}{k + 1}\tA\tC\n" for k in range(len(rows[0])))


def write_vcf(path, rows, rng):
    genotype = {0: ["0/0", "0|0"], 1: ["0/1", "1|0"], 2: ["1/1", "1|1"], MISSING: ["./.", ".|."]}
    with open(path, "w") as vcf:
        vcf.write('##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n')
        vcf.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(f"s{i}" for i in range(len(rows))) + "\n")
        for k in range(len(rows[0])):
            cells = "\t".join(rng.choice(genotype[row[k]]) for row in rows)
            vcf.write(f"1\t{k + 1}\t.\tC\tA\t.\t.\t.\tGT\t{cells}\n")


def write_alleles(path, rows, rng, alleles):
    """Rows of tuples of alleles, one of a haploid or two of a diploid."""
    with open(path, "w") as vcf:
        vcf.write('##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n')
        vcf.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(f"s{i}" for i in range(len(rows))) + "\n")
        for k in range(len(rows[0])):
            cells = "\t".join(rng.choice([".", "./."]) if row[k] is MISSING else "/".join(map(str, row[k])) for row in rows)
            vcf.write(f"1\t{k + 1}\t.\tC\t{','.join(alleles[1:])}\t.\t.\t.\tGT\t{cells}\n")


def write_table(path, rows):
    with open(path, "w") as file:
        file.write("name\t" + "\t".join(f"x{k}" for k in range(len(rows[0]))) + "\n")
        for i, row in enumerate(rows):
            file.write(f"s{i}\t" + "\t".join("NA" if v is MISSING else repr(v) for v in row) + "\n")


# --- Counted -----------------------------------------------------------------------------------------------------------

TERM = {"differences": lambda a, b: a != b, "alleles": lambda a, b: abs(a - b), "ibs": lambda a, b: abs(a - b),
        "manhattan": lambda a, b: abs(a - b), "euclidean2": lambda a, b: (a - b) ** 2}


def sums(rows, measure, cache={}):
    """Squares of sums over the sites that both have, and of how many those are. Of the last rows and measure, not twice."""
    if cache.get("key") != (id(rows), measure):
        known = [[[(a, b) for a, b in zip(x, y) if a is not MISSING and b is not MISSING] for y in rows] for x in rows]
        cache.update(key=(id(rows), measure), rows=rows, # which keeps its id
                     sums=[[math.fsum(TERM[measure](a, b) for a, b in pairs) for pairs in row] for row in known],
                     compared=[[len(pairs) for pairs in row] for row in known])
    return cache["sums"], cache["compared"]


def counted(rows, measure, rescale):
    """Squares of distances and of compared sites."""
    def distance(sum_, n, sites):
        if measure == "ibs":
            return 1 - sum_ / (2 * n) if n else math.nan
        if rescale:
            return sum_ * sites / n if n else math.nan
        return sum_

    sum_, compared = sums(rows, measure)
    return [[distance(*cell, len(rows[0])) for cell in zip(*both)] for both in zip(sum_, compared)], compared


def check_counted(what, path, rows, measure, *more):
    for rescale in [False] if measure == "ibs" else [False, True]:
        options = [path, "--measure", measure, "--digits", "15", *more] + ["--rescale"] * rescale
        distance, compared = counted(rows, measure, rescale)
        same(f"{what} {measure} {rescale}", table(run(*options)), distance, 1e-12)
        pairs = [line.split("\t") for line in run(*options, "--layout", "list", "--compared").splitlines()]
        expected = [(i, j) for i in range(len(rows)) for j in range(i + 1, len(rows))]
        assert [(p[0], p[1]) for p in pairs] == [(f"s{i}", f"s{j}") for i, j in expected], f"{what}: names of pairs"
        assert [int(p[3]) for p in pairs] == [compared[i][j] for i, j in expected], f"{what}: compared sites"


def logarithm(x):
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def determinant(m):
    return m[0][0] if len(m) == 1 else math.fsum(
        (-1) ** k * m[0][k] * determinant([row[:k] + row[k + 1:] for row in m[1:]]) for k in range(len(m)))


def modelled(rows, measure):
    """The square of an evolutionary model's distances, from all pairs of bases."""
    known = [v for row in rows for v in row if v is not MISSING]
    f = {base: known.count(base) / len(known) for base in "ACGT"}
    square = []
    for x in rows:
        square.append([])
        for y in rows:
            pairs = [(a, b) for a, b in zip(x, y) if a is not MISSING and b is not MISSING]
            n = len(pairs)
            if n == 0:
                square[-1].append(math.nan)
                continue
            share = {(a, b): pairs.count((a, b)) / n for a in "ACGT" for b in "ACGT"}
            p = sum(v for (a, b), v in share.items() if a != b)
            purines, pyrimidines = share["A", "G"] + share["G", "A"], share["C", "T"] + share["T", "C"]
            q, r, c = p - purines - pyrimidines, f["A"] + f["G"], f["C"] + f["T"]
            if measure == "jc69":
                d = -3 / 4 * logarithm(1 - 4 / 3 * p)
            elif measure == "k80":
                d = -logarithm(1 - 2 * (p - q) - q) / 2 - logarithm(1 - 2 * q) / 4
            elif measure == "tn93":
                ag, ct = 2 * f["A"] * f["G"] / r, 2 * f["C"] * f["T"] / c
                rest = 2 * (r * c - f["A"] * f["G"] * c / r - f["C"] * f["T"] * r / c)
                d = (-ag * logarithm(1 - purines / ag - q / (2 * r)) - ct * logarithm(1 - pyrimidines / ct - q / (2 * c))
                     - rest * logarithm(1 - q / (2 * r * c)))
            elif measure == "logdet":
                d = 0 if x is y else -logarithm(determinant([[share[a, b] for b in "ACGT"] for a in "ACGT"])) / 4 - math.log(4)
            else:
                d = p
            square[-1].append(d)
    return square


def oracle_counted():
    for seed, missing in (1, 0), (2, 0.1), (3, 0.7):
        rng = random.Random(seed)
        instances, sites = rng.choice([13, 33]), rng.choice([90, 129])
        for device in ["cpu", "sim"] if seed == 2 else ["cpu"]:
            rows = random_values(rng, instances, sites, "ACGT", missing)
            if missing == 0.7:
                rows[3] = [MISSING] * sites
            write_fasta("a.fasta", rows, rng)
            check_counted("alignment", "a.fasta", rows, "differences", "--device", device)
            write_fasta("a.fasta", rows[:9], rng)
            for measure in ["p-distance", "jc69", "k80", "tn93", "logdet"] if device == "cpu" else ["tn93"]:
                found = table(run("a.fasta", "--measure", measure, "--digits", "15", "--device", device))
                same(measure, found, modelled(rows[:9], measure), 1e-9)
            rows = random_values(rng, instances, sites, [0, 1, 2], missing)
            write_bed("g", rows)
            write_vcf("g.vcf", rows, rng)
            for path in ["g.bed", "g.vcf"]:
                for measure in "differences", "alleles", "ibs":
                    check_counted(path, path, rows, measure, "--device", device)
        for measure in "manhattan", "euclidean2":
            check_counted("g.bed", "g.bed", rows, measure, "--device", "cpu")
        alleles = ["C", "A", "G", "T", "CA", "CC"]
        rows = random_values(rng, instances, sites, [(a,) for a in range(6)], missing)
        write_alleles("h.vcf", rows, rng, alleles)
        check_counted("haploid VCF", "h.vcf", rows, "differences", "--device", "cpu")
        write_alleles("h.vcf", rows, rng, alleles[:5] + ["*"]) # which is no allele
        starless = [[MISSING if v == (5,) else v for v in row] for row in rows]
        check_counted("haploid VCF", "h.vcf", starless, "differences", "--device", "cpu")
        rows = random_values(rng, instances, sites, [(a, b) for a in range(4) for b in range(4)], missing)
        write_alleles("m.vcf", rows, rng, alleles[:4])
        split = [[MISSING if v is MISSING else v.count(a) for v in row for a in (1, 2, 3)] for row in rows]
        for measure in "differences", "alleles", "ibs":
            check_counted("alternatives", "m.vcf", split, measure, "--device", "cpu")
        for most in 4, 7, 100:
            rows = random_values(rng, instances, sites, list(range(most + 1)), missing)
            write_table("i.tsv", rows)
            for measure in "differences", "manhattan", "euclidean2":
                check_counted(f"integers to {most}", "i.tsv", rows, measure, "--device", "cpu")
        rows = random_values(rng, instances, sites, [rng.gauss(0, 10) for _ in range(50)], missing)
        write_table("r.tsv", rows)
        for measure in "manhattan", "euclidean2":
            check_counted("reals", "r.tsv", rows, measure, "--device", "cpu")


def clusters_by_walking(square, most):
    """The number of each row's cluster, in the order of their first members."""
    number = [0] * len(square)
    for i in range(len(square)):
        if number[i]:
            continue
        number[i], ahead = max(number) + 1, [i]
        while ahead:
            at = ahead.pop()
            near = [j for j, d in enumerate(square[at]) if d <= most and not number[j]]
            for j in near:
                number[j] = number[i]
            ahead += near
    return number


def oracle_layouts():
    rng = random.Random(1)
    rows = random_values(rng, 60, 40, "ACGT", 0.2)
    rows[7] = [MISSING] * 40
    names = [f'{"a,b" if i % 3 else "quoted"}{chr(34) if i % 5 == 0 else ""}{i}' for i in range(60)]
    with open("a.fasta", "w") as file:
        file.writelines(f">{name}\n{''.join(v or 'N' for v in row)}\n" for name, row in zip(names, rows))
    square, compared = counted(rows, "differences", False)
    cells = list(csv.reader(io.StringIO(run("a.fasta", "-c"))))
    assert cells[0][1:] == names and [row[0] for row in cells[1:]] == names, "names in CSV"
    assert [[float(cell) for cell in row[1:]] for row in cells[1:]] == square, "values in CSV"
    for most in None, 9:
        found = list(csv.reader(io.StringIO(run("a.fasta", "-mct", "--compared", *(["--max-distance", str(most)] if most else [])))))
        expected = [[names[i], names[j], str(int(square[i][j])), str(compared[i][j])] for i in range(60) for j in range(60)
                    if not most or (square[i][j] <= most and compared[i][j] > 0)] # without a common site nobody is near
        assert found == [["sequence_1", "sequence_2", "distance", "compared"], *expected], f"molten, at most {most}"
    # Those with few common sites have no distance anywhere, and are near nobody: one rule for all layouts.
    for least in 1, 26, 41:
        near = [[d if n >= least else math.nan for d, n in zip(*both)] for both in zip(square, compared)]
        same(f"at least {least} sites", table(run("a.fasta", "--min-compared", str(least))), near, 0)
        for most in "4", "inf":
            limit = [] if most == "inf" else ["--max-distance", most]
            found = run("a.fasta", "--min-compared", str(least), "--layout", "list", *limit).splitlines()
            assert found == [f"{names[i]}\t{names[j]}\t{'nan' if math.isnan(near[i][j]) else int(near[i][j])}"
                             for i in range(60) for j in range(i + 1, 60) if most == "inf" or near[i][j] <= 4], f"list at {least}"
        found = run("a.fasta", "--min-compared", str(least), "--clusters", "9").splitlines()
        assert found == [f"{name}\t{number}" for name, number in zip(names, clusters_by_walking(near, 9))], f"clusters at {least}"
    for measure, limits in ("differences", range(0, 16, 2)), ("p-distance", [0.1, 0.2, 0.25, 0.3, 0.35, 1]):
        near = [[math.nan if n == 0 else d if measure == "differences" else d / n for d, n in zip(*both)] for both in zip(square, compared)]
        sizes = set()
        for most in limits:
            found = run("a.fasta", "--measure", measure, "--clusters", str(most), "--memory", "1M").splitlines()
            expected = clusters_by_walking(near, most)
            sizes.add(max(expected))
            assert found == [f"{name}\t{number}" for name, number in zip(names, expected)], f"{measure}, clusters at {most}"
        assert len(sizes) > 3, f"{measure}: nothing was tried: {sizes}"


# --- Others' programs --------------------------------------------------------------------------------------------------

def oracle_plink():
    plink = shutil.which("plink1.9")
    if not plink:
        skip("plink1.9")

    def plinked(*words):
        done = subprocess.run([plink, "--allow-no-sex", "--out", "p", *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"plink1.9 {' '.join(words)}: {done.stdout} {done.stderr}")

    def square(path):
        with open(path) as file:
            return [[float(cell) for cell in line.split()] for line in file]

    for seed, instances, sites, missing in (1, 37, 500, 0.05), (2, 64, 301, 0.3), (3, 50, 200, 0):
        rng = random.Random(seed)
        write_bed("g", random_values(rng, instances, sites, [0, 1, 2], missing), range(0, sites, 7) if seed == 2 else ())
        # Six digits are what PLINK writes.
        plinked("--bfile", "g", "--distance", "square", "allele-ct", "flat-missing")
        same("alleles", table(run("g.bed", "--measure", "alleles", "--rescale", "--digits", "12")), square("p.dist"), 6e-6)
        plinked("--bfile", "g", "--distance", "square", "ibs", "flat-missing")
        same("ibs", table(run("g.bed", "--measure", "ibs", "--digits", "12")), square("p.mibs"), 6e-6)
        if missing == 0:
            plinked("--bfile", "g", "--distance", "square")
            same("alleles", table(run("g.bed", "--measure", "alleles")), square("p.dist"), 0)
        plinked("--bfile", "g", "--recode", "vcf-iid")
        for measure in "alleles", "differences", "ibs":
            same("VCF and .bed", table(run("p.vcf", "--measure", measure)), table(run("g.bed", "--measure", measure)), 0)


def oracle_numpy():
    try:
        import numpy
    except ImportError:
        skip("NumPy")
    rng = random.Random(1)
    rows = random_values(rng, 29, 70, "ACGT", 0.2)
    rows[4] = [MISSING] * 70
    write_fasta("a.fasta", rows, rng)
    for options, kind in ([], numpy.int32), (["--rescale", "--digits", "17"], numpy.float64):
        run("a.fasta", *options, "-o", "a.npy")
        read = numpy.load("a.npy", allow_pickle=False)
        assert read.dtype == kind and read.shape == (29, 29), f"{read.dtype} {read.shape}"
        expected = numpy.array(table(run("a.fasta", *options)))
        assert numpy.array_equal(read, expected, equal_nan=kind is numpy.float64), f"{options}: values differ"
        assert numpy.array_equal(numpy.load("a.npy", mmap_mode="r"), read, equal_nan=kind is numpy.float64)
    assert numpy.isnan(read[4]).all() and not numpy.isnan(read[5, 6])


def oracle_snp_dists():
    other = shutil.which("snp-dists")
    if not other:
        skip("snp-dists")
    for seed, missing in (1, 0), (2, 0.1):
        rng = random.Random(seed)
        write_fasta("a.fasta", random_values(rng, 41, 300, "ACGT", missing), rng)
        expected = subprocess.run([other, "-q", "-b", "a.fasta"], capture_output=True, text=True, check=True).stdout
        assert run("a.fasta", "-b") == expected, f"seed {seed}: differs from snp-dists"


def oracle_snp_sites():
    other = shutil.which("snp-sites")
    if not other:
        skip("snp-sites")
    for seed, missing in (1, 0), (2, 0.1):
        rng = random.Random(seed)
        rows = random_values(rng, 31, 200, "ACGT", missing)
        with open("a.fasta", "w") as file:
            file.writelines(f">s{i}\n{''.join(rng.choice('N-') if v is MISSING else v for v in row)}\n" for i, row in enumerate(rows))
        subprocess.run([other, "-v", "-o", "a.vcf", "a.fasta"], check=True)
        assert run("a.vcf") == run("a.fasta"), f"seed {seed}: snp-sites' VCF differs from the alignment"


def oracle_bcftools():
    other = shutil.which("bcftools")
    if not other:
        skip("bcftools")
    for seed, missing in (1, 0), (2, 0.1):
        rng = random.Random(seed)
        write_alleles("m.vcf", random_values(rng, 31, 200, [(a, b) for a in range(4) for b in range(4)], missing), rng, "CAGT")
        subprocess.run([other, "norm", "-m-", "-o", "s.vcf", "m.vcf"], check=True, capture_output=True)
        for measure in "differences", "alleles", "ibs":
            assert run("m.vcf", "--measure", measure) == run("s.vcf", "--measure", measure), f"seed {seed}, {measure}: differs"


def oracle_ape():
    if not shutil.which("Rscript"):
        skip("R")
    models = {"p-distance": "raw", "jc69": "JC69", "k80": "K80", "tn93": "TN93", "logdet": "logdet"}
    lines = ["library(ape); data(woodmouse); write.dna(woodmouse, '3.fasta', format = 'fasta', colsep = '')"]
    for seed, missing in (1, 0), (2, 0.1):
        rng = random.Random(seed)
        rows = random_values(rng, 37, 400, "AAACCGGGGT", missing)
        if missing:
            rows[5] = [MISSING] * 400
            rows[6] = ["ACGT"["TGCA".index(v)] if v else v for v in rows[7]] # too far for any model
        write_fasta(f"{seed}.fasta", rows, rng, "N-RY")
    for seed in 1, 2, 3: # the third is real: cytochrome b of 15 wood mice
        lines.append(f"x <- read.dna('{seed}.fasta', format = 'fasta')")
        for model in models.values():
            lines.append(f"write.table(dist.dna(x, '{model}', pairwise.deletion = TRUE, as.matrix = TRUE), '{seed}.{model}', sep = '\\t',"
                         " quote = FALSE, col.names = NA)")
    done = subprocess.run(["Rscript", "-e", "; ".join(lines)], capture_output=True, text=True)
    if "no package called" in done.stderr:
        skip("R's package ape")
    if done.returncode != 0:
        sys.exit(f"ape: {done.stderr}")
    for seed in 1, 2, 3:
        for measure, model in models.items():
            with open(f"{seed}.{model}") as file:
                expected = table(file.read().replace("NA", "nan").replace("Inf", "inf"))
            for i, row in enumerate(expected): # which ape says is 0
                if seed == 2 and i == 5:
                    row[i] = math.nan
            for options in [], ["--device", "sim"] if seed == 2 else ["--memory", "100K"]:
                same(f"seed {seed}, {measure} {options}", table(run(f"{seed}.fasta", "--measure", measure, "--digits", "15", *options)), expected, 1e-9)


def peak_megabytes(*words):
    child = subprocess.Popen([PROGRAM, "distances", *words, "--device", "cpu", "--threads", "2", "--quiet"])
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = code
    if code != 0:
        sys.exit(f"distances {' '.join(words)}: status {code}")
    return usage.ru_maxrss / 1024


def oracle_memory():
    # Not read here: a child's peak is at least what its parent had when it began.
    if subprocess.run(["grep", "-q", "__asan_init", PROGRAM]).returncode == 0:
        print("skipped: sanitizers take memory of their own")
        sys.exit(0)
    least, others = None, 18  # others: blocks that are rounded up, threads' stacks
    for instances in 10, 6000:
        rng = random.Random(1)
        with open("a.fasta", "w") as file:
            file.writelines(f">s{i}\n{''.join(rng.choices('ACGTN', k=50))}\n" for i in range(instances))
        for memory, options in (10, ["-o", "a.tsv"]), (20, ["-o", "a.tsv", "--layout", "list"]), (20, ["-o", "a.npy", "--rescale"]):
            peak = peak_megabytes("a.fasta", "--memory", f"{memory}M", *options)
            least = least or peak
            allowed = least + 1.05 * memory + others
            assert peak <= allowed, f"{instances} instances, --memory {memory}M {options}: {peak:.1f} MB, expected {allowed:.1f} at most"
    with open("a.fasta", "w") as file: # 0.8 GB of distances
        file.writelines(f">s{i}\n{''.join(rng.choices('ACGTN', k=50))}\n" for i in range(20000))
    for options in ["--layout", "list", "--max-distance", "12"], ["--clusters", "12"]:
        peak = peak_megabytes("a.fasta", "-o", "a.tsv", *options)
        assert peak <= 200, f"20,000 instances, {options}: {peak:.1f} MB, expected 200 at most"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    {"counted": oracle_counted, "layouts": oracle_layouts, "plink": oracle_plink, "numpy": oracle_numpy, "snp_dists": oracle_snp_dists,
     "snp_sites": oracle_snp_sites, "bcftools": oracle_bcftools, "ape": oracle_ape,
     "memory": oracle_memory}[ORACLE]()
    os.chdir("/")
