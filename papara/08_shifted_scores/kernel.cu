/* 08_shifted_scores: scores are shifted so that two cells take three instructions.

   Idea: some costs of a step to the next site or letter are known beforehand. Keep S without them, and the additions for both of
   equation 1's gaps are gone: S' = S - insertion * j - (gap_extend for each site up to i without CGAP).
   Changed: X = min(S'[i-1][j-1] + cost, S'[i][j-1]) depends only on the row above. Along the row goes only
   D' = min(D', X + opening), and S' = min(X, D'). Blocks have 32 columns. A block's right edge is in shared memory, up to 109
   rows. Longer reads go in bands of rows, whose lower edge is in global memory, 512 columns at a time.
   Expected: 3 instructions for 64 cells of a warp, in 5 clock cycles of a scheduler, or 6 because of the registers that they
   read. Stage 07: 4 instructions in 9 cycles.
   Measured at an earlier version: 1.8 times as fast on an H200, 7.3 TCUPS (5,000 sites).
   See: warpladder run papara/0[5-8]* --vectors 3200; README.md */
#include "papara/kit/costs.h"
#include "papara/kit/shifted.h"

enum {
    COLUMNS = 32, // of a block
    ROWS = 109,   // of a band, at most: eight warps then fill a multiprocessor's shared memory
    RESIDENT = 8, // warps per multiprocessor: a thread may have 255 registers
};

/* One row of a block. S [COLUMNS]: the row above, then this row. diagonal: S of the row above in the column before. D: D of the first
   column, then of the column after the last. X goes from right to left, because it needs the old S of the column on its left. */
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

/* shifted_row for a letter of any set of states, which costs the least of them, with cells only in columns first .. last. */
static __device__ __forceinline__ void row_of_any(uint32_t set, int first, int last, uint32_t *S,
                                                  uint32_t cost[][COLUMNS], const uint32_t *opening, uint32_t diagonal,
                                                  uint32_t *D) {
    const uint32_t none = papara_both(PAPARA_NO_CELL);
#pragma unroll
    for (int c = COLUMNS - 1; c >= 0; c--) {
        uint32_t cheapest = none;
#pragma unroll
        for (int state = 0; state < 4; state++)
            if (set >> state & 1) cheapest = __vmins2(cheapest, cost[state][c]);
        const uint32_t X = __viaddmin_s16x2(c > 0 ? S[c - 1] : diagonal, cheapest, S[c]);
        S[c] = c >= first && c <= last ? X : none;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const uint32_t D_next = __viaddmin_s16x2(S[c], opening[c], *D);
        S[c] = c <= last ? __vmins2(S[c], *D) : none;
        *D = D_next;
    }
}

/* What a warp works on. Columns i and rows j count from 1, as in equation 1. */
typedef struct {
    int n, m;
    const uint4 *cost;       // [padded][32] of this lane: of column i at (i - 1) * 32
    const uint32_t *gap;     // likewise
    const uint32_t *letters; // eight rows each
    uint2 *edge;             // shared, [ROWS + 1][32] of this lane: S and D of the band's rows, from the one above it
    uint32_t *below;         // [stripe][32] of this lane: S of the row above the band, then of its last
    int extend, opening;
    uint32_t best;
} place;

/* Computes rows above + 1 .. last of columns i .. i + COLUMNS - 1. corner: S of row `above` in column i - 1. shift: P of column
   i - 1, from the stripe's begin. in_stripe: column i's number in the stripe. Returns the next block's corner. */
