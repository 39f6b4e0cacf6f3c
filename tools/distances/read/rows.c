/* How rows, and the memory for them, grow. rows_finish.c has what is done when all are there. */
#include "tools/distances/read/rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"

#define LINE 64                    // bytes of a cache line, which bits begin at
#define GROWTH ((size_t)256 << 20) // at most, at a time: the kernel moves large blocks without copying them

void distances_rows_note(const distances_rows *rows, const char *format, ...) {
    if (rows->notes == NULL) return;
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(rows->notes, "%s: ", rows->file);
    wl_put_plain(rows->notes, line, strlen(line)); // BCF's names
    fputc('\n', rows->notes);
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

wl_status distances_rows_memory(distances_rows *rows, size_t more) {
    size_t most = rows->reading->memory, count = rows->data.count;
    char found[WL_MEMORY_TEXT], expected[WL_MEMORY_TEXT];
    if (most > 0 && (rows->used > most || more > most - rows->used))
        return wl_fail(WL_NO_MACHINE,
                       "%s: found data of more than %s after %zu instance%s; expected at most the %s that reading may "
                       "take: allow more with --memory",
                       rows->file, wl_memory_show((double)(rows->used + more), found), count, count == 1 ? "" : "s",
                       wl_memory_show((double)most, expected));
    if (!wl_memory_room(&rows->room, more))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for more than %s after %zu instance%s", rows->file,
                       wl_memory_show((double)rows->used, found), count, count == 1 ? "" : "s");
    rows->used += more;
    return WL_OK;
}

void distances_rows_return(distances_rows *rows, size_t bytes) { rows->used -= bytes; }

static wl_status no_memory(const distances_rows *rows) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory after %zu instances", rows->file, rows->data.count);
}

static size_t row_bytes(const distances_data *data) {
    if (distances_are_real(data)) return data->sites * sizeof(double);
    return (size_t)(data->planes + 1) * data->words * sizeof(uint64_t);
}

/* realloc for memory at cache lines, which realloc keeps for large blocks only. On failure the old block is gone, too. */
static void *reallocate(void *old, size_t old_bytes, size_t bytes) {
    if (old == NULL) return wl_memory_large(bytes);
    void *block = realloc(old, bytes);
    if (block == NULL) free(old);
    if (block == NULL || (uintptr_t)block % LINE == 0) return block;
    void *aligned = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (aligned) memcpy(aligned, block, old_bytes < bytes ? old_bytes : bytes);
    free(block);
    return aligned;
}

/* Room for `capacity` rows of `bytes` bytes each, instead of row_capacity of row_bytes. */
static wl_status resize(distances_rows *rows, size_t capacity, size_t bytes) {
    distances_data *data = &rows->data;
    size_t before = rows->row_capacity * row_bytes(data);
    if (bytes > SIZE_MAX / 2 / capacity) return no_memory(rows);
    size_t after = capacity * bytes;
    if (after > before) WL_TRY(distances_rows_memory(rows, after - before));
    void *old = distances_are_real(data) ? (void *)data->real : (void *)data->bits;
    void *block = reallocate(old, before, after);
    if (distances_are_real(data))
        data->real = block;
    else
        data->bits = block;
    if (block == NULL) {
        rows->row_capacity = 0;
        return no_memory(rows);
    }
    if (after < before) distances_rows_return(rows, before - after);
    rows->row_capacity = capacity;
    return WL_OK;
}

/* Room for one row more, and for as many others as are free. */
static wl_status reserve(distances_rows *rows) {
    size_t count = rows->data.count, bytes = row_bytes(&rows->data), most = rows->reading->memory;
    if (count < rows->row_capacity) return WL_OK;
    size_t more = count / 2 + 1;
    if (more > 1 && more > GROWTH / bytes) more = GROWTH / bytes + 1;
    if (most > 0) { // half of what is left, so that names find room, too
        size_t left = rows->used < most ? (most - rows->used) / 2 / bytes : 0;
        if (more > left) more = left > 0 ? left : 1;
    }
    return resize(rows, count + more, bytes);
}

