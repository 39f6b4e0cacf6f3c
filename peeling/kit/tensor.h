/* Eight by eight numbers of a product on the tensor cores, for stages from 07_tensor on: in doubles, or in floats that are split in two.
   m16n8k8 (harness/device/mma_m16n8k8.h) sums over eight k. It expects k = l%4 and l%4 + 4 in lane l, but a sum may take its terms in any
   order, as long as both factors agree. So lane l loads k = 2 (l%4) and 2 (l%4) + 1 instead, which are one load. */
#pragma once

#include "harness/device/mma_m16n8k8.h"
#include "peeling/kit/lanes.h"

/* acc += a b, a sum over eight k. A lane has two of them: a[h][i] and b[h] for its k number h and state row i. */
static __device__ __forceinline__ void peeling_multiply(double acc[2][2], const double a[2][2], const double b[2]) {
    wl_mma_m16n8k8_f64(&acc[0][0], &a[0][0], b, &acc[0][0]);
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

/* The factor of a pattern, from the tops of all bands. */
template <typename real>
static __device__ __forceinline__ real peeling_scale_of_bands(const uint32_t *tops, // [bands][width]
                                                              uint32_t bands, uint32_t width, int *e) {
    uint32_t top = tops[0];
    for (uint32_t b = 1; b < bands; b++) top = max(top, tops[b * width]);
    return peeling_scale_of_top<real>(top, e);
}
