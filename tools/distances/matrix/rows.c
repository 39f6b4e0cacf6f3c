/* Rows of the matrix, gathered from tiles: a row is a row of the tiles right of the diagonal and a column of those above it. So as
   not to touch a tile for each row of it, a band of rows is gathered at a time. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/distances/matrix/internal.h"
#include "tools/distances/matrix/models.h"
#include "harness/base/memory.h"

enum {
    SQUARE = 32, // that is turned at a time: both sides of it stay in the first cache
    STRIP = 16   // rows that a thread gathers at a time: a cache line of a column of sums
};
#define BAND_BYTES ((size_t)32 << 20)     // gathered at a time from tiles in memory: the last cache has some of it
#define BAND_BYTES_RING ((size_t)8 << 20) // the same, where little memory is taken

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* --- Parts of tiles ---------------------------------------------------------------------------------------------- */

/* Rows and columns of a tile: of its distances, or of the compared sites that follow them in memory. */
typedef struct {
    size_t number;
    distances_tile tile;
    size_t behind, bytes; // where in the tile's memory its elements begin, and of one
    size_t row, rows, column, columns;
} tile_part;

/* *from: where they are in memory, from one row to the next *pitch bytes; read into `scratch` from a store. */
static wl_status fetch(const distances_matrix *matrix, const tile_part *p, unsigned char *scratch,
                       const unsigned char **from, size_t *pitch) {
    size_t whole = p->tile.columns * p->bytes, line = p->columns * p->bytes;
    size_t offset = p->behind + p->row * whole + p->column * p->bytes;
    *from = matrix->store ? scratch : distances_tile_memory(matrix, p->number) + offset;
    *pitch = matrix->store ? line : whole;
    if (matrix->store == NULL) return WL_OK;
    if (line == whole) return distances_store_get(matrix->store, p->number, offset, p->rows * line, scratch);
    wl_status status = WL_OK;
    for (size_t r = 0; r < p->rows && status == WL_OK; r++)
        status = distances_store_get(matrix->store, p->number, offset + r * whole, line, scratch + r * line);
    return status;
}

/* to[c][r] = from[r][c], elements of 4 or 8 bytes; pitches in bytes */
#define TURN(TYPE)                                                                                               \
    static void turn_##TYPE(const unsigned char *from, size_t from_pitch, size_t rows, size_t columns, TYPE *to, \
                            size_t to_pitch) {                                                                   \
        for (size_t r0 = 0; r0 < rows; r0 += SQUARE)                                                             \
            for (size_t c0 = 0; c0 < columns; c0 += SQUARE)                                                      \
                for (size_t c = c0; c < least(columns, c0 + SQUARE); c++)                                        \
                    for (size_t r = r0; r < least(rows, r0 + SQUARE); r++)                                       \
                        to[c * (to_pitch / sizeof *to) + r] = ((const TYPE *)(from + r * from_pitch))[c];        \
    }
TURN(uint32_t)
TURN(uint64_t)

/* --- The band ---------------------------------------------------------------------------------------------------- */

/* Where rows first .. first + rows - 1, which are of one row of tiles, are gathered: [rows][count] of elements of so many bytes. */
typedef struct {
    unsigned char *into;
    size_t bytes;
    int compared;
    size_t first, rows;
} layer;

/* Gathers what tile (i, j) has of `rows` rows of the layer, from its row `first` on. If only tile (j, i) is there, its columns are turned
   into rows. */
static wl_status gather_from(const distances_matrix *matrix, const layer *l, size_t i, size_t j, size_t first,
                             size_t rows, unsigned char *scratch) {
    const distances_grid *grid = &matrix->grid;
    const int right = j >= distances_tile_first(grid, i);
    if (!right && matrix->ring) return WL_OK; // nobody asks for it
    size_t row = l->first + first - i * grid->side, pitch, line = grid->columns * l->bytes;
    tile_part p = {.number = right ? distances_tile_number(grid, i, j) : distances_tile_number(grid, j, i),
                   .tile = right ? distances_tile_at(grid, i, j) : distances_tile_at(grid, j, i),
                   .bytes = l->bytes};
    if (l->compared) p.behind = distances_stored_bytes(matrix->stored) * p.tile.rows * p.tile.columns;
    p.rows = right ? rows : p.tile.rows;
    p.columns = right ? p.tile.columns : rows;
    p.row = right ? row : 0;
    p.column = right ? 0 : row;
    const unsigned char *from;
    WL_TRY(fetch(matrix, &p, scratch, &from, &pitch));
    unsigned char *into = l->into + first * line + j * grid->wide * l->bytes;
    if (right)
        for (size_t r = 0; r < p.rows; r++) memcpy(into + r * line, from + r * pitch, p.columns * l->bytes);
    else if (l->bytes == sizeof(uint32_t))
        turn_uint32_t(from, pitch, p.rows, p.columns, (uint32_t *)into, line);
    else
        turn_uint64_t(from, pitch, p.rows, p.columns, (uint64_t *)into, line);
    return WL_OK;
}

