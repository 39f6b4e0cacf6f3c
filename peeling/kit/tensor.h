/* Products of transition matrices and partials on the tensor cores, for stages from 07_tensor on: P (padded x padded)
   times F (padded x patterns), in doubles, or in floats that are split in two.

   A warp has a band of 16 states and TILES x 8 patterns. In acc[n][i][p], lane l holds
     state  16 band + 8 i + l/4,   pattern  8 n + 2 (l%4) + p   of the tile.
   This is the layout of C and D of m16n8k8 (harness/device/mma.h), the same for doubles and floats. The instruction
   sums over eight j. It expects j = l%4 and l%4 + 4 in lane l, but a sum may take its terms in any order, as long as P
   and F agree. So lane l loads j = 2 (l%4) and 2 (l%4) + 1 instead, which are one load. */
#ifndef PEELING_KIT_TENSOR_H
#define PEELING_KIT_TENSOR_H

#include "harness/device/mma.h"
#include "peeling/kit/device.h"

enum { PEELING_BAND = 16 };

static __device__ __forceinline__ uint32_t peeling_lane(void) { return threadIdx.x % PEELING_WARP; }

/* Two neighbouring numbers in one load. */
static __device__ __forceinline__ void peeling_pair(double b[2], const double *F) {
    const double2 pair = *(const double2 *)F;
    b[0] = pair.x;
    b[1] = pair.y;
}
static __device__ __forceinline__ void peeling_pair(float b[2], const float *F) {
    const float2 pair = *(const float2 *)F;
    b[0] = pair.x;
    b[1] = pair.y;
}

/* acc += a b, a sum over eight k. A lane has two of them: a[h][i] and b[h] for its k number h and state row i. */
static __device__ __forceinline__ void peeling_multiply(double acc[2][2], const double a[2][2], const double b[2]) {
    wl_mma_m16n8k8_f64(&acc[0][0], &a[0][0], b, &acc[0][0]);
}

/* x = high + low, exactly. A float has 24 bits. tf32 keeps 11 of them, in high, and low has the rest. High is rounded
   to the nearest tf32 number. If it were cut off, low would never be negative. The product of low and low is left
   out below, and would then be missing with the same sign in every join of a tree. */
static __device__ __forceinline__ void peeling_split(float x, uint32_t *high, uint32_t *low) {
    *high = ((uint32_t)__float_as_int(x) + 0x1000u) & 0xffffe000u;
    *low = (uint32_t)__float_as_int(x - __int_as_float((int)*high));
}
/* Three products instead of one: high by low, low by high, and high by high, the largest last. Two things are missing:
   low by low, and the bit of low that tf32 does not keep. They are at most 2^-22 of the product, of either sign. Tensor
   cores cut sums off instead of rounding. So they add up only eight j, and ordinary additions do the rest. */
static __device__ __forceinline__ void peeling_multiply_terms(float acc[2][2], const uint32_t a_high[4],
                                                              const uint32_t a_low[4], const uint32_t b_high[2],
                                                              const uint32_t b_low[2]) {
    float sum[4] = {0, 0, 0, 0};
    wl_mma_m16n8k8_tf32(sum, a_high, b_low, sum);
    wl_mma_m16n8k8_tf32(sum, a_low, b_high, sum);
    wl_mma_m16n8k8_tf32(sum, a_high, b_high, sum);
    for (int i = 0; i < 4; i++) acc[i / 2][i % 2] += sum[i];
}
static __device__ __forceinline__ void peeling_multiply(float acc[2][2], const float a[2][2], const float b[2]) {
    uint32_t a_high[4], a_low[4], b_high[2], b_low[2];
    for (int h = 0; h < 2; h++) {
        peeling_split(b[h], &b_high[h], &b_low[h]);
        for (int i = 0; i < 2; i++) peeling_split(a[h][i], &a_high[i + 2 * h], &a_low[i + 2 * h]);
    }
    peeling_multiply_terms(acc, a_high, a_low, b_high, b_low);
}

/* The layout of partials in shared memory: patterns are padded by PEELING_PAD numbers, and an exclusive or exchanges
   groups of states (a swizzle). Both together avoid bank conflicts for reads (8 patterns x 8 states per warp, in pairs)
   and for writes (8 states of every other one of 8 patterns). The exchange is the same for all patterns that a lane
   reads, and for all that it writes, so addresses cost nothing more. */
