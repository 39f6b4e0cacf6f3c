#!/usr/bin/env python3
"""optimize_session.py BUILD OUT: maximum likelihood on a fixed tree, `warpladder likelihood --optimize all` beside IQ-TREE (2.0.7,
-te TREE -m MODEL -me 0.0001), PhyML (3.3, -o lr) and RAxML (8.2.12, -f e -e 0.0001, for GTR+G4), on real alignments that Debian's packages carry: iqtree,
mrbayes, phyml, beast-mcmc-examples, beast2-mcmc-examples. Trees are IQ-TREE's quick ones (-fast), the same for all programs. Each runs
on one thread. IQ-TREE then evaluates our tree and model with everything fixed ("read back"). OUT/optimize_1core.tsv is
results/optimize_1core.tsv. A benchmark and a comparison: it ends with 1 where a maximum is lower by more than 0.01 than one of the others."""

import gzip
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import dendropy

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / "warpladder"
OUT = pathlib.Path(sys.argv[2])
DOC = pathlib.Path("/usr/share/doc")
MRBAYES, BEAST, BEAST2, PHYML = (DOC / "mrbayes/examples", DOC / "beast-mcmc/examples/Data", DOC / "beast2-mcmc/examples/nexus",
                                 DOC / "phyml/examples")
SETS = [  # name, file, kind, model of ours, and IQ-TREE's where it is spelt otherwise
    ("iqtree_example", DOC / "iqtree/examples/example.phy", "dna", "GTR+G4", None),
    ("iqtree_example", DOC / "iqtree/examples/example.phy", "dna", "GTR+I+G4", None),
    ("iqtree_example", DOC / "iqtree/examples/example.phy", "dna", "TN93+FO+G4", None),
    ("phyml_nucleic", PHYML / "nucleic", "dna", "GTR+G4", None),
    ("phyml_proteic", PHYML / "proteic", "protein", "LG+G4", None),
    ("mrbayes_primates", MRBAYES / "primates.nex", "dna", "GTR+G4", None),
    ("mrbayes_replicase", MRBAYES / "replicase.nex", "dna", "GTR+G4", None),
    ("mrbayes_replicase", MRBAYES / "replicase.nex", "dna", "HKY+I", None),
    ("mrbayes_avian", MRBAYES / "avian_ovomucoids.nex", "protein", "WAG+G4", None),
    ("beast_dengue4", BEAST / "Dengue4.env.nex.gz", "dna", "GTR+G4", None),
    ("beast_dengue4", BEAST / "Dengue4.env.nex.gz", "codon", "GY94+F3X4", "GY+F3X4"),
    ("beast_apes", BEAST / "apes.nex.gz", "dna", "HKY+G4", None),
    ("beast_yfv", BEAST / "YFV.nex.gz", "dna", "GTR+G4", None),
    ("beast_shankarappa", BEAST / "Shankarappa.Patient9.nex.gz", "dna", "HKY+R3", None),
    ("beast2_rsv2", BEAST2 / "RSV2.nex.gz", "dna", "GTR+G4", None),
    ("beast2_primates", BEAST2 / "primate-mtDNA-interleaved.nex.gz", "dna", "SYM+R4", None),
    ("beast2_gopher", BEAST2 / "gopher.nex.gz", "dna", "K80+G4", None),
]


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(words, folder):
    """What it did, and the seconds of processor time that it took, which other work on the machine changes little."""
    begun = used()
    done = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done, used() - begun


