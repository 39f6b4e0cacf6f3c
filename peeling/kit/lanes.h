/* A warp's lanes and the numbers that they load, for stages from 07_tensor on. */
#pragma once

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

/* x = high + low, exactly. A float has 24 bits. tf32 keeps 11 of them, in high, and low has the rest. High is rounded
   to the nearest tf32 number. If it were cut off, low would never be negative. The product of low and low is left
   out below, and would then be missing with the same sign in every join of a tree. */
static __device__ __forceinline__ void peeling_split(float x, uint32_t *high, uint32_t *low) {
    *high = ((uint32_t)__float_as_int(x) + 0x1000u) & 0xffffe000u;
    *low = (uint32_t)__float_as_int(x - __int_as_float((int)*high));
}
/* A warp reads four rows of P, every other one. Rows lie a multiple of 128 bytes apart, so all four would come from the
   same banks of the L1 cache. Therefore states are exchanged in groups of eight: state s of row j is at
   [j][s ^ peeling_row_swizzle(j)]. BYTES is the size of a group: 64, or 32 (peeling/kit/rows.h). */
template <typename real, int BYTES = sizeof(real) == 8 ? 64 : 32>
static __device__ __forceinline__ uint32_t peeling_row_swizzle(uint32_t j) {
    return BYTES / sizeof(real) * (j >> 1 & (128 / BYTES - 1));
}
