/* What the GPU stages share on the host side: both sides' planes on the device, the two results, and their release. */
#ifndef DISTANCES_DEVICE_H
#define DISTANCES_DEVICE_H

#include <stdlib.h>

#include "distances/problem.h"
#include "harness/device/memory.h"

typedef struct {
    const distances_input *input; // outlives the state
    size_t rows, columns;
    size_t words;            // of a plane, 32 bits each
    uint32_t *row_planes;    // device, [rows][planes + 1][words]
    uint32_t *column_planes; // device, [columns][planes + 1][words]; the same memory where symmetric
    uint32_t *result;        // device, distance [rows][columns], compared [rows][columns]
    uint32_t *work;          // device, the stage's own
} distances_state;

static inline size_t distances_plane_bytes(const distances_input *in, const distances_side *side) {
    return sizeof(uint64_t) * side->count * (size_t)(in->planes + 1) * in->words;
}
static inline size_t distances_result_bytes(const distances_input *in) {
    return 2 * sizeof(uint32_t) * in->rows.count * in->columns.count;
}

/* In the order of the thread's own stream: two threads may share a GPU, and neither must wait for the other's kernels, as
   cudaMalloc and cudaFree do. What a thread allocates, it frees. */
static inline wl_status distances_allocate(uint32_t **to, size_t bytes) {
    cudaError_t error = cudaMallocAsync((void **)to, bytes ? bytes : 1, 0);
    if (error != cudaSuccess) {
        cudaGetLastError(); // else the next launch, of a smaller input, would be blamed for it
        *to = NULL;
        return wl_fail(WL_NO_MACHINE, "%zu bytes of device memory are not to be had: %s", bytes,
                       cudaGetErrorString(error));
    }
    return WL_OK;
}

static inline void distances_release(void *state) {
    distances_state *s = (distances_state *)state;
    if (s == NULL) return;
    if (s->column_planes != NULL && s->column_planes != s->row_planes) cudaFreeAsync(s->column_planes, 0);
    if (s->row_planes != NULL) cudaFreeAsync(s->row_planes, 0);
    if (s->result != NULL) cudaFreeAsync(s->result, 0);
    if (s->work != NULL) cudaFreeAsync(s->work, 0);
    free(s);
}

static inline wl_status distances_copy_side(const distances_input *in, const distances_side *side, uint32_t **to) {
    const size_t bytes = distances_plane_bytes(in, side);
    wl_status status = distances_allocate(to, bytes);
    if (status == WL_OK && bytes > 0) WL_CUDA(cudaMemcpy(*to, side->bits, bytes, cudaMemcpyHostToDevice));
    return status;
}

static inline wl_status distances_upload(const distances_input *in, void **state) {
    distances_state *s = (distances_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->input = in;
    s->rows = in->rows.count;
    s->columns = in->columns.count;
    s->words = 2 * in->words;
    wl_status status = distances_copy_side(in, &in->rows, &s->row_planes);
    if (in->symmetric)
        s->column_planes = s->row_planes;
    else if (status == WL_OK)
        status = distances_copy_side(in, &in->columns, &s->column_planes);
    if (status == WL_OK) status = distances_allocate(&s->result, distances_result_bytes(in));
    if (status == WL_OK)
        status =
            wl_cuda_check(cudaMemset(s->result, WL_POISON, distances_result_bytes(in)), "poison", __FILE__, __LINE__);
    if (status != WL_OK) {
        distances_release(s);
        return status;
    }
    *state = s;
    return WL_OK;
}

static inline wl_status distances_collect(void *state, void *output, int poison) {
    distances_state *s = (distances_state *)state;
    return wl_cuda_take(output, s->result, distances_result_bytes(s->input), poison);
}

/* more: bytes of the stage's own. */
static inline const char *distances_fits(const wl_device *device, const distances_input *in, size_t more) {
    size_t needed = distances_plane_bytes(in, &in->rows) + distances_result_bytes(in) + more;
    if (!in->symmetric) needed += distances_plane_bytes(in, &in->columns);
    return needed > device->memory_free ? "the planes and the tile of the matrix do not fit into device memory" : NULL;
}

/* Planes read once, results written once; operations are the stage's. */
static inline void distances_cost(const distances_input *in, double operations, wl_rate rate, wl_cost *cost) {
    cost->bytes = (double)distances_plane_bytes(in, &in->rows) + (double)distances_result_bytes(in);
    if (!in->symmetric) cost->bytes += (double)distances_plane_bytes(in, &in->columns);
    cost->operations = operations;
    cost->rate = rate;
}

#endif
