#!/usr/bin/env python3
"""genomes.py INSTANCES SITES SEED FILE: FASTA of random relatives, one line each, that differ from an ancestor at one of a hundred sites; N
and gaps are among what they have there. 600 MB take a few seconds."""
import sys

import numpy as np


def main():
    instances, sites, seed = (int(word) for word in sys.argv[1:4])
    random = np.random.default_rng(seed)
    ancestor = np.frombuffer(b"ACGT", np.uint8)[random.integers(0, 4, sites)]
    letters = np.frombuffer(b"ACGTACGTACGTACGTN-", np.uint8)
    with open(sys.argv[4], "wb") as file:
        for i in range(instances):
            genome = ancestor.copy()
            at = random.integers(0, sites, sites // 100)
            genome[at] = letters[random.integers(0, len(letters), len(at))]
            file.write(b">genome%d\n" % (i + 1) + genome.tobytes() + b"\n")


if __name__ == "__main__":
    main()
