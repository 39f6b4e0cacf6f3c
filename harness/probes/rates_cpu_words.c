/* The loop over 16-bit words of processors without AVX2. */
#ifdef __SSE2__
#include <emmintrin.h>

#define VECTOR __m128i
#define SET _mm_set1_epi16
#define ADD _mm_add_epi16
#define MINIMUM _mm_min_epi16
#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))
#else
#include <stdint.h>
#include <string.h>

/* Eight words and plain loops over them, as in rates_cpu_bytes.c. */
typedef struct {
    int16_t word[8];
} eight;

static inline eight set(int16_t word) {
    eight v;
    for (int i = 0; i < 8; i++) v.word[i] = word;
    return v;
}
static inline eight add(eight a, eight b) {
    for (int i = 0; i < 8; i++) a.word[i] = (int16_t)(a.word[i] + b.word[i]);
    return a;
}
static inline eight minimum(eight a, eight b) {
    for (int i = 0; i < 8; i++) a.word[i] = a.word[i] < b.word[i] ? a.word[i] : b.word[i];
    return a;
}

#define VECTOR eight
#define SET set
#define ADD add
#define MINIMUM minimum
#define UNKNOWN(vector) __asm__ volatile("" : "+m"(vector))
#endif
#include "harness/probes/rates_cpu_words.h"

wl_words_loop *const wl_words_loop_portable = loop;
