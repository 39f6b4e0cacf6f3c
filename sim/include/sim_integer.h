/* CUDA's integer functions: counting and moving bits, products' high halves, averages, sums of differences, and dot
   products of bytes. */
#pragma once

#include "sim_bits.h"
#include "vector_types.h"

WL_DEVICE_CODE

// ---------------------------------------------------------------- counting bits

/* Sums neighbouring fields of 1, 2, 4 bits, then all bytes by a multiplication. Written out because the builtin is a
   call into libgcc, with a table, where the compiler may not assume the popcnt instruction. */
WL_DEVICE_INLINE int __popc(unsigned int x) {
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (int)((x * 0x01010101u) >> 24);
}
WL_DEVICE_INLINE int __popcll(unsigned long long x) {
    x = x - ((x >> 1) & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (int)((x * 0x0101010101010101ull) >> 56);
}

/* Leading zeros; of 0, the whole width. The builtin is undefined for 0, so the lowest bit is set and 0 corrected. */
WL_DEVICE_INLINE int __clz(int x) { return __builtin_clz((unsigned)x | 1) + (x == 0); }
WL_DEVICE_INLINE int __clzll(long long x) { return __builtin_clzll((unsigned long long)x | 1) + (x == 0); }

/* Position of the lowest set bit, counted from 1; of 0, 0. */
WL_DEVICE_INLINE int __ffs(int x) { return __builtin_ffs(x); }
WL_DEVICE_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }

// ---------------------------------------------------------------- moving bits

WL_DEVICE_INLINE unsigned int __brev(unsigned int x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x);
}
WL_DEVICE_INLINE unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

/* Four bytes chosen from the eight of y:x; nibble i of the selector names the source of byte i. Only the nibble's three
   low bits count: nvcc clears the fourth (prmt's "copy the sign" mode) before it issues prmt. */
WL_DEVICE_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    return ((uint32_t)(bytes >> ((s & 7) * 8)) & 0xff) | ((uint32_t)(bytes >> ((s >> 4 & 7) * 8)) & 0xff) << 8 |
           ((uint32_t)(bytes >> ((s >> 8 & 7) * 8)) & 0xff) << 16 | (uint32_t)(bytes >> ((s >> 12 & 7) * 8)) << 24;
}

/* 32 bits of hi:lo shifted. _l, _r: by shift mod 32; _lc, _rc: by at most 32. */
WL_DEVICE_INLINE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    return (unsigned int)((((uint64_t)hi << 32 | lo) << (shift & 31)) >> 32);
}
WL_DEVICE_INLINE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    return (unsigned int)(((uint64_t)hi << 32 | lo) >> (shift & 31));
}
WL_DEVICE_INLINE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    return (unsigned int)((((uint64_t)hi << 32 | lo) << (shift < 32 ? shift : 32)) >> 32);
}
WL_DEVICE_INLINE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    return (unsigned int)(((uint64_t)hi << 32 | lo) >> (shift < 32 ? shift : 32));
}

// ---------------------------------------------------------------- products

WL_DEVICE_INLINE int __mulhi(int x, int y) { return (int)(((int64_t)x * y) >> 32); }
WL_DEVICE_INLINE unsigned int __umulhi(unsigned int x, unsigned int y) {
    return (unsigned int)(((uint64_t)x * y) >> 32);
}
WL_DEVICE_INLINE long long __mul64hi(long long x, long long y) { return (long long)(((__int128)x * y) >> 64); }
WL_DEVICE_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}

/* The low 32 bits of the product of the operands' low 24 bits. */
WL_DEVICE_INLINE int __mul24(int x, int y) {
    return wl_wrapping_multiply((int)((unsigned)x << 8) >> 8, (int)((unsigned)y << 8) >> 8);
}
WL_DEVICE_INLINE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }

// ---------------------------------------------------------------- averages and differences

/* (x + y) / 2 rounded down, (x + y + 1) / 2 rounded down, without overflow: x + y = 2 (x & y) + (x ^ y), and
   x + y = 2 (x | y) - (x ^ y). */
WL_DEVICE_INLINE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
WL_DEVICE_INLINE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
WL_DEVICE_INLINE unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
WL_DEVICE_INLINE unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

/* |x - y| + z; the difference fits into 32 bits without a sign, the sum wraps. */
WL_DEVICE_INLINE unsigned int __sad(int x, int y, unsigned int z) {
    uint32_t negative = wl_mask(x < y);
    return z + ((((unsigned)x - (unsigned)y) ^ negative) - negative);
}
WL_DEVICE_INLINE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
    uint32_t negative = wl_mask(x < y);
    return z + (((x - y) ^ negative) - negative);
}

// ---------------------------------------------------------------- dot products

WL_DEVICE_INLINE int wl_signed_byte(unsigned word, int i) { return (int8_t)(word >> (8 * i)); }
WL_DEVICE_INLINE int wl_signed_half(unsigned word, int i) { return (int16_t)(word >> (16 * i)); }

/* c + the four products of corresponding bytes. No sum of four products overflows; adding c wraps. */
WL_DEVICE_INLINE int __dp4a(int a, int b, int c) {
    unsigned x = (unsigned)a, y = (unsigned)b;
    return wl_wrapping_add(
        c, wl_signed_byte(x, 0) * wl_signed_byte(y, 0) + wl_signed_byte(x, 1) * wl_signed_byte(y, 1) +
               wl_signed_byte(x, 2) * wl_signed_byte(y, 2) + wl_signed_byte(x, 3) * wl_signed_byte(y, 3));
}
WL_DEVICE_INLINE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xff) * (b & 0xff) + (a >> 8 & 0xff) * (b >> 8 & 0xff) + (a >> 16 & 0xff) * (b >> 16 & 0xff) +
           (a >> 24) * (b >> 24);
}
WL_DEVICE_INLINE int __dp4a(char4 a, char4 b, int c) { return __dp4a(wl_bit_cast<int>(a), wl_bit_cast<int>(b), c); }
WL_DEVICE_INLINE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    return __dp4a(wl_bit_cast<unsigned int>(a), wl_bit_cast<unsigned int>(b), c);
}

/* c + the products of a's two 16-bit halves with two bytes of b: its low two (_lo) or its high two (_hi). */
WL_DEVICE_INLINE int __dp2a_lo(int a, int b, int c) {
    unsigned x = (unsigned)a, y = (unsigned)b;
    return wl_wrapping_add(c,
                           wl_signed_half(x, 0) * wl_signed_byte(y, 0) + wl_signed_half(x, 1) * wl_signed_byte(y, 1));
}
WL_DEVICE_INLINE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
WL_DEVICE_INLINE int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
WL_DEVICE_INLINE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
    return __dp2a_lo(a, b >> 16, c);
}
WL_DEVICE_INLINE int __dp2a_lo(short2 a, char4 b, int c) {
    return __dp2a_lo(wl_bit_cast<int>(a), wl_bit_cast<int>(b), c);
}
WL_DEVICE_INLINE unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
    return __dp2a_lo(wl_bit_cast<unsigned int>(a), wl_bit_cast<unsigned int>(b), c);
}
WL_DEVICE_INLINE int __dp2a_hi(short2 a, char4 b, int c) {
    return __dp2a_hi(wl_bit_cast<int>(a), wl_bit_cast<int>(b), c);
}
WL_DEVICE_INLINE unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
    return __dp2a_hi(wl_bit_cast<unsigned int>(a), wl_bit_cast<unsigned int>(b), c);
}

WL_DEVICE_CODE_END
