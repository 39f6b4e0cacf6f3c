/* A table in shared memory: what each letter costs on each of a block's columns, for each lane's two vectors. All warps of a block
   of threads make it together from the sites' states and read it. Row 0 has, for each column, the gaps of the column after it. Row
   1 + s has the costs of set s of the view (papara_number_sets).

     table     [1 + sets][COLUMNS / PAPARA_QUAD][32], of this lane
     site      [padded][32] of this lane: of column i, which counts from 1, at (i - 1) * 32 */
#ifndef PAPARA_KIT_TABLE_H
#define PAPARA_KIT_TABLE_H

#include "papara/kit/pairs.h"

enum { PAPARA_QUAD = 4 }; // columns whose costs one load brings

/* The sites from which this thread makes costs: a quad of columns, and the column after it. */
template <int COLUMNS>
static __device__ __forceinline__ void papara_load_sites(const uint2 *site, int i, uint2 (&sites)[PAPARA_QUAD + 1]) {
    const int quad = threadIdx.x / PAPARA_WARP % (COLUMNS / PAPARA_QUAD);
#pragma unroll
    for (int k = 0; k <= PAPARA_QUAD; k++) sites[k] = site[(size_t)(i - 1 + quad * PAPARA_QUAD + k) * PAPARA_WARP];
}

/* The half of the first vector from a, that of the second from b. */
static __device__ __forceinline__ uint32_t papara_halves(uint32_t a, uint32_t b) {
    return (a & 0xffff) | (b & 0xffff0000);
}

/* A warp makes a quad of columns; if there are more warps than quads, some rows of it. A diagonal step is shifted by its site
   and its letter; on a site with CGAP only by its letter. */
template <int COLUMNS, int WARPS>
static __device__ __forceinline__ void papara_make_table(const papara_view *v, uint4 *table, uint32_t *first_gap,
                                                         const uint2 (&sites)[PAPARA_QUAD + 1]) {
    enum { QUADS = COLUMNS / PAPARA_QUAD, SHARES = WARPS / QUADS };
    const uint32_t match = papara_both(-v->gap_extend - v->insertion),
                   match_on_gap = papara_both(v->cgap - v->insertion);
    const uint32_t other = papara_both(v->mismatch - v->gap_extend - v->insertion);
    const uint32_t other_on_gap = papara_both(v->mismatch + v->cgap - v->insertion);
    const int warp = threadIdx.x / PAPARA_WARP, quad = warp % QUADS;
    uint32_t same[PAPARA_QUAD], differs[PAPARA_QUAD], gaps[PAPARA_QUAD + 1];
#pragma unroll
    for (int k = 0; k <= PAPARA_QUAD; k++) {
        const bool x = (sites[k].x & PAPARA_CGAP) != 0, y = (sites[k].y & PAPARA_CGAP) != 0;
        gaps[k] = papara_halves(x ? 0 : 1, y ? 0 : 0x10000);
        if (k == PAPARA_QUAD) continue;
        same[k] = papara_halves(x ? match_on_gap : match, y ? match_on_gap : match);
        differs[k] = papara_halves(x ? other_on_gap : other, y ? other_on_gap : other);
    }
    uint4 *to = table + quad * PAPARA_WARP;
    if (warp < QUADS) to[0] = make_uint4(gaps[1], gaps[2], gaps[3], gaps[4]);
    if (warp == 0) *first_gap = gaps[0];
    for (unsigned s = warp / QUADS; s < v->sets; s += SHARES) {
        const uint32_t set = v->set[s];
        uint32_t cost[PAPARA_QUAD];
#pragma unroll
        for (int k = 0; k < PAPARA_QUAD; k++)
            cost[k] = papara_halves(sites[k].x & set ? same[k] : differs[k], sites[k].y & set ? same[k] : differs[k]);
        to[(1 + s) * QUADS * PAPARA_WARP] = make_uint4(cost[0], cost[1], cost[2], cost[3]);
    }
}

/* A row of the table, for this lane. */
template <int COLUMNS> static __device__ __forceinline__ void papara_load_costs(const uint4 *from, uint32_t *to) {
#pragma unroll
    for (int q = 0; q < COLUMNS / PAPARA_QUAD; q++) {
        const uint4 four = from[q * PAPARA_WARP];
        to[PAPARA_QUAD * q] = four.x;
        to[PAPARA_QUAD * q + 1] = four.y;
        to[PAPARA_QUAD * q + 2] = four.z;
        to[PAPARA_QUAD * q + 3] = four.w;
    }
}

#endif
