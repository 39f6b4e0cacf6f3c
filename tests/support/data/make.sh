#!/bin/sh
# Write the examples of real-looking input. The data are invented: nothing here comes from a database.
#
#   alignment.fasta   12 sequences of 300 aligned letters: a random ancestor, from which each sequence differs by
#                     substitutions (1 to 12 in 100, rising down the file), a few gaps at common places, and now and
#                     then a letter read as N; lines of 60, lower case where it is "repeated"
#   genotypes.tsv     20 individuals by 40 loci, the number (0, 1, 2) of copies of the rarer allele, with row names
#                     and a header; each locus has its own frequency
#
# Random numbers: Park and Miller's generator, x = 16807 x mod 2^31-1, the same in every awk.
set -eu
cd "$(dirname "$0")"

awk 'function below(n) { x = (x * 16807) % 2147483647; return int(x / 2147483647 * n) }
BEGIN {
    x = 20101
    for (k = 0; k < 300; k++) ancestor[k] = substr("ACGT", below(4) + 1, 1)
    for (i = 1; i <= 12; i++) {
        printf ">sample_%02d invented, substitutions %d%%\n", i, i
        line = ""
        for (k = 0; k < 300; k++) {
            letter = ancestor[k]
            if (below(100) < i) letter = substr("ACGT", below(4) + 1, 1)
            if (k % 97 >= 90 && i % 3 == int(k / 97) % 3) letter = "-"
            if (below(200) == 0 && letter != "-") letter = "N"
            if (k >= 180 && k < 210) letter = tolower(letter)
            line = line letter
        }
        for (k = 0; k < 300; k += 60) print substr(line, k + 1, 60)
    }
}' >alignment.fasta
gzip -nc9 alignment.fasta >alignment.fasta.gz

awk 'function below(n) { x = (x * 16807) % 2147483647; return int(x / 2147483647 * n) }
BEGIN {
    x = 30203
    printf "individual"
    for (k = 1; k <= 40; k++) {
        printf "\tlocus%d", k
        rare[k] = 5 + below(45)
    }
    printf "\n"
    for (i = 1; i <= 20; i++) {
        printf "ind%02d", i
        for (k = 1; k <= 40; k++) printf "\t%d", (below(100) < rare[k]) + (below(100) < rare[k])
        printf "\n"
    }
}' >genotypes.tsv
