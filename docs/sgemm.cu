// C = A B of n x n matrices of floats, in eight steps. They differ in how they reach memory.
//   warpladder simulate docs/sgemm.cu            counts what each step does to memory (docs/simulating-your-program.md)
//   nvcc docs/sgemm.cu -o sgemm && ./sgemm       runs it on a GPU
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 32;             // steps 1 to 3: a block's part of C, and its threads
constexpr int M = 64, N = 64, K = 8; // from step 4 on: a block's part of C is M x N, and it goes along in strips of K
constexpr int ROWS = 8, COLUMNS = 8; // of C, that a thread computes
constexpr int THREADS = M * N / (ROWS * COLUMNS); // 64

// 1. A thread per element of C. Neighbouring threads compute neighbouring rows, so they load elements of A that lie n apart.
__global__ void naive(const float *a, const float *b, float *c, int n) {
    const int row = blockIdx.x * TILE + threadIdx.x, column = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// 2. Neighbouring threads compute neighbouring columns: a warp's loads of B touch one row.
__global__ void coalesced(const float *a, const float *b, float *c, int n) {
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// 3. A block loads each element that it needs once, into shared memory, and its threads read it there.
__global__ void shared_tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 4. A thread computes eight rows of a column: an element of B, once in a register, serves all of them.
__global__ void tiles_1d(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[M][K], b_tile[K][N];
    const int column = threadIdx.x % N, first_row = threadIdx.x / N * ROWS; // 512 threads
    const float *a_block = a + blockIdx.y * M * n, *b_block = b + blockIdx.x * N;
    float sums[ROWS] = {0};
    for (int first = 0; first < n; first += K) {
        a_tile[threadIdx.x / K][threadIdx.x % K] = a_block[threadIdx.x / K * n + first + threadIdx.x % K];
        b_tile[threadIdx.x / N][threadIdx.x % N] = b_block[(first + threadIdx.x / N) * n + threadIdx.x % N];
        __syncthreads();
        for (int k = 0; k < K; k++) {
            const float from_b = b_tile[k][column];
            for (int r = 0; r < ROWS; r++) sums[r] += a_tile[first_row + r][k] * from_b;
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; r++) c[(blockIdx.y * M + first_row + r) * n + blockIdx.x * N + column] = sums[r];
}

// 5. A thread computes eight rows of eight columns: 16 elements in registers make 64 products.
__global__ void tiles_2d(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[M][K], b_tile[K][N];
    const int first_row = threadIdx.x / (N / COLUMNS) * ROWS, first_column = threadIdx.x % (N / COLUMNS) * COLUMNS;
    const float *a_block = a + blockIdx.y * M * n, *b_block = b + blockIdx.x * N;
    float sums[ROWS][COLUMNS] = {{0}};
    for (int first = 0; first < n; first += K) {
        for (int i = threadIdx.x; i < M * K; i += THREADS) a_tile[i / K][i % K] = a_block[i / K * n + first + i % K];
        for (int i = threadIdx.x; i < K * N; i += THREADS) b_tile[i / N][i % N] = b_block[(first + i / N) * n + i % N];
        __syncthreads();
        for (int k = 0; k < K; k++) {
            float from_a[ROWS], from_b[COLUMNS];
            for (int r = 0; r < ROWS; r++) from_a[r] = a_tile[first_row + r][k];
            for (int q = 0; q < COLUMNS; q++) from_b[q] = b_tile[k][first_column + q];
            for (int r = 0; r < ROWS; r++)
                for (int q = 0; q < COLUMNS; q++) sums[r][q] += from_a[r] * from_b[q];
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; r++)
        for (int q = 0; q < COLUMNS; q++)
            c[(blockIdx.y * M + first_row + r) * n + blockIdx.x * N + first_column + q] = sums[r][q];
}

__device__ float4 load4(const float *from) { return *reinterpret_cast<const float4 *>(from); }
__device__ void store4(float *to, float4 v) { *reinterpret_cast<float4 *>(to) = v; }

// Steps 6 to 8 differ in how elements lie in shared memory. A's tile is stored with rows and columns exchanged, so that a thread's
// eight rows lie side by side. PITCH: elements from one of its columns to the next. APART: elements from the first four of a thread's
// columns of B to the other four.
template <int PITCH, int APART>
__device__ void multiply4(const float *a, const float *b, float *c, int n, float *a_tile, float *b_tile) {
    const int threads_across = N / COLUMNS;
    const int first_row = threadIdx.x / threads_across * ROWS;
    const int first_column = threadIdx.x % threads_across * (APART == 4 ? COLUMNS : 4);
    const float *a_block = a + blockIdx.y * M * n, *b_block = b + blockIdx.x * N;
    float sums[ROWS][COLUMNS] = {{0}};
    for (int first = 0; first < n; first += K) {
        for (int i = 4 * threadIdx.x; i < M * K; i += 4 * THREADS) {
            const float4 v = load4(&a_block[i / K * n + first + i % K]);
            const float four[] = {v.x, v.y, v.z, v.w};
            for (int j = 0; j < 4; j++) a_tile[(i % K + j) * PITCH + i / K] = four[j];
        }
        for (int i = 4 * threadIdx.x; i < K * N; i += 4 * THREADS)
            store4(&b_tile[i], load4(&b_block[(first + i / N) * n + i % N]));
        __syncthreads();
        for (int k = 0; k < K; k++) {
            const float4 a_low = load4(&a_tile[k * PITCH + first_row]),
                         a_high = load4(&a_tile[k * PITCH + first_row + 4]);
            const float4 b_low = load4(&b_tile[k * N + first_column]),
                         b_high = load4(&b_tile[k * N + first_column + APART]);
            const float from_a[] = {a_low.x, a_low.y, a_low.z, a_low.w, a_high.x, a_high.y, a_high.z, a_high.w};
            const float from_b[] = {b_low.x, b_low.y, b_low.z, b_low.w, b_high.x, b_high.y, b_high.z, b_high.w};
            for (int r = 0; r < ROWS; r++)
                for (int q = 0; q < COLUMNS; q++) sums[r][q] += from_a[r] * from_b[q];
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; r++) {
        float *to = &c[(blockIdx.y * M + first_row + r) * n + blockIdx.x * N + first_column];
        store4(to, make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]));
        store4(to + APART, make_float4(sums[r][4], sums[r][5], sums[r][6], sums[r][7]));
    }
}

// 6. Loads and stores of four elements: a quarter of the requests.
__global__ void vectorised(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[K * M], b_tile[K * N];
    multiply4<M, 4>(a, b, c, n, a_tile, b_tile);
}

// 7. A thread's columns are two groups of four, half a tile apart. Then the threads of a request read 32 elements in a row of B's
//    tile, which are in different banks; in step 6, thread 0 and thread 4 want the same banks.
__global__ void columns_apart(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[K * M], b_tile[K * N];
    multiply4<M, N / 2>(a, b, c, n, a_tile, b_tile);
}

// 8. Four unused elements after each column of A's tile: columns 0 and 4, which a warp stores at once, begin in different banks.
__global__ void padded(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[K * (M + 4)], b_tile[K * N];
    multiply4<M + 4, N / 2>(a, b, c, n, a_tile, b_tile);
}

struct Step {
    const char *name;
    void (*kernel)(const float *, const float *, float *, int);
    int tile;
    dim3 threads;
};

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 128;
    if (n < 64 || n % 64 != 0) {
        fprintf(stderr, "sgemm: n is %d; expected a multiple of 64\n", n);
        return 2;
    }
    const size_t bytes = sizeof(float) * n * n;
    std::vector<float> a(n * n), b(n * n), c(n * n), expected(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7 - 3;
        b[i] = i % 5 - 2;
    }
    for (int row = 0; row < n; row++)
        for (int k = 0; k < n; k++)
            for (int column = 0; column < n; column++) expected[row * n + column] += a[row * n + k] * b[k * n + column];

    float *device_a, *device_b, *device_c;
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMalloc(&device_c, bytes);
    cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);

    const dim3 square(TILE, TILE), row(THREADS);
    const Step steps[] = {{"naive", naive, TILE, square},
                          {"coalesced", coalesced, TILE, square},
                          {"shared_tiles", shared_tiles, TILE, square},
                          {"tiles_1d", tiles_1d, M, dim3(M * N / ROWS)},
                          {"tiles_2d", tiles_2d, M, row},
                          {"vectorised", vectorised, M, row},
                          {"columns_apart", columns_apart, M, row},
                          {"padded", padded, M, row}};
    int wrong = 0;
    for (const Step &step : steps) {
        cudaMemset(device_c, 0xff, bytes);
        step.kernel<<<dim3(n / step.tile, n / step.tile), step.threads>>>(device_a, device_b, device_c, n);
        cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost);
        int differ = 0;
        for (int i = 0; i < n * n; i++) differ += !(c[i] == expected[i]); // whole numbers: no rounding
        printf("%-14s %s\n", step.name, differ ? "WRONG" : "ok");
        wrong += differ > 0;
    }
    cudaFree(device_a);
    cudaFree(device_b);
    cudaFree(device_c);
    return wrong > 0;
}
