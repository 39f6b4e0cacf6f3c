/* cuRAND's generators in kernels: XORWOW (curandState) and Philox4x32-10, with the device's sequences: the same seed, subsequence and
   offset give the same numbers. Normal numbers may differ in the last digits, because the device's fast logarithm and sine round otherwise.

   Sources: Marsaglia, Xorshift RNGs, 2003 (xorwow); Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011 (Philox); NVIDIA,
   cuRAND Library Programming Guide (seeds, subsequences, conversions). */
#pragma once

#include <math.h>

#include "curand.h"

WL_DEVICE_CODE

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

extern "C" void wl_sim_xorwow_skip(unsigned v[5], unsigned long long count, int subsequences);

// ---------------------------------------------------------------- XORWOW

static __device__ inline unsigned curand(curandStateXORWOW_t *state) {
    unsigned *v = state->v;
    const unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
    state->d += 362437;
    return v[4] + state->d;
}
static __device__ inline void skipahead(unsigned long long count, curandStateXORWOW_t *state) {
    unsigned v[5];
    for (int i = 0; i < 5; i++) v[i] = state->v[i];
    wl_sim_xorwow_skip(v, count, 0);
    for (int i = 0; i < 5; i++) state->v[i] = v[i];
    state->d += 362437u * (unsigned)count;
}
static __device__ inline void skipahead_sequence(unsigned long long count, curandStateXORWOW_t *state) {
    unsigned v[5];
    for (int i = 0; i < 5; i++) v[i] = state->v[i];
    wl_sim_xorwow_skip(v, count, 1); // of 2^67 numbers each, by which d comes round
    for (int i = 0; i < 5; i++) state->v[i] = v[i];
}
static __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                          unsigned long long offset, curandStateXORWOW_t *state) {
    const unsigned s0 = (unsigned)seed ^ 0xaad26b49u, s1 = (unsigned)(seed >> 32) ^ 0xf7dcefddu;
    const unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
    state->d = 6615241u + t1 + t0;
    state->v[0] = 123456789u + t0;
    state->v[1] = 362436069u ^ t0;
    state->v[2] = 521288629u + t1;
    state->v[3] = 88675123u ^ t1;
    state->v[4] = 5783321u + t0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    if (subsequence) skipahead_sequence(subsequence, state);
    if (offset) skipahead(offset, state);
}

// ---------------------------------------------------------------- Philox4x32-10

static __device__ inline uint4 wl_philox(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        const unsigned long long left = 0xD2511F53ull * c.x, right = 0xCD9E8D57ull * c.z;
        c = {(unsigned)(right >> 32) ^ c.y ^ k.x, (unsigned)right, (unsigned)(left >> 32) ^ c.w ^ k.y, (unsigned)left};
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}
/* The counter has 128 bits; `high` is added to the upper 64. */
static __device__ inline void wl_philox_add(curandStatePhilox4_32_10_t *state, unsigned long long low,
                                            unsigned long long high) {
    unsigned long long l = (unsigned long long)state->ctr.y << 32 | state->ctr.x,
                       h = (unsigned long long)state->ctr.w << 32 | state->ctr.z;
    l += low;
    h += high + (l < low);
    state->ctr = {(unsigned)l, (unsigned)(l >> 32), (unsigned)h, (unsigned)(h >> 32)};
}
static __device__ inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10_t *state) {
    wl_philox_add(state, 0, count);
    state->output = wl_philox(state->ctr, state->key);
}
static __device__ inline void skipahead(unsigned long long count, curandStatePhilox4_32_10_t *state) {
    state->STATE += (unsigned)(count & 3);
    count /= 4;
    if (state->STATE > 3) {
        count++;
        state->STATE -= 4;
    }
    wl_philox_add(state, count, 0);
    state->output = wl_philox(state->ctr, state->key);
}
static __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                          unsigned long long offset, curandStatePhilox4_32_10_t *state) {
    state->ctr = {0, 0, 0, 0};
    state->key = {(unsigned)seed, (unsigned)(seed >> 32)};
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
static __device__ inline unsigned wl_of(const uint4 &four, unsigned i) {
    return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}
static __device__ inline unsigned curand(curandStatePhilox4_32_10_t *state) {
    const unsigned next = wl_of(state->output, state->STATE++);
    if (state->STATE == 4) {
        wl_philox_add(state, 1, 0);
        state->output = wl_philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return next;
}
static __device__ inline uint4 curand4(curandStatePhilox4_32_10_t *state) {
    const uint4 before = state->output;
    wl_philox_add(state, 1, 0);
    state->output = wl_philox(state->ctr, state->key);
    const unsigned at = state->STATE;
    unsigned four[4];
    for (unsigned i = 0; i < 4; i++) four[i] = at + i < 4 ? wl_of(before, at + i) : wl_of(state->output, at + i - 4);
    return {four[0], four[1], four[2], four[3]};
}

// ---------------------------------------------------------------- distributions

static __device__ inline float wl_uniform(unsigned x) {
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
} // (0, 1]
static __device__ inline double wl_uniform(unsigned x, unsigned y) {
    const unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
    return (double)z * 0x1p-53 + 0x1p-54;
}
template <typename S> static __device__ inline float curand_uniform(S *state) { return wl_uniform(curand(state)); }
template <typename S> static __device__ inline double curand_uniform_double(S *state) {
    const unsigned x = curand(state), y = curand(state);
    return wl_uniform(x, y);
}
static __device__ inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    const uint4 x = curand4(state);
    return {wl_uniform(x.x), wl_uniform(x.y), wl_uniform(x.z), wl_uniform(x.w)};
}

/* Two normal numbers of two uniform ones: Box and Muller. */
static __device__ inline float2 wl_box_muller(unsigned x, unsigned y) {
    const float u = wl_uniform(x), angle = (float)y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    const float length = sqrtf(-2 * logf(u));
    return {length * sinf(angle), length * cosf(angle)};
}
static __device__ inline double2 wl_box_muller(double u, double v) {
    const double length = sqrt(-2 * log(u)), angle = 6.283185307179586 * v;
    return {length * sin(angle), length * cos(angle)};
}
template <typename S> static __device__ inline float2 curand_normal2(S *state) {
    const unsigned x = curand(state), y = curand(state);
    return wl_box_muller(x, y);
}
template <typename S> static __device__ inline float curand_normal(S *state) {
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 two = curand_normal2(state);
    state->boxmuller_extra = two.y;
    state->boxmuller_flag = 1;
    return two.x;
}
static __device__ inline float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    const uint4 x = curand4(state);
    const float2 a = wl_box_muller(x.x, x.y), b = wl_box_muller(x.z, x.w);
    return {a.x, a.y, b.x, b.y};
}
template <typename S> static __device__ inline double2 curand_normal2_double(S *state) {
    const double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return wl_box_muller(u, v);
}
template <typename S> static __device__ inline double curand_normal_double(S *state) {
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 two = curand_normal2_double(state);
    state->boxmuller_extra_double = two.y;
    state->boxmuller_flag_double = 1;
    return two.x;
}
template <typename S> static __device__ inline float curand_log_normal(S *state, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(state));
}
template <typename S>
static __device__ inline double curand_log_normal_double(S *state, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(state));
}

WL_DEVICE_CODE_END
