/* Transition matrices times partials on the tensor cores, for stages 07 and 09:
   P (padded x padded) times F (padded x patterns).

   A warp has a band of 16 states and TILES x 8 patterns. In acc[n][i][p], lane l holds
     state  16 band + 8 i + l/4,   pattern  8 n + 2 (l%4) + p   of the tile.
   This is the layout of C and D of m16n8k8, the same for doubles and floats. */
#pragma once

#include "peeling/kit/tensor.h"

enum { PEELING_BAND = 16 };

static __device__ __forceinline__ void peeling_multiply(float acc[2][2], const float a[2][2], const float b[2]) {
    uint32_t a_high[4], a_low[4], b_high[2], b_low[2];
    for (int h = 0; h < 2; h++) {
        peeling_split(b[h], &b_high[h], &b_low[h]);
        for (int i = 0; i < 2; i++) peeling_split(a[h][i], &a_high[i + 2 * h], &a_low[i + 2 * h]);
    }
    peeling_multiply_terms(acc, a_high, a_low, b_high, b_low);
}

/* The layout of partials in shared memory: patterns are padded by PEELING_PAD numbers, and an exclusive or exchanges
   groups of states (a swizzle). Both together avoid bank conflicts for reads (8 patterns x 8 states per warp, in pairs)
   and for writes (8 states of every other one of 8 patterns). The exchange is the same for all patterns that a lane
   reads, and for all that it writes, so addresses cost nothing more. */
enum { PEELING_PAD = 8 };
template <typename real> static __device__ __forceinline__ uint32_t peeling_swizzle(uint32_t pattern) {
    return sizeof(real) == 8 ? 4 * (pattern >> 1 & 3) : 8 * (pattern >> 2 & 1);
}

/* The codes of the lane's patterns at a tip, two per number. code points to that of the tile's first pattern. */
template <int TILES>
static __device__ __forceinline__ void peeling_codes(uint32_t codes[TILES], const uint16_t *code, uint32_t last) {
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++) {
        const uint32_t c = 8 * n + 2 * (peeling_lane() % 4);
        codes[n] = code[min(c, last)] | (uint32_t)code[min(c + 1, last)] << 16;
    }
}

/* acc = the sum of the columns of P in the tip's set: one column for a known state, 1 for the full set. */
template <typename real, int W, int TILES>
static __device__ __forceinline__ void peeling_look_up(real acc[TILES][2][2], const peeling_task *task,
                                                       const real *P, // [j = W][s = W], rows exchanged
                                                       const uint32_t codes[TILES], uint32_t band) {
    const uint32_t row = PEELING_BAND * band + peeling_lane() / 4;
    uint32_t most = 0;
    /* No branches here, so that all loads are in flight together. */
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            const uint32_t c = codes[n] >> 16 * p & 0xffff;
            most = max(most, c);
            const uint32_t j = min(c, task->states - 1), swizzle = peeling_row_swizzle<real>(j);
            for (int i = 0; i < 2; i++) acc[n][i][p] = P[j * W + ((row + 8 * i) ^ swizzle)];
        }
    if (most < task->states) return;
#pragma unroll
    for (uint32_t n = 0; n < TILES; n++)
        for (uint32_t p = 0; p < 2; p++) {
            const uint32_t c = codes[n] >> 16 * p & 0xffff;
            if (c < task->states) continue;
            uint64_t set = task->set[c];
            const bool full = set == ~(uint64_t)0 >> (64 - task->states);
            for (int i = 0; i < 2; i++) acc[n][i][p] = full && row + 8 * i < task->states ? 1 : 0;
            for (; !full && set != 0; set &= set - 1) {
                const uint32_t j = __ffsll((long long)set) - 1;
                for (int i = 0; i < 2; i++) acc[n][i][p] += P[j * W + ((row + 8 * i) ^ peeling_row_swizzle<real>(j))];
            }
        }
}

/* The largest top of each pattern among the warp's 16 states. All lanes that have the pattern get it. */
template <typename real, int TILES>
static __device__ __forceinline__ void peeling_band_tops(uint32_t tops[TILES][2], const real acc[TILES][2][2]) {
#pragma unroll
    for (int n = 0; n < TILES; n++)
        for (int p = 0; p < 2; p++) {
            uint32_t x = max(peeling_top(acc[n][0][p]), peeling_top(acc[n][1][p]));
            for (int step = 4; step < PEELING_WARP; step *= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, step));
            tops[n][p] = x;
        }
}

/* To shared memory, for the other bands. Lanes 0 to 3 together have all patterns of the warp. */
template <int TILES>
static __device__ __forceinline__ void peeling_put_tops(uint32_t *band_tops, const uint32_t tops[TILES][2]) {
    if (peeling_lane() < 4)
        for (int n = 0; n < TILES; n++)
            for (int p = 0; p < 2; p++) band_tops[8 * n + 2 * peeling_lane() + p] = tops[n][p];
}
