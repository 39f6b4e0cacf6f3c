/* The matrix as files of the field: text in five layouts' order, and NumPy's array. Blocks of rows are made by all threads and
   written in order. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/distances/write/internal.h"
#include "tools/distances/write/block_writer.h"
#include "tools/distances/write/numbers.h"
#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/base/outroom.h"
#include "harness/base/timings.h"
#include "harness/bench/device.h"

enum { ROWS_A_THREAD = 4, DIGITS = 6, DIGITS_MOST = 17 };
/* One processor of eight is left to the threads that write and that serve devices. With 16 threads on 16 processors, those that lay out and the
   one that writes waited for each other: 1.6 GB of text took 1.51 s instead of 1.10 s. Copying sums keeps four threads busy. */
enum { EIGHTH = 8, COPYING = 4 };
#define BLOCK_NUMBERS ((size_t)1 << 20)      // of a block at least: threads are not called together for less
#define BLOCK_NUMBERS_MOST ((size_t)1 << 25) // and at most, where there is a choice: 256 MB
#define ROOM_BYTES ((size_t)8 << 20)         // of an output that room is asked for

typedef struct {
    distances_matrix *matrix;
    char *const *names;
    char between; // cells
    const distances_layout *layout;
    FILE *stream;
    size_t count, columns;
    char *const *column_names;
    int whole;  // all distances are whole numbers, if they are numbers
    int small;  // all are, and fit into int32
    int digits; // of others
    int threads;
    size_t most;        // rows of a block
    int has_sums;       // distances are whole numbers in memory: uint32_t, else double
    int as_is;          // the output has them as they are
    char *numbers;      // [most][columns]; as_is: [blocks][most][columns]
    uint32_t *compared; // [most][columns]; NULL: not asked for
    size_t blocks;
    wl_string *text; // [blocks][most]: blocks are written while the next is laid out
} writing;

/* --- Rows as text ------------------------------------------------------------------------------------------------ */

