/* The byte loop of processors without AVX2. */
#ifdef __SSE2__
#include <emmintrin.h>

#define VECTOR __m128i
#define SET _mm_set1_epi8
#define SUBTRACT _mm_subs_epu8
#define MAXIMUM _mm_max_epu8
#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))
#else
#include <stdint.h>
#include <string.h>

/* Sixteen bytes and plain loops over them: NEON and its like have both operations, and compilers find them. */
typedef struct {
    uint8_t byte[16];
} sixteen;

static inline sixteen set(char byte) {
    sixteen v;
    memset(&v, byte, sizeof v);
    return v;
}
static inline sixteen subtract(sixteen a, sixteen b) {
    for (int i = 0; i < 16; i++) a.byte[i] = a.byte[i] > b.byte[i] ? (uint8_t)(a.byte[i] - b.byte[i]) : 0;
    return a;
}
static inline sixteen maximum(sixteen a, sixteen b) {
    for (int i = 0; i < 16; i++) a.byte[i] = a.byte[i] > b.byte[i] ? a.byte[i] : b.byte[i];
    return a;
}

#define VECTOR sixteen
#define SET set
#define SUBTRACT subtract
#define MAXIMUM maximum
#define UNKNOWN(vector) __asm__ volatile("" : "+m"(vector))
#endif
#include "harness/probes/rates_cpu_bytes.h"

wl_bytes_loop *const wl_bytes_loop_portable = loop;
