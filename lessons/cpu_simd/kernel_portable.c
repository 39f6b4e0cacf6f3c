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

/* Eight values become the bytes of a word; the multiplication collects one bit of each in the top byte. */
static inline __attribute__((always_inline)) void pack_64(const int *values, const int planes, uint64_t *out) {
    for (int i = 0; i < 64; i += 8) {
        uint64_t bytes = 0;
        for (int j = 0; j < 8; j++) bytes |= (uint64_t)values[i + j] << (8 * j);
        for (int p = 0; p < planes; p++) {
            uint64_t bits = (bytes >> p) & UINT64_C(0x0101010101010101);
            out[p] |= bits * UINT64_C(0x0102040810204080) >> 56 << i;
        }
    }
}

#include "lessons/cpu_simd/plain_logic.h"
#include "lessons/cpu_simd/tile.h"

const cpu_simd_core *const cpu_simd_portable = &core;
