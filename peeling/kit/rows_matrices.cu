/* Transition matrices on the tensor cores, several by each block, for stages 10 and 12. P = identity + (E diag(factor)) E^-1. A block keeps E in registers and E^-1 in shared memory, and takes one
   matrix after another. They are stored as peeling/kit/rows.h says. Warps [2 halves of the columns][bands of 16 states]. */
#include "peeling/kit/factor.h"
#include "peeling/kit/row_products.h"

/* What a lane multiplies by, of P as doubles; a float's low term has what the high one leaves of the double, to 11 bits. */
static __device__ __forceinline__ void make_piece(double2 *piece, const double b[2]) {
    *piece = make_double2(b[0], b[1]);
}
static __device__ __forceinline__ void make_piece(uint4 *piece, const double b[2]) {
    uint32_t high[2], low[2], rest;
    for (int h = 0; h < 2; h++) {
        peeling_split((float)b[h], &high[h], &rest);
        peeling_split((float)(b[h] - (double)__int_as_float((int)high[h])), &low[h], &rest);
    }
    *piece = make_uint4(high[0], high[1], low[0], low[1]);
}

/* How inner branches want their matrices: as [j / 8][s / 8][lane] pieces of a warp's product, or, floats only, as halves for a warpgroup's. */
enum { AT_ONCE = 4, BAND = 16 };
#define BLOCKS_OF(W) (128 / (W)) // of a multiprocessor's registers
template <typename real, int W, bool HALVES>
static __global__ void __launch_bounds__(4 * W, BLOCKS_OF(W))
    peeling_matrices_by_block(peeling_task task, uint32_t count) {
    constexpr int TILES = W / 16, BANDS = W / BAND, STEPS = W / 8;
    __shared__ __align__(16) double left[W * W]; // [k][j], j exchanged
    __shared__ double factor[AT_ONCE][W];
    const uint32_t lane = peeling_lane(), warp = threadIdx.x / PEELING_WARP, band = warp % BANDS;
    const uint32_t tile = 8 * TILES * (warp / BANDS), k0 = 2 * (lane % 4), s = BAND * band + lane / 4;
    double E[STEPS][2][2]; // [step][h][i]: row s + 8 i, k = 8 step + k0 + h
#pragma unroll
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t i = 0; i < 2; i++) {
            double pair[2];
            peeling_pair(pair, task.right + (s + 8 * i) * W + 8 * step + k0);
            for (int h = 0; h < 2; h++) E[step][h][i] = pair[h];
        }
    for (uint32_t i = threadIdx.x; i < W * W; i += 4 * W) {
        const uint32_t k = i / W, j = i % W;
        left[k * W + (j ^ peeling_row_swizzle<double, PEELING_BANK_BYTES>(k))] = task.left[i];
    }
    for (uint32_t first = blockIdx.x; first < count; first += AT_ONCE * gridDim.x) {
        {
            const uint32_t m = first + threadIdx.x / W * gridDim.x, k = threadIdx.x % W;
            if (m < count) factor[threadIdx.x / W][k] = peeling_factor_of(&task, m / task.rates, m % task.rates, k);
        }
        __syncthreads();
        for (uint32_t at_once = 0; at_once < AT_ONCE; at_once++) {
            const uint32_t m = first + at_once * gridDim.x;
            if (m >= count) break;
            double acc[TILES][2][2] = {};
#pragma unroll
            for (uint32_t step = 0; step < STEPS; step++) {
                double a[2][2];
                for (int h = 0; h < 2; h++)
                    for (int i = 0; i < 2; i++) a[h][i] = E[step][h][i] * factor[at_once][8 * step + k0 + h];
#pragma unroll
                for (uint32_t n = 0; n < TILES; n++) {
                    const uint32_t k = 8 * step + k0;
                    const double *row =
                        left + k * W + ((tile + 8 * n + lane / 4) ^ peeling_row_swizzle<double, PEELING_BANK_BYTES>(k));
                    const double b[2] = {row[0], row[W]};
                    peeling_multiply(acc[n], a, b);
                }
            }
            const uint32_t matrix = task.edges[m / task.rates].matrix;
            char *P = peeling_row_matrix(&task, matrix, m % task.rates);
#pragma unroll
            for (uint32_t n = 0; n < TILES; n++)
                for (uint32_t i = 0; i < 2; i++)
                    for (uint32_t p = 0; p < 2; p++)
                        acc[n][i][p] = peeling_probability(&task, (s + 8 * i), tile + 8 * n + k0 + p, acc[n][i][p]);
            /* Addresses differ by constants, which take no registers. */
            if (matrix < task.tips) {
                for (uint32_t i = 0; i < 2; i++) {
                    real *row =
                        (real *)P + (tile + k0) * W + ((s + 8 * i) ^ peeling_row_swizzle<real, PEELING_BANK_BYTES>(k0));
#pragma unroll
                    for (uint32_t n = 0; n < TILES; n++)
                        for (uint32_t p = 0; p < 2; p++) row[(8 * n + p) * W] = (real)acc[n][i][p];
                }
            } else if (HALVES) {
                /* [j / 8][term][half][s / 8][8 s][4 j]: of j = 2 (l%4) + p, half p. A warp stores 128 bytes in a row. */
                uint32_t *half = (uint32_t *)P + (tile / 8 * 4 * W + 2 * band * 8) * 4 + lane;
#pragma unroll
                for (uint32_t n = 0; n < TILES; n++)
                    for (uint32_t i = 0; i < 2; i++) {
                        uint4 terms;
                        make_piece(&terms, acc[n][i]);
                        half[((n * 4 + 0) * W + i * 8) * 4] = terms.x;
                        half[((n * 4 + 1) * W + i * 8) * 4] = terms.y;
                        half[((n * 4 + 2) * W + i * 8) * 4] = terms.z;
                        half[((n * 4 + 3) * W + i * 8) * 4] = terms.w;
                    }
            } else {
                auto *piece =
                    (typename peeling_operand<real>::piece *)P + (tile / 8 * STEPS + 2 * band) * PEELING_WARP + lane;
#pragma unroll
                for (uint32_t n = 0; n < TILES; n++)
                    for (uint32_t i = 0; i < 2; i++) make_piece(&piece[(n * STEPS + i) * PEELING_WARP], acc[n][i]);
            }
        }
        __syncthreads();
    }
}
template <typename real, bool HALVES> static wl_status matrices_as(peeling_state *s) {
    const uint32_t count = s->task.edge_count * s->task.rates;
    const uint32_t most = (uint32_t)BLOCKS_OF(s->task.padded) * (uint32_t)s->multiprocessors;
    const unsigned blocks = count < most ? count : most;
    if (s->task.padded == 32)
        peeling_matrices_by_block<real, 32, HALVES><<<blocks, 4 * 32>>>(s->task, count);
    else
        peeling_matrices_by_block<real, 64, HALVES><<<blocks, 4 * 64>>>(s->task, count);
    WL_LAUNCHED();
    return WL_OK;
}
wl_status PEELING_ON(peeling_matrices_in_turn)(peeling_state *s) {
    return s->is_double ? matrices_as<double, false>(s) : matrices_as<float, false>(s);
}
wl_status PEELING_ON(peeling_matrices_in_halves)(peeling_state *s) { return matrices_as<float, true>(s); }
