/* A variant with a kernel in its preparations, and two in its launch, one of them launched twice: explain must count the
   launch alone, a row a kernel, and a total. */
#include "lessons/kit/device.h"

static __global__ void prepare_rows(int *data, int elements) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < elements) data[i] += 0;
}

static __global__ void clear(int *distance, int elements) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < elements) distance[i] = 0;
}

// Block (x, y) compares instances x and first + y, one thread an attribute.
static __global__ void compare(const int *data, int *distance, int instances, int attributes, int first) {
    int gx = blockIdx.x, gy = first + blockIdx.y, i = threadIdx.x;
    if (i < attributes && data[attributes * gx + i] != data[attributes * gy + i])
        atomicAdd(distance + instances * gy + gx, 1);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const lessons_input *in = (const lessons_input *)input;
    size_t bytes = sizeof(int) * in->instances * in->attributes;
    wl_status status = lessons_upload(device, in, in->attributes, in->data, bytes, state);
    if (status != WL_OK) return status;
    lessons_state *s = (lessons_state *)*state;
    int elements = in->instances * in->attributes;
    prepare_rows<<<(elements + 31) / 32, 32>>>((int *)s->data, elements);
    WL_LAUNCHED();
    return WL_OK;
}

static wl_status launch(void *state) {
    lessons_state *s = (lessons_state *)state;
    int n = s->instances, half = n / 2;
    clear<<<(n * n + 31) / 32, 32>>>(s->distance, n * n);
    WL_LAUNCHED();
    compare<<<dim3(n, half), 32>>>((const int *)s->data, s->distance, n, s->attributes, 0);
    WL_LAUNCHED();
    compare<<<dim3(n, n - half), 32>>>((const int *)s->data, s->distance, n, s->attributes, half);
    WL_LAUNCHED();
    return WL_OK;
}

static const char *supports(const wl_device *, const void *input) {
    const lessons_input *in = (const lessons_input *)input;
    return in->instances < 2 || in->attributes > 32 ? "2 instances or more, and at most 32 attributes" : NULL;
}

/* test_explain.c registers it: its program holds other tests too. */
extern "C" const wl_variant two_kernels = {
    .problem = "lessons",
    .name = "91_two_kernels",
    .idea = "a test: two kernels in one launch",
    .source = "Warpladder",
    .backend = WL_DEVICE_BACKEND,
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
    .collect = lessons_collect,
    .release = lessons_release,
};
