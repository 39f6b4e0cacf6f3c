/* Computes one pair's table by all lanes and threads.

   The rows are the residues of the longer sequence, and lanes share them (stripes.h). Rows are cut into bands whose H and E stay in
   the first-level cache; with AVX-512 they fill it (see pair.h). A thread takes one band at a time, in order. A band needs for each
   column what the band above left in `edge`. So threads follow each other through the table, some columns apart. */
#include "sw/core/pair.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "sw/core/core.h"

enum {
    LINE = 64, // bytes of a cache line, and of the longest vector
    LEAST_SEGMENTS =
        16,           // of a band, if there is a choice: with fewer, the columns' beginnings cost as much as the rest
    MOST_BLOCK = 512, // columns that a thread computes before the next thread may
    LEAST_BLOCK = 16,
    LEAST_RANGE = 48,     // scores that lanes of 8 bits must hold to be tried
    SMALL_CELLS = 500000, // with fewer, starting threads costs more than they save
    FIRST_ROUND = 256,    // columns before the first test whether the known score is reached
};

/* --- Which core -------------------------------------------------------------------------------------------------------- */

extern const pair_core sw_pair_core_portable;
extern const pair_core sw_pair_core_sse41 __attribute__((weak)), sw_pair_core_avx2 __attribute__((weak)),
    sw_pair_core_bw_avx512 __attribute__((weak)), sw_pair_core_vbmi_avx512 __attribute__((weak)),
    sw_pair_core_amd_vbmi_avx512 __attribute__((weak));

static const pair_core *chosen(const char **why) {
    const wl_cpu_core cores[] = {
        // best first
        {WL_ISA_AVX512AMD, &sw_pair_core_amd_vbmi_avx512},
        {WL_ISA_AVX512VBMI, &sw_pair_core_vbmi_avx512},
        {WL_ISA_AVX512BW, &sw_pair_core_bw_avx512},
        {WL_ISA_AVX2, &sw_pair_core_avx2},
        {WL_ISA_SSE41, &sw_pair_core_sse41},
        {WL_ISA_PORTABLE, &sw_pair_core_portable},
    };
    const wl_cpu_core *found = wl_cpu_choose(cores, sizeof cores / sizeof *cores, why);
    return found != NULL ? found->core : NULL;
}

/* --- Memory ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    int base, corner; // of the columns done
    int best;
    uint32_t row, column; // of the best
} band_state;

/* One pass over the matrix in one width. */
typedef struct {
    const pair_core *core;
    pair_width width;
    const uint8_t *row_letter, *column_letter; // [rows], [columns]
    uint32_t rows, columns;
    int8_t matrix[SW_CODES][SW_CODES]; // [a column's code][a row's]
    uint8_t used[SW_CODES];            // codes that columns have
    int used_count;
    int gap_open, gap_extend, highest;
    int wants_end, by_row, goal;
    int threads;
    uint32_t bands, segments, block;
    unsigned char *cells;   // [bands][segments][2] vectors
    unsigned char *profile; // [threads][SW_CODES][segments] vectors
    unsigned char *edge;    // [columns][2] numbers of the width
    int *edge_base;         // [blocks of columns]
    uint32_t *bar_at;       // [columns + 1], see core.h; NULL: nothing is barred
    uint32_t *bar_row;      // [bar_at[columns]]
    int *bar_saved;         // [threads][bars_most]
    uint32_t bars_most;     // of a column
    band_state *band;       // [bands]
    /* The current round computes columns first .. end - 1 of all bands. */
    uint32_t first, end;
    _Atomic uint32_t *done; // [bands]: columns that are done
    _Atomic uint32_t next;  // the band that the next thread takes
    _Atomic uint32_t limit; // columns from here on do not matter: the score is reached before
    atomic_int too_narrow;
} run;

static size_t lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }
static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static uint32_t lanes_of(const run *r) { return (uint32_t)(r->core->vector_bytes >> r->width); }
static size_t band_bytes(const run *r) { return (size_t)r->segments * 2 * r->core->vector_bytes; }
static size_t profile_bytes(const run *r) { return (size_t)r->segments * SW_CODES * r->core->vector_bytes; }

