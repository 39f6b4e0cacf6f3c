/* 06_reduction: the threads of a block add their counts up together.

   Idea: adding 128 numbers takes 127 additions, but they need not wait for each other: in pairs, then pairs of pairs,
   they take seven steps. And the 32 lanes of a warp can read each other's registers (shuffles) without memory or barrier.
   Changed: lesson 05's serial sum. A thread counts in a register, a warp adds up by shuffles, and four sums meet in
   shared memory. SHUFFLES = 0 selects the step between: a tree in shared memory with one barrier per level.
   Expected: 7 shared requests per block instead of 394, and one barrier instead of two.
   Measured: 7 shared requests per block; on an H200 1.2 times as fast (4,096 x 8,192).
   See: warpladder explain lessons; warpladder run lessons; README.md */
#include "lessons/kit/device.h"

enum { THREADS = 128, WARP = 32, WARPS = THREADS / WARP, MOST_Y = 65535, SHUFFLES = 1 };
#define ALL_LANES 0xffffffffu

/* The sum of all threads' counts, in thread 0. Each step adds the upper half of the remaining counts to the lower. */
static __device__ int sum_by_tree(int *dist, // [THREADS], shared
                                  int count) {
    int idx = threadIdx.x;
    dist[idx] = count;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (idx < half) dist[idx] += dist[idx + half];
    }
    return dist[idx];
}

/* The same, but in registers within a warp. */
static __device__ int sum_by_shuffles(int *dist, // [THREADS], shared
                                      int count) {
    int idx = threadIdx.x;
    for (int half = WARP / 2; half > 0; half /= 2) count += __shfl_down_sync(ALL_LANES, count, half);
    if (idx % WARP == 0) dist[idx / WARP] = count;
    __syncthreads();
    if (idx == 0) // four sums are too few to share the work
        for (int warp = 1; warp < WARPS; warp++) count += dist[warp];
    return count;
}

static __global__ void reduction(const char *data, // [instances][pitch], pitch a multiple of four
                                 int *distance,    // [instances][instances]
                                 int instances, int attributes, size_t pitch) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.z * gridDim.y + blockIdx.y;
    __shared__ int dist[THREADS];
    if (gy >= instances) return;
    int count = 0;
    for (int i = idx * 4; i < attributes; i += THREADS * 4) {
        char4 j = *(const char4 *)(data + i + pitch * gx);
        char4 k = *(const char4 *)(data + i + pitch * gy);
        if (j.x ^ k.x) count++;
        if ((j.y ^ k.y) && (i + 1 < attributes)) count++;
        if ((j.z ^ k.z) && (i + 2 < attributes)) count++;
        if ((j.w ^ k.w) && (i + 3 < attributes)) count++;
    }
    int sum = SHUFFLES ? sum_by_shuffles(dist, count) : sum_by_tree(dist, count);
    if (idx == 0) distance[(size_t)instances * gy + gx] = sum;
}

static const char *supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    return lessons_fits(device, in, ((double)in->attributes + 3) * in->instances);
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    const int n = s->instances;
    if (n == 0) return WL_OK;
    dim3 grid(n, n < MOST_Y ? n : MOST_Y, (n - 1) / MOST_Y + 1); // further rows than a grid can have in y use z
    reduction<<<grid, THREADS>>>((const char *)s->data, s->distance, n, s->attributes, s->pitch);
    WL_LAUNCHED();
    return WL_OK;
}

LESSONS_STAGE(
        .idea = "a block adds up by shuffles", .source = "Warpladder; Payne et al. 2010 name it in their discussion",
        .on_gpu =
            "5 shared requests per block instead of 7, because nvcc loads the three other warps' sums with one request",
        .supports = supports, .launch = launch)
