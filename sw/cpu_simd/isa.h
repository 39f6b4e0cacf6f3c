/* The instruction sets that a core was built for, and the one to use. */
#ifndef SW_CPU_SIMD_ISA_H
#define SW_CPU_SIMD_ISA_H

#include "sw/cpu_simd/core.h"

typedef struct {
    const char *name;  /* as WL_CPU_ISA has it */
    const char *title; /* as result rows have it */
    const cpu_core *core;
} cpu_isa;

/* The best that this CPU runs, or the one that the environment variable WL_CPU_ISA names: portable, sse41, avx2, avx512bw,
   or avx512 for the best AVX-512 there is. NULL when that is unknown or cannot run here, with the reason in words
   (valid until the thread's next call) in `*why`. */
const cpu_isa *cpu_isa_chosen(const char **why);

#endif
