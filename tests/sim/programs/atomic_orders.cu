// __nv_atomic functions: with an order and a scope.
#include <cstdio>
__device__ int ready, message;
__device__ int largest;
__global__ void hand_over(unsigned *count, int *out) {
    __nv_atomic_fetch_add(count, 2u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_max(&largest, (int)threadIdx.x, __NV_ATOMIC_RELAXED);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message = 42;
        __nv_atomic_store_n(&ready, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (__nv_atomic_load_n(&ready, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
        }
        out[0] = message;
        int expected = 5;
        out[1] = __nv_atomic_compare_exchange_n(&ready, &expected, 9, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
        out[2] = expected;
        out[3] = __nv_atomic_exchange_n(&ready, 7, __NV_ATOMIC_SEQ_CST);
    }
}
int main() {
    unsigned *count, c;
    int *out, h[4];
    int d;
    cudaMalloc(&count, 4), cudaMalloc(&out, sizeof h), cudaMemset(count, 0, 4);
    hand_over<<<2, 32>>>(count, out);
    cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost), cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&d, largest, sizeof d);
    printf("%u %d %d %d %d %d\n", c, h[0], h[1], h[2], h[3], d);
}
