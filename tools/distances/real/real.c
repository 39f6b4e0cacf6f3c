#include "tools/distances/real/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "harness/base/cpu.h"

#include "tools/distances/real/real_block.h"

enum { BLOCK = DISTANCES_REAL_BLOCK, SITES = DISTANCES_REAL_SITES, LANES = DISTANCES_REAL_LANES };

/* What a thread works in. */
typedef struct {
    double rows[BLOCK][SITES], columns[BLOCK][SITES];
    double sum[BLOCK][BLOCK];
    uint32_t compared[BLOCK][BLOCK];
} desk;

typedef struct {
    const distances_data *data;
    distances_real_sum sum_of;
    distances_real_core *core;
    size_t row, rows, column, columns; // of the tile
    double *distance;                  // [rows][columns]
    uint32_t *compared;                // [rows][columns]
} tile;

static const wl_cpu_core *choose(void) {
    static wl_cpu_core cores[3];
    cores[0] = (wl_cpu_core){WL_ISA_AVX512BW, (const void *)distances_real_core_bw_avx512};
    cores[1] = (wl_cpu_core){WL_ISA_AVX2, (const void *)distances_real_core_avx2};
    cores[2] = (wl_cpu_core){WL_ISA_PORTABLE, (const void *)distances_real_core_portable};
    const char *why;
    const wl_cpu_core *core = wl_cpu_choose(cores, 3, &why);
    return core ? core : &cores[2];
}

const char *distances_real_instruction_set(void) { return wl_cpu_isa_title(choose()->isa); }

/* Values first .. of instances first_instance .. into `into`, up to whole vectors: [instances][SITES]. */
static void fetch(const distances_data *data, size_t first_instance, size_t instances, uint64_t first, size_t sites,
                  double (*into)[SITES]) {
    for (size_t i = 0; i < instances; i++) {
        size_t instance = first_instance + i, k = 0;
        if (data->real) {
            memcpy(into[i], data->real + instance * data->sites + first, sites * sizeof(double));
            k = sites;
        } else {
            uint8_t value[SITES];
            size_t stride = (size_t)(data->planes + 1) * data->words;
            distances_unpack(data->sum, data->planes, sites, data->bits + instance * stride + first / 64, data->words,
                             value);
            for (; k < sites; k++) into[i][k] = value[k] == DISTANCES_MISSING ? NAN : value[k];
        }
        for (; k % LANES; k++) into[i][k] = data->complete ? 0 : NAN;
    }
}

/* The block of pairs from row r and column c of the tile. */
static void work(const tile *t, size_t r, size_t c, desk *d) {
    const distances_data *data = t->data;
    distances_real_block block = {.rows = d->rows[0],
                                  .columns = d->columns[0],
                                  .row_count = t->rows - r < BLOCK ? t->rows - r : BLOCK,
                                  .column_count = t->columns - c < BLOCK ? t->columns - c : BLOCK,
                                  .sum_of = t->sum_of,
                                  .complete = data->complete,
                                  .sum = d->sum[0],
                                  .compared = d->compared[0]};
    memset(d->sum, 0, sizeof d->sum);
    memset(d->compared, 0, sizeof d->compared);
    for (uint64_t first = 0; first < data->sites; first += SITES) {
        size_t sites = data->sites - first < SITES ? (size_t)(data->sites - first) : SITES;
        fetch(data, t->row + r, block.row_count, first, sites, d->rows);
        fetch(data, t->column + c, block.column_count, first, sites, d->columns);
        block.steps = (sites + LANES - 1) / LANES;
        t->core(&block);
    }
    for (size_t i = 0; i < block.row_count; i++)
        for (size_t j = 0; j < block.column_count; j++) {
            t->distance[(r + i) * t->columns + c + j] = d->sum[i][j];
            t->compared[(r + i) * t->columns + c + j] = data->complete ? (uint32_t)data->sites : d->compared[i][j];
        }
}

static void mirror(const tile *t) {
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < i; j++) {
            t->distance[i * t->columns + j] = t->distance[j * t->columns + i];
            t->compared[i * t->columns + j] = t->compared[j * t->columns + i];
        }
}

wl_status distances_real_tile(const distances_data *data, distances_real_sum sum, size_t row, size_t rows,
                              size_t column, size_t columns, int threads, double *distance, uint32_t *compared) {
    tile t = {.data = data,
              .sum_of = sum,
              .core = (distances_real_core *)choose()->core,
              .row = row,
              .rows = rows,
              .column = column,
              .columns = columns,
              .distance = distance,
              .compared = compared};
    int symmetric = row == column && rows == columns, short_of_memory = 0;
    size_t down = (rows + BLOCK - 1) / BLOCK, across = (columns + BLOCK - 1) / BLOCK;
#pragma omp parallel num_threads(threads) reduction(| : short_of_memory)
    {
        desk *d = aligned_alloc(64, (sizeof *d + 63) / 64 * 64);
        short_of_memory |= d == NULL;
#pragma omp for collapse(2) schedule(dynamic)
        for (size_t i = 0; i < down; i++)
            for (size_t j = 0; j < across; j++)
                if (d != NULL && (!symmetric || j >= i)) work(&t, i * BLOCK, j * BLOCK, d);
        free(d);
    }
    if (short_of_memory) return wl_fail(WL_NO_MACHINE, "not enough memory for %d threads", threads);
    if (symmetric) mirror(&t);
    return WL_OK;
}
