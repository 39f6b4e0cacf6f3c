/* Shared and device memory, 16 bytes an access. */
#pragma once

#include "peeling/kit/stage.h"

static __device__ __forceinline__ void peeling_read(const float *from, float *to) { // [4]
    const float4 x = *(const float4 *)from;
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
}
static __device__ __forceinline__ void peeling_read(const double *from, double *to) { // [2]
    const double2 x = *(const double2 *)from;
    to[0] = x.x, to[1] = x.y;
}
static __device__ __forceinline__ void peeling_write(float *to, const float *from) { // [4]
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}
static __device__ __forceinline__ void peeling_write(double *to, const double *from) { // [2]
    *(double2 *)to = make_double2(from[0], from[1]);
}
