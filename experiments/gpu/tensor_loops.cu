/* What the units under lessons 09 to 11 do in loops without memory: tensor cores on bits and on bytes, and three-operand logic. A
   measurement, not a test; results/tensor_loops_h200.tsv is its output, in another form.

     nvcc -O3 -gencode arch=compute_90a,code=sm_90a -I. experiments/gpu/tensor_loops.cu -o tensor_loops && ./tensor_loops */
#include <cstdio>

#include "harness/device/mma.h"

enum { STEPS = 4096, SUMS = 8, MULTIPROCESSORS_EACH = 2, LOGIC = 8 };

template <bool BITS> static __global__ void products(uint32_t *memory) {
    int d[SUMS][4] = {};
    uint32_t a[4], b[2];
    for (int i = 0; i < 4; i++) a[i] = memory[threadIdx.x + i];
    for (int i = 0; i < 2; i++) b[i] = memory[threadIdx.x + 8 + i];
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int t = 0; t < SUMS; t++) {
            if (BITS)
                wl_mma_m16n8k256_b1(d[t], a, b, d[t]);
            else
                wl_mma_m16n8k32_s8(d[t], a, b, d[t]);
        }
    int sum = 0;
    for (int t = 0; t < SUMS * 4; t++) sum += d[t / 4][t % 4];
    memory[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static __global__ void logic(uint32_t *memory, uint32_t q) {
    uint32_t a = memory[threadIdx.x], b = memory[threadIdx.x + 1], c = memory[threadIdx.x + 2];
    uint32_t d = q, e = q * 3, f = q * 5, g = 7 * q, h = 9 * q;
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int t = 0; t < SUMS; t++) {
            a = (a ^ b) | c, b = (b & c) ^ d, c = (c | d) ^ e, d = (d ^ e) | f;
            e = (e & f) ^ g, f = (f ^ g) | h, g = (g | h) ^ a, h = (h & a) ^ b;
        }
    memory[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + e + f + g + h;
}

int main() {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    const int chips = properties.multiProcessorCount;
    uint32_t *memory;
    cudaMalloc(&memory, 1 << 24);
    cudaMemset(memory, 0x35, 1 << 24);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    printf("# device: %s\nloop\twarps\ttera_operations_a_second\n", properties.name);
    for (int warps = 4; warps <= 16; warps *= 2)
        for (int kind = 0; kind < 3; kind++) {
            float ms = 0;
            for (int repeat = 0; repeat < 2; repeat++) {
                cudaEventRecord(begin);
                if (kind == 0) products<true><<<chips * MULTIPROCESSORS_EACH, warps * 16>>>(memory);
                if (kind == 1) products<false><<<chips * MULTIPROCESSORS_EACH, warps * 16>>>(memory);
                if (kind == 2) logic<<<chips * 2 * MULTIPROCESSORS_EACH, warps * 16>>>(memory, warps);
                cudaEventRecord(end);
                cudaEventSynchronize(end);
                cudaEventElapsedTime(&ms, begin, end);
            }
            const double rounds = (double)chips * warps * STEPS * SUMS;
            const double each[] = {2.0 * 16 * 8 * 256, 2.0 * 16 * 8 * 32, 2.0 * LOGIC * 32};
            const char *const names[] = {"bits", "bytes", "logic"};
            printf("\"%s\"\t%d\t%.2f\n", names[kind], kind == 2 ? 2 * warps : warps, rounds * each[kind] / ms / 1e9);
        }
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
