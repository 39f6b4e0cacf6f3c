/* CUDA's bit casts, and its conversions between floating point and integers with the rounding mode in the name:
   _rn to nearest, ties to even; _rz towards zero; _ru up; _rd down.

   A floating-point number outside an integer's range becomes the range's end. A NaN becomes 0; but from a double, or to
   64 bits, it becomes the integer with only the highest bit set. (PTX ISA, cvt.) */
#pragma once

#include "sim_bits.h"

WL_DEVICE_CODE

typedef enum { WL_RN, WL_RZ, WL_RU, WL_RD } wl_rounding;

// ---------------------------------------------------------------- the same bits

WL_DEVICE_INLINE int __float_as_int(float x) { return wl_bit_cast<int>(x); }
WL_DEVICE_INLINE unsigned int __float_as_uint(float x) { return wl_bit_cast<unsigned int>(x); }
WL_DEVICE_INLINE float __int_as_float(int x) { return wl_bit_cast<float>(x); }
WL_DEVICE_INLINE float __uint_as_float(unsigned int x) { return wl_bit_cast<float>(x); }
WL_DEVICE_INLINE long long __double_as_longlong(double x) { return wl_bit_cast<long long>(x); }
WL_DEVICE_INLINE double __longlong_as_double(long long x) { return wl_bit_cast<double>(x); }
WL_DEVICE_INLINE int __double2hiint(double x) { return (int)(wl_bit_cast<uint64_t>(x) >> 32); }
WL_DEVICE_INLINE int __double2loint(double x) { return (int)wl_bit_cast<uint64_t>(x); }
WL_DEVICE_INLINE double __hiloint2double(int hi, int lo) {
    return wl_bit_cast<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo);
}

WL_DEVICE_CODE_END

// ---------------------------------------------------------------- from one float to its neighbour

WL_ANY_CODE

/* The next float up. The bits of a positive float grow with its value, those of a negative one with its magnitude;
   FLT_MAX's bits plus 1 are infinity's. The next float down is -wl_step_up(-x). Not for -0, where bits wrap. */
WL_DEVICE_INLINE float wl_step_up(float x, bool step) {
    uint32_t bits = wl_bit_cast<uint32_t>(x), negative = bits >> 31;
    return wl_bit_cast<float>(bits + ((1 - 2 * negative) & wl_mask(step)));
}

/* A double as float, rounded once in any mode: rounded to nearest, compared with the double, and moved by one step
   where it lies on the wrong side. */
template <wl_rounding MODE> WL_DEVICE_INLINE float wl_to_float(double x) {
    float nearest = (float)x;
    double back = nearest;
    if constexpr (MODE == WL_RU) return wl_step_up(nearest, back < x);
    if constexpr (MODE == WL_RD) return -wl_step_up(-nearest, back > x);
    if constexpr (MODE == WL_RZ) {
        bool away = __builtin_fabs(back) > __builtin_fabs(x);
        return wl_bit_cast<float>(wl_bit_cast<uint32_t>(nearest) - (uint32_t)away);
    }
    return nearest;
}

/* A double as float, rounded to odd: towards zero, the last bit set where anything was lost. What is then rounded to
   two bits less, or fewer still, in any mode, comes out as if it had been rounded only once (Boldo and Melquiond
   2008). */
WL_DEVICE_INLINE float wl_to_odd_float(double x) {
    float towards_zero = wl_to_float<WL_RZ>(x);
    bool lost = ((double)towards_zero != x) & (x == x);
    return wl_bit_cast<float>(wl_bit_cast<uint32_t>(towards_zero) | (uint32_t)lost);
}

WL_ANY_CODE_END

// ---------------------------------------------------------------- floating point to integer

WL_DEVICE_CODE

template <wl_rounding MODE> WL_DEVICE_INLINE double wl_to_whole(double x) {
    if constexpr (MODE == WL_RN) return __builtin_rint(x);
    if constexpr (MODE == WL_RZ) return __builtin_trunc(x);
    if constexpr (MODE == WL_RU) return __builtin_ceil(x);
    return __builtin_floor(x);
}

/* `x`, rounded, as a T in [low, high]; `beyond` is high + 1, which unlike high every double can hold. Only a value in
   range is converted: C leaves the others undefined. */
template <typename T, wl_rounding MODE>
WL_DEVICE_INLINE T wl_to_integer(double x, T low, T high, double beyond, T not_a_number) {
    double whole = wl_to_whole<MODE>(x);
    bool below = whole < (double)low, above = whole >= beyond, nan = x != x;
    double safe = wl_bit_cast<double>(wl_bit_cast<uint64_t>(whole) & ~wl_mask64(below | above | nan));
    uint64_t result = (uint64_t)(T)safe | ((uint64_t)low & wl_mask64(below)) | ((uint64_t)high & wl_mask64(above)) |
                      ((uint64_t)not_a_number & wl_mask64(nan));
    return (T)result;
}
#define WL_TO_INT(MODE, x, nan) wl_to_integer<int, MODE>(x, INT32_MIN, INT32_MAX, 0x1p31, nan)
#define WL_TO_UINT(MODE, x, nan) wl_to_integer<unsigned int, MODE>(x, 0, UINT32_MAX, 0x1p32, nan)
#define WL_TO_LL(MODE, x) wl_to_integer<long long, MODE>(x, INT64_MIN, INT64_MAX, 0x1p63, INT64_MIN)
#define WL_TO_ULL(MODE, x) wl_to_integer<unsigned long long, MODE>(x, 0, UINT64_MAX, 0x1p64, 1ull << 63)