/* Makes bands of equal height, as many as keep all threads busy to the end. */
static void lay_out(run *r, int threads) {
    const uint32_t lanes = lanes_of(r),
                   most = (uint32_t)(sw_pair_band_bytes(r->core->vector_bytes) / r->core->vector_bytes) * lanes;
    uint32_t bands = (r->rows + most - 1) / most;
    const uint32_t possible = r->rows / (LEAST_SEGMENTS * lanes);
    if ((double)r->rows * r->columns < SMALL_CELLS) threads = 1;
    if (possible >= (uint32_t)threads) bands = (bands + (uint32_t)threads - 1) / (uint32_t)threads * (uint32_t)threads;
    r->segments = (r->rows + bands * lanes - 1) / (bands * lanes);
    r->bands = (r->rows + r->segments * lanes - 1) / (r->segments * lanes);
    r->threads = (int)least((size_t)threads, r->bands);
    const uint32_t share = r->columns / (8 * (uint32_t)r->threads);
    r->block = share < LEAST_BLOCK ? LEAST_BLOCK : share > MOST_BLOCK ? MOST_BLOCK : share;
}

static void free_run(run *r) { WL_FREE(r->cells, r->profile, r->edge, r->edge_base, r->band, r->done, r->bar_saved); }

static wl_status allocate(run *r) {
    r->cells = aligned_alloc(LINE, lines(r->bands * band_bytes(r)));
    r->profile = aligned_alloc(LINE, lines((size_t)r->threads * profile_bytes(r)));
    r->edge = aligned_alloc(LINE, lines(((size_t)r->columns + 1) * 2 << r->width));
    r->edge_base = malloc(((size_t)r->columns / r->block + 1) * sizeof *r->edge_base);
    r->band = calloc(r->bands, sizeof *r->band);
    r->done = calloc(r->bands, sizeof *r->done);
    r->bar_saved = malloc(((size_t)r->threads * r->bars_most + 1) * sizeof *r->bar_saved);
    if (r->cells != NULL && r->profile != NULL && r->edge != NULL && r->edge_base != NULL && r->band != NULL &&
        r->done != NULL && r->bar_saved != NULL)
        return WL_OK;
    free_run(r);
    return wl_fail(WL_NO_MACHINE, "not enough memory to align sequences of %u and %u letters", r->rows, r->columns);
}

/* --- Threads ----------------------------------------------------------------------------------------------------------- */

static int must_wait(run *r, uint32_t band, uint32_t columns) {
    return band > 0 && atomic_load_explicit(&r->done[band - 1], memory_order_acquire) < columns &&
           !atomic_load_explicit(&r->too_narrow, memory_order_relaxed);
}

/* The other threads' columns are done in a few microseconds, unless another program has their core. */
static void wait_for(run *r, uint32_t band, uint32_t columns) {
    enum { TRIES = 2000 };
    for (int tries = 0; must_wait(r, band, columns); tries++)
        if (tries > TRIES) sched_yield();
}

static void lower_limit(run *r, uint32_t to) {
    uint32_t limit = atomic_load(&r->limit);
    while (to < limit && !atomic_compare_exchange_weak(&r->limit, &limit, to)) continue;
}

/* Computes a band's columns of this round. */
static void compute_band(run *r, uint32_t b, int thread) {
    unsigned char *const profile = r->profile + (size_t)thread * profile_bytes(r);
    const uint32_t height = r->segments * lanes_of(r), first_row = b * height;
    const uint32_t rows = r->rows - first_row < height ? r->rows - first_row : height;
    band_state *band = &r->band[b];
    pair_tile tile = {.segments = r->segments,
                      .profile = profile,
                      .cells = r->cells + b * band_bytes(r),
                      .base = band->base,
                      .corner = band->corner,
                      .is_first = b == 0,
                      .is_last = b + 1 == r->bands,
                      .gap_open = r->gap_open,
                      .gap_extend = r->gap_extend,
                      .highest = r->highest,
                      .wants_end = r->wants_end,
                      .by_row = r->by_row,
                      .best = band->best,
                      .best_row = band->row,
                      .best_column = band->column,
                      .goal = r->goal,
                      .bar_at = r->bar_at,
                      .bar_row = r->bar_row,
                      .bar_saved = r->bar_saved + (size_t)thread * r->bars_most,
                      .first_row = first_row};
    if (r->first == 0) memset(tile.cells, 0, band_bytes(r));
    r->core->fill[r->width](r->row_letter + first_row, rows, r->segments, (const int8_t(*)[SW_CODES])r->matrix, r->used,
                            r->used_count, profile);
    for (uint32_t c = r->first; c < r->end;) {
        uint32_t stop = r->end - c < r->block ? r->end : c + r->block;
        wait_for(r, b, stop);
        if (atomic_load_explicit(&r->too_narrow, memory_order_relaxed)) return;
        const uint32_t limit = atomic_load(&r->limit);
        if (stop > limit) stop = limit;
        if (c >= stop) break;
        tile.first_column = c;
        tile.letters = r->column_letter + c;
        tile.columns = stop - c;
        tile.edge = r->edge + ((size_t)c * 2 << r->width);
        int *edge_base = &r->edge_base[(c - r->first) / r->block];
        tile.edge_base = b > 0 ? *edge_base : 0;
        const tile_end end = r->core->compute[r->width](&tile);
        if (end == TILE_TOO_NARROW) {
            atomic_store(&r->too_narrow, 1);
            return;
        }
        *edge_base = tile.edge_base;
        if (end == TILE_GOAL) lower_limit(r, tile.best_column + 1);
        c = stop;
        atomic_store_explicit(&r->done[b], c, memory_order_release);
    }
    atomic_store_explicit(&r->done[b], r->end, memory_order_release);
    *band = (band_state){tile.base, tile.corner, tile.best, tile.best_row, tile.best_column};
}

