#!/usr/bin/python3
"""compare.py path/to/warpladder: `align-reads` against oracle.py. Small data sets from `simulate-reads` are made messy
(ambiguity codes, lower case, U, '?', '.', gaps; trees with multifurcations, nodes of one child, a root of degree two or
more, anywhere), and for each read this must be the same: the best edge, its score, the runner-up and its score; and the
numbers in the numbered tree. The cost of the alignment in the written file must be the score."""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from oracle import AMINO, DNA, GAPS, PROTEIN, ancestors, cost, numbered, states

NAMES = ("mismatch", "insertion", "gap-open", "gap-extend", "cgap")


# --- Trees: a tip is its name, an inner node the list of its children ------------------------------------------------

def parse(text):
    """Of the trees that simulate-reads writes: names and lengths, nothing else."""
    stack = [[]]
    for token in re.findall(r"[(),]|[^(),:;\s]+|:[^(),;]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            stack[-2].append(stack.pop())
        elif token != "," and token[0] != ":":
            stack[-1].append(token)
    return stack[0][0]


def rearranged(tree, rng, root_degree):
    """The same tips, with another root, fewer inner edges, other orders, and some nodes of one child."""
    neighbours, tips, counter = {}, {}, itertools.count()

    def add(node, parent):
        me = next(counter)
        neighbours[me] = [] if parent is None else [parent]
        if parent is not None:
            neighbours[parent].append(me)
        if isinstance(node, str):
            tips[me] = node
        else:
            for child in node:
                add(child, me)

    def contract(x, y):  # y into x
        neighbours[x] = [n for n in neighbours[x] if n != y] + [n for n in neighbours[y] if n != x]
        for n in neighbours.pop(y):
            if n != x:
                neighbours[n] = [x if k == y else k for k in neighbours[n]]

    add(tree, None)
    for x in list(neighbours):  # nodes of degree two, and some edges
        for y in list(neighbours.get(x, ())):
            if x in tips or y in tips or x not in neighbours or y not in neighbours[x]:
                continue
            if len(neighbours[x]) == 2 or len(neighbours[y]) == 2 or rng.random() < 0.2:
                contract(x, y)

    def below(x, parent):
        if x in tips:
            result = tips[x]
        else:
            result = [below(n, x) for n in neighbours[x] if n != parent]
            rng.shuffle(result)
        return [result] if rng.random() < 0.05 else result

    inner = rng.choice([x for x in neighbours if x not in tips])
    if root_degree == 2:
        other = rng.choice(neighbours[inner])
        result = [below(inner, other), below(other, inner)]
    else:
        result = [below(n, inner) for n in neighbours[inner]]
    rng.shuffle(result)
    return [result] if root_degree == 1 else result


def written(node, rng):
    """Newick with comments, quoted names, lengths or none, names of inner nodes."""
    length = rng.choice(["", ":0.1", ":1e-3", " : 2 ", ":0[100]"])
    space = rng.choice(["", "", " ", "\n", "[a (comment)]"])
    if isinstance(node, str):
        return space + rng.choice([node, "'" + node + "'"]) + length
    inside = ",".join(written(child, rng) for child in node)
    return space + "(" + inside + ")" + rng.choice(["", "inner", "0.97", "''"]) + length


# --- Messy data ------------------------------------------------------------------------------------------------------

def messy_letter(letter, rng, protein):
    if rng.random() < 0.06:  # a code that has the letter's state among its own
        codes = PROTEIN if protein else DNA
        letter = rng.choice([c for c in codes if states(letter, protein) <= states(c, protein)])
    return letter.lower() if rng.random() < 0.2 else letter


def read_fasta(path):
    rows = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            if line[0] == ">":
                name = line[1:].split()[0]
                rows[name] = ""
            else:
                rows[name] += line.rstrip("\n")
    return rows


def read_phylip(path):
    with open(path, encoding="ascii") as file:
        count, columns = map(int, next(file).split())
        rows = dict(line.split() for line in file)
    assert len(rows) == count and all(len(row) == columns for row in rows.values()), path + ": its counts are wrong"
    return rows


def write_fasta(path, rows):
    with open(path, "w", encoding="ascii") as file:
        for name, letters in rows.items():
            file.write(f">{name}\n{letters}\n")


def make(case, rng):
    """tree, rows, reads of a case; what is written to tree.nwk, reference.fasta and reads.fasta here."""
    protein = case.get("protein", False)
    run("simulate-reads", "--taxa", case["taxa"], "--sites", case["sites"], "--reads", case["reads"], "--depth", "0.4",
        "--indels", "0.1", "--error", "0.05", "--indel-error", "0.05", "--length", case["length"], "--quiet",
        "--seed", case["seed"], "--out", ".", *(["--protein"] if protein else []))
    with open("tree.nwk", encoding="ascii") as file:
        tree = rearranged(parse(file.read()), rng, case["root"])
    rows, reads = read_fasta("reference.fasta"), read_fasta("reads.fasta")
    for name, row in rows.items():
        letters = ["-" if rng.random() < 0.04 else messy_letter(c, rng, protein) if c not in GAPS else c for c in row]
        for _ in range(2):  # gaps that relatives do not share, and ends that were not sequenced
            begin = rng.randrange(len(row))
            letters[begin:begin + 6] = "-" * len(letters[begin:begin + 6])
        rows[name] = "".join(rng.choice("--?.") if c == "-" else c for c in letters)
    names = list(rows)
    for column in rng.sample(range(case["sites"]), 2):  # of gaps only; '?' says that no insertion made it
        for name in names:
            rows[name] = rows[name][:column] + "-" + rows[name][column + 1:]
        rows[names[0]] = rows[names[0]][:column] + "?" + rows[names[0]][column + 1:]
    rows[names[1]] = rows[names[2]]
    rows[names[0]] = "?" * case["sites"] if case.get("empty_row") else rows[names[0]]
    rows[names[0]] = rows[names[0]].replace("-", ".", 1)  # so '.' is no letter of this row in the others
    for column in range(case["sites"]):  # no other column of gaps alone: written, those would be like added ones
        if all(rows[name][column] in "-." for name in names):
            rows[names[0]] = rows[names[0]][:column] + "?" + rows[names[0]][column + 1:]
    longest = rows[max(names, key=lambda name: sum(c not in GAPS for c in rows[name]))]
    any_letters = AMINO if protein else "ACGT"
    for name, read in reads.items():
        reads[name] = "".join(messy_letter(c, rng, protein) for c in read)
    reads["one"] = rng.choice(any_letters)
    reads["any"] = "nNa" if not protein else "xXa"  # nothing but N would be left out
    reads["all"] = "".join(c if c not in GAPS else rng.choice(any_letters) for c in longest)
    reads["most"] = reads["all"][:5] + reads["all"][6:]
    reads["shifted"] = reads["all"][3:] + "".join(rng.choice(any_letters) for _ in range(3))
    reads["strange"] = "".join(rng.choice(any_letters) for _ in range(case["sites"] // 2))
    with open("tree.nwk", "w", encoding="ascii") as file:
        file.write(written(tree, rng) + ";\n")
    write_fasta("reference.fasta", rows)
    gapped = {name + " a description": "-".join(re.findall(".{1,7}", read)) for name, read in reads.items()}
    write_fasta("reads.fasta", gapped)
    return tree, rows, reads


# --- The comparison --------------------------------------------------------------------------------------------------

def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}: exit code {done.returncode}: {done.stderr}"


def same(what, found, expected):
    assert found == expected, f"{what}: found {found}, expected {expected}"


def compare_jplace(table):
    """Against the published format (Matsen et al. 2012), the fields without which gappa's reader ends, the table and the numbered tree."""
    with open("out.jplace", encoding="utf-8") as file:
        found = json.load(file)
    with open("numbered.nwk", encoding="ascii") as file:
        same("jplace: tree", found["tree"] + "\n", file.read())
    same("jplace: version", found["version"], 3)
    assert {"tree", "placements", "metadata", "version", "fields"} == set(found), f"jplace: its keys are {list(found)}"
    assert {"edge_num", "likelihood", "like_weight_ratio", "distal_length", "pendant_length"} < set(found["fields"]), found["fields"]
    assert all(isinstance(value, str) for value in found["metadata"].values()), found["metadata"]
    length = {int(number): float(text or 0) for text, number in re.findall(r"(?::([0-9.e-]+))?\{(\d+)\}", found["tree"])}
    same("jplace: names", [p["n"] for p in found["placements"]], [[line[0]] for line in table])
    for placement, line in zip(found["placements"], table):
        same("jplace: placements of a read", len(placement["p"]), 1)
        fields = dict(zip(found["fields"], placement["p"][0], strict=True))
        same(f"jplace: {line[0]}", (str(fields["edge_num"]), str(fields["parsimony"])), (line[1], line[2]))
        same(f"jplace: {line[0]}: the edge's middle", fields["distal_length"], length[fields["edge_num"]] / 2)
        same(f"jplace: {line[0]}: weight", (fields["likelihood"], fields["like_weight_ratio"], fields["pendant_length"]), (0, 1, 0))


COMPLEMENT = str.maketrans("ACGTURYSWKMBDHVNacgturyswkmbdhvn", "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn")


def compare_strands(reads, vectors, penalties, files):
    """Every second read as its reverse complement: each strand's best edge by the oracle, and the better one of both."""
    reads = {name: read[::-1].translate(COMPLEMENT) if at % 2 else read for at, (name, read) in enumerate(reads.items())}
    write_fasta("reads.fasta", reads)
    best = {}
    for name, read in reads.items():
        for strand, letters in (("+", read), ("-", read[::-1].translate(COMPLEMENT))):
            codes = [states(letter, False) for letter in letters]
            best[name, strand] = min((cost(vector, codes, penalties), e) for e, vector in vectors.items())
    for way in ("plus", "minus", "both"):
        run("align-reads", *files, "-o", "out.fasta", "--strand", way, "--table", "table.tsv")
        written = read_fasta("out.fasta")
        with open("table.tsv", encoding="ascii") as file:
            table = [line.rstrip("\n").split("\t") for line in file][1:]
        for line in table:
            of, read = {strand: best[line[0], strand] for strand in "+-"}, reads[line[0]]
            strand = {"plus": "+", "minus": "-", "both": "-" if of["-"][0] < of["+"][0] else "+"}[way]
            same(f"--strand {way}: {line[0]}: strand, score, edge", (line[9], int(line[2]), int(line[1])), (strand, *of[strand]))
            letters = iter(read if strand == "+" else read[::-1].translate(COMPLEMENT))
            assert all(letter in letters for letter in written[line[0]] if letter != "-"), f"--strand {way}: {line[0]}: its letters"


def compare(case):
    rng = random.Random(case["seed"])
    tree, rows, reads = make(case, rng)
    protein, penalties = case.get("protein", False), case["penalties"]
    files = ["--tree", "tree.nwk", "--reference", "reference.fasta", "--reads", "reads.fasta", "--quiet",
             *(["--protein"] if protein else []), *itertools.chain(*(("--" + n, p) for n, p in zip(NAMES, penalties)))]
    run("align-reads", *files, "-o", "kept.phy", "--keep-insertions", "--table", "table.tsv", "--numbered-tree",
        "numbered.nwk", "--jplace", "out.jplace")
    run("align-reads", *files, "-o", "cut.fasta", "--split")
    with open("table.tsv", encoding="ascii") as file:
        table = [line.rstrip("\n").split("\t") for line in file][1:]
    kept, cut = read_phylip("kept.phy"), {**read_fasta("cut.reference.fasta"), **read_fasta("cut.reads.fasta")}
    same("rows", list(kept), list(rows) + list(reads))
    same("rows", list(cut), list(rows) + list(reads))
    same("reads in the table", [line[0] for line in table], list(reads))
    with open("numbered.nwk", encoding="ascii") as file:
        found = [int(number) for number in re.findall(r"\{(\d+)\}", file.read())]
    same("numbered tree", found, list(range(numbered(tree)[0])))
    vectors = ancestors(tree, rows, protein)
    compare_jplace(table)

    # Columns that are the reference's, and what is left of every row without the others.
    width = len(kept[table[0][0]])
    sites = [c for c in range(width) if any(kept[name][c] != "-" for name in rows)]
    same("sites", len(sites), case["sites"])
    for name in kept:
        same(name + " without added columns", cut[name], "".join(kept[name][c] for c in sites))
    for name, row in rows.items():
        same("reference " + name, cut[name], row.replace(".", "-"))

    number_of = {c: at for at, c in enumerate(sites, 1)}
    for name, edge, score, second, second_score, letters, inserted, first, last, strand in table:
        same(f"read {name}: strand", strand, "+")
        read = [states(letter, protein) for letter in reads[name]]
        order = sorted((cost(vector, read, penalties), e) for e, vector in vectors.items())
        found = [(int(score), int(edge)), (int(second_score), int(second))]
        same(f"read {name}: score, edge, runner-up's", found, order[:2])
        same(f"read {name} in the alignment", kept[name].replace("-", ""), reads[name])
        columns = [number_of.get(c) for c in range(width) if kept[name][c] != "-"]
        same(f"read {name}: cost of the alignment", cost(vectors[int(edge)], read, penalties, columns), order[0][0])
        on_sites = [str(c) for c in columns if c is not None]
        same(f"read {name}: letters, inserted, first and last column", [letters, inserted, first, last],
             [str(len(read)), str(len(read) - len(on_sites)), *(on_sites[:1] or ["NA"]), *(on_sites[-1:] or ["NA"])])
    if not protein:
        compare_strands(reads, vectors, penalties, files)
    return len(table), len(vectors)


# The paper's penalties, and others: nothing costs anything; everything costs the most; insertions, mismatches or longer
# gaps are free; sites with a gap cost no more, or more than all else.
CASES = [
    dict(seed=1, taxa=12, sites=60, reads=14, length="5-30", root=3, penalties=(3, 3, 4, 1, 3)),
    dict(seed=2, taxa=9, sites=50, reads=14, length="10-40", root=2, penalties=(3, 3, 4, 1, 3), empty_row=True),
    dict(seed=3, taxa=10, sites=45, reads=12, length="3-40", root=1, penalties=(1, 7, 2, 2, 0)),
    dict(seed=4, taxa=8, sites=45, reads=10, length="8-30", root=2, penalties=(3, 3, 4, 1, 3), protein=True),
    dict(seed=5, taxa=7, sites=40, reads=10, length="8-30", root=4, penalties=(2, 0, 5, 5, 1), protein=True),
    dict(seed=6, taxa=6, sites=40, reads=8, length="8-30", root=2, penalties=(0, 0, 0, 0, 0)),
    dict(seed=7, taxa=6, sites=40, reads=8, length="8-30", root=1, penalties=(255, 255, 255, 255, 255)),
    dict(seed=8, taxa=5, sites=40, reads=8, length="8-30", root=3, penalties=(0, 9, 3, 0, 20), empty_row=True),
    dict(seed=9, taxa=3, sites=40, reads=8, length="8-40", root=2, penalties=(5, 2, 6, 0, 1)),
    dict(seed=10, taxa=3, sites=40, reads=8, length="8-40", root=3, penalties=(9, 1, 1, 1, 0), protein=True),
]


def main():
    reads = edges = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                found = compare(case)
            except AssertionError as error:
                sys.exit(f"FAILED: {case}: {error}")
            finally:
                os.chdir("/")
            reads, edges = reads + found[0], edges + found[0] * found[1]
    print(f"{reads} reads, {edges} pairs of a read and an edge, in {len(CASES)} data sets: the same")


PROGRAM = os.path.abspath(sys.argv[1])
main()
