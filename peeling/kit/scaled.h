/* The likelihood of a pattern in a kernel: the sum over its rate classes, each with an exponent. */
#pragma once

#include <math.h>

#include "peeling/kit/stage.h"

/* A sum of values times 2^e, for sum_r share[r] L[r] 2^e[r]. Terms are added one after the other. One that is
   negative or not a number makes the sum not a number. */
typedef struct {
    double sum; // times 2^e
    int e;
} peeling_scaled;
static __device__ __forceinline__ void peeling_add(peeling_scaled *l, double value, int e) {
    if (value == 0) return;
    if (!(value > 0)) value = NAN;
    if (l->sum == 0) l->e = e;
    /* If the exponents differ by 2,000, ldexp gives 0. That is right: the other term is 2^2000 times as large. */
    if (e <= l->e) {
        l->sum += ldexp(value, e - l->e);
    } else {
        l->sum = ldexp(l->sum, l->e - e) + value;
        l->e = e;
    }
}
static __device__ __forceinline__ double peeling_log(peeling_scaled l) {
    const double LN2 = 0.693147180559945309417;
    return l.sum == 0 ? -INFINITY : log(l.sum) + l.e * LN2;
}