def read_rows(path, kind):
    """Names are t1, t2, .., so that every program reads them."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="latin-1") as stream:
        text = stream.read()
    if text.lstrip()[:6].upper() == "#NEXUS":
        said = re.search(r"(?i)datatype\s*=\s*(\w+)", text).group(1).lower()
        matrix = {"protein": dendropy.ProteinCharacterMatrix, "rna": dendropy.RnaCharacterMatrix,
                  "dna": dendropy.DnaCharacterMatrix}.get(said, dendropy.NucleotideCharacterMatrix)
        data = matrix.get(data=text, schema="nexus")
        return [data[taxon].symbols_as_string() for taxon in data.taxon_namespace if taxon in data]
    words = text.split("\n")
    rows, columns = (int(word) for word in words[0].split()[:2])
    lines = [line for line in words[1:] if line.strip()]
    found = ["".join(line.split()[1:]) if len(line.split()) > 1 else "" for line in lines[:rows]]
    for i, line in enumerate(lines[rows:]):
        found[i % rows] += "".join(line.split())
    assert all(len(row) == columns for row in found), path
    return found


def write_data(name, path, kind, folder):
    rows = read_rows(path, kind)
    if kind == "codon":
        rows = [row[: len(row) // 3 * 3] for row in rows]
    target = folder / f"{name}_{kind}.phy"
    target.write_text(f"{len(rows)} {len(rows[0])}\n" + "".join(f"t{i + 1} {row}\n" for i, row in enumerate(rows)), encoding="ascii")
    return target, len(rows), len(rows[0])


def iqtree(folder, data, kind, *words):
    codon = ["-st", "CODON"] if kind == "codon" else []
    done, seconds = run(["iqtree2", "-s", data, *codon, "-nt", "1", "-redo", "-quiet", "-pre", "iq", "-keep-ident", *words], folder)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    report = (folder / "iq.iqtree").read_text()
    return float(re.search(r"Log-likelihood of the tree: (\S+)", report).group(1)), seconds


def raxml(folder, data):
    for old in folder.glob("RAxML_*.rx"):
        old.unlink()
    done, seconds = run(["raxmlHPC", "-f", "e", "-t", "start.treefile", "-s", data, "-m", "GTRGAMMA", "-e", "0.0001", "-n", "rx"], folder)
    info = (folder / "RAxML_info.rx").read_text()
    found = re.findall(r"(?:Final GAMMA  likelihood|GAMMA  Likelihood)\s*:?\s*(-\S+)", info, re.IGNORECASE)
    assert done.returncode == 0 and found, done.stdout[-2000:] + info[-500:]
    return float(found[-1]), seconds


def phyml(folder, data, kind, model):
    name, _, gamma = model.partition("+")
    if kind == "codon" or gamma != "G4" or name not in ("GTR", "HKY", "K80", "LG", "WAG"):
        return None, None
    for old in folder.glob("*_phyml_*"):
        old.unlink()
    words = ["/usr/lib/phyml/bin/phyml", "-i", data, "-d", "aa" if kind == "protein" else "nt", "-m", {"HKY": "HKY85"}.get(name, name), "-c", "4", "-a", "e",
             "-u", "start.treefile", "-o", "lr", "-b", "0", "--quiet", "--no_memory_check", "-f", "m" if kind == "protein" else "e",
             *(["-t", "e"] if name in ("HKY", "K80") else [])]
    done, seconds = run(words, folder)
    found = [re.search(r"Log-likelihood:\s+(-\S+)", path.read_text()) for path in folder.glob("*_phyml_stats*")]
    assert done.returncode == 0 and found, done.stdout[-2000:] + done.stderr[-2000:]
    return float(found[0].group(1)), seconds


def compare(row, folder):
    name, path, kind, model, theirs = row
    data, taxa, columns = write_data(name, path, kind, folder)
    if not (folder / f"{data.stem}.treefile").exists():
        quick = ["-m", {"dna": "HKY+G4", "protein": "LG+G4", "codon": "HKY+G4"}[kind], "-fast"]
        iqtree(folder, data, "dna" if kind == "codon" else kind, *quick)
        (folder / f"{data.stem}.treefile").write_text((folder / "iq.treefile").read_text())
    (folder / "start.treefile").write_text((folder / f"{data.stem}.treefile").read_text())
    words = [PROGRAM, "likelihood", "--device", "cpu", "--threads", 1, "--tree", "start.treefile", "--alignment", data, "--model", model]
    done, seconds = run([*words, "--optimize", "all", "--json", "--quiet", "--best-tree", "best.nwk", "--best-model", "best.nex"], folder)
    assert done.returncode == 0, done.stderr
    ours = json.loads(done.stdout)
    other, other_seconds = iqtree(folder, data, kind, "-te", "start.treefile", "-m", theirs or model, "-me", "0.0001")
    line = ours["partitions"][0]["model"]
    back = None  # of codon models IQ-TREE 2.0.7 reads no numbers: "Unexpected end of string"
    if kind != "codon":
        back, _ = iqtree(folder, data, kind, "-te", "best.nwk", "-m", line, "-blfix")
    third = raxml(folder, data) if model == "GTR+G4" else (None, None)
    fourth = phyml(folder, data, kind, model)
    return {"data": name, "package": path.relative_to(DOC).parts[0], "taxa": taxa, "columns": columns, "model": model,
            "ours": ours["log_likelihood"], "iqtree": other, "phyml": fourth[0], "raxml": third[0], "read_back": back, "seconds": seconds,
            "iqtree_seconds": other_seconds, "phyml_seconds": fourth[1], "raxml_seconds": third[1], "rounds": ours["rounds"]}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    chosen = [row for row in SETS if len(sys.argv) < 4 or row[0] in sys.argv[3:]]
    lower = 0
    with tempfile.TemporaryDirectory() as work, open(OUT / "optimize_1core.tsv", "w", encoding="utf-8") as stream:
        machine = subprocess.run([PROGRAM, "machine"], capture_output=True, text=True, check=True).stdout
        print("# what: maximum likelihood on a fixed tree, one thread each, seconds of processor time; experiments/cpu/optimize_session.py", file=stream)
        print("# difference: ours less the higher of the others; read_back: IQ-TREE's value of our tree and model", file=stream)
        print(re.sub(r"(?m)^([a-z_0-9]+) +", r"# \1: ", machine), end="", file=stream)
        keys = None
        for row in chosen:
            found = compare(row, pathlib.Path(work))
            if keys is None:
                keys = [*found, "difference"]
                print("\t".join(keys), file=stream)
            found["difference"] = found["ours"] - max(value for value in (found["iqtree"], found["phyml"], found["raxml"]) if value is not None)
            lower += found["difference"] < -0.01 or (found["read_back"] is not None and abs(found["read_back"] - found["ours"]) > 0.001)
            shown = {float: "{:.4f}", int: "{}", str: "{}", type(None): "NA"}
            text = "\t".join(shown[type(found[key])].format(found[key]) for key in keys)
            print(text, file=stream, flush=True)
            print(text, flush=True)
    return lower > 0


if __name__ == "__main__":
    sys.exit(main())
