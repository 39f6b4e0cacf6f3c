/* 03_char4: four attributes in the 4 bytes that a thread loads.

   Idea: a ternary attribute fits into a char, and one instruction moves the four of a char4.
   Changed: rows of characters, padded to a multiple of four so that every char4 is aligned; four comparisons per trip.
   Expected: a quarter of the load requests and sectors; as many atomics, by which the paper explains its loss.
   Measured: exactly a quarter of the loads. The paper's time rose by a hundredth. An H200, for which nvcc combines a
   warp's atomics, is 1.1 times as fast at 112 x 512 and 1.4 times at 4,096 x 8,192.
   See: warpladder explain lessons; warpladder run lessons; README.md */
#include "lessons/kit/device.h"

enum { THREADS = 128 }; // per block, as in the paper

static __global__ void GPUchar(const char *data, // [instances][pitch], pitch a multiple of four
                               int *distance,    // [instances][instances], zeroed
                               int instances, int attributes, size_t pitch) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    // BEGIN SOLUTION: four attributes per load; beware of the row's end
    for (int i = 4 * idx; i < attributes; i += THREADS * 4) {
        char4 j = *(const char4 *)(data + i + pitch * gx);
        char4 k = *(const char4 *)(data + i + pitch * gy);
        if (j.x ^ k.x) atomicAdd(distance + (size_t)instances * gy + gx, 1);
        if ((j.y ^ k.y) && (i + 1 < attributes)) atomicAdd(distance + (size_t)instances * gy + gx, 1);
        if ((j.z ^ k.z) && (i + 2 < attributes)) atomicAdd(distance + (size_t)instances * gy + gx, 1);
        if ((j.w ^ k.w) && (i + 3 < attributes)) atomicAdd(distance + (size_t)instances * gy + gx, 1);
    }
    // END SOLUTION
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s->instances == 0) return WL_OK;
    WL_CUDA(cudaMemsetAsync(s->distance, 0, sizeof(int) * s->instances * s->instances));
    dim3 grid(s->instances, s->instances);
    GPUchar<<<grid, THREADS>>>((const char *)s->data, s->distance, s->instances, s->attributes, s->pitch);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_STAGE(
        .idea = "four attributes per load, packed into a char4", .source = "Payne et al. 2010, section 5.2 (GPUchar)",
        .on_gpu = "nvcc adds up in registers what all lanes of a warp add to one address: compare atomic addresses",
        .launch = launch)
