/* Rescaling in a kernel: a vector's largest entry to [1, 2), and the exponent remembered. */
#pragma once

#include "peeling/kit/stage.h"

/* The upper 32 bits of a number that is not negative, exponent first. They have the same order as the numbers, and
   comparing 32-bit integers is cheaper. */
static __device__ __forceinline__ uint32_t peeling_top(float x) { return (uint32_t)__float_as_int(x); }
static __device__ __forceinline__ uint32_t peeling_top(double x) { return (uint32_t)__double2hiint(x); }
/* 2^e for e in the number's range of exponents. */
static __device__ __forceinline__ float peeling_power(int e, float) { return __int_as_float((e + 127) << 23); }
static __device__ __forceinline__ double peeling_power(int e, double) { return __hiloint2double((e + 1023) << 20, 0); }

/* The factor for F whose largest entry has this top: it brings that entry to [1, 2). *e gets the exponent to remember.
   The factor is a power of two, so multiplying rounds nothing. It is made from the bits, since frexp takes ten times as
   long. An entry below 1e-38 (doubles: 1e-308) has no exponent in its bits and gets too small a power. That does no
   harm, because the next join rescales again. A column of zeros is impossible data; it gets some power and stays 0. */
template <typename real> static __device__ __forceinline__ real peeling_scale_of_top(uint32_t top, int *e) {
    *e = sizeof(real) == 8 ? (int)(top >> 20) - 1023 : (int)(top >> 23) - 127;
    return peeling_power(-*e, real());
}
/* The same for the largest entry itself; 1 for zeros. */
template <typename real> static __device__ __forceinline__ real peeling_scale(real most, int *e) {
    return peeling_scale_of_top<real>(most > 0 ? peeling_top(most) : peeling_top((real)1), e);
}

/* A join's exponent: its own, plus those of both children. */
static __device__ __forceinline__ void peeling_remember(const peeling_task *task, const peeling_join *join, uint32_t r,
                                                        size_t c, int e) {
    *peeling_exponent(task, join->to, r, c) =
        e + peeling_exponent_of(task, join->child[0], r, c) + peeling_exponent_of(task, join->child[1], r, c);
}
