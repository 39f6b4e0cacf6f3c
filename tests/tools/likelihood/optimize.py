"""`likelihood --optimize` and `--partitions`: against maxima that IQ-TREE and PhyML found (iqtree/optimized.tsv), against IQ-TREE itself where
it is installed, and against what can be worked out by hand: optimize.py WARPLADDER."""

import json
import math
import pathlib
import re
import shutil

from programs import FOLDER, PROGRAM, run

DATA = pathlib.Path(__file__).resolve().parent / "iqtree"
IQTREE = shutil.which("iqtree2")
WORDS = ["likelihood", "--quiet", "--device", "cpu"]


def ours(*words, code=0):
    done = run(PROGRAM, *WORDS, *words)
    assert done.returncode == code, f"{words}: {done.returncode}, {done.stderr}"
    return done.stdout if code == 0 else done.stderr


def write(name, text):
    (FOLDER / name).write_text(text, encoding="ascii")
    return name


def stored_maxima():
    """Ours is as high, to 0.01; what is written gives the same number again; and a branch longer or shorter gives a lower one."""
    count = 0
    for line in (DATA / "optimized.tsv").read_text().splitlines():
        if line.startswith("#") or not (DATA / line.split("\t")[0]).exists():
            continue
        file, tree, model, theirs = line.split("\t")
        data = ["--alignment", DATA / file]
        best = float(ours(*data, "--tree", DATA / tree, "--model", model, "--optimize", "all", "--best-tree", "best.nwk", "--best-model",
                          "best.model"))
        print(f"{file} {model}: {best:.6f}, {theirs}")
        assert -0.003 < best - float(theirs) < 0.01, (file, model)
        found, name = (FOLDER / "best.model").read_text().split(", ")
        assert name.startswith("all = 1-")
        again = float(ours(*data, "--tree", "best.nwk", "--model", found))
        assert abs(again - best) < 1e-5, (file, model, again, best)
        newick = (FOLDER / "best.nwk").read_text()
        for k, match in enumerate(re.finditer(r":([0-9.e+-]+)", newick)):
            length = float(match.group(1))
            for other in (length * 1.02, length * 0.98):
                if k % 6 or length < 1e-6:
                    continue
                moved = write("moved.nwk", newick[: match.start(1)] + repr(other) + newick[match.end(1) :])
                assert float(ours(*data, "--tree", moved, "--model", found)) < best + 1e-6, (file, model, k)
        count += 1
    assert count >= 13


def by_hand():
    """Two sequences that differ at a share p of the columns: the distance of Jukes & Cantor 1969; and that share of a model of 20 states."""
    for letters, model, states, differing in (("ACGT", "JC", 4, 13), ("ARNDCQEGHILKMFPSTWYV", "POISSON", 20, 31)):
        one = [letters[i % len(letters)] for i in range(100)]
        other = [letters[(i + (i < differing)) % len(letters)] for i in range(100)]
        write("pair.fasta", f">a\n{''.join(one)}\n>b\n{''.join(other)}\n")
        ours("--alignment", "pair.fasta", "--tree", write("pair.nwk", "(a,b);"), "--model", model, "--optimize", "branches", "--best-tree",
             "best.nwk")
        found = sum(float(x) for x in re.findall(r":([0-9.e+-]+)", (FOLDER / "best.nwk").read_text()))
        share = (states - 1) / states
        expected = -share * math.log(1 - differing / 100 / share)
        assert abs(found - expected) < 1e-5, (model, found, expected)


