/* The matrix as files of the field: text in five layouts' order, and NumPy's array. Blocks of rows are made by all threads and
   written in order. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distances/write/internal.h"
#include "distances/write/text.h"
#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/thread.h"
#include "harness/base/timings.h"
#include "harness/bench/device.h"

enum { ROWS_A_THREAD = 4, DIGITS = 6, DIGITS_MOST = 17 };
#define SYNC_BYTES ((size_t)64 << 20)        // written before the disk is told to begin with them
#define BLOCK_NUMBERS ((size_t)1 << 20)      // of a block at least: threads are not called together for less
#define BLOCK_NUMBERS_MOST ((size_t)1 << 25) // and at most, where there is a choice: 256 MB

typedef struct {
    distances_matrix *matrix;
    char *const *names;
    char between; // cells
    const distances_layout *layout;
    FILE *stream;
    size_t count;
    int whole;  // all distances are whole numbers
    int small;  // and fit into int32
    int digits; // of others
    int threads;
    size_t most;        // rows of a block
    double *distance;   // [most][count], or
    uint32_t *sum;      // the same, where distances are whole numbers in memory; as_sums: [blocks][most][count]
    int as_sums;        // the output has them as they are
    uint32_t *compared; // [most][count]; NULL: not asked for
    size_t blocks;
    distances_text *text; // [blocks][most]: blocks are written while the next is laid out
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
    return w->whole ? distances_put_whole(at, (uint64_t)row.distance[j])
                    : distances_put_real(at, row.distance[j], w->digits);
}

/* "name", padded to `width` bytes, and the first `count` numbers of its row */
static int put_row(const writing *w, size_t i, size_t width, size_t count, numbers row, distances_text *text) {
    if (!distances_text_room(text, strlen(w->names[i]) + width + count * (DISTANCES_NUMBER_MOST + 1) + 1)) return 0;
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

/* Pairs of instance i and those from `first` on, a line each. */
static int put_pairs(const writing *w, size_t i, size_t first, numbers row, const uint32_t *compared,
                     distances_text *text) {
    size_t own = strlen(w->names[i]);
    for (size_t j = first; j < w->count; j++) {
        /* Without a limit also those that have no distance. */
        if (!(number_at(row, j) <= w->layout->most_distance) && w->layout->most_distance != INFINITY) continue;
        if (!distances_text_room(text, own + strlen(w->names[j]) + 2 * DISTANCES_NUMBER_MOST + 4)) return 0;
        char *at = put_text(text->bytes + text->length, w->names[i]);
        *at++ = w->between;
        at = put_text(at, w->names[j]);
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

static int put_numbers(const writing *w, numbers row, distances_text *text) {
    size_t each = w->small ? sizeof(int32_t) : sizeof(double);
    if (!distances_text_room(text, w->count * each)) return 0;
    text->length = w->count * each;
    if (w->small) {
        int32_t *into = (int32_t *)text->bytes;
        for (size_t j = 0; j < w->count; j++) into[j] = (int32_t)number_at(row, j);
    } else {
        double *into = (double *)text->bytes;
        for (size_t j = 0; j < w->count; j++) into[j] = number_at(row, j);
    }
    return 1;
}

static int put(const writing *w, size_t i, size_t place, distances_text *text) {
    const numbers row = {w->distance ? w->distance + place * w->count : NULL,
                         w->sum ? w->sum + place * w->count : NULL};
    text->length = 0;
    const uint32_t *compared = w->compared ? w->compared + place * w->count : NULL;
    switch (w->layout->output) {
        case DISTANCES_TSV:
            return put_row(w, i, 0, w->count, row, text);
        case DISTANCES_LOWER:
            return put_row(w, i, 0, i, row, text);
        case DISTANCES_PHYLIP:
            return put_row(w, i, DISTANCES_PHYLIP_NAME, w->count, row, text);
        case DISTANCES_LIST:
            return put_pairs(w, i, i + 1, row, compared, text);
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
                          w->small ? "<i4" : "<f8", w->count, w->count);
    int whole = (BEFORE + length + 1 + ALIGN - 1) / ALIGN * ALIGN - BEFORE;
    fwrite("\x93NUMPY\x01\x00", 1, 8, w->stream);
    fputc(whole & 255, w->stream);
    fputc(whole >> 8, w->stream);
    fprintf(w->stream, "%-*s\n", whole - 1, text);
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
    if (layout->output == DISTANCES_PHYLIP) fprintf(w->stream, "%zu\n", w->count);
    if (layout->header && (is_list(layout) || layout->output == DISTANCES_CLUSTERS)) write_columns(w);
    if (layout->output != DISTANCES_TSV) return;
    if (!layout->blank_corner && layout->corner) fputs(layout->corner, w->stream);
    for (size_t j = 0; j < w->count; j++) {
        fputc(w->between, w->stream);
        fputs(w->names[j], w->stream);
    }
    fputc('\n', w->stream);
}

/* --- The thread that writes -------------------------------------------------------------------------------------- */

/* What is written of a block of rows: a text of each, or numbers as they are. */
typedef struct {
    const distances_text *text; // [rows]
    size_t rows;
    const void *numbers; // [bytes]
    size_t bytes;
} output;

/* Blocks of rows take turns: some are laid out by all threads while this one writes those before. With two of them, the one that writes
   would wait for a thread to wake up at each block. */
enum { BLOCKS_MOST = 4 };
typedef struct {
    FILE *stream;
    int to_disk;
    size_t blocks; // that there is memory for
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    output queue[BLOCKS_MOST]; // number n is in queue[n % BLOCKS_MOST]
    size_t given, written;
    int ends;
    int error; // errno of the first write that failed: what comes after that is not written
} scribe;

static int write_bytes(FILE *stream, const void *bytes, size_t count) {
    return count > 0 && fwrite(bytes, count, 1, stream) == 0 ? errno ? errno : EIO : 0;
}

static void begin_sync(FILE *stream, size_t more, size_t *waiting) {
    *waiting += more;
    if (*waiting < SYNC_BYTES) return;
    wl_outfile_begin_sync(stream);
    *waiting = 0;
}

/* *waiting: bytes that the disk does not know of; NULL: nor shall it. 0, or errno. */
static int write_block(FILE *stream, const output *block, size_t *waiting) {
    const double begun = wl_timings_now();
    double bytes = (double)block->bytes;
    int error = 0;
    for (size_t r = 0; r < block->rows && error == 0; r++) {
        error = write_bytes(stream, block->text[r].bytes, block->text[r].length);
        bytes += (double)block->text[r].length;
    }
    for (size_t at = 0, count; at < block->bytes && error == 0; at += count) {
        count = block->bytes - at < SYNC_BYTES ? block->bytes - at : SYNC_BYTES;
        error = write_bytes(stream, (const char *)block->numbers + at, count);
        if (waiting && error == 0) begin_sync(stream, count, waiting);
    }
    wl_timings_since(WL_PHASE_WRITE, begun, bytes);
    if (waiting && error == 0) begin_sync(stream, (size_t)bytes - block->bytes, waiting);
    return error;
}

static void *scribble(void *argument) {
    scribe *s = argument;
    size_t waiting = 0;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->given == s->written && !s->ends) pthread_cond_wait(&s->changed, &s->lock);
        if (s->given == s->written) break;
        const output block = s->queue[s->written % BLOCKS_MOST];
        const int writes = s->error == 0;
        pthread_mutex_unlock(&s->lock);
        const int error = writes ? write_block(s->stream, &block, s->to_disk ? &waiting : NULL) : 0;
        pthread_mutex_lock(&s->lock);
        if (s->error == 0) s->error = error;
        s->written++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Hand over the next block, and wait until there is memory for the one after it. Returns errno of a write that failed, or 0. */
static int hand_over(scribe *s, const output *block) {
    pthread_mutex_lock(&s->lock);
    s->queue[s->given++ % BLOCKS_MOST] = *block;
    pthread_cond_broadcast(&s->changed);
    while (s->given - s->written >= s->blocks) pthread_cond_wait(&s->changed, &s->lock);
    const int error = s->error;
    pthread_mutex_unlock(&s->lock);
    return error;
}

/* All blocks have been handed over. */
static int finish_writing(scribe *s) {
    pthread_mutex_lock(&s->lock);
    s->ends = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    return s->error;
}

/* --- From beginning to end --------------------------------------------------------------------------------------- */

/* Rows first .. first + rows - 1 in the memory of block `turn`. */
static wl_status lay_out(writing *w, size_t first, size_t rows, size_t turn, output *block) {
    uint32_t *const sum = w->as_sums ? w->sum + turn * w->most * w->count : w->sum;
    if (w->sum)
        WL_TRY(distances_matrix_sums(w->matrix, first, rows, sum));
    else
        WL_TRY(distances_matrix_rows(w->matrix, first, rows, w->distance, w->compared));
    *block = (output){.numbers = sum, .bytes = rows * w->count * sizeof *sum};
    if (w->as_sums) return WL_OK;
    distances_text *text = w->text + turn * w->most;
    *block = (output){.text = text, .rows = rows};
    int without_memory = 0;
#pragma omp parallel for schedule(dynamic) num_threads(w->threads) reduction(| : without_memory)
    for (size_t r = 0; r < rows; r++) without_memory |= !put(w, first + r, r, &text[r]);
    return without_memory ? wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows as text", rows) : WL_OK;
}

/* Of a row while it is laid out: its numbers, and about as much text as becomes of them. */
static size_t row_bytes(const writing *w) {
    const int list = is_list(w->layout);
    size_t names = 0;
    for (size_t i = 0; list && i < w->count; i++) names += 2 * strlen(w->names[i]);
    const size_t number = w->whole ? sizeof(double) : (size_t)w->digits + sizeof "-.e-300";
    return names + w->count * (sizeof *w->distance + number + (list ? 2 * sizeof *w->compared : 0));
}

static wl_status make_room(writing *w) {
    size_t least = BLOCK_NUMBERS / w->count, most = BLOCK_NUMBERS_MOST / w->count;
    const size_t within = distances_matrix_room(w->matrix) / row_bytes(w);
    w->most = (size_t)w->threads * ROWS_A_THREAD;
    if (w->most < least) w->most = least;
    if (w->most > most) w->most = most;
    w->blocks = within / 8 >= w->most   ? BLOCKS_MOST
                : within / 4 >= w->most ? 2
                                        : 1; // where memory is short, whoever lays a block out writes it
    if (w->most > within) w->most = within;
    if (w->most > w->count) w->most = w->count;
    if (w->most == 0) w->most = 1;
    const int with_compared = is_list(w->layout) && w->layout->with_compared;
    const int has_sums = distances_matrix_has_sums(w->matrix) && !with_compared;
    w->as_sums = has_sums && w->small && w->layout->output == DISTANCES_NUMPY;
    if (has_sums)
        w->sum = malloc((w->as_sums ? w->blocks : 1) * w->most * w->count * sizeof *w->sum);
    else
        w->distance = malloc(w->most * w->count * sizeof *w->distance);
    if (with_compared) w->compared = malloc(w->most * w->count * sizeof *w->compared);
    w->text = calloc(w->blocks * w->most, sizeof *w->text);
    if ((w->distance || w->sum) && w->text && (w->compared || !with_compared)) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows of distances", w->most);
}

static wl_status write_blocks(writing *w, scribe *s, int has_thread) {
    wl_status status = WL_OK;
    int error = 0;
    for (size_t i = 0, turn = 0; i < w->count && status == WL_OK && error == 0;
         i += w->most, turn = (turn + 1) % w->blocks) {
        const size_t rows = w->count - i < w->most ? w->count - i : w->most;
        const double begun = wl_timings_now();
        output block;
        status = lay_out(w, i, rows, turn, &block);
        wl_timings_since(WL_PHASE_FORMAT, begun,
                         (double)rows * (double)w->count * (w->sum ? sizeof *w->sum : sizeof *w->distance));
        if (status == WL_OK) error = has_thread ? hand_over(s, &block) : write_block(w->stream, &block, NULL);
    }
    if (has_thread) { // what is under way is waited for
        const int last = finish_writing(s);
        if (error == 0) error = last;
    }
    if (status == WL_OK && error != 0)
        status = wl_fail(WL_NO_MACHINE, "cannot write the distances: %s", strerror(error));
    return status;
}

static wl_status write_matrix(writing *w) {
    WL_TRY(make_room(w));
    write_header(w);
    scribe s = {.stream = w->stream, .to_disk = w->layout->to_disk, .blocks = w->blocks};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    /* One block is written by whoever makes it. */
    const int has_thread = w->blocks > 1 && w->count > w->most && wl_thread_start(&s.thread, scribble, &s);
    const wl_status status = write_blocks(w, &s, has_thread);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    return status;
}

static wl_status write_clusters(const writing *w) {
    distances_cluster_count found;
    size_t *cluster = malloc(w->count * sizeof *cluster); // [count]
    wl_status status = cluster ? distances_clusters(w->matrix, w->layout->most_distance, cluster, &found)
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
                 .between = layout->csv                          ? ','
                            : layout->output == DISTANCES_PHYLIP ? ' '
                                                                 : '\t',
                 .layout = layout,
                 .stream = stream,
                 .count = distances_matrix_count(matrix),
                 .whole = largest > 0,
                 .small = largest > 0 && largest <= INT32_MAX,
                 .digits = digits < DIGITS_MOST ? digits : DIGITS_MOST,
                 .threads = layout->threads > 0 ? layout->threads : wl_cpu_threads()};
    distances_numbers_ready();
    WL_TRY(distances_names_check(names, w.count, layout));
    char **quoted = layout->csv ? distances_names_quoted(names, w.count) : NULL;
    if (layout->csv && quoted == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu names", w.count);
    if (quoted) w.names = quoted;
    wl_status status = layout->output == DISTANCES_CLUSTERS ? write_clusters(&w) : write_matrix(&w);
    for (size_t r = 0; w.text && r < w.blocks * w.most; r++) free(w.text[r].bytes);
    WL_FREE(w.text, w.distance, w.sum, w.compared);
    distances_names_free(quoted, w.count);
    return status;
}
