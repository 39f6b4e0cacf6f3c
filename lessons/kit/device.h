/* What the lessons share on the host side: the device copy of the data, the result, and their release.
   Each lesson lays out the data itself (that is what several of them are about) and has its own kernel. */
#ifndef LESSONS_DEVICE_H
#define LESSONS_DEVICE_H

#include <stdlib.h>

#include "harness/device/cuda_check.h"
#include "lessons/problem.h"

typedef struct {
    int instances, attributes;
    size_t pitch;  // elements from one row of the data to the next
    void *data;    // device memory, laid out as the lesson wants it
    int *distance; // device memory, [instances][instances]
} lessons_state;

static inline void lessons_release(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s == NULL) return;
    cudaFree(s->data);
    cudaFree(s->distance);
    free(s);
}

static inline wl_status lessons_fill(lessons_state *s, const void *rows, size_t bytes) {
    size_t result = sizeof(int) * s->instances * s->instances;
    WL_CUDA(cudaMalloc(&s->data, bytes ? bytes : 1));
    if (bytes) WL_CUDA(cudaMemcpy(s->data, rows, bytes, cudaMemcpyHostToDevice));
    WL_CUDA(wl_cuda_output((void **)&s->distance, result));
    return WL_OK;
}

/* Copy `bytes` of host `rows`, already laid out, to the device and allocate the poisoned result. */
static inline wl_status lessons_upload(const lessons_input *input, size_t pitch, const void *rows, size_t bytes,
                                       void **state) {
    lessons_state *s = (lessons_state *)calloc(1, sizeof *s);
    if (s == NULL || (rows == NULL && bytes > 0)) {
        free(s);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu bytes of instances", bytes);
    }
    s->instances = input->instances;
    s->attributes = input->attributes;
    s->pitch = pitch;
    wl_status status = lessons_fill(s, rows, bytes);
    if (status != WL_OK) {
        lessons_release(s);
        return status;
    }
    *state = s;
    return WL_OK;
}

/* distance [instances][instances] back to the host. */
static inline wl_status lessons_collect(void *state, void *output) {
    lessons_state *s = (lessons_state *)state;
    size_t result = sizeof(int) * s->instances * s->instances;
    WL_CUDA(wl_cuda_take(output, s->distance, result));
    return WL_OK;
}

/* A grid has at most 65,535 blocks in y, and lessons 01 to 05 give every pair of instances a block. */
static inline const char *lessons_supports(const wl_device *device, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    size_t needed = sizeof(int) * ((size_t)in->instances * in->attributes + (size_t)in->instances * in->instances);
    if (in->instances > 65535) return "a grid has at most 65,535 blocks in y: at most 65,535 instances";
    if (needed > device->memory_free) return "the data and the distances do not fit into device memory";
    return NULL;
}

/* Later lessons have no such limit: `data_bytes` and the distances have to fit. */
static inline const char *lessons_fits(const wl_device *device, const lessons_input *in, double data_bytes) {
    const double n = in->instances;
    if (data_bytes + sizeof(int) * n * n <= (double)device->memory_free) return NULL;
    return "the data and the distances do not fit into device memory";
}

/* What no kernel of these lessons can avoid: every value read once, every distance written once, and one comparison
   a pair of values, an instruction each as the kernels are written. */
static inline void lessons_cost(const void *input, size_t value_bytes, wl_cost *cost) {
    const lessons_input *in = (const lessons_input *)input;
    double n = in->instances, m = in->attributes;
    cost->bytes = value_bytes * n * m + sizeof(int) * n * n;
    cost->operations = n * n * m;
    cost->rate = WL_RATE_INT32;
}
static inline void lessons_cost_ints(const wl_device *, const void *input, wl_cost *cost) {
    lessons_cost(input, sizeof(int), cost);
}
static inline void lessons_cost_chars(const wl_device *, const void *input, wl_cost *cost) {
    lessons_cost(input, sizeof(char), cost);
}

#endif
