/* Karlin-Altschul statistics as BLAST reports them: bit scores and E-values from published parameters.

   These are the E-values of SWIPE, of blastn, and of blastp until its finite-size correction of 2012 (Park, Sheetlin,
   Ma, Madden & Spouge, BMC Research Notes 5:286), which looks at the lengths of each pair. With OLD_FSC=1 in its
   environment, blastp reports these to this day. */
#ifndef SW_STATISTICS_H
#define SW_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "sw/scoring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gapped parameters of a matrix and pair of gap costs. known: 0 when nobody has published them; then nothing else
   holds. */
typedef struct {
    int known;
    double lambda, K, H, alpha, beta;
    int even; // the parameters hold for even scores: an odd one's E-value is the even one's below it
} sw_statistics;

/* By the matrix's scores, not by its name: a file called BLOSUM62 that holds something else has no statistics. */
sw_statistics sw_statistics_of(const sw_scoring *scoring);

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
double sw_evalue(const sw_statistics *statistics, const sw_space *space, int score);
/* The least score whose E-value is at most `evalue`, at least 1; INT_MAX where there is none. Without statistics: 1. */
int sw_score_for(const sw_statistics *statistics, const sw_space *space, double evalue);

#ifdef __cplusplus
}
#endif
#endif
