/* The two floating-point formats of 16 bits, as bits in the low half of a word:

     half       1 sign, 5 exponent, 10 fraction bits: 2^-24 is the smallest, 65504 the largest
     bfloat16   1 sign, 8 exponent,  7 fraction bits: the upper half of a float

   and the operations on them, each rounded once. A result that is NaN is always 0x7fff, as the device's is.

   Sums are formed in float and rounded again. That is one rounding too many in general, but harmless here. Let
   s = a + b exactly, p <= 11 the format's significant bits, 2^E <= |s| < 2^(E+1), |a| >= |b|. The second rounding can
   only go wrong if float(s) is a midpoint m between two neighbours of the format while s itself is not:
   0 < |s - m| <= 2^(E-24). Now a is a multiple of 2^(E-p), since |a| >= 2^(E-1); so is m. If a = m, m is in the format
   and no midpoint. Else |m - a| >= 2^(E-p), so |b| = |s - a| > 2^(E-p-1), and b is a multiple of 2^(E-2p). Then
   s - m = b - (m - a) is one as well, and |s - m| >= 2^(E-2p) >= 2^(E-22): a contradiction. (A subnormal s is a
   multiple of the smallest number; nothing is rounded at all.) */
#pragma once

#include "sim_convert.h"
#include "sim_float.h"

WL_ANY_CODE

/* half to float, exact. Shifted into place, the exponent is 112 too small; 31 (infinity, NaN) has to become 255. A
   subnormal half m 2^-24 is first read as (1 + m / 1024) 2^-14, and the 2^-14 taken away again. */
WL_DEVICE_INLINE float wl_half_to_float(uint32_t half) {
    uint32_t magnitude = (half & 0x7fff) << 13;
    bool subnormal = magnitude < 1u << 23, special = magnitude >= 31u << 23;
    uint32_t bits = magnitude + (112u << 23) + (wl_mask(subnormal) & 1u << 23) + (wl_mask(special) & 112u << 23);
    float value = wl_bit_cast<float>(bits) - wl_bit_cast<float>(wl_mask(subnormal) & 113u << 23);
    return wl_bit_cast<float>(wl_bit_cast<uint32_t>(value) | (half & 0x8000) << 16);
}

/* float to half. Above 2^-14, the fraction loses 13 bits and the exponent 112; rounding may carry into it. Below, the
   half counts in units of 2^-24. */
template <wl_rounding MODE> WL_DEVICE_INLINE uint32_t wl_float_to_half(float x) {
    uint32_t bits = wl_bit_cast<uint32_t>(x), sign = bits >> 16 & 0x8000, u = bits & 0x7fffffff;
    bool small = u<113u << 23, large = u >= 143u << 23, nan = u> 0x7f800000;
    float magnitude = wl_bit_cast<float>(u & wl_mask(small));
    uint32_t normal, subnormal, largest;
    if constexpr (MODE == WL_RN) {
        normal = (u - (112u << 23) + 0xfff + (u >> 13 & 1)) >> 13; // up when above the middle, or there and odd
        // Floats near 0.5 lie 2^-24 apart: this addition rounds to the half's unit.
        subnormal = wl_bit_cast<uint32_t>(magnitude + 0.5f) - wl_bit_cast<uint32_t>(0.5f);
        largest = 0x7c00;
    } else {
        float units = magnitude * 0x1p24f;
        uint32_t whole = (uint32_t)units;
        bool up = MODE == WL_RU ? sign == 0 : MODE == WL_RD ? sign != 0 : false;
        normal = ((u - (112u << 23)) >> 13) + (uint32_t)(((u & 0x1fff) != 0) & up);
        subnormal = whole + (uint32_t)(((float)whole != units) & up);
        largest = 0x7bff + (uint32_t)(up | (u == 0x7f800000));
    }
    return wl_choose(nan, 0x7fff, sign | wl_choose(large, largest, wl_choose(small, subnormal, normal)));
}

