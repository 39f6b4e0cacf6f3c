/* Karlin-Altschul statistics as BLAST reports them: bit scores and E-values from published parameters.

   There are two kinds. Those of SWIPE, of blastn, and of blastp until 2012 shorten query and database by what an alignment takes at their
   ends. blastp reports these to this day with OLD_FSC=1 in its environment. Those of blastp since 2012 use Spouge's finite-size
   correction, which looks at the lengths of each pair (Park, Sheetlin, Ma, Madden & Spouge 2012, BMC Research Notes 5:286). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sw/scoring/scoring.h"

/* A number that grows with the score: at + per * score. */
typedef struct {
    double at, per;
} sw_line;

/* Gapped parameters of a matrix and pair of gap costs. known: 0 when nobody has published them; then nothing else
   holds. */
typedef struct {
    int known;
    double lambda, K, H, alpha, beta;
    int by_composition; // the gaps are dearer than any simulated, and a query with sets of bases has parameters of its own
    int even;           // the parameters hold for even scores: an odd one's E-value is the even one's below it
    /* What an alignment takes of either sequence: its mean, variance, and the covariance of the two. Proteins only. */
    int has_lengths;
    sw_line length, variance, covariance;
    int by_pair; // E-values are of the second kind; sw_statistics_of leaves it 0, and callers may set it if has_lengths is 1
} sw_statistics;

/* By the matrix's scores, not by its name: a file called BLOSUM62 that holds something else has no statistics. */
sw_statistics sw_statistics_of(const sw_scoring *scoring);

/* The gap costs for which the matrix has them, "11, 1 or 10, 1", as BLAST counts; "none". Returns `text`. */
enum { SW_COSTS_TEXT = 256 };
const char *sw_statistics_costs(const sw_scoring *scoring, char text[SW_COSTS_TEXT]);

/* Those without gaps, from the scores, to the digits that blastn has. */
void sw_statistics_of_bases(const sw_scoring *scoring, sw_statistics *statistics);
/* Those of one query with sets of bases, by its letters, as blastn has them: 1, and into *own. 0: *own is the general one. */
int sw_statistics_of_query(const sw_scoring *scoring, const sw_statistics *general, const uint8_t *residues,
                           uint32_t length, sw_statistics *own);

/* The effective search space of one query against one database: BLAST's length adjustment. */
typedef struct {
    uint64_t database_letters;
    size_t database_sequences;
    uint32_t query_length;
    int64_t length_adjustment;
    double size; // effective query length times effective database length; without statistics, the lengths' product
} sw_space;

sw_space sw_space_of(const sw_statistics *statistics, uint32_t query_length, uint64_t database_letters,
                     size_t database_sequences);

/* NAN without statistics. */
double sw_bits(const sw_statistics *statistics, int score);
double sw_evalue(const sw_statistics *statistics, const sw_space *space, uint32_t subject_length, int score);
/* The least score whose E-value is at most `evalue`, at least 1; INT_MAX where there is none. Without statistics: 1.
   by_pair: scores below it have higher E-values with subjects of all lengths, and from it on with some. */
int sw_score_for(const sw_statistics *statistics, const sw_space *space, double evalue);