static void compute_bands(run *r, int thread) {
    for (;;) {
        const uint32_t b = atomic_fetch_add(&r->next, 1);
        if (b >= r->bands || atomic_load(&r->too_narrow)) return;
        compute_band(r, b, thread);
    }
}

static void compute_round(run *r) {
    atomic_store(&r->next, 0);
    if (r->threads == 1) {
        compute_bands(r, 0);
        return;
    }
#pragma omp parallel num_threads(r->threads)
    compute_bands(r, omp_get_thread_num());
}

/* --- All of it --------------------------------------------------------------------------------------------------------- */

static int is_better(const run *r, const band_state *a, uint32_t a_row, const sw_pair_best *b, uint32_t b_row,
                     uint32_t b_column) {
    if (a->best != b->score) return a->best > b->score;
    if (r->by_row) return a_row < b_row; // no two bands have the same row
    return a->column < b_column;
}

static void best_of(const run *r, int rows_are_query, sw_pair_best *best) {
    uint32_t row = 0, column = 0;
    *best = (sw_pair_best){0};
    for (uint32_t b = 0; b < r->bands; b++) {
        const uint32_t at = b * r->segments * lanes_of(r) + r->band[b].row;
        if (!is_better(r, &r->band[b], at, best, row, column)) continue;
        best->score = r->band[b].best;
        row = at;
        column = r->band[b].column;
    }
    if (best->score == 0 || !r->wants_end) return;
    best->query = 1 + (rows_are_query ? row : column);
    best->subject = 1 + (rows_are_query ? column : row);
}

/* Computes the table in lanes of one width; *fits: whether they hold every score. */
static wl_status try_width(run *r, pair_width width, int threads, int *fits) {
    r->width = width;
    lay_out(r, threads);
    WL_TRY(allocate(r));
    atomic_store(&r->limit, r->columns);
    atomic_store(&r->too_narrow, 0);
    /* If the score is known, a round has a quarter of the columns before it, so at most a quarter is computed in vain. */
    for (r->first = 0; r->first < atomic_load(&r->limit) && !atomic_load(&r->too_narrow); r->first = r->end) {
        const uint32_t some = r->first / 4 > FIRST_ROUND ? r->first / 4 : FIRST_ROUND;
        r->end = r->goal > 0 && r->columns - r->first > some ? r->first + some : r->columns;
        compute_round(r);
    }
    *fits = !atomic_load(&r->too_narrow);
    return WL_OK;
}

static void orient(run *r, const sw_pair *p, int rows_are_query) {
    const int8_t(*matrix)[SW_CODES] = p->scoring->matrix;
    int is_used[SW_CODES] = {0};
    r->rows = rows_are_query ? p->m : p->n;
    r->columns = rows_are_query ? p->n : p->m;
    r->row_letter = rows_are_query ? p->query : p->subject;
    r->column_letter = rows_are_query ? p->subject : p->query;
    for (int column = 0; column < SW_CODES; column++)
        for (int row = 0; row < SW_CODES; row++)
            r->matrix[column][row] = rows_are_query ? matrix[row][column] : matrix[column][row];
    for (uint32_t c = 0; c < r->columns; c++) is_used[r->column_letter[c]] = 1;
    for (int code = 0; code < SW_CODES; code++)
        if (is_used[code]) r->used[r->used_count++] = (uint8_t)code;
}

