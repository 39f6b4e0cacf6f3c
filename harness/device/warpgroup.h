/* D += A B by a warpgroup: four warps in a row, 128 threads whose first is a multiple of 128, multiply together and read A and B from
   shared memory themselves. No fragment passes through registers; only sums are there. Under one name on a GPU and on the simulated
   device. It needs compute capability 9.0 and code compiled for 9.0a, which no other chip runs: say so in the variant's `supports`
   (WL_WARPGROUP_COMPILED).

     wl_warpgroup_bits(d, a, b, step)   A 64 x 256 bits, B 256 x n: the number of k with both bits set
     wl_warpgroup_bytes(d, a, b, step)  A 64 x 32 s8, B 32 x n
     wl_warpgroup_tf32(d, a, b, offset)  A 64 x 8 tf32, from registers, B 8 x n

   n is twice the sums that a thread has in the array d: 128 or 256, for tf32 24, 32 or 64.

   A is 64 rows of 128 bytes, of which this step multiplies bytes 32 step to 32 step + 31; B the same, n columns of 128 bytes. The
   16-byte piece p of row r is at piece p ^ r % 8 of the row: without this "128-byte swizzle", rows below one another would be in the same
   banks. A and B both begin at a multiple of 1,024 bytes, since the hardware takes r from the address.

   For tf32 a thread has the numbers of A that mma.h draws for m16n8k8, four floats' bits; those of warp w are rows 16 w to 16 w + 15. The
   lower 13 bits are ignored. B is two halves, `apart` bytes apart, k = 0 to 3 and 4 to 7, each [n / 8][8 columns][4 k]. It begins `offset`
   bytes after the first of several such B, b = wl_warpgroup_halves_at(first, apart); all lengths are multiples of 16 bytes. The thread's a
   must not change before the wait.

   D is 64 x n sums. Sum k of a thread (lane of warp w of the warpgroup) is

     row 16 w + lane / 4 + 8 (k / 2 % 2), column 8 (k / 4) + 2 (lane % 4) + k % 2:

   tiles of 16 x 8 as those of harness/device/mma.h, n / 8 of them side by side.

   It is asynchronous:

     wl_warpgroup_publish()    after stores to A or B by threads, before the barrier that the multiplying threads wait at
     wl_warpgroup_begin()      before the first product, and whenever threads have touched d since the last
     wl_warpgroup_commit()     the products since the last commit are a group
     wl_warpgroup_wait<N>()    until all groups but the last N have read A and B, and added
     wl_warpgroup_settle(x)    for products of floats: d and a before wl_warpgroup_begin, and d after the wait; then it may be read
     wl_warpgroup_finish(d)    wait for all groups, and settle d

   A and B have come by bulk copy (harness/device/copy_bulk.h), with the wait for their barrier before wl_warpgroup_begin, or been published.

   The simulated device multiplies as late as allowed, in wl_warpgroup_wait: a kernel that overwrites A or B too early gets poison. What
   the multiplications read from shared memory is not counted. It sees that all 32 lanes of a warp come together with the same
   arguments, and that all four warps come; whether wl_warpgroup_publish or wl_warpgroup_begin is missing, it does not. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

enum {
    WL_WARPGROUP = 128,     // threads
    WL_WARPGROUP_ROWS = 64, // of A
    WL_WARPGROUP_COLUMNS = 128,
    WL_WARPGROUP_SUMS = WL_WARPGROUP_ROWS * WL_WARPGROUP_COLUMNS / WL_WARPGROUP,
    WL_WARPGROUP_STEPS = 4, // of 32 bytes in a row of 128
};

#ifdef WL_SIMULATED
extern "C" {
__device__ void wl_sim_warpgroup(int *d, int columns, const void *a, const void *b, int step, int bytes,
                                 const char *file, int line);
__device__ void wl_sim_warpgroup_tf32(float *d, int columns, const uint32_t *a, const void *b, uint32_t apart,
                                      const char *file, int line);
__device__ void wl_sim_warpgroup_commit(void);
__device__ void wl_sim_warpgroup_wait(unsigned groups);
}
#define WL_WARPGROUP_HERE , const char *file = __builtin_FILE(), int line = __builtin_LINE()
#else
#define WL_WARPGROUP_HERE
#endif

/* In host code: was the device's code compiled for 9.0a? (CMake says so.) */
#if defined(WL_SIMULATED) || defined(WL_HAVE_SM90A)
#define WL_WARPGROUP_COMPILED 1
#else
#define WL_WARPGROUP_COMPILED 0
#endif
/* Elsewhere there are no such instructions: stop the kernel rather than go on with garbage. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WL_WARPGROUP_PTX(...) __asm__ volatile(__VA_ARGS__)
#else
#define WL_WARPGROUP_PTX(...) __trap()
#endif

#ifdef WL_SIMULATED
#define WL_WARPGROUP_SETTLE(kind, d) ((void)(d))
#else
#define WL_WARPGROUP_SETTLE(kind, d) WL_WARPGROUP_PTX("" : kind(d)::"memory")
/* How the tensor cores are told of a matrix in shared memory (PTX manual, "Matrix descriptor"), lengths in units of 16 bytes:
     bits 0-13   where it begins: a step on is 32 bytes on, and swizzled by what the address says
     bits 16-29  from 16 bytes of a row to the next; not used with rows that are swizzled whole, and then 1
     bits 32-45  from eight rows to the next eight: 1,024 bytes
     bits 62-63  which swizzle */
