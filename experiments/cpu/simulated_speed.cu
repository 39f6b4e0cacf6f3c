// simulated_speed PROGRAM N TIMES: prints seconds of user time per repetition, and bytes of memory that the first launch takes for each
// byte that the kernel touches. simulated_speed.c has the same as plain C.
#include "simulated_speed.h"

constexpr int THREADS = 256, BLOCKS = 64, TILE = 16, LETTERS = 256;

__global__ void axpy(int n, float a, const float *x, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void sum(int n, const float *x, float *out) {
    __shared__ float sums[THREADS];
    float total = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) total += x[i];
    sums[threadIdx.x] = total;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void product(int n, const float *a, const float *b, float *c) {
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float total = 0;
    for (int first = 0; first < n; first += TILE) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) total += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = total;
}

__global__ void histogram(int n, const unsigned char *letters, unsigned *counts) {
    __shared__ unsigned of_block[LETTERS];
    of_block[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&of_block[letters[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

/* Seconds per repetition; `shadow`: what it took in memory per byte. */
static double run(const char *program, int n, int times, double *shadow) {
    const bool square = !strcmp(program, "product"), of_letters = !strcmp(program, "histogram");
    const size_t elements = square ? (size_t)n * n : n, bytes = elements * (of_letters ? 1 : sizeof(float));
    const int arrays = square ? 3 : !strcmp(program, "axpy") ? 2 : 1;
    void *x, *y, *z, *host = calloc(bytes, 1);
    cudaMalloc(&x, bytes);
    cudaMalloc(&y, elements * sizeof(float) + LETTERS * sizeof(float));
    cudaMalloc(&z, elements * sizeof(float));
    if (of_letters) fill_letters((unsigned char *)host, n);
    cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice);
    cudaMemset(y, 0, elements * sizeof(float) + LETTERS * sizeof(float));
    const double before = resident_bytes(), begun = user_seconds();
    for (int i = 0; i < times; i++) {
        if (!strcmp(program, "axpy")) axpy<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, 2, (float *)x, (float *)y);
        if (!strcmp(program, "sum")) sum<<<BLOCKS, THREADS>>>(n, (float *)x, (float *)y);
        if (square) product<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(n, (float *)x, (float *)y, (float *)z);
        if (of_letters) histogram<<<BLOCKS, THREADS>>>(n, (unsigned char *)x, (unsigned *)y);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) exit(1);
    const double seconds = (user_seconds() - begun) / times;
    *shadow = (resident_bytes() - before) / ((double)arrays * bytes);
    free(host);
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
    return seconds;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    double shadow;
    run(arguments[1], 4 * TILE, 1, &shadow); // so that the threads have their stacks
    const double seconds = run(arguments[1], atoi(arguments[2]), atoi(arguments[3]), &shadow);
    printf("%.9f\t%.2f\n", seconds, shadow);
}
