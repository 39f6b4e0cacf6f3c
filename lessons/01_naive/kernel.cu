/* 01_naive: one block per pair of instances; every difference is added to global memory.

   Idea: block (gx, gy) compares instances gx and gy, and its threads share the attributes.
   Changed: this is the first stage. The serial loop's two outer levels have become the grid, the inner one the threads.
   Expected: thousands of threads work at once. But neighbouring threads load addresses that are a row apart: two sectors
   of 32 bytes for each comparison of 8 bytes, and one atomic addition per difference.
   Measured: 12.8 million sectors per launch at 112 x 512, as expected; nvcc combines the additions of a warp. On an H200
   87 times as fast as serial -O3 there (65 times at 4,096 x 8,192), 0.35 times as fast as the best CPU code.
   See: warpladder explain lessons/01_naive; warpladder run lessons; README.md */
#include "lessons/kit/device.h"

enum { THREADS = 128 }; // per block, as in the paper

static __global__ void GPUnaive(const int *data, // [attributes][instances]
                                int *distance,   // [instances][instances], zeroed
                                int instances, int attributes) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    // BEGIN SOLUTION: loop over the attributes idx, idx + THREADS, ...; where gx and gy differ, add 1 with atomicAdd
    for (int i = idx; i < attributes; i += THREADS) {
        if (data[(size_t)instances * i + gx] != data[(size_t)instances * i + gy]) {
            atomicAdd(distance + (size_t)instances * gy + gx, 1);
        }
    }
    // END SOLUTION
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t n = in->instances, elements = n * in->attributes;
    int *columns = (int *)malloc(sizeof(int) * elements); // [attributes][instances]: the paper's Figure 3a
    if (columns != NULL) {
        for (size_t gx = 0; gx < n; gx++)
            for (size_t i = 0; i < (size_t)in->attributes; i++) columns[n * i + gx] = in->data[in->attributes * gx + i];
    }
    wl_status status = lessons_upload(device, in, n, columns, sizeof(int) * elements, state);
    free(columns);
    return status;
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s->instances == 0) return WL_OK;
    // The kernel only ever adds, so its sums start from zero each time.
    WL_CUDA(cudaMemsetAsync(s->distance, 0, sizeof(int) * s->instances * s->instances));
    dim3 grid(s->instances, s->instances);
    GPUnaive<<<grid, THREADS>>>((const int *)s->data, s->distance, s->instances, s->attributes);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_STAGE(.idea = "one block per pair of instances, every difference added to global memory",
              .source = "Payne et al. 2010, section 4 (GPUnaive)",
              .on_gpu =
                  "nvcc adds up in registers what all lanes of a warp add to one address: compare atomic addresses",
              .prepare = prepare, .launch = launch, .cost = lessons_cost_ints)
