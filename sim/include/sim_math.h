/* CUDA's minimum and maximum, clamping, and the mathematical functions that <cmath> does not have.

   The others (expf, log, sqrt, fma, ldexp ...) are the host's; they differ from the device's by a unit or two in the
   last place. So do the approximations with two underscores, which here are simply accurate. */
#pragma once

#include <cmath>

#include "sim_bits.h"

WL_ANY_CODE

// ---------------------------------------------------------------- minimum and maximum

#define WL_MIN_MAX(T, A, B)                                                            \
    WL_DEVICE_INLINE T min(const A a, const B b) { return (T)a < (T)b ? (T)a : (T)b; } \
    WL_DEVICE_INLINE T max(const A a, const B b) { return (T)a > (T)b ? (T)a : (T)b; }
/* As in C, a signed and an unsigned operand are compared as unsigned. */
#define WL_MIN_MAX_OF(T)                           \
    WL_MIN_MAX(T, T, T)                            \
    WL_MIN_MAX(unsigned T, unsigned T, unsigned T) \
    WL_MIN_MAX(unsigned T, T, unsigned T)          \
    WL_MIN_MAX(unsigned T, unsigned T, T)
WL_MIN_MAX_OF(int)
WL_MIN_MAX_OF(long)
WL_MIN_MAX_OF(long long)

/* A floating-point number's bits as an integer that is ordered like the numbers, -0 below +0. */
WL_DEVICE_INLINE int32_t wl_order(float x) {
    int32_t bits = wl_bit_cast<int32_t>(x);
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}
WL_DEVICE_INLINE int64_t wl_order(double x) {
    int64_t bits = wl_bit_cast<int64_t>(x);
    return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}
/* A NaN loses against a number; of two NaNs comes the device's NaN, all mantissa bits set. */
WL_DEVICE_INLINE float wl_pick(float a, float b, bool first) {
    uint32_t x = wl_bit_cast<uint32_t>(a), y = wl_bit_cast<uint32_t>(b);
    uint32_t picked = wl_choose((first | (b != b)) & (a == a), x, y);
    return wl_bit_cast<float>(wl_choose((a != a) & (b != b), 0x7fffffffu, picked));
}
WL_DEVICE_INLINE double wl_pick(double a, double b, bool first) {
    uint64_t x = wl_bit_cast<uint64_t>(a), y = wl_bit_cast<uint64_t>(b);
    uint64_t picked = wl_choose64((first | (b != b)) & (a == a), x, y);
    return wl_bit_cast<double>(wl_choose64((a != a) & (b != b), 0x7fffffffffffffffu, picked));
}
/* fminf and fmaxf are the host's, which agree but for the sign of a zero: it may take either of +0 and -0. */
WL_DEVICE_INLINE float min(const float a, const float b) { return wl_pick(a, b, wl_order(a) < wl_order(b)); }
WL_DEVICE_INLINE float max(const float a, const float b) { return wl_pick(a, b, wl_order(a) > wl_order(b)); }
WL_DEVICE_INLINE double min(const double a, const double b) { return wl_pick(a, b, wl_order(a) < wl_order(b)); }
WL_DEVICE_INLINE double max(const double a, const double b) { return wl_pick(a, b, wl_order(a) > wl_order(b)); }
WL_DEVICE_INLINE double min(const float a, const double b) { return min((double)a, b); }
WL_DEVICE_INLINE double max(const float a, const double b) { return max((double)a, b); }
WL_DEVICE_INLINE double min(const double a, const float b) { return min(a, (double)b); }
WL_DEVICE_INLINE double max(const double a, const float b) { return max(a, (double)b); }

WL_DEVICE_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
WL_DEVICE_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
WL_DEVICE_INLINE long long llmin(long long a, long long b) { return min(a, b); }
WL_DEVICE_INLINE long long llmax(long long a, long long b) { return max(a, b); }
WL_DEVICE_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
WL_DEVICE_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

/* x within [+0, 1]; NaN and anything not above 0 become +0. */
WL_DEVICE_INLINE float __saturatef(float x) {
    uint32_t bits = wl_bit_cast<uint32_t>(x) & wl_mask(x > 0);
    return wl_bit_cast<float>(wl_choose(x > 1, 0x3f800000u, bits));
}

