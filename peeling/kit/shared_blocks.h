/* Code of stages 02 to 04: the paper's padding, four states in one thread, and its matrix product in blocks of 16 x 16
   (its Figure 1). Matrices are transposed: [j][s], column after column. */
#ifndef PEELING_KIT_SHARED_BLOCKS_H
#define PEELING_KIT_SHARED_BLOCKS_H

#include "peeling/kit/device.h"

/* Blocks of 512 threads that fit on a multiprocessor with 32 registers per thread. The compiler refuses four for GPUs
   with fewer threads per multiprocessor. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
#define PEELING_BLOCKS_OF_512 4
#else
#define PEELING_BLOCKS_OF_512 2
#endif

/* The paper pads to a multiple of 16, half a warp. Whole warps give the same numbers: 20 states become 32, and 60 or 61
   become 64. Four states stay four, all in one thread. */
static inline uint32_t peeling_padded_to_warps(uint32_t states) {
    return states <= 4 ? 4 : (states + PEELING_WARP - 1) / PEELING_WARP * PEELING_WARP;
}

/* --- Four states ------------------------------------------------------------------------------------------------- */

template <typename real> struct peeling_four { real s[4]; };

/* `from` and `to` lie at a multiple of 16 bytes. Four floats take one access, four doubles take two. */
static __device__ __forceinline__ peeling_four<float> peeling_load_four(const float *from) {
    const float4 v = *(const float4 *)from;
    return {{v.x, v.y, v.z, v.w}};
}
static __device__ __forceinline__ peeling_four<double> peeling_load_four(const double *from) {
    const double2 low = ((const double2 *)from)[0], high = ((const double2 *)from)[1];
    return {{low.x, low.y, high.x, high.y}};
}
static __device__ __forceinline__ void peeling_store_four(float *to, const peeling_four<float> &v) {
    *(float4 *)to = make_float4(v.s[0], v.s[1], v.s[2], v.s[3]);
}
static __device__ __forceinline__ void peeling_store_four(double *to, const peeling_four<double> &v) {
    ((double2 *)to)[0] = make_double2(v.s[0], v.s[1]);
    ((double2 *)to)[1] = make_double2(v.s[2], v.s[3]);
}

/* The sum over j of P[j][s] F[j], for the four s. */
template <typename real>
static __device__ __forceinline__ peeling_four<real> peeling_through_four(const real *P, // [j][s]
                                                                          const peeling_four<real> &F) {
    peeling_four<real> sum = {{0, 0, 0, 0}};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const peeling_four<real> column = peeling_load_four(P + 4 * j);
#pragma unroll
        for (int s = 0; s < 4; s++) sum.s[s] += column.s[s] * F.s[j];
    }
    return sum;
}
template <typename real>
static __device__ __forceinline__ peeling_four<real> peeling_product_four(const peeling_four<real> &a,
                                                                          const peeling_four<real> &b) {
    return {{a.s[0] * b.s[0], a.s[1] * b.s[1], a.s[2] * b.s[2], a.s[3] * b.s[3]}};
}

/* --- The matrix product in blocks -------------------------------------------------------------------------------- */

enum { PEELING_TILE = 16, PEELING_TILE_THREADS = PEELING_TILE * PEELING_TILE };

/* P^(r) = identity + E D E^-1 for all edges of the list and all rate classes. A block computes 16 x 16 entries of one
   matrix, one per thread. It goes through the tiles of E to the right and through the tiles of E^-1 downwards. It
   multiplies by D while it prefetches E, once for 16 uses. threadIdx.x is the row i, so that neighbouring threads write
   neighbouring numbers of the transposed matrix. */
template <typename real>
static __global__ void __launch_bounds__(PEELING_TILE_THREADS) peeling_blocked_product(peeling_task task) {
    __shared__ double scaled[PEELING_TILE]
                            [PEELING_TILE + 1];         // E D [i][k]; + 1: the 16 rows of a column lie in 16 banks
    __shared__ double left[PEELING_TILE][PEELING_TILE]; // E^-1 [k][j]
    const uint32_t W = task.padded, tiles = W / PEELING_TILE, x = threadIdx.x, y = threadIdx.y;
    const uint32_t i0 = blockIdx.x % tiles * PEELING_TILE, j0 = blockIdx.x / tiles % tiles * PEELING_TILE;
    const uint32_t matrix = blockIdx.x / (tiles * tiles), edge = matrix / task.rates, r = matrix % task.rates;
    const double *factor = task.factor + (size_t)matrix * W; // D
    double sum = 0;
    for (uint32_t k0 = 0; k0 < W; k0 += PEELING_TILE) {
        scaled[y][x] = task.right[(i0 + y) * W + k0 + x] * factor[k0 + x];
        left[y][x] = task.left[(k0 + y) * W + j0 + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < PEELING_TILE; k++) sum += scaled[x][k] * left[k][y];
        __syncthreads();
    }
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, r); // [j][i]
    P[(j0 + y) * W + i0 + x] = (real)peeling_probability(&task, i0 + x, j0 + y, sum);
}

/* The same for four states: a block makes 16 whole matrices. */
template <typename real>
static __global__ void __launch_bounds__(PEELING_TILE_THREADS) peeling_four_product(peeling_task task) {
    enum { MATRICES = PEELING_TILE_THREADS / 16 };
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

/* All edges and rate classes in one launch. */
template <typename real> static inline wl_status peeling_blocked_matrices_of(peeling_state *s) {
    const size_t matrices = (size_t)s->task.edge_count * s->task.rates, tiles = s->task.padded / PEELING_TILE;
    if (s->task.padded == 4)
        WL_LAUNCH(peeling_four_product<real>, peeling_blocks(matrices, 16), PEELING_TILE_THREADS, 0, s->task);
    else
        WL_LAUNCH(peeling_blocked_product<real>, (unsigned)(matrices * tiles * tiles), dim3(PEELING_TILE, PEELING_TILE),
                  0, s->task);
    return WL_OK;
}
static inline wl_status peeling_blocked_matrices(peeling_state *s) {
    return PEELING_BY_PRECISION(peeling_blocked_matrices_of, s);
}

/* --- Launches ---------------------------------------------------------------------------------------------------- */

/* One launch per node, for stages 03 and 04: blocks of W x (512 / W) threads, or of 128 for four states. With
   `rescales`, a second launch rescales the node. */
enum { PEELING_BLOCK = 512, PEELING_FOUR_STATES_BLOCK = 128 };
typedef void peeling_join_kernel(peeling_task, peeling_join);
template <typename real>
static wl_status peeling_node_by_node(peeling_state *s, peeling_join_kernel *four, peeling_join_kernel *of_32,
                                      peeling_join_kernel *of_64, bool rescales) {
    const uint32_t W = s->task.padded, threads = W == 4 ? PEELING_FOUR_STATES_BLOCK : PEELING_BLOCK;
    const uint32_t columns = W == 4 ? threads : threads / W;
    const dim3 grid(peeling_blocks(s->task.patterns, columns), s->task.rates),
        block(W == 4 ? threads : W, W == 4 ? 1 : columns);
    peeling_join_kernel *const kernel = W == 4 ? four : W == 32 ? of_32 : of_64;
    for (uint32_t i = 0; i < s->join_count; i++) {
        WL_LAUNCH(kernel, grid, block, 0, s->task, s->joins[i]);
        if (rescales) WL_TRY(peeling_rescaled<real>(s, &s->joins[i]));
    }
    return WL_OK;
}

#endif
