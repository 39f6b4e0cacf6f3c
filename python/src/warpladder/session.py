"""Warpladder's tools as functions with NumPy arrays in and out."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_double, c_size_t, c_void_p, sizeof
from dataclasses import dataclass, field
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Optional, Sequence, TypeVar, Union
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import library

if TYPE_CHECKING:
    import pandas

Measure = Literal["differences", "alleles", "ibs", "euclidean2", "manhattan", "p-distance", "jc69", "k80", "tn93", "logdet"]
MEASURES: tuple[Measure, ...] = ("differences", "alleles", "ibs", "euclidean2", "manhattan", "p-distance", "jc69", "k80", "tn93", "logdet")
NamedSequence = tuple[str, str]
"""A name and its letters."""

PLACEMENT = np.dtype([("edge", "u4"), ("second_edge", "u4"), ("score", "i4"), ("second_score", "i4")])


class Error(Exception):
    """One line: what was found and what was expected. `status` is 1 if the library's check of a result failed, 2 if an argument is
    wrong, 3 if the data or a file are wrong, and 4 if the machine lacks a GPU or memory."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


class Distances(NamedTuple):
    """Both are symmetric, [n][n]. A distance is NaN where nothing could be compared, and where rows differ so much that the measure has no
    value."""

    distance: npt.NDArray[np.float64]
    compared: npt.NDArray[np.uint32]  # the sites at which both rows have a value


class Hits(NamedTuple):
    """One record of `table` for each hit; names[i] is the subject's. paths[i] has a letter for each column of the alignment: 'M' for a
    pair, 'I' for a residue of the query against a gap, 'D' for one of the subject. It is None for a search without paths."""

    table: npt.NDArray[Any]
    names: list[str]
    paths: list[Optional[str]]

    def frame(self) -> pandas.DataFrame:
        """The same as a data frame."""
        import pandas

        frame = pandas.DataFrame(self.table)
        frame.insert(2, "name", self.names)
        frame.insert(len(frame.columns), "path", self.paths)
        return frame


class Alignment(NamedTuple):
    """Of PaPaRa: `placements` has a record for each read, with the number of the edge that it fits best, the next best edge, and their
    scores; `letters` is [reference rows, then reads][columns]; `tree` is in Newick format with the numbers of its edges."""

    placements: npt.NDArray[Any]
    letters: npt.NDArray[np.bytes_]
    tree: str


@dataclass
class Model:
    """A model of substitution, by the name that `warpladder likelihood --model` takes: "HKY85", "WAG", "GTR+G4". `frequencies` is a
    word, such as "equal", or numbers whose sum is 1; None is the model's own. A parameter that the model does not have is ignored."""

    name: str = "JC69"
    alpha: float = 0.5
    kappa: float = 2.0
    omega: float = 0.5
    exchange: Sequence[float] = field(default=(1.0,) * 6)
    frequencies: Union[None, str, Sequence[float]] = None
    median: bool = False
    mitochondrial: bool = False

    def _struct(self) -> _native.Model:
        model = _native.Model(sizeof(_native.Model), self.name.encode(), self.alpha, self.kappa, self.omega, (c_double * 6)(*self.exchange),
                              None, None, self.median, self.mitochondrial)
        if isinstance(self.frequencies, str):
            model.frequencies = self.frequencies.encode()
        elif self.frequencies is not None:
            model.own_frequencies = (c_double * len(self.frequencies))(*self.frequencies)
        return model


def _sequences(pairs: Sequence[NamedSequence]) -> tuple[Any, int]:
    items = []
    for number, pair in enumerate(pairs, 1):
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise Error(2, f"sequence {number}: found {str(pair)[:40]!r}; expected a pair, (name, letters)")
        letters = pair[1].encode()
        items.append(_native.Sequence(pair[0].encode(), letters, len(letters)))
    return (_native.Sequence * len(items))(*items), len(items)


