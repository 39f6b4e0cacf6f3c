/* 09_shared_costs: a letter's costs are a row of a table in shared memory, so amino acids run as fast as DNA.

   Idea: the costs of four letters fit into a thread's registers, those of 20 do not. But all reads need the same costs on the
   same sites. So eight warps, each with a read of its own, share one table: [letter][column][lane].
   Changed: a block has eight reads and one group of 64 vectors. For each 32 columns it makes a table from the sites' states, with
   one row for each set of states that the reads' letters stand for. A row of the matrix loads its 32 costs with eight loads of
   16 bytes. There is no branch: an ambiguous letter is a row of the table like any other.
   Expected: 6.5 TCUPS or more for proteins on an H200, where stage 06 has 1.3; for DNA about stage 08's rate, 7.3.
   Measured at an earlier version: proteins 7.7 TCUPS, 5.7 times stage 06; DNA 8.1, 1.1 times stage 08 (5,000 sites).
   See: warpladder run papara/06* papara/09* --protein --vectors 3200; README.md */
#include "papara/09_shared_costs/table.h"
#include "papara/kit/shifted.h"

enum {
    WIDEST = 32,    // columns of a block; 16 or 8 if shared memory is small
    ROWS_LEAST = 16 // rows of a band; with fewer, `launch` takes fewer columns
};

/* What a warp works on. Columns i and rows j count from 1, as in equation 1. */
typedef struct {
    int n, m;          // m: 0 in a warp without a read
    const uint2 *site; // [padded][32] of this lane: of column i at (i - 1) * 32
    uint4 *table;      // of this lane
    uint32_t *gap;     // of this lane
    uint2 *edge;       // of this warp and lane
    uint32_t *letters; // of this warp
    uint32_t *below;   // [stripe][32] of this lane: S of the row above the band, then of its last
    uint2 *left;       // [m + 1][32] of this lane: S and D of a stripe's last column, if there are several bands
    uint32_t best;
} place;

/* One row of a block. S [COLUMNS]: the row above, then this row. diagonal: S of the row above in the column before. D: D of the first
   column, then of the column after the last. X goes from right to left, because it needs the old S of the column on its left. */
template <int COLUMNS>
static __device__ __forceinline__ void shifted_row(uint32_t *S, const uint32_t *cost, const uint32_t *opening,
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

/* shifted_row with cells only in columns first .. last. */
template <int COLUMNS>
static __device__ __forceinline__ void shifted_row_within(int first, int last, uint32_t *S, const uint32_t *cost,
                                                          const uint32_t *opening, uint32_t diagonal, uint32_t *D) {
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

/* Computes `rows` rows in which every column has a cell. `letters` and `edge` belong to the first of them. Costs are loaded one row
   ahead and their place in the table two rows ahead: with two warps per scheduler, nothing else would hide these loads. */
template <int COLUMNS>
static __device__ __forceinline__ void whole_rows(int rows, const uint4 *table, const uint32_t *letters, uint2 *edge,
                                                  uint32_t *S, const uint32_t *opening, uint32_t *diagonal) {
    uint32_t cost[2][COLUMNS], next = letters[1];
    load_costs<COLUMNS>(table + letters[0], cost[0]);
    for (; rows > 0; rows -= 2, letters += 2, edge += 2 * PAPARA_WARP) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            if (r == 1 && rows == 1) break;
            const uint2 at = edge[r * PAPARA_WARP];
            load_costs<COLUMNS>(table + next, cost[1 - r]);
            next = letters[r + 2];
            uint32_t D = at.y;
            shifted_row<COLUMNS>(S, cost[r], opening, *diagonal, &D);
            *diagonal = at.x;
            edge[r * PAPARA_WARP] = make_uint2(S[COLUMNS - 1], D);
        }
    }
}

/* Computes rows above + 1 .. last of columns i .. i + COLUMNS - 1. First all warps make the table. Then `sites` gets the
   sites from column i_next on. corner: S of row `above` in column i - 1. shift: P of column i - 1, from the stripe's begin.
   in_stripe: column i's number in the stripe. Returns the next block's corner. */
