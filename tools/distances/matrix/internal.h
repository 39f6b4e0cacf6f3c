/* What the files of the matrix share: its tiles, and where they are kept. */
#pragma once

#include "tools/distances/matrix/matrix.h"
#include "tools/distances/matrix/store.h"
#include "harness/bench/pool.h"

/* What is added up; measures are made of it row by row. */
typedef enum {
    DISTANCES_STORED_DIFFERENT,  // uint32_t, by the variants
    DISTANCES_STORED_STEPS,      // uint32_t, by the variants
    DISTANCES_STORED_SQUARES,    // double, by real.c
    DISTANCES_STORED_MAGNITUDES, // double, by real.c
    DISTANCES_STORED_UNEQUAL,    // double, by real.c
    DISTANCES_STORED_K80,        // double, of variants' counts by model_tile.c, and below
    DISTANCES_STORED_TN93,
    DISTANCES_STORED_LOGDET
} distances_stored;

/* WL_BAD_USAGE where the measure has no meaning for the data. */
wl_status distances_stored_for(const distances_data *data, distances_measure measure, distances_stored *stored);
static inline size_t distances_stored_bytes(distances_stored stored) {
    return stored == DISTANCES_STORED_DIFFERENT || stored == DISTANCES_STORED_STEPS ? sizeof(uint32_t) : sizeof(double);
}
static inline int distances_by_variants(distances_stored stored) {
    return stored != DISTANCES_STORED_SQUARES && stored != DISTANCES_STORED_MAGNITUDES &&
           stored != DISTANCES_STORED_UNEQUAL;
}
/* Is the measure a quotient by the sites that were compared? */
static inline int distances_by_compared(distances_measure measure) {
    return measure == DISTANCES_IBS || measure == DISTANCES_P || measure == DISTANCES_JC69;
}

/* --- Tiles ------------------------------------------------------------------------------------------------------- */

/* Tile (I, J) holds rows I * side .. and columns J * wide .., the last ones fewer. In a triangle, rows and columns are the same
   instances, and only the tiles on the diagonal and right of it are there. */
typedef struct {
    size_t rows, columns; // instances
    size_t first;         // the instance that is the first column; the first row is instance 0
    int is_triangle;
    size_t side, wide;   // of a tile: rows, and columns, a multiple of them
    size_t down, across; // tiles: rows / side and columns / wide, rounded up
} distances_grid;

typedef struct {
    size_t row, rows, column, columns; // instances
} distances_tile;

/* All pairs of `count` instances in squares. */
distances_grid distances_grid_square(size_t count, size_t side);
/* The first tile column that is there in tile row i. */
static inline size_t distances_tile_first(const distances_grid *grid, size_t i) {
    return grid->is_triangle ? i * grid->side / grid->wide : 0;
}
/* Number of the tile in tile row i and tile column j >= distances_tile_first: row by row. */
size_t distances_tile_number(const distances_grid *grid, size_t i, size_t j);
size_t distances_tiles(const distances_grid *grid);
distances_tile distances_tile_at(const distances_grid *grid, size_t i, size_t j);
distances_tile distances_tile_numbered(const distances_grid *grid, size_t number);
/* Are its rows and columns the same instances? */
static inline int distances_on_diagonal(const distances_tile *tile) {
    return tile->row == tile->column && tile->rows == tile->columns;
}
/* Pairs that are asked for: of a triangle i < j. */
double distances_tile_pairs(const distances_grid *grid, const distances_tile *tile);

/* --- Parts (part.c) ---------------------------------------------------------------------------------------------- */

/* The side of tiles of a run in parts. */
size_t distances_share_side(size_t count, size_t parts);
/* owner [tiles]: which part each tile is in. */
void distances_share_owners(const distances_grid *grid, size_t parts, uint32_t *owner);

/* --- The plan ---------------------------------------------------------------------------------------------------- */

