/* CUDA's DPX functions (compute capability 9.0 in hardware, emulated before): the inner steps of dynamic programming,
   as additions, maxima and minima of two or three values in one instruction.

   Names: i = integer; s32, u32 whole words; s16x2, u16x2 two halves of a word; _relu: the result is at least 0, which
   signed forms only have. The addition in __viaddmax and __viaddmin wraps around, it does not saturate: a score near
   the range's end has to be kept away from it by the caller. */
#pragma once

#include "sim_simd.h"

WL_ANY_CODE

WL_DEVICE_INLINE int wl_max_s32(int a, int b) { return a > b ? a : b; }
WL_DEVICE_INLINE int wl_min_s32(int a, int b) { return a < b ? a : b; }
WL_DEVICE_INLINE unsigned int wl_max_u32(unsigned int a, unsigned int b) { return a > b ? a : b; }
WL_DEVICE_INLINE unsigned int wl_min_u32(unsigned int a, unsigned int b) { return a < b ? a : b; }
WL_DEVICE_INLINE int wl_relu_s32(int a) { return a > 0 ? a : 0; }
WL_DEVICE_INLINE unsigned int wl_relu_s16x2(unsigned int a) { return a & ~wl_stretch<16>(a); }

// ---------------------------------------------------------------- two and three operands

WL_DEVICE_INLINE int __vimax_s32_relu(const int a, const int b) { return wl_relu_s32(wl_max_s32(a, b)); }
WL_DEVICE_INLINE int __vimin_s32_relu(const int a, const int b) { return wl_relu_s32(wl_min_s32(a, b)); }
WL_DEVICE_INLINE unsigned int __vimax_s16x2_relu(const unsigned int a, const unsigned int b) {
    return wl_relu_s16x2(__vmaxs2(a, b));
}
WL_DEVICE_INLINE unsigned int __vimin_s16x2_relu(const unsigned int a, const unsigned int b) {
    return wl_relu_s16x2(__vmins2(a, b));
}

#define WL_DPX_3(T, name, expression) \
    WL_DEVICE_INLINE T name(const T a, const T b, const T c) { return expression; }

WL_DPX_3(int, __vimax3_s32, wl_max_s32(wl_max_s32(a, b), c))
WL_DPX_3(int, __vimin3_s32, wl_min_s32(wl_min_s32(a, b), c))
WL_DPX_3(int, __vimax3_s32_relu, wl_relu_s32(wl_max_s32(wl_max_s32(a, b), c)))
WL_DPX_3(int, __vimin3_s32_relu, wl_relu_s32(wl_min_s32(wl_min_s32(a, b), c)))
WL_DPX_3(unsigned int, __vimax3_u32, wl_max_u32(wl_max_u32(a, b), c))
WL_DPX_3(unsigned int, __vimin3_u32, wl_min_u32(wl_min_u32(a, b), c))
WL_DPX_3(unsigned int, __vimax3_s16x2, __vmaxs2(__vmaxs2(a, b), c))
WL_DPX_3(unsigned int, __vimin3_s16x2, __vmins2(__vmins2(a, b), c))
WL_DPX_3(unsigned int, __vimax3_s16x2_relu, wl_relu_s16x2(__vmaxs2(__vmaxs2(a, b), c)))
WL_DPX_3(unsigned int, __vimin3_s16x2_relu, wl_relu_s16x2(__vmins2(__vmins2(a, b), c)))
WL_DPX_3(unsigned int, __vimax3_u16x2, __vmaxu2(__vmaxu2(a, b), c))
WL_DPX_3(unsigned int, __vimin3_u16x2, __vminu2(__vminu2(a, b), c))

// ---------------------------------------------------------------- an addition, then a maximum or minimum

WL_DPX_3(int, __viaddmax_s32, wl_max_s32(wl_wrapping_add(a, b), c))
WL_DPX_3(int, __viaddmin_s32, wl_min_s32(wl_wrapping_add(a, b), c))
WL_DPX_3(int, __viaddmax_s32_relu, wl_relu_s32(wl_max_s32(wl_wrapping_add(a, b), c)))
WL_DPX_3(int, __viaddmin_s32_relu, wl_relu_s32(wl_min_s32(wl_wrapping_add(a, b), c)))
WL_DPX_3(unsigned int, __viaddmax_u32, wl_max_u32(a + b, c))
WL_DPX_3(unsigned int, __viaddmin_u32, wl_min_u32(a + b, c))
WL_DPX_3(unsigned int, __viaddmax_s16x2, __vmaxs2(__vadd2(a, b), c))
WL_DPX_3(unsigned int, __viaddmin_s16x2, __vmins2(__vadd2(a, b), c))
WL_DPX_3(unsigned int, __viaddmax_s16x2_relu, wl_relu_s16x2(__vmaxs2(__vadd2(a, b), c)))
WL_DPX_3(unsigned int, __viaddmin_s16x2_relu, wl_relu_s16x2(__vmins2(__vadd2(a, b), c)))
WL_DPX_3(unsigned int, __viaddmax_u16x2, __vmaxu2(__vadd2(a, b), c))
WL_DPX_3(unsigned int, __viaddmin_u16x2, __vminu2(__vadd2(a, b), c))

// ---------------------------------------------------------------- with a predicate: which operand won

/* *pred: a >= b for a maximum, a <= b for a minimum, so a tie goes to a. */
#define WL_DPX_PREDICATE(T, name, order, pick)                        \
    WL_DEVICE_INLINE T name(const T a, const T b, bool *const pred) { \
        *pred = a order b;                                            \
        return pick(a, b);                                            \
    }
WL_DPX_PREDICATE(int, __vibmax_s32, >=, wl_max_s32)
WL_DPX_PREDICATE(int, __vibmin_s32, <=, wl_min_s32)
WL_DPX_PREDICATE(unsigned int, __vibmax_u32, >=, wl_max_u32)
WL_DPX_PREDICATE(unsigned int, __vibmin_u32, <=, wl_min_u32)

/* The same for each half; the predicate of the high half comes first. */
#define WL_DPX_PREDICATES(name, compare, pick)                                                          \
    WL_DEVICE_INLINE unsigned int name(const unsigned int a, const unsigned int b, bool *const pred_hi, \
                                       bool *const pred_lo) {                                           \
        unsigned int won = compare(a, b);                                                               \
        *pred_hi = won >> 31;                                                                           \
        *pred_lo = won & 1;                                                                             \
        return pick(a, b);                                                                              \
    }
WL_DPX_PREDICATES(__vibmax_s16x2, __vcmpges2, __vmaxs2)
WL_DPX_PREDICATES(__vibmax_u16x2, __vcmpgeu2, __vmaxu2)
WL_DPX_PREDICATES(__vibmin_s16x2, __vcmples2, __vmins2)
WL_DPX_PREDICATES(__vibmin_u16x2, __vcmpleu2, __vminu2)

WL_ANY_CODE_END
