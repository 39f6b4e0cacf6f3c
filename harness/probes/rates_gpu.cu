/* The GPU's ceilings, measured: copy bandwidth and instruction rates.

   An instruction's rate: every multiprocessor full of threads, eight independent chains a thread, so that neither
   latency nor issue holds it back. Each chain's next value needs the last one and all of them reach memory, so the
   compiler can drop nothing. To see the machine code:
       nvcc -arch=sm_90 -I. -DWL_HAVE_CUDA -cubin -o rates.cubin harness/probes/rates_gpu.cu && cuobjdump -sass rates.cubin
   With CUDA 13.0, each loop's body has 64 of the instructions that it measures. */
#include <cuda_fp16.h>
#include <math.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/gpu/internal.cuh"
#include "harness/device/mma.h"
#include "harness/device/warpgroup.h"
#include "harness/probes/rates.h"

enum {
    CHAINS = 8,
    UNROLL = 8,
    BLOCK = 256,
    BLOCKS_EACH = 8, // a multiprocessor: 2,048 threads
    TIMES = 5,
    BEST_OF_COPY = 10,
};
static const double warm_seconds = 0.05;    // idle clocks are low, and take this long to come up
static const double sample_seconds = 0.005; // what one timed launch should last

/* A kind of instruction: a chain's first number, the next of all chains, and a number's share of what is written. */
struct of_bits {
    typedef unsigned number;
    static __device__ __forceinline__ unsigned first(int c, unsigned, unsigned) { return threadIdx.x + c; }
    static __device__ __forceinline__ unsigned bits(unsigned sum) { return sum; }
};

/* Integer adds and logic in turn: two additions in a row would become one three-operand instruction. */
struct integers : of_bits {
    static __device__ __forceinline__ void next(unsigned *x, int, unsigned a, unsigned b) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) x[c] = (x[c] + a) ^ b;
    }
};

/* popc(x) < 33, so one addition of a large number keeps the bits many; it runs beside popc, four times as fast. */
struct popcounts : of_bits {
    static __device__ __forceinline__ void next(unsigned *x, int, unsigned a, unsigned) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) x[c] = __popc(x[c]) + a;
    }
};

/* max(x + a, b, 0) of two 16-bit integers at a time: one VIADDMNMX where the chip has it. */
struct additions_maxima : of_bits {
    static __device__ __forceinline__ void next(unsigned *x, int, unsigned a, unsigned b) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) x[c] = __viaddmax_s16x2_relu(x[c], a, b);
    }
};

/* The smaller and the larger of two 16-bit integers at a time: VIMNMX. Neighbours in turn with either side, as in a sort by
   transpositions: a chain of minima with the same operand is one minimum, and the compiler knows that. */
struct minima : of_bits {
    static __device__ __forceinline__ unsigned first(int c, unsigned a, unsigned b) {
        return (threadIdx.x + c) * a ^ b;
    }
    static __device__ __forceinline__ void next(unsigned *x, int u, unsigned, unsigned) {
#pragma unroll
        for (int c = 0; c < CHAINS; c += 2) {
            const int left = (c + u % 2) % CHAINS, right = (left + 1) % CHAINS;
            const unsigned smaller = __vmins2(x[left], x[right]);
            x[right] = __vmaxs2(x[left], x[right]);
            x[left] = smaller;
        }
    }
};

/* x * x - c, one fused multiply-add: the numbers stay between -2 and 2 and settle nowhere, as those of a calculation do not. What
   switches less takes less power, and a rate at a higher clock than that of any use would be no limit. */
template <typename real> struct squares {
    typedef real number;
    static __device__ __forceinline__ real first(int c, unsigned, unsigned) {
        return (real)(threadIdx.x * CHAINS + c) / (BLOCK * CHAINS);
    }
    static __device__ __forceinline__ void next(real *x, int, unsigned a, unsigned) {
        const real less = (real)-1.5 - (real)a / (real)8589934592.0; // a < 2^32: between -1.5 and -2
#pragma unroll
        for (int c = 0; c < CHAINS; c++) x[c] = fma(x[c], x[c], less);
    }
    static __device__ __forceinline__ unsigned bits(real sum) { return (unsigned)(int)(sum * 65536); }
};

