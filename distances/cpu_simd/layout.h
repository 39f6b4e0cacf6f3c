/* The instances as panels, in blocks of words that stay in the caches. */
#ifndef DISTANCES_CPU_SIMD_LAYOUT_H
#define DISTANCES_CPU_SIMD_LAYOUT_H

#include "distances/cpu_simd/core.h"

/* One side of the matrix. planes: [blocks][panels][words of the block][PANEL][kept][WORD_BYTES] */
typedef struct {
    size_t panels; /* of PANEL instances; the last one is padded with zeros */
    unsigned char *planes;
} cpu_side;

typedef struct {
    const distances_input *input;
    size_t words;       /* of 512 sites */
    size_t block_words; /* words of a block; the last block may have fewer */
    size_t blocks;
    size_t edge; /* panels along a tile, which is what a thread takes */
    int kept;    /* planes */
    int threads;
    cpu_side rows, columns; /* the same memory where the input is symmetric */
    cpu_count *count;
    cpu_square *squares; /* [threads][edge][edge]: the pairs of a tile */
    uint32_t *distance;  /* [rows][columns] */
    uint32_t *compared;  /* [rows][columns]; NULL where nothing is missing: all `sites` */
} cpu_state;

static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t divided_up(size_t a, size_t b) { return (a + b - 1) / b; }

static inline size_t panel_word_bytes(const cpu_state *s) { return (size_t)PANEL * s->kept * WORD_BYTES; }

static inline size_t words_of_block(const cpu_state *s, size_t block) {
    return least(s->block_words, s->words - block * s->block_words);
}

static inline unsigned char *panel_of_block(const cpu_state *s, const cpu_side *side, size_t block, size_t panel) {
    const size_t before = block * s->block_words * side->panels + panel * words_of_block(s, block);
    return side->planes + before * panel_word_bytes(s);
}

/* Sizes, of everything but `count`; no memory is taken. threads: 0 for all cores. */
void cpu_lay_out(const distances_input *input, int threads, cpu_state *s);
/* Bytes that cpu_allocate takes. */
double cpu_bytes(const cpu_state *s);
/* Memory, and the panels filled in. Returns 0 where there is not enough; cpu_free either way. */
int cpu_allocate(cpu_state *s);
void cpu_free(cpu_state *s);

#endif