def _options(struct: type[ctypes.Structure], given: dict[str, Any]) -> Any:
    options = struct(sizeof(struct))
    for name, value in given.items():
        setattr(options, name, value.encode() if isinstance(value, str) else value)
    return options


def _letters(rows: Sequence[Union[str, bytes]]) -> npt.NDArray[np.uint8]:
    if isinstance(rows, (str, bytes)):
        raise Error(2, f"rows: found {str(rows)[:40]!r}; expected several rows")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, (str, bytes)):
            raise Error(2, f"row {number}: found {str(row)[:40]!r}; expected letters, or one array of numbers for all rows")
    encoded = [row if isinstance(row, bytes) else row.encode() for row in rows]
    for number, row in enumerate(encoded, 1):
        if len(row) != len(encoded[0]):
            raise Error(3, f"letters:{number}: found {len(row)} letters; expected {len(encoded[0])}, as in the first row")
    return np.frombuffer(b"".join(encoded), dtype=np.uint8).reshape(len(encoded), -1 if encoded else 0)


Self = TypeVar("Self", bound="_Closed")


class _Closed:
    """What is closed at the end of a `with` block, or by close(). Afterwards its methods raise Error."""

    _own: c_void_p

    @property
    def _handle(self) -> c_void_p:
        if not self._own:
            raise Error(2, f"{type(self).__name__}: found a closed one; expected one that is open")
        return self._own

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()


