"""What `likelihood --optimize` writes, it reads back to the same value: round_trip.py WARPLADDER.

A property over models, partitions, their lengths and both formats of --best-model. It stands for whatever a file may lose on its way:
factors of lengths, a genetic code, medians, the folder of a model's file, columns that were dropped."""

import pathlib
import random
import re
import shutil

from programs import FOLDER, PROGRAM, run

DATA = pathlib.Path(__file__).resolve().parent / "iqtree"
TREE = DATA / "tree.nwk"
NUCLEOTIDES = ["JC", "K80", "HKY", "HKY+FQ+I", "F81+F{0.3,0.2,0.25,0.25}", "TN93+I{0.2}", "K3Pu+G4{0.7}", "TIM2+FO", "TVMe+R2", "SYM+G4",
               "GTR+F+I+G4", "GTR+R3", "TPM3uf", "GTR{1,3,1,1,4,1}+G4a", "HKY+IU{0.1}+G3m"]
AMINO_ACIDS = ["LG", "LG+F", "WAG+G4", "LG4M", "LG4X", "POISSON", "JTT-DCMut+I", "models/mine.dat+G4", "LGF+R2", "cpREV+FQ"]
CODONS = ["GY94+FQ+G4", "GY94+F1X4+G4", "MG94+FQ", "GY94+FQ", "MG94+F1X4+I"]  # F3X4 is refused of few codons


def value(*words):
    done = run(PROGRAM, "likelihood", "--quiet", "--device", "cpu", *words)
    assert done.returncode == 0, f"{words}: {done.returncode}, {done.stderr}"
    return float(done.stdout)


def there_and_back(data, ending, words, *again):
    """again: options that say something of the data."""
    best = value(*data, *words, *again, "--best-tree", "best.nwk", "--best-model", "best" + ending)
    data = [word if word != TREE else "best.nwk" for word in data]
    found = value(*data, "--partitions", "best" + ending, *again)
    assert abs(found - best) < 2e-7, (words, ending, best, found, (FOLDER / ("best" + ending)).read_text())
    return best


def pieces(chance, columns, width):
    """Two to four partitions that share out some of the columns, in runs and in steps; of codons whole ones."""
    count = chance.randrange(2, 5)
    ranges = [[] for _ in range(count)]
    for start in range(0, columns, 6 * width):
        end = min(start + 6 * width, columns)
        owner = chance.randrange(count + 1)
        if owner == count:
            continue
        if width == 1 and chance.random() < 0.4 and count > 1:
            ranges[owner].append(f"{start + 1}-{end}\\2")
            ranges[(owner + 1) % count].append(f"{start + 2}-{end}\\2")
        else:
            ranges[owner].append(f"{start + 1}-{end}")
    return [own for own in ranges if own]


def partitions():
    counted = {"LG+F", "LGF+R2"}  # of few columns: some amino acid is in none
    chance, count = random.Random(35), 0
    for number in range(30):
        file, models, width = (("nucleotides", NUCLEOTIDES, 1), ("nucleotides", NUCLEOTIDES, 1), ("amino", [model for model in AMINO_ACIDS if model not in counted], 1),
                               ("codons", CODONS, 3))[number % 4]
        rows = (DATA / f"{file}.fasta").read_text().split(">")[1]
        columns = len("".join(rows.split("\n")[1:]))
        own = pieces(chance, min(columns, 240), width)
        drawn = [chance.choice(models) for _ in own]
        lines = [f"{model}, p{i} = {', '.join(ranges)}" for i, (model, ranges) in enumerate(zip(drawn, own))]
        (FOLDER / "parts.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
        what = "model" if file == "nucleotides" and number % 3 == 0 else "all" if file == "nucleotides" else "branches"
        lengths = ["--lengths", "proportional"] if chance.random() < 0.7 else []
        for ending in (".txt", ".nex"):
            there_and_back(["--tree", TREE, "--alignment", DATA / f"{file}.fasta"], ending,
                           ["--partitions", "parts.txt", "--optimize", what, *lengths])
            count += 1
    print(f"{count} sets of partitions")


def single():
    """One model, with what --model's other options say of it."""
    count = 0
    cases = [("nucleotides", ["--model", model]) for model in NUCLEOTIDES]
    cases += [("nucleotides", ["--model", "GTR+G5", "--median"]), ("amino", ["--model", "LG4M", "--median"]),
              ("nucleotides", ["--model", "HKY+G4{0.3}", "--median", "--kappa", "3.3"]),
              ("amino", ["--model", "models/mine.dat+F+G4"]), ("amino", ["--model", "LG4X"]),
              ("codons", ["--model", "GY94", "--code", "5"]), ("codons", ["--model", "MG94+G2", "--code", "11"]),
              ("codons", ["--model", "GY94+FQ", "--code", "4"]),
              ("nucleotides", ["--model", "GTR+FO+ASC+G4", "--drop-constant"])]
    for file, words in cases:
        data = ["--tree", TREE, "--alignment", DATA / f"{file}.fasta"]
        for ending in (".txt", ".nex"):
            there_and_back(data, ending, [*words, "--optimize", "branches" if file != "nucleotides" else "all"])
            count += 1
            if file == "nucleotides" and "--drop-constant" not in words:
                there_and_back(data, ending, [*words, "--optimize", "all"], "--constant-sites", "40,30,20,50")
                count += 1
    print(f"{count} models")


def raxml_ng():
    """A line of a .bestModel file with a factor is what the same lengths, multiplied, are without it."""
    data = ["--alignment", DATA / "nucleotides.fasta"]
    model = "GTR{3/4/1/1.7/5/1}+FU{0.3/0.35/0.1/0.25}+G4m{0.67}"
    tree = TREE.read_text()
    longer = "".join(part if i % 2 == 0 else f":{1.765 * float(part)!r}" for i, part in enumerate(split_lengths(tree)))
    (FOLDER / "longer.nwk").write_text(longer, encoding="ascii")
    (FOLDER / "bu.txt").write_text(f"{model}+BU{{1.765}}, p1 = 1-90\n", encoding="ascii")
    expected = value(*data, "--tree", "longer.nwk", "--model", model)
    assert abs(value(*data, "--tree", TREE, "--partitions", "bu.txt") - expected) < 1e-8
    assert abs(value(*data, "--tree", TREE, "--partitions", "bu.txt", "--lengths", "equal") - value(*data, "--tree", TREE, "--model", model)) < 1e-8
    said = run(PROGRAM, "likelihood", *data, "--tree", TREE, "--partitions", "bu.txt", "--lengths", "equal", "--device", "cpu").stderr
    assert "note: bu.txt: its factors of lengths are not used" in said, said
    for bad in ("+BU{}", "+BU{0}", "+BU{-1}", "+BU{x}", "+BU{1", "+BU{inf}"):
        (FOLDER / "bu.txt").write_text(f"{model}{bad}, p1 = 1-90\n", encoding="ascii")
        done = run(PROGRAM, "likelihood", *data, "--tree", TREE, "--partitions", "bu.txt")
        assert done.returncode == 3 and "bu.txt:1: " in done.stderr, (bad, done.stderr)


def split_lengths(text):
    """Texts and lengths by turns."""
    return re.split(r":([0-9.e+-]+)", text)


(FOLDER / "models").mkdir()
shutil.copy(pathlib.Path(__file__).resolve().parents[3] / "peeling/model/data/WAG.dat", FOLDER / "models/mine.dat")
raxml_ng()
single()
partitions()
