/* The table of costs in shared memory, and what lies beside it. It has what each letter costs on each of a block's columns, for each
   lane's two vectors. All warps of a block make it together from the sites' states and read it. Row 0 has, for each column, the gaps
   of the column after it. Row 1 + s has the costs of set s of the view. */
#pragma once

#include "papara/kit/pairs.h"

enum {
    WARPS = 8, // of a block, one block per multiprocessor: a thread may have 255 registers
    QUAD = 4   // columns whose costs one load brings
};

/* Shared memory. */
typedef struct {
    uint4 *table;  // [1 + sets][COLUMNS / QUAD][32]
    uint32_t *gap; // [32]: of the first column
    uint2 *edge;   // [WARPS][rows + 1][32]: S and D of a band's rows after a block's last column
    /* [WARPS][rows + 2]: where each row's costs begin in the table; two more, for loads ahead */
    uint32_t *letters;
    unsigned *turn;
} layout;

static __host__ __device__ __forceinline__ size_t table_bytes(unsigned sets, int columns) {
    return (sizeof(uint4) * (1 + sets) * (columns / QUAD) + sizeof(uint32_t)) * PAPARA_WARP + 2 * sizeof(uint4);
}
static __host__ __device__ __forceinline__ size_t rows_bytes(int rows) {
    return WARPS * (sizeof(uint2) * PAPARA_WARP * (rows + 1) + sizeof(uint32_t) * (rows + 2));
}

template <int COLUMNS> static __device__ __forceinline__ layout layout_of(void *shared, unsigned sets, int rows) {
    layout l;
    l.table = (uint4 *)shared;
    l.gap = (uint32_t *)(l.table + (1 + sets) * (COLUMNS / QUAD) * PAPARA_WARP);
    l.turn = (unsigned *)(l.gap + PAPARA_WARP);
    l.edge = (uint2 *)(l.turn + 4);
    l.letters = (uint32_t *)(l.edge + WARPS * (rows + 1) * PAPARA_WARP);
    return l;
}

/* Rows of a band that fit into `bytes` of shared memory beside the table, at most as many as the longest read has. */
static int rows_that_fit(const papara_paired *p, int columns, size_t bytes) {
    const size_t table = table_bytes(p->view.sets, columns) + rows_bytes(0), each = rows_bytes(1) - rows_bytes(0);
    const size_t rows = bytes > table ? (bytes - table) / each : 0, longest = p->s->input->reads.longest;
    return (int)(rows < longest ? rows : longest);
}

/* The sites from which this thread makes costs: a quad of columns, and the column after it.
   site: [padded][32] of this lane; of column i, which counts from 1, at (i - 1) * 32 */
template <int COLUMNS>
static __device__ __forceinline__ void load_sites(const uint2 *site, int i, uint2 (&sites)[QUAD + 1]) {
    const int quad = threadIdx.x / PAPARA_WARP % (COLUMNS / QUAD);
#pragma unroll
    for (int k = 0; k <= QUAD; k++) sites[k] = site[(size_t)(i - 1 + quad * QUAD + k) * PAPARA_WARP];
}

/* The half of the first vector from a, that of the second from b. */
static __device__ __forceinline__ uint32_t halves(uint32_t a, uint32_t b) { return (a & 0xffff) | (b & 0xffff0000); }

/* A warp makes a quad of columns; if there are more warps than quads, some rows of it. A diagonal step is shifted by its site
   and its letter; on a site with CGAP only by its letter. */
template <int COLUMNS>
static __device__ __forceinline__ void make_table(const papara_view *v, uint4 *table, uint32_t *first_gap,
                                                  const uint2 (&sites)[QUAD + 1]) {
    enum { QUADS = COLUMNS / QUAD, SHARES = WARPS / QUADS };
    const uint32_t match = papara_both(-v->gap_extend - v->insertion),
                   match_on_gap = papara_both(v->cgap - v->insertion);
    const uint32_t other = papara_both(v->mismatch - v->gap_extend - v->insertion);
    const uint32_t other_on_gap = papara_both(v->mismatch + v->cgap - v->insertion);
    const int warp = threadIdx.x / PAPARA_WARP, quad = warp % QUADS;
    uint32_t same[QUAD], differs[QUAD], gaps[QUAD + 1];
#pragma unroll
    for (int k = 0; k <= QUAD; k++) {
        const bool x = (sites[k].x & PAPARA_CGAP) != 0, y = (sites[k].y & PAPARA_CGAP) != 0;
        gaps[k] = halves(x ? 0 : 1, y ? 0 : 0x10000);
        if (k == QUAD) continue;
        same[k] = halves(x ? match_on_gap : match, y ? match_on_gap : match);
        differs[k] = halves(x ? other_on_gap : other, y ? other_on_gap : other);
    }
    uint4 *to = table + quad * PAPARA_WARP;
    if (warp < QUADS) to[0] = make_uint4(gaps[1], gaps[2], gaps[3], gaps[4]);
    if (warp == 0) *first_gap = gaps[0];
    for (unsigned s = warp / QUADS; s < v->sets; s += SHARES) {
        const uint32_t set = v->set[s];
        uint32_t cost[QUAD];
#pragma unroll
        for (int k = 0; k < QUAD; k++)
            cost[k] = halves(sites[k].x & set ? same[k] : differs[k], sites[k].y & set ? same[k] : differs[k]);
        to[(1 + s) * QUADS * PAPARA_WARP] = make_uint4(cost[0], cost[1], cost[2], cost[3]);
    }
}

/* A row of the table, for this lane. */
template <int COLUMNS> static __device__ __forceinline__ void load_costs(const uint4 *from, uint32_t *to) {
#pragma unroll
    for (int q = 0; q < COLUMNS / QUAD; q++) {
        const uint4 four = from[q * PAPARA_WARP];
        to[QUAD * q] = four.x;
        to[QUAD * q + 1] = four.y;
        to[QUAD * q + 2] = four.z;
        to[QUAD * q + 3] = four.w;
    }
}

/* --- Packing ---------------------------------------------------------------------------------------------------- */

/* One thread per (group, site, lane): the site in both vectors of the lane, for any alphabet. */
static __global__ void pack_sites(const uint32_t *plain, // [vectors][sites]
                                  size_t vectors, size_t sites, size_t groups, size_t padded, uint2 *site) {
    const size_t lanes = groups * padded * PAPARA_WARP;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < lanes; k += (size_t)gridDim.x * blockDim.x) {
        const size_t i = k / PAPARA_WARP % padded, group = k / PAPARA_WARP / padded;
        const size_t vector = group * PAPARA_PAIRS + 2 * (k % PAPARA_WARP);
        uint2 both = make_uint2(0, 0);
        if (i < sites && vector < vectors) both.x = plain[vector * sites + i];
        if (i < sites && vector + 1 < vectors) both.y = plain[(vector + 1) * sites + i];
        site[k] = both;
    }
}

static inline wl_status sites_pack(papara_state *s, const uint32_t *plain, uint32_t *site, size_t columns) {
    const papara_task *task = &s->task;
    const size_t lanes = papara_lanes(task, columns);
    WL_LAUNCH(pack_sites, papara_pack_blocks(lanes), PAPARA_PACK_BLOCK, 0, plain, task->vectors, (size_t)task->sites,
              task->groups, papara_padded(task->sites, columns), (uint2 *)site);
    return WL_OK;
}
