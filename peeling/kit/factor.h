/* Factors of the transition matrices. */
#pragma once

#include <math.h>

#include "peeling/kit/stage.h"

/* The paper's "precalculating the scaling factors": one thread per (edge, rate, eigenvalue). expm1 instead of exp: the
   matrix is the identity plus E diag(factor) E^-1, which is exact for length 0. */
static __device__ __forceinline__ double peeling_factor_of(const peeling_task *task, size_t edge, size_t r, size_t k) {
    const double speed = task->eigenvalue[k] * task->rate[r];
    /* Here 0 times an infinite length is 0. */
    return speed == 0 ? 0 : expm1(speed * task->edges[edge].length);
}
