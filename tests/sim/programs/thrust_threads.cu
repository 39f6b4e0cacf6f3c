// Thrust: a function that it calls may ask for its thread, as generators of random numbers do. How many threads there are is Thrust's
// choice, so only what holds for each choice is printed.
#include <cstdio>
#include <set>
#include <thrust/device_vector.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

struct generator {
    unsigned calls = 0;
    __host__ __device__ thrust::tuple<unsigned, float> operator()() {
#ifdef __CUDA_ARCH__
        const unsigned number = blockIdx.x * blockDim.x + threadIdx.x + calls;
        calls += blockDim.x * gridDim.x;
#else
        const unsigned number = 0;
#endif
        return thrust::make_tuple(number, (float)number / 2);
    }
};

__global__ void add_one(unsigned *at) { at[blockIdx.x * blockDim.x + threadIdx.x]++; }

int main(void) {
    enum { N = 1000 };
    thrust::device_vector<unsigned> numbers(N);
    thrust::device_vector<float> halves(N);
    for (int round = 0; round < 2; round++) { // before a kernel, and after one
        thrust::generate(thrust::make_zip_iterator(thrust::make_tuple(numbers.begin(), halves.begin())),
                         thrust::make_zip_iterator(thrust::make_tuple(numbers.end(), halves.end())), generator());
        const thrust::host_vector<unsigned> n(numbers);
        const thrust::host_vector<float> h(halves);
        bool match = true;
        for (int i = 0; i < N; i++) match &= h[i] == (float)n[i] / 2;
        printf("%zu different numbers, %s\n", std::set<unsigned>(n.begin(), n.end()).size(),
               match ? "as they should" : "WRONG");
        add_one<<<10, 100>>>(thrust::raw_pointer_cast(numbers.data()));
        cudaDeviceSynchronize();
    }
}