def what_is_kept():
    """Given numbers are; nodes with several branches too, and lengths with --optimize model."""
    data = ["--alignment", DATA / "nucleotides.fasta"]
    write("many.nwk", "(a:0.1,(b,c:0.2,d:0.1,e:0)'x y':0.3,f:1);")
    best = ours(*data, "--tree", "many.nwk", "--model", "HKY+I+G4{0.7}", "--kappa", "3", "--optimize", "all", "--best-tree", "best.nwk",
                "--best-model", "best.nex")
    shape = re.sub(r":[0-9.e+-]+", "", (FOLDER / "best.nwk").read_text())
    assert shape == "(a,(b,c,d,e),f);\n", shape
    text = (FOLDER / "best.nex").read_text()
    assert "HKY{3.00000000000}" in text and "+G4{0.700000000000}: all" in text, text
    assert abs(float(ours(*data, "--tree", "best.nwk", "--partitions", "best.nex")) - float(best)) < 1e-5
    ours(*data, "--tree", DATA / "tree.nwk", "--model", "K80", "--optimize", "model", "--best-tree", "best.nwk")
    assert sorted(re.findall(r":([0-9.]+)", (FOLDER / "best.nwk").read_text())) == sorted(
        repr(float(x)) if len(repr(float(x))) > 17 else f"{float(x):.17g}" for x in re.findall(r":([0-9.]+)", (DATA / "tree.nwk").read_text()))


def partitions():
    """The sum of its parts; both kinds of files; and IQ-TREE's maximum, with equal and proportional lengths."""
    rows = (DATA / "nucleotides.fasta").read_text().split(">")[1:]
    names = [row.split("\n")[0] for row in rows]
    letters = ["".join(row.split("\n")[1:]) for row in rows]
    data, tree = ["--alignment", DATA / "nucleotides.fasta"], ["--tree", DATA / "tree.nwk"]
    columns = {"one": [*range(0, 40, 2), *range(60, 90)], "two": [44, *range(1, 40, 2)]}
    models = {"one": "GTR{1,3,1,1,4,1}+F{0.3,0.2,0.3,0.2}+G4{0.6}", "two": "K80{2.5}+I{0.1}"}
    write("parts.txt", f"# a comment\n{models['one']}, one = 1-40\\2, 61-90\n\n{models['two']}, two = 45 2 - 40 / 2\n")
    write("parts.nex", f"#NEXUS\n[x [y] z] BEGIN Sets;\ncharset late = 61 - .;\nCharSet one = 1-40\\2 late;\ncharset two=45 2-40\\2;\n"
          f"charpartition p = {models['one']}:one,\n {models['two']} : two;\nEND;\n")
    total = 0
    for name, of in columns.items():
        write("part.fasta", "".join(f">{n}\n{''.join(row[c] for c in of)}\n" for n, row in zip(names, letters)))
        total += float(ours("--alignment", "part.fasta", *tree, "--model", models[name]))
    sites = ["--site-likelihoods", "sites.tsv"]
    for file in ("parts.txt", "parts.nex"):
        found = json.loads(ours(*data, *tree, "--partitions", file, "--json", *sites))
        assert abs(found["log_likelihood"] - total) < 1e-7, (file, found, total)
        assert [part["name"] for part in found["partitions"]] == ["one", "two"]
        lines = [line.split("\t") for line in (FOLDER / "sites.tsv").read_text().splitlines()[1:]]
        assert [int(line[0]) - 1 for line in lines] == columns["one"] + columns["two"]
        assert abs(sum(float(line[1]) for line in lines) - total) < 1e-7
    # "again.nex" is without the charset that is no partition, and without '.'
    kept = float(ours(*data, *tree, "--partitions", write("named.nex", (FOLDER / "parts.nex").read_text().replace("+G4{0.6}", "+G4")),
                      "--optimize", "model", "--best-model", "again.nex"))
    text = (FOLDER / "again.nex").read_text()
    assert "charset one = 1-39\\2 61-90;" in text and "charset two = 45 2-40\\2;" in text, text
    assert abs(float(ours(*data, *tree, "--partitions", "again.nex")) - kept) < 1e-5
    write("parts.nex", "#NEXUS\nbegin sets;\ncharset one = 1-40\\2 61-90;\ncharset two=2-40\\2 45;\ncharpartition p = SYM+G4:one, K80:two;\nend;\n")
    for lengths, option in (("equal", "-q"), ("proportional", "-spp")):
        best = json.loads(ours(*data, *tree, "--partitions", "parts.nex", "--optimize", "all", "--lengths", lengths, "--json", "--best-tree",
                               "best.nwk", "--best-model", "best.nex"))
        again = float(ours(*data, "--tree", "best.nwk", "--partitions", "best.nex", "--lengths", lengths))
        assert abs(again - best["log_likelihood"]) < 1e-5, (lengths, again, best)
        if IQTREE is None:
            continue
        for words, least, most in ((["-te", DATA / "tree.nwk", option, "parts.nex", "-me", "0.0001"], -0.01, math.inf),
                                   (["-te", "best.nwk", option, "best.nex", "-blfix"], -0.001, 0.001)):
            run(IQTREE, "-s", DATA / "nucleotides.fasta", *words, "-nt", "1", "-redo", "-quiet", "-pre", "iq")
            theirs = float(re.search(r"Log-likelihood of the tree: (\S+)", (FOLDER / "iq.iqtree").read_text()).group(1))
            print(f"partitions, {lengths}: {best['log_likelihood']:.6f}, IQ-TREE {theirs}")
            assert least <= best["log_likelihood"] - theirs <= most, (lengths, words, theirs)
    if IQTREE is not None:
        print("IQ-TREE reads what is written")


