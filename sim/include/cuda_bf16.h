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

// ---------------------------------------------------------------- conversions

WL_HALF_NAMED(bfloat16, __nv_bfloat16, __nv_bfloat162)

#define WL_BFLOAT16_CONVERSIONS(mode, MODE)                                                                            \
    WL_DEVICE_INLINE __nv_bfloat16 __float2bfloat16_##mode(const float a) {                                            \
        return __ushort_as_bfloat16((unsigned short)wl_float_to_bfloat16<MODE>(a));                                    \
    }                                                                                                                  \
    WL_DEVICE_INLINE __nv_bfloat16 __int2bfloat16_##mode(const int i) {                                                \
        return __ushort_as_bfloat16((unsigned short)wl_float_to_bfloat16<MODE>(wl_to_odd_float(i)));                   \
    }                                                                                                                  \
    WL_DEVICE_INLINE __nv_bfloat16 __uint2bfloat16_##mode(const unsigned int i) {                                      \
        return __ushort_as_bfloat16((unsigned short)wl_float_to_bfloat16<MODE>(wl_to_odd_float(i)));                   \
    }                                                                                                                  \
    WL_DEVICE_INLINE int __bfloat162int_##mode(const __nv_bfloat16 h) { return WL_TO_INT(MODE, wl_half_value(h), 0); } \
    WL_DEVICE_INLINE unsigned int __bfloat162uint_##mode(const __nv_bfloat16 h) {                                      \
        return WL_TO_UINT(MODE, wl_half_value(h), 0u);                                                                 \
    }
WL_BFLOAT16_CONVERSIONS(rn, WL_RN)
WL_BFLOAT16_CONVERSIONS(rz, WL_RZ)
WL_BFLOAT16_CONVERSIONS(ru, WL_RU)
WL_BFLOAT16_CONVERSIONS(rd, WL_RD)
#undef WL_BFLOAT16_CONVERSIONS

WL_ANY_CODE_END
