/* 07_two_references: two vectors per lane, and no look-ups.

   Idea: a score fits into 16 bits, so a register holds the scores of two vectors. DPX instructions add and compare both at once:
   __viaddmin_s16x2(a, b, c) is min(a + b, c). All lanes of a warp align the same read, so the warp can branch on the letter,
   and each of the four branches finds its costs in its own registers.
   Changed: a warp has one read and 64 vectors. The costs of A, C, G and T on each site are made beforehand and loaded once per
   block; a letter of several states costs the least of its states. The ends of the matrix are ordinary blocks, with rows that
   compare each column with the row's range. Warps draw reads in turn, so only resident warps need memory for an edge.
   Expected: four instructions for two cells, where one cell took about eleven.
   Measured at an earlier version: 3.0 times as fast on an H200 (5,000 sites).
   See: warpladder run papara/06* papara/07* --vectors 3200; README.md */
#include "papara/kit/costs.h"

enum {
    COLUMNS = 16,   // of a block
    RESIDENT = 12,  // warps per multiprocessor: a thread may have 168 registers
    NO_CELL = 30000 // infinity: above all scores that `refuses` allows; sums with it stay below 32,768
};

/* A block's columns, in registers. */
typedef struct {
    uint32_t S[COLUMNS];                     // of the row above, then of this one
    uint32_t cost[4][COLUMNS];               // M + CG for each state
    uint32_t open[COLUMNS], extend[COLUMNS]; // GP_OE and GP_E
} columns;

/* One row of a block: equation 1 for two vectors. On the left of the block are `diagonal`, S of the row above, and *left and *D, S and D
   of this row. The last two become those of the last column. */
static __device__ __forceinline__ void row(columns *k, const uint32_t *cost, uint32_t insertion, uint32_t diagonal,
                                           uint32_t *left, uint32_t *D) {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const uint32_t above = k->S[c];
        *D = __viaddmin_s16x2(*left, k->open[c], __vadd2(*D, k->extend[c]));
        *left = k->S[c] = __viaddmin_s16x2(diagonal, cost[c], __viaddmin_s16x2(above, insertion, *D));
        diagonal = above;
    }
}

/* The same for a letter of any set of states, which costs the least of them, and with cells only in columns first .. last. */
static __device__ __forceinline__ void row_of_any(columns *k, uint32_t set, int first, int last, uint32_t insertion,
                                                  uint32_t diagonal, uint32_t *left, uint32_t *D) {
    const uint32_t none = papara_both(NO_CELL);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        uint32_t cheapest = papara_both(2 * PAPARA_PENALTY_MOST);
#pragma unroll
        for (int state = 0; state < 4; state++)
            if (set >> state & 1) cheapest = __vmins2(cheapest, k->cost[state][c]);
        const uint32_t above = k->S[c];
        *D = __viaddmin_s16x2(*left, k->open[c], __vadd2(*D, k->extend[c]));
        const uint32_t S = __viaddmin_s16x2(diagonal, cheapest, __viaddmin_s16x2(above, insertion, *D));
        *left = k->S[c] = c >= first && c <= last ? S : none;
        diagonal = above;
    }
}

