/* Evolutionary distances of two sequences of nucleotides, from counts of the sites at which both have a base. */
#pragma once

/* Substitutions a site that the model expects for these counts. NaN where no site was compared, or where the model has no answer:
   sequences that differ too much; infinity at its limit. Each equals dist.dna of R's package ape.

   Jukes & Cantor 1969: all changes are alike. */
double distances_jc69(double compared, double different);
/* Kimura 1980: transversions (between purines and pyrimidines) are not like transitions (within them). */
double distances_k80(double compared, double different, double transversions);
/* Tamura & Nei 1993: nor are the two kinds of transitions (A-G and C-T) alike; `frequency` [4] of A, C, G, T. */
double distances_tn93(double compared, double different, double transversions, double purines,
                      const double frequency[4]);
/* Lockhart et al. 1994: any model; `count` [4][4] of pairs of bases. Only where all bases are equally frequent it is 0 for a
   sequence and itself. */
double distances_logdet(const double count[16]);