template <typename kind>
static __global__ void __launch_bounds__(BLOCK) chains(unsigned *out, int rounds, unsigned a, unsigned b, unsigned) {
    typename kind::number x[CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++) x[c] = kind::first(c, a, b);
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) kind::next(x, u, a, b);
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++) sum += x[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = kind::bits(sum);
}

/* x * a + b of two 16-bit floats at a time: HFMA2. What the bits of a and b mean as floats does not matter: nothing here
   takes longer for one number than for another. */
static __global__ void __launch_bounds__(BLOCK) halves(unsigned *out, int rounds, unsigned a, unsigned b, unsigned) {
    __half2 x[CHAINS], factor, term;
    memcpy(&factor, &a, sizeof factor);
    memcpy(&term, &b, sizeof term);
#pragma unroll
    for (int c = 0; c < CHAINS; c++) x[c] = __half2half2(__ushort2half_rn(threadIdx.x + c));
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) x[c] = __hfma2(x[c], factor, term);
        }
    }
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        unsigned bits;
        memcpy(&bits, &x[c], sizeof bits);
        sum += bits;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* One instruction of the tensor cores, from bits of a and b; what they are does not matter to integers. */
static __device__ __forceinline__ void multiply_bytes(int sum[4], unsigned a, unsigned b) {
    const uint32_t left[4] = {a, b, a ^ b, a + b}, right[2] = {b, a};
    wl_mma_m16n8k32_s8(sum, left, right, sum);
}
static __device__ __forceinline__ void multiply_bits(int sum[4], unsigned a, unsigned b) {
    const uint32_t left[4] = {a, b, a ^ b, a + b}, right[2] = {b, a};
    wl_mma_m16n8k256_b1(sum, left, right, sum);
}
/* Of floats and doubles, numbers between -1 and 1, so that the sums stay finite, and each lane its own: see squares. */
static __device__ __forceinline__ double number_of(unsigned bits) {
    return (int)(bits * (2 * threadIdx.x + 1)) / 2147483648.;
}
static __device__ __forceinline__ void multiply_floats(float sum[4], unsigned a, unsigned b) {
    const float x = (float)number_of(a), y = (float)number_of(b);
    const uint32_t left[4] = {__float_as_uint(x), __float_as_uint(y), __float_as_uint(-x), __float_as_uint(-y)};
    const uint32_t right[2] = {__float_as_uint(y), __float_as_uint(x)};
    wl_mma_m16n8k8_tf32(sum, left, right, sum);
}
static __device__ __forceinline__ void multiply_doubles(double sum[4], unsigned a, unsigned b) {
    const double x = number_of(a), y = number_of(b), left[4] = {x, y, -x, -y}, right[2] = {y, x};
    wl_mma_m16n8k8_f64(sum, left, right, sum);
}

/* Small matrices multiplied by the tensor cores, CHAINS independent sums a warp, each SUMS numbers a lane. */
template <typename number, int SUMS, void (*multiply)(number *sum, unsigned a, unsigned b)>
static __global__ void __launch_bounds__(BLOCK) products(unsigned *out, int rounds, unsigned a, unsigned b, unsigned) {
    number sum[CHAINS][SUMS];
#pragma unroll
    for (int c = 0; c < CHAINS * SUMS; c++) sum[c / SUMS][c % SUMS] = 0;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) multiply(sum[c], a, b);
        }
    }
    number all = 0;
#pragma unroll
    for (int c = 0; c < CHAINS * SUMS; c++) all += sum[c / SUMS][c % SUMS];
    out[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned)all;
}

/* One address per block, 128 bytes from the next block's. If the compiler can see that a warp adds to one address, it
   sums the lanes itself and sends one addition. `zero`, which is 0, hides the address from the compiler, since this loop
   measures the memory system's rate of additions that arrive there. */
static __global__ void __launch_bounds__(BLOCK)
    atomics(unsigned *out, int rounds, unsigned a, unsigned, unsigned zero) {
    unsigned *address = out + 32 * blockIdx.x + zero * threadIdx.x;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) atomicAdd(address, a + u);
    }
}

typedef void loop(unsigned *out, int rounds, unsigned a, unsigned b, unsigned zero);