/* Aligns a read of m letters to the two vectors of this lane. */
static __device__ uint32_t align(const papara_view *v, int m,
                                 const uint4 *cost,       // [padded][32] of this lane
                                 const uint32_t *gap,     // [padded][32] of this lane
                                 const uint32_t *letters, // eight rows each
                                 uint2 *edge) { // [m + 1][32] of this lane: S and D left of the block, from row 0 on
    const uint32_t none = papara_both(NO_CELL), insertion = papara_both(v->insertion);
    const int n = v->sites, more = n - m; // row j has columns j .. j + more
    uint32_t best = none;
    for (int j = 0; j <= m; j++) edge[j * PAPARA_WARP] = make_uint2(j == 0 ? 0 : none, none);
    for (int i = 1; i <= n; i += COLUMNS) { // columns i .. i + COLUMNS - 1
        columns k;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const uint4 of_state = cost[(size_t)(i - 1 + c) * PAPARA_WARP];
            const uint32_t gaps = gap[(size_t)(i - 1 + c) * PAPARA_WARP];
            k.cost[0][c] = of_state.x;
            k.cost[1][c] = of_state.y;
            k.cost[2][c] = of_state.z;
            k.cost[3][c] = of_state.w;
            k.open[c] = gaps * v->gap_open;
            k.extend[c] = gaps * v->gap_extend;
            k.S[c] = i + c <= more ? 0 : none;
        }
        const int end = min(m, i + COLUMNS - 1); // the last row with a cell here
        int j = max(1, i - more);                // the first one
        uint32_t diagonal = edge[(j - 1) * PAPARA_WARP].x;
        edge[0].x = k.S[COLUMNS - 1]; // row 0, for the next block
        while (j <= end) {
            uint32_t eight = letters[(j - 1) / PAPARA_LETTERS] >> 4 * ((j - 1) % PAPARA_LETTERS);
            const int stop = min(end, ((j - 1) | (PAPARA_LETTERS - 1)) + 1);
            for (; j <= stop; j++, eight >>= 4) {
                const uint2 at = edge[j * PAPARA_WARP];
                uint32_t S = at.x, D = at.y;
                const int whole = j <= i && j >= i + COLUMNS - 1 - more; // every column has a cell
                switch (whole ? eight & 15 : 0) {                        // the same in all lanes
                    case 1:
                        row(&k, k.cost[0], insertion, diagonal, &S, &D);
                        break;
                    case 2:
                        row(&k, k.cost[1], insertion, diagonal, &S, &D);
                        break;
                    case 4:
                        row(&k, k.cost[2], insertion, diagonal, &S, &D);
                        break;
                    case 8:
                        row(&k, k.cost[3], insertion, diagonal, &S, &D);
                        break;
                    default:
                        row_of_any(&k, eight & 15, j - i, j + more - i, insertion, diagonal, &S, &D);
                }
                diagonal = at.x;
                edge[j * PAPARA_WARP] = make_uint2(S, D);
            }
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            if (end == m) best = __vmins2(best, k.S[c]);
    }
    return best;
}

static __global__ void __launch_bounds__(PAPARA_WARP, RESIDENT) two_references(papara_view v) {
    const int lane = threadIdx.x;
    uint2 *edge = (uint2 *)((char *)v.work + v.stride * blockIdx.x) + lane;
    for (unsigned turn; (turn = papara_turn(&v)) < v.reads * v.groups;) {
        const unsigned read = v.order[turn % v.reads], group = turn / v.reads; // one group at a time, for the caches
        const size_t site = (size_t)group * v.padded * PAPARA_WARP + lane;
        const uint32_t best =
            align(&v, (int)v.length[read], v.cost + site, v.gap + site, v.letters + v.first_word[read], edge);
        papara_put_pair(&v, read, group, best, 0);
    }
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

static size_t block_bytes(const papara_input *in) {
    return PAPARA_WARP * sizeof(uint2) * ((size_t)in->reads.longest + 1);
}

static size_t site_bytes(const papara_input *, const papara_task *task) { return papara_costs_bytes(task, COLUMNS); }

static wl_status pack(papara_state *s, const uint32_t *plain, uint32_t *site) {
    return papara_costs_pack(s, plain, site, COLUMNS, 0, s->input->penalties.cgap);
}

static const char *refuses(const papara_input *in) {
    const int fits = papara_score_most(&in->penalties, in->reads.longest) < NO_CELL;
    return fits ? NULL : "a score of the longest read may not fit into 16 bits";
}

static const papara_pairs_plan plan = {
    .plan = {.widest = PAPARA_PAIRS, .site_bytes = site_bytes, .pack = pack, .refuses = refuses},
    .columns = COLUMNS,
    .resident = RESIDENT,
    .warps = 1,
    .block_bytes = block_bytes,
};

static wl_status launch(void *state) {
    papara_paired *p = (papara_paired *)state;
    if (p->blocks == 0) return WL_OK;
    WL_CUDA(cudaMemsetAsync(p->turn, 0, sizeof(unsigned), 0));
    two_references<<<p->blocks, PAPARA_WARP>>>(p->view);
    WL_LAUNCHED();
    return WL_OK;
}

/* Three DPX instructions and an addition for each two cells that are computed. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    papara_cost(device, input, cost);
    cost->operations = cost->operations / PAPARA_CELL_OPERATIONS * 3 / 2;
    cost->rate = WL_RATE_DPX16;
}

PAPARA_PAIRS_STAGE(plan, .idea = "two vectors per lane, DPX instructions, branches instead of look-ups",
                   .launch = launch, .cost = cost)
