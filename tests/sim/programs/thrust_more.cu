// Thrust: placeholders, random numbers, scans and choices by key or stencil, zipped functions, algorithms in a kernel.
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <thrust/zip_function.h>

template <typename V> static void show(const char *what, const V &v) {
    const thrust::host_vector<typename V::value_type> host(v.begin(), v.end());
    printf("%s:", what);
    for (size_t i = 0; i < host.size(); i++) printf(" %g", (double)host[i]);
    printf("\n");
}

struct throw_dice {
    __host__ __device__ int operator()(unsigned i) const {
        thrust::default_random_engine engine(7);
        thrust::uniform_int_distribution<int> dice(1, 6);
        engine.discard(i);
        return dice(engine);
    }
};
struct product {
    __host__ __device__ int operator()(int a, int b) const { return a * b; }
};

__global__ void sort_rows(int *rows, int n) {
    thrust::sort(thrust::seq, rows + threadIdx.x * n, rows + threadIdx.x * n + n);
}

int main() {
    using namespace thrust::placeholders;
    thrust::device_vector<int> a = {3, 1, 2, 2, 5, 4}, b(6), keys = {1, 1, 2, 2, 2, 3};
    thrust::transform(a.begin(), a.end(), keys.begin(), b.begin(), 2 * _1 + _2);
    show("2 a + key", b);
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), a.begin(), b.begin());
    show("scan", b);
    thrust::exclusive_scan_by_key(keys.begin(), keys.end(), a.begin(), b.begin(), 10);
    show("exclusive", b);
    b.erase(thrust::copy_if(a.begin(), a.end(), keys.begin(), b.begin(), _1 == 2), b.end());
    show("where key 2", b);
    b.insert(b.begin() + 1, 2, 9);
    b.erase(thrust::remove_if(b.begin(), b.end(), _1 > 4 && _1 < 6), b.end());
    show("inserted, removed", b);
    thrust::device_vector<float> f(a.begin(), a.end()), values(3);
    thrust::device_vector<int> unique(3);
    thrust::unique_by_key_copy(keys.begin(), keys.end(), f.begin(), unique.begin(), values.begin());
    show("first of each key", values);
    thrust::device_vector<int> map = {5, 4, 3, 2, 1, 0}, c(6, 0);
    thrust::scatter_if(a.begin(), a.end(), map.begin(), keys.begin(), c.begin(), _1 != 3);
    show("scattered", c);
    const auto pairs = thrust::make_zip_iterator(a.begin(), keys.begin());
    thrust::transform(pairs, pairs + 6, c.begin(), thrust::make_zip_function(product()));
    show("products", c);
    thrust::copy(a.begin(), a.end(), thrust::make_transform_output_iterator(c.begin(), -_1));
    show("stored negated", c);
    thrust::transform(thrust::counting_iterator<unsigned>(0), thrust::counting_iterator<unsigned>(6), c.begin(),
                      throw_dice());
    show("dice", c);
    thrust::minstd_rand0 old;
    thrust::uniform_real_distribution<float> uniform(-1, 1);
    thrust::normal_distribution<double> normal(10, 2);
    const float first = uniform(old), second = uniform(old);
    printf("random: %.6f %.6f %.6f\n", first, second, normal(old));
    sort_rows<<<1, 2>>>(thrust::raw_pointer_cast(a.data()), 3);
    show("sorted rows", a);
    printf("%d %d\n", a == c, thrust::equal(a.begin(), a.end(), a.begin()));
}