static wl_status gather(const distances_matrix *matrix, const layer *l) {
    const distances_band *band = &matrix->band;
    size_t i = l->first / matrix->grid.side, scratch_bytes = band->most * matrix->grid.wide * l->bytes;
    /* A store is read in pieces as long as they can be. */
    const size_t strip = matrix->store ? l->rows : STRIP, strips = (l->rows + strip - 1) / strip;
    wl_saved_error failure = {0};
#pragma omp parallel for schedule(dynamic) num_threads(matrix->gathering)
    for (size_t n = 0; n < matrix->grid.across * strips; n++) {
        unsigned char *scratch = band->scratch;
        if (scratch) scratch += (size_t)omp_get_thread_num() * scratch_bytes;
        const size_t first = n / matrix->grid.across * strip;
        const size_t rows = least(strip, l->rows - first);
        wl_save_error(&failure, n, gather_from(matrix, l, i, n % matrix->grid.across, first, rows, scratch));
    }
    return wl_saved_error_again(&failure);
}

/* As many rows as `memory` has room for, at most a tile's. */
static wl_status open_band(distances_matrix *matrix) {
    distances_band *band = &matrix->band;
    size_t bytes = distances_stored_bytes(matrix->stored), count = matrix->grid.columns;
    size_t scratch = matrix->store ? (size_t)matrix->threads * matrix->grid.side * bytes : 0;
    size_t each = count * (bytes + (matrix->keep_compared ? sizeof(uint32_t) : 0)) + scratch;
    band->most = least(matrix->band_bytes / each, matrix->grid.side);
    const size_t cached = matrix->ring ? BAND_BYTES_RING : BAND_BYTES;
    if (matrix->store == NULL) band->most = least(band->most, cached / (count * bytes) / STRIP * STRIP + STRIP);
    if (band->most == 0) band->most = 1;
    band->distance = malloc(band->most * count * bytes);
    band->scratch = scratch ? malloc(band->most * scratch) : NULL;
    if (band->distance == NULL || (scratch && band->scratch == NULL))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows of distances", band->most);
    return WL_OK;
}