typedef struct {
    const wl_device *device;
    cudaEvent_t begin, end;
    unsigned *out;
    int blocks;
} bench;

static wl_status time_loop(const bench *b, loop *kernel, int rounds, double *seconds) {
    float ms = 0;
    WL_CUDA(cudaEventRecord(b->begin));
    kernel<<<b->blocks, BLOCK>>>(b->out, rounds, 0x9E3779B9u, 0x7F4A7C15u, 0);
    WL_LAUNCHED();
    WL_CUDA(cudaEventRecord(b->end));
    WL_CUDA(cudaEventSynchronize(b->end));
    WL_CUDA(cudaEventElapsedTime(&ms, b->begin, b->end));
    *seconds = ms / 1e3;
    return WL_OK;
}

/* Best of a few launches, each long enough that its start and end do not count. */
static wl_status measure(const bench *b, loop *kernel, double per_round, double *rate) {
    double seconds = 0, best = INFINITY;
    int rounds = 16;
    for (;;) {
        WL_TRY(time_loop(b, kernel, rounds, &seconds));
        if (seconds >= sample_seconds || rounds >= 1 << 24) break;
        rounds *= 2;
    }
    for (int i = 0; i < TIMES; i++) {
        WL_TRY(time_loop(b, kernel, rounds, &seconds));
        if (seconds < best) best = seconds;
    }
    *rate = per_round * rounds * b->blocks * BLOCK / best;
    return WL_OK;
}

/* 1 GiB from one half of a buffer to the other, or what a quarter of the free memory allows; read and written. */
static wl_status copy(const bench *b, double *bandwidth) {
    size_t available = 0, total = 0, bytes = (size_t)1 << 30;
    char *memory;
    double best = INFINITY;
    WL_CUDA(cudaMemGetInfo(&available, &total));
    if (bytes > available / 8) bytes = available / 8;
    WL_CUDA(cudaMalloc((void **)&memory, 2 * bytes));
    cudaError_t error = cudaMemset(memory, 1, 2 * bytes);
    for (int i = 0; i < BEST_OF_COPY && error == cudaSuccess; i++) {
        float ms = 0;
        error = cudaEventRecord(b->begin);
        if (error == cudaSuccess) error = cudaMemcpyAsync(memory + bytes, memory, bytes, cudaMemcpyDeviceToDevice);
        if (error == cudaSuccess) error = cudaEventRecord(b->end);
        if (error == cudaSuccess) error = cudaEventSynchronize(b->end);
        if (error == cudaSuccess) error = cudaEventElapsedTime(&ms, b->begin, b->end);
        if (i > 0 && ms > 0 && ms / 1e3 < best) best = ms / 1e3; // the first one warms up
    }
    cudaFree(memory);
    WL_CUDA(error);
    *bandwidth = 2.0 * (double)bytes / best;
    return WL_OK;
}

/* Operations of an instruction: a multiplication and an addition for each row, column and term, shared out to 32 lanes. */
#define OPERATIONS(m, n, k) (2 * (m) * (n) * (k) / 32)

