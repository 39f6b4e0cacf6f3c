#include "tests/harness/timing/kernels.h"

#include "harness/device/cuda_check.h"

static __global__ void read_all(const unsigned *memory, size_t count, unsigned *never) {
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        sum |= memory[i];
    if (sum) *never = sum; // the memory is all zero
}

static __global__ void spin(unsigned long long nanoseconds) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}

wl_status kernel_allocate(kernel_state *state) {
    WL_CUDA(cudaMalloc((void **)&state->memory, state->bytes + sizeof(unsigned)));
    WL_CUDA(cudaMemset(state->memory, 0, state->bytes + sizeof(unsigned)));
    return WL_OK;
}

void kernel_free(kernel_state *state) { cudaFree(state->memory); }

wl_status kernel_read(void *state) {
    kernel_state *s = (kernel_state *)state;
    size_t count = s->bytes / sizeof(unsigned);
    read_all<<<256, 512>>>(s->memory, count, s->memory + count);
    WL_LAUNCHED();
    return WL_OK;
}

wl_status kernel_spin(void *state) {
    spin<<<1, 1>>>((unsigned long long)(1e9 * ((kernel_state *)state)->spin_seconds));
    WL_LAUNCHED();
    return WL_OK;
}
