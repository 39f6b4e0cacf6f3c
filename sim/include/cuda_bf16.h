/* The simulated device's stand-in for the toolkit's <cuda_bf16.h>: bfloat16, the upper half of a float. */
#pragma once

#ifdef WL_SIMULATED
#include "cuda_runtime.h" // whose atomics and shuffles then know the types below, too
#endif

#include "sim_half_formats.h"
#include "vector_types.h"

WL_ANY_CODE

#define WL_T __nv_bfloat16
#define WL_T2 __nv_bfloat162
#define WL_RAW __nv_bfloat16_raw
#define WL_RAW2 __nv_bfloat162_raw
#define WL_F wl_bfloat16_format
#include "sim_half_type.h"
#include "sim_half_functions.h"
#undef WL_T
#undef WL_T2
#undef WL_RAW
#undef WL_RAW2
#undef WL_F

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// ---------------------------------------------------------------- the same bits, and parts of pairs

WL_DEVICE_INLINE unsigned short __bfloat16_as_ushort(const __nv_bfloat16 a) { return wl_bit_cast<unsigned short>(a); }
WL_DEVICE_INLINE short __bfloat16_as_short(const __nv_bfloat16 a) { return wl_bit_cast<short>(a); }
WL_DEVICE_INLINE __nv_bfloat16 __ushort_as_bfloat16(const unsigned short a) { return wl_bit_cast<__nv_bfloat16>(a); }
WL_DEVICE_INLINE __nv_bfloat16 __short_as_bfloat16(const short a) { return wl_bit_cast<__nv_bfloat16>(a); }

#define WL_BF __nv_bfloat16
#define WL_BF2 __nv_bfloat162
WL_DEVICE_INLINE WL_BF2 make_bfloat162(const WL_BF x, const WL_BF y) { return WL_BF2(x, y); }
WL_DEVICE_INLINE WL_BF2 __halves2bfloat162(const WL_BF a, const WL_BF b) { return WL_BF2(a, b); }
WL_DEVICE_INLINE WL_BF2 __bfloat162bfloat162(const WL_BF a) { return WL_BF2(a, a); }
WL_DEVICE_INLINE WL_BF __low2bfloat16(const WL_BF2 a) { return a.x; }
WL_DEVICE_INLINE WL_BF __high2bfloat16(const WL_BF2 a) { return a.y; }
WL_DEVICE_INLINE WL_BF2 __low2bfloat162(const WL_BF2 a) { return WL_BF2(a.x, a.x); }
WL_DEVICE_INLINE WL_BF2 __high2bfloat162(const WL_BF2 a) { return WL_BF2(a.y, a.y); }
WL_DEVICE_INLINE WL_BF2 __lows2bfloat162(const WL_BF2 a, const WL_BF2 b) { return WL_BF2(a.x, b.x); }
WL_DEVICE_INLINE WL_BF2 __highs2bfloat162(const WL_BF2 a, const WL_BF2 b) { return WL_BF2(a.y, b.y); }

// ---------------------------------------------------------------- conversions

WL_DEVICE_INLINE float __bfloat162float(const WL_BF a) { return wl_half_value(a); }
WL_DEVICE_INLINE float2 __bfloat1622float2(const WL_BF2 a) {
    return make_float2(wl_half_value(a.x), wl_half_value(a.y));
}
WL_DEVICE_INLINE WL_BF __float2bfloat16(const float a) { return WL_BF(a); }
WL_DEVICE_INLINE WL_BF __double2bfloat16(const double a) { return WL_BF(a); }
WL_DEVICE_INLINE WL_BF2 __float2bfloat162_rn(const float a) { return __bfloat162bfloat162(WL_BF(a)); }
WL_DEVICE_INLINE WL_BF2 __floats2bfloat162_rn(const float a, const float b) { return WL_BF2(WL_BF(a), WL_BF(b)); }
WL_DEVICE_INLINE WL_BF2 __float22bfloat162_rn(const float2 a) { return WL_BF2(WL_BF(a.x), WL_BF(a.y)); }

#define WL_BFLOAT16_CONVERSIONS(mode, MODE)                                                                    \
    WL_DEVICE_INLINE WL_BF __float2bfloat16_##mode(const float a) {                                            \
        return __ushort_as_bfloat16((unsigned short)wl_float_to_bfloat16<MODE>(a));                            \
    }                                                                                                          \
    WL_DEVICE_INLINE WL_BF __int2bfloat16_##mode(const int i) {                                                \
        return __ushort_as_bfloat16((unsigned short)wl_float_to_bfloat16<MODE>(wl_to_odd_float(i)));           \
    }                                                                                                          \
    WL_DEVICE_INLINE WL_BF __uint2bfloat16_##mode(const unsigned int i) {                                      \
        return __ushort_as_bfloat16((unsigned short)wl_float_to_bfloat16<MODE>(wl_to_odd_float(i)));           \
    }                                                                                                          \
    WL_DEVICE_INLINE int __bfloat162int_##mode(const WL_BF h) { return WL_TO_INT(MODE, wl_half_value(h), 0); } \
    WL_DEVICE_INLINE unsigned int __bfloat162uint_##mode(const WL_BF h) {                                      \
        return WL_TO_UINT(MODE, wl_half_value(h), 0u);                                                         \
    }
WL_BFLOAT16_CONVERSIONS(rn, WL_RN)
WL_BFLOAT16_CONVERSIONS(rz, WL_RZ)
WL_BFLOAT16_CONVERSIONS(ru, WL_RU)
WL_BFLOAT16_CONVERSIONS(rd, WL_RD)
#undef WL_BFLOAT16_CONVERSIONS
#undef WL_BF
#undef WL_BF2

WL_ANY_CODE_END
