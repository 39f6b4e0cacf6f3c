/* An alignment as the peeling needs it: rows matched to a tree's tips, letters as states and sets, equal columns
   once. */
#pragma once

#include <stdint.h>

#include "io/alignment.h"
#include "io/newick.h"
#include "peeling/model/model.h"
#include "peeling/problem.h"

/* Which row each tip is: tip_of[node] [nodes of newick], of inner nodes WL_NO_NODE. A name fits if it is equal; else if
   it is equal but for '_' in place of ' ' (Newick writes blanks that way) and no other row is.
   WL_BAD_INPUT, one line with file, line and name: fewer than two tips, a name twice, a tip that has no row, a row that
   is no tip; of several the first is named and all are counted. */
wl_status peeling_columns_match(const char *path, const wl_newick *newick, const char *alignment_path,
                                const wl_alignment *alignment, uint32_t *tip_of);

/* Leaves out tips without a row, and inner nodes without a tip; *pruned: how many tips. A node may keep one child. */
wl_status peeling_columns_prune(wl_newick *newick, const wl_alignment *alignment, uint32_t *pruned);

/* Patterns are in the order in which their first columns come. Columns are numbered from 0, of codons three letters
   each. */
typedef struct {
    peeling_alphabet alphabet;
    peeling_genetic_code genetic_code;
    uint32_t tips;        // the alignment's rows, in their order
    uint32_t columns;     // without the stop codons at the end
    uint32_t constants;   // the last of them, of only A, C, G or T, stand for as many as `constant` says
    uint64_t constant[4]; // [constants]
    uint32_t stop_column; // 1: the last codon was a stop codon in some row and missing in the others, and is left out
    uint32_t gap_rows, first_gap_row; // rows without any letter
    int like_nucleotides;             // of amino acids: the letters are those of nucleotides
    peeling_data data;                // what its pointers say; of these memory belongs to this struct
    uint32_t *pattern_of;             // [columns]
    /* [3][4] nucleotides by codon position (else all in the first), then [states]: how often
       each is seen */
    double *counts;
} peeling_columns;

/* Letters are those of peeling_character: either case, U as T, IUPAC's codes; '-', '?', '.', N and (amino acids) X are missing. A codon
   with a letter missing or ambiguous is the set of all sense codons that fit.
   WL_BAD_INPUT comes with one line that has file, row, and place. An alignment is refused for a letter that is none, and if it is said to
   be of other letters. If the first row has no '.', then '.' is refused in a column where that row has a letter: it may mean "the same".
   For codons, the number of columns has to be a multiple of three, and only stop_column allows a stop codon. WL_NO_MACHINE: memory is
   short. On success free with peeling_columns_free; else nothing is to be freed. threads: 0: as many as there are processors. */
wl_status peeling_columns_make(const char *path, const wl_alignment *alignment, peeling_alphabet alphabet,
                               peeling_genetic_code code, int threads, peeling_columns *columns);
void peeling_columns_free(peeling_columns *columns);

/* Adds counts[0] columns of nothing but A, counts[1] of C, of G and of T: what an alignment of variable columns was made from. Only for
   nucleotides, before anything else is asked. `alignment` is what the columns were made from, `made` the columns anew. */
wl_status peeling_columns_make_constant(const char *path, const wl_alignment *alignment, const uint64_t counts[4],
                                        int threads, peeling_columns *made);
/* How many columns column c, from 0, stands for; and all of them. */
uint64_t peeling_columns_repeats(const peeling_columns *columns, uint32_t c);
uint64_t peeling_columns_total(const peeling_columns *columns);

/* Frequencies as settings->frequencies (PEELING_OBSERVED, F1X4 or F3X4) says into settings->frequency, of the model's
   states, sum 1. Each known state counts once a row and column; a set of k states counts 1/k for each; missing data
   does not count. F1X4 and F3X4 count a codon's three letters the same way, each for itself. What is never seen is 0,
   which peeling_model_make refuses by name; where nothing is seen at all, all are equal. */
void peeling_columns_frequencies(const peeling_columns *columns, peeling_settings *settings);

/* Whether all rows may have the same state there. */
int peeling_columns_may_be_constant(const peeling_columns *columns, uint32_t pattern);
