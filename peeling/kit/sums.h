/* The sum of all patterns, by blocks. */
#pragma once

#include "peeling/kit/device.h"
#include "peeling/kit/stage.h"

/* The sum of a block's numbers, always in the same order, so that results repeat to the last bit. */
static __device__ __forceinline__ double peeling_block_sum(double value, double *shared) { // [PEELING_SUM_BLOCK]
    shared[threadIdx.x] = value;
    for (uint32_t half = PEELING_SUM_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    return threadIdx.x == 0 ? shared[0] : 0; // only thread 0 gets the sum
}
static __global__ void peeling_sum_blocks_of(peeling_task task, uint32_t blocks) {
    __shared__ double shared[PEELING_SUM_BLOCK];
    double sum = 0;
    for (uint32_t b = threadIdx.x; b < blocks; b += PEELING_SUM_BLOCK) sum += task.block_total[b];
    sum = peeling_block_sum(sum, shared);
    if (threadIdx.x == 0) task.site[task.patterns] = sum;
}
