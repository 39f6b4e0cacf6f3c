/* The core for AVX-512BW without VBMI (Skylake-X, Cascade Lake, Cooper Lake). */
#include "sw/cpu_simd/core.h"

#ifdef __AVX512BW__

#include "sw/cpu_simd/avx512.h"
#include "sw/cpu_simd/lookup16.h"
#include "sw/cpu_simd/widths.h"

const cpu_core *const cpu_core_avx512bw = &core;

#else

const cpu_core *const cpu_core_avx512bw = NULL;

#endif
