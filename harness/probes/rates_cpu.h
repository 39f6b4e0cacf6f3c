/* The loops that the CPU's vector rates are measured with, of one instruction set. */
#pragma once

#include <stdint.h>

/* Runs `steps` steps, in which everything stays in registers, and returns the results computed; *sum keeps the compiler honest. */
typedef double rates_loop(uint64_t steps, uint64_t *sum);

/* AVX-512 without a vector popcount has no logic loop of its own: NULL. */
typedef struct {
    rates_loop *
        logic; /* per step and 64-bit word: popcount((a0 ^ b0) | (a1 ^ b1)), added to a sum: how far two strings of two-bit
                            letters differ. Counted in words */
    /* Per step and byte: a saturating subtraction, and a maximum of its result. Counted in
       bytes' operations */
    rates_loop *bytes;
    /* Per step and 16-bit word: an addition, and a minimum of its result. Counted in words'
       operations */
    rates_loop *words;
    rates_loop *
        floats; /* per step and number: a multiplication and an addition, in one instruction where there is one. Counted
                            in operations, two per number */
    rates_loop *doubles; // the same
} rates_loops;

extern const rates_loops rates_loops_portable; // none is NULL
/* Weak: not in a build for another architecture. Whether the processor has it, the caller finds out. */
extern const rates_loops rates_loops_avx2 __attribute__((weak)), rates_loops_fma_avx2 __attribute__((weak)),
    rates_loops_bw_avx512 __attribute__((weak)), rates_loops_avx512 __attribute__((weak));