static wl_status load(distances_matrix *matrix, size_t i, int with_compared) {
    distances_band *band = &matrix->band;
    size_t side = matrix->grid.side, bytes = distances_stored_bytes(matrix->stored);
    wl_status status = WL_OK;
    if (band->distance == NULL) status = open_band(matrix);
    if (status != WL_OK) return status;
    if (i < band->first || i >= band->first + band->rows) {
        if (matrix->computing) WL_TRY(distances_compute_until(matrix, i / side));
        size_t row = i / side * side, end = least(row + side, matrix->grid.rows);
        band->first = row + (i - row) / band->most * band->most;
        band->rows = least(band->most, end - band->first);
        band->compared_loaded = 0;
        layer distances = {band->distance, bytes, 0, band->first, band->rows};
        status = gather(matrix, &distances);
        if (status != WL_OK) band->rows = 0;
    }
    if (status != WL_OK || !with_compared || band->compared_loaded) return status;
    if (band->compared == NULL) band->compared = malloc(band->most * matrix->grid.columns * sizeof *band->compared);
    if (band->compared == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows", band->most);
    layer compared = {(unsigned char *)band->compared, sizeof *band->compared, 1, band->first, band->rows};
    status = gather(matrix, &compared);
    band->compared_loaded = status == WL_OK;
    return status;
}

/* --- Measures ---------------------------------------------------------------------------------------------------- */

/* sum and compared [count] to distances; compared NULL: all sites, of all pairs. */
static void measure(const distances_matrix *matrix, const uint32_t *sum, const double *real, const uint32_t *compared,
                    double *distance) {
    size_t count = matrix->grid.columns;
    double sites = (double)matrix->sites;
    if (real)
        memcpy(distance, real, count * sizeof *distance);
    else
        for (size_t j = 0; j < count; j++) distance[j] = sum[j];
    if (matrix->measure == DISTANCES_IBS)
        for (size_t j = 0; j < count; j++) {
            double of = compared ? compared[j] : sites;
            distance[j] = of > 0 ? 1 - distance[j] / (matrix->largest_value * of) : NAN;
        }
    else if (matrix->measure == DISTANCES_P || matrix->measure == DISTANCES_JC69)
        for (size_t j = 0; j < count; j++) {
            double of = compared ? compared[j] : sites;
            distance[j] = matrix->measure == DISTANCES_JC69 ? distances_jc69(of, distance[j])
                          : of > 0                          ? distance[j] / of
                                                            : NAN;
        }
    else if (matrix->rescale && compared)
        for (size_t j = 0; j < count; j++) distance[j] = compared[j] > 0 ? distance[j] * sites / compared[j] : NAN;
    for (size_t j = 0; j < count && matrix->min_compared > 0; j++)
        if ((compared ? compared[j] : matrix->sites) < matrix->min_compared) distance[j] = NAN;
}

/* Row i of those that the band holds. */
static void take_row(const distances_matrix *matrix, size_t i, int asks, double *distance, uint32_t *compared) {
    const distances_band *band = &matrix->band;
    const size_t count = matrix->grid.columns, at = (i - band->first) * count;
    int whole = distances_stored_bytes(matrix->stored) == sizeof(uint32_t);
    const uint32_t *from = matrix->keep_compared && asks ? band->compared + at : NULL;
    measure(matrix, whole ? (const uint32_t *)band->distance + at : NULL,
            whole ? NULL : (const double *)band->distance + at, from, distance);
    for (size_t j = 0; compared && j < count; j++) compared[j] = from ? from[j] : (uint32_t)matrix->sites;
}

wl_status distances_matrix_rows(distances_matrix *matrix, size_t first, size_t rows, double *distance,
                                uint32_t *compared) {
    enum { MANY = 1 << 16 }; // numbers, from which on threads are worth it
    const size_t count = matrix->grid.columns, end = first + rows;
    const int asks = compared || matrix->rescale || matrix->min_compared > 0 || distances_by_compared(matrix->measure);
    if (end > matrix->grid.rows)
        return wl_fail(WL_BAD_USAGE, "row %zu of distances; expected less than %zu", end - 1, matrix->grid.rows);
    if (compared && !matrix->complete && !matrix->keep_compared)
        return wl_fail(WL_BAD_USAGE, "compared sites were discarded; expected a matrix that keeps them");
    for (size_t i = first; i < end;) {
        WL_TRY(load(matrix, i, asks && matrix->keep_compared));
        const size_t here = least(end, matrix->band.first + matrix->band.rows);
#pragma omp parallel for schedule(static) num_threads(matrix->gathering) if ((here - i) * count >= MANY)
        for (size_t r = i; r < here; r++)
            take_row(matrix, r, asks, distance + (r - first) * count, compared ? compared + (r - first) * count : NULL);
        i = here;
    }
    return WL_OK;
}

wl_status distances_matrix_row(distances_matrix *matrix, size_t i, double *distance, uint32_t *compared) {
    return distances_matrix_rows(matrix, i, 1, distance, compared);
}

int distances_matrix_has_sums(const distances_matrix *matrix) {
    const int sums = matrix->measure == DISTANCES_COUNT || matrix->measure == DISTANCES_ALLELES ||
                     matrix->measure == DISTANCES_MANHATTAN;
    return sums && matrix->memory != NULL && matrix->min_compared == 0 && (!matrix->rescale || matrix->complete) &&
           distances_stored_bytes(matrix->stored) == sizeof(uint32_t);
}

wl_status distances_matrix_sums(distances_matrix *matrix, size_t first, size_t rows, uint32_t *sum) {
    const size_t count = matrix->grid.columns, side = matrix->grid.side, end = first + rows;
    if (end > matrix->grid.rows)
        return wl_fail(WL_BAD_USAGE, "row %zu of distances; expected less than %zu", end - 1, matrix->grid.rows);
    for (size_t i = first, some; i < end; i += some) {
        some = least(end, (i / side + 1) * side) - i;
        if (matrix->computing) WL_TRY(distances_compute_until(matrix, i / side));
        const layer sums = {(unsigned char *)(sum + (i - first) * count), sizeof *sum, 0, i, some};
        WL_TRY(gather(matrix, &sums));
    }
    return WL_OK;
}

void distances_matrix_gather_with(distances_matrix *matrix, int threads) {
    if (threads < matrix->gathering) matrix->gathering = threads;
}

size_t distances_matrix_count(const distances_matrix *matrix) { return matrix->grid.rows; }
size_t distances_matrix_columns(const distances_matrix *matrix) { return matrix->grid.columns; }
size_t distances_matrix_first(const distances_matrix *matrix) { return matrix->grid.first; }
int distances_matrix_has_gaps(const distances_matrix *matrix) { return matrix->min_compared > 0; }
int distances_matrix_on_disk(const distances_matrix *matrix) { return matrix->store != NULL; }
size_t distances_matrix_room(const distances_matrix *matrix) { return matrix->band_bytes; }

uint64_t distances_matrix_largest(const distances_matrix *matrix) {
    if (matrix->kind == DISTANCES_REALS || matrix->measure == DISTANCES_IBS || matrix->measure >= DISTANCES_P) return 0;
    if (matrix->rescale && !matrix->complete) return 0;
    uint64_t value = (uint64_t)matrix->largest_value;
    uint64_t step = matrix->measure == DISTANCES_COUNT        ? 1
                    : matrix->measure == DISTANCES_EUCLIDEAN2 ? value * value
                                                              : value;
    return step * matrix->sites; // 127^2 * 2^31 is exact in a double
}

void distances_matrix_close(distances_matrix *matrix, int remove) {
    if (matrix == NULL) return;
    distances_compute_drop(matrix);
    distances_store_close(matrix->store, remove);
    WL_FREE(matrix->memory, matrix->owner, matrix->band.distance, matrix->band.compared, matrix->band.scratch, matrix);
}
