/* Access patterns for comparing the simulated device's counters with a GPU's, one launch a pattern.

   Compiled twice, as a variant is. On the simulated device it prints a row of counters a launch; on a GPU it only runs,
   and compare_counters.sh lets Nsight Compute count. Addresses come from an array in memory, so that no compiler can
   see through them. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#ifdef WL_SIMULATED
#include "sim/sim.h"
#endif

#define ELEMENTS 2048

/* Each active lane moves one T: a store to and a load from shared memory. */
template <typename T>
static __global__ void shared_access(const volatile int *index, // [32]
                                     unsigned active, T value, T *out) {
    __shared__ volatile char bytes[ELEMENTS * 16];
    T *memory = (T *)bytes;
    int lane = threadIdx.x, i = index[lane];
    if (active >> lane & 1) {
        memory[i] = value;
        __syncwarp(active);
        out[lane] = memory[i];
    }
}

/* Each active lane loads one T and stores it elsewhere. */
template <typename T>
static __global__ void global_access(const volatile int *index, // [32]
                                     unsigned active, const T *in, T *out) {
    int lane = threadIdx.x, i = index[lane];
    if (active >> lane & 1) out[i] = in[i];
}

static __global__ void global_atomic(const volatile int *index, unsigned active, int *out) {
    int lane = threadIdx.x, i = index[lane];
    if (active >> lane & 1) atomicAdd(out + i, lane);
}

static __global__ void global_exchange(const volatile int *index, unsigned active, int *out) {
    int lane = threadIdx.x, i = index[lane];
    if (active >> lane & 1) out[ELEMENTS + lane] = atomicExch(out + i, lane);
}

static int *index_device;
static char *in, *out;

static void set_index(const int *index) { // [32]
    cudaMemcpy(index_device, index, 32 * sizeof(int), cudaMemcpyHostToDevice);
}

template <typename T> static void both(unsigned active, T value, bool shared_only) {
    shared_access<T><<<1, 32>>>(index_device, active, value, (T *)out);
    if (!shared_only) global_access<T><<<1, 32>>>(index_device, active, (const T *)in, (T *)out);
}

static void all_widths(unsigned active, bool shared_only) {
    both<char>(active, 1, shared_only);
    both<short>(active, 1, shared_only);
    both<int>(active, 1, shared_only);
    both<double>(active, 1, shared_only);
    both<float4>(active, make_float4(1, 2, 3, 4), shared_only);
}

#ifdef WL_SIMULATED
extern "C" int patterns_sim(void) { // in warpladder-tests
#else
int main(void) {
#endif
    cudaMalloc(&index_device, 32 * sizeof(int));
    cudaMalloc(&in, ELEMENTS * 2 * 16);
    cudaMalloc(&out, ELEMENTS * 2 * 16);
    cudaMemset(in, 0, ELEMENTS * 2 * 16);
    cudaMemset(out, 0, ELEMENTS * 2 * 16);
    const int strides[] = {1, 2, 3, 4, 5, 8, 16, 17, 32, 33};
    const unsigned actives[] = {~0u, 0xffff, 0x55555555, 0x00ff00ff};
    int index[32];
    for (unsigned s = 0; s < sizeof strides / sizeof *strides; s++) {
        for (int lane = 0; lane < 32; lane++) index[lane] = lane * strides[s] + 1; // off the start by one element
        set_index(index);
        for (unsigned a = 0; a < (s < 2 ? 4 : 1); a++) all_widths(actives[a], false);
        global_atomic<<<1, 32>>>(index_device, ~0u, (int *)out);
        global_exchange<<<1, 32>>>(index_device, ~0u, (int *)out);
    }
    // Few addresses: broadcasts and collisions; and no order at all. Stores that collide carry one value.
    for (int few = 1; few <= 16; few *= 4) {
        for (int lane = 0; lane < 32; lane++) index[lane] = lane % few;
        set_index(index);
        all_widths(~0u, true);
        global_atomic<<<1, 32>>>(index_device, ~0u, (int *)out);
        for (int lane = 0; lane < 32; lane++) index[lane] = lane * few / 32;
        set_index(index);
        all_widths(~0u, true);
        global_atomic<<<1, 32>>>(index_device, ~0u, (int *)out);
    }
    for (int lane = 0; lane < 32; lane++) index[lane] = lane % 2 + lane / 4 * 2; // lanes two apart agree
    set_index(index);
    all_widths(~0u, true);
    all_widths(0x33333333, true);
    all_widths(0x11111111, true);
    unsigned state = 1;
    for (int round = 0; round < 8; round++) {
        for (int lane = 0; lane < 32; lane++) index[lane] = (int)((state = state * 1103515245 + 12345) >> 16) % 512;
        set_index(index);
        all_widths(~0u, true);
        global_atomic<<<1, 32>>>(index_device, ~0u, (int *)out);
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        fprintf(stderr, "patterns: %s\n", cudaGetErrorString(error));
        return 1;
    }
#ifdef WL_SIMULATED
    size_t count;
    const wl_sim_launch *l = wl_sim_launches(&count);
    printf("variant\tkernel\tglobal_load_requests\tglobal_load_sectors\tglobal_store_requests\tglobal_store_sectors\t"
           "atomic_requests\tatomic_operations\tshared_requests\tshared_passes\tbarriers\tatomic_addresses\tatomic_"
           "sectors\n");
    for (size_t i = 0; i < count; i++) {
        const wl_sim_counters *c = &l[i].counters;
        printf("pattern_%03zu\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n", i + 1,
               l[i].kernel, (unsigned long long)c->global_load_requests, (unsigned long long)c->global_load_sectors,
               (unsigned long long)c->global_store_requests, (unsigned long long)c->global_store_sectors,
               (unsigned long long)c->atomic_requests, (unsigned long long)c->atomic_operations,
               (unsigned long long)c->shared_requests, (unsigned long long)c->shared_passes,
               (unsigned long long)c->barriers, (unsigned long long)c->atomic_addresses,
               (unsigned long long)c->atomic_sectors);
    }
#endif
    return 0;
}
