/* Tables of allele numbers, as cgMLST and MLST have them: equal or not, and nothing between. */
#pragma once

#include "io/table.h"
#include "tools/distances/read/rows.h"

/* Does the header's first field begin a table of allele numbers, as chewBBACA's FILE and PubMLST's ST do? */
int distances_alleles_begin(const char *corner);
/* Is it a field that only such a table has: INF-7, *7, LNF? */
int distances_is_allele_word(wl_table_field field);
/* The allele's number; 0: it is missing, which 0, a number below it, and words such as LNF say; -1: it is none of them. */
double distances_allele(wl_table_field field);

/* Real numbers, NaN where missing, become codes of each column if these fit, else they stay. Their kind is DISTANCES_CATEGORIES. */
wl_status distances_alleles_finish(distances_rows *rows);
