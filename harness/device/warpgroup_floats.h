/* D += A B by a warpgroup, in floats of 11 bits: A 64 x 8, from registers, B 8 x n, from shared memory, n = 24, 32 or 64.

     wl_warpgroup_tf32(d, a, b, offset)   a product
     wl_warpgroup_settle(x)               d and a before wl_warpgroup_begin: in their registers; d after the wait: now it may be read

   A thread has the numbers of A that harness/device/mma.h draws for m16n8k8, four floats' bits; those of warp w are rows 16 w to 16 w + 15.
   The lower 13 bits are ignored. B is two halves, `apart` bytes apart, k = 0 to 3 and 4 to 7, each [n / 8][8 columns][4 k]. It begins `offset`
   bytes after the first of several such B, b = wl_warpgroup_halves_at(first, apart); all lengths are multiples of 16 bytes. D is as in
   harness/device/warpgroup.h, n / 2 sums a thread. Before the wait, a must not change. */
#pragma once

#include "harness/device/warpgroup_order.h"

#ifdef WL_SIMULATED
extern "C" __device__ void wl_sim_warpgroup_tf32(float *d, int columns, const uint32_t *a, const void *b,
                                                 uint32_t apart, const char *file, int line);
#define WL_WARPGROUP_SETTLE(kind, d) ((void)(d))
#else
#define WL_WARPGROUP_SETTLE(kind, d) WL_WARPGROUP_PTX("" : kind(d)::"memory")
#endif

/* Where matrices in halves begin. */
typedef struct {
#ifdef WL_SIMULATED
    const char *first;
    uint32_t apart;
#else
    uint64_t descriptor; // as in warpgroup.h, not swizzled: from half to half, and 128 bytes to the next eight columns
#endif
} wl_warpgroup_halves;
static __device__ __forceinline__ wl_warpgroup_halves wl_warpgroup_halves_at(const void *first, uint32_t apart) {
#ifdef WL_SIMULATED
    return {(const char *)first, apart};
#else
    /* From one lane: so the compiler sees that all lanes have the same, and keeps it in registers that the warp shares. */
    const uint32_t at = __shfl_sync(0xffffffffu, (uint32_t)__cvta_generic_to_shared(first), 0);
    return {(at & 0x3ffff) / 16 | (uint64_t)(apart / 16) << 16 | (uint64_t)(128 / 16) << 32};
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

static __device__ __forceinline__ void wl_warpgroup_settle(uint32_t &x) { WL_WARPGROUP_SETTLE("+r", x); }
static __device__ __forceinline__ void wl_warpgroup_settle(float &x) { WL_WARPGROUP_SETTLE("+f", x); }
template <typename T, int COUNT> static __device__ __forceinline__ void wl_warpgroup_settle(T (&x)[COUNT]) {
#pragma unroll
    for (int k = 0; k < COUNT; k++) wl_warpgroup_settle(x[k]);
}
