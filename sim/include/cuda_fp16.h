/* The simulated device's stand-in for the toolkit's <cuda_fp16.h>: half precision. */
#pragma once

#ifdef WL_SIMULATED
#include "cuda_runtime.h" // whose atomics and shuffles then know the types below, too
#endif

#include "sim_half_formats.h"
#include "vector_types.h"

WL_ANY_CODE

#define WL_T __half
#define WL_T2 __half2
#define WL_RAW __half_raw
#define WL_RAW2 __half2_raw
#define WL_F wl_half_format
#include "sim_half_type.h"
#include "sim_half_functions.h"
#undef WL_T
#undef WL_T2
#undef WL_RAW
#undef WL_RAW2
#undef WL_F

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

// ---------------------------------------------------------------- conversions

WL_HALF_NAMED(half, __half, __half2)
WL_DEVICE_INLINE signed char __half2char_rz(const __half a) { return (signed char)a; }
WL_DEVICE_INLINE unsigned char __half2uchar_rz(const __half a) { return (unsigned char)a; }

template <wl_rounding MODE> WL_DEVICE_INLINE __half wl_double_to_half(double x) {
    return __ushort_as_half((unsigned short)wl_float_to_half<MODE>(wl_to_odd_float(x)));
}
#define WL_HALF_CONVERSIONS(mode, MODE)                                                                         \
    WL_DEVICE_INLINE __half __float2half_##mode(const float a) {                                                \
        return __ushort_as_half((unsigned short)wl_float_to_half<MODE>(a));                                     \
    }                                                                                                           \
    WL_DEVICE_INLINE __half __short2half_##mode(const short i) { return wl_double_to_half<MODE>(i); }           \
    WL_DEVICE_INLINE __half __ushort2half_##mode(const unsigned short i) { return wl_double_to_half<MODE>(i); } \
    WL_DEVICE_INLINE __half __int2half_##mode(const int i) { return wl_double_to_half<MODE>(i); }               \
    WL_DEVICE_INLINE __half __uint2half_##mode(const unsigned int i) { return wl_double_to_half<MODE>(i); }     \
    WL_DEVICE_INLINE __half __ll2half_##mode(const long long i) {                                               \
        return wl_double_to_half<MODE>(wl_signed_to_odd_double(i));                                             \
    }                                                                                                           \
    WL_DEVICE_INLINE __half __ull2half_##mode(const unsigned long long i) {                                     \
        return wl_double_to_half<MODE>(wl_to_odd_double(i));                                                    \
    }                                                                                                           \
    WL_DEVICE_INLINE short __half2short_##mode(const __half h) {                                                \
        return wl_to_integer<short, MODE>(wl_half_value(h), INT16_MIN, INT16_MAX, 0x1p15, 0);                   \
    }                                                                                                           \
    WL_DEVICE_INLINE unsigned short __half2ushort_##mode(const __half h) {                                      \
        return wl_to_integer<unsigned short, MODE>(wl_half_value(h), 0, UINT16_MAX, 0x1p16, 0);                 \
    }                                                                                                           \
    WL_DEVICE_INLINE int __half2int_##mode(const __half h) { return WL_TO_INT(MODE, wl_half_value(h), 0); }     \
    WL_DEVICE_INLINE unsigned int __half2uint_##mode(const __half h) {                                          \
        return WL_TO_UINT(MODE, wl_half_value(h), 0u);                                                          \
    }                                                                                                           \
    WL_DEVICE_INLINE long long __half2ll_##mode(const __half h) { return WL_TO_LL(MODE, wl_half_value(h)); }    \
    WL_DEVICE_INLINE unsigned long long __half2ull_##mode(const __half h) { return WL_TO_ULL(MODE, wl_half_value(h)); }
WL_HALF_CONVERSIONS(rn, WL_RN)
WL_HALF_CONVERSIONS(rz, WL_RZ)
WL_HALF_CONVERSIONS(ru, WL_RU)
WL_HALF_CONVERSIONS(rd, WL_RD)
#undef WL_HALF_CONVERSIONS

WL_ANY_CODE_END
