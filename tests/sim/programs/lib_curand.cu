// cuRAND: numbers of a seed, subsequence and offset, which NVIDIA's library gives as well (its host generator, CUDA 13.0: numbers 0, 1, 2
// of subsequences 0, 1, 2, ... of both generators). A GPU: nvcc lib_curand.cu -lcurand.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>

enum { THREADS = 64, EACH = 200 };

template <typename S> __global__ void first(unsigned *to) {
    S state;
    curand_init(1234, threadIdx.x, 0, &state);
    for (int i = 0; i < 3; i++) to[threadIdx.x * 3 + i] = curand(&state);
}
template <typename S> __global__ void later(unsigned *to) { // the same numbers, two of them skipped
    S state;
    curand_init(1234, threadIdx.x, 2, &state);
    to[threadIdx.x] = curand(&state);
}
__global__ void normal(curandState *states, double *sums) {
    curandState state = states[threadIdx.x];
    double sum = 0, squares = 0;
    for (int i = 0; i < EACH; i++) {
        const float x = curand_normal(&state);
        sum += x;
        squares += x * x;
    }
    states[threadIdx.x] = state;
    atomicAdd(sums, sum);
    atomicAdd(sums + 1, squares);
}
__global__ void set_up(curandState *states) { curand_init(7, threadIdx.x, 0, &states[threadIdx.x]); }

template <typename S> static void show(const char *name) {
    unsigned *device, host[9], skipped[3];
    cudaMalloc(&device, sizeof host);
    first<S><<<1, 3>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    later<S><<<1, 3>>>(device);
    cudaMemcpy(skipped, device, sizeof skipped, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        printf("%s %d: %u %u %u, skipped to %u\n", name, i, host[3 * i], host[3 * i + 1], host[3 * i + 2], skipped[i]);
    cudaFree(device);
}

int main() {
    show<curandState>("XORWOW");
    show<curandStatePhilox4_32_10_t>("Philox");

    curandState *states;
    double *sums, host[2];
    cudaMalloc(&states, THREADS * sizeof *states);
    cudaMalloc(&sums, sizeof host);
    cudaMemset(sums, 0, sizeof host);
    set_up<<<1, THREADS>>>(states);
    normal<<<1, THREADS>>>(states, sums);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    const double count = THREADS * EACH, mean = host[0] / count, variance = host[1] / count - mean * mean;
    printf("normal: mean 0 %s, variance 1 %s\n", fabs(mean) < 0.03 ? "ok" : "WRONG",
           fabs(variance - 1) < 0.04 ? "ok" : "WRONG");
    cudaFree(states);
    cudaFree(sums);

    curandGenerator_t generator;
    float *device, values[4100];
    cudaMalloc(&device, sizeof values);
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);
    curandSetPseudoRandomGeneratorSeed(generator, 1234);
    curandGenerateUniform(generator, device, 4100);
    cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
    printf("uniform: %.7f %.7f %.7f %.7f\n", values[0], values[1], values[4095], values[4096]);
    curandDestroyGenerator(generator);
    cudaFree(device);
}
