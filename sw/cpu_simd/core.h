/* What the kernel needs from an instruction set: one function per width of a lane.

   A vector register is cut into lanes, and each lane works on one subject: an AVX-512 register on 64 subjects in 8 bits, 32 in
   16, 16 in 32. All of them are compared with the same query. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "io/database/set.h"
#include "sw/problem.h"

enum {
    COLUMNS = SW_ALIGN, // columns of the subject that a pass over the query's rows computes
    MOST_LANES = 64,
    VECTOR_MOST = 64, // bytes
    CACHE_LINE = 64,  // bytes
    /* Rows that a pass covers: a column of H and E is at most 512 KiB and stays in the second-level cache. A longer
       query is cut into bands of so many rows, and `edges` has what one band hands to the next. */
    BAND_ROWS = 4096,
};

typedef enum { BITS_8, BITS_16, BITS_32, WIDTHS } cpu_width;

/* A thread's memory, aligned for vectors. */
typedef struct {
    unsigned char *cells;   // [rows of a band][2][vector]: H and E of the column computed last
    unsigned char *profile; // [SW_CODES][COLUMNS][vector]: the scores of a query residue with the lanes' residues
    unsigned char *edges;   // [blocks of columns][COLUMNS][2][vector]: H and F of a band's last row; one band: not used
} cpu_memory;

/* One query against `count` subjects. */
typedef struct {
    const uint8_t *query; // [rows] codes
    uint32_t rows;
    const sw_set *database;
    const uint32_t *subject; // [count]: sequences of the database; longest first is fastest
    int *score;              // [count]: the result, or NO_SCORE if the lane was too narrow
    size_t count;
    const int8_t (*matrix)[SW_CODES]; // [query code][subject code]
    int gap_open, gap_extend, highest;
} cpu_job;

enum { NO_SCORE = -1 };

typedef void cpu_scan(const cpu_job *job, const cpu_memory *memory);

typedef struct {
    size_t vector_bytes;
    cpu_scan *scan[WIDTHS];
} cpu_core;
