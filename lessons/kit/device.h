/* Host code that the lessons share: the device copy of the data, the result, and their release.
   Each lesson lays out the data itself, because several lessons are about the layout, and has its own kernel. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "harness/stage.h"
#include "lessons/problem.h"

typedef struct {
    int instances, attributes;
    size_t pitch;  // elements from one row of the data to the next
    void *data;    // device memory, laid out by the lesson
    int *distance; // device memory, [instances][instances]
    void *work;    // device memory, the lesson's own, or NULL
    int multiprocessors;
} lessons_state;

static inline size_t lessons_result_bytes(const lessons_state *s) {
    return sizeof(int) * s->instances * (size_t)s->instances;
}

static inline void lessons_release(void *state) {
    lessons_state *s = (lessons_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->data, s->distance, s->work);
    free(s);
}

/* Copies distance [instances][instances] back to the host. */
static inline wl_status lessons_collect(void *state, void *output, int poison) {
    lessons_state *s = (lessons_state *)state;
    return wl_cuda_take(output, s->distance, lessons_result_bytes(s), poison);
}

/* `prepare` begins with this: a state with `bytes` of device memory for the data, and the poisoned result. It ends with
   wl_prepared. */
static inline wl_status lessons_begin(const wl_device *device, const lessons_input *in, size_t pitch, size_t bytes,
                                      lessons_state **state) {
    lessons_state *s = *state = (lessons_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->instances = in->instances;
    s->attributes = in->attributes;
    s->pitch = pitch;
    s->multiprocessors = device->multiprocessors;
    WL_TRY(wl_cuda_allocate(&s->data, bytes));
    return wl_cuda_output(&s->distance, lessons_result_bytes(s));
}

/* The same with all of the `bytes` zero: what a lesson does not write there are rows after the last instance. */
static inline wl_status lessons_begin_zeros(const wl_device *device, const lessons_input *in, size_t pitch,
                                            size_t bytes, lessons_state **state) {
    WL_TRY(lessons_begin(device, in, pitch, bytes, state));
    if (bytes > 0) WL_CUDA(cudaMemset((*state)->data, 0, bytes));
    return WL_OK;
}

/* Copies `bytes` of host `rows`, already laid out, to the device. NULL: there was no memory to lay them out. */
static inline wl_status lessons_upload(const wl_device *device, const lessons_input *in, size_t pitch, const void *rows,
                                       size_t bytes, void **state) {
    if (rows == NULL && bytes > 0) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu bytes of instances", bytes);
    lessons_state *s;
    wl_status status = lessons_begin(device, in, pitch, bytes, &s);
    if (status == WL_OK && bytes > 0)
        status = wl_cuda_check(cudaMemcpy(s->data, rows, bytes, cudaMemcpyHostToDevice), "rows", __FILE__, __LINE__);
    return wl_prepared(status, s, lessons_release, state);
}

/* Rows of characters, [instances][pitch]. What follows a row's last attribute differs from row to row, so that the check finds a kernel
   that compares it. */
static inline wl_status lessons_prepare_chars(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t pitch = 0;
    char *rows = lessons_char_rows(in, &pitch);
    for (size_t i = 0; rows != NULL && i < (size_t)in->instances; i++)
        memset(rows + pitch * i + in->attributes, (int)(i % 128), pitch - in->attributes);
    const wl_status status = lessons_upload(device, in, pitch, rows, pitch * in->instances, state);
    free(rows);
    return status;
}

/* Lessons 01 to 05 give every pair of instances a block, and a grid has at most 65,535 blocks in y. */
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

/* What no kernel of these lessons can avoid: reading every value once, writing every distance once, and one comparison
   per pair of values, which is one instruction as the kernels are written. */
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

/* A lesson names only what differs from these defaults: LESSONS_STAGE(.idea = "...", .launch = launch). */
static const wl_variant lessons_defaults = {
    .source = "Warpladder",
    .supports = lessons_supports,
    .prepare = lessons_prepare_chars,
    .collect = lessons_collect,
    .release = lessons_release,
    .cost = lessons_cost_chars,
};
#define LESSONS_STAGE(...) WL_STAGE(&lessons_defaults, __VA_ARGS__)