static __device__ __forceinline__ uint64_t wl_warpgroup_matrix(const void *rows, int step) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(rows) + 32 * step;
    const uint64_t eight_rows = 1024 / 16, swizzle_128 = 1;
    return (at & 0x3ffff) / 16 | (uint64_t)1 << 16 | eight_rows << 32 | swizzle_128 << 62;
}

#define WL_SUMS_4(k) "+r"(d[k]), "+r"(d[(k) + 1]), "+r"(d[(k) + 2]), "+r"(d[(k) + 3])
#define WL_SUMS_16(k) WL_SUMS_4(k), WL_SUMS_4((k) + 4), WL_SUMS_4((k) + 8), WL_SUMS_4((k) + 12)
#define WL_SUMS_64(k) WL_SUMS_16(k), WL_SUMS_16((k) + 16), WL_SUMS_16((k) + 32), WL_SUMS_16((k) + 48)
#define WL_NAMES_64                                                                    \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WL_NAMES_128                                                                                    \
    WL_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "              \
                "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, " \
                "%95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, " \
                "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "  \
                "%124, %125, %126, %127"
#define WL_MATRICES "l"(wl_warpgroup_matrix(a, step)), "l"(wl_warpgroup_matrix(b, step))
/* "wgmma.mma_async.sync.aligned.m64n" columns "k" types */
#define WL_WARPGROUP_MULTIPLY(types)                                                                         \
    if constexpr (SUMS == 64)                                                                                \
        WL_WARPGROUP_PTX("wgmma.mma_async.sync.aligned.m64n128k" types " {" WL_NAMES_64 "}, %64, %65, 1;"    \
                         : WL_SUMS_64(0)                                                                     \
                         : WL_MATRICES);                                                                     \
    else                                                                                                     \
        WL_WARPGROUP_PTX("wgmma.mma_async.sync.aligned.m64n256k" types " {" WL_NAMES_128 "}, %128, %129, 1;" \
                         : WL_SUMS_64(0), WL_SUMS_64(64)                                                     \
                         : WL_MATRICES)
#endif

static __device__ __forceinline__ void wl_warpgroup_publish(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("fence.proxy.async;" ::: "memory");
#endif
}

