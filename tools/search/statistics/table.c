/* Gapped Karlin-Altschul parameters, simulated by their publishers. Proteins: Altschul & Gish 1996; Altschul, Bundschuh, Olsen & Hwa 2001;
   variance and covariance, Park, Sheetlin, Ma, Madden & Spouge 2012. Nucleotides: the tables of BLAST+. The numbers are those of NCBI's
   BLAST+ 2.12 (blast_stat.c, public domain), and tests/tools/search/blast compares every row with what blastp and blastn print. */
#include "tools/search/statistics/table.h"

#include <stddef.h>

const sw_protein_row sw_protein_rows[] = {
#include "tools/search/statistics/proteins.rows"
    {NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* The same of alignments without gaps: what gaps add to lengths is in proportion to the difference. */
const sw_protein_limit sw_protein_limits[] = {
#include "tools/search/statistics/proteins_without_gaps.rows"
    {NULL, 0, 0},
};

const sw_nucleotide_row sw_nucleotide_rows[] = {
#include "tools/search/statistics/nucleotides.rows"
    {0, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* Gaps so dear that alignments hardly have any: the parameters of alignments without gaps, which need no simulation
   (Karlin & Altschul 1990, for bases of equal frequency; alpha is lambda / H). `open` and `extend` are the least for
   which BLAST takes these. */
const sw_nucleotide_row sw_nucleotide_limits[] = {
#include "tools/search/statistics/nucleotides_without_gaps.rows"
    {0, 0, 0, 0, 0, 0, 0, 0, 0},
};
