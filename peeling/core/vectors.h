/* The vector types of both precisions, and what is done with them in the compiler's own notation. The including file
   defines VECTOR_BYTES. */
#pragma once

#include "peeling/core/core.h"

/* Sanitizers keep the compiler from unrolling, and then it complains of being asked to. */
#ifdef __SANITIZE_ADDRESS__
#define UNROLL(times)
#else
#define WL_PRAGMA(text) _Pragma(#text)
#define UNROLL(times) WL_PRAGMA(GCC unroll times)
#endif
#define INLINE static inline __attribute__((always_inline))

/* function(panel, ...) of 1 to 4 vectors of states, which it is to know when it is compiled. */
#define PANELS(panel, function, ...)              \
    do {                                          \
        if (panel == 1) function(1, __VA_ARGS__); \
        if (panel == 2) function(2, __VA_ARGS__); \
        if (panel == 3) function(3, __VA_ARGS__); \
        if (panel == 4) function(4, __VA_ARGS__); \
    } while (0)

/* integers_TYPE: as wide as the numbers. exponents_TYPE: 32 bits for each number. */
#define TYPES_OF(type, real, whole)                                                      \
    typedef real vector_##type __attribute__((vector_size(VECTOR_BYTES), may_alias));    \
    typedef whole integers_##type __attribute__((vector_size(VECTOR_BYTES), may_alias)); \
    typedef int32_t exponents_##type                                                     \
        __attribute__((vector_size(VECTOR_BYTES / sizeof(real) * 4), may_alias, aligned(4)));

TYPES_OF(single, float, int32_t)
TYPES_OF(double, double, int64_t)

/* What is done with the sums of a child: kept for the other child's, which come later; or multiplied with those, which
   are in join->partials, or are a tip's. */
typedef enum { KEEP, TIMES_KEPT, TIMES_TIP } cpu_turn;