def refusals():
    data, tree = ["--alignment", DATA / "nucleotides.fasta"], ["--tree", DATA / "tree.nwk"]
    for words, expected in (
        (["--model", "JC", "--best-tree", "x"], "found without --optimize"),
        (["--model", "JC", "--optimize", "model"], "no number to estimate"),
        (["--model", "JC", "--optimize", "al"], "--optimize"),
        (["--model", "HKY+FO"], "--optimize model"),
        (["--model", "JC", "--optimize", "all", "--chain", "5"], "found both"),
        (["--model", "JC", "--partitions", write("own.txt", "JC, a = 1-9\n")], "found both"),
        (["--model", "JC", "--lengths", "equal"], "found without --partitions"),
        (["--model", "HKY+FO", "--frequencies", "equal", "--optimize", "all"], "found it in both"),
        (["--model", "JC", "--optimize", "all", "--best-tree", "-"], "standard output has"),
        (["--partitions", write("kept.txt", "JC, a = 1-9\n"), "--site-likelihoods", "kept.txt"], "is a file that is read"),
    ):
        assert expected in ours(*data, *tree, *words, code=2), words
    for text, expected in (
        ("", "empty"),
        ("# nothing\n", "no partition"),
        ("JC, a\n", ":1: found 'JC, a'"),
        ("JC, a = \n", ":1: "),
        ("JC, a = ,\n", "found ','"),
        ("JC, a = 1-91\n", "1 to 91"),
        ("JC, a = 0-9\n", "0 to 9"),
        ("JC, a = 9-1\n", "9 to 1"),
        ("JC, a = 1-9\\0\n", "expected them from 1"),
        ("JC, a = 1-9\nJC, b = 9\n", ":2: partition b: found column 9, which a has"),
        ("JC, a = 1\nJC, a = 2\n", ":2: found 'a'; expected each name once"),
        ("JC, a b = 1\n", "a name without blanks"),
        (", a = 1\n", "a model before"),
        ("XX, a = 1\n", ":1: unknown model"),
        ("GY94, a = 1-4\n", "partition a"),
        ("JC+ASC, a = 1-90\n", "partition a"),
        ("JC, a = 1-9x\n", "columns as in"),
        ("HKY+FO, a = 1-9\n", ":1: +FO"),
        ("#NEXUS\nbegin sets;\ncharset a = 1-9;\nend;\n", "partition a: found no model"),
        ("#NEXUS\nbegin sets;\ncharset a = 1-9;\ncharpartition p = JC:b;\nend;\n", "the name of a charset"),
        ("#NEXUS\nbegin sets;\ncharset a = a;\ncharpartition p = JC:a;\nend;\n", "columns as in"),
        ("#NEXUS\nbegin sets;\ncharset a = x.phy:1-9;\ncharpartition p = JC:a;\nend;\n", "of this alignment"),
        ("#NEXUS\nbegin sets;\ncharset a = 1-9;\ncharpartition p = a;\nend;\n", "MODEL:name"),
    ):
        said = ours(*data, *tree, "--partitions", write("broken.txt", text), code=3)
        assert expected in said and said.count("\n") == 1, (text, said)


