/* The loops that the CPU's vector rates are measured with, once for each instruction set. */
#ifndef WL_RATES_CPU_H
#define WL_RATES_CPU_H

#include <stdint.h>

/* Per step and 64-bit word: popcount((a0 ^ b0) | (a1 ^ b1)), added to a sum: how far two strings of two-bit letters
   differ. Everything stays in registers. Runs `steps` steps and returns the words done; *sum keeps the compiler honest. */
typedef double wl_logic_loop(uint64_t steps, uint64_t *sum);

/* NULL where the compiler was not asked for that instruction set. Whether the processor has it, the caller finds out. */
extern wl_logic_loop *const wl_logic_loop_avx512;
extern wl_logic_loop *const wl_logic_loop_avx2;

/* Per step and byte: a saturating subtraction, and a maximum of its result. Returns the bytes' operations done. */
typedef double wl_bytes_loop(uint64_t steps, uint64_t *sum);

extern wl_bytes_loop *const wl_bytes_loop_avx512;
extern wl_bytes_loop *const wl_bytes_loop_avx2;
extern wl_bytes_loop *const wl_bytes_loop_portable; /* never NULL: SSE2 where that is there, else plain C */

/* Per step and 16-bit word: an addition, and a minimum of its result. Returns the words' operations done. */
typedef double wl_words_loop(uint64_t steps, uint64_t *sum);

extern wl_words_loop *const wl_words_loop_avx512;
extern wl_words_loop *const wl_words_loop_avx2;
extern wl_words_loop *const wl_words_loop_portable; /* never NULL */

/* Per step and number: a multiplication and an addition, in one instruction where there is one. Returns the operations done,
   two a number. */
typedef double wl_fma_loop(uint64_t steps, uint64_t *sum);

extern wl_fma_loop *const wl_fma_floats_avx512, *const wl_fma_doubles_avx512;
extern wl_fma_loop *const wl_fma_floats_avx2, *const wl_fma_doubles_avx2;         /* with FMA */
extern wl_fma_loop *const wl_fma_floats_portable, *const wl_fma_doubles_portable; /* never NULL */

#endif
