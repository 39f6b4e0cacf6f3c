// Includes nothing: nvcc needs nothing either.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const size_t bytes = n * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *b, *c;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);
    printf("c[%d] = %g\n", n - 1, host[n - 1]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    free(host);
    return 0;
}