template <int COLUMNS>
static __device__ __forceinline__ uint32_t block(const papara_view *v, place *p, uint2 (&sites)[QUAD + 1], int above,
                                                 int last, int i, int i_next, int in_stripe, uint32_t corner,
                                                 uint32_t *shift) {
    const uint32_t none = papara_both(PAPARA_NO_CELL);
    const int more = p->n - p->m; // row j has columns j .. j + more
    const bool mine = above < p->m;
    uint32_t S[COLUMNS], gaps[COLUMNS], opening[COLUMNS];
    if (mine && above > 0) { // loaded before the table is made, which hides the latency
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) S[c] = p->below[(in_stripe + c) * PAPARA_WARP];
    }
    __syncthreads(); // all warps have finished with the last table
    make_table<COLUMNS>(v, p->table, p->gap, sites);
    __syncthreads();
    load_sites<COLUMNS>(p->site, i_next, sites);
    if (!mine) return corner;

    load_costs<COLUMNS>(p->table, gaps); // row 0 of the table: gaps of the column after each
    const uint32_t first_gap = *p->gap;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) opening[c] = gaps[c] * (v->gap_open - v->gap_extend);
    if (above == 0) {
        uint32_t passed = *shift;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            passed += (c > 0 ? gaps[c - 1] : first_gap) * v->gap_extend;
            S[c] = i + c <= more ? __vneg2(passed) : none;
        }
    }
    const uint32_t next_corner = S[COLUMNS - 1];
    uint32_t diagonal = corner;
    const int end = min(last, i + COLUMNS - 1); // the last row with a cell here
    int j = max(above + 1, i - more);           // the first one
    if (j > above + 1) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) S[c] = none;
        if (j <= end) diagonal = p->edge[(j - 1 - above) * PAPARA_WARP].x;
    }
    while (j <= end) {
        const uint32_t *letters = p->letters + (j - above - 1);
        uint2 *edge = p->edge + (j - above) * PAPARA_WARP;
        if (j <= i && j >= i + COLUMNS - 1 - more) { // every column has a cell
            const int rows = min(end, i) - j + 1;
            whole_rows<COLUMNS>(rows, p->table, letters, edge, S, opening, &diagonal);
            j += rows;
        } else {
            uint32_t cost[COLUMNS];
            load_costs<COLUMNS>(p->table + *letters, cost);
            const uint2 at = *edge;
            uint32_t D = at.y;
            shifted_row_within<COLUMNS>(j - i, j + more - i, S, cost, opening, diagonal, &D);
            diagonal = at.x;
            *edge = make_uint2(S[COLUMNS - 1], D);
            j++;
        }
    }
    if (last < p->m) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) p->below[(in_stripe + c) * PAPARA_WARP] = end < last ? none : S[c];
    }
    load_costs<COLUMNS>(p->table, gaps);
    uint32_t passed = *shift;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        passed += (c > 0 ? gaps[c - 1] : first_gap) * v->gap_extend;
        if (end == p->m) p->best = __viaddmin_s16x2(S[c], passed, p->best);
    }
    *shift = passed;
    return next_corner;
}

/* --- Reads ------------------------------------------------------------------------------------------------------- */

/* Aligns the warps' reads to a group's 64 vectors. longest: letters of the longest read. All warps have bands of `rows` rows. */
template <int COLUMNS>
static __device__ __forceinline__ void align(const papara_view *v, place *p, const uint32_t *words, int longest,
                                             int rows, int stripe) {
    const uint32_t none = papara_both(PAPARA_NO_CELL);
    const int lane = threadIdx.x % PAPARA_WARP;
    const bool bands = longest > rows;
    uint2 sites[QUAD + 1];
    load_sites<COLUMNS>(p->site, 1, sites);
    p->best = none;
    for (int first = 1; first <= p->n; first += stripe) {
        const int end = min(first + stripe, p->n + 1);
        uint32_t corner = first == 1 ? 0 : p->edge[0].x; // of row 0
        for (int above = 0; above < longest; above += rows) {
            const int last = min(above + rows, p->m); // no rows, if this warp's read is shorter
            uint32_t next_corner = none;
            if (above < p->m && (first == 1 || bands)) {
                for (int j = above + 1; j <= last; j++)
                    p->edge[(j - above) * PAPARA_WARP] = first == 1 ? make_uint2(none, none) : p->left[j * PAPARA_WARP];
                if (first > 1) corner = above == 0 ? p->left[0].x : corner;
                next_corner = p->edge[(last - above) * PAPARA_WARP].x;
                __syncwarp(); // all lanes have finished with the last band's letters
                for (int k = lane; k < rows + 2; k += PAPARA_WARP) {
                    const int j = min(above + k, last - 1);
                    const uint32_t number = words[j / PAPARA_NUMBERS] >> 8 * (j % PAPARA_NUMBERS) & 0xff;
                    p->letters[k] = (1 + number) * (COLUMNS / QUAD) * PAPARA_WARP;
                }
                __syncwarp();
            }
            uint32_t shift = 0;
            for (int i = first; i < end; i += COLUMNS) {
                const int i_next = i + COLUMNS < end ? i + COLUMNS : above + rows < longest ? first : end;
                corner =
                    block<COLUMNS>(v, p, sites, above, last, i, i_next <= p->n ? i_next : 1, i - first, corner, &shift);
            }
            // The next stripe's scores are shifted from its first column on.
            if (above == 0) corner = __viaddmin_s16x2(corner, shift, none);
            if (above == 0 && bands) p->left[0].x = corner;
            if (above == 0 && !bands) p->edge[0].x = corner;
            for (int j = above + 1; j <= last; j++) {
                uint2 *edge = &p->edge[(j - above) * PAPARA_WARP];
                const uint2 at = *edge;
                const uint2 back = make_uint2(__viaddmin_s16x2(at.x, shift, none), __viaddmin_s16x2(at.y, shift, none));
                if (bands)
                    p->left[j * PAPARA_WARP] = back;
                else
                    *edge = back;
            }
            corner = next_corner;
        }
    }
}

