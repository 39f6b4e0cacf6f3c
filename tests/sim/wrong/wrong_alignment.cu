/* Lesson 03 with one mistake: rows are not padded to a multiple of four. `ctest -R sim.catches` expects the simulated device to name it. */
#include "lessons/device.h"

static __global__ void GPUchar(const char *data, // [instances][pitch], pitch a multiple of four
                               int *distance,    // [instances][instances], zeroed
                               int instances, int attributes, size_t pitch) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
    for (int i = 4 * idx; i < attributes; i += THREADS * 4) {
        char4 j = *(const char4 *)(data + i + pitch * gx);
        char4 k = *(const char4 *)(data + i + pitch * gy);
        if (j.x ^ k.x) atomicAdd(distance + (size_t)instances * gy + gx, 1);
        if ((j.y ^ k.y) && (i + 1 < attributes)) atomicAdd(distance + (size_t)instances * gy + gx, 1);
        if ((j.z ^ k.z) && (i + 2 < attributes)) atomicAdd(distance + (size_t)instances * gy + gx, 1);
        if ((j.w ^ k.w) && (i + 3 < attributes)) atomicAdd(distance + (size_t)instances * gy + gx, 1);
    }
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t bytes = (size_t)in->instances * in->attributes;
    char *rows = (char *)malloc(bytes + 1);
    for (size_t e = 0; rows != NULL && e < bytes; e++) rows[e] = (char)in->data[e];
    wl_status status = lessons_upload(in, in->attributes, rows, bytes, state);
    free(rows);
    return status;
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

static const wl_variant lesson = {
    .problem = "lessons",
    .name = "wrong_alignment",
    .idea = "deliberately wrong: rows are not padded to a multiple of four",
    .source = "tests",
    .backend = WL_DEVICE_BACKEND,
    .supports = lessons_supports,
    .prepare = prepare,
    .launch = launch,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = lessons_cost_chars,
};
WL_REGISTER(lesson)
