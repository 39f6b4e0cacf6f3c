"""libwarpladder by ctypes, with NumPy arrays in and out: an example to copy from.

    import warpladder
    session = warpladder.Session("auto", library="libwarpladder.so.1")
    matrix = session.distances(["ACGT", "ACGA"])

Of the classes here, one object belongs to one thread at a time.
"""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p, sizeof

import numpy

MEASURES = ["differences", "alleles", "ibs", "euclidean2", "manhattan", "p-distance", "jc69", "k80", "tn93", "logdet"]


class Error(Exception):
    """One line: what was found and what was expected. `status` is the warpladder_status."""

    def __init__(self, status, line):
        super().__init__(line)
        self.status = status


class DistanceOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("measure", c_int), ("rescale", c_int), ("every_letter", c_int), ("present", c_char_p)]


def pointer(array, kind):
    return None if array is None else array.ctypes.data_as(POINTER(kind))


class Session:
    def __init__(self, device="auto", library="libwarpladder.so.1"):
        self.library = ctypes.CDLL(library)
        for name in "version", "error", "notes", "device_name":
            getattr(self.library, "warpladder_" + name).restype = c_char_p
        self.handle = c_void_p()
        status = self.library.warpladder_open(device.encode(), byref(self.handle))
        if status != 0:
            line = self.library.warpladder_error(self.handle).decode()
            self.close()
            raise Error(status, line)

    def close(self):
        self.library.warpladder_close(self.handle)
        self.handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def call(self, name, *arguments):
        status = getattr(self.library, "warpladder_" + name)(self.handle, *arguments)
        if status != 0:
            raise Error(status, self.library.warpladder_error(self.handle).decode())

    def notes(self):
        return self.library.warpladder_notes(self.handle).decode().splitlines()

    def distances(self, rows, measure="differences", rescale=False, present=None, every_letter=False):
        """distance [n][n] and compared [n][n] of n strings of equal length, or of an array [n][sites] of numbers."""
        options = DistanceOptions(sizeof(DistanceOptions), MEASURES.index(measure), rescale, every_letter,
                                  present.encode() if present else None)
        if isinstance(rows, numpy.ndarray):
            name, kind = "distances_numbers", c_double
            data = numpy.ascontiguousarray(rows, dtype=numpy.float64)
        else:
            name, kind = "distances_letters", ctypes.c_char
            data = numpy.frombuffer("".join(rows).encode(), dtype=numpy.uint8).reshape(len(rows), -1)
        distance = numpy.empty((len(data), len(data)))
        compared = numpy.empty((len(data), len(data)), dtype=numpy.uint32)
        self.call(name, byref(options), pointer(data, kind), c_size_t(data.shape[0]), c_size_t(data.shape[1]),
                  pointer(distance, c_double), pointer(compared, c_uint32))
        return distance, compared

    def database(self, source, nucleotide=False):
        """A FASTA or .wdb file, or (name, letters) pairs."""
        return Database(self, source, nucleotide)

    def search(self, database, queries, paths=True, **options):
        """The hits of (name, letters) pairs: a structured array, and of each hit the subject's name and the path (or None)."""
        known = SearchOptions(sizeof(SearchOptions), None, -1, -1, 2, -3, 2, 0, not paths, 1, 500, 10.0)
        for name, value in options.items():
            setattr(known, name, value.encode() if isinstance(value, str) else value)
        found, count = c_void_p(), c_size_t()
        self.call("search", byref(known), database.handle, *sequences(queries), byref(found))
        get = self.library.warpladder_hits_items
        get.restype = POINTER(Hit)
        items = get(found, byref(count))
        numbers = [name for name, kind in Hit._fields_ if kind is not c_char_p]
        dtype = numpy.dtype([(name, kind) for name, kind in Hit._fields_ if kind is not c_char_p])
        hits = numpy.array([tuple(getattr(items[i], name) for name in numbers) for i in range(count.value)], dtype=dtype)
        texts = [(items[i].name.decode(), items[i].path.decode() if paths else None) for i in range(count.value)]
        self.library.warpladder_hits_close(found)
        return hits, texts

    def likelihood(self, model, rows, newick, single=False):
        """`model` as of Model; rows: (name, letters) pairs, aligned."""
        return Likelihood(self, model, rows, newick, single)

    def align_reads(self, reference, newick, reads, **options):
        """Placements (a structured array), the new alignment [reference + reads][columns] of bytes, and the tree with edge numbers."""
        known = ReadOptions(sizeof(ReadOptions), 0, 0, 3, 3, 4, 1, 3)
        for name, value in options.items():
            setattr(known, name, value)
        made = c_void_p()
        self.call("align_reads", byref(known), *sequences(reference), newick.encode(), *sequences(reads), byref(made))
        library = self.library
        library.warpladder_alignment_columns.restype = c_size_t
        for name in "placements", "letters":
            getattr(library, "warpladder_alignment_" + name).restype = c_void_p
        library.warpladder_alignment_tree.restype = c_char_p
        columns = library.warpladder_alignment_columns(made)
        rows = len(reference) + len(reads)
        letters = ctypes.string_at(library.warpladder_alignment_letters(made), rows * columns)
        placements = ctypes.string_at(library.warpladder_alignment_placements(made), len(reads) * PLACEMENT.itemsize)
        tree = library.warpladder_alignment_tree(made).decode()
        library.warpladder_alignment_close(made)
        return numpy.frombuffer(placements, PLACEMENT), numpy.frombuffer(letters, "S1").reshape(rows, columns), tree


