/* What the kernel needs of an instruction set: two functions for every number of planes.

   The planes of an alphabet of A letters are the P = ceil(log2 A) bits of an attribute's value, each kept in a word of
   its own. A word is 512 attributes: 64 bytes, one cache line, one AVX-512 register. Four instances make a panel:

       panel: [words][PANEL instances][planes][WORD_BYTES]

   so that the tile's inner loop reads two streams of memory from front to back and nothing else. */
#ifndef LESSONS_CPU_SIMD_CORE_H
#define LESSONS_CPU_SIMD_CORE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PANEL = 4,             /* instances side by side: a tile is PANEL x PANEL distances */
    WORD_BYTES = 64,       /* of one plane */
    WORD_ATTRIBUTES = 512, /* attributes in a word */
    MOST_PLANES = 8,       /* alphabets of at most 256 letters */
    MOST_WORDS = 64,       /* that one call of a count function is given */
};

/* Cut `count` values into planes: `words` words of one instance, one every PANEL * planes * WORD_BYTES bytes from
   `out`; bits past `count` are zero. Which bit of a word an attribute gets is the core's own affair. */
typedef void cpu_simd_pack(const int *values, size_t count, size_t words, unsigned char *out);

/* Add to sums[row][column] the attributes in which instance `row` of panel `rows` and instance `column` of panel
   `columns` differ, over `words` words. */
typedef void cpu_simd_count(const unsigned char *rows, const unsigned char *columns, size_t words,
                            int sums[PANEL][PANEL]);

typedef struct {
    cpu_simd_pack *pack[MOST_PLANES + 1];   /* [planes]; [0] is not used */
    cpu_simd_count *count[MOST_PLANES + 1]; /* [planes] */
} cpu_simd_core;

/* One a file kernel_*.c; NULL when the compiler did not build it. Whether this CPU can run it is harness/base/cpu_isa.h's question:
   nothing of a file built for an instruction set may run before that is answered. */
extern const cpu_simd_core *const cpu_simd_portable;
extern const cpu_simd_core *const cpu_simd_avx2;
extern const cpu_simd_core *const cpu_simd_avx512bw;
extern const cpu_simd_core *const cpu_simd_avx512vpopcntdq;

#endif
