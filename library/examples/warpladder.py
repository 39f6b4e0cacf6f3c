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
