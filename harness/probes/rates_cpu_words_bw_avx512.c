#include <stddef.h>

#include "harness/probes/rates_cpu.h"

#ifdef __AVX512BW__
#include <immintrin.h>

#define VECTOR __m512i
#define SET _mm512_set1_epi16
#define ADD _mm512_add_epi16
#define MINIMUM _mm512_min_epi16
#define UNKNOWN(vector) __asm__ volatile("" : "+v"(vector))
#include "harness/probes/rates_cpu_words.h"

wl_words_loop *const wl_words_loop_avx512 = loop;
#else
wl_words_loop *const wl_words_loop_avx512 = NULL;
#endif
