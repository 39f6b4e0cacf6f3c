/* A warp's products F P, for stage 10; how F and P are laid out says peeling/kit/rows.h. */
#pragma once

#include "harness/device/mma_m16n8k4.h"
#include "peeling/kit/rows.h"
#include "peeling/kit/tensor.h"

/* Eight by eight numbers of P, and of F: what a lane multiplies. b[h] is P of j = 2 (l%4) + h and s = l/4, and x is F of the same j and
   of pattern row i. A float's low term has what the high one leaves of the matrix's double, to 11 bits. */
template <typename real> struct peeling_operand;
template <> struct peeling_operand<double> {
    typedef double2 piece;
    double left[2][2];
    __device__ __forceinline__ void put(int h, int i, double x) { left[h][i] = x; }
    /* x ^ zero, for the compiler another value: else ptxas copies the operand to neighbouring registers for each product, eight moves for one. */
    __device__ __forceinline__ void settle(int zero) {
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 2; i++) {
                const double x = left[h][i];
                left[h][i] = __hiloint2double(__double2hiint(x) ^ zero, __double2loint(x) ^ zero);
            }
    }
    __device__ __forceinline__ void multiply(double acc[2][2], double2 piece) const {
        const double b[2] = {piece.x, piece.y};
        peeling_multiply(acc, left, b);
    }
    /* The second half of eight is padding. */
    __device__ __forceinline__ void multiply_short(double acc[2][2], double2 piece) const {
        wl_mma_m16n8k4_f64(&acc[0][0], left[0], piece.x, &acc[0][0]);
    }
};
template <> struct peeling_operand<float> {
    typedef uint4 piece;
    uint32_t high[4], low[4];
    __device__ __forceinline__ void put(int h, int i, float x) { peeling_split(x, &high[i + 2 * h], &low[i + 2 * h]); }
    __device__ __forceinline__ void settle(int) {} // splitting has made it so
    __device__ __forceinline__ void multiply(float acc[2][2], uint4 piece) const {
        const uint32_t b_high[2] = {piece.x, piece.y}, b_low[2] = {piece.z, piece.w};
        peeling_multiply_terms(acc, high, low, b_high, b_low);
    }
    __device__ __forceinline__ void multiply_short(float acc[2][2], uint4 piece) const { multiply(acc, piece); }
};
