/* Which side of the program the functions of these headers are for. Only clang looks at it, which checks the rules of the language before
   a program is translated (sim/toolchain/rules.c); for g++, everything runs on the host.

     WL_DEVICE_CODE ... WL_DEVICE_CODE_END   functions for kernels only
     WL_ANY_CODE ... WL_ANY_CODE_END         functions for kernels and for the host */
#pragma once

#ifndef WL_SIM_RULES

#define WL_DEVICE_CODE
#define WL_DEVICE_CODE_END
#define WL_ANY_CODE
#define WL_ANY_CODE_END

#else

#define WL_DEVICE_CODE _Pragma("clang attribute push(__attribute__((device)), apply_to = function)")
#define WL_DEVICE_CODE_END _Pragma("clang attribute pop")
#define WL_ANY_CODE _Pragma("clang force_cuda_host_device begin")
#define WL_ANY_CODE_END _Pragma("clang force_cuda_host_device end")

// A device has no such numbers, and the standard library's functions for them would not compile for it.
#include <bits/c++config.h>
#undef _GLIBCXX_USE_FLOAT128
#if !__has_builtin(__builtin_exp10)
#define __builtin_exp10(x) __builtin_exp2(x)
#endif
#ifdef __CUDA_ARCH__ // clang reads the file once for the device and once for the host
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 900 // of those that this clang knows, none
#endif

/* The C library's functions that kernels have, too, are declared for both sides. They have to be there before <cstdlib> and the like bring
   them into namespace std. */
#include <bits/stl_algobase.h>
#include <features.h>
#include <limits>
#include <type_traits>

#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

WL_DEVICE_CODE
extern "C" {
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
void *malloc(size_t) noexcept;
void *calloc(size_t, size_t) noexcept;
void free(void *) noexcept;
void *memcpy(void *, const void *, size_t) noexcept;
void *memmove(void *, const void *, size_t) noexcept;
void *memset(void *, int, size_t) noexcept;
int memcmp(const void *, const void *, size_t) noexcept;
int printf(const char *, ...);
int vprintf(const char *, va_list);
int puts(const char *);
int putchar(int);
clock_t clock() noexcept;
[[noreturn]] void __assert_fail(const char *, const char *, unsigned, const char *) noexcept;
}
WL_DEVICE_CODE_END
#define __device__ __attribute__((device)) // for clang's own <new>
#include <new>
#undef __device__
#ifndef __CLANG_CUDA_WRAPPERS_NEW // it has none
WL_DEVICE_CODE
void *operator new(size_t);
void *operator new[](size_t);
void operator delete(void *) noexcept;
void operator delete[](void *) noexcept;
void operator delete(void *, size_t) noexcept;
void operator delete[](void *, size_t) noexcept;
inline void *operator new(size_t, void *place) noexcept { return place; }
inline void *operator new[](size_t, void *place) noexcept { return place; }
WL_DEVICE_CODE_END
#endif

WL_ANY_CODE // mathematical functions
#include <bits/std_abs.h>
#include <cmath>
#include <math.h>
    WL_ANY_CODE_END

#endif
