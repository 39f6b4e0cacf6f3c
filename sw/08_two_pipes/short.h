/* The same cell for a query of up to 32 rows, all of which each lane has: one query, two subjects.

   Expected: no shuffles and no rows that only fill eight lanes. A column of 10 rows costs 102 clock cycles for two letters of each
   lane, so 6.6 TCUPS on an H200; groups of eight lanes reach 1.3.
   Measured: 6.0 on an H100, which has as many multiprocessors. */
#ifndef SW_08_TWO_PIPES_SHORT_H
#define SW_08_TWO_PIPES_SHORT_H

#include "sw/kit/short.h"

/* OPEN and EXTEND are the gap costs; if both are 0, the view has them. */
template <int ROWS, int OPEN, int EXTEND>
static __global__ void __launch_bounds__(SW_SHORT_THREADS, SW_SHORT_BLOCKS) short_two_subjects(sw_short_view v) {
    enum { WORDS = SW_SHORT_WORDS(1, ROWS), LETTER = SW_SHORT_COPIES * WORDS, GROUP = 2 * SW_WARP };
    __shared__ __align__(16) uint32_t profile[SW_PROFILE_CODES * LETTER];
    const uint32_t *own = sw_short_profile(&v, WORDS, profile);
    const int lane = threadIdx.x % SW_WARP;
    const __half2 minus_open = floats(OPEN ? (0x8000u | OPEN) * 0x10001u : (0x8000u | v.gap_open) * 0x10001u);
    const uint32_t minus_extend =
        EXTEND ? (0x10000u - EXTEND) * 0x10001u : (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    for (unsigned group; (group = sw_short_next(&v)) < v.groups;) {
        const uint2 *next = (const uint2 *)(v.residues + v.group_start[group]) + lane;
        int words = (int)((v.group_start[group + 1] - v.group_start[group]) / GROUP);
        uint2 arrived = words > 0 ? *next : make_uint2(0, 0);
        uint32_t H[ROWS], E[ROWS], best = 0; // H of column j - 1, E of column j; one subject's in the lower halves
#pragma unroll
        for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        for (; words > 0; words--) {
            const uint32_t x = arrived.x, y = arrived.y;
            next += SW_WARP;
            if (words > 1) arrived = *next; // while these four columns are computed
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const uint32_t *scores_x = own + (x >> 8 * c & 0xff) * LETTER,
                               *scores_y = own + (y >> 8 * c & 0xff) * LETTER;
                uint32_t F = 0, diagonal = 0, of_x[4], of_y[4];
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    if (r % 8 == 0) { // eight rows' scores with each subject's letter
                        const uint4 a = *(const uint4 *)(scores_x + r / 2 * SW_SHORT_COPIES),
                                    b = *(const uint4 *)(scores_y + r / 2 * SW_SHORT_COPIES);
                        of_x[0] = a.x, of_x[1] = a.y, of_x[2] = a.z, of_x[3] = a.w;
                        of_y[0] = b.x, of_y[1] = b.y, of_y[2] = b.z, of_y[3] = b.w;
                    }
                    const uint32_t matched = add_scores(of_x[r % 8 / 2], of_y[r % 8 / 2], r % 2, diagonal);
                    diagonal = H[r];
                    H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                    const uint32_t opened = bits(__hadd2(floats(H[r]), minus_open));
                    E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                    F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                    if (r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
                }
            }
        }
        const unsigned subject = GROUP * group + 2 * lane;
        if (subject < v.subjects) v.score[0][subject] = best & 0xffff;
        if (subject + 1 < v.subjects) v.score[0][subject + 1] = best >> 16;
    }
}

extern const sw_short_kernel short_any_costs[];
#if defined(WL_SIMULATED) || defined(ANY_COSTS)
#define SHORT_ANY(rows) short_two_subjects<rows, 0, 0>,
const sw_short_kernel short_any_costs[] = {SW_SHORT_ROWS(SHORT_ANY)};
#endif

#ifndef ANY_COSTS
#define SHORT_BLOSUM62(rows) short_two_subjects<rows, 12, 1>,
static const sw_short_kernel short_blosum62[] = {SW_SHORT_ROWS(SHORT_BLOSUM62)};
#endif
#endif