template <int COLUMNS>
static __global__ void __launch_bounds__(WARPS *PAPARA_WARP, 1)
    shared_costs(papara_view v, int stripe, int most) { // most: rows of a band that fit
    extern __shared__ uint4 shared[];
    const int lane = threadIdx.x % PAPARA_WARP, warp = threadIdx.x / PAPARA_WARP;
    const layout l = layout_of<COLUMNS>(shared, v.sets, most);
    const unsigned batches = (v.reads + WARPS - 1) / WARPS;
    uint32_t *below = (uint32_t *)((char *)v.work + v.stride * (blockIdx.x * WARPS + warp)) + lane;
    place p;
    p.n = v.sites;
    p.table = l.table + lane;
    p.gap = l.gap + lane;
    p.edge = l.edge + warp * (most + 1) * PAPARA_WARP + lane;
    p.letters = l.letters + warp * (most + 2);
    p.below = below;
    p.left = (uint2 *)(below - lane + (size_t)stripe * PAPARA_WARP) + lane;
    for (;;) {
        if (threadIdx.x == 0) *l.turn = atomicAdd(v.turn, 1u);
        __syncthreads();
        const unsigned turn = *l.turn;
        __syncthreads();
        if (turn >= batches * v.groups) return;
        const unsigned batch = turn % batches, group = turn / batches; // one group at a time, for the caches
        const unsigned place_of_read = batch * WARPS + warp;
        const unsigned read = v.order[place_of_read < v.reads ? place_of_read : batch * WARPS];
        const int longest = (int)v.length[v.order[batch * WARPS]], bands = (longest + most - 1) / most;
        p.m = place_of_read < v.reads ? (int)v.length[read] : 0;
        p.site = v.site + (size_t)group * v.padded * PAPARA_WARP + lane;
        align<COLUMNS>(&v, &p, v.letters + v.first_word[read], longest, (longest + bands - 1) / bands, stripe);
        if (p.m > 0) papara_put_pair(&v, read, group, p.best, v.insertion * p.m);
    }
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

/* Bytes per warp: `below`, and `left` of the longest read. */
static size_t warp_bytes(const papara_input *in) {
    return PAPARA_WARP * (sizeof(uint2) * ((size_t)in->reads.longest + 1) + sizeof(uint32_t) * PAPARA_STRIPE);
}

static size_t site_bytes(const papara_input *, const papara_task *task) {
    return papara_lanes(task, WIDEST) * sizeof(uint2);
}

static wl_status pack(papara_state *s, const uint32_t *plain, uint32_t *site) {
    return sites_pack(s, plain, site, WIDEST);
}

static const papara_pairs_plan plan = {
    .plan = {.widest = PAPARA_PAIRS, .site_bytes = site_bytes, .pack = pack, .refuses = papara_shifted_refuses},
    .columns = WIDEST,
    .resident = WARPS,
    .warps = WARPS,
    .any_alphabet = 1,
    .block_bytes = warp_bytes,
};

template <int COLUMNS> static wl_status launch_columns(const papara_paired *p, int rows) {
    const int bytes = (int)(table_bytes(p->view.sets, COLUMNS) + rows_bytes(rows));
    WL_CUDA(cudaFuncSetAttribute(shared_costs<COLUMNS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    WL_CUDA(cudaMemsetAsync(p->turn, 0, sizeof(unsigned), 0));
    shared_costs<COLUMNS>
        <<<p->blocks, WARPS * PAPARA_WARP, bytes>>>(p->view, papara_stripe(p->s->input, COLUMNS), rows);
    WL_LAUNCHED();
    return WL_OK;
}

static wl_status launch(void *state) {
    const papara_paired *p = (const papara_paired *)state;
    if (p->blocks == 0) return WL_OK;
    int ordinal, bytes;
    WL_CUDA(cudaGetDevice(&ordinal));
    WL_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    const int longest = (int)p->s->input->reads.longest, least = longest < ROWS_LEAST ? longest : ROWS_LEAST;
    if (rows_that_fit(p, 32, bytes) >= least) return launch_columns<32>(p, rows_that_fit(p, 32, bytes));
    if (rows_that_fit(p, 16, bytes) >= least) return launch_columns<16>(p, rows_that_fit(p, 16, bytes));
    return launch_columns<8>(p, rows_that_fit(p, 8, bytes));
}

PAPARA_PAIRS_STAGE(plan, .idea = "eight warps share a table of each letter's costs: any alphabet",
                   .limits = "scores that fit into 16 bits", .on_gpu = "1.2 % more shared requests, cause unknown",
                   .launch = launch, .cost = papara_shifted_cost)
