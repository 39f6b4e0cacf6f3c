/* A plain FASTA file, read by all processors: first where its records begin, then their letters, straight to planes. Whatever is not as
   nearly all files have it (carriage returns, blanks among letters, lengths that differ) is left to the reader of any file, which says
   what is wrong. The file is read, not mapped: one that becomes shorter meanwhile must not end the program. */
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "tools/distances/read/letters.h"
#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/base/timings.h"

enum {
    STRETCH = 2 << 20,    // bytes of the file that are looked through at a time
    NAME_MOST = 4096,     // longer names are left to the other reader, and
    RECORD_MOST = 1 << 28 // records of more bytes
};
enum { FOREIGN = DISTANCES_LETTER_UNSEEN | 2 }; // the code of a byte that no sequence has
#define BATCH_BYTES ((size_t)64 << 20)

/* --- Where records begin ----------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t offset;
    size_t line; // from 0; in a stretch, from the stretch's first
} record;

typedef struct {
    record *items; // [count]
    size_t count, lines;
} stretch;

/* All of it, or false. */
static int read_whole(int file, uint64_t offset, size_t count, char *into) {
    while (count > 0) {
        const ssize_t got = pread(file, into, count, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        into += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return 1;
}

static size_t count_lines(const char *text, size_t count) {
    size_t lines = 0;
    for (const char *at = text, *end = text + count; (at = memchr(at, '\n', (size_t)(end - at))); at++) lines++;
    return lines;
}

/* text: the byte before the stretch, and the stretch, of `count` bytes. */
static int look_through(stretch *s, const char *text, uint64_t offset, size_t count) {
    size_t counted = 0;
    const char *bytes = text + 1, *at = bytes;
    while ((at = memchr(at, '>', count - (size_t)(at - bytes)))) {
        const size_t k = (size_t)(at++ - bytes);
        if (offset + k > 0 && bytes[(ptrdiff_t)k - 1] != '\n') continue;
        s->lines += count_lines(bytes + counted, k - counted);
        counted = k;
        if (!WL_GROW(s->items, s->count, 1)) return 0;
        s->items[s->count++] = (record){offset + k, s->lines};
    }
    s->lines += count_lines(bytes + counted, count - counted);
    return 1;
}

/* The records of the whole file, and one more that begins at its end; NULL: not to be had. */
static record *find_records(int file, uint64_t size, int threads, size_t *count) {
    const size_t stretches = (size_t)((size + STRETCH - 1) / STRETCH);
    stretch *all = calloc(stretches, sizeof *all);
    int failed = all == NULL;
#pragma omp parallel num_threads(threads) reduction(| : failed)
    {
        char *text = malloc(STRETCH + 1);
        failed |= text == NULL;
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < stretches; i++) {
            if (failed) continue;
            const uint64_t offset = (uint64_t)i * STRETCH, left = size - offset;
            const size_t some = left < STRETCH ? (size_t)left : STRETCH, before = i > 0;
            failed |= !read_whole(file, offset - before, some + before, text + 1 - before) ||
                      !look_through(&all[i], text, offset, some);
        }
        free(text);
    }
    size_t records = 0, lines = 0;
    for (size_t i = 0; all && i < stretches; i++) records += all[i].count;
    record *found = failed ? NULL : malloc((records + 1) * sizeof *found);
    *count = 0;
    for (size_t i = 0; all && i < stretches; i++) {
        for (size_t k = 0; found && k < all[i].count; k++)
            found[(*count)++] = (record){all[i].items[k].offset, lines + all[i].items[k].line};
        lines += all[i].lines;
        free(all[i].items);
    }
    if (found) found[*count] = (record){size, lines};
    free(all);
    return found;
}

/* --- One record --------------------------------------------------------------------------------------------------- */

typedef struct {
    char *text;   // [longest + 1] of a record
    uint8_t *row; // [words][64]
    uint64_t missing[256];
} desk; // of a thread

typedef struct {
    char *name;
    int left; // to the serial reader, since it has letters without a code
} read_row;

/* The record at `from` as a sequence in text [bytes + 1], its letters moved together; false where it is not of the usual kind. */
static int parse(char *text, size_t bytes, wl_sequence *sequence) {
    static char comment[] = "";
    text[bytes] = 0;
    char *line = memchr(text, '\n', bytes), *end = text + bytes;
    if (text[0] != '>' || line == NULL) return 0;
    *line = 0;
    size_t name = 0;
    for (const char *c = text + 1; c < line; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) return 0;
        if (*c == ' ' && name == 0) name = (size_t)(c - text - 1);
        if (*c == ' ' && c == text + 1) return 0;
    }
    if (name == 0) name = (size_t)(line - text - 1);
    if (name == 0 || name > NAME_MOST) return 0;
    text[1 + name] = 0;
    wl_text_calm(text + 1, name, NULL, '_');
    char *letters = line + 1, *into = letters;
    for (char *from = letters; from < end;) {
        char *stop = memchr(from, '\n', (size_t)(end - from));
        const size_t length = (size_t)((stop ? stop : end) - from);
        if (into != from) memmove(into, from, length);
        into += length;
        from += length + 1;
    }
    *into = 0;
    *sequence = (wl_sequence){text + 1, comment, letters, (size_t)(into - letters), 0, NULL};
    return into > letters;
}