WL_DEVICE_INLINE float wl_bfloat16_to_float(uint32_t bfloat16) { return wl_bit_cast<float>(bfloat16 << 16); }
template <wl_rounding MODE> WL_DEVICE_INLINE uint32_t wl_float_to_bfloat16(float x) {
    uint32_t bits = wl_bit_cast<uint32_t>(x);
    bool up = MODE == WL_RU ? bits >> 31 == 0 : bits >> 31 != 0;
    uint32_t rounded = bits >> 16; // towards zero
    if constexpr (MODE == WL_RN) rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    if constexpr (MODE == WL_RU || MODE == WL_RD) rounded += (uint32_t)(((bits & 0xffff) != 0) & up);
    return wl_choose((bits & 0x7fffffff) > 0x7f800000, 0x7fff, rounded);
}

// ---------------------------------------------------------------- operations, for either format

struct wl_half_format {
    static constexpr uint32_t ONE = 0x3c00, INFINITE = 0x7c00;
    WL_DEVICE_INLINE float value(uint32_t bits) { return wl_half_to_float(bits); }
    template <wl_rounding MODE = WL_RN> WL_DEVICE_INLINE uint32_t round(float x) { return wl_float_to_half<MODE>(x); }
    /* 11 x 11 bits fit into a float's 24, and 2^-48 is no subnormal float: exact. */
    WL_DEVICE_INLINE uint32_t product(uint32_t a, uint32_t b) { return round(value(a) * value(b)); }
    /* A quotient that is no midpoint m of the format lies at least 2^-23 m from it, since a - m b is a multiple of
       2^-23 m b; the float's rounding moves it by at most 2^-24. */
    WL_DEVICE_INLINE uint32_t quotient(uint32_t a, uint32_t b) { return round(value(a) / value(b)); }
};

struct wl_bfloat16_format {
    static constexpr uint32_t ONE = 0x3f80, INFINITE = 0x7f80;
    WL_DEVICE_INLINE float value(uint32_t bits) { return wl_bfloat16_to_float(bits); }
    template <wl_rounding MODE = WL_RN> WL_DEVICE_INLINE uint32_t round(float x) {
        return wl_float_to_bfloat16<MODE>(x);
    }
    /* In double, because a float's exponent may be too small for the product. */
    WL_DEVICE_INLINE uint32_t product(uint32_t a, uint32_t b) {
        return round(wl_to_odd_float((double)value(a) * (double)value(b)));
    }
    WL_DEVICE_INLINE uint32_t quotient(uint32_t a, uint32_t b) {
        return round(wl_to_odd_float((double)value(a) / (double)value(b)));
    }
};

template <typename F> WL_DEVICE_INLINE bool wl_half_nan(uint32_t a) { return (a & 0x7fff) > F::INFINITE; }

