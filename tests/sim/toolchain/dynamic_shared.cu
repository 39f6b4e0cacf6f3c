// Dynamic shared memory, declared outside of functions, in them, in templates and under several types.
extern __shared__ float buffer[];
extern volatile __shared__ int other[];
__global__ void k(float *o) {
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
template <typename T> struct S {
    __device__ operator T *() {
        extern __shared__ int mem[];
        return (T *)mem;
    }
};
template <typename T> __global__ void t(T *o) {
    T *s = S<T>();
    s[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] += s[threadIdx.x ^ 1];
}
template <typename T> __global__ void u(T *o) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *s = reinterpret_cast<T *>(raw);
    s[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] += s[threadIdx.x ^ 1];
}
int main() {
    float *o, h[32];
    cudaMalloc(&o, 128);
    k<<<1, 32, 128>>>(o);
    t<float><<<1, 32, 128>>>(o);
    u<<<1, 32, 128>>>(o);
    cudaMemcpy(h, o, 128, cudaMemcpyDefault);
    printf("%g %g\n", h[0], h[31]);
}
