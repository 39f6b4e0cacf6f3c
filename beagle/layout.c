/* Columns in tiles. */
#include <stdlib.h>

#include "beagle/instance.h"

size_t bg_columns(const bg_instance *b) { return b->tile_count * b->layout.tile; }

peeling_precision bg_precision(const bg_instance *b) {
    return b->flags & BEAGLE_FLAG_PRECISION_SINGLE ? PEELING_SINGLE : PEELING_DOUBLE;
}

/* Columns of a tile. With many states as in peeling/cpu_simd: a tile's partials stay in the second-level cache through all joins. With four
   they come from memory, where every node's are kept, and long rows come faster: BEAST's benchmark2 takes 1.64 ms an evaluation with 240
   columns, 1.08 with 480, 0.83 with 960, 0.81 with 1,920. */
enum { TILE = 96, TILE_FEW = 960, UNITS_A_THREAD = 4 };

/* Fewer floating-point operations per join and all its columns than this are one thread's: waking others takes longer. */
enum { SMALL_JOIN = 400000 };

int bg_lay_out(bg_instance *b) {
    /* As many tiles of the largest size as there have to be, or as give every thread several units of work; of the same size. */
    const size_t most = b->layout.few ? TILE_FEW : TILE;
    const double operations = (double)(b->rates * b->patterns * b->layout.states) * (double)(4 * b->layout.states - 1);
    const size_t threads = operations < SMALL_JOIN ? 1 : (size_t)b->threads;
    size_t tiles = (b->patterns + most - 1) / most;
    if (threads > 1 && tiles * b->rates < threads * UNITS_A_THREAD)
        tiles = (threads * UNITS_A_THREAD + b->rates - 1) / b->rates;
    b->layout = cpu_lay_out(b->layout.core, bg_precision(b), b->layout.states,
                            cpu_rounded((b->patterns + tiles - 1) / tiles, CPU_STEP));
    free(b->tiles);
    free(b->column);
    b->tiles = malloc(sizeof *b->tiles * (b->patterns / b->layout.tile + (size_t)b->partitions + 1));
    b->column = malloc(sizeof *b->column * (b->patterns + 1));
    if (b->tiles == NULL || b->column == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    b->tile_count = 0;
    size_t first = 0;
    for (int p = 0; p < b->partitions; p++) {
        bg_tile *tile = NULL;
        for (size_t c = 0; c < b->patterns; c++) {
            if (b->partition != NULL && b->partition[c] != p) continue;
            if (tile == NULL || tile->columns == b->layout.tile) {
                tile = &b->tiles[b->tile_count++];
                *tile = (bg_tile){.first = first, .partition = p};
            }
            b->column[c] = (b->tile_count - 1) * b->layout.tile + tile->columns++;
            first++;
        }
    }
    b->scratch_bytes = b->layout.scratch_bytes + b->layout.vector_bytes;
    free(b->scratch);
    b->scratch = bg_zeros(b->scratch_bytes * (size_t)b->threads);
    free(b->by_column);
    free(b->log_of_column);
    free(b->of_column);
    b->by_column = bg_zeros(3 * sizeof *b->by_column * bg_columns(b));
    b->log_of_column = bg_zeros(sizeof *b->log_of_column * bg_columns(b));
    b->of_column = bg_zeros(sizeof *b->of_column * bg_columns(b));
    return b->scratch == NULL || b->by_column == NULL || b->log_of_column == NULL || b->of_column == NULL
               ? BEAGLE_ERROR_OUT_OF_MEMORY
               : BEAGLE_SUCCESS;
}

int bg_make_identity(bg_instance *b) {
    double *one = bg_zeros(sizeof *one * b->layout.states * b->layout.row);
    b->identity = bg_zeros(b->layout.matrix_bytes);
    if (one != NULL && b->identity != NULL) {
        for (size_t s = 0; s < b->layout.states; s++) one[s * b->layout.row + s] = 1;
        cpu_store_matrix(&b->layout, one, b->identity);
    }
    free(one);
    return one == NULL || b->identity == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
}
