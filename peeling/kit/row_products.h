/* A warp's products F P, for stage 10; how F and P are laid out says peeling/kit/rows.h. */
#pragma once

#include "peeling/kit/rows.h"
#include "peeling/kit/tensor.h"

/* Eight by eight numbers of P, and of F: what a lane multiplies. b[h] is P of j = 2 (l%4) + h and s = l/4, and x is F of the same j and
   of pattern row i. A float's low term has what the high one leaves of the matrix's double, to 11 bits. */
template <typename real> struct peeling_operand;
template <> struct peeling_operand<double> {
    typedef double2 piece;
    double left[2][2];
    /* F of eight states. x ^ 0, for the compiler another value: else ptxas copies the operand to neighbouring registers for each product, eight
       moves for one. task->exchange is 0 in stages that do not exchange states, which the compiler does not know. */
    __device__ __forceinline__ void put(const double F[2][2], const peeling_task *task) {
        const int zero = (int)task->exchange;
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 2; i++)
                left[h][i] = __hiloint2double(__double2hiint(F[i][h]) ^ zero, __double2loint(F[i][h]) ^ zero);
    }
    __device__ __forceinline__ void multiply(double acc[2][2], double2 piece) const {
        const double b[2] = {piece.x, piece.y};
        peeling_multiply(acc, left, b);
    }
};
template <> struct peeling_operand<float> {
    typedef uint4 piece;
    uint32_t high[4], low[4];
    __device__ __forceinline__ void put(const float F[2][2], const peeling_task *) {
        for (int h = 0; h < 2; h++)
            for (int i = 0; i < 2; i++) peeling_split(F[i][h], &high[i + 2 * h], &low[i + 2 * h]);
    }
    __device__ __forceinline__ void multiply(float acc[2][2], uint4 piece) const {
        const uint32_t b_high[2] = {piece.x, piece.y}, b_low[2] = {piece.z, piece.w};
        peeling_multiply_terms(acc, high, low, b_high, b_low);
    }
};