template <typename F> WL_DEVICE_INLINE uint32_t wl_half_sum(uint32_t a, uint32_t b) {
    return F::round(F::value(a) + F::value(b));
}
/* a b is exact in double; the sum is rounded to odd twice, which leaves the last rounding right. */
template <typename F> WL_DEVICE_INLINE uint32_t wl_half_fma(uint32_t a, uint32_t b, uint32_t c) {
    return F::round(wl_to_odd_float(wl_odd_sum((double)F::value(a) * (double)F::value(b), F::value(c))));
}
/* Clamped to [+0, 1]; NaN becomes +0. */
template <typename F> WL_DEVICE_INLINE uint32_t wl_half_saturate(uint32_t a) {
    return wl_choose((a > F::ONE) & (a <= F::INFINITE), F::ONE, wl_choose(a > F::INFINITE, 0, a));
}
/* What is negative becomes +0; NaN, of either sign, 0x7fff. */
template <typename F> WL_DEVICE_INLINE uint32_t wl_half_relu(uint32_t a) {
    return wl_choose(wl_half_nan<F>(a), 0x7fff, a & ~wl_mask(a >> 15 != 0));
}
/* The bits as an integer that is ordered like the numbers, -0 below +0. */
WL_DEVICE_INLINE int32_t wl_half_order(uint32_t a) {
    int32_t bits = (int16_t)a;
    return bits ^ (bits >> 15 & 0x7fff);
}
/* a if `first`, else b; but a NaN loses against a number (or, `nan_wins`, beats it). */
template <typename F> WL_DEVICE_INLINE uint32_t wl_half_pick(uint32_t a, uint32_t b, bool first, bool nan_wins) {
    bool nan_a = wl_half_nan<F>(a), nan_b = wl_half_nan<F>(b);
    uint32_t picked = wl_choose((first | nan_b) & !nan_a, a, b);
    return wl_choose((nan_a & nan_b) | (nan_wins & (nan_a | nan_b)), 0x7fff, picked);
}
template <typename F> WL_DEVICE_INLINE uint32_t wl_half_max(uint32_t a, uint32_t b, bool nan_wins) {
    return wl_half_pick<F>(a, b, wl_half_order(a) > wl_half_order(b), nan_wins);
}
template <typename F> WL_DEVICE_INLINE uint32_t wl_half_min(uint32_t a, uint32_t b, bool nan_wins) {
    return wl_half_pick<F>(a, b, wl_half_order(a) < wl_half_order(b), nan_wins);
}

/* What has the type's name in its own: half, or bfloat16. T2 is the type of a pair. */
#define WL_HALF_NAMED(name, T, T2)                                                                             \
    WL_DEVICE_INLINE unsigned short __##name##_as_ushort(const T a) { return wl_bit_cast<unsigned short>(a); } \
    WL_DEVICE_INLINE short __##name##_as_short(const T a) { return wl_bit_cast<short>(a); }                    \
    WL_DEVICE_INLINE T __ushort_as_##name(const unsigned short a) { return wl_bit_cast<T>(a); }                \
    WL_DEVICE_INLINE T __short_as_##name(const short a) { return wl_bit_cast<T>(a); }                          \
    WL_DEVICE_INLINE T2 make_##name##2(const T x, const T y) { return T2(x, y); }                              \
    WL_DEVICE_INLINE T2 __halves2##name##2(const T a, const T b) { return T2(a, b); }                          \
    WL_DEVICE_INLINE T2 __##name##2##name##2(const T a) { return T2(a, a); }                                   \
    WL_DEVICE_INLINE T __low2##name(const T2 a) { return a.x; }                                                \
    WL_DEVICE_INLINE T __high2##name(const T2 a) { return a.y; }                                               \
    WL_DEVICE_INLINE T2 __low2##name##2(const T2 a) { return T2(a.x, a.x); }                                   \
    WL_DEVICE_INLINE T2 __high2##name##2(const T2 a) { return T2(a.y, a.y); }                                  \
    WL_DEVICE_INLINE T2 __lows2##name##2(const T2 a, const T2 b) { return T2(a.x, b.x); }                      \
    WL_DEVICE_INLINE T2 __highs2##name##2(const T2 a, const T2 b) { return T2(a.y, b.y); }                     \
    WL_DEVICE_INLINE float __##name##2float(const T a) { return wl_half_value(a); }                            \
    WL_DEVICE_INLINE float2 __##name##22float2(const T2 a) {                                                   \
        return make_float2(wl_half_value(a.x), wl_half_value(a.y));                                            \
    }                                                                                                          \
    WL_DEVICE_INLINE T __float2##name(const float a) { return T(a); }                                          \
    WL_DEVICE_INLINE T __double2##name(const double a) { return T(a); }                                        \
    WL_DEVICE_INLINE T2 __float2##name##2_rn(const float a) { return T2(T(a), T(a)); }                         \
    WL_DEVICE_INLINE T2 __floats2##name##2_rn(const float a, const float b) { return T2(T(a), T(b)); }         \
    WL_DEVICE_INLINE T2 __float22##name##2_rn(const float2 a) { return T2(T(a.x), T(a.y)); }

WL_ANY_CODE_END