/* Pair k of a path, in the run's rows and columns. False: there is none, or it is outside. */
static int barred_at(const run *r, const sw_barred *b, const sw_path *path, uint32_t k, int rows_are_query,
                     uint32_t *row, uint32_t *column) {
    if (path->column[k] == 0) return 0;
    const uint32_t q = path->first + k, s = path->column[k] - 1;
    const uint32_t query = b->backwards ? b->query - q : q - b->query; // what lies before wraps round
    const uint32_t subject = b->backwards ? b->subject - s : s - b->subject;
    *row = rows_are_query ? query : subject;
    *column = rows_are_query ? subject : query;
    return *row < r->rows && *column < r->columns;
}

/* Sorts barred pairs by their column: counts, then places. */
static wl_status take_barred(run *r, const sw_barred *barred, int rows_are_query) {
    if (barred == NULL || barred->count == 0) return WL_OK;
    uint32_t row, column;
    size_t most = 0;
    for (size_t p = 0; p < barred->count; p++) most += barred->paths[p].rows;
    if (!WL_ALLOCATE(WL_ZEROS(r->bar_at, (size_t)r->columns + 2), WL_ARRAY(r->bar_row, most)))
        return wl_fail(WL_NO_MACHINE, "not enough memory to align sequences of %u and %u letters", r->rows, r->columns);
    uint32_t *const at = r->bar_at + 1; // at[c]: where the next of column c goes, in the end where column c + 1 begins
    for (size_t p = 0; p < barred->count; p++)
        for (uint32_t k = 0; k < barred->paths[p].rows; k++)
            if (barred_at(r, barred, &barred->paths[p], k, rows_are_query, &row, &column)) at[column]++;
    uint32_t sum = 0;
    for (uint32_t c = 0; c < r->columns; c++) {
        const uint32_t count = at[c];
        if (count > r->bars_most) r->bars_most = count;
        at[c] = sum;
        sum += count;
    }
    for (size_t p = 0; p < barred->count; p++)
        for (uint32_t k = 0; k < barred->paths[p].rows; k++)
            if (barred_at(r, barred, &barred->paths[p], k, rows_are_query, &row, &column))
                r->bar_row[at[column]++] = row;
    return WL_OK;
}

/* The narrowest lanes that may hold the score, as in sw/cpu_simd, and gap costs for them: a cost of 127 or more never pays there. */
static pair_width narrowest(const sw_pair *p, int highest) {
    const int open = p->scoring->gap_open >= INT8_MAX ? INT8_MAX : p->scoring->gap_open;
    const int extend = p->scoring->gap_open >= INT8_MAX ? 0 : p->scoring->gap_extend;
    const int range = INT8_MAX - highest;
    if (p->bits < 8 && open + extend <= -INT8_MIN && range >= LEAST_RANGE && p->score <= range) return PAIR_8;
    return p->bits < 16 && p->score <= INT16_MAX - highest ? PAIR_16 : PAIR_32;
}

wl_status sw_pair_find(const sw_pair *pair, sw_pair_best *best) {
    const char *why;
    run r = {.core = chosen(&why), .wants_end = pair->end != SW_ANY_END, .goal = pair->score};
    *best = (sw_pair_best){0};
    if (r.core == NULL) return wl_fail(WL_NO_MACHINE, "sw/core: %s", why);
    if (pair->m == 0 || pair->n == 0) return WL_OK;
    /* The rows are the letters of the longer sequence, unless the first columns are looked for. */
    const int rows_are_query = pair->score > 0 ? pair->end != SW_LEAST_QUERY : pair->m >= pair->n;
    orient(&r, pair, rows_are_query);
    r.by_row = r.wants_end && (pair->end == SW_LEAST_QUERY) == rows_are_query;
    r.highest = pair->scoring->highest > 0 ? pair->scoring->highest : 0;
    wl_status status = take_barred(&r, pair->barred, rows_are_query);
    int fits = 0;
    for (pair_width width = narrowest(pair, r.highest); width < PAIR_WIDTHS && status == WL_OK && !fits; width++) {
        const int is_clamped = width == PAIR_8 && pair->scoring->gap_open >= INT8_MAX;
        r.gap_open = is_clamped ? INT8_MAX : pair->scoring->gap_open;
        r.gap_extend = is_clamped ? 0 : pair->scoring->gap_extend;
        status = try_width(&r, width, pair->threads > 1 ? pair->threads : 1, &fits);
        if (status != WL_OK) break; // which has freed all
        if (fits) best_of(&r, rows_are_query, best);
        free_run(&r);
    }
    WL_FREE(r.bar_at, r.bar_row);
    return status != WL_OK || fits ? status : wl_fail(WL_NO_MACHINE, "a score may be larger than 32 bits hold");
}
