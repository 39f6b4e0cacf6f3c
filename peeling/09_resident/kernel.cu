/* 09_resident: tensor cores, and partials that stay on the chip.

   Idea: what 08_fused does for four states, for 20 and 64. A block takes some patterns of one rate class through the
   whole tree. Partials stay in shared memory, where the next join finds them. Only the matrices come from outside:
   16 MB for 62 taxa, which fit into the L2 cache.
   Changed, against 07_tensor: no launch per level, and no partials in device memory. Blocks are as wide as possible
   (112 patterns of doubles), because each of them loads all matrices.
   Expected: 0.9 GB of partials stored and read again become 0.5 GB of matrices: 0.2 to 0.3 ms.
   Measured: 0.33 ms on an H200 in doubles (62 taxa, 3,600 codons), 1.7 times as fast as 06; up to 1.2 with 20 states.
   See: warpladder run peeling/06_levels peeling/09_resident */
#include "peeling/engine/faster.h"
#include "peeling/kit/bands.h"
#include "peeling/kit/matrices.h"
#include "peeling/kit/program.h"
#include "peeling/kit/scaled.h"
#include "peeling/problem.h"

enum { HALVES = 2 }; // warps of the same band, each with its own patterns

/* Where partials are. In shared memory, buffer 0 has the last result and buffers 1 to `resident` have the first slots.
   The other slots are in `spilled`, a piece of device memory for each block. */
template <typename real> struct places {
    real *shared;  // [1 + resident][width][W + PEELING_PAD]
    real *spilled; // [slots - resident][width][W + PEELING_PAD]
    uint32_t resident;
    uint32_t buffer; // numbers: width * (W + PEELING_PAD)
};
template <typename real> static __device__ __forceinline__ real *place(const places<real> *at, uint32_t vector) {
    if (vector == PEELING_LAST) return at->shared;
    const uint32_t slot = vector - PEELING_SLOT;
    return slot < at->resident ? at->shared + (1 + slot) * at->buffer
                               : at->spilled + (size_t)(slot - at->resident) * at->buffer;
}

/* acc = P F for the warp's band and TILES x 8 patterns. F points to the first pattern; patterns are `stride` numbers
   apart. State s is at s ^ exchanged, the same for all patterns that the lane reads. Past pattern `last` the lane reads
   pattern `last` again, and nobody uses these sums. P comes from the L2 cache, so its loads start AHEAD steps of eight
   j early, as many as the registers allow. */
template <typename real, int W, int TILES>
static __device__ __forceinline__ void product(real acc[TILES][2][2],
                                               const real *P, // [j = W][s = W], rows exchanged
                                               const real *F, // [patterns][stride]
                                               uint32_t stride, uint32_t exchanged, uint32_t band, uint32_t last) {
    constexpr int STEPS = W / 8, AHEAD = TILES <= 2 ? STEPS : sizeof(real) == 8 ? 2 : 4;
    const uint32_t lane = peeling_lane(), k = 2 * (lane % 4), row = PEELING_BAND * band + lane / 4;
    real a[AHEAD][2][2];
    const real *rows[2] = {P + k * W + (row ^ peeling_row_swizzle<real>(k)),
                           P + k * W + ((row + 8) ^ peeling_row_swizzle<real>(k))}; // k and k + 1 are exchanged alike
#pragma unroll
    for (int step = 0; step < AHEAD; step++)
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 2; i++) a[step][h][i] = rows[i][(8 * step + h) * W];
    for (int n = 0; n < TILES; n++)
        for (int i = 0; i < 4; i++) acc[n][i / 2][i % 2] = 0;
#pragma unroll 1 // otherwise the compiler would load all of F first, into more registers than there are
    for (int first = 0; first < STEPS; first += AHEAD) {
#pragma unroll
        for (int step = 0; step < AHEAD; step++) {
            real b[TILES][2];
            for (uint32_t n = 0; n < TILES; n++)
                peeling_pair(b[n],
                             F + (size_t)min(8 * n + lane / 4, last) * stride + ((8 * (first + step) + k) ^ exchanged));
            for (int n = 0; n < TILES; n++) peeling_multiply(acc[n], a[step], b[n]);
            if (first + AHEAD < STEPS)
                for (int h = 0; h < 2; h++)
                    for (int i = 0; i < 2; i++) a[step][h][i] = rows[i][(8 * (first + step + AHEAD) + h) * W];
        }
    }
}

