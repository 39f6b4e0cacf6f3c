// A parameter that refers to a variable of the host's.
__global__ void k(int *p, const int &n) { *p = n; }
int main() {
    int *p, n = 7;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p, n);
    cudaDeviceSynchronize();
}
