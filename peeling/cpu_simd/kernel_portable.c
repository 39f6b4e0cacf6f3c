/* The core for any machine: vectors of 16 bytes in the compiler's own notation, which it turns into SSE2, NEON or plain
   numbers. */
#include <string.h>

#define VECTOR_BYTES 16
#include "peeling/cpu_simd/vectors.h"

#define ACCUMULATORS 12

/* Numbers that are not negative are in the order of their bits. */
#define PORTABLE_OF(type, real)                                                                                     \
    INLINE vector_##type larger_##type(vector_##type a, vector_##type b) {                                          \
        const integers_##type first = (integers_##type)(a > b);                                                     \
        return (vector_##type)(((integers_##type)a & first) | ((integers_##type)b & ~first));                       \
    }                                                                                                               \
    INLINE void look_up_##type(const real *table, const uint8_t *sets, vector_##type out[CPU_FEW]) {                \
        for (int s = 0; s < CPU_FEW; s++) {                                                                         \
            real number[VECTOR_BYTES / sizeof(real)];                                                               \
            for (size_t i = 0; i < VECTOR_BYTES / sizeof(real); i++) number[i] = table[s * CPU_FEW_SETS + sets[i]]; \
            memcpy(&out[s], number, sizeof number);                                                                 \
        }                                                                                                           \
    }

PORTABLE_OF(single, float)
PORTABLE_OF(double, double)

#include "peeling/cpu_simd/precisions.h"

const cpu_core *const cpu_core_portable = &core;