/* Blocks per multiprocessor. With two, one multiplies while the other waits for matrices. Wide blocks, and those with
   64 doubles per pattern, leave no room for a second one. */
template <typename real, int W, int TILES> static constexpr int blocks_each() {
    return TILES <= 4 && (sizeof(real) == 4 || W == 32) ? 2 : 1;
}

/* A block takes HALVES x TILES x 8 patterns of rate class r through all joins. Its warps: [HALVES][bands of 16 states].
   The first block of the launch has number `first`. */
template <typename real, int W, int TILES>
static __global__ void __launch_bounds__(HALVES *W * 2, (blocks_each<real, W, TILES>()))
    resident(peeling_task task, uint32_t first, uint32_t joins, uint32_t resident_slots,
             real *spilled,      // [blocks of the launch][spilled slots][width][W + PEELING_PAD]
             uint32_t spills,    // slots
             double *value,      // [rates][patterns]: the root's sum over states
             int *exponent_of) { // [rates][patterns]: and its exponent
    constexpr uint32_t BANDS = W / PEELING_BAND, WIDTH = HALVES * TILES * 8, STRIDE = W + PEELING_PAD;
    extern __shared__ uint4 memory[]; // uint4, so that it is aligned to 16 bytes
    __shared__ double band_sum[BANDS][WIDTH];
    __shared__ uint32_t band_tops[BANDS][WIDTH];
    __shared__ int exponent[WIDTH];
    const uint32_t warp = threadIdx.x / PEELING_WARP, band = warp % BANDS, tile = 8 * TILES * (warp / BANDS);
    const uint32_t lane = peeling_lane(), s = PEELING_BAND * band + lane / 4;
    const uint32_t tiles = (task.patterns + WIDTH - 1) / WIDTH, block = first + blockIdx.x, r = block / tiles;
    const uint32_t c0 = block % tiles * WIDTH + tile;
    const uint32_t start = min(c0, task.patterns - 1), last = task.patterns - 1 - start;
    places<real> at = {(real *)memory, spilled + (size_t)blockIdx.x * spills * WIDTH * STRIDE, resident_slots,
                       WIDTH * STRIDE};
    real F[TILES][2][2];

    if (s == 0) // only these lanes use `exponent`
        for (uint32_t n = 0; n < TILES; n++)
            for (uint32_t p = 0; p < 2; p++) exponent[tile + 8 * n + 2 * lane + p] = 0;
    for (uint32_t i = 0; i < joins; i++) {
        const peeling_join join = task.joins[i];
        const bool rescaled = (join.matrix[0] & PEELING_RESCALE) != 0;
        const real *P[2]; // [j][s]
        uint32_t codes[2][TILES];
#pragma unroll
        for (int child = 0; child < 2; child++) { // codes of both tips first: their loads take longest
            P[child] = peeling_matrix<real>(&task, join.matrix[child] & ~PEELING_RESCALE, r);
            if (join.child[child] < task.tips)
                peeling_codes<TILES>(codes[child], task.code + (size_t)join.child[child] * task.patterns + start, last);
        }
        real second[TILES][2][2];
#pragma unroll
        for (int child = 0; child < 2; child++) {
            const uint32_t from = join.child[child];
            real(*sum)[2][2] = child == 0 ? F : second;
            if (from < task.tips)
                peeling_look_up<real, W, TILES>(sum, &task, P[child], codes[child], band);
            else
                product<real, W, TILES>(sum, P[child], place(&at, from) + tile * STRIDE, STRIDE,
                                        peeling_swizzle<real>(lane / 4), band, 8 * TILES);
        }
        for (int n = 0; n < TILES; n++)
            for (int k = 0; k < 4; k++) F[n][k / 2][k % 2] *= second[n][k / 2][k % 2];
        if (rescaled) {
            uint32_t tops[TILES][2];
            peeling_band_tops<real, TILES>(tops, F);
            peeling_put_tops<TILES>(&band_tops[band][tile], tops);
        }
        __syncthreads(); // all warps have read the children, whose place the result may take
        real *to = place(&at, join.to) + tile * STRIDE;
        const uint32_t swizzle = peeling_swizzle<real>(2 * (lane % 4));
#pragma unroll
        for (uint32_t n = 0; n < TILES; n++)
            for (uint32_t p = 0; p < 2; p++) {
                const uint32_t c = 8 * n + 2 * (lane % 4) + p;
                if (rescaled) {
                    int e;
                    const real scale = peeling_scale_of_bands<real>(&band_tops[0][tile + c], BANDS, WIDTH, &e);
                    if (s == 0) exponent[tile + c] += e;
                    for (int k = 0; k < 2; k++) F[n][k][p] *= scale;
                }
                for (int k = 0; k < 2; k++) to[c * STRIDE + ((s + 8 * k) ^ swizzle)] = F[n][k][p];
            }
        __syncthreads();
    }

    /* The root's sum over states: in the band by shuffles, across bands through shared memory. */
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            double sum = 0;
            for (int k = 0; k < 2; k++) sum += task.frequency[s + 8 * k] * (double)F[n][k][p];
            for (int step = 4; step < PEELING_WARP; step *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
            if (lane < 4) band_sum[band][tile + 8 * n + 2 * lane + p] = sum;
        }
    __syncthreads();
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            const uint32_t c = 8 * n + 2 * lane + p;
            if (band != 0 || lane >= 4 || c0 + c >= task.patterns) continue;
            double sum = 0;
            for (uint32_t b = 0; b < BANDS; b++) sum += band_sum[b][tile + c];
            value[(size_t)r * task.patterns + c0 + c] = sum;
            exponent_of[(size_t)r * task.patterns + c0 + c] = exponent[tile + c];
        }
}

