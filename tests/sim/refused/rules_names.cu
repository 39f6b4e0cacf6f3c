// Names that belong to the other side: of variables, of methods, of what a function for both sides calls.
#include <cstdio>
int scale = 3;
static const char *names[2] = {"a", "b"};
struct Box {
    int x;
    int half() const { return x / 2; }
};
template <typename T> void logged(T x) { printf("%d\n", (int)x); }
template <typename T> __host__ __device__ T id(T x) {
    logged(x);
    return x;
}
__device__ char first(int i) { return names[i][0]; }
__global__ void k(int *p, int n, Box box) {
    int local[n];
    local[0] = scale + first(0) + box.half() + id(3);
    *p = local[0];
}
int main() {
    int *p;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p, 3, Box{4});
}