class Sequence(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("letters", c_char_p), ("length", c_size_t)]


class SearchOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("matrix", c_char_p)] + [
        (name, c_int)
        for name in ("gap_open", "gap_extend", "match", "mismatch", "minus_strand", "finite_size", "without_paths", "least_score")
    ] + [("most_hits", c_size_t), ("highest_evalue", c_double)]


class Hit(ctypes.Structure):
    _fields_ = [("query", c_size_t), ("subject", c_size_t), ("name", c_char_p), ("score", c_int), ("strand", c_int), ("bits", c_double),
                ("evalue", c_double)] + [
        (name, c_size_t)
        for name in ("query_start", "query_end", "subject_start", "subject_end", "columns", "identities", "positives",
                     "gap_openings", "gap_residues")
    ] + [("path", c_char_p)]


class ModelOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("alpha", c_double), ("kappa", c_double), ("omega", c_double),
                ("exchange", c_double * 6), ("frequencies", c_char_p), ("own_frequencies", POINTER(c_double)), ("median", c_int),
                ("mitochondrial", c_int)]


class ReadOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t)] + [
        (name, c_int)
        for name in ("protein", "keep_insertions", "mismatch", "insertion", "gap_open", "gap_extend", "cgap")
    ]


PLACEMENT = numpy.dtype([("edge", "u4"), ("second_edge", "u4"), ("score", "i4"), ("second_score", "i4")])


def sequences(pairs):
    items = (Sequence * len(pairs))(*(Sequence(name.encode(), letters.encode(), len(letters)) for name, letters in pairs))
    return items, c_size_t(len(pairs))


class Owned:
    """What a session has made; close it before the session."""

    def close(self):
        getattr(self.session.library, f"warpladder_{self.kind}_close")(self.handle)
        self.handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()


class Database(Owned):
    kind = "database"

    def __init__(self, session, source, nucleotide):
        self.session, self.handle = session, c_void_p()
        if isinstance(source, str):
            session.call("database_open", source.encode(), c_int(nucleotide), byref(self.handle))
        else:
            session.call("database_make", *sequences(source), c_int(nucleotide), byref(self.handle))


def Model(name, alpha=0.5, kappa=2.0, omega=0.5, exchange=(1,) * 6, frequencies=None, median=False, mitochondrial=False):
    """`frequencies`: a word, numbers, or None for the model's own."""
    model = ModelOptions(sizeof(ModelOptions), name.encode(), alpha, kappa, omega, (c_double * 6)(*exchange), None, None, median, mitochondrial)
    if isinstance(frequencies, str):
        model.frequencies = frequencies.encode()
    elif frequencies is not None:
        model.own_frequencies = (c_double * len(frequencies))(*frequencies)
    return model


class Likelihood(Owned):
    """parent [nodes] and length [nodes], of the branches above; `length` is to be changed by set_lengths."""

    kind = "likelihood"

    def __init__(self, session, model, rows, newick, single):
        self.session, self.handle = session, c_void_p()
        session.call("likelihood_open", byref(model), *sequences(rows), newick.encode(), c_int(single), byref(self.handle))
        library = session.library
        for name in "nodes", "columns":
            getattr(library, "warpladder_likelihood_" + name).restype = c_size_t
        nodes = library.warpladder_likelihood_nodes(self.handle)
        self.parent, self.length = numpy.empty(nodes, dtype=numpy.uint32), numpy.empty(nodes)
        self.columns = library.warpladder_likelihood_columns(self.handle)
        library.warpladder_likelihood_tree(self.handle, pointer(self.parent, c_uint32), pointer(self.length, c_double))

    def call(self, name, *arguments):
        status = getattr(self.session.library, "warpladder_likelihood_" + name)(self.handle, *arguments)
        if status != 0:
            raise Error(status, self.session.library.warpladder_error(self.session.handle).decode())

    def set_lengths(self, length):
        length = numpy.ascontiguousarray(length, dtype=numpy.float64)
        if len(length) != len(self.length):
            raise ValueError(f"found {len(length)} lengths; expected {len(self.length)}")
        self.call("set_lengths", pointer(length, c_double))
        self.length = length.copy()

    def set_model(self, model):
        self.call("set_model", byref(model))

    def evaluate(self):
        """The log-likelihood, and that of each column."""
        total, column = c_double(), numpy.empty(self.columns)
        self.call("evaluate", byref(total), pointer(column, c_double))
        return total.value, column
