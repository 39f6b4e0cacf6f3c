/* Eight by eight numbers of a product on the tensor cores, for stages from 07_tensor on: in doubles, or in floats that are split in two.
   m16n8k8 (harness/device/mma_m16n8k8.h) sums over eight k. It expects k = l%4 and l%4 + 4 in lane l, but a sum may take its terms in any
   order, as long as both factors agree. So lane l loads k = 2 (l%4) and 2 (l%4) + 1 instead, which are one load. */
#pragma once

#include "harness/device/mma_m16n8k8.h"
#include "peeling/kit/scale.h"

static __device__ __forceinline__ uint32_t peeling_lane(void) { return threadIdx.x % PEELING_WARP; }

/* Two neighbouring numbers in one load. */
static __device__ __forceinline__ void peeling_pair(double b[2], const double *F) {
    const double2 pair = *(const double2 *)F;
    b[0] = pair.x, b[1] = pair.y;
}
static __device__ __forceinline__ void peeling_pair(float b[2], const float *F) {
    const float2 pair = *(const float2 *)F;
    b[0] = pair.x, b[1] = pair.y;
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

/* A warp reads four rows of P, every other one. Rows lie a multiple of 128 bytes apart, so all four would come from the
   same banks of the L1 cache. Therefore states are exchanged in groups of eight: state s of row j is at
   [j][s ^ peeling_row_swizzle(j)]. BYTES is the size of a group: 64, or 32 (peeling/kit/rows.h). */
template <typename real, int BYTES = sizeof(real) == 8 ? 64 : 32>
static __device__ __forceinline__ uint32_t peeling_row_swizzle(uint32_t j) {
    return BYTES / sizeof(real) * (j >> 1 & (128 / BYTES - 1));
}

/* The factor of a pattern, from the tops of all bands. */
template <typename real>
static __device__ __forceinline__ real peeling_scale_of_bands(const uint32_t *tops, // [bands][width]
                                                              uint32_t bands, uint32_t width, int *e) {
    uint32_t top = tops[0];
    for (uint32_t b = 1; b < bands; b++) top = max(top, tops[b * width]);
    return peeling_scale_of_top<real>(top, e);
}
