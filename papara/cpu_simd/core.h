/* What kernel.c needs from an instruction set: one function for each width of a lane.

   A vector register is divided into lanes, and each lane works on one ancestral state vector: an AVX-512 register on 32 of them with
   16 bits, on 16 with 32 bits. All lanes have the same read. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "papara/problem.h"

enum {
    COLUMNS = 8, // sites of a block
    MOST_LANES = 32,
};

typedef enum { BITS_16, BITS_32, WIDTHS } cpu_width;

/* A lane's numbers lie between -2^(bits-1) and `infinite`. The cost of one step may be added to an infinite number. */
static inline int64_t cpu_infinite(cpu_width width) {
    return width == BITS_16 ? INT16_MAX - 3 * PAPARA_PENALTY_MOST : PAPARA_INFINITE;
}
static inline int64_t cpu_lowest(cpu_width width) { return width == BITS_16 ? INT16_MIN : -PAPARA_INFINITE; }

/* How far P, the sum of gap extensions, may grow with reads of this length before it must be added back; negative: they do not fit.
   S' is S - P - insertion * j, with 0 <= S <= (mismatch + cgap) * j, and D' is at most gap_open above some S'. */
static inline int64_t cpu_drift_room(const papara_penalties *p, uint32_t length, cpu_width width) {
    const int64_t dearest = p->mismatch + p->cgap > p->insertion ? p->mismatch + p->cgap : p->insertion;
    const int64_t room =
        cpu_infinite(width) - cpu_lowest(width) - dearest * length - 2 * PAPARA_PENALTY_MOST - p->gap_open;
    return room < 2 * COLUMNS * p->gap_extend ? -1 : room;
}

/* A thread's memory, aligned for vectors. */
typedef struct {
    unsigned char *table;   // [PAPARA_CODES + 5][COLUMNS][vector]: what cpu_simd/columns.h makes for a block
    unsigned char *borders; // [rows of all the unit's reads][2][vector]: S' and D' of the column before the block
    unsigned char *bests;   // [reads of the unit][vector]
} cpu_memory;

/* A unit of work: some reads against at most as many vectors as there are lanes. */
typedef struct {
    const papara_input *input;
    size_t first_vector, vectors;
    const uint32_t *read; // [reads] of input->reads
    size_t reads;
    const uint8_t *used; // [used_count]: the codes in the reads
    int used_count;
    uint32_t longest; // of all reads that are computed in this width
    int *score;       // [input->reads.count][input->vectors]
} cpu_job;

typedef void cpu_scan(const cpu_job *job, const cpu_memory *memory);

typedef struct {
    size_t vector_bytes;
    cpu_scan *scan[WIDTHS];
} cpu_core;
