#include <stddef.h>

#include "harness/probes/rates_cpu.h"

#if defined __AVX2__ && defined __FMA__
#include <immintrin.h>

#define UNKNOWN(vector) __asm__ volatile("" : "+x"(vector))

#define LOOP floats
#define NUMBER float
#define VECTOR __m256
#define SET _mm256_set1_ps
#define MULTIPLY_ADD _mm256_fmadd_ps
#include "harness/probes/rates_cpu_fma.h"

#define LOOP doubles
#define NUMBER double
#define VECTOR __m256d
#define SET _mm256_set1_pd
#define MULTIPLY_ADD _mm256_fmadd_pd
#include "harness/probes/rates_cpu_fma.h"

wl_fma_loop *const wl_fma_floats_avx2 = floats;
wl_fma_loop *const wl_fma_doubles_avx2 = doubles;
#else
wl_fma_loop *const wl_fma_floats_avx2 = NULL;
wl_fma_loop *const wl_fma_doubles_avx2 = NULL;
#endif
