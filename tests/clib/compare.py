#!/usr/bin/env python3
"""compare.py WARPLADDER LIBRARY: what libwarpladder gives to Python is what the program prints of the same files."""
import io
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(0)

program, library = sys.argv[1:]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../library/examples"))
import warpladder

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
    refused(3, "letters: found 0 rows", lambda: session.call("distances_letters", None, b"", 0, 0, bytes(8), None))


with warpladder.Session("cpu", library) as session:
    check_distances(session)
refused(2, "device: 'gqu' is no device; expected", warpladder.Session, "gqu", library)
refused(2, "no simulated device", warpladder.Session, "sim", library)
