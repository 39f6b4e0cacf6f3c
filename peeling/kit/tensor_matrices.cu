/* Transition matrices on the tensor cores, a block for each, for stages 07 and 09. */
#include "peeling/kit/bands.h"
#include "peeling/kit/factor.h"
#include "peeling/kit/matrices.h"

/* P = identity + E (diag(factor) E^-1), and a block makes one matrix. It keeps
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

template <typename real> static wl_status tensor_matrices_as(peeling_state *s) {
    const unsigned blocks = s->task.edge_count * s->task.rates;
    if (s->task.padded == 32)
        peeling_matrix_product<real, 32><<<blocks, 4 * 32>>>(s->task);
    else
        peeling_matrix_product<real, 64><<<blocks, 4 * 64>>>(s->task);
    WL_LAUNCHED();
    return WL_OK;
}
wl_status PEELING_ON(peeling_tensor_matrices)(peeling_state *s) { return PEELING_BY_PRECISION(tensor_matrices_as, s); }
