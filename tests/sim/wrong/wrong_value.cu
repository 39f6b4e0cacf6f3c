/* Lesson 05 with one mistake: thread 1 is left out of the sum. `ctest -R sim.catches` expects the simulated device to name it. */
#include "lessons/device.h"

static __global__ void GPUshared(const char *data, // [instances][pitch], pitch a multiple of four
                                 int *distance,    // [instances][instances]
                                 int instances, int attributes, size_t pitch) {
    int idx = threadIdx.x;
    int gx = blockIdx.x;
    int gy = blockIdx.y;
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
        for (int i = 2; i < THREADS; i++) dist[0] += dist[i];
        distance[(size_t)instances * gy + gx] = dist[0];
    }
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t pitch = 0;
    char *rows = lessons_char_rows(in, &pitch);
    wl_status status = lessons_upload(in, pitch, rows, pitch * in->instances, state);
    free(rows);
    return status;
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s->instances == 0) return WL_OK;
    dim3 grid(s->instances, s->instances);
    GPUshared<<<grid, THREADS>>>((const char *)s->data, s->distance, s->instances, s->attributes, s->pitch);
    WL_LAUNCHED();
    return WL_OK;
}

static const wl_variant lesson = {
    .problem = "lessons",
    .name = "wrong_value",
    .idea = "deliberately wrong: thread 1 is left out of the sum",
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
