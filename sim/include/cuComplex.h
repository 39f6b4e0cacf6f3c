/* Complex numbers as pairs, and their arithmetic (CUDA's cuComplex.h). */
#pragma once

#include <math.h>

#include "cuda_runtime.h"

WL_ANY_CODE

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WL_COMPLEX(real, type, letter, suffix)                                                                      \
    static __host__ __device__ inline real cuCreal##suffix(type x) { return x.x; }                                  \
    static __host__ __device__ inline real cuCimag##suffix(type x) { return x.y; }                                  \
    static __host__ __device__ inline type make_cu##letter##Complex(real r, real i) { return {r, i}; }              \
    static __host__ __device__ inline type cuConj##suffix(type x) { return {x.x, -x.y}; }                           \
    static __host__ __device__ inline type cuCadd##suffix(type a, type b) { return {a.x + b.x, a.y + b.y}; }        \
    static __host__ __device__ inline type cuCsub##suffix(type a, type b) { return {a.x - b.x, a.y - b.y}; }        \
    static __host__ __device__ inline type cuCmul##suffix(type a, type b) {                                         \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                      \
    }                                                                                                               \
    static __host__ __device__ inline type cuCdiv##suffix(type a, type b) { /* scaled, so that nothing overflows */ \
        const real scale = 1 / (fabs(b.x) + fabs(b.y)), ar = a.x * scale, ai = a.y * scale, br = b.x * scale,       \
                   bi = b.y * scale, s = 1 / (br * br + bi * bi);                                                   \
        return {(ar * br + ai * bi) * s, (ai * br - ar * bi) * s};                                                  \
    }                                                                                                               \
    static __host__ __device__ inline real cuCabs##suffix(type x) { return hypot(x.x, x.y); }                       \
    static __host__ __device__ inline type cuCfma##suffix(type a, type b, type c) {                                 \
        return {a.x * b.x + (c.x - a.y * b.y), a.x * b.y + (c.y + a.y * b.x)};                                      \
    }
WL_COMPLEX(float, cuFloatComplex, Float, f)
WL_COMPLEX(double, cuDoubleComplex, Double, )
#undef WL_COMPLEX

static __host__ __device__ inline cuComplex make_cuComplex(float r, float i) { return {r, i}; }
static __host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return {c.x, c.y}; }
static __host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
    return {(float)c.x, (float)c.y};
}

WL_ANY_CODE_END