// ---------------------------------------------------------------- integer to floating point

/* A 64-bit magnitude as a double, rounded to odd: of the bits that 53 cannot hold, the last kept bit tells whether any
   was set. Below 2^53 nothing is lost. */
WL_DEVICE_INLINE double wl_to_odd_double(uint64_t magnitude) {
    uint64_t lost = magnitude & 0x7ff, kept = (magnitude ^ lost) | (uint64_t)(lost != 0) << 11;
    return (double)wl_choose64(magnitude >> 53 != 0, kept, magnitude);
}
WL_DEVICE_INLINE double wl_signed_to_odd_double(int64_t x) {
    uint64_t negative = wl_mask64(x < 0);
    double odd = wl_to_odd_double(((uint64_t)x ^ negative) - negative);
    return wl_bit_cast<double>(wl_bit_cast<uint64_t>(odd) | (negative & 1ull << 63));
}
template <wl_rounding MODE> WL_DEVICE_INLINE float wl_integer_to_float(long long x) {
    return wl_to_float<MODE>(wl_signed_to_odd_double(x));
}
template <wl_rounding MODE> WL_DEVICE_INLINE float wl_integer_to_float(unsigned long long x) {
    return wl_to_float<MODE>(wl_to_odd_double(x));
}
/* high * 2^32 + low as a double: the sum of two exact doubles, and how much its rounding lost, moved where that lies on
   the wrong side. The sum is never negative zero and never beyond the largest double. */
template <wl_rounding MODE> WL_DEVICE_INLINE double wl_pair_to_double(double high, double low) {
    double sum = high + low, lost = low - (sum - high); // exact: |high| >= |low| or high = 0 (Dekker 1971)
    if constexpr (MODE == WL_RN) return sum;
    uint64_t bits = wl_bit_cast<uint64_t>(sum), away = 1 - 2 * (bits >> 63); // +1 or -1: a step up, in bits
    bool up = lost > 0, down = lost < 0;
    if constexpr (MODE == WL_RU) return wl_bit_cast<double>(bits + (away & wl_mask64(up)));
    if constexpr (MODE == WL_RD) return wl_bit_cast<double>(bits - (away & wl_mask64(down)));
    return wl_bit_cast<double>(bits - (uint64_t)(((sum > 0) & down) | ((sum < 0) & up)));
}
template <wl_rounding MODE> WL_DEVICE_INLINE double wl_integer_to_double(long long x) {
    return wl_pair_to_double<MODE>((double)(int32_t)(x >> 32) * 0x1p32, (double)(uint32_t)x);
}
template <wl_rounding MODE> WL_DEVICE_INLINE double wl_integer_to_double(unsigned long long x) {
    return wl_pair_to_double<MODE>((double)(uint32_t)(x >> 32) * 0x1p32, (double)(uint32_t)x);
}

// ---------------------------------------------------------------- CUDA's names

#define WL_CONVERSIONS(mode, MODE)                                                                           \
    WL_DEVICE_INLINE int __float2int_##mode(float x) { return WL_TO_INT(MODE, x, 0); }                       \
    WL_DEVICE_INLINE unsigned int __float2uint_##mode(float x) { return WL_TO_UINT(MODE, x, 0u); }           \
    WL_DEVICE_INLINE long long __float2ll_##mode(float x) { return WL_TO_LL(MODE, x); }                      \
    WL_DEVICE_INLINE unsigned long long __float2ull_##mode(float x) { return WL_TO_ULL(MODE, x); }           \
    WL_DEVICE_INLINE int __double2int_##mode(double x) { return WL_TO_INT(MODE, x, INT32_MIN); }             \
    WL_DEVICE_INLINE unsigned int __double2uint_##mode(double x) { return WL_TO_UINT(MODE, x, 1u << 31); }   \
    WL_DEVICE_INLINE long long __double2ll_##mode(double x) { return WL_TO_LL(MODE, x); }                    \
    WL_DEVICE_INLINE unsigned long long __double2ull_##mode(double x) { return WL_TO_ULL(MODE, x); }         \
    WL_DEVICE_INLINE float __double2float_##mode(double x) { return wl_to_float<MODE>(x); }                  \
    WL_DEVICE_INLINE float __int2float_##mode(int x) { return wl_to_float<MODE>((double)x); }                \
    WL_DEVICE_INLINE float __uint2float_##mode(unsigned int x) { return wl_to_float<MODE>((double)x); }      \
    WL_DEVICE_INLINE float __ll2float_##mode(long long x) { return wl_integer_to_float<MODE>(x); }           \
    WL_DEVICE_INLINE float __ull2float_##mode(unsigned long long x) { return wl_integer_to_float<MODE>(x); } \
    WL_DEVICE_INLINE double __ll2double_##mode(long long x) { return wl_integer_to_double<MODE>(x); }        \
    WL_DEVICE_INLINE double __ull2double_##mode(unsigned long long x) { return wl_integer_to_double<MODE>(x); }

WL_CONVERSIONS(rn, WL_RN)
WL_CONVERSIONS(rz, WL_RZ)
WL_CONVERSIONS(ru, WL_RU)
WL_CONVERSIONS(rd, WL_RD)

WL_DEVICE_INLINE double __int2double_rn(int x) { return x; }
WL_DEVICE_INLINE double __uint2double_rn(unsigned int x) { return x; }

WL_DEVICE_CODE_END
