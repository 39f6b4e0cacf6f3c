/* The two precisions of a core, and its descriptor. The including file includes vectors.h and defines
       ACCUMULATORS                 vectors that a block of products keeps in registers: 24 of 32, 12 of 16
       larger_TYPE(a, b)            of two vectors, lane by lane; nothing is NaN
       look_up_TYPE(table, sets, out)    lane i of out[s] = table[s][sets[i]], table [CPU_FEW][CPU_FEW_SETS]
       any_below_TYPE(a, b)         in any lane a is less than b
       FEW_KEPT, STAY(vector)       few.h */
#pragma once

#include <string.h>

#define REAL float
#define OF(name) name##_single
#define LANES (VECTOR_BYTES / 4)
#define FRACTION_BITS 23
#define EXPONENT_ZERO 127
#define BIAS CPU_BIAS_SINGLE
#define FEW_BIAS CPU_FEW_BIAS_SINGLE
#define FEW_LEAST INFINITY
typedef int32_t whole_single;
#include "peeling/core/scale.h"
#include "peeling/core/many.h"
#include "peeling/core/few.h"
#undef REAL
#undef OF
#undef LANES
#undef FRACTION_BITS
#undef EXPONENT_ZERO
#undef BIAS
#undef FEW_BIAS
#undef FEW_LEAST

#define REAL double
#define OF(name) name##_double
#define LANES (VECTOR_BYTES / 8)
#define FRACTION_BITS 52
#define EXPONENT_ZERO 1023
#define BIAS CPU_BIAS_DOUBLE
#define FEW_BIAS CPU_FEW_BIAS_DOUBLE
#define FEW_LEAST 0x1p-64
typedef int64_t whole_double;
#include "peeling/core/scale.h"
#include "peeling/core/many.h"
#include "peeling/core/few.h"

/* One panel of the product of two matrices; the blocks may go beyond the last row. */
INLINE void panel_product(const int panel, size_t states, size_t stride, const vector_double *matrix,
                          const double *from, double *to) {
    for (size_t row = 0; row < states; row += COLUMNS_AT_ONCE(panel)) {
        vector_double sum[ACCUMULATORS];
        sums_double(panel, states, stride, matrix, from + row * stride, sum);
        UNROLL(24)
        for (int c = 0; c < COLUMNS_AT_ONCE(panel); c++) UNROLL(4)
        for (int v = 0; v < panel; v++) ((vector_double *)(to + (row + c) * stride))[v] = sum[c * panel + v];
    }
}

/* Of four states, whose rows are a small part of a block. */
static void product_few(size_t stride, const vector_double *matrix, const double *from, double *to) {
    enum { ROW = (CPU_FEW + LANES - 1) / LANES };
    for (size_t j = 0; j < CPU_FEW; j++, from += stride, to += stride) UNROLL(2)
    for (int v = 0; v < ROW; v++) {
        vector_double sum = matrix[v] * from[0];
        UNROLL(4)
        for (int k = 1; k < CPU_FEW; k++) sum += matrix[k * ROW + v] * from[k];
        ((vector_double *)to)[v] = sum;
    }
}

static void product(size_t states, size_t stride, const void *matrix, const double *from, double *to) {
    size_t left = (states + LANES - 1) / LANES;
    const vector_double *next = matrix;
    if (states == CPU_FEW) {
        product_few(stride, matrix, from, to);
        return;
    }
    while (left > 0) {
        const size_t panel = panel_double(left);
        PANELS(panel, panel_product, states, stride, next, from, to);
        next += panel * states;
        to += panel * LANES;
        left -= panel;
    }
}

/* Too small a power of two to count is 0. */
static void mix(size_t count, const double *weight, size_t columns, size_t stride, const double *from,
                const int32_t *exponent, double *sum, int32_t *most) {
    enum { NONE = INT32_MIN / 2 };
    int32_t any = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < columns; c++) any |= exponent[i * stride + c];
    if (any == 0) { // nothing was scaled
        for (size_t c = 0; c < columns; c++) most[c] = 0;
        for (size_t c = 0; c < columns; c++) sum[c] = weight[0] * from[c];
        for (size_t i = 1; i < count; i++)
            for (size_t c = 0; c < columns; c++) sum[c] += weight[i] * from[i * stride + c];
        return;
    }
    for (size_t c = 0; c < columns; c++) {
        most[c] = NONE;
        sum[c] = 0;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < columns; c++) {
            const int32_t e = from[i * stride + c] != 0 ? exponent[i * stride + c] : NONE;
            most[c] = e > most[c] ? e : most[c];
        }
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < columns; c++) {
            const int64_t e = (int64_t)exponent[i * stride + c] - most[c] + EXPONENT_ZERO;
            const union {
                int64_t bits;
                double number;
            } power = {e <= 0 || from[i * stride + c] == 0 ? 0 : e << FRACTION_BITS};
            sum[c] += weight[i] * from[i * stride + c] * power.number;
        }
}

/* The formula of fdlibm (Sun Microsystems 1993), which compilers make vectors of: x = 2^k (1 + f), s = f / (2 + f), and
   log(1 + f) = 2 s + s (a polynomial of s^2). */
static void logarithm(size_t count, const double *from, const int32_t *exponent, double *to) {
    for (size_t i = 0; i < count; i++) {
        const union {
            double number;
            int64_t bits;
        } x = {from[i]};
        const int64_t above = x.bits - 0x3fe6a09e667f3bcd; // sqrt(1/2)
        const int64_t k = above >> 52;
        const union {
            int64_t bits;
            double number;
        } m = {x.bits - k * ((int64_t)1 << 52)};
        const double f = m.number - 1, s = f / (2 + f), z = s * s, w = z * z, half = 0.5 * f * f;
        const double even =
            w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
        const double odd =
            z * (6.666666666666735130e-01 +
                 w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
        const double n = (double)((int32_t)k + exponent[i]);
        to[i] =
            n * 6.93147180369123816490e-01 - ((half - (s * (half + even + odd) + n * 1.90821492927058770002e-10)) - f);
    }
    for (size_t i = 0; i < count; i++) // zero, subnormal, negative, infinite, none
        if (!(from[i] >= 2.2250738585072014e-308 && from[i] <= 1.7976931348623157e308))
            to[i] = log(from[i]) + exponent[i] * 0.69314718055994530942;
}

#define FUNCTIONS_OF(type) \
    { join_##type, root_##type, store_##type, join_few_##type, root_few_##type, store_few_##type }

const cpu_core WL_CORE(cpu_core) = {
    VECTOR_BYTES, {FUNCTIONS_OF(single), FUNCTIONS_OF(double)}, product, mix, logarithm};
