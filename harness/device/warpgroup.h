/* D += A B by a warpgroup: four warps in a row, 128 threads whose first is a multiple of 128, multiply together and read A and B from
   shared memory themselves. No fragment passes through registers; only sums are there. Under one name on a GPU and on the simulated
   device. It needs compute capability 9.0 and code compiled for 9.0a, which no other chip runs: say so in the variant's `supports`
   (WL_WARPGROUP_COMPILED).

     wl_warpgroup_bits(d, a, b, step)   A 64 x 256 bits, B 256 x n: the number of k with both bits set
     wl_warpgroup_bytes(d, a, b, step)  A 64 x 32 s8, B 32 x n

   n is 128 or 256: twice the sums that a thread has, 64 or 128 in the array d.

   A is 64 rows of 128 bytes, of which this step multiplies bytes 32 step to 32 step + 31; B the same, n columns of 128 bytes. The
   16-byte piece p of row r is at piece p ^ r % 8 of the row: without this "128-byte swizzle", rows below one another would be in the same
   banks. A and B both begin at a multiple of 1,024 bytes, since the hardware takes r from the address.

   D is 64 x n sums. Sum k of a thread (lane of warp w of the warpgroup) is

     row 16 w + lane / 4 + 8 (k / 2 % 2), column 8 (k / 4) + 2 (lane % 4) + k % 2:

   tiles of 16 x 8 as those of harness/device/mma.h, n / 8 of them side by side.

   It is asynchronous (harness/device/warpgroup_order.h):

     wl_warpgroup_finish(d)    wait for all groups; d may be read */
#pragma once

#include "harness/device/warpgroup_order.h"

enum {
    WL_WARPGROUP_ROWS = 64, // of A
    WL_WARPGROUP_COLUMNS = 128,
    WL_WARPGROUP_SUMS = WL_WARPGROUP_ROWS * WL_WARPGROUP_COLUMNS / WL_WARPGROUP,
    WL_WARPGROUP_STEPS = 4, // of 32 bytes in a row of 128
};

#ifdef WL_SIMULATED
extern "C" {
__device__ void wl_sim_warpgroup(int *d, int columns, const void *a, const void *b, int step, int bytes,
                                 const char *file, int line);
}
#endif

#ifndef WL_SIMULATED
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

template <int SUMS> static __device__ __forceinline__ void wl_warpgroup_finish(int (&d)[SUMS]) {
    wl_warpgroup_wait<0>();
#ifdef WL_SIMULATED
    (void)d;
#else
#pragma unroll
    for (int k = 0; k < SUMS; k++)
        WL_WARPGROUP_PTX("" : "+r"(d[k])::"memory"); // nor does the compiler read them before
#endif
}