class Session(_Closed):
    """Where work is done: on "cpu", "gpu", "gpu:1", several GPUs "gpu:0,1", or "auto", the first GPU if there is one and else the CPU.

    threads: CPU threads for each call; 0 leaves the number to OpenMP. memory: the most bytes that a call may take; 0 takes what is free.
    A session and what was made with it belong to one thread at a time. All methods raise Error."""

    def __init__(self, device: str = "auto", *, threads: int = 0, memory: int = 0) -> None:
        self._own, self._made = c_void_p(), WeakSet[_Closed]()
        status = library().warpladder_open(device.encode(), byref(self._own))
        if status != 0:
            line = library().warpladder_error(self._own).decode()
            self.close()
            raise Error(status, line)
        self._call("set_threads", threads)
        self._call("set_memory", memory)

    def close(self) -> None:
        """Closes what was made with it, too."""
        for made in list(self._made):
            made.close()
        library().warpladder_close(self._own)
        self._own = c_void_p()

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(library(), "warpladder_" + name)(self._handle, *arguments)
        self._expect(status)

    def _expect(self, status: int) -> None:
        if status != 0:
            raise Error(status, library().warpladder_error(self._handle).decode())

    @property
    def device_name(self) -> str:
        """The name of its first device: "NVIDIA H200", or the CPU's model."""
        return str(library().warpladder_device_name(self._handle).decode())

    def notes(self) -> list[str]:
        """What a user should know about the last call's data, such as which letters were taken as missing."""
        return str(library().warpladder_notes(self._handle).decode()).splitlines()

    def distances(self, rows: Union[Sequence[Union[str, bytes]], npt.NDArray[Any]], measure: Measure = "differences", *,
                  rescale: bool = False, every_letter: bool = False, present: Optional[str] = None) -> Distances:
        """The distances between all pairs of n rows.

        rows: strings of equal length, or an array [n][sites] of single letters (dtype "S1" or "U1"): aligned sequences. Or an array
        [n][sites] of numbers, NaN where a value is missing; genotypes are 0, 1 and 2.
        rescale: multiply by sites / compared sites. every_letter: a gap is a letter like others. present: the letters that are compared;
        all others are missing. docs/distances.md says which measure is for which data."""
        if measure not in MEASURES:
            raise Error(2, f"measure: found '{measure}'; expected one of {', '.join(MEASURES)}")
        options = _options(_native.DistanceOptions, {"measure": MEASURES.index(measure), "rescale": rescale, "every_letter": every_letter,
                                                         "present": present})
        data: npt.NDArray[Any]
        if isinstance(rows, np.ndarray) and (rows.dtype.kind == "c" or rows.ndim == 2 and rows.dtype.kind in "SU" and np.char.str_len(rows).max(initial=1) > 1):
            raise Error(2, f"rows: found an array of type {rows.dtype}; expected single letters, or real numbers")
        if isinstance(rows, np.ndarray) and rows.dtype.kind not in "SU":
            name, data = "distances_numbers", np.ascontiguousarray(rows, dtype=np.float64)
        else:
            name = "distances_letters"
            data = np.ascontiguousarray(rows, dtype="S1").view(np.uint8) if isinstance(rows, np.ndarray) and rows.ndim == 2 else _letters(rows)
        if data.ndim != 2:
            raise Error(2, f"rows: found an array of {data.ndim} dimensions; expected 2")
        result = Distances(np.empty((len(data), len(data))), np.empty((len(data), len(data)), dtype=np.uint32))
        self._call(name, byref(options), data.ctypes.data, data.shape[0], data.shape[1], result.distance.ctypes.data, result.compared.ctypes.data)
        return result

    def database(self, source: Union[str, PathLike[str], Sequence[NamedSequence]], *, nucleotide: bool = False) -> Database:
        """The sequences that `search` looks through: a file in FASTA or FASTQ format, plain or gzip, a .wdb file of `warpladder makedb`, or
        pairs of name and letters."""
        return Database(self, source, nucleotide)

    def search(self, database: Database, queries: Sequence[NamedSequence], *, paths: bool = True, matrix: Optional[str] = None,
               gap_open: int = -1, gap_extend: int = -1, match: int = 2, mismatch: int = -3, minus_strand: int = 2,
               finite_size: bool = False, least_score: int = 1, most_hits: int = 500, highest_evalue: float = 10.0) -> Hits:
        """Search by exact Smith-Waterman with affine gaps. The hits are in the order of the queries, and those of one query from the best to
        the worst. The options are those of `warpladder search`; warpladder.h says what each one is."""
        given = {"matrix": matrix, "gap_open": gap_open, "gap_extend": gap_extend, "match": match, "mismatch": mismatch,
                 "minus_strand": minus_strand, "finite_size": finite_size, "without_paths": not paths, "least_score": least_score,
                 "most_hits": most_hits, "highest_evalue": highest_evalue}
        found, count = c_void_p(), c_size_t()
        self._call("search", byref(_options(_native.SearchOptions, given)), database._handle, *_sequences(queries), byref(found))
        try:
            items = library().warpladder_hits_items(found, byref(count))
            kinds = [(name, kind) for name, kind, *_ in _native.Hit._fields_ if kind is not ctypes.c_char_p]
            table = np.array([tuple(getattr(items[i], name) for name, _ in kinds) for i in range(count.value)], dtype=np.dtype(kinds))
            return Hits(table, [items[i].name.decode() for i in range(count.value)],
                        [items[i].path.decode() if paths else None for i in range(count.value)])
        finally:
            library().warpladder_hits_close(found)

    def likelihood(self, model: Union[Model, str], rows: Sequence[NamedSequence], newick: str, *, single: bool = False) -> Likelihood:
        """Lay out an alignment, pairs of name and letters, on a tree with a model. single: compute in single precision."""
        return Likelihood(self, Model(model) if isinstance(model, str) else model, rows, newick, single)

    def align_reads(self, reference: Sequence[NamedSequence], newick: str, reads: Sequence[NamedSequence], *, protein: bool = False,
                    keep_insertions: bool = False, mismatch: int = 3, insertion: int = 3, gap_open: int = 4, gap_extend: int = 1,
                    cgap: int = 3) -> Alignment:
        """Align reads to the edges of a tree of aligned sequences, by PaPaRa. The options are those of `warpladder align-reads`."""
        given = {"protein": protein, "keep_insertions": keep_insertions, "mismatch": mismatch, "insertion": insertion, "gap_open": gap_open,
                 "gap_extend": gap_extend, "cgap": cgap}
        made = c_void_p()
        self._call("align_reads", byref(_options(_native.ReadOptions, given)), *_sequences(reference), newick.encode(),
                   *_sequences(reads), byref(made))
        try:
            columns, rows = library().warpladder_alignment_columns(made), len(reference) + len(reads)
            letters = ctypes.string_at(library().warpladder_alignment_letters(made), rows * columns)
            placements = ctypes.string_at(library().warpladder_alignment_placements(made), len(reads) * PLACEMENT.itemsize)
            return Alignment(np.frombuffer(placements, PLACEMENT), np.frombuffer(letters, "S1").reshape(rows, columns),
                             library().warpladder_alignment_tree(made).decode())
        finally:
            library().warpladder_alignment_close(made)