static __device__ __forceinline__ uint32_t block(place *p, int above, int last, int i, int in_stripe, uint32_t corner,
                                                 uint32_t *shift) {
    const uint32_t none = papara_both(PAPARA_NO_CELL);
    const int more = p->n - p->m; // row j has columns j .. j + more
    uint32_t S[COLUMNS], cost[4][COLUMNS], opening[COLUMNS], shifted = *shift;
    uint32_t here = p->gap[(size_t)(i - 1) * PAPARA_WARP];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const uint4 of_state = p->cost[(size_t)(i - 1 + c) * PAPARA_WARP];
        cost[0][c] = of_state.x;
        cost[1][c] = of_state.y;
        cost[2][c] = of_state.z;
        cost[3][c] = of_state.w;
        const uint32_t next = p->gap[(size_t)(i + c) * PAPARA_WARP];
        opening[c] = next * p->opening; // of the next column
        if (above > 0) {
            S[c] = p->below[(in_stripe + c) * PAPARA_WARP];
        } else {
            shifted += here * p->extend;
            S[c] = i + c <= more ? __vneg2(shifted) : none;
        }
        here = next;
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
        uint32_t letters = p->letters[(j - 1) / PAPARA_LETTERS] >> 4 * ((j - 1) % PAPARA_LETTERS);
        const int stop = min(end, ((j - 1) | (PAPARA_LETTERS - 1)) + 1);
        for (; j <= stop; j++, letters >>= 4) {
            uint2 *edge = &p->edge[(j - above) * PAPARA_WARP];
            const uint2 left = *edge;
            uint32_t D = left.y;
            const int whole = j <= i && j >= i + COLUMNS - 1 - more;
            switch (whole ? letters & 15 : 0) { // the same in all lanes
                case 1:
                    shifted_row(S, cost[0], opening, diagonal, &D);
                    break;
                case 2:
                    shifted_row(S, cost[1], opening, diagonal, &D);
                    break;
                case 4:
                    shifted_row(S, cost[2], opening, diagonal, &D);
                    break;
                case 8:
                    shifted_row(S, cost[3], opening, diagonal, &D);
                    break;
                default:
                    row_of_any(letters & 15, j - i, j + more - i, S, cost, opening, diagonal, &D);
            }
            diagonal = left.x;
            *edge = make_uint2(S[COLUMNS - 1], D);
        }
    }
    if (last < p->m) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) p->below[(in_stripe + c) * PAPARA_WARP] = end < last ? none : S[c];
    }
    shifted = *shift;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        shifted += p->gap[(size_t)(i - 1 + c) * PAPARA_WARP] * p->extend;
        if (end == p->m) p->best = __viaddmin_s16x2(S[c], shifted, p->best);
    }
    *shift = shifted;
    return next_corner;
}

/* Aligns a read to a group's 64 vectors. left [m + 1][32]: S and D of a stripe's last column, used if there are several bands. */
static __device__ __forceinline__ uint32_t align(place *p, int stripe, uint2 *left) {
    const uint32_t none = papara_both(PAPARA_NO_CELL);
    const int bands = (p->m + ROWS - 1) / ROWS, rows = (p->m + bands - 1) / bands;
    p->best = none;
    for (int first = 1; first <= p->n; first += stripe) {
        const int end = min(first + stripe, p->n + 1);
        uint32_t corner = first == 1 ? 0 : p->edge[0].x; // of row 0
        for (int above = 0; above < p->m; above += rows) {
            const int last = min(above + rows, p->m);
            uint32_t next_corner = none;
            if (first == 1 || bands > 1) {
                for (int j = above + 1; j <= last; j++)
                    p->edge[(j - above) * PAPARA_WARP] = first == 1 ? make_uint2(none, none) : left[j * PAPARA_WARP];
                if (first > 1) corner = above == 0 ? left[0].x : corner;
                next_corner = p->edge[(last - above) * PAPARA_WARP].x;
            }
            uint32_t shift = 0;
            for (int i = first; i < end; i += COLUMNS) corner = block(p, above, last, i, i - first, corner, &shift);
            // The next stripe's scores are shifted from its first column on.
            if (above == 0) corner = __viaddmin_s16x2(corner, shift, none);
            if (above == 0 && bands > 1) left[0].x = corner;
            if (above == 0 && bands == 1) p->edge[0].x = corner;
            for (int j = above + 1; j <= last; j++) {
                uint2 *edge = &p->edge[(j - above) * PAPARA_WARP];
                const uint2 at = *edge;
                const uint2 back = make_uint2(__viaddmin_s16x2(at.x, shift, none), __viaddmin_s16x2(at.y, shift, none));
                if (bands > 1)
                    left[j * PAPARA_WARP] = back;
                else
                    *edge = back;
            }
            corner = next_corner;
        }
    }
    return p->best;
}

