// Which side may call what.
#include <cstdio>
#include <cstdlib>
#include <vector>
float mean(float a, float b) { return (a + b) / 2; }
__device__ int twice(int x) { return 2 * x; }
void plain(int *p) { p[threadIdx.x] = 1; }
__global__ void fill(int *p) {
    p[0] = rand() % 2;
    p[1] = (int)mean(1, 3);
    std::vector<int> v(4, 1);
    p[3] = v[2];
}
int main() {
    int *p;
    cudaMalloc(&p, 128);
    printf("%d %d\n", twice(4), __popc(3));
    fill(p);
    plain<<<1, 1>>>(p);
    fill<<<1, 1>>>(p);
}