class Database(_Closed):
    """Of Session.database. Close it when nobody searches it."""

    def __init__(self, session: Session, source: Union[str, PathLike[str], Sequence[NamedSequence]], nucleotide: bool) -> None:
        self._own = c_void_p()
        if isinstance(source, (str, PathLike)):
            session._call("database_open", fspath(source).encode(), nucleotide, byref(self._own))
        else:
            session._call("database_make", *_sequences(source), nucleotide, byref(self._own))
        session._made.add(self)

    def close(self) -> None:
        library().warpladder_database_close(self._own)
        self._own = c_void_p()

    def __len__(self) -> int:
        """The number of sequences."""
        return int(library().warpladder_database_count(self._handle))

    @property
    def letters(self) -> int:
        """The number of letters in all of them."""
        return int(library().warpladder_database_letters(self._handle))


class Likelihood(_Closed):
    """Of Session.likelihood: opened once, evaluated often. Node i is the tip of row i; every other node comes after its children, and the
    root is the last. parent [nodes]: 2**32 - 1 for the root. length [nodes]: of the branch above each node, changed by set_lengths."""

    def __init__(self, session: Session, model: Model, rows: Sequence[NamedSequence], newick: str, single: bool) -> None:
        self._session, self._own = session, c_void_p()
        session._call("likelihood_open", byref(model._struct()), *_sequences(rows), newick.encode(), single, byref(self._own))
        session._made.add(self)
        nodes = library().warpladder_likelihood_nodes(self._handle)
        self.columns = int(library().warpladder_likelihood_columns(self._handle))
        self.parent: npt.NDArray[np.uint32] = np.empty(nodes, dtype=np.uint32)
        self.length: npt.NDArray[np.float64] = np.empty(nodes)
        library().warpladder_likelihood_tree(self._handle, self.parent.ctypes.data, self.length.ctypes.data)

    def close(self) -> None:
        library().warpladder_likelihood_close(self._own)
        self._own = c_void_p()

    def set_lengths(self, length: npt.ArrayLike) -> None:
        """The next evaluation computes only the branches that differ, and the nodes above them."""
        new = np.array(length, dtype=np.float64, order="C")
        if new.shape != self.length.shape:
            raise Error(2, f"length: found an array of shape {new.shape}; expected {self.length.shape}")
        self._session._expect(library().warpladder_likelihood_set_lengths(self._handle, new.ctypes.data))
        self.length = new

    def set_model(self, model: Union[Model, str]) -> None:
        """To one with the same states and as many classes of rates."""
        struct = (Model(model) if isinstance(model, str) else model)._struct()
        self._session._expect(library().warpladder_likelihood_set_model(self._handle, byref(struct)))

    def evaluate(self) -> tuple[float, npt.NDArray[np.float64]]:
        """The natural logarithm of the likelihood, and that of each column."""
        total, column = c_double(), np.empty(self.columns)
        self._session._expect(library().warpladder_likelihood_evaluate(self._handle, byref(total), column.ctypes.data))
        return total.value, column


def version() -> str:
    """Of the library that is in use."""
    return str(library().warpladder_version().decode())
