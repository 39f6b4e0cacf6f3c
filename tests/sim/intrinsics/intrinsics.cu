/* The cases of cases.h on a device. The same file is compiled by nvcc and for the simulated device; the program around
   it is main.c. */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "harness/device/mma.h"

/* Devices before compute capability 8.0 lack some of the functions; nothing is compiled for them. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define HAVE_FUNCTIONS 0
#else
#define HAVE_FUNCTIONS 1
#endif

typedef unsigned long long u64;

// ---------------------------------------------------------------- operands from bits

__device__ static __forceinline__ int I(u64 x) { return (int)x; }
__device__ static __forceinline__ unsigned U(u64 x) { return (unsigned)x; }
__device__ static __forceinline__ long long L(u64 x) { return (long long)x; }
__device__ static __forceinline__ u64 M(u64 x) { return x; }
__device__ static __forceinline__ float F(u64 x) { return __int_as_float((int)x); }
__device__ static __forceinline__ double D(u64 x) { return __longlong_as_double((long long)x); }
__device__ static __forceinline__ __half H(u64 x) { return __ushort_as_half((unsigned short)x); }
__device__ static __forceinline__ __half2 P(u64 x) { return __halves2half2(H(x), H(x >> 16)); }
__device__ static __forceinline__ __nv_bfloat16 B(u64 x) { return __ushort_as_bfloat16((unsigned short)x); }
__device__ static __forceinline__ __nv_bfloat162 R(u64 x) { return __halves2bfloat162(B(x), B(x >> 16)); }
__device__ static __forceinline__ char4 as_char4(u64 x) {
    return make_char4((signed char)x, (signed char)(x >> 8), (signed char)(x >> 16), (signed char)(x >> 24));
}
__device__ static __forceinline__ uchar4 as_uchar4(u64 x) {
    return make_uchar4((unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16), (unsigned char)(x >> 24));
}
__device__ static __forceinline__ short2 as_short2(u64 x) { return make_short2((short)x, (short)(x >> 16)); }
__device__ static __forceinline__ ushort2 as_ushort2(u64 x) {
    return make_ushort2((unsigned short)x, (unsigned short)(x >> 16));
}

// ---------------------------------------------------------------- results to bits; every NaN is the same

__device__ static __forceinline__ u64 bits(bool x) { return x; }
__device__ static __forceinline__ u64 bits(int x) { return (unsigned)x; }
__device__ static __forceinline__ u64 bits(unsigned x) { return x; }
__device__ static __forceinline__ u64 bits(long long x) { return (u64)x; }
__device__ static __forceinline__ u64 bits(u64 x) { return x; }
__device__ static __forceinline__ u64 bits(short x) { return (unsigned short)x; }
__device__ static __forceinline__ u64 bits(unsigned short x) { return x; }
__device__ static __forceinline__ u64 bits(float x) { return x == x ? __float_as_uint(x) : 0x7fffffffu; }
__device__ static __forceinline__ u64 bits(double x) {
    return x == x ? (u64)__double_as_longlong(x) : 0x7fffffffffffffffull;
}
__device__ static __forceinline__ u64 bits(float2 x) { return bits(x.x) | bits(x.y) << 32; }
__device__ static __forceinline__ u64 bits(__half x) { return __hisnan(x) ? 0x7fff : __half_as_ushort(x); }
__device__ static __forceinline__ u64 bits(__half2 x) { return bits(__low2half(x)) | bits(__high2half(x)) << 16; }
__device__ static __forceinline__ u64 bits(__nv_bfloat16 x) { return __hisnan(x) ? 0x7fff : __bfloat16_as_ushort(x); }
__device__ static __forceinline__ u64 bits(__nv_bfloat162 x) {
    return bits(__low2bfloat16(x)) | bits(__high2bfloat16(x)) << 16;
}

// ---------------------------------------------------------------- functions with more than one result

#define AND_PREDICATE(name, T)                                             \
    __device__ static __forceinline__ u64 name##_and_predicate(T a, T b) { \
        bool won;                                                          \
        u64 result = bits(name(a, b, &won));                               \
        return result | (u64)won << 32;                                    \
    }
#define AND_PREDICATES(name)                                                              \
    __device__ static __forceinline__ u64 name##_and_predicates(unsigned a, unsigned b) { \
        bool high, low;                                                                   \
        u64 result = bits(name(a, b, &high, &low));                                       \
        return result | (u64)high << 33 | (u64)low << 32;                                 \
    }
AND_PREDICATE(__vibmax_s32, int)
AND_PREDICATE(__vibmax_u32, unsigned)
AND_PREDICATE(__vibmin_s32, int)
AND_PREDICATE(__vibmin_u32, unsigned)
AND_PREDICATES(__vibmax_s16x2)
AND_PREDICATES(__vibmax_u16x2)
AND_PREDICATES(__vibmin_s16x2)
AND_PREDICATES(__vibmin_u16x2)

__device__ static __forceinline__ float sine_times_cosine(float x) {
    float sine, cosine;
    __sincosf(x, &sine, &cosine);
    return sine * cosine;
}

// ---------------------------------------------------------------- kernels

/* Thread i: case `number` of the operands i. */
__global__ void exact_kernel(int number, int count, const u64 *first, const u64 *second, const u64 *third, u64 *out) {
#if HAVE_FUNCTIONS
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u64 a = first[i], b = second[i], c = third[i], result = 0;
    switch (number) {
#define EVALUATE(id, kinds, expression) \
    case case_##id:                     \
        result = bits(expression);      \
        break;
        EXACT_CASES(EVALUATE)
#undef EVALUATE
    }
    (void)b, (void)c;
    out[i] = result;
#endif
}

