// The address of a device function, taken on the host.
__device__ int twice(int x) { return 2 * x; }
__global__ void k(int *p, int (*f)(int)) { *p = f(21); }
int main() {
    int *p;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p, twice);
}
