/* Smith-Waterman: the score of the best local alignment of every query with every sequence of a database
   (Ligowski & Rudnicki 2009). */
#ifndef SW_PROBLEM_H
#define SW_PROBLEM_H

#include "harness/base/resident.h"
#include "harness/bench/variant.h"
#include "sw/scoring/scoring.h"
#include "io/database/set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What every variant gets, from the harness and from `search` alike. Only views: the caller keeps the memory until the
   variant's state is released.

   The paper's recurrence, i over the query's rows and j over the subject's columns, out-of-range H zero and E, F minus infinity:
     E[i][j] = max(E[i][j-1] - gap_extend, H[i][j-1] - gap_open)
     F[i][j] = max(F[i-1][j] - gap_extend, H[i-1][j] - gap_open)
     H[i][j] = max(0, E[i][j], F[i][j], H[i-1][j-1] + matrix[query[i]][subject[j]])
   The score of a pair is the largest H. */
typedef struct {
    sw_scoring scoring;
    sw_set queries;  // in the order given; lengths 1 .. SW_LENGTH_MOST
    sw_set database; // longest first
    wl_resident
        *resident; // where a GPU's stage keeps a copy of the database's residues for the next input; NULL: nowhere
} sw_input;

/* The result is int score[queries.count][database.count]. Why a score may be too large for it, or NULL: variants refuse
   what the reference could not compute. With a match of 2 that takes two sequences of a billion. */
static inline const char *sw_refuse_scores(const sw_input *in) {
    const uint32_t shorter = in->queries.longest < in->database.longest ? in->queries.longest : in->database.longest;
    const double most = (double)shorter * in->scoring.highest;
    return most > INT32_MAX - SW_GAP_MOST - SW_SCORE_MOST ? "a score may be larger than 32 bits hold" : NULL;
}

#ifdef __cplusplus
}
#endif
#endif
