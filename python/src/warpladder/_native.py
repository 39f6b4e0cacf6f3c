"""libwarpladder's functions and structs, as library/warpladder.h declares them."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from functools import lru_cache

from .program import library_path


class Sequence(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("letters", c_char_p), ("length", c_size_t)]


class DistanceOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("measure", c_int), ("rescale", c_int), ("every_letter", c_int), ("present", c_char_p)]


class SearchOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("matrix", c_char_p), ("gap_open", c_int), ("gap_extend", c_int), ("match", c_int), ("mismatch", c_int),
                ("minus_strand", c_int), ("finite_size", c_int), ("without_paths", c_int), ("least_score", c_int), ("most_hits", c_size_t),
                ("highest_evalue", c_double)]


class Hit(ctypes.Structure):
    _fields_ = [("query", c_size_t), ("subject", c_size_t), ("name", c_char_p), ("score", c_int), ("strand", c_int), ("bits", c_double),
                ("evalue", c_double), ("query_start", c_size_t), ("query_end", c_size_t), ("subject_start", c_size_t),
                ("subject_end", c_size_t), ("columns", c_size_t), ("identities", c_size_t), ("positives", c_size_t),
                ("gap_openings", c_size_t), ("gap_residues", c_size_t), ("path", c_char_p)]


class Model(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("alpha", c_double), ("kappa", c_double), ("omega", c_double),
                ("exchange", c_double * 6), ("frequencies", c_char_p), ("own_frequencies", POINTER(c_double)), ("median", c_int),
                ("mitochondrial", c_int)]


class ReadOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("protein", c_int), ("keep_insertions", c_int), ("mismatch", c_int), ("insertion", c_int),
                ("gap_open", c_int), ("gap_extend", c_int), ("cgap", c_int)]


_sequences = (POINTER(Sequence), c_size_t)
_matrix = (c_size_t, c_size_t, c_void_p, c_void_p)  # count, sites, distance, compared

# What each function takes; those of the second table return a warpladder_status.
_VALUES = {
    "version": (c_char_p,),
    "close": (None, c_void_p),
    "error": (c_char_p, c_void_p),
    "notes": (c_char_p, c_void_p),
    "device_name": (c_char_p, c_void_p),
    "database_close": (None, c_void_p),
    "database_count": (c_size_t, c_void_p),
    "database_letters": (c_uint64, c_void_p),
    "hits_close": (None, c_void_p),
    "hits_items": (POINTER(Hit), c_void_p, POINTER(c_size_t)),
    "likelihood_close": (None, c_void_p),
    "likelihood_nodes": (c_size_t, c_void_p),
    "likelihood_columns": (c_size_t, c_void_p),
    "likelihood_tree": (None, c_void_p, c_void_p, c_void_p),
    "alignment_close": (None, c_void_p),
    "alignment_placements": (c_void_p, c_void_p),
    "alignment_columns": (c_size_t, c_void_p),
    "alignment_letters": (c_void_p, c_void_p),
    "alignment_tree": (c_char_p, c_void_p),
}
_CALLS = {
    "open": (c_char_p, POINTER(c_void_p)),
    "set_threads": (c_void_p, c_int),
    "set_memory": (c_void_p, c_size_t),
    "distances_letters": (c_void_p, POINTER(DistanceOptions), c_void_p, *_matrix),
    "distances_numbers": (c_void_p, POINTER(DistanceOptions), c_void_p, *_matrix),
    "database_open": (c_void_p, c_char_p, c_int, POINTER(c_void_p)),
    "database_make": (c_void_p, *_sequences, c_int, POINTER(c_void_p)),
    "search": (c_void_p, POINTER(SearchOptions), c_void_p, *_sequences, POINTER(c_void_p)),
    "likelihood_open": (c_void_p, POINTER(Model), *_sequences, c_char_p, c_int, POINTER(c_void_p)),
    "likelihood_set_lengths": (c_void_p, c_void_p),
    "likelihood_set_model": (c_void_p, POINTER(Model)),
    "likelihood_evaluate": (c_void_p, POINTER(c_double), c_void_p),
    "align_reads": (c_void_p, POINTER(ReadOptions), *_sequences, c_char_p, *_sequences, POINTER(c_void_p)),
}


@lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, opened once; OSError where it cannot be."""
    opened = ctypes.CDLL(str(library_path()))
    for name, (result, *arguments) in _VALUES.items():
        function = getattr(opened, "warpladder_" + name)
        function.restype, function.argtypes = result, arguments
    for name, types in _CALLS.items():
        function = getattr(opened, "warpladder_" + name)
        function.restype, function.argtypes = c_int, types
    return opened