static char *put_text(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

/* A row of distances: of one kind or the other. */
typedef struct {
    const double *distance;
    const uint32_t *sum;
} numbers;

static double number_at(numbers row, size_t j) { return row.sum ? row.sum[j] : row.distance[j]; }

static char *put_distance(const writing *w, char *at, numbers row, size_t j) {
    if (row.sum) return distances_put_whole(at, row.sum[j]);
    return w->whole && !isnan(row.distance[j]) ? distances_put_whole(at, (uint64_t)row.distance[j])
                                               : distances_put_real(at, row.distance[j], w->digits);
}

/* "name", padded to `width` bytes, and the first `count` numbers of its row */
static int put_row(const writing *w, size_t i, size_t width, size_t count, numbers row, wl_string *text) {
    if (!wl_string_room(text, strlen(w->names[i]) + width + count * (DISTANCES_NUMBER_MOST + 1) + 1)) return 0;
    char *at = put_text(text->bytes, w->names[i]);
    while (at < text->bytes + width) *at++ = ' ';
    for (size_t j = 0; j < count; j++) {
        *at++ = w->between;
        at = put_distance(w, at, row, j);
    }
    *at++ = '\n';
    text->length = (size_t)(at - text->bytes);
    return 1;
}

/* Pairs of instance i and those of the columns from `first` on, a line each. */
static int put_pairs(const writing *w, size_t i, size_t first, numbers row, const uint32_t *compared, wl_string *text) {
    size_t own = strlen(w->names[i]);
    for (size_t j = first; j < w->columns; j++) {
        /* Without a limit also those that have no distance. */
        if (!(number_at(row, j) <= w->layout->most_distance) && w->layout->most_distance != INFINITY) continue;
        if (!wl_string_room(text, own + strlen(w->column_names[j]) + 2 * DISTANCES_NUMBER_MOST + 4)) return 0;
        char *at = put_text(text->bytes + text->length, w->names[i]);
        *at++ = w->between;
        at = put_text(at, w->column_names[j]);
        *at++ = w->between;
        at = put_distance(w, at, row, j);
        if (compared) {
            *at++ = w->between;
            at = distances_put_whole(at, compared[j]);
        }
        *at++ = '\n';
        text->length = (size_t)(at - text->bytes);
    }
    return 1;
}

/* Whole numbers that come as doubles. */
static int put_numbers(const writing *w, numbers row, wl_string *text) {
    if (!wl_string_room(text, w->columns * sizeof(int32_t))) return 0;
    text->length = w->columns * sizeof(int32_t);
    int32_t *into = (int32_t *)text->bytes;
    for (size_t j = 0; j < w->columns; j++) into[j] = (int32_t)number_at(row, j);
    return 1;
}

static int put(const writing *w, size_t i, size_t place, wl_string *text) {
    const size_t at = place * w->columns;
    const numbers row = {w->has_sums ? NULL : (const double *)w->numbers + at,
                         w->has_sums ? (const uint32_t *)w->numbers + at : NULL};
    text->length = 0;
    const uint32_t *compared = w->compared ? w->compared + place * w->columns : NULL;
    switch (w->layout->output) {
        case DISTANCES_TSV:
            return put_row(w, i, 0, w->columns, row, text);
        case DISTANCES_LOWER:
            return put_row(w, i, 0, i, row, text);
        case DISTANCES_PHYLIP:
        case DISTANCES_PHYLIP_STRICT:
            return put_row(w, i, DISTANCES_PHYLIP_NAME, w->columns, row, text);
        case DISTANCES_LIST:
            return put_pairs(w, i, w->column_names == w->names ? i + 1 : 0, row, compared, text);
        case DISTANCES_MOLTEN:
            return put_pairs(w, i, 0, row, compared, text);
        case DISTANCES_NUMPY:
            return put_numbers(w, row, text);
        case DISTANCES_CLUSTERS: // whole, by write_clusters
            break;
    }
    return 1;
}

/* --- What comes first -------------------------------------------------------------------------------------------- */

/* NumPy's format 1.0: magic, version, length of the description, which ends at a multiple of 64 bytes with a line end. */
static void write_numpy_header(const writing *w) {
    enum { BEFORE = 10, ALIGN = 64 };
    char text[2 * ALIGN + BEFORE];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }",
                          w->small ? "<i4" : "<f8", w->count, w->columns);
    int whole = (BEFORE + length + 1 + ALIGN - 1) / ALIGN * ALIGN - BEFORE;
    fwrite("\x93NUMPY\x01\x00", 1, 8, w->stream);
    fputc(whole & 255, w->stream);
    fputc(whole >> 8, w->stream);
    fprintf(w->stream, "%-*s\n", whole - 1, text);
}

static int is_phylip(const distances_layout *layout) {
    return layout->output == DISTANCES_PHYLIP || layout->output == DISTANCES_PHYLIP_STRICT;
}

static int is_list(const distances_layout *layout) {
    return layout->output == DISTANCES_LIST || layout->output == DISTANCES_MOLTEN;
}

/* The columns are called as snp-dists calls them. */
static void write_columns(const writing *w) {
    const char c = w->between;
    if (w->layout->output == DISTANCES_CLUSTERS) {
        fprintf(w->stream, "sequence%ccluster\n", c);
    } else {
        fprintf(w->stream, "sequence_1%csequence_2%cdistance", c, c);
        if (w->layout->with_compared) fprintf(w->stream, "%ccompared", c);
        fputc('\n', w->stream);
    }
}

static void write_header(const writing *w) {
    const distances_layout *layout = w->layout;
    if (layout->output == DISTANCES_NUMPY) write_numpy_header(w);
    if (is_phylip(layout)) fprintf(w->stream, "%zu\n", w->count);
    if (layout->header && (is_list(layout) || layout->output == DISTANCES_CLUSTERS)) write_columns(w);
    if (layout->output != DISTANCES_TSV) return;
    if (!layout->blank_corner && layout->corner) fputs(layout->corner, w->stream);
    for (size_t j = 0; j < w->columns; j++) {
        fputc(w->between, w->stream);
        fputs(w->column_names[j], w->stream);
    }
    fputc('\n', w->stream);
}

/* --- From beginning to end --------------------------------------------------------------------------------------- */

static size_t number_bytes(const writing *w) { return w->has_sums ? sizeof(uint32_t) : sizeof(double); }

