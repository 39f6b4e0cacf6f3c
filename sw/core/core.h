/* The interface between sw/core's host code and its cores, one per instruction set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "io/database/alphabet.h"

typedef enum { PAIR_8, PAIR_16, PAIR_32, PAIR_WIDTHS } pair_width;

/* How a tile ended: all its columns are done, a score may not fit the lanes, or the goal is reached. */
typedef enum { TILE_DONE, TILE_TOO_NARROW, TILE_GOAL } tile_end;

/* Some columns of a band of rows. Row r of the band is in lane r / segments, and there in vector r % segments. Lanes hold H, E and
   F less `base`. So 16 bits can hold any score, because the H of neighbours differ by little. */
typedef struct {
    uint32_t segments;      // vectors per column
    unsigned char *profile; // [SW_CODES][segments] vectors: the scores of a column's letter with all rows
    unsigned char *cells;   // [segments][2] vectors: H and E of the column before, afterwards of the last one
    int base;               // of cells, before and after
    void *edge;             // [columns][2] numbers of a lane's width: H and F of the row above, then of the last row
    int edge_base;          // of edge, before and after
    int corner;             // H of the row above in the column before, then in the last column
    int is_first, is_last;  // no band is above, so edge is not read; none below, so it is not written
    const uint8_t *letters; // [columns]
    /* Rows of all bands with which a column may not pair: column c has bar_row[bar_at[c]] .. bar_row[bar_at[c + 1] - 1]. NULL: none.
       bar_saved has room for the most that a column has. */
    const uint32_t *bar_at, *bar_row;
    int *bar_saved;
    uint32_t first_row; // of all bands, is the band's first
    uint32_t columns;
    int gap_open, gap_extend, highest;
    /* The best of the band so far. wants_end: also its place, at the least column, then the least row. by_row: at the least row,
       then the least column. */
    int wants_end, by_row;
    int best;
    uint32_t best_row, best_column; // of the band; of all columns
    uint32_t first_column;          // of all columns, is letters[0]
    int goal;                       // more than 0: end with the first column whose best is this
} pair_tile;

/* Fills the profile for `count` rows of these letters and the `used_count` letters that columns have. */
typedef void pair_fill(const uint8_t *rows, uint32_t count, uint32_t segments, const int8_t (*matrix)[SW_CODES],
                       const uint8_t *used, int used_count, unsigned char *profile);
typedef tile_end pair_compute(pair_tile *tile);

typedef struct {
    size_t vector_bytes;
    pair_fill *fill[PAIR_WIDTHS];
    pair_compute *compute[PAIR_WIDTHS];
} pair_core;
