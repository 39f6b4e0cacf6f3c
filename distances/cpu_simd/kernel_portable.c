/* The core for any machine: 16-byte vectors in the compiler's own notation, which it turns into SSE2, NEON or plain
   64-bit words; bits are counted with shifts and masks. */
#include <stdint.h>

#define VECTOR_BYTES 16

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Bits of each byte: pairs, nibbles, bytes. */
static inline __attribute__((always_inline)) vector count_bits(vector v) {
    v -= (v >> 1) & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + ((v >> 2) & UINT64_C(0x3333333333333333));
    return (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
}

static inline __attribute__((always_inline)) vector add_bytes(vector v) {
    v = (v & UINT64_C(0x00FF00FF00FF00FF)) + ((v >> 8) & UINT64_C(0x00FF00FF00FF00FF));
    v += v >> 16;
    v += v >> 32;
    return v & 0xFFFF;
}

static inline __attribute__((always_inline)) int add_lanes(vector v) { return (int)(v[0] + v[1]); }

#include "distances/cpu_simd/plain_logic.h"
#include "distances/cpu_simd/carry_save.h"

const cpu_core *const cpu_core_portable = &core;
