#include <stddef.h>

#include "harness/probes/rates_cpu.h"

#ifdef __AVX2__
#include <immintrin.h>

#define VECTOR __m256i
#define SET _mm256_set1_epi16
#define ADD _mm256_add_epi16
#define MINIMUM _mm256_min_epi16
#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))
#include "harness/probes/rates_cpu_words.h"

wl_words_loop *const wl_words_loop_avx2 = loop;
#else
wl_words_loop *const wl_words_loop_avx2 = NULL;
#endif
