"""Trees and alignments against DendroPy's and Biopython's writers and readers: compare.py IO_DUMP CASE."""

import io
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import dendropy
    from Bio import AlignIO, Phylo
    from Bio.Align import MultipleSeqAlignment
    from Bio.AlignIO import NexusIO
    from Bio.Seq import Seq
    from Bio.SeqRecord import SeqRecord
except ImportError as missing:
    print(f"skipped: python3-{'dendropy' if missing.name == 'dendropy' else 'biopython'} is not installed")
    sys.exit(0)

PROGRAM = sys.argv[1]
CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus"
WORK = tempfile.TemporaryDirectory()


def dump(what, text):
    """What our reader makes of this text."""
    path = pathlib.Path(WORK.name) / "file"
    path.write_bytes(text.encode())
    done = subprocess.run([PROGRAM, what, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + text
    return done.stdout


def our_tree(text):
    """[(parent, length, label)], parents before children."""
    nodes = [line.split("\t") for line in dump("tree", text).splitlines()]
    return [(int(parent), None if length == "nan" else float(length), label) for parent, length, label in nodes]


# --- Trees ---------------------------------------------------------------------------------------------------------


def dendropy_nodes(tree):
    """The same of a tree that DendroPy has."""
    numbers, nodes = {}, []
    for node in tree.preorder_node_iter():
        numbers[node] = len(nodes)
        label = node.taxon.label if node.taxon else node.label
        parent = -1 if node.parent_node is None else numbers[node.parent_node]
        nodes.append((parent, node.edge.length, label or ""))
    return nodes


def biopython_nodes(tree):
    """The same of a tree that Biopython has."""
    nodes, open_nodes = [], [(tree.root, -1)]
    while open_nodes:
        clade, parent = open_nodes.pop()
        open_nodes += [(child, len(nodes)) for child in reversed(clade.clades)]
        nodes.append((parent, clade.branch_length, clade.name or ""))
    return nodes


def random_tree(number):
    """Of any shape, with any labels that are text."""
    chance = random.Random(number)
    letters = "abcXYZ019_-.|/ ()[]:;,'\"\u00e9"
    tree = dendropy.Tree()
    nodes = [tree.seed_node]
    for _ in range(chance.randrange(1, 80)):
        nodes.append(chance.choice(nodes[-chance.randrange(1, 20) :]).new_child())
    for node in nodes:
        label = "".join(chance.choice(letters) for _ in range(chance.randrange(1, 12))).strip() or "x"
        if not node.child_nodes():
            node.taxon = tree.taxon_namespace.new_taxon(label)
        elif chance.random() < 0.5:
            node.label = label
        if chance.random() < 0.7:
            node.edge.length = chance.choice([chance.random(), 10 ** chance.uniform(-12, 12), 0.0, -0.5])
    return tree


def case_trees_written():
    """DendroPy's trees: it quotes labels where they must be."""
    for number in range(300):
        tree = random_tree(number)
        text = tree.as_string("newick", suppress_rooting=number % 2 == 0, unquoted_underscores=True, preserve_spaces=True)
        assert our_tree(text) == dendropy_nodes(tree), text


def by_dendropy(text):
    return dendropy_nodes(
        dendropy.Tree.get(data=text, schema="newick", preserve_underscores=True, suppress_internal_node_taxa=True,
                          suppress_leaf_node_taxa=True))


def by_biopython(text):
    return biopython_nodes(Phylo.read(io.StringIO(text), "newick"))


# Files that they read otherwise: DendroPy has '"' and '=' as signs of its own, and Biopython takes inner numbers for supports
# ("100"), loses "''" and "7.", and refuses comments behind ';'. Neither knows a byte-order mark, double quotes, or what PAML adds.
OTHERWISE = {
    by_dendropy: {"bom.nwk", "double_quotes.nwk", "double_quotes_blank.nwk", "paml_counts.nwk", "paml_marks.nwk", "underscores.nwk"},
    by_biopython: {"bom.nwk", "bootstraps.nwk", "comments.nwk", "double_quotes.nwk", "double_quotes_blank.nwk", "lengths.nwk", "paml_counts.nwk",
                   "paml_marks.nwk", "quoted.nwk"},
}


def case_trees_read():
    """The corpus's good trees: other readers see the same in them."""
    compared = 0
    for line in (CORPUS / "expected.tsv").read_text().splitlines():
        kind, name, code = line.split("\t")[:3]
        path = CORPUS / name
        if kind != "newick" or code != "0" or path.suffix == ".gz" or path.name.startswith("nexus"):
            continue
        text = path.read_bytes().decode()
        ours = our_tree(text)
        for theirs, otherwise in OTHERWISE.items():
            if path.name not in otherwise:
                assert ours == theirs(text), (path.name, theirs.__name__)
                compared += 1
    assert compared >= 30, compared


# --- Alignments ----------------------------------------------------------------------------------------------------


def random_rows(number, blanks):
    """[(name, letters)], names of at most ten characters."""
    chance = random.Random(number)
    columns = chance.randrange(1, 400)
    rows = []
    for row in range(chance.randrange(1, 30)):
        middle = "".join(chance.choice("abXY_9" + (" " if blanks else "")) for _ in range(chance.randrange(0, 7)))
        rows.append((f"{row}{middle}.", "".join(chance.choice("ACGTNRY-") for _ in range(columns))))
    return rows


def as_alignment(rows):
    return MultipleSeqAlignment([SeqRecord(Seq(letters), id=name, description="") for name, letters in rows])


def fasta_rows(text):
    lines = text.splitlines()
    return [(name[1:], letters) for name, letters in zip(lines[::2], lines[1::2])]


def case_alignments_written():
    """PHYLIP files by Biopython (strict interleaved, strict sequential, relaxed interleaved) and DendroPy (sequential)."""
    for number in range(60):
        for layout in "phylip", "phylip-sequential", "phylip-relaxed", "dendropy strict", "dendropy relaxed":
            rows = random_rows(number, blanks="relaxed" not in layout)
            if layout.startswith("dendropy"):
                matrix = dendropy.DnaCharacterMatrix.from_dict(dict(rows))
                text = matrix.as_string("phylip", strict="strict" in layout, spaces_to_underscores=False)
            else:
                text = io.StringIO()
                AlignIO.write(as_alignment(rows), text, layout)
                text = text.getvalue()
            found = fasta_rows(dump("fasta", text))
            assert found == rows, (layout, text, found)


def case_alignments_read():
    """What we write, read by Biopython."""
    for number in range(60):
        rows = random_rows(number, blanks=False)
        fasta = "".join(f">{name}\n{letters}\n" for name, letters in rows)
        for what, layout in ("phylip", "phylip-relaxed"), ("fasta", "fasta"):
            found = [(row.id, str(row.seq)) for row in AlignIO.read(io.StringIO(dump(what, fasta)), layout)]
            assert found == rows, (what, found)


# --- NEXUS ---------------------------------------------------------------------------------------------------------


def case_nexus_trees_written():
    """DendroPy's TREES blocks, with TAXA beside them and with TRANSLATE."""
    for number in range(150):
        tree = random_tree(number)
        text = tree.as_string("nexus", unquoted_underscores=True, preserve_spaces=True, translate_tree_taxa=number % 2 == 0,
                              suppress_taxa_blocks=number % 3 == 0)
        nodes = our_tree(text)
        assert nodes == dendropy_nodes(tree), (text, nodes)


def case_nexus_alignments_written():
    """Matrices by DendroPy (sequential) and Biopython (sequential and interleaved)."""
    compared = 0
    for number in range(60):
        rows = random_rows(number, blanks=number % 2 == 0)
        matrix = dendropy.DnaCharacterMatrix.from_dict(dict(rows))
        text = matrix.as_string("nexus", unquoted_underscores=True, preserve_spaces=True)
        found = fasta_rows(dump("fasta", text))
        assert found == rows, (text, found)
        for interleave in False, True:
            text = io.StringIO()
            alignment = as_alignment(rows)
            for row in alignment:
                row.annotations["molecule_type"] = "DNA"
            NexusIO.NexusWriter(text).write_alignment(alignment, interleave=interleave)
            found = fasta_rows(dump("fasta", text.getvalue()))
            # Biopython puts '_' in place of blanks.
            assert [(name.replace(" ", "_"), letters) for name, letters in found] == [
                (name.replace(" ", "_"), letters) for name, letters in rows], (text.getvalue(), found)
            compared += 1
    assert compared == 120


# Files that DendroPy reads otherwise or not at all: it has no EQUATE, no commas in sets, no code for {IL}, no old Macintosh's line
# ends, no numbers for TAXLABELS beside other labels, and takes apostrophes in other blocks for quotes.
NEXUS_TREES_OTHERWISE = {"nexus_old_macintosh.nex", "nexus_comments.nex", "nexus_other_blocks.nex", "nexus_numbers.nex"}
NEXUS_MATRICES_OTHERWISE = {"nexus_interleaved.nex", "nexus_old_macintosh.nex", "nexus_sets.nex", "nexus_quoted_symbols.nex"}


def good_nexus(kind):
    for line in (CORPUS / "expected.tsv").read_text().splitlines():
        of, name, code = line.split("\t")[:3]
        path = CORPUS / name
        if of == kind and code == "0" and path.name.startswith("nexus") and path.suffix != ".gz":
            yield path.name, path.read_bytes().decode()


def case_nexus_read():
    """The corpus's good NEXUS files: other readers see the same in them."""
    compared = 0
    for name, text in good_nexus("newick"):
        if name in NEXUS_TREES_OTHERWISE:
            continue
        theirs = dendropy.Tree.get(data=text, schema="nexus", preserve_underscores=True, suppress_internal_node_taxa=True)
        assert our_tree(text) == dendropy_nodes(theirs), name
        compared += 1
    for name, text in good_nexus("alignment"):
        if name in NEXUS_MATRICES_OTHERWISE or "datatype" not in text.lower(): # which is "standard" then
            continue
        found = fasta_rows(dump("fasta", text))
        kind = dendropy.ProteinCharacterMatrix if "rotein" in text else dendropy.DnaCharacterMatrix
        theirs = kind.get(data=text, schema="nexus", preserve_underscores=True)
        assert found == [(taxon.label, theirs[taxon].symbols_as_string()) for taxon in theirs], name
        compared += 1
    assert compared >= 5, compared


globals()["case_" + sys.argv[2].replace("-", "_")]()
