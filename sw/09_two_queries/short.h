/* The same cell for pairs of queries of up to 32 rows, all of which each lane has. A shorter query's last rows score below zero.

   Expected: 94 clock cycles for a column of 10 rows, so 7.1 TCUPS with two queries.
   Measured: 7.1 on an H100, this kernel alone. */
#ifndef SW_09_TWO_QUERIES_SHORT_H
#define SW_09_TWO_QUERIES_SHORT_H

#include "sw/kit/short.h"

/* OPEN and EXTEND are the gap costs; if both are 0, the view has them. */
template <int ROWS, int OPEN, int EXTEND>
static __global__ void __launch_bounds__(SW_SHORT_THREADS, SW_SHORT_BLOCKS) short_two_queries(sw_short_view v) {
    enum { WORDS = SW_SHORT_WORDS(2, ROWS), LETTER = SW_SHORT_COPIES * WORDS };
    __shared__ __align__(16) uint32_t profile[SW_PROFILE_CODES * LETTER];
    const uint32_t *own = sw_short_profile(&v, WORDS, profile);
    const __half2 minus_open = floats(OPEN ? (0x8000u | OPEN) * 0x10001u : (0x8000u | v.gap_open) * 0x10001u);
    const uint32_t minus_extend =
        EXTEND ? (0x10000u - EXTEND) * 0x10001u : (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    for (unsigned group; (group = sw_short_next(&v)) < v.groups;) {
        const uint32_t *next = v.residues + v.group_start[group] + threadIdx.x % WARP;
        int words = (int)((v.group_start[group + 1] - v.group_start[group]) / WARP);
        uint32_t arrived = words > 0 ? *next : 0;
        uint32_t H[ROWS], E[ROWS], best = 0; // H of column j - 1, E of column j; the first query's in the lower halves
#pragma unroll
        for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        for (; words > 0; words--) {
            const uint32_t x = arrived;
            next += WARP;
            if (words > 1) arrived = *next; // while these four columns are computed
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const uint32_t *scores = own + (x >> 8 * c & 0xff) * LETTER;
                uint32_t F = 0, diagonal = 0, of[4];
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    if (r % 4 == 0) { // four rows' scores
                        const uint4 four = *(const uint4 *)(scores + r * SW_SHORT_COPIES);
                        of[0] = four.x, of[1] = four.y, of[2] = four.z, of[3] = four.w;
                    }
                    const uint32_t matched = r == 0 ? of[0] : bits(__hadd2(floats(diagonal), floats(of[r % 4])));
                    diagonal = H[r];
                    H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                    const uint32_t opened = bits(__hadd2(floats(H[r]), minus_open));
                    E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                    F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                    if (r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
                }
            }
        }
        const unsigned subject = WARP * group + threadIdx.x % WARP;
        if (subject < v.subjects) {
            v.score[0][subject] = best & 0xffff;
            if (v.score[1] != NULL) v.score[1][subject] = best >> 16;
        }
    }
}

extern const sw_short_kernel short_two_any_costs[];
#if defined(WL_SIMULATED) || defined(ANY_COSTS)
#define SHORT_ANY(rows) short_two_queries<rows, 0, 0>,
const sw_short_kernel short_two_any_costs[] = {SW_SHORT_ROWS(SHORT_ANY)};
#endif

#ifndef ANY_COSTS
#define SHORT_BLOSUM62(rows) short_two_queries<rows, TWO_OPEN, TWO_EXTEND>,
static const sw_short_kernel short_two_blosum62[] = {SW_SHORT_ROWS(SHORT_BLOSUM62)};
#endif
#endif