/* Record i of the file into row i; false where it is not of the usual kind. */
static int take_record(distances_rows *rows, int file, const record *at, size_t i, const uint8_t *table, desk *own,
                       read_row *result) {
    wl_sequence sequence;
    const size_t bytes = (size_t)(at[1].offset - at[0].offset);
    if (!read_whole(file, at->offset, bytes, own->text) || !parse(own->text, bytes, &sequence)) return 0;
    if (sequence.length != rows->data.sites) return 0;
    uint8_t every = DISTANCES_PRESENT;
    const uint8_t any =
        distances_letters_encode(table, (const unsigned char *)sequence.letters, sequence.length, own->row, &every);
    result->left = (any & DISTANCES_LETTER_UNSEEN) != 0;
    if (result->left) return 1;
    if (!every) distances_letters_count_missing(sequence.letters, own->row, sequence.length, own->missing);
    result->name = strdup(sequence.name);
    distances_rows_put(rows, i, own->row);
    return result->name != NULL;
}

/* By the reader of one sequence after the other. */
static int take_serially(distances_letters *r, int file, const record *at, char *text) {
    wl_sequence sequence;
    const size_t bytes = (size_t)(at[1].offset - at[0].offset);
    if (!read_whole(file, at->offset, bytes, text) || !parse(text, bytes, &sequence)) return 0;
    for (size_t k = 0; k < sequence.length; k++)
        if (!wl_sequence_has((unsigned char)sequence.letters[k])) return 0;
    sequence.line = at->line + 1;
    return distances_letters_take(r, &sequence) == WL_OK;
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

/* Records first .. end - 1, which become the next rows. */
static int take_batch(distances_letters *r, int file, const record *records, size_t first, size_t end, int threads,
                      desk *desks, read_row *results) {
    distances_rows *rows = r->rows;
    uint8_t table[256];
    for (int byte = 0; byte < 256; byte++)
        table[byte] = wl_sequence_has((unsigned char)byte) ? r->table[byte] : (uint8_t)FOREIGN;
    int failed = 0, left = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(| : failed, left)
    for (size_t i = first; i < end; i++) {
        read_row *result = &results[i - first];
        failed |= !take_record(rows, file, &records[i], i, table, &desks[omp_get_thread_num()], result);
        left |= result->left;
    }
    for (size_t i = first; i < end && !failed && !left; i++) {
        const char *name = results[i - first].name;
        failed |= distances_rows_name(rows, name, strlen(name), records[i].line + 1) != WL_OK;
        rows->data.count += !failed;
    }
    for (size_t i = first; i < end && !failed && left; i++) failed |= !take_serially(r, file, &records[i], desks->text);
    for (int t = 0; t < threads; t++) {
        for (int byte = 0; byte < 256 && !left; byte++) r->missing[byte] += desks[t].missing[byte];
        memset(desks[t].missing, 0, sizeof desks[t].missing);
    }
    for (size_t i = first; i < end; i++) free(results[i - first].name);
    memset(results, 0, (end - first) * sizeof *results);
    return !failed;
}

static int take_all(distances_letters *r, int file, const record *records, size_t count, int threads, desk *desks,
                    size_t longest) {
    distances_rows *rows = r->rows;
    size_t at = 0;
    while (at < count && !r->decided)
        if (!take_serially(r, file, &records[at++], desks->text)) return 0;
    const size_t batch = BATCH_BYTES / longest + (size_t)threads;
    read_row *results = calloc(batch, sizeof *results);
    int fine = results != NULL;
    for (int t = 0; t < threads && fine && at < count; t++)
        fine = (desks[t].row = calloc(rows->data.words, 64)) != NULL;
    while (at < count && fine) {
        const size_t end = count - at < batch ? count : at + batch;
        fine = (rows->row_capacity >= count || distances_rows_reserve(rows, count) == WL_OK) &&
               take_batch(r, file, records, at, end, threads, desks, results);
        at = end;
    }
    free(results);
    return fine;
}

int distances_letters_of_file(distances_letters *r, int file, uint64_t size) {
    const int threads = r->rows->reading->threads > 0 ? r->rows->reading->threads : wl_cpu_threads();
    size_t count = 0, longest = 0;
    double begun = wl_timings_now();
    record *records = find_records(file, size, threads, &count);
    wl_timings_since(WL_PHASE_READ, begun, (double)size);
    begun = wl_timings_now();
    int fine = records != NULL && count > 0 && records[0].offset == 0;
    for (size_t i = 0; i < count && fine; i++) {
        const size_t bytes = (size_t)(records[i + 1].offset - records[i].offset);
        if (bytes > longest) longest = bytes;
    }
    const size_t room = (size_t)threads * (longest + 1);
    fine = fine && longest < RECORD_MOST && distances_rows_memory(r->rows, 2 * room) == WL_OK;
    desk *desks = fine ? calloc((size_t)threads, sizeof *desks) : NULL;
    fine = desks != NULL;
    for (int t = 0; t < threads && fine; t++) fine = (desks[t].text = malloc(longest + 1)) != NULL;
    if (fine) fine = take_all(r, file, records, count, threads, desks, longest);
    for (int t = 0; t < threads && desks; t++) {
        WL_FREE(desks[t].text, desks[t].row);
    }
    WL_FREE(desks, records);
    if (fine) distances_rows_return(r->rows, 2 * room);
    wl_timings_since(WL_PHASE_PACK, begun, (double)size);
    return fine;
}
