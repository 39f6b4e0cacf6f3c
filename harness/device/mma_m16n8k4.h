/* Half of wl_mma_m16n8k8_f64: k = 0 to 3, of which lane l has l%4. a is of rows l/4 and l/4 + 8; d and c are laid out as there. */
#pragma once

#include "harness/device/mma_m16n8k8.h"

#ifndef WL_SIMULATED
__device__ static __forceinline__ void wl_mma_m16n8k4_f64(double d[4], const double a[2], double b, const double c[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __asm__ volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%7, %8, %9, %10};"
                     : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(b), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
#else
    double sum[4] = {c[0], c[1], c[2], c[3]};
    for (int i = 0; i < 2; i++) wl_mma_m8n8k4_f64(sum + 2 * i, a[i], b, sum + 2 * i);
    for (int i = 0; i < 4; i++) d[i] = sum[i];
#endif
}
#endif
