#!/usr/bin/env python3
"""beagle_pays.py LIBRARY: rows of what the library's own benchmark says of the CPU and of the first GPU, for sizes around those from which
on a GPU is the faster. Columns: states, categories, patterns, cpu_ms, gpu_ms, ratio."""
import ctypes
import sys

TIPS = 32
PRECISION_DOUBLE = 1 << 1
SIZES = [(4, 4, (100, 300, 1000, 3000, 10000, 30000, 100000)),
         (20, 4, (30, 100, 300, 1000, 3000, 10000)),
         (61, 1, (30, 100, 300, 1000, 3600, 10000))]


class Benchmarked(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("description", ctypes.c_char_p),
                ("support", ctypes.c_long), ("required", ctypes.c_long), ("code", ctypes.c_int),
                ("implementation", ctypes.c_char_p), ("flags", ctypes.c_long), ("ms", ctypes.c_double),
                ("ratio", ctypes.c_double)]


class List(ctypes.Structure):
    _fields_ = [("item", ctypes.POINTER(Benchmarked)), ("length", ctypes.c_int)]


def main():
    ask = ctypes.CDLL(sys.argv[1]).beagleGetBenchmarkedResourceList
    ask.restype = ctypes.POINTER(List)
    ask.argtypes = ([ctypes.c_int] * 5 + [ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_long] +
                    [ctypes.c_int] * 3 + [ctypes.c_long])
    print("states", "categories", "patterns", "cpu_ms", "gpu_ms", "ratio", sep="\t")
    for states, categories, counts in SIZES:
        for patterns in counts:
            found = ask(TIPS, TIPS, states, patterns, categories, None, 0, PRECISION_DOUBLE, 0, 1, 1, 0, 0)
            ms = {}
            for i in range(found.contents.length):
                item = found.contents.item[i]
                if item.code != 0:
                    sys.exit(f"beagle_pays.py: resource {item.number}: {item.code}")
                ms[item.number] = item.ms
            if 1 not in ms:
                sys.exit("beagle_pays.py: there is no GPU")
            print(states, categories, patterns, f"{ms[0]:.4f}", f"{ms[1]:.4f}", f"{ms[0] / ms[1]:.3f}", sep="\t",
                  flush=True)


main()