__global__ void approximate_kernel(int number, int count, const u64 *first, const u64 *second, float *out) {
#if HAVE_FUNCTIONS
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u64 a = first[i], b = second[i];
    float result = 0;
    switch (number) {
#define EVALUATE(id, kinds, expression, ...) \
    case case_##id:                          \
        result = expression;                 \
        break;
        APPROXIMATE_CASES(EVALUATE)
#undef EVALUATE
    }
    out[i] = result;
#endif
}

/* Warp w (a block of its own): one multiplication of the fragments in operands[w]. */
__global__ void matrix_kernel(int number, const matrix_operands *operands, matrix_result *out) {
#if HAVE_FUNCTIONS
    int lane = threadIdx.x;
    const uint32_t *words = operands[blockIdx.x].x[lane];
    uint32_t a[4], b[2], d[4];
    for (int r = 0; r < 4; r++) a[r] = words[MATRIX_A + r], d[r] = words[MATRIX_C + r];
    for (int r = 0; r < 2; r++) b[r] = words[MATRIX_B + r];
    int whole[4] = {(int)d[0], (int)d[1], (int)d[2], (int)d[3]};
    float real[4] = {__uint_as_float(d[0]), __uint_as_float(d[1]), __uint_as_float(d[2]), __uint_as_float(d[3])};
    double twice[2] = {__hiloint2double((int)d[1], (int)d[0]), __hiloint2double((int)d[3], (int)d[2])};
    switch (number) { // the same for the whole warp
        case case_wl_mma_m16n8k32_s8:
            wl_mma_m16n8k32_s8(whole, a, b, whole);
            break;
        case case_wl_mma_m16n8k32_u8:
            wl_mma_m16n8k32_u8(whole, a, b, whole);
            break;
        case case_wl_mma_m16n8k256_b1:
            wl_mma_m16n8k256_b1(whole, a, b, whole);
            break;
        case case_wl_mma_m16n8k16_f16:
            wl_mma_m16n8k16_f16(real, a, b, real);
            break;
        case case_wl_mma_m16n8k8_tf32:
            wl_mma_m16n8k8_tf32(real, a, b, real);
            break;
        case case_wl_mma_m8n8k4_f64:
            wl_mma_m8n8k4_f64(twice, __hiloint2double((int)a[1], (int)a[0]), __hiloint2double((int)b[1], (int)b[0]),
                              twice);
            break;
    }
    bool doubles = number == case_wl_mma_m8n8k4_f64;
    bool floats = number == case_wl_mma_m16n8k16_f16 || number == case_wl_mma_m16n8k8_tf32;
    for (int r = 0; r < 4; r++) {
        uint32_t word = doubles  ? (uint32_t)(r % 2 ? __double2hiint(twice[r / 2]) : __double2loint(twice[r / 2]))
                        : floats ? __float_as_uint(real[r])
                                 : (uint32_t)whole[r];
        out[blockIdx.x].x[lane][r] = word;
    }
#endif
}

