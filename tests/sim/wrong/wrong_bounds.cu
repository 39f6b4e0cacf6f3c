/* Lesson 02 with one mistake: the loop runs one attribute too far. `ctest -R sim.catches` expects the simulated device to name it. */
#include "lessons/device.h"

static __global__ void GPUcoalesce(const int *data, // [instances][attributes]
                                   int *distance,   // [instances][instances], zeroed
                                   int instances, int attributes) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    for (int i = idx; i <= attributes; i += THREADS) {
        if (data[i + (size_t)attributes * gx] != data[i + (size_t)attributes * gy]) {
            atomicAdd(distance + (size_t)instances * gy + gx, 1);
        }
    }
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t bytes = sizeof(int) * in->instances * in->attributes;
    return lessons_upload(in, in->attributes, in->data, bytes, state); // Figure 3c is how the data comes
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

static const wl_variant lesson = {
    .problem = "lessons",
    .name = "wrong_bounds",
    .idea = "deliberately wrong: the loop runs one attribute too far",
    .source = "tests",
    .backend = WL_DEVICE_BACKEND,
    .supports = lessons_supports,
    .prepare = prepare,
    .launch = launch,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = lessons_cost_ints,
};
WL_REGISTER(lesson)