static wl_status get_rows(const writing *w, size_t first, size_t rows, void *numbers) {
    if (w->has_sums) return distances_matrix_sums(w->matrix, first, rows, numbers);
    return distances_matrix_rows(w->matrix, first, rows, numbers, w->compared);
}

static wl_status fail_writing(int error) {
    return wl_fail(WL_NO_MACHINE, "cannot write the distances: %s", strerror(error));
}

/* Rows first .. first + rows - 1 in the memory of block `turn`: numbers as they are. */
static wl_status lay_out_numbers(const writing *w, size_t first, size_t rows, size_t turn,
                                 distances_written_block *block) {
    block->numbers = w->numbers + turn * w->most * w->columns * number_bytes(w);
    block->bytes = rows * w->columns * number_bytes(w);
    return get_rows(w, first, rows, block->numbers);
}

static wl_status lay_out_text(const writing *w, size_t first, size_t rows, size_t turn,
                              distances_written_block *block) {
    WL_TRY(get_rows(w, first, rows, w->numbers));
    wl_string *text = w->text + turn * w->most;
    int without_memory = 0;
#pragma omp parallel for schedule(dynamic) num_threads(w->threads) reduction(| : without_memory)
    for (size_t r = 0; r < rows; r++) without_memory |= !put(w, first + r, r, &text[r]);
    block->text = text;
    block->rows = rows;
    return without_memory ? wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows as text", rows) : WL_OK;
}

/* Bytes of a row while it is laid out: its numbers, and about as much text as they become. */
static size_t row_bytes(const writing *w) {
    const int list = is_list(w->layout);
    size_t names = 0;
    for (size_t i = 0; list && i < w->columns; i++) names += 2 * strlen(w->column_names[i]);
    const size_t number = w->whole ? sizeof(double) : (size_t)w->digits + sizeof "-.e-300";
    return names + w->columns * (sizeof(double) + number + (list ? 2 * sizeof *w->compared : 0));
}

/* How many rows are a block, and how many blocks there are. */
static void plan_blocks(writing *w) {
    size_t least = BLOCK_NUMBERS / w->columns, most = BLOCK_NUMBERS_MOST / w->columns;
    const size_t within = distances_matrix_room(w->matrix) / row_bytes(w);
    w->most = (size_t)w->threads * ROWS_A_THREAD;
    if (w->most < least) w->most = least;
    if (w->most > most) w->most = most;
    w->blocks = within / 8 >= w->most   ? DISTANCES_BLOCKS_MOST
                : within / 4 >= w->most ? 2
                                        : 1; // where memory is short, whoever lays a block out writes it
    if (w->most > within) w->most = within;
    if (w->most > w->count) w->most = w->count;
    if (w->most == 0) w->most = 1;
}

static wl_status make_room(writing *w) {
    const size_t rows = w->most * (w->as_is ? w->blocks : 1);
    const int with_compared = is_list(w->layout) && w->layout->with_compared;
    w->numbers = malloc(rows * w->columns * number_bytes(w));
    if (with_compared) w->compared = malloc(w->most * w->columns * sizeof *w->compared);
    if (!w->as_is) w->text = calloc(w->blocks * w->most, sizeof *w->text);
    if (w->numbers && (w->text || w->as_is) && (w->compared || !with_compared)) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows of distances", w->most);
}

static wl_status write_blocks(const writing *w, distances_writer *s) {
    wl_status status = WL_OK;
    int error = 0;
    for (size_t i = 0, turn = 0; i < w->count && status == WL_OK && error == 0;
         i += w->most, turn = (turn + 1) % w->blocks) {
        const size_t rows = w->count - i < w->most ? w->count - i : w->most;
        const double begun = wl_timings_now();
        distances_written_block block = {0};
        status = w->as_is ? lay_out_numbers(w, i, rows, turn, &block) : lay_out_text(w, i, rows, turn, &block);
        wl_timings_since(WL_PHASE_FORMAT, begun, (double)rows * (double)w->columns * (double)number_bytes(w));
        if (status == WL_OK) error = distances_writer_give(s, &block);
    }
    const int last = distances_writer_end(s); // what is under way is waited for
    if (error == 0) error = last;
    return status == WL_OK && error != 0 ? fail_writing(error) : status;
}

