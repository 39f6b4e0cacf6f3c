/* D = A B + C on the tensor cores: one matrix multiplication by the 32 lanes of a warp together, under one name on a
   GPU and on the simulated device.

   Every lane brings its fragment of A, B and C in registers and receives its fragment of D. All 32 lanes of the warp
   have to call the function together. It needs compute capability 8.0: say so in the variant's `supports`.

     function                 A          B         C and D      products and sums
     wl_mma_m16n8k32_s8       16x32 s8   32x8 s8   16x8 int     exact; the sum wraps at 32 bits
     wl_mma_m16n8k32_u8       16x32 u8   32x8 u8   16x8 int     exact; the sum wraps at 32 bits
     wl_mma_m16n8k256_b1      16x256 b1  256x8 b1  16x8 int     the number of k with both bits set: popc(row & column); in software
                                                                from compute capability 10.0 on
     wl_mma_m16n8k16_f16      16x16 half 16x8 half 16x8 float   see below
     wl_mma_m16n8k8_tf32      16x8 tf32  8x8 tf32  16x8 float   see below
     wl_mma_m8n8k4_f64        8x4 double 4x8 dbl   8x8 double   fused multiply-adds, k = 0 to 3
     wl_mma_m16n8k8_f64       16x8 dbl   8x8 dbl   16x8 double  the same, k = 0 to 7; twice as fast from compute capability 9.0 on

   Which lane holds what. Lane = 4 group + member: eight groups of four lanes.
   A: a group has a row, or two rows eight apart, and its four members share out the row's columns.
   B: the same with a column of B in place of a row of A.
   C and D: a group has the same rows as in A, and each member two neighbouring columns.
   A 32-bit register packs as many neighbours as fit: PER = 4 of s8 or u8, 32 of b1, 2 of half, 1 of tf32, the first
   in the lowest bits. In all shapes m16n8, K = 8 PER, and A's register r in lane l holds

     row l/4 + 8 (r % 2), columns PER (l%4 + 4 (r/2)) to PER (l%4 + 4 (r/2)) + PER - 1.

   With c = 0 .. 7 for the c-th PER columns of A (or rows of B), and "l r" for lane and register:

     A         c=0   1     2     3     4     5     6     7        D        0     1     2     3  ..  6     7
     row  0    0 0   1 0   2 0   3 0   0 2   1 2   2 2   3 2      row  0   0 0   0 1   1 0   1 1    3 0   3 1
     row  1    4 0   5 0   6 0   7 0   4 2   5 2   6 2   7 2      row  1   4 0   4 1   5 0   5 1    7 0   7 1
     ..                                                           ..
     row  8    0 1   1 1   2 1   3 1   0 3   1 3   2 3   3 3      row  8   0 2   0 3   1 2   1 3    3 2   3 3
     ..                                                           ..
     row 15   28 1  29 1  30 1  31 1  28 3  29 3  30 3  31 3      row 15  28 2  28 3  29 2  29 3   31 2  31 3

     B        c=0   1     2     3     4     5     6     7
     column 0  0 0   1 0   2 0   3 0   0 1   1 1   2 1   3 1
     column 1  4 0   5 0   6 0   7 0   4 1   5 1   6 1   7 1
     ..

   Fragments of A and B from shared memory: wl_mma_load(r, row), all 32 lanes together. Lane l brings the address of 16 bytes; register k of
   lane l becomes the l%4-th word of the l/4-th row, from 8 k on: four matrices of eight rows of 16 bytes each. So A's four
   registers are rows 0-7, rows 8-15, and the same 16 bytes further right, in the order in which the multiplication wants them,
   which loads of two or four words would not bring about.

   The macros below say it for programs. m8n8k4 has one double of A (r = 0), one of B (r = 0) and two of D (r = 0, 1)
   per lane, by the same macros with PER = 1.

   Rounding. Products of halves and of tf32 numbers are exact. How the hardware adds them to the accumulator - in which
   order, with how many bits kept - is not documented and differs between generations; results agree exactly only when
   every partial sum can be represented. The simulator adds C and the products in double, k ascending, and rounds once
   to float. For tf32, the tensor core reads the upper ten of a float's 23 fraction bits and ignores the lower 13, which is
   truncation; the simulator does the same. A kernel that needs the nearest tf32 number has to round first. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

#include "harness/device/mma_m16n8k8.h"

/* Row and first column of A's register r in `lane`; likewise of B's and D's. */
#define WL_MMA_A_ROW(lane, r) ((lane) / 4 + 8 * ((r) % 2))
#define WL_MMA_A_COLUMN(lane, r, per) ((per) * ((lane) % 4 + 4 * ((r) / 2)))
#define WL_MMA_B_ROW(lane, r, per) ((per) * ((lane) % 4 + 4 * (r)))
#define WL_MMA_B_COLUMN(lane) ((lane) / 4)
#define WL_MMA_D_ROW(lane, r) ((lane) / 4 + 8 * ((r) / 2))
#define WL_MMA_D_COLUMN(lane, r) (2 * ((lane) % 4) + (r) % 2)

#ifndef WL_SIMULATED
#define WL_MMA_HERE
#endif

/* `row`: 16 bytes of shared memory, a multiple of 16. */
__device__ static __forceinline__ void wl_mma_load(uint32_t r[4], const void *row WL_MMA_HERE) {
#ifdef WL_SIMULATED
    const uint4 mine = *(const uint4 *)row;
    const wl_sim_mma_quad loaded = wl_sim_mma_load(wl_sim_mma_quad{{mine.x, mine.y, mine.z, mine.w}}, file, line);
    for (int k = 0; k < 4; k++) r[k] = loaded.x[k];
#elif WL_MMA_SUPPORTED
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"((uint32_t)__cvta_generic_to_shared(row))
                     : "memory");
#else
    (void)r, (void)row, __trap();
#endif
}

__device__ static __forceinline__ void wl_mma_m16n8k32_s8(int d[4], const uint32_t a[4], const uint32_t b[2],
                                                          const int c[4] WL_MMA_HERE) {
#ifdef WL_SIMULATED
    wl_sim_mma(d, a, b, c, wl_sim_mma_s8, file, line);
#else
    WL_MMA_PTX("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r");
#endif
}

__device__ static __forceinline__ void wl_mma_m16n8k32_u8(int d[4], const uint32_t a[4], const uint32_t b[2],
                                                          const int c[4] WL_MMA_HERE) {
#ifdef WL_SIMULATED
    wl_sim_mma(d, a, b, c, wl_sim_mma_u8, file, line);
#else
    WL_MMA_PTX("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", "r");
#endif
}

__device__ static __forceinline__ void wl_mma_m16n8k256_b1(int d[4], const uint32_t a[4], const uint32_t b[2],
                                                           const int c[4] WL_MMA_HERE) {
#ifdef WL_SIMULATED
    wl_sim_mma(d, a, b, c, wl_sim_mma_b1, file, line);
#else
    WL_MMA_PTX("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "r");
#endif
}

/* a[r], b[r]: two halves, the one of the smaller k in the low 16 bits (__halves2half2's order). */
__device__ static __forceinline__ void wl_mma_m16n8k16_f16(float d[4], const uint32_t a[4], const uint32_t b[2],
                                                           const float c[4] WL_MMA_HERE) {
#ifdef WL_SIMULATED
    wl_sim_mma(d, a, b, c, wl_sim_mma_f16, file, line);
#else
    WL_MMA_PTX("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f");
#endif
}
