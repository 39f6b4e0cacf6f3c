"""Log-likelihoods against those of PAML's codeml, parameters given and nothing optimised, on PAML's example data: codeml.py WARPLADDER."""

import itertools
import pathlib
import random
import re
import sys

CODEML = pathlib.Path("/usr/lib/paml/bin/codeml")
EXAMPLES = pathlib.Path("/usr/lib/paml/data")
if not CODEML.exists() or not (EXAMPLES / "abglobin.nuc").exists():
    print("skipped: paml is not installed")
    sys.exit(0)

from programs import FOLDER, ours, random_tree, run, same

CODES = ["standard", "vertebrate-mitochondrial", "3", "4", "5", "6", "9", "10", "12", "13", "15"]  # by icode; NCBI's numbers
# What is no stop codon in them.
ADDED = {"3": ["TGA"], "4": ["TGA"], "5": ["TGA"], "6": ["TAA", "TAG"], "9": ["TGA"], "10": ["TGA"], "12": [], "13": ["TGA"], "15": ["TAG"]}
FREQUENCIES = "equal", "f1x4", "f3x4", "f61"  # its CodonFreq 0 to 3
CHANCE = random.Random(9)


def first_row_and_dots(lines, names):
    """Rows of an interleaved alignment in which a dot is "as in the first row"."""
    rows = dict.fromkeys(names, "")
    for number, line in enumerate(lines):
        rows[names[number % len(names)]] += line
    first = rows[names[0]]
    return {name: "".join(f if c == "." else c for f, c in zip(first, row)) for name, row in rows.items()}


def globins():
    """Alpha- and beta-globin of five mammals, 285 codons."""
    lines = [line.strip() for line in (EXAMPLES / "abglobin.nuc").read_text().split("\n")[1:]]
    names = [line for line in lines if re.fullmatch(r"[a-z-]+", line)]
    rows = first_row_and_dots([line.replace(" ", "") for line in lines if re.fullmatch(r"[ACGT. ]+", line)], names)
    assert len(rows) == 5 and set(map(len, rows.values())) == {855}
    return rows


def mitochondria():
    """Twelve genes of seven apes, 3,331 codons; the file has first, second and third positions one after the other."""
    positions = [{}, {}, {}]
    blocks = re.split(r"^ +7 +3331.*$", (EXAMPLES / "mtCDNApri123.txt").read_text(), flags=re.MULTILINE)[1:4]
    for position, block in zip(positions, blocks):
        position.update(re.findall(r"^(\w+) +([ACGT]+) *$", block, re.MULTILINE))
    rows = {name: "".join(map("".join, zip(*(position[name] for position in positions)))) for name in positions[0]}
    assert len(rows) == 7 and set(map(len, rows.values())) == {9993}
    return rows


def all_codons(added=()):
    """Random codons of the standard code and others, three columns of each at first: the frequencies that F61 counts are none of them 0."""
    sense = sorted({"".join(codon) for codon in itertools.product("ACGT", repeat=3)} - {"TAA", "TAG", "TGA"}) + list(added)
    columns = sense * 3
    return {f"s{row}": "".join(c if CHANCE.random() < 0.6 else CHANCE.choice(sense) for c in columns) for row in range(6)}


def with_holes(rows, hole):
    """One codon in ten gone, or a part of it."""
    return {name: "".join(hole(codon) if CHANCE.random() < 0.1 else codon for codon in re.findall("...", row))
            for name, row in rows.items()}


def theirs(rows, name, **settings):
    """What codeml prints, six digits behind the point. It has fixed branch lengths (fix_blength = 2), and keeps ambiguous codons."""
    (FOLDER / name).write_text(f"{len(rows)} {len(next(iter(rows.values())))}\n" +
                               "".join(f"{taxon}  {row}\n" for taxon, row in rows.items()))
    (FOLDER / "tree.nwk").write_text(random_tree(rows, seed=len(rows)))
    settings |= {"seqfile": name, "treefile": "tree.nwk", "outfile": "out", "fix_alpha": 1, "ncatG": 4 if settings["alpha"] else 1,
                 "fix_blength": 2, "cleandata": 0, "noisy": 0}
    (FOLDER / "codeml.ctl").write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
    (FOLDER / "out").unlink(missing_ok=True)
    done = run(CODEML, "codeml.ctl", timeout=60)
    found = re.search(r"lnL\(ntime: +0 +np: +0\): +(\S+)", (FOLDER / "out").read_text()) if (FOLDER / "out").exists() else None
    assert found, done.stdout + done.stderr
    return found.group(1)