static __global__ void __launch_bounds__(PAPARA_WARP, RESIDENT) shifted_scores(papara_view v, int stripe) {
    extern __shared__ uint2 edges[]; // [rows of a band + 1][32]: a lane's own, so no barrier is needed
    const int lane = threadIdx.x;
    uint32_t *below = (uint32_t *)((char *)v.work + v.stride * blockIdx.x) + lane;
    uint2 *left = (uint2 *)(below - lane + (size_t)stripe * PAPARA_WARP) + lane;
    for (unsigned turn; (turn = papara_turn(&v)) < v.reads * v.groups;) {
        const unsigned read = v.order[turn % v.reads], group = turn / v.reads; // one group at a time, for the caches
        place p;
        p.n = v.sites;
        p.m = (int)v.length[read];
        p.cost = v.cost + (size_t)group * v.padded * PAPARA_WARP + lane;
        p.gap = v.gap + (size_t)group * v.padded * PAPARA_WARP + lane;
        p.letters = v.letters + v.first_word[read];
        p.edge = edges + lane;
        p.below = below;
        p.extend = v.gap_extend;
        p.opening = v.gap_open - v.gap_extend;
        papara_put_pair(&v, read, group, align(&p, stripe, left), v.insertion * p.m);
    }
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

/* Bytes per block: `below`, and `left` of the longest read if it needs more than one band. */
static size_t block_bytes(const papara_input *in) {
    const size_t edge = sizeof(uint2) * ((size_t)in->reads.longest + 1),
                 below = sizeof(uint32_t) * papara_stripe(in, COLUMNS);
    return in->reads.longest > ROWS ? PAPARA_WARP * (edge + below) : 0;
}

static size_t site_bytes(const papara_input *, const papara_task *task) { return papara_costs_bytes(task, COLUMNS); }

/* A diagonal step is shifted by its site and its letter; on a site with CGAP only by its letter. */
static wl_status pack(papara_state *s, const uint32_t *plain, uint32_t *site) {
    const papara_penalties *p = &s->input->penalties;
    return papara_costs_pack(s, plain, site, COLUMNS, -p->gap_extend - p->insertion, p->cgap - p->insertion);
}

static const papara_pairs_plan plan = {
    .plan = {.widest = PAPARA_PAIRS, .site_bytes = site_bytes, .pack = pack, .refuses = papara_shifted_refuses},
    .columns = COLUMNS,
    .resident = RESIDENT,
    .warps = 1,
    .block_bytes = block_bytes,
};

static wl_status launch(void *state) {
    papara_paired *p = (papara_paired *)state;
    if (p->blocks == 0) return WL_OK;
    const papara_input *in = p->s->input;
    const size_t rows = in->reads.longest < (size_t)ROWS ? in->reads.longest : (size_t)ROWS;
    const size_t shared = sizeof(uint2) * PAPARA_WARP * (rows + 1);
    WL_CUDA(cudaMemsetAsync(p->turn, 0, sizeof(unsigned), 0));
    shifted_scores<<<p->blocks, PAPARA_WARP, shared>>>(p->view, papara_stripe(in, COLUMNS));
    WL_LAUNCHED();
    return WL_OK;
}

PAPARA_PAIRS_STAGE(plan, .idea = "scores without known costs: three instructions for two cells", .launch = launch,
                   .cost = papara_shifted_cost)