// ---------------------------------------------------------------- running them

/* What went wrong in the last call, or NULL. */
static const char *trouble(cudaError_t error) { return error == cudaSuccess ? NULL : cudaGetErrorString(error); }
#define TRY(call)                            \
    do {                                     \
        const char *message = trouble(call); \
        if (message != NULL) return message; \
    } while (0)

/* Device copies of up to three inputs and one output; kept for the next call of the same size. */
static void *buffers[4];
static size_t sizes[4];

static const char *upload(int slot, const void *from, size_t bytes) {
    if (sizes[slot] < bytes) {
        if (buffers[slot] != NULL) TRY(cudaFree(buffers[slot]));
        buffers[slot] = NULL;
        TRY(cudaMalloc(&buffers[slot], bytes));
        sizes[slot] = bytes;
    }
    if (from != NULL) return trouble(cudaMemcpy(buffers[slot], from, bytes, cudaMemcpyHostToDevice));
    return trouble(cudaMemset(buffers[slot], 0xA5, bytes));
}
#define UPLOAD(slot, from, bytes)                        \
    do {                                                 \
        const char *message = upload(slot, from, bytes); \
        if (message != NULL) return message;             \
    } while (0)

static const char *open_device(char name[256]) {
    int count = 0;
    TRY(cudaGetDeviceCount(&count));
    if (count == 0) return "no GPU";
    cudaDeviceProp properties;
    TRY(cudaGetDeviceProperties(&properties, 0));
    snprintf(name, 256, "%s", properties.name);
    return properties.major >= 8 ? NULL : "a GPU of compute capability 8.0 or later is needed";
}

static const char *run_exact(int number, size_t count, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                             uint64_t *out) {
    UPLOAD(0, a, count * sizeof *a);
    UPLOAD(1, b, count * sizeof *b);
    UPLOAD(2, c, count * sizeof *c);
    UPLOAD(3, NULL, count * sizeof *out);
    exact_kernel<<<((unsigned)count + 127) / 128, 128>>>(number, (int)count, (const u64 *)buffers[0],
                                                         (const u64 *)buffers[1], (const u64 *)buffers[2],
                                                         (u64 *)buffers[3]);
    TRY(cudaGetLastError());
    return trouble(cudaMemcpy(out, buffers[3], count * sizeof *out, cudaMemcpyDeviceToHost));
}

static const char *run_approximate(int number, size_t count, const uint64_t *a, const uint64_t *b, float *out) {
    UPLOAD(0, a, count * sizeof *a);
    UPLOAD(1, b, count * sizeof *b);
    UPLOAD(3, NULL, count * sizeof *out);
    approximate_kernel<<<((unsigned)count + 127) / 128, 128>>>(number, (int)count, (const u64 *)buffers[0],
                                                               (const u64 *)buffers[1], (float *)buffers[3]);
    TRY(cudaGetLastError());
    return trouble(cudaMemcpy(out, buffers[3], count * sizeof *out, cudaMemcpyDeviceToHost));
}

static const char *run_matrix(int number, size_t warps, const matrix_operands *operands, matrix_result *out) {
    UPLOAD(0, operands, warps * sizeof *operands);
    UPLOAD(3, NULL, warps * sizeof *out);
    matrix_kernel<<<(unsigned)warps, 32>>>(number, (const matrix_operands *)buffers[0], (matrix_result *)buffers[3]);
    TRY(cudaGetLastError());
    return trouble(cudaMemcpy(out, buffers[3], warps * sizeof *out, cudaMemcpyDeviceToHost));
}

static const intrinsics_device device = {open_device, run_exact, run_approximate, run_matrix};
__attribute__((constructor)) static void offer_device(void) { intrinsics_on = &device; }
