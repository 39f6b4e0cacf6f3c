#include <stddef.h>

#include "harness/probes/rates_cpu.h"

#ifdef __AVX512BW__
#include <immintrin.h>

#define VECTOR __m512i
#define SET _mm512_set1_epi8
#define SUBTRACT _mm512_subs_epu8
#define MAXIMUM _mm512_max_epu8
#define UNKNOWN(vector) __asm__ volatile("" : "+v"(vector))
#include "harness/probes/rates_cpu_bytes.h"

wl_bytes_loop *const wl_bytes_loop_avx512 = loop;
#else
wl_bytes_loop *const wl_bytes_loop_avx512 = NULL;
#endif
