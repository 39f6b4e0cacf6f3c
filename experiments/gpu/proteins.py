#!/usr/bin/env python3
"""proteins.py COUNT SEED LENGTHS DATABASE QUERIES: random proteins as FASTA files, for measuring `warpladder search`.

COUNT sequences of Swiss-Prot-like length (lognormal, median 295, sigma 0.63) in DATABASE, one of each of LENGTHS
("144,189") in QUERIES; letters by Robinson & Robinson 1991, as sw/generate.c has them."""
import sys

import numpy as np

FREQUENCIES = {  # per 100,000
    "A": 7805, "R": 5129, "N": 4487, "D": 5364, "C": 1925, "Q": 4264, "E": 6295, "G": 7377, "H": 2199, "I": 5142,
    "L": 9019, "K": 5744, "M": 2243, "F": 3856, "P": 5203, "S": 7120, "T": 5841, "W": 1330, "Y": 3216, "V": 6441,
}


def write(path, name, lengths, random):
    table = np.frombuffer("".join(a * n for a, n in FREQUENCIES.items()).encode(), np.uint8)
    letters = table[random.integers(0, len(table), int(lengths.sum()), np.uint32)].tobytes()
    at = 0
    with open(path, "wb") as file:
        for k, length in enumerate(lengths):
            file.write(b">%s%d\n%s\n" % (name, k + 1, letters[at : at + length]))
            at += length


count, seed, query_lengths, database, queries = sys.argv[1:]
random = np.random.default_rng(int(seed))
lengths = np.clip(random.lognormal(np.log(295), 0.63, int(count)), 1, 40000).astype(np.int64)
write(database, b"protein", lengths, random)
write(queries, b"query", np.array([int(n) for n in query_lengths.split(",")]), random)
