/* What stages 08 and 09 share: scores without the costs that are known beforehand (papara/08_shifted_scores/README.md derives them), in
   stripes of columns, so that they fit into 16 bits. */
#ifndef PAPARA_KIT_SHIFTED_H
#define PAPARA_KIT_SHIFTED_H

#include "papara/kit/pairs.h"

enum {
    PAPARA_STRIPE = 512,        // columns, at most, after which scores are shifted back
    PAPARA_SHIFT_MOST = 12000,  // the largest shift in a stripe
    PAPARA_NO_CELL = 20000,     // infinity: above every S'; sums with it stay below 32,768
    PAPARA_SHIFTED_MOST = 19000 // the largest S' without the shift, up or down
};

/* One row of a block. S [COLUMNS]: the row above, then this row. diagonal: S of the row above in the column before. D: D of the first
   column, then of the column after the last. X goes from right to left, because it needs the old S of the column on its left. */
template <int COLUMNS>
static __device__ __forceinline__ void papara_shifted_row(uint32_t *S, const uint32_t *cost, const uint32_t *opening,
                                                          uint32_t diagonal, uint32_t *D) {
#pragma unroll
    for (int c = COLUMNS - 1; c >= 0; c--) S[c] = __viaddmin_s16x2(c > 0 ? S[c - 1] : diagonal, cost[c], S[c]);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        // S[c] is still X. S' is not needed here: if it differs from X, it is D', and D' + opening is no less than D'.
        const uint32_t D_next = __viaddmin_s16x2(S[c], opening[c], *D);
        S[c] = __vmins2(S[c], *D);
        *D = D_next;
    }
}

/* papara_shifted_row with cells only in columns first .. last. */
template <int COLUMNS>
static __device__ __forceinline__ void papara_shifted_row_within(int first, int last, uint32_t *S, const uint32_t *cost,
                                                                 const uint32_t *opening, uint32_t diagonal,
                                                                 uint32_t *D) {
    const uint32_t none = papara_both(PAPARA_NO_CELL);
#pragma unroll
    for (int c = COLUMNS - 1; c >= 0; c--) {
        const uint32_t X = __viaddmin_s16x2(c > 0 ? S[c - 1] : diagonal, cost[c], S[c]);
        S[c] = c >= first && c <= last ? X : none;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const uint32_t D_next = __viaddmin_s16x2(S[c], opening[c], *D);
        S[c] = c <= last ? __vmins2(S[c], *D) : none;
        *D = D_next;
    }
}

/* Columns of a stripe: whole blocks, whose sites shift a score by at most PAPARA_SHIFT_MOST. */
static inline int papara_stripe(const papara_input *in, int columns) {
    const int extend = in->penalties.gap_extend;
    const int most = extend > 0 ? PAPARA_SHIFT_MOST / extend / columns * columns : PAPARA_STRIPE;
    return most < PAPARA_STRIPE ? most : PAPARA_STRIPE;
}

static inline const char *papara_shifted_refuses(const papara_input *in) {
    const papara_penalties *p = &in->penalties;
    const int highest = p->mismatch + p->cgap - p->insertion, lowest = p->insertion;
    const int fits = (double)in->reads.longest * (highest > lowest ? highest : lowest) <= PAPARA_SHIFTED_MOST;
    return fits ? NULL : "a score of the longest read may not fit into 16 bits";
}

/* Two DPX instructions and a minimum, which takes half as long, for each two cells that are computed. */
static inline void papara_shifted_cost(const wl_device *device, const void *input, wl_cost *cost) {
    papara_cost(device, input, cost);
    cost->operations = cost->operations / PAPARA_CELL_OPERATIONS * 2.5 / 2;
    cost->rate = WL_RATE_DPX16;
}

#endif
