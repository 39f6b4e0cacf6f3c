/* The simulated device's stand-in for the toolkit's <cuda_fp8.h>: the formats e4m3 and e5m2, their conversions and classes. */
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

WL_ANY_CODE

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* Rounded to nearest, ties to even. What is too large becomes the largest number, or NaN (e4m3) or infinity (e5m2). */
static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
    const int bits = kind == __NV_E4M3 ? 3 : 2, lowest = kind == __NV_E4M3 ? -6 : -14;
    const unsigned sign = __builtin_signbit(x) ? 0x80 : 0, largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
    if (x != x) return (__nv_fp8_storage_t)(kind == __NV_E4M3 ? 0x7f : 0x7e | sign);
    const double size = __builtin_fabs(x);
    const double most = kind == __NV_E4M3 ? 448 : 57344, beyond = kind == __NV_E4M3 ? 464 : 61440;
    unsigned result;
    if (size > most && (saturate == __NV_SATFINITE || size < beyond || (kind == __NV_E4M3 && size == beyond)))
        result = largest;
    else if (size > most)
        result = kind == __NV_E4M3 ? 0x7f : 0x7c;
    else if (size == 0)
        result = 0;
    else {
        int exponent = __builtin_ilogb(size);
        if (exponent < lowest) exponent = lowest;
        const double units = __builtin_nearbyint(__builtin_ldexp(size, bits - exponent)); // of the last place
        result = (unsigned)units + ((unsigned)(exponent - lowest) << bits); // a carry goes into the exponent
    }
    return (__nv_fp8_storage_t)(result | sign);
}
static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(x, saturate, kind);
}
static inline float wl_fp8_value(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    const int bits = kind == __NV_E4M3 ? 3 : 2, lowest = kind == __NV_E4M3 ? -6 : -14;
    const int exponent = (x & 0x7f) >> bits, fraction = x & ((1 << bits) - 1);
    float size;
    if (kind == __NV_E4M3 ? (x & 0x7f) == 0x7f : exponent == 31 && fraction != 0)
        return __builtin_nanf("");
    else if (kind == __NV_E5M2 && exponent == 31)
        size = __builtin_inff();
    else if (exponent == 0)
        size = __builtin_ldexpf((float)fraction, lowest - bits);
    else
        size = __builtin_ldexpf((float)(fraction + (1 << bits)), exponent - 1 + lowest - bits);
    return x & 0x80 ? -size : size;
}
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __half(wl_fp8_value(x, kind));
}

#define WL_FP8(name, kind)                                                                                    \
    struct name {                                                                                             \
        __nv_fp8_storage_t __x;                                                                               \
        name() = default;                                                                                     \
        explicit name(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind)) {}                       \
        explicit name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}                     \
        explicit name(int x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}                        \
        explicit name(const __half &x) : __x(__nv_cvt_float_to_fp8((float)x, __NV_SATFINITE, kind)) {}        \
        explicit name(const __nv_bfloat16 &x) : __x(__nv_cvt_float_to_fp8((float)x, __NV_SATFINITE, kind)) {} \
        explicit operator float() const { return wl_fp8_value(__x, kind); }                                   \
        explicit operator double() const { return wl_fp8_value(__x, kind); }                                  \
        explicit operator __half() const { return __half(wl_fp8_value(__x, kind)); }                          \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(wl_fp8_value(__x, kind)); }            \
        explicit operator bool() const { return (__x & 0x7f) != 0; }                                          \
    };
WL_FP8(__nv_fp8_e4m3, __NV_E4M3)
WL_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef WL_FP8

WL_ANY_CODE_END
