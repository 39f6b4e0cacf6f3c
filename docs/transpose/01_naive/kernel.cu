/* 01_naive: one thread per number, read along rows and stored along columns.

   Idea: each thread copies one number.
   Changed: nothing yet; this is the first stage.
   Expected: loads are coalesced; the 32 stores of a warp go to 32 different rows, so to 32 sectors.
   Measured: warpladder explain transpose counts 4 sectors per load request and 32 per store request.
   See: warpladder explain transpose */
#include "harness/device/memory.h"
#include "transpose/problem.h"

enum { SIDE = 32 };

static __global__ void transpose_naive(const float *in, // [rows][columns]
                                       float *out,      // [columns][rows]
                                       int rows, int columns) {
    const int c = blockIdx.x * SIDE + threadIdx.x, r = blockIdx.y * SIDE + threadIdx.y;
    if (r < rows && c < columns) out[(size_t)c * rows + r] = in[(size_t)r * columns + c];
}

struct transpose_state {
    int rows, columns;
    size_t bytes;
    float *in, *out; // device memory
};

static void release(void *state) {
    transpose_state *s = (transpose_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->in, s->out);
    free(s);
}

static wl_status fill(transpose_state *s, const transpose_input *in) {
    WL_TRY(wl_cuda_allocate(&s->in, s->bytes));
    WL_TRY(wl_cuda_output(&s->out, s->bytes));
    if (s->bytes > 0) WL_CUDA(cudaMemcpy(s->in, in->data, s->bytes, cudaMemcpyHostToDevice));
    return WL_OK;
}

static wl_status prepare(const wl_device *, const void *input, void **state) {
    const transpose_input *in = (const transpose_input *)input;
    transpose_state *s = (transpose_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->rows = in->rows;
    s->columns = in->columns;
    s->bytes = sizeof(float) * (size_t)in->rows * in->columns;
    wl_status status = fill(s, in);
    if (status == WL_OK)
        *state = s;
    else
        release(s);
    return status;
}

static wl_status launch(void *state) {
    transpose_state *s = (transpose_state *)state;
    if (s->bytes == 0) return WL_OK;
    dim3 block(SIDE, SIDE), grid((s->columns + SIDE - 1) / SIDE, (s->rows + SIDE - 1) / SIDE);
    transpose_naive<<<grid, block>>>(s->in, s->out, s->rows, s->columns);
    WL_LAUNCHED();
    return WL_OK;
}

static wl_status collect(void *state, void *output, int poison) {
    transpose_state *s = (transpose_state *)state;
    return wl_cuda_take(output, s->out, s->bytes, poison);
}

WL_VARIANT(.idea = "one thread per number", .source = "Warpladder", .prepare = prepare, .launch = launch,
           .collect = collect, .release = release)
