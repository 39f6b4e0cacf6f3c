/* Code of stages 02 to 04: the paper's padding, and four states in one thread. Matrices are
   transposed: [j][s], column after column. */
#pragma once

#include "peeling/kit/matrices.h"
#include "peeling/kit/stage.h"

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

/* --- Launches ---------------------------------------------------------------------------------------------------- */

/* One launch per node, for stages 03 and 04: blocks of W x (512 / W) threads, or of 128 for four states. With
   `rescales`, a second launch rescales the node. */
enum { PEELING_BLOCK = 512, PEELING_FOUR_STATES_BLOCK = 128 };
typedef void peeling_join_kernel(peeling_task, peeling_join);
static inline wl_status peeling_node_by_node(peeling_state *s, peeling_join_kernel *four, peeling_join_kernel *of_32,
                                             peeling_join_kernel *of_64, bool rescales) {
    const uint32_t W = s->task.padded, threads = W == 4 ? PEELING_FOUR_STATES_BLOCK : PEELING_BLOCK;
    const uint32_t columns = W == 4 ? threads : threads / W;
    const dim3 grid(peeling_blocks(s->task.patterns, columns), s->task.rates),
        block(W == 4 ? threads : W, W == 4 ? 1 : columns);
    peeling_join_kernel *const kernel = W == 4 ? four : W == 32 ? of_32 : of_64;
    for (uint32_t i = 0; i < s->join_count; i++) {
        WL_LAUNCH(kernel, grid, block, 0, s->task, s->joins[i]);
        if (rescales) WL_TRY(PEELING_ON(peeling_rescaled)(s, &s->joins[i]));
    }
    return WL_OK;
}