wl_status distances_rows_reserve(distances_rows *rows, size_t count) {
    return resize(rows, count, row_bytes(&rows->data));
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

/* Room for a name, which rows that are only prepared for make. */
static wl_status reserve_bytes(distances_rows *rows, size_t bytes) {
    const size_t count = rows->data.count, most = rows->reading->memory;
    if (most > 0 && rows->used + bytes > most && count > 0 && rows->row_capacity > count)
        WL_TRY(resize(rows, count, row_bytes(&rows->data)));
    return distances_rows_memory(rows, bytes);
}

wl_status distances_rows_name(distances_rows *rows, const char *name, size_t length, size_t place) {
    distances_data *data = &rows->data;
    WL_TRY(reserve_bytes(rows, length + 1 + sizeof *data->names + sizeof *rows->places));
    if (!WL_GROW(data->names, rows->named, 1) || !WL_GROW(rows->places, rows->named, 1)) return no_memory(rows);
    char *copy = strndup(name, length);
    if (copy == NULL) return no_memory(rows);
    wl_text_calm(copy, length, "", '_'); // BCF's may have any
    data->names[rows->named] = copy;
    rows->places[rows->named++] = place;
    return WL_OK;
}

void distances_rows_split(distances_rows *rows, size_t split, const wl_bytes *second) {
    rows->split = split;
    rows->before = rows->file;
    rows->file = wl_bytes_name(second);
}

void distances_rows_shape(distances_rows *rows, uint64_t sites, int planes) {
    rows->data.sites = sites;
    rows->data.words = distances_words(sites);
    rows->data.planes = planes;
}

/* distances_pack eight sites at a time, with other codes: reading is to be no slower than unpacking gzip is. */

/* Bit 0 of each of eight bytes, byte k's as bit k. */
static uint64_t low_bits(uint64_t bytes) {
    return ((bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080)) >> 56;
}

void distances_rows_put(distances_rows *rows, size_t i, const uint8_t *codes) {
    distances_data *data = &rows->data;
    const size_t words = data->words;
    const int planes = data->planes;
    uint64_t *bits = data->bits + i * (size_t)(planes + 1) * words; // [planes + 1][words]
    for (size_t w = 0; w < words; w++) {
        uint64_t word[DISTANCES_PLANES_MOST + 1] = {0};
        for (int group = 0; group < 8; group++) {
            uint64_t eight;
            memcpy(&eight, codes + 64 * w + 8 * group, sizeof eight);
            for (int p = 0; p < planes; p++) word[p] |= low_bits(eight >> p) << (8 * group);
            word[planes] |= low_bits(eight >> 7) << (8 * group);
        }
        for (int p = 0; p <= planes; p++) bits[(size_t)p * words + w] = word[p];
    }
}

wl_status distances_rows_codes(distances_rows *rows, const uint8_t *codes) {
    WL_TRY(reserve(rows));
    distances_rows_put(rows, rows->data.count++, codes);
    return WL_OK;
}

wl_status distances_rows_reals(distances_rows *rows, const double *values) {
    distances_data *data = &rows->data;
    WL_TRY(reserve(rows));
    memcpy(data->real + data->count * data->sites, values, data->sites * sizeof *values);
    data->count++;
    return WL_OK;
}

wl_status distances_rows_widen(distances_rows *rows, int planes) {
    distances_data *data = &rows->data;
    const size_t words = data->words, had = (size_t)data->planes, has = (size_t)planes;
    if (has <= had) return WL_OK;
    if (data->count > 0) {
        WL_TRY(resize(rows, data->count, (has + 1) * words * sizeof(uint64_t)));
    } else {
        free(data->bits);
        data->bits = NULL;
        rows->used -= rows->row_capacity * row_bytes(data);
        rows->row_capacity = 0;
    }
    for (size_t i = data->count; i-- > 0;) { // from the last, so that no row is overwritten before it has moved
        uint64_t *from = data->bits + i * (had + 1) * words, *to = data->bits + i * (has + 1) * words;
        memmove(to + has * words, from + had * words, words * sizeof *to);
        memmove(to, from, had * words * sizeof *to);
        memset(to + had * words, 0, (has - had) * words * sizeof *to);
    }
    data->planes = planes;
    return WL_OK;
}

wl_status distances_rows_to_reals(distances_rows *rows) {
    distances_data *data = &rows->data;
    const distances_data integers = *data;
    const size_t words = data->words, old_bytes = rows->row_capacity * row_bytes(data);
    data->kind = DISTANCES_REALS;
    data->sum = DISTANCES_DIFFERENT;
    data->planes = 0;
    data->bits = NULL;
    rows->row_capacity = 0;
    wl_status status = integers.count > 0 ? resize(rows, integers.count, row_bytes(data)) : WL_OK;
    uint8_t *values = malloc(data->sites);
    if (values == NULL && status == WL_OK) status = no_memory(rows);
    for (size_t i = 0; status == WL_OK && i < integers.count; i++) {
        const uint64_t *bits = integers.bits + i * (size_t)(integers.planes + 1) * words; // [planes + 1][words]
        distances_unpack(integers.sum, integers.planes, data->sites, bits, words, values);
        for (uint64_t k = 0; k < data->sites; k++)
            data->real[i * data->sites + k] = values[k] == DISTANCES_MISSING ? NAN : values[k];
    }
    WL_FREE(values, integers.bits);
    distances_rows_return(rows, old_bytes);
    return status;
}

wl_status distances_rows_trim(distances_rows *rows) {
    if (rows->row_capacity == rows->data.count) return WL_OK;
    return resize(rows, rows->data.count, row_bytes(&rows->data));
}
