#include <stddef.h>

#include "harness/probes/rates_cpu.h"

#ifdef __AVX2__
#include <immintrin.h>

#define VECTOR __m256i
#define SET _mm256_set1_epi8
#define SUBTRACT _mm256_subs_epu8
#define MAXIMUM _mm256_max_epu8
#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))
#include "harness/probes/rates_cpu_bytes.h"

wl_bytes_loop *const wl_bytes_loop_avx2 = loop;
#else
wl_bytes_loop *const wl_bytes_loop_avx2 = NULL;
#endif