/* A warpgroup's products, 64 x 128 sums each; the two warpgroups of a block have the same matrices. */
enum { GROUP_OPERATIONS = 2 * WL_WARPGROUP_ROWS * WL_WARPGROUP_COLUMNS };
template <int BITS>
static __global__ void __launch_bounds__(BLOCK) groups(unsigned *out, int rounds, unsigned a, unsigned b, unsigned) {
    __shared__ __align__(1024) unsigned rows[(WL_WARPGROUP_ROWS + WL_WARPGROUP_COLUMNS) * 32];
    for (int i = threadIdx.x; i < (int)(sizeof rows / sizeof *rows); i += BLOCK)
        rows[i] = (a + i) * 2654435761u ^ (b - i) * 2246822519u;
    wl_warpgroup_publish();
    __syncthreads();
    const unsigned *columns = rows + WL_WARPGROUP_ROWS * 32;
    int sum[WL_WARPGROUP_SUMS] = {0};
    for (int r = 0; r < rounds; r++) {
        wl_warpgroup_begin();
#pragma unroll
        for (int step = 0; step < WL_WARPGROUP_STEPS; step++)
            if (BITS)
                wl_warpgroup_bits(sum, rows, columns, step);
            else
                wl_warpgroup_bytes(sum, rows, columns, step);
        wl_warpgroup_commit();
        wl_warpgroup_wait<1>();
    }
    wl_warpgroup_finish(sum);
    unsigned all = 0;
#pragma unroll
    for (int k = 0; k < WL_WARPGROUP_SUMS; k++) all += sum[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

static wl_status measure_warpgroups(const bench *b, double *operations) {
    enum { HOPPER = 90 };
    operations[WL_RATE_WGMMA_S8] = operations[WL_RATE_WGMMA_B1] = NAN;
    if (b->device->compute_capability != HOPPER || !WL_WARPGROUP_COMPILED) return WL_OK;
    const double steps = (double)WL_WARPGROUP_STEPS * GROUP_OPERATIONS / WL_WARPGROUP; // for each term, of a lane
    WL_TRY(measure(b, groups<0>, 32 * steps, &operations[WL_RATE_WGMMA_S8]));
    return measure(b, groups<1>, 256 * steps, &operations[WL_RATE_WGMMA_B1]);
}

static wl_status measure_tensor_cores(const bench *b, double steps, double *operations) {
    enum { AMPERE = 80 };
    const struct {
        loop *kernel;
        wl_rate rate;
        double operations;
    } all[] = {{products<int, 4, multiply_bytes>, WL_RATE_MMA_S8, OPERATIONS(16, 8, 32)},
               {products<int, 4, multiply_bits>, WL_RATE_MMA_B1, OPERATIONS(16, 8, 256)},
               {products<float, 4, multiply_floats>, WL_RATE_MMA_TF32, OPERATIONS(16, 8, 8)},
               {products<double, 4, multiply_doubles>, WL_RATE_MMA_F64, OPERATIONS(16, 8, 8)}};
    wl_status status = WL_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        operations[all[i].rate] = NAN;
        if (status == WL_OK && b->device->compute_capability >= AMPERE)
            status = measure(b, all[i].kernel, all[i].operations * steps, &operations[all[i].rate]);
    }
    return status;
}

static wl_status measure_all(const bench *b, wl_rates *rates) {
    const double steps = CHAINS * UNROLL;
    double seconds, begin = wl_now();
    while (wl_now() - begin < warm_seconds) WL_TRY(time_loop(b, chains<integers>, 1024, &seconds));
    WL_TRY(measure(b, chains<integers>, 2 * steps, &rates->operations[WL_RATE_INT32]));
    WL_TRY(measure(b, chains<popcounts>, steps, &rates->operations[WL_RATE_POPC]));
    WL_TRY(measure(b, chains<additions_maxima>, steps, &rates->operations[WL_RATE_DPX16]));
    WL_TRY(measure(b, chains<minima>, steps, &rates->operations[WL_RATE_MIN16X2]));
    WL_TRY(measure(b, halves, steps, &rates->operations[WL_RATE_HALF2]));
    WL_TRY(measure(b, chains<squares<float>>, 2 * steps, &rates->operations[WL_RATE_FP32]));
    WL_TRY(measure(b, chains<squares<double>>, 2 * steps, &rates->operations[WL_RATE_FP64]));
    WL_TRY(measure_tensor_cores(b, steps, rates->operations));
    WL_TRY(measure_warpgroups(b, rates->operations));
    WL_TRY(measure(b, atomics, UNROLL, &rates->operations[WL_RATE_ATOMIC]));
    return copy(b, &rates->bandwidth);
}

wl_status wl_gpu_rates(const wl_device *device, wl_rates *rates) {
    bench b = {device, NULL, NULL, NULL, BLOCKS_EACH * device->multiprocessors};
    size_t words = (size_t)b.blocks * BLOCK; // more than the atomics use: 32 words per block
    WL_CUDA(cudaSetDevice(device->ordinal));
    WL_CUDA(cudaEventCreate(&b.begin));
    WL_CUDA(cudaEventCreate(&b.end));
    WL_CUDA(cudaMalloc((void **)&b.out, words * sizeof *b.out));
    wl_status status = measure_all(&b, rates);
    cudaFree(b.out);
    cudaEventDestroy(b.begin);
    cudaEventDestroy(b.end);
    return status;
}