static __device__ __forceinline__ void wl_warpgroup_begin(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

template <int SUMS>
static __device__ __forceinline__ void wl_warpgroup_bits(int (&d)[SUMS], const void *a, const void *b,
                                                         int step WL_WARPGROUP_HERE) {
    static_assert(SUMS == 64 || SUMS == 128, "64 x 128 or 64 x 256 sums of 128 threads");
#ifdef WL_SIMULATED
    wl_sim_warpgroup(d, 2 * SUMS, a, b, step, 0, file, line);
#else
    WL_WARPGROUP_MULTIPLY("256.s32.b1.b1.and.popc");
#endif
}

template <int SUMS>
static __device__ __forceinline__ void wl_warpgroup_bytes(int (&d)[SUMS], const void *a, const void *b,
                                                          int step WL_WARPGROUP_HERE) {
    static_assert(SUMS == 64 || SUMS == 128, "64 x 128 or 64 x 256 sums of 128 threads");
#ifdef WL_SIMULATED
    wl_sim_warpgroup(d, 2 * SUMS, a, b, step, 1, file, line);
#else
    WL_WARPGROUP_MULTIPLY("32.s32.s8.s8");
#endif
}

/* Where matrices in halves begin. */
typedef struct {
#ifdef WL_SIMULATED
    const char *first;
    uint32_t apart;
#else
    uint64_t
        descriptor; // as above; rows are not swizzled: from half to half, and from eight columns to the next eight, 128 bytes
#endif
} wl_warpgroup_halves;
static __device__ __forceinline__ wl_warpgroup_halves wl_warpgroup_halves_at(const void *first, uint32_t apart) {
#ifdef WL_SIMULATED
    return {(const char *)first, apart};
#else
    /* From one lane: so the compiler sees that all lanes have the same, and keeps it in registers that the warp shares. */
    const uint32_t at = __shfl_sync(0xffffffffu, (uint32_t)__cvta_generic_to_shared(first), 0);
    const uint64_t eight_columns = 128 / 16;
    return {(at & 0x3ffff) / 16 | (uint64_t)(apart / 16) << 16 | eight_columns << 32};
#endif
}

#ifndef WL_SIMULATED
#define WL_FLOATS_4(k) "+f"(d[k]), "+f"(d[(k) + 1]), "+f"(d[(k) + 2]), "+f"(d[(k) + 3])
#define WL_FLOATS_12 WL_FLOATS_4(0), WL_FLOATS_4(4), WL_FLOATS_4(8)
#define WL_FLOATS_16 WL_FLOATS_12, WL_FLOATS_4(12)
#define WL_FLOATS_32 WL_FLOATS_16, WL_FLOATS_4(16), WL_FLOATS_4(20), WL_FLOATS_4(24), WL_FLOATS_4(28)
#define WL_NAMES_12 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11"
#define WL_NAMES_16 WL_NAMES_12 ", %12, %13, %14, %15"
#define WL_NAMES_32 WL_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WL_WARPGROUP_TF32(columns, names, operands, sums)                                                  \
    WL_WARPGROUP_PTX("wgmma.mma_async.sync.aligned.m64n" columns "k8.f32.tf32.tf32 {" names "}, " operands \
                     ", 1, 1, 1;"                                                                          \
                     : sums                                                                                \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.descriptor + offset / 16))
#endif

template <int SUMS>
static __device__ __forceinline__ void wl_warpgroup_tf32(float (&d)[SUMS], const uint32_t a[4], wl_warpgroup_halves b,
                                                         uint32_t offset WL_WARPGROUP_HERE) {
    static_assert(SUMS == 12 || SUMS == 16 || SUMS == 32, "64 x 24, 64 x 32 or 64 x 64 sums of 128 threads");
#ifdef WL_SIMULATED
    wl_sim_warpgroup_tf32(d, 2 * SUMS, a, b.first + offset, b.apart, file, line);
#else
    if constexpr (SUMS == 12)
        WL_WARPGROUP_TF32("24", WL_NAMES_12, "{%12, %13, %14, %15}, %16", WL_FLOATS_12);
    else if constexpr (SUMS == 16)
        WL_WARPGROUP_TF32("32", WL_NAMES_16, "{%16, %17, %18, %19}, %20", WL_FLOATS_16);
    else
        WL_WARPGROUP_TF32("64", WL_NAMES_32, "{%32, %33, %34, %35}, %36", WL_FLOATS_32);
#endif
}

static __device__ __forceinline__ void wl_warpgroup_commit(void) {
#ifdef WL_SIMULATED
    wl_sim_warpgroup_commit();
#else
    WL_WARPGROUP_PTX("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

template <int N> static __device__ __forceinline__ void wl_warpgroup_wait(void) {
#ifdef WL_SIMULATED
    wl_sim_warpgroup_wait(N);
#else
    WL_WARPGROUP_PTX("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
#endif
}

/* All threads of a warpgroup: from now on each has REGISTERS registers, a multiple of 8. A block's warpgroups begin with equal shares, and
   first some give back what others then take. */
template <int REGISTERS> static __device__ __forceinline__ void wl_warpgroup_give(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}
template <int REGISTERS> static __device__ __forceinline__ void wl_warpgroup_take(void) {
#ifndef WL_SIMULATED
    WL_WARPGROUP_PTX("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/* Before wl_warpgroup_begin: all of these are in their registers. After wl_warpgroup_wait: nobody has read them before. */
static __device__ __forceinline__ void wl_warpgroup_settle(int &x) { WL_WARPGROUP_SETTLE("+r", x); }
static __device__ __forceinline__ void wl_warpgroup_settle(uint32_t &x) { WL_WARPGROUP_SETTLE("+r", x); }
static __device__ __forceinline__ void wl_warpgroup_settle(float &x) { WL_WARPGROUP_SETTLE("+f", x); }
template <typename T, int COUNT> static __device__ __forceinline__ void wl_warpgroup_settle(T (&x)[COUNT]) {
#pragma unroll
    for (int k = 0; k < COUNT; k++) wl_warpgroup_settle(x[k]);
}

template <int SUMS> static __device__ __forceinline__ void wl_warpgroup_finish(int (&d)[SUMS]) {
    wl_warpgroup_wait<0>();
    wl_warpgroup_settle(d);
}
