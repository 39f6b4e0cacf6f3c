/* CUDA's SIMD-in-a-word functions: a 32-bit word as two halves (__vadd2 ...) or four bytes (__vadd4 ...).

   All lanes of the word are worked on at once, with ordinary 32-bit operations that keep carries from crossing a lane's
   border. LANE is a lane's width, 16 or 8; HIGH<LANE> has each lane's highest bit set, LOW<LANE> its lowest. */
#pragma once

#include "sim_bits.h"

WL_DEVICE_CODE

template <int LANE> constexpr uint32_t WL_HIGH = LANE == 16 ? 0x80008000u : 0x80808080u;
template <int LANE> constexpr uint32_t WL_LOW = LANE == 16 ? 0x00010001u : 0x01010101u;

// ---------------------------------------------------------------- building blocks

/* Lanes whose highest bit is set become all ones, the others zero: (s << LANE) - s stretches a lane's 1 over the
   lane. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_stretch(uint32_t x) {
    uint32_t s = (x & WL_HIGH<LANE>) >> (LANE - 1);
    return (s << LANE) - s;
}
WL_DEVICE_INLINE uint32_t wl_blend(uint32_t mask, uint32_t yes, uint32_t no) { return no ^ ((yes ^ no) & mask); }

/* The low bits are added without the highest, which no carry can then leave; the highest is added by exclusive or. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vadd(uint32_t a, uint32_t b) {
    constexpr uint32_t high = WL_HIGH<LANE>;
    return ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high);
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vsub(uint32_t a, uint32_t b) {
    constexpr uint32_t high = WL_HIGH<LANE>;
    return ((a | high) - (b & ~high)) ^ (~(a ^ b) & high);
}

/* Lanes with a < b, unsigned: those where a - b borrows from beyond the lane. Signed: the same, the sign bit flipped.
   */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vltu(uint32_t a, uint32_t b) {
    return wl_stretch<LANE>((~a & b) | (~(a ^ b) & wl_vsub<LANE>(a, b)));
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vlts(uint32_t a, uint32_t b) {
    return wl_vltu<LANE>(a ^ WL_HIGH<LANE>, b ^ WL_HIGH<LANE>);
}
/* Lanes that are not zero: the low bits plus the largest low value carry into the highest bit. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vnonzero(uint32_t x) {
    constexpr uint32_t high = WL_HIGH<LANE>;
    return wl_stretch<LANE>(((x & ~high) + ~high) | x);
}

template <int LANE> WL_DEVICE_INLINE uint32_t wl_vneg(uint32_t a) { return wl_vsub<LANE>(0, a); }
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vabs(uint32_t a) {
    uint32_t negative = wl_stretch<LANE>(a);
    return wl_vsub<LANE>(a ^ negative, negative);
}
/* |a - b|, given the lanes with a < b. As a signed result it may not fit; the bits are those of the unsigned one. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vabsdiff(uint32_t a, uint32_t b, uint32_t less) {
    return wl_vsub<LANE>(wl_vsub<LANE>(a, b) ^ less, less);
}

/* Signed saturation: where the true result has left the range, the range's end on the side of a's sign. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vclamp(uint32_t result, uint32_t a, uint32_t overflow) {
    uint32_t end = ~WL_HIGH<LANE> + ((a & WL_HIGH<LANE>) >> (LANE - 1)); // 0x7fff, or 0x8000 where a is negative
    return wl_blend(wl_stretch<LANE>(overflow), end, result);
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vaddss(uint32_t a, uint32_t b) {
    uint32_t sum = wl_vadd<LANE>(a, b);
    return wl_vclamp<LANE>(sum, a, ~(a ^ b) & (a ^ sum)); // equal signs in, another out
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vsubss(uint32_t a, uint32_t b) {
    uint32_t difference = wl_vsub<LANE>(a, b);
    return wl_vclamp<LANE>(difference, a, (a ^ b) & (a ^ difference)); // different signs in, not a's out
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vaddus(uint32_t a, uint32_t b) {
    uint32_t sum = wl_vadd<LANE>(a, b);
    return sum | wl_stretch<LANE>((a & b) | ((a | b) & ~sum)); // a carry left the lane
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vsubus(uint32_t a, uint32_t b) {
    return wl_vsub<LANE>(a, b) & ~wl_vltu<LANE>(a, b);
}
/* The one value without a positive counterpart, 0x8000, becomes 0x7fff. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vabsss(uint32_t a) {
    uint32_t absolute = wl_vabs<LANE>(a);
    return absolute - ((absolute & WL_HIGH<LANE>) >> (LANE - 1));
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vnegss(uint32_t a) {
    uint32_t negated = wl_vneg<LANE>(a);
    return negated - ((negated & a & WL_HIGH<LANE>) >> (LANE - 1));
}

/* (a + b) >> 1 and (a + b + 1) >> 1 in LANE + 1 bits: a + b = 2 (a & b) + (a ^ b) = 2 (a | b) - (a ^ b). */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vhaddu(uint32_t a, uint32_t b) {
    return (a & b) + (((a ^ b) & ~WL_LOW<LANE>) >> 1);
}
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vavgu(uint32_t a, uint32_t b) {
    return (a | b) - (((a ^ b) & ~WL_LOW<LANE>) >> 1);
}
/* The signed average rounds halves away from zero: down where the sum is negative, up where it is not. */
template <int LANE> WL_DEVICE_INLINE uint32_t wl_vavgs(uint32_t a, uint32_t b) {
    uint32_t different = a ^ b, half = ((different & ~WL_LOW<LANE>) >> 1) | (different & WL_HIGH<LANE>);
    uint32_t down = wl_vadd<LANE>(a & b, half);
    return down + (different & ~(down >> (LANE - 1)) & WL_LOW<LANE>);
}

WL_DEVICE_INLINE uint32_t wl_vsum2(uint32_t x) { return (x & 0xffff) + (x >> 16); }
WL_DEVICE_INLINE uint32_t wl_vsum4(uint32_t x) { return wl_vsum2((x & 0x00ff00ff) + (x >> 8 & 0x00ff00ff)); }

// ---------------------------------------------------------------- CUDA's names

#define WL_SIMD_1(name, expression) \
    WL_DEVICE_INLINE unsigned int name(unsigned int a) { return expression; }
#define WL_SIMD_2(name, expression) \
    WL_DEVICE_INLINE unsigned int name(unsigned int a, unsigned int b) { return expression; }
/* A comparison twice: __vcmp gives all ones, __vset gives 1. */
#define WL_SIMD_COMPARE(name, n, LANE, mask) \
    WL_SIMD_2(__vcmp##name##n, mask)         \
    WL_SIMD_2(__vset##name##n, WL_LOW<LANE> &(mask))

/* n: the suffix, 2 or 4. */
#define WL_SIMD_FAMILY(n, LANE)                                             \
    WL_SIMD_2(__vadd##n, wl_vadd<LANE>(a, b))                               \
    WL_SIMD_2(__vaddss##n, wl_vaddss<LANE>(a, b))                           \
    WL_SIMD_2(__vaddus##n, wl_vaddus<LANE>(a, b))                           \
    WL_SIMD_2(__vsub##n, wl_vsub<LANE>(a, b))                               \
    WL_SIMD_2(__vsubss##n, wl_vsubss<LANE>(a, b))                           \
    WL_SIMD_2(__vsubus##n, wl_vsubus<LANE>(a, b))                           \
    WL_SIMD_1(__vabs##n, wl_vabs<LANE>(a))                                  \
    WL_SIMD_1(__vabsss##n, wl_vabsss<LANE>(a))                              \
    WL_SIMD_1(__vneg##n, wl_vneg<LANE>(a))                                  \
    WL_SIMD_1(__vnegss##n, wl_vnegss<LANE>(a))                              \
    WL_SIMD_2(__vavgs##n, wl_vavgs<LANE>(a, b))                             \
    WL_SIMD_2(__vavgu##n, wl_vavgu<LANE>(a, b))                             \
    WL_SIMD_2(__vhaddu##n, wl_vhaddu<LANE>(a, b))                           \
    WL_SIMD_2(__vmaxs##n, wl_blend(wl_vlts<LANE>(a, b), b, a))              \
    WL_SIMD_2(__vmaxu##n, wl_blend(wl_vltu<LANE>(a, b), b, a))              \
    WL_SIMD_2(__vmins##n, wl_blend(wl_vlts<LANE>(a, b), a, b))              \
    WL_SIMD_2(__vminu##n, wl_blend(wl_vltu<LANE>(a, b), a, b))              \
    WL_SIMD_2(__vabsdiffs##n, wl_vabsdiff<LANE>(a, b, wl_vlts<LANE>(a, b))) \
    WL_SIMD_2(__vabsdiffu##n, wl_vabsdiff<LANE>(a, b, wl_vltu<LANE>(a, b))) \
    WL_SIMD_2(__vsads##n, wl_vsum##n(__vabsdiffs##n(a, b)))                 \
    WL_SIMD_2(__vsadu##n, wl_vsum##n(__vabsdiffu##n(a, b)))                 \
    WL_SIMD_COMPARE(eq, n, LANE, ~wl_vnonzero<LANE>(a ^ b))                 \
    WL_SIMD_COMPARE(ne, n, LANE, wl_vnonzero<LANE>(a ^ b))                  \
    WL_SIMD_COMPARE(lts, n, LANE, wl_vlts<LANE>(a, b))                      \
    WL_SIMD_COMPARE(ltu, n, LANE, wl_vltu<LANE>(a, b))                      \
    WL_SIMD_COMPARE(gts, n, LANE, wl_vlts<LANE>(b, a))                      \
    WL_SIMD_COMPARE(gtu, n, LANE, wl_vltu<LANE>(b, a))                      \
    WL_SIMD_COMPARE(les, n, LANE, ~wl_vlts<LANE>(b, a))                     \
    WL_SIMD_COMPARE(leu, n, LANE, ~wl_vltu<LANE>(b, a))                     \
    WL_SIMD_COMPARE(ges, n, LANE, ~wl_vlts<LANE>(a, b))                     \
    WL_SIMD_COMPARE(geu, n, LANE, ~wl_vltu<LANE>(a, b))

WL_SIMD_FAMILY(2, 16)
WL_SIMD_FAMILY(4, 8)

WL_DEVICE_CODE_END
