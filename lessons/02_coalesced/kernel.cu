/* 02_coalesced: neighbouring threads load neighbouring addresses.

   Idea: a warp's 32 loads are one request; if their addresses are consecutive, four sectors answer it instead of 32.
   Changed: the data has one row per instance, as it comes, so that the index advances by one from thread to thread.
   Expected: an eighth of the sectors, and as many requests and atomics as before.
   Measured: exactly an eighth (1.6 instead of 12.8 million at 112 x 512). An H200 is 2.4 times as fast there, where
   caches hold all data, and 6.4 times at 4,096 x 8,192, where they do not.
   See: warpladder explain lessons; warpladder run lessons; README.md */
#include "lessons/kit/device.h"

enum { THREADS = 128 }; // per block, as in the paper

static __global__ void GPUcoalesce(const int *data, // [instances][attributes]
                                   int *distance,   // [instances][instances], zeroed
                                   int instances, int attributes) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    // BEGIN SOLUTION: as in lab 01, from rows of instances: neighbouring threads read neighbouring elements
    for (int i = idx; i < attributes; i += THREADS) {
        if (data[i + (size_t)attributes * gx] != data[i + (size_t)attributes * gy]) {
            atomicAdd(distance + (size_t)instances * gy + gx, 1);
        }
    }
    // END SOLUTION
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t bytes = sizeof(int) * in->instances * in->attributes;
    return lessons_upload(device, in, in->attributes, in->data, bytes, state); // the data comes as in Figure 3c
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s->instances == 0) return WL_OK;
    WL_CUDA(cudaMemsetAsync(s->distance, 0, sizeof(int) * s->instances * s->instances));
    dim3 grid(s->instances, s->instances);
    GPUcoalesce<<<grid, THREADS>>>((const int *)s->data, s->distance, s->instances, s->attributes);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_STAGE(.idea = "one block per pair of instances, rows read side by side",
              .source = "Payne et al. 2010, section 5.1 (GPUcoalesce)",
              .on_gpu = "nvcc adds up in registers what all lanes of a warp add to one address: compare atomic "
                        "addresses; with attributes that are no multiple of 512 it loads up to 5 % more sectors, "
                        "because nvcc does the remainder of its unrolled loop first",
              .prepare = prepare, .launch = launch, .cost = lessons_cost_ints)
