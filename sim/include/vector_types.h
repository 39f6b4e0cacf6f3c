/* CUDA's vector types: char4, int2, float4 ... and dim3, with the sizes and alignments of the device.

   A type of 2, 4, 8 or 16 bytes is loaded and stored by one instruction and therefore has to lie at a multiple of its
   size; types of three members are not, and align like their member. Types of 32 bytes (double4) align to 16.

   They are plain structs, so that `char4 a = p[i]` is one copy of a whole struct; the simulated kernels are compiled
   with -fno-tree-sra, which keeps it one access of 4 bytes instead of four of one. For the same reason build a value
   with make_char4(...) before storing it: assigning a braced list to memory stores member by member. */
#pragma once

#include "sim_bits.h"

WL_ANY_CODE

#define WL_VECTOR_1(name, T)                       \
    struct name##1 {                               \
        T x;                                       \
    };                                             \
    WL_DEVICE_INLINE name##1 make_##name##1(T x) { \
        name##1 v = {x};                           \
        return v;                                  \
    }
#define WL_VECTOR_2(name, T, alignment)                 \
    struct alignas(alignment) name##2 {                 \
        T x, y;                                         \
    };                                                  \
    WL_DEVICE_INLINE name##2 make_##name##2(T x, T y) { \
        name##2 v = {x, y};                             \
        return v;                                       \
    }
#define WL_VECTOR_3(name, T)                                 \
    struct name##3 {                                         \
        T x, y, z;                                           \
    };                                                       \
    WL_DEVICE_INLINE name##3 make_##name##3(T x, T y, T z) { \
        name##3 v = {x, y, z};                               \
        return v;                                            \
    }
/* `suffix` is empty, or _16a and _32a: how the types of 32 bytes are called that say their alignment. */
#define WL_VECTOR_4(name, T, alignment, suffix)                                   \
    struct alignas(alignment) name##4##suffix {                                   \
        T x, y, z, w;                                                             \
    };                                                                            \
    WL_DEVICE_INLINE name##4##suffix make_##name##4##suffix(T x, T y, T z, T w) { \
        name##4##suffix v = {x, y, z, w};                                         \
        return v;                                                                 \
    }

/* Members of up to 4 bytes: all four together are at most the 16 bytes that one instruction moves. */
#define WL_VECTORS(name, T)             \
    WL_VECTOR_1(name, T)                \
    WL_VECTOR_2(name, T, 2 * sizeof(T)) \
    WL_VECTOR_3(name, T)                \
    WL_VECTOR_4(name, T, 4 * sizeof(T), )
/* Members of 8 bytes. */
#define WL_LONG_VECTORS(name, T)        \
    WL_VECTOR_1(name, T)                \
    WL_VECTOR_2(name, T, 2 * sizeof(T)) \
    WL_VECTOR_3(name, T)                \
    WL_VECTOR_4(name, T, 16, )          \
    WL_VECTOR_4(name, T, 16, _16a)      \
    WL_VECTOR_4(name, T, 32, _32a)

WL_VECTORS(char, signed char)
WL_VECTORS(uchar, unsigned char)
WL_VECTORS(short, short)
WL_VECTORS(ushort, unsigned short)
WL_VECTORS(int, int)
WL_VECTORS(uint, unsigned int)
WL_VECTORS(float, float)
WL_LONG_VECTORS(long, long)
WL_LONG_VECTORS(ulong, unsigned long)
WL_LONG_VECTORS(longlong, long long)
WL_LONG_VECTORS(ulonglong, unsigned long long)
WL_LONG_VECTORS(double, double)

/* The shape of a grid or a block; what is not given is 1. */
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return make_uint3(x, y, z); }
};

WL_ANY_CODE_END
