/* Properties of the simulated device's functions, each against an implementation that is slow and obvious. */
#pragma once

#include <cstdint>
#include <cstdio>

#include "harness/base/random.h"
#include "operands.h"

extern size_t properties_checked, properties_failed;

/* Compares bits; prints the first failures of a run, with the operands in hexadecimal. */
static inline void expect(const char *name, uint64_t found, uint64_t expected, uint64_t a, uint64_t b = 0,
                          uint64_t c = 0) {
    properties_checked++;
    if (found == expected) return;
    if (properties_failed++ < 40)
        printf("%s(%#llx, %#llx, %#llx): found %#llx, expected %#llx\n", name, (unsigned long long)a,
               (unsigned long long)b, (unsigned long long)c, (unsigned long long)found, (unsigned long long)expected);
}

/* The operands of one kind after another, as intrinsics.cu's cases get them. */
struct operands {
    static constexpr size_t COUNT = 20000;
    uint64_t a[COUNT], b[COUNT], c[COUNT];
    operands(const char *name, const char *kinds) { make_operands(name, kinds, COUNT, {a, b, c}); }
};

template <typename To, typename From> static inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "");
    return __builtin_bit_cast(To, from);
}
static inline float as_float(uint64_t bits) { return bits_as<float>((uint32_t)bits); }
static inline double as_double(uint64_t bits) { return bits_as<double>(bits); }
/* Bits with one NaN for all. */
static inline uint64_t bits_of(float x) { return x == x ? bits_as<uint32_t>(x) : 0x7fffffff; }
static inline uint64_t bits_of(double x) { return x == x ? bits_as<uint64_t>(x) : 0x7fffffffffffffff; }

void check_simd();
void check_floats();
void check_halves();
void check_bfloat16();
