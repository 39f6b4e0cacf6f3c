// libcu++: cuda::atomic, atomic_ref, and data handed over by release and acquire.
#include <cstdio>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

__device__ cuda::atomic<int, cuda::thread_scope_device> flag(0);
__device__ int message;
__global__ void hand_over(int *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message = 42;
        flag.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        out[0] = message;
    }
}
__global__ void count(int *counter, double *sum, int *most) {
    cuda::atomic_ref<int, cuda::thread_scope_device> c(*counter);
    cuda::atomic_ref<double> s(*sum);
    cuda::atomic_ref<int, cuda::thread_scope_block> m(*most);
    c.fetch_add(2, cuda::memory_order_relaxed);
    s += 0.5;
    m.fetch_max((int)threadIdx.x * 7 % 50);
    cuda::std::array<int, 3> a = {1, 2, 3};
    auto t = cuda::std::make_tuple(a[0], 2.0f);
    static_assert(cuda::std::is_same<decltype(cuda::std::get<1>(t)), float &>::value, "a tuple");
    if (cuda::std::get<0>(t) == 1) c++;
}

int main() {
    int *out, *counter, *most;
    double *sum;
    cudaMallocManaged(&out, 4);
    cudaMallocManaged(&counter, 4);
    cudaMallocManaged(&most, 4);
    cudaMallocManaged(&sum, 8);
    *counter = *most = 0, *sum = 0;
    hand_over<<<2, 32>>>(out);
    count<<<1, 64>>>(counter, sum, most);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %d %g %d\n", *out, *counter, *sum, *most);
}
