/* D = A B + C on the tensor cores, in doubles and in tf32: which lane holds what, and how sums are rounded, says harness/device/mma.h, which
   has the other types. It needs compute capability 8.0. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

/* Before compute capability 8.0 there are no such instructions: stop the kernel rather than go on with garbage. */
#if defined(WL_SIMULATED) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WL_MMA_SUPPORTED 1
#else
#define WL_MMA_SUPPORTED 0
#endif

/* `d` may be `c`. On the GPU: the PTX instruction on 4 + 2 + 4 registers of kind `reg` ("r" 32-bit, "f" float). */
#if WL_MMA_SUPPORTED
#define WL_MMA_PTX(instruction, reg)                                                                           \
    __asm__ volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"        \
                     : "=" reg(d[0]), "=" reg(d[1]), "=" reg(d[2]), "=" reg(d[3])                              \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), reg(c[0]), reg(c[1]), \
                       reg(c[2]), reg(c[3]))
#else
#define WL_MMA_PTX(instruction, reg) ((void)a, (void)b, (void)c, (void)d, __trap())
#endif

#ifdef WL_SIMULATED
#include <sim_mma.h>
#else
/* a[r], b[r]: the bits of a float (__float_as_uint). */
__device__ static __forceinline__ void wl_mma_m16n8k8_tf32(float d[4], const uint32_t a[4], const uint32_t b[2],
                                                           const float c[4]) {
    WL_MMA_PTX("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f");
}

__device__ static __forceinline__ void wl_mma_m8n8k4_f64(double d[2], double a, double b, const double c[2]) {
#if WL_MMA_SUPPORTED
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                     : "=d"(d[0]), "=d"(d[1])
                     : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
#else
    (void)a, (void)b, (void)c, (void)d, __trap();
#endif
}

/* Laid out as m16n8k8 of tf32. Before compute capability 9.0 it is four of the smaller ones. */
__device__ static __forceinline__ void wl_mma_m16n8k8_f64(double d[4], const double a[4], const double b[2],
                                                          const double c[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%10, %11, %12, %13};"
                     : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]), "d"(c[1]),
                       "d"(c[2]), "d"(c[3]));
#else
    double sum[4] = {c[0], c[1], c[2], c[3]};
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 2; i++) wl_mma_m8n8k4_f64(sum + 2 * i, a[i + 2 * half], b[half], sum + 2 * i);
    for (int i = 0; i < 4; i++) d[i] = sum[i];
#endif
}
#endif
