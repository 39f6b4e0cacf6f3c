// Launches in a header, which a file includes in quotes.
#pragma once
#define LAUNCH(kernel, blocks, threads, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)

template <typename T, int N> __global__ void fill(T *to, T value) {
    const int i = blockIdx.x * N + threadIdx.x;
    to[i] = value;
}

// Two files define it.
__device__ int one_more(int x) { return x + 1; }
struct Adder {
    int by;
    __device__ __host__ int operator()(int x) const;
};
inline __host__ __device__ int Adder::operator()(int x) const { return x + by; }

template <typename T> inline void fill_all(T *to, T value, int blocks) {
    fill<T, (64 > 32 ? 64 : 32)>
        <<<dim3(blocks, 1), dim3(max(64, min(32, 1)), 1, 1), 0, 0>>>(to, value); // fill<<<1, 2>>>(x);
}

void add_scale(int *to, int n); // other.cu
