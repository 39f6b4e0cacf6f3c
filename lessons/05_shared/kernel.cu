/* 05_shared: the threads of a block collect their counts in shared memory; one thread adds them up and writes.

   Idea: in shared memory a block's threads see each other's values without going to global memory.
   Changed: one count per thread in `dist`, two barriers, and one plain store per block instead of all atomics.
   Expected: no atomics, and nothing to clear before the launch; one thread pays with 381 shared accesses.
   Measured: no atomics. The paper gained a factor of 26: its card's atomics were probably slow. On an H200 the serial sum
   costs more than the atomics did at 112 x 512 (0.53 of the speed), and pays at 4,096 x 8,192 (1.2 times as fast).
   See: warpladder explain lessons; warpladder run lessons; README.md */
#include "lessons/kit/device.h"

enum { THREADS = 128 }; // per block, as in the paper

static __global__ void GPUshared(const char *data, // [instances][pitch], pitch a multiple of four
                                 int *distance,    // [instances][instances]
                                 int instances, int attributes, size_t pitch) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    // BEGIN SOLUTION: each thread counts in shared memory; thread 0 adds up and stores, without atomics
    // volatile: the compiler must do each access written here. Otherwise it keeps the sums in registers (README.md).
    __shared__ volatile int dist[THREADS];
    dist[idx] = 0;
    __syncthreads();
    for (int i = idx * 4; i < attributes; i += THREADS * 4) {
        char4 j = *(const char4 *)(data + i + pitch * gx);
        char4 k = *(const char4 *)(data + i + pitch * gy);
        char count = 0;
        if (j.x ^ k.x) count++;
        if ((j.y ^ k.y) && (i + 1 < attributes)) count++;
        if ((j.z ^ k.z) && (i + 2 < attributes)) count++;
        if ((j.w ^ k.w) && (i + 3 < attributes)) count++;
        dist[idx] += count;
    }
    __syncthreads();
    if (idx == 0) {
        for (int i = 1; i < THREADS; i++) dist[0] += dist[i];
        distance[(size_t)instances * gy + gx] = dist[0];
    }
    // END SOLUTION
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s->instances == 0) return WL_OK;
    dim3 grid(s->instances, s->instances);
    GPUshared<<<grid, THREADS>>>((const char *)s->data, s->distance, s->instances, s->attributes, s->pitch);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_STAGE(.idea = "counts collected in shared memory, one plain store per block",
              .source = "Payne et al. 2010, section 5.3 (GPUshared)",
              .on_gpu = "up to 1 % more passes, where requests of different warps get in each other's way",
              .launch = launch)