typedef struct {
    distances_stored stored;
    int keep_compared;
    size_t memory;  // bytes that may be used
    double needed;  // of them, by the smallest tiles while they are computed
    size_t workers; // host threads that compute tiles
    distances_grid grid;
    size_t tile_bytes; // of a whole tile as it is kept
    size_t ring;       // tiles in memory at a time, where rows are read once and in order; 0: all
    int fits;          // all tiles, and what works on them, into memory
    double seconds;    // a guess
} distances_plan;
distances_plan distances_plan_make(const distances_request *request, distances_stored stored);
/* Shall the tiles be in the request's store, also where memory would do? */
int distances_plan_keeps(const distances_request *request, const distances_plan *plan);
/* The plan with another side, a store's. */
void distances_plan_side(const distances_request *request, distances_plan *plan, size_t side);
/* May all instances stay on a device of so much memory? Tiles leave a tenth of it unused, so instances that take less than that cost no
   tile its size. */
int distances_stays(const distances_data *data, size_t memory);
/* Bytes of main memory while tiles of this side are computed, but for the matrix. */
double distances_plan_work_bytes(const distances_plan *plan, size_t side);

/* --- The matrix -------------------------------------------------------------------------------------------------- */

/* Rows as they have been gathered from the tiles. */
typedef struct {
    size_t first, rows;  // what it holds
    size_t most;         // rows; a tile's at most
    void *distance;      // [most][count] uint32_t or double
    uint32_t *compared;  // [most][count]; NULL: never asked for
    int compared_loaded; // for these rows
    void *scratch;       // [threads][most * side] as wide as a distance: parts of tiles from the disk
} distances_band;

typedef struct distances_computing distances_computing;

struct distances_matrix {
    distances_computing *computing; // until distances_compute_end; NULL: never begun
    distances_measure measure;
    int rescale;
    uint64_t min_compared; // 0: no pair has fewer than are asked for
    distances_kind kind;
    int complete;
    int largest_value; // of integers
    uint64_t sites;
    distances_grid grid;
    distances_stored stored;
    int keep_compared;
    size_t tile_bytes; // from one tile to the next
    size_t ring;       // of them, in which tile n has place n % ring; 0: a place for each
    /* [ring or tiles][tile_bytes]: distances, compared sites, [rows][columns]; NULL: stored */
    unsigned char *memory;
    distances_store *store;
    const distances_share *share; // NULL, or where tiles go or come from
    uint32_t *owner;              // [tiles], with a share
    size_t band_bytes;            // of main memory that the band may take, and as much whoever lays out its rows
    int threads, gathering;       // those that gather rows: all or some of them
    distances_band band;
};

/* Where a tile is in memory. */
static inline unsigned char *distances_tile_memory(const distances_matrix *matrix, size_t number) {
    return matrix->memory + (matrix->ring ? number % matrix->ring : number) * matrix->tile_bytes;
}

/* Wait until all tiles of tile rows 0 .. row are there. In a ring, those of earlier rows are there no longer. */
wl_status distances_compute_until(distances_matrix *matrix, size_t row);
void distances_compute_drop(distances_matrix *matrix);

/* Without its tiles, but with a place for them; the plan's side becomes that of the store, where there is one already. Also after
   a failure: distances_matrix_close. */
wl_status distances_matrix_make(const distances_request *request, distances_plan *plan, distances_matrix *matrix);

/* --- One tile on one device, by the best variant that takes it ------------------------------------------------------ */

/* output [2][rows][columns] of the input: distance and compared. On the worker's thread. An input that is too large for the
   device is cut. */
wl_status distances_tile_run(wl_worker *worker, const distances_input *input, uint32_t *output);

/* --- Tiles of evolutionary models (model_tile.c) ---------------------------------------------------------------------- */

/* How many counts a pair needs; 0: it is no model. */
int distances_model_counts(distances_stored stored);
/* Bytes that a pair takes in a worker's result. */
size_t distances_model_bytes(distances_stored stored);
/* Writes into result: double [pairs], then uint32_t compared [pairs]. The rest is scratch; result has pairs * distances_model_bytes in
   all. */
wl_status distances_model_tile(wl_worker *worker, const distances_input *input, distances_stored stored,
                               const double frequency[4], int threads, void *result);
/* The frequencies of A, C, G and T in all of the data. */
void distances_base_frequencies(const distances_data *data, int threads, double frequency[4]);