// ---------------------------------------------------------------- functions

/* Some of these names belong to the C library in some version (__expf is glibc's own, rsqrtf is C23's), which may
   declare them with other linkage: hence the macros. */
#define WL_MATH_1(T, name, expression) \
    WL_DEVICE_INLINE T name(T x) { return expression; }

WL_MATH_1(float, wl_rsqrtf, 1.0f / __builtin_sqrtf(x))
WL_MATH_1(double, wl_rsqrt, 1.0 / __builtin_sqrt(x))
WL_MATH_1(float, wl_rcbrtf, 1.0f / __builtin_cbrtf(x))
WL_MATH_1(double, wl_rcbrt, 1.0 / __builtin_cbrt(x))
/* sin and cos of pi x: x is first brought into [-1, 1], exactly. */
WL_MATH_1(double, wl_sinpi, __builtin_sin(3.14159265358979323846 * __builtin_remainder(x, 2.0)))
WL_MATH_1(double, wl_cospi, __builtin_cos(3.14159265358979323846 * __builtin_remainder(x, 2.0)))
WL_MATH_1(float, wl_sinpif, (float)wl_sinpi(x))
WL_MATH_1(float, wl_cospif, (float)wl_cospi(x))
WL_MATH_1(float, wl_exp10f, (float)__builtin_exp10((double)x))
WL_MATH_1(double, wl_exp10, __builtin_exp10(x))
WL_MATH_1(float, wl_rsqrt, wl_rsqrtf(x))
WL_MATH_1(float, wl_rcbrt, wl_rcbrtf(x))
WL_MATH_1(float, wl_sinpi, wl_sinpif(x))
WL_MATH_1(float, wl_cospi, wl_cospif(x))
WL_MATH_1(float, wl_exp10, wl_exp10f(x))
#define rsqrtf(x) wl_rsqrtf(x)
#define rsqrt(x) wl_rsqrt(x)
#define rcbrtf(x) wl_rcbrtf(x)
#define rcbrt(x) wl_rcbrt(x)
#define sinpi(x) wl_sinpi(x)
#define cospi(x) wl_cospi(x)
#define sinpif(x) wl_sinpif(x)
#define cospif(x) wl_cospif(x)
#define exp10f(x) wl_exp10f(x)
#define exp10(x) wl_exp10(x)

WL_DEVICE_INLINE float fdividef(float x, float y) { return x / y; }
WL_DEVICE_INLINE double fdivide(double x, double y) { return x / y; }