/* Bytes after the header at least: a digit and what separates it, of each number. */
static size_t bytes_least(const writing *w) {
    const size_t numbers = w->count * w->columns;
    switch (w->layout->output) {
        case DISTANCES_NUMPY:
            return numbers * (w->small ? sizeof(int32_t) : sizeof(double));
        case DISTANCES_TSV:
        case DISTANCES_PHYLIP:
        case DISTANCES_PHYLIP_STRICT:
            return 2 * numbers;
        case DISTANCES_LOWER:
            return numbers - w->count;
        default:
            return 0;
    }
}

static wl_status write_matrix(writing *w) {
    const int64_t place = wl_outroom_place(w->stream);
    plan_blocks(w);
    WL_TRY(make_room(w));
    write_header(w);
    const size_t least = bytes_least(w);
    const int has_room = least >= ROOM_BYTES && wl_outroom_begin(w->stream, least);
    distances_writer s = {.stream = w->stream, .to_disk = w->layout->to_disk, .blocks = w->blocks};
    distances_writer_begin(&s, w->blocks > 1 && w->count > w->most); // one block is written by whoever makes it
    const wl_status status = write_blocks(w, &s);
    if (status != WL_OK && !ferror(w->stream)) wl_outroom_cut(w->stream, place); // else what is there of it stays
    if (has_room) wl_outroom_end(w->stream);
    return status;
}

static wl_status write_clusters(const writing *w) {
    distances_cluster_count found;
    size_t *cluster = malloc(w->count * sizeof *cluster); // [count]
    wl_status status = cluster ? distances_clusters(w->matrix, w->layout->most_distance, w->threads, cluster, &found)
                               : wl_fail(WL_NO_MACHINE, "not enough memory for clusters of %zu", w->count);
    if (status == WL_OK) write_header(w);
    for (size_t i = 0; i < w->count && status == WL_OK; i++)
        if (fprintf(w->stream, "%s%c%zu\n", w->names[i], w->between, cluster[i]) < 0)
            status = wl_fail(WL_NO_MACHINE, "cannot write the clusters: %s", strerror(errno));
    free(cluster);
    if (status == WL_OK && w->layout->clusters) *w->layout->clusters = found;
    return status;
}

wl_status distances_write(distances_matrix *matrix, char *const *names, const distances_layout *layout, FILE *stream) {
    uint64_t largest = distances_matrix_largest(matrix);
    int digits = layout->digits > 0 ? layout->digits : DIGITS;
    writing w = {.matrix = matrix,
                 .names = names,
                 .between = layout->csv         ? ','
                            : is_phylip(layout) ? ' '
                                                : '\t',
                 .layout = layout,
                 .stream = stream,
                 .count = distances_matrix_count(matrix),
                 .columns = distances_matrix_columns(matrix),
                 .whole = largest > 0,
                 .small = largest > 0 && largest <= INT32_MAX && !distances_matrix_has_gaps(matrix),
                 .digits = digits < DIGITS_MOST ? digits : DIGITS_MOST,
                 .threads = layout->threads > 0 ? layout->threads : wl_cpu_threads()};
    const int is_array = layout->output == DISTANCES_NUMPY;
    w.has_sums =
        distances_matrix_has_sums(matrix) && !(is_list(layout) && layout->with_compared) && (w.small || !is_array);
    w.as_is = is_array && w.small == w.has_sums;
    w.threads -= w.threads / EIGHTH;
    if (w.as_is && w.has_sums && w.threads > COPYING) w.threads = COPYING;
    distances_matrix_gather_with(matrix, w.threads);
    distances_numbers_ready();
    const size_t first = distances_matrix_first(matrix), all = first + w.columns;
    WL_TRY(distances_names_check(names, all, layout));
    char **quoted = layout->csv ? distances_names_quoted(names, all) : NULL;
    if (layout->csv && quoted == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu names", all);
    if (quoted) w.names = quoted;
    w.column_names = w.names + first;
    wl_status status = layout->output == DISTANCES_CLUSTERS ? write_clusters(&w) : write_matrix(&w);
    for (size_t r = 0; w.text && r < w.blocks * w.most; r++) free(w.text[r].bytes);
    WL_FREE(w.text, w.numbers, w.compared);
    distances_names_free(quoted, all);
    return status;
}