enum { PEELING_PAD = 8 };
template <typename real> static __device__ __forceinline__ uint32_t peeling_swizzle(uint32_t pattern) {
    return sizeof(real) == 8 ? 4 * (pattern >> 1 & 3) : 8 * (pattern >> 2 & 1);
}

/* A warp reads four rows of P, every other one. Rows lie a multiple of 128 bytes apart, so all four would come from the
   same banks of the L1 cache. Therefore states are exchanged in groups of eight: state s of row j is at
   [j][s ^ peeling_row_swizzle(j)]. BYTES is the size of a group: 64, or 32 (peeling/kit/rows.h). */
template <typename real, int BYTES = sizeof(real) == 8 ? 64 : 32>
static __device__ __forceinline__ uint32_t peeling_row_swizzle(uint32_t j) {
    return BYTES / sizeof(real) * (j >> 1 & (128 / BYTES - 1));
}

/* acc = P F for the warp's band and TILES x 8 patterns. F points to the first pattern; patterns are `stride` numbers
   apart. State s is at s ^ exchanged, the same for all patterns that the lane reads. Past pattern `last` the lane reads
   pattern `last` again, and nobody uses these sums. P comes from the L2 cache, so its loads start AHEAD steps of eight
   j early, as many as the registers allow. */
template <typename real, int W, int TILES>
static __device__ __forceinline__ void peeling_product(real acc[TILES][2][2],
                                                       const real *P, // [j = W][s = W], rows exchanged
                                                       const real *F, // [patterns][stride]
                                                       uint32_t stride, uint32_t exchanged, uint32_t band,
                                                       uint32_t last) {
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

/* The codes of the lane's patterns at a tip, two per number. code points to that of the tile's first pattern. */
template <int TILES>
static __device__ __forceinline__ void peeling_codes(uint32_t codes[TILES], const uint16_t *code, uint32_t last) {
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++) {
        const uint32_t c = 8 * n + 2 * (peeling_lane() % 4);
        codes[n] = code[min(c, last)] | (uint32_t)code[min(c + 1, last)] << 16;
    }
}

/* acc = the sum of the columns of P in the tip's set: one column for a known state, 1 for the full set. */
template <typename real, int W, int TILES>
static __device__ __forceinline__ void peeling_look_up(real acc[TILES][2][2], const peeling_task *task,
                                                       const real *P, // [j = W][s = W], rows exchanged
                                                       const uint32_t codes[TILES], uint32_t band) {
    const uint32_t row = PEELING_BAND * band + peeling_lane() / 4;
    uint32_t most = 0;
    /* No branches here, so that all loads are in flight together. */
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            const uint32_t c = codes[n] >> 16 * p & 0xffff;
            most = max(most, c);
            const uint32_t j = min(c, task->states - 1), swizzle = peeling_row_swizzle<real>(j);
            for (int i = 0; i < 2; i++) acc[n][i][p] = P[j * W + ((row + 8 * i) ^ swizzle)];
        }
    if (most < task->states) return;
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            const uint32_t c = codes[n] >> 16 * p & 0xffff;
            if (c < task->states) continue;
            uint64_t set = task->set[c];
            const bool full = set == ~(uint64_t)0 >> (64 - task->states);
            for (int i = 0; i < 2; i++) acc[n][i][p] = full && row + 8 * i < task->states ? 1 : 0;
            for (; !full && set != 0; set &= set - 1) {
                const uint32_t j = __ffsll((long long)set) - 1;
                for (int i = 0; i < 2; i++) acc[n][i][p] += P[j * W + ((row + 8 * i) ^ peeling_row_swizzle<real>(j))];
            }
        }
}

/* --- Transition matrices ----------------------------------------------------------------------------------------- */

/* All edges and rate classes in one launch, in the layout of peeling_product. A plan with `factors_within` says
   `.matrices = peeling_tensor_matrices`. P = identity + E (diag(factor) E^-1), and a block makes one matrix. It keeps
   diag(factor) E^-1 in shared memory, each column as a row, like the partials of W patterns. E takes the place of P,
   not transposed. The sums are doubles, also if P is rounded to floats. */
