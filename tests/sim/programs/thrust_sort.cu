// Thrust: sorting by keys, compaction, iterators that compute, and raw pointers with a policy.
#include <cstdio>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

struct Even {
    __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};
struct Product {
    __host__ __device__ int operator()(const thrust::tuple<int, int> &t) const {
        return thrust::get<0>(t) * thrust::get<1>(t);
    }
};
struct Mod {
    __host__ __device__ int operator()(int v) const { return v * 29 % 31; }
};

int main() {
    const int n = 31;
    thrust::device_vector<int> keys(thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Mod()),
                                    thrust::make_transform_iterator(thrust::counting_iterator<int>(n), Mod()));
    thrust::device_vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = i;
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    printf("%d %d %d\n", (int)keys[5], (int)values[5], (int)thrust::count_if(keys.begin(), keys.end(), Even()));
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), values.begin()));
    printf("%d\n", thrust::transform_reduce(zipped, zipped + n, Product(), 0, thrust::plus<int>()));
    auto end = thrust::remove_if(values.begin(), values.end(), Even());
    printf("%d left, first %d\n", (int)(end - values.begin()), (int)values[0]);
    int *raw;
    cudaMalloc(&raw, n * sizeof(int));
    thrust::device_ptr<int> p(raw);
    thrust::fill(p, p + n, 3);
    p[4] = 9;
    thrust::sort(thrust::device, raw, raw + n, thrust::greater<int>());
    printf("%d %d at %d\n", (int)p[0], (int)p[1], (int)(thrust::min_element(p, p + n) - p));
    thrust::device_vector<int> groups = {1, 1, 2, 2, 2, 5}, heads(6), sums(6);
    auto ends = thrust::reduce_by_key(groups.begin(), groups.end(), thrust::constant_iterator<int>(1), heads.begin(),
                                      sums.begin());
    printf("%d groups: %d x %d\n", (int)(ends.first - heads.begin()), (int)heads[1], (int)sums[1]);
    auto last = thrust::unique(groups.begin(), groups.end());
    printf("%d %d\n", (int)(last - groups.begin()),
           (int)(thrust::lower_bound(keys.begin(), keys.end(), 17) - keys.begin()));
    cudaFree(raw);
}
