/* What the kernel needs of an instruction set: a function for every number of planes, both sums, with and without missing values.

   A word is 512 sites: 64 bytes, one cache line, one AVX-512 register. Four instances make a panel:

       panel: [words][PANEL instances][kept planes][WORD_BYTES]

   so that the inner loop reads two streams of memory from front to back and nothing else. Kept are an instance's planes, and behind
   them the plane of present values unless nothing is missing. */
#ifndef DISTANCES_CPU_SIMD_CORE_H
#define DISTANCES_CPU_SIMD_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "distances/problem.h"

enum {
    PANEL = 4,        /* instances side by side: a square is PANEL x PANEL pairs */
    WORD_BYTES = 64,  /* of one plane */
    WORD_SITES = 512, /* sites in a word */
    MOST_WORDS = 64,  /* that one call of a count function is given */
};

/* compared is not touched where nothing is missing. */
typedef struct {
    uint32_t distance[PANEL][PANEL], compared[PANEL][PANEL]; /* [row][column] */
} cpu_square;

/* Add to `square` what `words` words of panel `rows` and panel `columns` have. */
typedef void cpu_count(const unsigned char *rows, const unsigned char *columns, size_t words, cpu_square *square);

typedef struct {
    cpu_count *count[2][2][DISTANCES_PLANES_MOST + 1]; /* [distances_sum][complete][planes]; [][][0] is not used */
} cpu_core;

/* One a file kernel_*.c; NULL when the compiler did not build it. Whether this CPU can run it is harness/base/cpu_isa.h's question:
   nothing of a file built for an instruction set may run before that is answered. */
extern const cpu_core *const cpu_core_portable;
extern const cpu_core *const cpu_core_sse41;
extern const cpu_core *const cpu_core_avx2;
extern const cpu_core *const cpu_core_avx512bw;
extern const cpu_core *const cpu_core_avx512vpopcntdq;

#endif
