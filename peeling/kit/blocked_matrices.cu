/* The paper's matrix product in blocks of 16 x 16 (its Figure 1), for stages 03 and 04. */
#include "peeling/kit/matrices.h"

enum { TILE = 16, TILE_THREADS = TILE * TILE };

/* P^(r) = identity + E D E^-1 for all edges of the list and all rate classes. A block computes 16 x 16 entries of one
   matrix, one per thread. It goes through the tiles of E to the right and through the tiles of E^-1 downwards. It
   multiplies by D while it prefetches E, once for 16 uses. threadIdx.x is the row i, so that neighbouring threads write
   neighbouring numbers of the transposed matrix. */
template <typename real>
static __global__ void __launch_bounds__(TILE_THREADS) peeling_blocked_product(peeling_task task) {
    __shared__ double scaled[TILE][TILE + 1]; // E D [i][k]; + 1: the 16 rows of a column lie in 16 banks
    __shared__ double left[TILE][TILE];       // E^-1 [k][j]
    const uint32_t W = task.padded, tiles = W / TILE, x = threadIdx.x, y = threadIdx.y;
    const uint32_t i0 = blockIdx.x % tiles * TILE, j0 = blockIdx.x / tiles % tiles * TILE;
    const uint32_t matrix = blockIdx.x / (tiles * tiles), edge = matrix / task.rates, r = matrix % task.rates;
    const double *factor = task.factor + (size_t)matrix * W; // D
    double sum = 0;
    for (uint32_t k0 = 0; k0 < W; k0 += TILE) {
        scaled[y][x] = task.right[(i0 + y) * W + k0 + x] * factor[k0 + x];
        left[y][x] = task.left[(k0 + y) * W + j0 + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += scaled[x][k] * left[k][y];
        __syncthreads();
    }
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, r); // [j][i]
    P[(j0 + y) * W + i0 + x] = (real)peeling_probability(&task, i0 + x, j0 + y, sum);
}

/* The same for four states: a block makes 16 whole matrices. */
template <typename real>
static __global__ void __launch_bounds__(TILE_THREADS) peeling_four_product(peeling_task task) {
    enum { MATRICES = TILE_THREADS / 16 };
    __shared__ double right[16], left[16], factor[MATRICES * 4];
    const uint32_t thread = threadIdx.x, count = task.edge_count * task.rates;
    const uint32_t first = blockIdx.x * MATRICES, matrix = first + thread / 16;
    if (thread < 16) {
        right[thread] = task.right[thread];
        left[thread] = task.left[thread];
    }
    if (thread < MATRICES * 4 && first + thread / 4 < count) factor[thread] = task.factor[(size_t)first * 4 + thread];
    __syncthreads();
    if (matrix >= count) return;
    const uint32_t i = thread % 4, j = thread / 4 % 4;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) sum += right[4 * i + k] * factor[thread / 16 * 4 + k] * left[4 * k + j];
    real *P = peeling_matrix<real>(&task, task.edges[matrix / task.rates].matrix, matrix % task.rates); // [j][i]
    P[thread % 16] = (real)peeling_probability(&task, i, j, sum);
}

template <typename real> static wl_status blocked_matrices_as(peeling_state *s) {
    const size_t matrices = (size_t)s->task.edge_count * s->task.rates, tiles = s->task.padded / TILE;
    if (s->task.padded == 4)
        peeling_four_product<real><<<peeling_blocks(matrices, 16), TILE_THREADS>>>(s->task);
    else
        peeling_blocked_product<real><<<(unsigned)(matrices * tiles * tiles), dim3(TILE, TILE)>>>(s->task);
    WL_LAUNCHED();
    return WL_OK;
}
wl_status PEELING_ON(peeling_blocked_matrices)(peeling_state *s) {
    return PEELING_BY_PRECISION(blocked_matrices_as, s);
}