def with_gamma(model, alpha):
    return (f"{model}+G4", "--alpha", alpha) if alpha else (model,)


def codons(rows, name, counted, code=0, kappa=2.7, omega=0.3):
    for frequencies, alpha in itertools.product(counted, (0, 0.6)):
        printed = theirs(rows, name, seqtype=1, CodonFreq=FREQUENCIES.index(frequencies), model=0, NSsites=0, icode=code, fix_kappa=1,
                         kappa=kappa, fix_omega=1, omega=omega, alpha=alpha)
        model, *words = with_gamma("GY94", alpha)
        words += ["--kappa", kappa, "--omega", omega, "--frequencies", frequencies, "--code", CODES[code]]
        same(f"{name}, {model}, {frequencies}", ours(name, "--model", model, *words), printed)


def muse_gaut(rows, name, kappa=2.7, omega=0.3):
    """MG94: codeml's CodonFreq 4 and 5, in which a change's rate has the frequency of the nucleotide, not of the codon."""
    for codon_freq, frequencies in (4, "f1x4"), (5, "f3x4"):
        for alpha in 0, 0.6:
            printed = theirs(rows, name, seqtype=1, CodonFreq=codon_freq, model=0, NSsites=0, icode=0, fix_kappa=1, kappa=kappa,
                             fix_omega=1, omega=omega, alpha=alpha)
            model, *words = with_gamma("MG94", alpha)
            words += ["--kappa", kappa, "--omega", omega, "--frequencies", frequencies]
            same(f"{name}, {model}, {frequencies}", ours(name, "--model", model, *words), printed)


def amino_acids():
    """Lysozymes of six mammals, 130 amino acids. WAG's own frequencies sum to 0.9999999, and codeml takes them so: 1e-7 a column."""
    lines = (EXAMPLES / "stewart.aa").read_text().split("\n")
    pairs = [re.match(r"(\w+) +([A-Z.-]+(?: [A-Z.-]+)*) *$", line) for line in lines]
    names, rows = zip(*(pair.groups() for pair in pairs if pair))
    rows = first_row_and_dots([row.replace(" ", "") for row in rows], names)
    assert len(rows) == 6 and set(map(len, rows.values())) == {130}
    for alpha in 0, 0.6:
        for name, model, *words in ("POISSON", 0), ("WAG", 3, "--frequencies", "observed"):
            printed = theirs(rows, "lysozymes", seqtype=2, model=model, aaRatefile=EXAMPLES / "dat/wag.dat", alpha=alpha)
            name, *shape = with_gamma(name, alpha)
            same(f"lysozymes, {name}", ours("lysozymes", "--model", name, *shape, *words), printed)


GLOBINS = globins()
codons(GLOBINS, "globins", FREQUENCIES[:3])
muse_gaut(GLOBINS, "globins")
codons(mitochondria(), "mitochondria", FREQUENCIES, code=1, kappa=9.5, omega=0.05)
codons(all_codons(), "all_codons", FREQUENCIES[3:], kappa=0.4, omega=1.7)
codons(with_holes(all_codons(), lambda codon: "---"), "gaps", FREQUENCIES[3:])
for number, added in ADDED.items():
    codons(all_codons(added), f"code_{number}", FREQUENCIES[2:3], code=CODES.index(number))
# Missing letters are counted by neither. An ambiguous letter, and in F61 a codon with a missing letter, codeml shares out by the
# frequencies of what is known, and we evenly: there only frequencies that are not counted can be the same.
codons(with_holes(GLOBINS, lambda codon: codon[:2] + "N"), "thirds", FREQUENCIES[:3])
codons(with_holes(GLOBINS, lambda codon: re.sub("[CT]", "Y", codon)), "pyrimidines", FREQUENCIES[:1])
amino_acids()
