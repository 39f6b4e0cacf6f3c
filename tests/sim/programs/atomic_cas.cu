// Loops of atomicCAS: the maximum of floats, a lock, and 16-bit words.
#include <cstdio>

__device__ float atomic_max(float *address, float value) {
    int *bits = (int *)address, old = *(volatile int *)bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__device__ int lock;
__global__ void kernel(float *most, int *guarded, unsigned short *halves) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_max(most, (float)(t * 37 % 101));
    if (threadIdx.x == 0) { // one thread a block, so that nobody of the same warp waits
        while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(10);
        __threadfence();
        *(volatile int *)guarded = *(volatile int *)guarded + 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
    unsigned short old = 0, assumed;
    do {
        assumed = old;
        old = atomicCAS(halves, assumed, (unsigned short)(assumed + 1));
    } while (old != assumed);
}

int main() {
    float *most;
    int *guarded;
    unsigned short *halves;
    cudaMallocManaged(&most, 4);
    cudaMallocManaged(&guarded, 4);
    cudaMallocManaged(&halves, 4);
    *most = -1, *guarded = 0, halves[0] = halves[1] = 0;
    kernel<<<8, 32>>>(most, guarded, halves);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%g %d %d %d\n", *most, *guarded, halves[0], halves[1]);
}
