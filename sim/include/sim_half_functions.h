/* The functions that half and bfloat16 have under the same names. Included twice, by cuda_fp16.h and by cuda_bf16.h,
   each time with these macros defined:

     WL_T, WL_T2    the type and its pair: __half and __half2, or __nv_bfloat16 and __nv_bfloat162
     WL_F           its format (sim_half_formats.h) */

WL_DEVICE_INLINE uint32_t wl_half_bits(const WL_T a) { return wl_bit_cast<uint16_t>(a); }
WL_DEVICE_INLINE float wl_half_value(const WL_T a) { return WL_F::value(wl_half_bits(a)); }

// ---------------------------------------------------------------- arithmetic

/* A function of one number, and of a pair's two numbers. */
#define WL_HALF_1(name, name2, result)                \
    WL_DEVICE_INLINE WL_T name(const WL_T x) {        \
        uint32_t a = wl_half_bits(x);                 \
        return wl_bit_cast<WL_T>((uint16_t)(result)); \
    }                                                 \
    WL_DEVICE_INLINE WL_T2 name2(const WL_T2 x) { return WL_T2(name(x.x), name(x.y)); }
#define WL_HALF_2(name, name2, result)                       \
    WL_DEVICE_INLINE WL_T name(const WL_T x, const WL_T y) { \
        uint32_t a = wl_half_bits(x), b = wl_half_bits(y);   \
        return wl_bit_cast<WL_T>((uint16_t)(result));        \
    }                                                        \
    WL_DEVICE_INLINE WL_T2 name2(const WL_T2 x, const WL_T2 y) { return WL_T2(name(x.x, y.x), name(x.y, y.y)); }
#define WL_HALF_3(name, name2, result)                                          \
    WL_DEVICE_INLINE WL_T name(const WL_T x, const WL_T y, const WL_T z) {      \
        uint32_t a = wl_half_bits(x), b = wl_half_bits(y), c = wl_half_bits(z); \
        return wl_bit_cast<WL_T>((uint16_t)(result));                           \
    }                                                                           \
    WL_DEVICE_INLINE WL_T2 name2(const WL_T2 x, const WL_T2 y, const WL_T2 z) { \
        return WL_T2(name(x.x, y.x, z.x), name(x.y, y.y, z.y));                 \
    }

WL_HALF_1(__hneg, __hneg2, a ^ 0x8000)
WL_HALF_1(__habs, __habs2, a & 0x7fff)
WL_HALF_2(__hadd, __hadd2, wl_half_sum<WL_F>(a, b))
WL_HALF_2(__hsub, __hsub2, wl_half_sum<WL_F>(a, b ^ 0x8000))
WL_HALF_2(__hmul, __hmul2, WL_F::product(a, b))
WL_HALF_2(__hdiv, __h2div, WL_F::quotient(a, b))
/* The compiler for the device may fuse __hmul with __hadd; _rn forbids it. Here nothing is ever fused. */
WL_HALF_2(__hadd_rn, __hadd2_rn, wl_half_sum<WL_F>(a, b))
WL_HALF_2(__hsub_rn, __hsub2_rn, wl_half_sum<WL_F>(a, b ^ 0x8000))
WL_HALF_2(__hmul_rn, __hmul2_rn, WL_F::product(a, b))
WL_HALF_2(__hadd_sat, __hadd2_sat, wl_half_saturate<WL_F>(wl_half_sum<WL_F>(a, b)))
WL_HALF_2(__hsub_sat, __hsub2_sat, wl_half_saturate<WL_F>(wl_half_sum<WL_F>(a, b ^ 0x8000)))
WL_HALF_2(__hmul_sat, __hmul2_sat, wl_half_saturate<WL_F>(WL_F::product(a, b)))
WL_HALF_3(__hfma, __hfma2, wl_half_fma<WL_F>(a, b, c))
WL_HALF_3(__hfma_sat, __hfma2_sat, wl_half_saturate<WL_F>(wl_half_fma<WL_F>(a, b, c)))
WL_HALF_3(__hfma_relu, __hfma2_relu, wl_half_relu<WL_F>(wl_half_fma<WL_F>(a, b, c)))
WL_HALF_2(__hmax, __hmax2, wl_half_max<WL_F>(a, b, false))
WL_HALF_2(__hmin, __hmin2, wl_half_min<WL_F>(a, b, false))
WL_HALF_2(__hmax_nan, __hmax2_nan, wl_half_max<WL_F>(a, b, true))
WL_HALF_2(__hmin_nan, __hmin2_nan, wl_half_min<WL_F>(a, b, true))