template <typename real, int W>
static __global__ void __launch_bounds__(4 * W) peeling_matrix_product(peeling_task task) {
    constexpr int STRIDE = W + PEELING_PAD, TILES = W / 16,
                  BANDS = W / PEELING_BAND;            // warps: [2 halves of the columns][BANDS]
    __shared__ __align__(16) double right[W * STRIDE]; // [j][k], states exchanged
    __shared__ double factor[W];
    const uint32_t edge = blockIdx.x / task.rates, r = blockIdx.x % task.rates, lane = peeling_lane();
    const uint32_t warp = threadIdx.x / PEELING_WARP, band = warp % BANDS, tile = 8 * TILES * (warp / BANDS);
    for (uint32_t k = threadIdx.x; k < W; k += 4 * W) factor[k] = peeling_factor_of(&task, edge, r, k);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < W * W; i += 4 * W) {
        const uint32_t k = i / W, j = i % W;
        right[j * STRIDE + (k ^ peeling_swizzle<double>(j))] = task.left[i] * factor[k];
    }
    __syncthreads();
    double acc[TILES][2][2] = {};
    const uint32_t k0 = 2 * (lane % 4), s = PEELING_BAND * band + lane / 4, swizzle = peeling_swizzle<double>(lane / 4);
#pragma unroll
    for (uint32_t step = 0; step < W / 8; step++) {
        double a[2][2], b[2], row[2][2]; // row[i]: k0 and k0 + 1 of state s + 8 i
        for (int i = 0; i < 2; i++) peeling_pair(row[i], task.right + (s + 8 * i) * W + 8 * step + k0);
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 2; i++) a[h][i] = row[i][h];
        for (uint32_t n = 0; n < TILES; n++) {
            peeling_pair(b, right + (tile + 8 * n + lane / 4) * STRIDE + ((8 * step + k0) ^ swizzle));
            peeling_multiply(acc[n], a, b);
        }
    }
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, r); // [j][s], rows exchanged
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t i = 0; i < 2; i++)
            for (uint32_t p = 0; p < 2; p++) {
                const uint32_t j = tile + 8 * n + 2 * (lane % 4) + p, at = s + 8 * i;
                P[j * W + (at ^ peeling_row_swizzle<real>(j))] = (real)peeling_probability(&task, at, j, acc[n][i][p]);
            }
}

template <typename real> static inline wl_status peeling_tensor_matrices_as(peeling_state *s) {
    const unsigned blocks = s->task.edge_count * s->task.rates;
    if (s->task.padded == 32)
        WL_LAUNCH((peeling_matrix_product<real, 32>), blocks, 4 * 32, 0, s->task);
    else
        WL_LAUNCH((peeling_matrix_product<real, 64>), blocks, 4 * 64, 0, s->task);
    return WL_OK;
}
static inline wl_status peeling_tensor_matrices(peeling_state *s) {
    return PEELING_BY_PRECISION(peeling_tensor_matrices_as, s);
}

/* --- Which inputs ------------------------------------------------------------------------------------------------ */

/* The widths that there are kernels for. */
static inline uint32_t peeling_padded_to_bands(uint32_t states) { return states <= 32 ? 32 : 64; }
static inline const char *peeling_tensor_refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && device->compute_capability < 80)
        return "tensor cores of doubles and tf32 came with compute capability 8.0";
    return in->model->states <= 8 ? "four states do not fill a tensor core's tile; see 08_fused" : NULL;
}

/* --- Rescaling --------------------------------------------------------------------------------------------------- */

/* The largest top of each pattern among the warp's 16 states. All lanes that have the pattern get it. */
template <typename real, int TILES>
static __device__ __forceinline__ void peeling_band_tops(uint32_t tops[TILES][2], const real acc[TILES][2][2]) {
#pragma unroll
    for (int n = 0; n < TILES; n++)
        for (int p = 0; p < 2; p++) {
            uint32_t x = max(peeling_top(acc[n][0][p]), peeling_top(acc[n][1][p]));
            for (int step = 4; step < PEELING_WARP; step *= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, step));
            tops[n][p] = x;
        }
}

/* To shared memory, for the other bands. Lanes 0 to 3 together have all patterns of the warp. */
template <int TILES>
static __device__ __forceinline__ void peeling_put_tops(uint32_t *band_tops, const uint32_t tops[TILES][2]) {
    if (peeling_lane() < 4)
        for (int n = 0; n < TILES; n++)
            for (int p = 0; p < 2; p++) band_tops[8 * n + 2 * peeling_lane() + p] = tops[n][p];
}
/* The factor of a pattern, from the tops of all bands. */
template <typename real>
static __device__ __forceinline__ real peeling_scale_of_bands(const uint32_t *tops, // [bands][width]
                                                              uint32_t bands, uint32_t width, int *e) {
    uint32_t top = tops[0];
    for (uint32_t b = 1; b < bands; b++) top = max(top, tops[b * width]);
    return peeling_scale_of_top<real>(top, e);
}

#endif