/* Lengths, computed without overflow on the way. */
WL_DEVICE_INLINE double wl_length(double a, double b, double c, double d) {
    return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
WL_DEVICE_INLINE float norm3df(float a, float b, float c) { return (float)wl_length(a, b, c, 0); }
WL_DEVICE_INLINE float norm4df(float a, float b, float c, float d) { return (float)wl_length(a, b, c, d); }
WL_DEVICE_INLINE float rnorm3df(float a, float b, float c) { return (float)(1 / wl_length(a, b, c, 0)); }
WL_DEVICE_INLINE float rnorm4df(float a, float b, float c, float d) { return (float)(1 / wl_length(a, b, c, d)); }
WL_DEVICE_INLINE double norm3d(double a, double b, double c) { return wl_length(a, b, c, 0); }
WL_DEVICE_INLINE double norm4d(double a, double b, double c, double d) { return wl_length(a, b, c, d); }
WL_DEVICE_INLINE double rnorm3d(double a, double b, double c) { return 1 / wl_length(a, b, c, 0); }
WL_DEVICE_INLINE float rhypotf(float a, float b) { return (float)(1 / __builtin_hypot(a, b)); }
WL_DEVICE_INLINE double rhypot(double a, double b) { return 1 / __builtin_hypot(a, b); }
WL_DEVICE_INLINE void sincospif(float x, float *sine, float *cosine) { *sine = wl_sinpif(x), *cosine = wl_cospif(x); }
WL_DEVICE_INLINE void sincospi(double x, double *sine, double *cosine) { *sine = wl_sinpi(x), *cosine = wl_cospi(x); }

/* The normal distribution. Its inverse is found by Newton's method from a rational start (Abramowitz and Stegun 26.2.23). */
WL_DEVICE_INLINE double normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
WL_DEVICE_INLINE float normcdff(float x) { return (float)normcdf(x); }
__attribute__((no_sanitize("thread"), unused)) static double normcdfinv(double p) {
    if (!(p > 0 && p < 1)) return p == 0 ? -__builtin_inf() : p == 1 ? __builtin_inf() : __builtin_nan("");
    const double tail = p < 0.5 ? p : 1 - p, t = __builtin_sqrt(-2 * __builtin_log(tail));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 4; i++) {
        const double miss = 0.5 * __builtin_erfc(x * 0.70710678118654752440) - tail;
        const double slope = 0.39894228040143267794 * __builtin_exp(-0.5 * x * x), step = miss / slope;
        x += step / (1 + 0.5 * x * step); // Halley's
    }
    return p < 0.5 ? -x : x;
}
WL_DEVICE_INLINE float normcdfinvf(float p) { return (float)normcdfinv(p); }
WL_DEVICE_INLINE double erfinv(double y) { return normcdfinv(0.5 * (y + 1)) * 0.70710678118654752440; }
WL_DEVICE_INLINE float erfinvf(float y) { return (float)erfinv(y); }
WL_DEVICE_INLINE double erfcinv(double y) { return -normcdfinv(0.5 * y) * 0.70710678118654752440; }
WL_DEVICE_INLINE float erfcinvf(float y) { return (float)erfcinv(y); }
/* exp(x^2) erfc(x); a continued fraction where the factors would leave the range. */
__attribute__((no_sanitize("thread"), unused)) static double erfcx(double x) {
    if (x < 20) return __builtin_exp(x * x) * __builtin_erfc(x);
    double fraction = x;
    for (int k = 20; k > 0; k--) fraction = x + 0.5 * k / fraction;
    return 0.56418958354775628695 / fraction;
}
WL_DEVICE_INLINE float erfcxf(float x) { return (float)erfcx(x); }

WL_ANY_CODE_END

// ---------------------------------------------------------------- fast approximations

WL_DEVICE_CODE

/* What the device multiplies by for large y is 0, so the result is 0 there (NaN of an infinite x). */
WL_DEVICE_INLINE float __fdividef(float x, float y) {
    float size = __builtin_fabsf(y);
    bool large = (size > 0x1p126f) & (size < __builtin_inff());
    return x * wl_bit_cast<float>(wl_bit_cast<uint32_t>(1.0f) & ~wl_mask(large)) / y;
}
WL_MATH_1(float, wl_fast_expf, __builtin_expf(x))
WL_MATH_1(float, wl_fast_logf, __builtin_logf(x))
WL_MATH_1(float, wl_fast_log2f, __builtin_log2f(x))
WL_MATH_1(float, wl_fast_log10f, __builtin_log10f(x))
WL_MATH_1(float, wl_fast_sinf, __builtin_sinf(x))
WL_MATH_1(float, wl_fast_cosf, __builtin_cosf(x))
WL_MATH_1(float, wl_fast_tanf, __builtin_tanf(x))
WL_MATH_1(float, wl_fast_tanhf, __builtin_tanhf(x))
WL_DEVICE_INLINE float wl_fast_powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
WL_DEVICE_INLINE void wl_fast_sincosf(float x, float *sine, float *cosine) {
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}
#define __expf(x) wl_fast_expf(x)
#define __exp10f(x) wl_exp10f(x)
#define __logf(x) wl_fast_logf(x)
#define __log2f(x) wl_fast_log2f(x)
#define __log10f(x) wl_fast_log10f(x)
#define __powf(x, y) wl_fast_powf(x, y)
#define __sinf(x) wl_fast_sinf(x)
#define __cosf(x) wl_fast_cosf(x)
#define __tanf(x) wl_fast_tanf(x)
#define __tanhf(x) wl_fast_tanhf(x)
#define __sincosf(x, sine, cosine) wl_fast_sincosf(x, sine, cosine)

WL_DEVICE_CODE_END