/* a b + c of complex numbers, two fused steps a part. */
WL_DEVICE_INLINE WL_T2 __hcmadd(const WL_T2 a, const WL_T2 b, const WL_T2 c) {
    return WL_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* To a whole number; exact, since whole numbers in the format's range that it lacks do not arise. */
WL_HALF_1(htrunc, h2trunc, WL_F::round(__builtin_truncf(WL_F::value(a))))
WL_HALF_1(hceil, h2ceil, WL_F::round(__builtin_ceilf(WL_F::value(a))))
WL_HALF_1(hfloor, h2floor, WL_F::round(__builtin_floorf(WL_F::value(a))))
WL_HALF_1(hrint, h2rint, WL_F::round(__builtin_rintf(WL_F::value(a))))

/* Through the host's float functions: the device's may differ in the last place. */
WL_HALF_1(hsqrt, h2sqrt, WL_F::round(__builtin_sqrtf(WL_F::value(a))))
WL_HALF_1(hrsqrt, h2rsqrt, WL_F::round(1.0f / __builtin_sqrtf(WL_F::value(a))))
WL_HALF_1(hrcp, h2rcp, WL_F::round(1.0f / WL_F::value(a)))
WL_HALF_1(hexp, h2exp, WL_F::round(__builtin_expf(WL_F::value(a))))
WL_HALF_1(hexp2, h2exp2, WL_F::round(__builtin_exp2f(WL_F::value(a))))
WL_HALF_1(hexp10, h2exp10, WL_F::round((float)__builtin_exp10((double)WL_F::value(a))))
WL_HALF_1(hlog, h2log, WL_F::round(__builtin_logf(WL_F::value(a))))
WL_HALF_1(hlog2, h2log2, WL_F::round(__builtin_log2f(WL_F::value(a))))
WL_HALF_1(hlog10, h2log10, WL_F::round(__builtin_log10f(WL_F::value(a))))
WL_HALF_1(hsin, h2sin, WL_F::round(__builtin_sinf(WL_F::value(a))))
WL_HALF_1(hcos, h2cos, WL_F::round(__builtin_cosf(WL_F::value(a))))
WL_HALF_1(htanh, h2tanh, WL_F::round(__builtin_tanhf(WL_F::value(a))))

#undef WL_HALF_1
#undef WL_HALF_2
#undef WL_HALF_3

// ---------------------------------------------------------------- comparison

WL_DEVICE_INLINE bool __hisnan(const WL_T a) { return wl_half_nan<WL_F>(wl_half_bits(a)); }
/* 1 for infinity, -1 for minus infinity, else 0. */
WL_DEVICE_INLINE int __hisinf(const WL_T a) {
    return (int)(wl_half_bits(a) == WL_F::INFINITE) - (int)(wl_half_bits(a) == (WL_F::INFINITE | 0x8000));
}
WL_DEVICE_INLINE WL_T wl_half_truth(const WL_T, bool holds) {
    return wl_bit_cast<WL_T>((uint16_t)(WL_F::ONE & wl_mask(holds)));
}
WL_DEVICE_INLINE WL_T2 __hisnan2(const WL_T2 a) {
    return WL_T2(wl_half_truth(a.x, __hisnan(a.x)), wl_half_truth(a.y, __hisnan(a.y)));
}

/* A comparison of numbers x and y; of pairs, as 1.0 and 0.0 a lane, as a mask a lane, and for both lanes together. The
   plain ones are false when an operand is NaN, those with a u (unordered) true. */
#define WL_HALF_COMPARE(name, holds)                                                                    \
    WL_DEVICE_INLINE bool __h##name(const WL_T a, const WL_T b) {                                       \
        float x = wl_half_value(a), y = wl_half_value(b);                                               \
        return holds;                                                                                   \
    }                                                                                                   \
    WL_DEVICE_INLINE WL_T2 __h##name##2(const WL_T2 a, const WL_T2 b) {                                 \
        return WL_T2(wl_half_truth(a.x, __h##name(a.x, b.x)), wl_half_truth(a.y, __h##name(a.y, b.y))); \
    }                                                                                                   \
    WL_DEVICE_INLINE unsigned int __h##name##2_mask(const WL_T2 a, const WL_T2 b) {                     \
        return (wl_mask(__h##name(a.x, b.x)) & 0xffff) | wl_mask(__h##name(a.y, b.y)) << 16;            \
    }                                                                                                   \
    WL_DEVICE_INLINE bool __hb##name##2(const WL_T2 a, const WL_T2 b) {                                 \
        return __h##name(a.x, b.x) & __h##name(a.y, b.y);                                               \
    }
WL_HALF_COMPARE(eq, x == y)
WL_HALF_COMPARE(ne, (x < y) | (x > y))
WL_HALF_COMPARE(lt, x < y)
WL_HALF_COMPARE(le, x <= y)
WL_HALF_COMPARE(gt, x > y)
WL_HALF_COMPARE(ge, x >= y)
WL_HALF_COMPARE(equ, !((x < y) | (x > y)))
WL_HALF_COMPARE(neu, !(x == y))
WL_HALF_COMPARE(ltu, !(x >= y))
WL_HALF_COMPARE(leu, !(x > y))
WL_HALF_COMPARE(gtu, !(x <= y))
WL_HALF_COMPARE(geu, !(x < y))
#undef WL_HALF_COMPARE

// ---------------------------------------------------------------- parts of a pair

WL_DEVICE_INLINE float __low2float(const WL_T2 a) { return wl_half_value(a.x); }
WL_DEVICE_INLINE float __high2float(const WL_T2 a) { return wl_half_value(a.y); }
WL_DEVICE_INLINE WL_T2 __lowhigh2highlow(const WL_T2 a) { return WL_T2(a.y, a.x); }

// ---------------------------------------------------------------- operators

#define WL_HALF_OPERATOR(op, scalar, pair)                                                     \
    WL_DEVICE_INLINE WL_T operator op(const WL_T &a, const WL_T &b) { return scalar(a, b); }   \
    WL_DEVICE_INLINE WL_T &operator op##=(WL_T &a, const WL_T &b) { return a = scalar(a, b); } \
    WL_DEVICE_INLINE WL_T2 operator op(const WL_T2 &a, const WL_T2 &b) { return pair(a, b); }  \
    WL_DEVICE_INLINE WL_T2 &operator op##=(WL_T2 &a, const WL_T2 &b) { return a = pair(a, b); }
WL_HALF_OPERATOR(+, __hadd, __hadd2)
WL_HALF_OPERATOR(-, __hsub, __hsub2)
WL_HALF_OPERATOR(*, __hmul, __hmul2)
WL_HALF_OPERATOR(/, __hdiv, __h2div)
#undef WL_HALF_OPERATOR
#define WL_HALF_OPERATOR(op, scalar, pair)                                                   \
    WL_DEVICE_INLINE bool operator op(const WL_T &a, const WL_T &b) { return scalar(a, b); } \
    WL_DEVICE_INLINE bool operator op(const WL_T2 &a, const WL_T2 &b) { return pair(a, b); }
WL_HALF_OPERATOR(==, __heq, __hbeq2)
WL_HALF_OPERATOR(!=, __hneu, __hbneu2)
WL_HALF_OPERATOR(<, __hlt, __hblt2)
WL_HALF_OPERATOR(<=, __hle, __hble2)
WL_HALF_OPERATOR(>, __hgt, __hbgt2)
WL_HALF_OPERATOR(>=, __hge, __hbge2)
#undef WL_HALF_OPERATOR
WL_DEVICE_INLINE WL_T operator+(const WL_T &a) { return a; }
WL_DEVICE_INLINE WL_T operator-(const WL_T &a) { return __hneg(a); }
WL_DEVICE_INLINE WL_T2 operator+(const WL_T2 &a) { return a; }
WL_DEVICE_INLINE WL_T2 operator-(const WL_T2 &a) { return __hneg2(a); }
#define WL_HALF_STEP(T, op, function, one)                                 \
    WL_DEVICE_INLINE T &operator op(T &a) { return a = function(a, one); } \
    WL_DEVICE_INLINE T operator op(T &a, int) {                            \
        T before = a;                                                      \
        a = function(a, one);                                              \
        return before;                                                     \
    }
WL_HALF_STEP(WL_T, ++, __hadd, WL_T(1.0f))
WL_HALF_STEP(WL_T, --, __hsub, WL_T(1.0f))
WL_HALF_STEP(WL_T2, ++, __hadd2, WL_T2(WL_T(1.0f), WL_T(1.0f)))
WL_HALF_STEP(WL_T2, --, __hsub2, WL_T2(WL_T(1.0f), WL_T(1.0f)))
#undef WL_HALF_STEP

// ---------------------------------------------------------------- atomics and shuffles

#ifdef WL_SIM_CUDA_RUNTIME_H
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
WL_SIM_ATOMIC_FLOAT(atomicAdd, WL_T, unsigned short, __hadd(old, value))
WL_SIM_ATOMIC_FLOAT(atomicAdd, WL_T2, unsigned int, __hadd2(old, value))
#pragma GCC diagnostic pop
template <> inline WL_T wl_sim_value<WL_T>(uint64_t bits) { return wl_bit_cast<WL_T>((uint16_t)bits); }
template <> inline WL_T2 wl_sim_value<WL_T2>(uint64_t bits) { return wl_bit_cast<WL_T2>((uint32_t)bits); }
#endif
