#include <stddef.h>

#include "harness/probes/rates_cpu.h"

#if defined __AVX512BW__
#include <immintrin.h>

#define UNKNOWN(vector) __asm__ volatile("" : "+v"(vector))

#define LOOP floats
#define NUMBER float
#define VECTOR __m512
#define SET _mm512_set1_ps
#define MULTIPLY_ADD _mm512_fmadd_ps
#include "harness/probes/rates_cpu_fma.h"

#define LOOP doubles
#define NUMBER double
#define VECTOR __m512d
#define SET _mm512_set1_pd
#define MULTIPLY_ADD _mm512_fmadd_pd
#include "harness/probes/rates_cpu_fma.h"

wl_fma_loop *const wl_fma_floats_avx512 = floats;
wl_fma_loop *const wl_fma_doubles_avx512 = doubles;
#else
wl_fma_loop *const wl_fma_floats_avx512 = NULL;
wl_fma_loop *const wl_fma_doubles_avx512 = NULL;
#endif
