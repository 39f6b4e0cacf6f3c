// Dynamic shared memory: in a template under its own type, as bytes that are divided, and as an array outside of functions.
#include <cstdio>

template <typename T> struct Dynamic {
    __device__ static T *get() {
        extern __shared__ __align__(16) unsigned char bytes[];
        return reinterpret_cast<T *>(bytes);
    }
};
template <typename T> __global__ void reverse(T *data, int n) {
    T *shared = Dynamic<T>::get();
    shared[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = shared[n - 1 - threadIdx.x];
}
extern __shared__ float outside[];
__device__ float neighbour(int i) { return outside[i]; }
__global__ void rotate(float *data, int n) {
    outside[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = neighbour((threadIdx.x + 1) % n);
}
__global__ void mixed(double *d, int *i, int n) {
    extern __shared__ double doubles[];
    int *ints = (int *)&doubles[n];
    doubles[threadIdx.x] = d[threadIdx.x];
    ints[threadIdx.x] = i[threadIdx.x];
    __syncthreads();
    int other = ints[(threadIdx.x * 3) % n];
    d[threadIdx.x] = doubles[n - 1 - threadIdx.x] + other;
}
// The address of the array, and a loop of atomicCAS that begins with a volatile load.
union word {
    unsigned long long data;
};
enum kind { exclusive_or, nothing };
template <kind K> __global__ void update(unsigned long long *result, int words) {
    extern __shared__ word memory[];
    word *all = (word *)&memory;
    for (int k = threadIdx.x; k < words; k += blockDim.x) all[k].data = k;
    __syncthreads();
    for (int k = 0; k < 8 && K == exclusive_or; k++) {
        unsigned long long *address = &all[(threadIdx.x * 7 + k * 3) % words].data;
        unsigned long long old = *(volatile unsigned long long *)address, assumed;
        do {
            assumed = old;
            old = atomicCAS(address, assumed, assumed ^ (1ull << (threadIdx.x + k) % 64));
        } while (assumed != old);
    }
    __syncthreads();
    if (threadIdx.x < words) result[threadIdx.x] = memory[threadIdx.x].data;
}

int main() {
    const int n = 64;
    int *i;
    double *d;
    float *f;
    cudaMallocManaged(&i, n * sizeof *i);
    cudaMallocManaged(&d, n * sizeof *d);
    cudaMallocManaged(&f, n * sizeof *f);
    for (int k = 0; k < n; k++) i[k] = k, d[k] = k / 2.0, f[k] = (float)k;
    reverse<int><<<1, n, n * sizeof(int)>>>(i, n);
    reverse<double><<<1, n, n * sizeof(double)>>>(d, n);
    rotate<<<1, n, n * sizeof(float)>>>(f, n);
    mixed<<<1, n, n *(sizeof(double) + sizeof(int))>>>(d, i, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %g %g %g\n", i[0], d[5], d[63], f[63]);
    unsigned long long *words, expected[16], wrong = 0;
    cudaMallocManaged(&words, sizeof expected);
    for (int k = 0; k < 16; k++) expected[k] = k;
    for (int t = 0; t < 96; t++)
        for (int k = 0; k < 8; k++) expected[(t * 7 + k * 3) % 16] ^= 1ull << (t + k) % 64;
    update<exclusive_or><<<1, 96, sizeof expected>>>(words, 16);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int k = 0; k < 16; k++) wrong += words[k] != expected[k];
    printf("%llu wrong\n", wrong);
    cudaFree(words);
    cudaFree(i);
    cudaFree(d);
    cudaFree(f);
}
