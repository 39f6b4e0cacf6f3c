// Thrust: vectors, transformations, reductions, scans, and a kernel on a vector's memory.
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct Axpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};
__global__ void add(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

int main() {
    const int n = 100;
    thrust::host_vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i % 7);
    thrust::device_vector<float> x = host, y(n, 2.0f);
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Axpy{3});
    add<<<1, 128>>>(thrust::raw_pointer_cast(y.data()), n);
    printf("%g ", thrust::reduce(y.begin(), y.end(), 0.0f, thrust::plus<float>()));
    printf("%g ", thrust::transform_reduce(x.begin(), x.end(), Square(), 0.0f, thrust::plus<float>()));
    printf("%g\n", thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0f));
    thrust::device_vector<int> d(10), s(10);
    thrust::sequence(d.begin(), d.end(), 1);
    thrust::inclusive_scan(d.begin(), d.end(), s.begin());
    d.push_back(77);
    d[0] = 5;
    thrust::host_vector<int> back = s;
    printf("%d %d %d %zu\n", back[9], (int)d[0], (int)d[10], d.size());
    thrust::exclusive_scan(thrust::device, s.begin(), s.end(), s.begin(), 100);
    thrust::copy(s.begin(), s.end(), back.begin());
    printf("%d %d %s\n", back[0], back[9], cudaGetErrorName(cudaGetLastError()));
}
