/* 07_tensor: the sums over states on the tensor cores.

   Idea: a node's partials are two matrix products, P1 F1 and P2 F2, multiplied entry by entry. Tensor cores multiply
   matrices of doubles directly. Floats take three products of tf32 numbers (11 bits each), which give 22 bits.
   Changed: a warp has 16 states x 32 patterns, in the tensor cores' layout. Each lane loads its part of P and F from
   memory, and the L1 cache serves the block's other warps. Only the maximum needs shared memory.
   Expected: arithmetic is no limit any more: 0.11 ms in doubles for 62 taxa, 3,600 codons and 4 rates. The caches are.
   Measured: 0.60 ms, no faster than 06_levels on an H200; in floats only 0.67 times as fast. The L1 cache limits it.
   See: warpladder run peeling/06_levels peeling/07_tensor */
#include "peeling/engine/faster.h"
#include "peeling/kit/bands.h"
#include "peeling/kit/matrices.h"

enum { TILES = 4, HALVES = 2 }; // a warp has 32 patterns, a block twice as many

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

/* A block computes one join of the level, one rate class and 64 patterns. Its warps: [HALVES][bands of 16 states]. */
template <typename real, int W>
static __global__ void __launch_bounds__(HALVES *W * 2, 2)
    tensor(peeling_task task, uint32_t first_join, uint32_t tiles) {
    constexpr uint32_t BANDS = W / PEELING_BAND;
    __shared__ uint32_t band_tops[BANDS][HALVES * TILES * 8];
    const uint32_t warp = threadIdx.x / PEELING_WARP, band = warp % BANDS, half = warp / BANDS, lane = peeling_lane();
    const uint32_t r = blockIdx.x / tiles % task.rates;
    const peeling_join join = task.joins[first_join + blockIdx.x / tiles / task.rates];
    const uint32_t tile = 8 * TILES * half, c0 = blockIdx.x % tiles * (8 * TILES * HALVES) + tile;
    const uint32_t start = min(c0, task.patterns - 1); // the warp's first pattern; past the last one, the last again
    const uint32_t last = task.patterns - 1 - start;

    real acc[2][TILES][2][2];
#pragma unroll
    for (int child = 0; child < 2; child++) {
        const uint32_t vector = join.child[child];
        const real *P = peeling_matrix<real>(&task, join.matrix[child], r); // [j][s]
        if (vector < task.tips) {
            uint32_t codes[TILES];
            peeling_codes<TILES>(codes, task.code + (size_t)vector * task.patterns + start, last);
            peeling_look_up<real, W, TILES>(acc[child], &task, P, codes, band);
        } else {
            product<real, W, TILES>(acc[child], P, peeling_vector<real>(&task, vector, r, start), W,
                                    8 * (lane / 4 & task.exchange), band, last);
        }
    }
    for (int n = 0; n < TILES; n++)
        for (int i = 0; i < 4; i++) acc[0][n][i / 2][i % 2] *= acc[1][n][i / 2][i % 2];

    /* The largest entry of each pattern: in the band by shuffles, across bands through shared memory. */
    uint32_t tops[TILES][2];
    peeling_band_tops<real, TILES>(tops, acc[0]);
    peeling_put_tops<TILES>(&band_tops[band][tile], tops);
    __syncthreads();
    real *F = peeling_partial<real>(&task, join.to, r, c0); // [pattern][s]
    const uint32_t s = PEELING_BAND * band + lane / 4;
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            const uint32_t c = 8 * n + 2 * (lane % 4) + p;
            if (c0 + c >= task.patterns) continue;
            int e;
            const real scale = peeling_scale_of_bands<real>(&band_tops[0][tile + c], BANDS, HALVES * TILES * 8, &e);
            for (int i = 0; i < 2; i++)
                F[(size_t)c * W + ((s + 8 * i) ^ 8 * (c & task.exchange))] = acc[0][n][i][p] * scale;
            if (s == 0) peeling_remember(&task, &join, r, c0 + c, e);
        }
}

/* One launch per level. */
template <typename real, int W> static wl_status levels_of(peeling_state *s) {
    const uint32_t width = 8 * TILES * HALVES, tiles = (s->task.patterns + width - 1) / width;
    for (uint32_t level = 0; level < s->levels; level++) {
        const uint32_t first = s->first_join[level], count = s->first_join[level + 1] - first;
        tensor<real, W><<<tiles * s->task.rates * count, HALVES * W * 2>>>(s->task, first, tiles);
        WL_LAUNCHED();
    }
    return WL_OK;
}
template <typename real> static wl_status joins_of(peeling_state *s) {
    return s->task.padded == 32 ? levels_of<real, 32>(s) : levels_of<real, 64>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

/* No row has states: in every measurement, 06_levels takes less time or hardly more. */
static const peeling_faster faster[] = {{PEELING_H200}, {}};

PEELING_STAGE(.idea = "sums over states on the tensor cores", .source = "Warpladder",
              .limits = "models of more than 8 states", .padded = peeling_padded_to_bands,
              .refuses = peeling_tensor_refuses, .faster = faster, .exchanged = 1, .factors_within = 1,
              .matrices = PEELING_ON(peeling_tensor_matrices), .joins = joins,
              .rate = {WL_RATE_MMA_TF32, WL_RATE_MMA_F64})
