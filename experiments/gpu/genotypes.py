#!/usr/bin/env python3
"""genotypes.py SAMPLES SITES SEED STEM: random genotypes as PLINK's STEM.bed, .bim and .fam, quickly (a gigabyte in some seconds).

Each site has one of 64 allele frequencies; genotypes are in Hardy-Weinberg proportions, and one of 50 is missing. Needs numpy."""
import sys

import numpy

FREQUENCIES, MISSING, DRAWS = 64, 0.02, 1 << 16
A1A1, MISSING_CODE, A1A2, A2A2 = 0, 1, 2, 3  # as .bed has them, two bits each


def packed_draws(random, frequency):
    """[DRAWS] bytes of four genotypes each."""
    p = numpy.array([frequency**2, 0, 2 * frequency * (1 - frequency), (1 - frequency) ** 2]) * (1 - MISSING)
    p[MISSING_CODE] = MISSING
    codes = random.choice([A1A1, MISSING_CODE, A1A2, A2A2], size=(DRAWS, 4), p=p / p.sum()).astype(numpy.uint8)
    return codes[:, 0] | codes[:, 1] << 2 | codes[:, 2] << 4 | codes[:, 3] << 6


def main():
    samples, sites, seed, stem = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    random = numpy.random.Generator(numpy.random.SFC64(seed))
    tables = [packed_draws(random, 0.02 + 0.48 * k / FREQUENCIES) for k in range(FREQUENCIES)]
    width = (samples + 3) // 4
    with open(stem + ".bed", "wb") as bed:
        bed.write(b"\x6c\x1b\x01")
        for site in range(sites):
            row = tables[site % FREQUENCIES][numpy.frombuffer(random.bytes(2 * width), dtype=numpy.uint16)]
            if samples % 4:
                row[-1] &= (1 << 2 * (samples % 4)) - 1  # behind the last sample .bed has zeros
            bed.write(row.tobytes())
    with open(stem + ".fam", "w") as fam:
        fam.writelines(f"f{i} s{i} 0 0 0 -9\n" for i in range(samples))
    with open(stem + ".bim", "w") as bim:
        bim.writelines(f"1\tv{k}\t0\t{k + 1}\tA\tC\n" for k in range(sites))


main()