static __global__ void over_rates(peeling_task task, const double *value,
                                  const int *exponent) { // [rates][patterns] both
    const size_t c = blockIdx.x * (size_t)blockDim.x + threadIdx.x, C = task.patterns;
    if (c >= C) return;
    peeling_scaled likelihood = {0, 0};
    for (uint32_t r = 0; r < task.rates; r++)
        peeling_add(&likelihood, value[r * C + c] * task.share[r], exponent[r * C + c]);
    task.site[c] = peeling_log(likelihood);
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

/* The stage's own memory has a value and an exponent for each rate class and pattern, then the slots that do not fit
   into shared memory. These get at most 256 MB, enough for several waves of blocks; more blocks take more launches. If
   an input sets `spill`, one slot is in shared memory, and the others get so many bytes. */
enum { SLOTS_MOST = 32, WIDEST = 7 * HALVES * 8, STATIC_MOST = 8 * 1024 }; // bytes of the arrays of known size
static size_t spilled_most(const peeling_input *in) { return in->spill > 0 ? in->spill : (size_t)256 << 20; }
static size_t root_bytes(const peeling_task *task) {
    return ((sizeof(double) + sizeof(int)) * task->rates * (size_t)task->patterns + 15) / 16 * 16;
}
/* The most slots that a list in the order of peeling_tree_work can need. */
static uint32_t slots_most(uint32_t tips) {
    uint32_t slots = 1;
    while (slots < SLOTS_MOST && tips >> slots) slots++;
    return slots;
}
static size_t own_bytes(const peeling_input *in, const peeling_task *task) {
    const size_t pattern = peeling_real(in) * (task->padded + PEELING_PAD) * slots_most(task->tips); // with all slots
    const size_t all = pattern * task->rates * (task->patterns + (size_t)WIDEST), block = pattern * WIDEST;
    const size_t limit = spilled_most(in), most = limit > block ? limit : block;
    return root_bytes(task) + (all < most ? all : most);
}

/* Whole waves of `each` blocks per multiprocessor, as many as there is memory for their spilled slots. */
static uint32_t blocks_a_launch(const peeling_state *s, uint32_t blocks, size_t spilled, uint32_t each) {
    const size_t limit = spilled_most(s->input);
    if (blocks * spilled <= limit) return blocks;
    const uint32_t most = spilled < limit ? (uint32_t)(limit / spilled) : 1;
    const uint32_t wave = (uint32_t)s->multiprocessors * each;
    return most > wave ? most / wave * wave : most;
}

template <typename real, int W, int TILES> static wl_status launch_of(peeling_state *s) {
    constexpr uint32_t WIDTH = HALVES * TILES * 8;
    const size_t buffer = sizeof(real) * WIDTH * (W + PEELING_PAD), cells = (size_t)s->task.rates * s->task.patterns;
    /* Two blocks on a multiprocessor get half of shared memory each, even if the tree needs more slots. */
    constexpr int each = blocks_each<real, W, TILES>();
    const uint32_t room = s->input->spill > 0 ? 2 : (uint32_t)((s->shared_most / each - STATIC_MOST) / buffer);
    const uint32_t resident_slots = s->slots < room - 1 ? s->slots : room - 1, spills = s->slots - resident_slots;
    if (s->slots > slots_most(s->task.tips))
        return wl_fail(WL_CHECK_FAILED, "joins in an order that keeps %u vectors alive", s->slots);
    const size_t bytes = buffer * (1 + resident_slots);
    double *value = (double *)s->own;
    int *exponent = (int *)(value + cells);
    real *spilled = (real *)((char *)s->own + root_bytes(&s->task));
    WL_CUDA(cudaFuncSetAttribute(resident<real, W, TILES>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const uint32_t blocks = peeling_blocks(s->task.patterns, WIDTH) * s->task.rates;
    const uint32_t most = blocks_a_launch(s, blocks, buffer * spills, each);
    for (uint32_t first = 0; first < blocks; first += most) {
        const uint32_t count = blocks - first < most ? blocks - first : most;
        resident<real, W, TILES><<<count, HALVES * W * 2, bytes>>>(s->task, first, s->join_count, resident_slots,
                                                                   spilled, spills, value, exponent);
        WL_LAUNCHED();
    }
    over_rates<<<peeling_blocks(s->task.patterns, 128), 128>>>(s->task, value, exponent);
    WL_LAUNCHED();
    return WL_OK;
}

/* The width with which the last wave of blocks ends first. A block is taken to need a time of 4 + TILES, and two that
   share a multiprocessor 4 + 2 TILES. With 20 states there is little work per join, so two blocks always share one. */
static int tiles_of(const peeling_state *s) {
    const int choices[] = {1, 2, 4, 7};
    int best = 0;
    size_t least = SIZE_MAX;
    if (s->input->tiles > 0) return (int)s->input->tiles;
    for (int i = 0; i < (s->task.padded == 32 ? 3 : 4); i++) {
        const int tiles = choices[i], each = tiles <= 4 && (!s->is_double || s->task.padded == 32) ? 2 : 1;
        const size_t blocks = (size_t)peeling_blocks(s->task.patterns, HALVES * 8 * tiles) * s->task.rates;
        const size_t most = (size_t)s->multiprocessors * each, waves = (blocks + most - 1) / most;
        const size_t time = waves * (4 + each * tiles);
        if (time < least) {
            least = time;
            best = tiles;
        }
    }
    return best;
}
template <typename real, int W> static wl_status width_of(peeling_state *s) {
    const int tiles = tiles_of(s);
    if (tiles == 1) return launch_of<real, W, 1>(s);
    if (tiles == 2) return launch_of<real, W, 2>(s);
    return tiles == 4 ? launch_of<real, W, 4>(s) : launch_of<real, W, 7>(s);
}
template <typename real> static wl_status joins_of(peeling_state *s) {
    return s->task.padded == 32 ? width_of<real, 32>(s) : width_of<real, 64>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

/* Where it is faster than 06_levels, in cells (rate classes x patterns). The limits are where straight lines through
   the measured times meet. In floats, 06 is faster with 400 and 24,000 cells and in all large trees. With 20 states, 06
   is faster with 400,000 cells and, again, in all large trees. */
static const peeling_faster faster[] = {
    {PEELING_H200, {5, 32}, PEELING_DOUBLE, {2, 128}, {4000, 80000}},
    {PEELING_H200, {33, 64}, PEELING_DOUBLE, {2, 128}, {850, INFINITY}},
    {PEELING_H200, {33, 64}, PEELING_DOUBLE, {129, UINT32_MAX}, {6000, INFINITY}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {2400, 19000}},
    {},
};

/* All widths of blocks, two of each, and more waiting vectors than --spill has room for: in launches of fewer blocks than there are,
   too. A GPU would take the smallest tiles for all of these shapes. */
static const char *const own_shapes[] = {
    "--model WAG --taxa 8 --patterns 115 --tree-shape balanced --tiles 7 --spill 32768",
    "--model WAG --taxa 16 --patterns 119 --tree-shape balanced --tiles 7 --spill 32768 --precision single",
    "--model WAG+G2 --taxa 8 --patterns 148 --tree-shape balanced --spill 32768",
    NULL,
};

PEELING_STAGE(.idea = "tensor cores, and partials that stay on the chip", .source = "Warpladder",
              .limits = "models of more than 8 states", .check_shapes = own_shapes, .padded = peeling_padded_to_bands,
              .refuses = peeling_tensor_refuses, .faster = faster, .whole_trees_only = 1, .factors_within = 1,
              .matrices = PEELING_ON(peeling_tensor_matrices), .joins = joins, .own_bytes = own_bytes,
              .rate = {WL_RATE_MMA_TF32, WL_RATE_MMA_F64})