def impossible():
    """Tips that differ, without length between them: a maximum there is where lengths may be longer."""
    write("pair.fasta", ">a\nACGT\n>b\nACGA\n")
    write("pair.nwk", "(a:0,b:0);")
    words = ["--alignment", "pair.fasta", "--tree", "pair.nwk", "--model", "K80"]
    assert ours(*words, "--optimize", "model") == "-inf\n"
    assert float(ours(*words, "--optimize", "all")) > -12


def still_classes():
    """An alpha so small that classes of the model stand still: no branch can be better by itself."""
    words = ["--alignment", DATA / "amino.fasta", "--model", "LG4M+G4{0.005}"]
    best = float(ours(*words, "--tree", DATA / "tree.nwk", "--optimize", "branches", "--best-tree", "best.nwk"))
    newick = (FOLDER / "best.nwk").read_text()
    for match in re.finditer(r":([0-9.e+-]+)", newick):
        for other in (0.7, 1.4):
            moved = write("moved.nwk", newick[: match.start(1)] + repr(float(match.group(1)) * other) + newick[match.end(1) :])
            assert float(ours(*words, "--tree", moved)) < best + 1e-4, (match.group(1), other)


def on_a_device():
    """The simulated device finds the CPU's maximum, also with classes of rate 0 and columns that cannot be. What it leaves to the CPU gives the
    same bytes."""
    data = ["--alignment", DATA / "nucleotides.fasta", "--tree", DATA / "tree.nwk"]
    asc = ["--alignment", DATA / "variable.fasta", "--tree", DATA / "tree.nwk"]
    pair = ["--alignment", "pair.fasta", "--tree", "pair.nwk"]  # of impossible()
    parts = write("parts.txt", "K80, one = 1-40\nJC, two = 41-90\n")
    for exact, words in (
        (False, [*data, "--model", "GTR+G4", "--optimize", "branches"]),
        (False, [*data, "--model", "HKY+I+G4", "--optimize", "branches"]),
        (False, [*data, "--model", "K80+G4{0.005}", "--optimize", "branches"]),
        (False, [*data, "--model", "K80", "--optimize", "all"]),
        (False, [*pair, "--model", "K80", "--optimize", "all"]),
        (True, [*asc, "--model", "JC+ASC", "--optimize", "branches"]),
        (True, [*data, "--partitions", parts, "--optimize", "branches"]),
    ):
        here, there = (ours(*words, "--device", device, "--best-tree", f"{device}.nwk") for device in ("cpu", "sim"))
        print(words[4:], here.strip(), there.strip())
        assert abs(float(here) - float(there)) <= 1e-8 * abs(float(here)), (words, here, there)
        trees = [(FOLDER / f"{device}.nwk").read_text() for device in ("cpu", "sim")]
        lengths = [[float(x) for x in re.findall(r":([0-9.e+-]+)", tree)] for tree in trees]
        assert all(abs(x - y) < 1e-4 + 1e-3 * x for x, y in zip(*lengths)), (words, lengths)
        assert not exact or trees[0] == trees[1], words


stored_maxima()
impossible()
on_a_device()
still_classes()
by_hand()
what_is_kept()
partitions()
refusals()
