/* CUDA's floating-point arithmetic with the rounding mode in the name, correctly rounded (IEEE 754) as on the device.

   The float functions compute in double, where a sum, a product or a residue of floats is either exact or can be
   rounded to odd (see sim_convert.h), and then round once. The double functions exist for rounding to nearest only.
   */
#pragma once

#include "sim_convert.h"

WL_ANY_CODE

/* A host compiler that has a fused multiply-add may contract a * b + c; the functions here promise separate roundings,
   so their results pass through an empty statement that the compiler cannot look through. */
#if defined(__aarch64__)
#define WL_ROUNDED(x) __asm__("" : "+w"(x))
#elif defined(__FMA__)
#define WL_ROUNDED(x) __asm__("" : "+x"(x))
#else
#define WL_ROUNDED(x) ((void)0)
#endif

/* a + b of doubles, rounded to odd. Knuth's two-sum gives what the rounded sum lost; where it lost anything and its
   last bit is even, the neighbour on the side of what was lost is the odd one. Infinities and NaN lose NaN, not
   counted. */
WL_DEVICE_INLINE double wl_odd_sum(double a, double b) {
    double sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
    uint64_t bits = wl_bit_cast<uint64_t>(sum);
    bool even = (bits & 1) == 0, inexact = (lost > 0) | (lost < 0), outward = (lost > 0) == (sum > 0);
    return wl_bit_cast<double>(bits + ((2 * (uint64_t)outward - 1) & wl_mask64(even & inexact)));
}

/* The sum of two doubles that are exact, as a float. An exact sum of zero is +0, or -0 when rounding down, unless both
   operands are zeros of one sign. */
template <wl_rounding MODE> WL_DEVICE_INLINE float wl_float_sum(double a, double b) {
    float sum = wl_to_float<MODE>(wl_odd_sum(a, b));
    if constexpr (MODE == WL_RD) {
        uint64_t both = wl_bit_cast<uint64_t>(a) | wl_bit_cast<uint64_t>(b);
        uint32_t sign = (uint32_t)(both >> 63) << 31;
        sum = wl_bit_cast<float>(wl_bit_cast<uint32_t>(sum) | (sign & wl_mask(a + b == 0)));
    }
    return sum;
}

/* a / b, a and b floats. The nearest float q is off by a residue a - q b, which a double holds exactly: q b has at
   most 48 bits, and the difference no more, since q b is near a. The residue's sign tells on which side of q the
   quotient is. */
template <wl_rounding MODE> WL_DEVICE_INLINE float wl_float_quotient(float a, float b) {
    float q = a / b;
    double residue = (double)a - (double)q * (double)b;
    bool positive = (residue > 0) == (b > 0), inexact = (residue > 0) | (residue < 0);
    bool above = inexact & positive, below = inexact & !positive; // where the quotient lies, seen from q
    // q overflowed: the quotient is finite, and beyond FLT_MAX. (A true infinity comes from a = infinity or b = 0.)
    bool finite = (__builtin_fabsf(a) < __builtin_inff()) & (b != 0);
    bool high = finite & (q == __builtin_inff()), low = finite & (q == -__builtin_inff());
    above = (above & !high) | low;
    below = (below & !low) | high;
    if constexpr (MODE == WL_RU) return wl_step_up(q, above);
    if constexpr (MODE == WL_RD) return -wl_step_up(-q, below);
    if constexpr (MODE == WL_RZ) {
        bool negative = wl_bit_cast<int32_t>(q) < 0, outside = (negative & above) | (!negative & below);
        return wl_bit_cast<float>(wl_bit_cast<uint32_t>(q) - (uint32_t)outside);
    }
    return q;
}

/* The same for a square root s: x - s s. */
template <wl_rounding MODE> WL_DEVICE_INLINE float wl_float_root(float x) {
    float s = __builtin_sqrtf(x);
    double residue = (double)x - (double)s * (double)s;
    uint32_t bits = wl_bit_cast<uint32_t>(s);
    if constexpr (MODE == WL_RU) return wl_bit_cast<float>(bits + (uint32_t)(residue > 0));
    if constexpr (MODE == WL_RD || MODE == WL_RZ) return wl_bit_cast<float>(bits - (uint32_t)(residue < 0));
    return s;
}

// ---------------------------------------------------------------- CUDA's names

#define WL_FLOAT_ARITHMETIC(mode, MODE)                                                                         \
    WL_DEVICE_INLINE float __fadd_##mode(float x, float y) { return wl_float_sum<MODE>(x, y); }                 \
    WL_DEVICE_INLINE float __fsub_##mode(float x, float y) { return wl_float_sum<MODE>(x, -y); }                \
    WL_DEVICE_INLINE float __fmul_##mode(float x, float y) { return wl_to_float<MODE>((double)x * (double)y); } \
    WL_DEVICE_INLINE float __fmaf_##mode(float x, float y, float z) {                                           \
        return wl_float_sum<MODE>((double)x * (double)y, z);                                                    \
    }                                                                                                           \
    WL_DEVICE_INLINE float __fdiv_##mode(float x, float y) { return wl_float_quotient<MODE>(x, y); }            \
    WL_DEVICE_INLINE float __frcp_##mode(float x) { return wl_float_quotient<MODE>(1.0f, x); }                  \
    WL_DEVICE_INLINE float __fsqrt_##mode(float x) { return wl_float_root<MODE>(x); }

WL_FLOAT_ARITHMETIC(rz, WL_RZ)
WL_FLOAT_ARITHMETIC(ru, WL_RU)
WL_FLOAT_ARITHMETIC(rd, WL_RD)

/* To nearest, the host's own operation does it. */
WL_DEVICE_INLINE float __fadd_rn(float x, float y) { return x + y; }
WL_DEVICE_INLINE float __fsub_rn(float x, float y) { return x - y; }
WL_DEVICE_INLINE float __fmul_rn(float x, float y) {
    float product = x * y;
    WL_ROUNDED(product);
    return product;
}
WL_DEVICE_INLINE float __fmaf_rn(float x, float y, float z) { return wl_float_sum<WL_RN>((double)x * (double)y, z); }
WL_DEVICE_INLINE float __fdiv_rn(float x, float y) { return x / y; }
WL_DEVICE_INLINE float __frcp_rn(float x) { return 1.0f / x; }
WL_DEVICE_INLINE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
/* In double, the error is far below the distance of any float's reciprocal root from a rounding boundary. */
WL_DEVICE_INLINE float __frsqrt_rn(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }

WL_DEVICE_INLINE double __dadd_rn(double x, double y) { return x + y; }
WL_DEVICE_INLINE double __dsub_rn(double x, double y) { return x - y; }
WL_DEVICE_INLINE double __dmul_rn(double x, double y) {
    double product = x * y;
    WL_ROUNDED(product);
    return product;
}
WL_DEVICE_INLINE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
WL_DEVICE_INLINE double __ddiv_rn(double x, double y) { return x / y; }
WL_DEVICE_INLINE double __drcp_rn(double x) { return 1.0 / x; }
WL_DEVICE_INLINE double __dsqrt_rn(double x) { return __builtin_sqrt(x); }

WL_ANY_CODE_END
