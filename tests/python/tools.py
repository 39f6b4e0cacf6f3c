#!/usr/bin/env python3
"""tools.py WARPLADDER LIBRARY DEVICE: what the package gives to Python is what the program prints of the same files. Without a
program (""), those of the installed package."""
import io
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(0)

program, library, device = sys.argv[1:]
if program:
    os.environ.update(WARPLADDER=program, WARPLADDER_LIBRARY=library)
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python/src"))
import warpladder
from warpladder.program import program_path

program = program or program_path()

work = tempfile.TemporaryDirectory()


def path(name, text=None):
    name = os.path.join(work.name, name)
    if text is not None:
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    return name


def run(*words):
    return subprocess.run([program, *words, "--quiet"], check=True, capture_output=True, text=True).stdout


def refused(status, expected, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except warpladder.Error as error:
        assert error.status == status and expected in str(error), (error.status, str(error))
    else:
        assert False, "not refused: " + expected


def check_distances(session):
    numbers = numpy.random.default_rng(17)
    letters = ["".join(row) for row in numbers.choice(list("ACGTacgtN-"), size=(37, 301))]
    fasta = path("a.fasta", "".join(f">{i}\n{row}\n" for i, row in enumerate(letters)))
    for options, words in (
        ({}, []),
        ({"rescale": True}, ["--rescale"]),
        ({"every_letter": True}, ["--every-letter"]),
        ({"present": "ACGT-"}, ["--present", "ACGT-"]),
        *(({"measure": name}, ["--measure", name]) for name in ("p-distance", "jc69", "k80", "tn93", "logdet")),
    ):
        distance, compared = session.distances(letters, **options)
        run("distances", fasta, "-o", path("a.npy"), *words)
        numpy.testing.assert_array_equal(distance, numpy.load(path("a.npy")), str(words))
        table = run("distances", fasta, "--layout", "list", "--compared", "--digits", "17", *words).split()
        pairs = numpy.array(table, dtype=float).reshape(-1, 4)
        ij = pairs[:, :2].astype(int)
        assert (compared[ij[:, 0], ij[:, 1]] == pairs[:, 3]).all(), words
    # Arrays of letters are what strings are.
    for kind in "S1", "U1":
        array = numpy.array([list(row) for row in letters], dtype=kind)
        numpy.testing.assert_array_equal(session.distances(array).distance, session.distances(letters).distance)
    assert not session.notes() or "letters taken as missing" in session.notes()[0], session.notes()

    values = numbers.normal(size=(19, 33))
    values[numbers.random(values.shape) < 0.1] = numpy.nan
    small = numbers.integers(0, 7, size=(23, 130)).astype(float)
    small[2, 5] = numpy.nan
    for array, measure in ((values, "euclidean2"), (values, "manhattan"), (small, "manhattan"), (small, "differences")):
        table = io.StringIO()
        numpy.savetxt(table, array, delimiter="\t", fmt="%.17g")
        run("distances", path("t.tsv", table.getvalue()), "--measure", measure, "-o", path("t.npy"))
        distance, _ = session.distances(array, measure=measure)
        numpy.testing.assert_array_equal(distance, numpy.load(path("t.npy")), measure)

    # Genotypes have no table: counted here, one site at a time.
    genotypes = numpy.minimum(small, 2)
    alleles, compared = session.distances(genotypes, measure="alleles")
    both = ~numpy.isnan(genotypes[:, None, :] + genotypes[None, :, :])
    steps = numpy.nansum(numpy.abs(genotypes[:, None, :] - genotypes[None, :, :]), axis=2)
    assert (alleles == steps).all() and (compared == both.sum(axis=2)).all()
    numpy.testing.assert_allclose(session.distances(genotypes, measure="ibs")[0], 1 - steps / (2 * both.sum(axis=2)), rtol=1e-15)

    refused(3, "letters:2: found '!' at position 3; expected a letter", session.distances, ["ACGT", "AC!T"])
    refused(3, "values:2: found 7 at position 1; expected 0, 1 or 2", session.distances, numpy.array([[0.0], [7.0]]), "ibs")
    refused(3, "values:1: found infinity", session.distances, numpy.array([[numpy.inf]]), "manhattan")
    refused(2, "", session.distances, ["AC"], "euclidean2")
    refused(2, "rescale: found with a measure that is a proportion", session.distances, genotypes, "ibs", rescale=True)
    refused(3, "letters: found 0 rows", session.distances, [])
    refused(3, "letters:2: found 3 letters; expected 4", session.distances, ["ACGT", "ACG"])
    refused(2, "measure: found 'jc96'; expected one of differences, alleles", session.distances, letters, "jc96")
    refused(2, "rows: found an array of 1 dimensions; expected 2", session.distances, numpy.zeros(3))
    refused(2, "rows: found 'ACGT'; expected several rows", session.distances, "ACGT")
    refused(2, "rows: found an array of type <U2; expected single letters", session.distances, numpy.array([["AC", "G"], ["A", "G"]]))
    refused(2, "rows: found an array of type complex128", session.distances, numpy.zeros((2, 2), dtype=complex))
    refused(2, "row 1: found '[1, 2]'; expected letters", session.distances, [[1, 2], [3, 4]])


def check_closed():
    """What is closed says so, and so does what was made with a session that is closed."""
    session = warpladder.Session("cpu")
    database = session.database([("a", "MKVLATRSDE")])
    refused(2, "sequence 1: found 'M'; expected a pair, (name, letters)", session.search, database, "MKVL")
    likelihood = session.likelihood("JC69", [("a", "ACGT"), ("b", "ACGA"), ("c", "ACTA")], "(a:0.1,b:0.1,c:0.1);")
    assert likelihood.evaluate()[0] < 0
    database.close()
    refused(2, "Database: found a closed one; expected one that is open", len, database)
    refused(2, "Database: found a closed one", session.search, database, [("q", "MKVL")])
    session.close()
    refused(2, "Likelihood: found a closed one", likelihood.evaluate)
    refused(2, "Session: found a closed one", session.notes)
    likelihood.close()


def proteins(numbers, count):
    """Random ones, of which every third is a mutated earlier one."""
    made = []
    for i in range(count):
        letters = numbers.choice(list("ARNDCQEGHILKMFPSTWYV"), size=numbers.integers(30, 200))
        if i % 3 == 2:
            letters = numpy.array(list(made[numbers.integers(len(made))]))
            letters = numpy.where(numbers.random(len(letters)) < 0.3, numbers.choice(list("ARNDCQEGHILKMFPSTWYVX"), size=len(letters)), letters)
            cut = numbers.integers(5, 15)
            letters = numpy.concatenate([letters[:cut], letters[cut + 3 :]])
        made.append("".join(letters))
    return made


def frame_is_same(hits):
    try:
        import pandas  # noqa: F401
    except ImportError:
        return
    frame = hits.frame()
    assert list(frame["name"]) == hits.names and list(frame["score"]) == list(hits.table["score"])


def fasta(name, pairs):
    return path(name, "".join(f">{name}\n{letters}\n" for name, letters in pairs))


def check_hits(found, report, queries):
    """What the program's JSON says of them, to the last bit."""
    hits, names, paths = found
    frame_is_same(found)
    i = 0
    for query, found in enumerate(report["queries"]):
        for hit in found["hits"]:
            h, name, steps = hits[i], names[i], paths[i]
            assert (h["query"], name, h["score"]) == (query, hit["subject"], hit["score"])
            assert (h["bits"], h["evalue"]) == (hit["bits"], hit["evalue"])
            strand = "minus" if h["strand"] < 0 else "plus"
            subject = [h["subject_start"] + 1, h["subject_end"]]
            shown = [hit["subject_from"], hit["subject_to"]]
            assert subject == (shown if strand == "plus" else shown[::-1]), (h, hit)
            assert (h["query_start"] + 1, h["query_end"]) == (hit["query_from"], hit["query_to"])
            assert [h[name] for name in ("columns", "identities", "positives", "gap_openings", "gap_residues")] == [
                hit[name] for name in ("columns", "identities", "positives", "gap_openings", "gaps")]
            aligned = zip(hit["aligned_query"], hit["aligned_subject"])
            path_of = "".join("I" if s == "-" else "D" if q == "-" else "M" for q, s in aligned)
            assert steps == (path_of if strand == "plus" else path_of[::-1])
            i += 1
    assert i == len(hits) > len(queries), (i, len(hits))


def check_search(session):
    numbers = numpy.random.default_rng(4)
    named = [(f"p{i}", letters) for i, letters in enumerate(proteins(numbers, 60))]
    queries = [(f"q{i}", letters) for i, (_, letters) in enumerate(named[2:20:3])]
    db, query = fasta("db.fasta", named), fasta("q.fasta", queries)
    run("makedb", db, path("db.wdb"))
    words = ["search", "--db", db, "--query", query, "--format", "json"]
    report = json.loads(run(*words))
    for source in (named, db, path("db.wdb")):
        with session.database(source) as database:
            check_hits(session.search(database, queries), report, queries)
            hits, _, paths = session.search(database, queries, paths=False)
            assert paths[0] is None and hits["columns"].sum() == 0
            assert list(hits["score"]) == [hit["score"] for found in report["queries"] for hit in found["hits"]]
    with session.database(named) as database:
        options = {"matrix": "PAM70", "gap_open": 10, "gap_extend": 1, "most_hits": 3, "finite_size": 1, "highest_evalue": 1e6}
        words += ["--matrix", "PAM70", "--gap-open", "10", "--gap-extend", "1", "--max-hits", "3", "--statistics", "spouge", "--evalue", "1e6"]
        check_hits(session.search(database, queries, **options), json.loads(run(*words)), queries)
        refused(2, "gap_open: found 70000", session.search, database, queries, gap_open=70000)
        refused(2, "matrix", session.search, database, queries, matrix="NONE")
        refused(3, "queries:1: found '.' at position 2", session.search, database, [("a", "M.K")])
    bases = ["".join(numbers.choice(list("ACGT"), size=200)) for _ in range(8)]
    complement = str.maketrans("ACGT", "TGCA")
    named = [(f"n{i}", letters) for i, letters in enumerate(bases)]
    queries = [("same", bases[1][20:90] + bases[1][93:150]), ("other", bases[2].translate(complement)[::-1][30:])]
    report = json.loads(run("search", "--nucleotide", "--db", fasta("n.fasta", named), "--query", fasta("nq.fasta", queries), "--format", "json"))
    with session.database(named, nucleotide=True) as database:
        found = session.search(database, queries)
        check_hits(found, report, queries)
        assert set(found.table["strand"]) == {1, -1}
        assert (len(database), database.letters) == (8, 1600)
        refused(2, "matrix: found BLOSUM62 with nucleotides", session.search, database, queries, matrix="BLOSUM62")
    refused(3, "database:1: found 'Z'" , session.database, [("a", "ZZ")], nucleotide=True)
    refused(3, "database: found none", session.database, [])
    refused(3, "none.fasta", session.database, path("none.fasta"))


def read_fasta(name):
    with open(path(name), encoding="ascii") as file:
        return [(part.split("\n", 1)[0], part.split("\n", 1)[1].replace("\n", "")) for part in file.read().split(">")[1:]]


def check_likelihood(session, rows, newick):
    def tool(*words):
        out = json.loads(run("likelihood", "--tree", path("tree.nwk"), "--alignment", path("reference.fasta"), "--json", "--device", "cpu",
                             "--site-likelihoods", path("sites.tsv"), *words))
        return out["log_likelihood"], numpy.loadtxt(path("sites.tsv"), skiprows=1)[:, 1]

    def same(found, expected):
        numpy.testing.assert_allclose(found[0], expected[0], rtol=1e-12 if device == "cpu" else 1e-10)
        numpy.testing.assert_allclose(found[1], expected[1], rtol=1e-10 if device == "cpu" else 1e-9)

    M = warpladder.Model
    rates = (1.0, 4.0, 1.2, 0.8, 5.0, 1.0)
    with session.likelihood(M("GTR+G4", alpha=0.7, exchange=rates), rows, newick) as l:
        same(l.evaluate(), tool("--model", "GTR+G4", "--alpha", "0.7", "--rates", ",".join(map(str, rates))))
        l.set_model(M("HKY85+G4", kappa=3.5, frequencies="equal"))
        same(l.evaluate(), tool("--model", "HKY85+G4", "--kappa", "3.5", "--frequencies", "equal"))
        l.set_model(M("GTR+G4", frequencies=(0.1, 0.2, 0.3, 0.4)))
        same(l.evaluate(), tool("--model", "GTR+G4", "--frequencies", "0.1,0.2,0.3,0.4"))
        before = l.evaluate()
        # One branch after the other: what is left from earlier evaluations makes no difference to one from the beginning.
        numbers = numpy.random.default_rng(1)
        for _ in range(12):
            length = l.length.copy()
            length[numbers.integers(len(length) - 1)] *= numbers.uniform(0.3, 3)
            l.set_lengths(length)
            changed = l.evaluate()
        with session.likelihood(M("GTR+G4", frequencies=(0.1, 0.2, 0.3, 0.4)), rows, newick) as other:
            assert other.evaluate()[0] == before[0] != changed[0]
            other.set_lengths(l.length)
            same(changed, other.evaluate())
        refused(2, "length: found -1 at node 0", l.set_lengths, -numpy.ones(len(l.length)))
        refused(2, "model: found GTR; expected one with the states and rate classes of GTR+G4", l.set_model, M("GTR"))
        refused(2, "kappa", l.set_model, M("HKY85+G4", kappa=-1))
        same(l.evaluate(), changed)
    codons = [(name, "".join("---" if letters[k : k + 3].upper() in ("TAA", "TAG", "TGA") else letters[k : k + 3]
                             for k in range(0, len(letters), 3))) for name, letters in rows]
    fasta("reference.fasta", codons)
    with session.likelihood(M("GY94", kappa=2.1, omega=0.3, frequencies="f1x4"), codons, newick) as l:
        same(l.evaluate(), tool("--model", "GY94", "--kappa", "2.1", "--omega", "0.3", "--frequencies", "f1x4"))
        assert l.columns == len(rows[0][1]) // 3
    fasta("reference.fasta", rows)
    refused(2, "unknown model 'GRT'", session.likelihood, M("GRT"), rows, newick)
    refused(3, "tree:1", session.likelihood, M("JC69"), rows, "(a:1,b:1")
    refused(3, "alignment:2: sequence", session.likelihood, M("JC69"), [rows[0], (rows[1][0], "ACGT")], newick)
    refused(3, "the name", session.likelihood, M("JC69"), [rows[0], rows[0]], newick)


def check_reads(session, rows, newick):
    reads = read_fasta("reads.fasta")
    for words, options in (([], {}), (["--keep-insertions", "--gap-open", "5"], {"keep_insertions": 1, "gap_open": 5})):
        text = run("align-reads", "--tree", path("tree.nwk"), "--reference", path("reference.fasta"), "--reads", path("reads.fasta"), "--format",
                   "fasta", "--table", path("table.tsv"), "--numbered-tree", path("numbered.nwk"), *words)
        placements, letters, tree = session.align_reads(rows, newick, reads, **options)
        expected = [part.split("\n")[1] for part in text.split(">")[1:]]
        assert [b"".join(row).decode() for row in letters] == expected
        table = numpy.loadtxt(path("table.tsv"), skiprows=1, usecols=(1, 2, 3, 4), dtype=int)
        for column, name in enumerate(("edge", "score", "second_edge", "second_score")):
            assert (placements[name] == table[:, column]).all()
        with open(path("numbered.nwk"), encoding="ascii") as file:
            assert tree == file.read()
    refused(2, "cgap: found 300; expected 0 to 255", session.align_reads, rows, newick, reads, cgap=300)
    refused(3, "reads:1", session.align_reads, rows, newick, [(rows[0][0], "ACGT")])


def check_tree(session):
    run("simulate-reads", "--taxa", "12", "--sites", "300", "--reads", "40", "--out", work.name)
    rows = read_fasta("reference.fasta")
    with open(path("tree.nwk"), encoding="ascii") as file:
        newick = file.read()
    check_likelihood(session, rows, newick)
    check_reads(session, rows, newick)


try:
    session = warpladder.Session(device)
except warpladder.Error as error:
    assert device != "cpu" and error.status == 4, error
    print(f"skipped: {error}")
    sys.exit(0)
with session:
    assert session.device_name
    check_distances(session)
    check_closed()
    check_search(session)
    check_tree(session)
refused(2, "device: 'gqu' is no device; expected", warpladder.Session, "gqu")
refused(2, "no simulated device", warpladder.Session, "sim")
