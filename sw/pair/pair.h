/* The score of one pair's best local alignment and where that ends, by all lanes and threads on one matrix: for sequences too long,
   or too few, for a subject in every lane (sw/cpu_simd). */
#ifndef SW_PAIR_H
#define SW_PAIR_H

#include <stdint.h>

#include "harness/base/error.h"
#include "sw/scoring/scoring.h"

/* Which of several ends with the best score is wanted. */
typedef enum {
    SW_ANY_END,       /* none: only the score is set */
    SW_LEAST_SUBJECT, /* the least subject position, then the least query position */
    SW_LEAST_QUERY    /* the least query position, then the least subject position */
} sw_which_end;

typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject; /* [m], [n] codes */
    uint32_t m, n;
    sw_which_end end;
    int score;   /* the best score where that is known, and then the search ends with it; else 0 */
    int bits;    /* lanes that are known to be too narrow for the score: 8, 16; else 0 */
    int threads; /* at most */
} sw_pair;

typedef struct {
    int score;
    uint32_t query, subject; /* residues of either up to and with the alignment's last pair; 0 where the score is */
} sw_pair_best;

/* The recurrence of sw/problem.h. WL_NO_MACHINE when memory is short, or WL_CPU_ISA asks for what is not here. */
wl_status sw_pair_find(const sw_pair *pair, sw_pair_best *best);

#endif
