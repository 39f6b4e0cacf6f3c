// The arguments of a launch say which kernel of a template it is, and become parameters as in a call.
#include <vector>
namespace ns {
template <typename T, int N = 4> __global__ void scale(T *x, const T *y, T f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = y[i] * f * N;
}
template <typename F> __global__ void each(int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
template <class T, class... R> static __global__ void __launch_bounds__(128) many(T *x, R... r) {
    x[threadIdx.x] += (r + ...);
}
} // namespace ns
__global__ void nulls(float *a, float *b, dim3 d) {
    if (threadIdx.x == 0) a[0] += (b == nullptr) + d.x;
}
template <typename T> struct Op {
    T v;
    __host__ __device__ T operator()(T a) const { return a + v; }
};
template <typename T, template <class> class O> __global__ void apply(T *x, O<T> o) {
    x[threadIdx.x] = o(x[threadIdx.x]);
}
template <typename T> void host(T *x, T *y) {
    ns::scale<<<1, 32>>>(x, y, T(2), 32);
    apply<<<1, 32>>>(x, Op<T>{1});
}
int main() {
    float *x, *y, h[32];
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    std::vector<float> one(32, 1.f);
    cudaMemcpy(y, one.data(), 128, cudaMemcpyHostToDevice);
    cudaMemset(x, 0, 128);
    host(x, y);                                                       // 8 + 1
    ns::scale<float, 1><<<1, 32>>>(x, x, 2.f, 32);                    // 18
    ns::each<<<1, 32>>>(32, [=] __device__(int i) { x[i] += y[i]; }); // 19
    ns::many<<<1, 32>>>(x, 1, 2.5f);                                  // 22.5
    nulls<<<1, 32>>>(x, NULL, {3, 1, 1});                             // 26.5 at 0
    cudaMemcpy(h, x, 128, cudaMemcpyDefault);
    printf("%g %g\n", h[0], h[31]);
}
