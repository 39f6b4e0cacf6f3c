/* PHYLIP never says which of its layouts a file has. So each is tried against the header's counts, first without keeping
   anything; the one that fits is read once more into memory. */
#include "io/phylip.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "harness/base/memory.h"

typedef wl_phylip_reader reader;

/* [strict]: in the order in which they are tried. */
static const wl_phylip_layout layouts[2][3] = {
    {{0, 0, 0, "relaxed sequential"},
     {0, 1, 0, "relaxed interleaved"},
     {0, 1, 1, "relaxed interleaved, names repeated"}},
    {{1, 0, 0, "strict sequential"}, {1, 1, 0, "strict interleaved"}, {1, 1, 1, "strict interleaved, names repeated"}},
};

/* Where the rows begin. */
typedef struct {
    const char *next;
    size_t line;
} place;

/* What no layout may have, and how many lines there are. */
static wl_status screen(reader *r) {
    const char *line = r->text;
    char text[16];
    for (const char *c = r->text; c < r->end; c++) {
        if ((unsigned char)*c >= ' ' && *c != 0x7F) continue;
        if (*c == '\n') {
            line = c + 1;
            r->lines++;
        } else if (*c == '\r' && c + 1 < r->end && c[1] != '\n') {
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu:%zu: found a carriage return inside a line; expected line ends '\\n' or '\\r\\n'",
                           r->path, r->lines + 1, (size_t)(c - line) + 1);
        } else if (*c != '\t' && *c != '\r') {
            return wl_fail(WL_BAD_INPUT, "%s:%zu:%zu: found %s; expected text", r->path, r->lines + 1,
                           (size_t)(c - line) + 1, wl_bytes_show((unsigned char)*c, text));
        }
    }
    r->lines++;
    return WL_OK;
}

/* The header's next word, moving on past it; its length is 0 at the line's end. */
static size_t next_word(const reader *r, const char **word, const char **place) {
    *word = wl_phylip_skip_white(r, *place);
    const char *end = *word;
    while (end < r->stop && !wl_phylip_is_white(*end)) end++;
    *place = end;
    return (size_t)(end - *word);
}

static wl_status read_count(const reader *r, const char **place, const char *what, size_t *count) {
    const char *word;
    size_t length = next_word(r, &word, place), digits = 0;
    *count = 0;
    while (digits < length && digits < 18 && word[digits] >= '0' && word[digits] <= '9')
        *count = 10 * *count + (size_t)(word[digits++] - '0');
    if (length == 0)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: the header ends; expected the number of %s", r->path, r->line, what);
    if (digits < length || *count == 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: found '%.*s' in the header; expected the number of %s, from 1 to 1e18 - 1", r->path,
                       r->line, wl_phylip_shown(length), word, what);
    return WL_OK;
}

static int same_word(const char *word, size_t length, const char *as) {
    if (length != strlen(as)) return 0;
    for (size_t i = 0; i < length; i++)
        if ((word[i] | 0x20) != as[i]) return 0;
    return 1;
}

/* Two counts, and perhaps what the layout is: *interleaved is -1 when it is not said. */
static wl_status read_header(reader *r, int *interleaved) {
    *interleaved = -1;
    if (!wl_phylip_next_line(r))
        return wl_fail(WL_BAD_INPUT, "%s: found nothing in the file; expected an alignment in PHYLIP format", r->path);
    const char *place = r->begin, *word;
    WL_TRY(read_count(r, &place, "rows", &r->count));
    WL_TRY(read_count(r, &place, "columns", &r->columns));
    size_t length;
    while ((length = next_word(r, &word, &place)) > 0) {
        int says = same_word(word, length, "i") || same_word(word, length, "interleaved")  ? 1
                   : same_word(word, length, "s") || same_word(word, length, "sequential") ? 0
                                                                                           : -1;
        if (says < 0 || (*interleaved >= 0 && says != *interleaved))
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: found '%.*s' in the header; expected two counts and at most 'I' or 'S' "
                           "(interleaved or sequential)",
                           r->path, r->line, wl_phylip_shown(length), word);
        *interleaved = says;
    }
    return WL_OK;
}

/* As many characters as fit. */
__attribute__((format(printf, 3, 4))) static void append(char *to, size_t size, const char *format, ...) {
    size_t used = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + used, size - used, format, arguments);
    va_end(arguments);
}

static const wl_phylip_failure *further(const wl_phylip_failure pair[2]) {
    return &pair[pair[0].layout == NULL || (pair[1].layout && pair[1].at > pair[0].at)];
}

/* A strict reading gets far in a relaxed file by accident, and few files are strict: theirs is said last. */
static wl_status refuse(const reader *r, const wl_phylip_failure furthest[2][2]) {
    const wl_phylip_failure *f = further(furthest[0]), *strict = further(furthest[1]);
    if (f->layout == NULL) f = strict;
    const wl_phylip_failure *pair = furthest[f == strict], *other = &pair[f == pair];
    char text[1024] = "";
    append(text, sizeof text, "%s (PHYLIP, read as %s", f->text, f->layout);
    if (other->layout && other->line != f->line)
        append(text, sizeof text, "; as %s, line %zu: %s", other->layout, other->line, other->text);
    if (strict->layout && strict->at > f->at)
        append(text, sizeof text, "; as %s, line %zu: %s", strict->layout, strict->line, strict->text);
    return wl_fail(WL_BAD_INPUT, "%s:%zu: %s)", r->path, f->line, text);
}

/* As many letters and rows as the header says are in the file, so this is no more than it has bytes. */
static int reserve(const reader *r, wl_alignment *alignment) {
    size_t room = 0;
    alignment->rows =
        wl_memory_room(&room, r->count * sizeof *alignment->rows) ? calloc(r->count, sizeof *alignment->rows) : NULL;
    if (alignment->rows == NULL) return 0;
    alignment->count = r->count;
    alignment->columns = r->columns;
    for (size_t i = 0; i < r->count; i++) {
        const wl_phylip_row *row = &r->rows[i];
        size_t bytes = r->columns + 1 + row->name_length + 1;
        char *block = wl_memory_get(&room, bytes);
        if (block == NULL) return 0;
        block[r->columns] = 0;
        char *name = memcpy(block + r->columns + 1, row->name, row->name_length);
        name[row->name_length] = 0;
        alignment->rows[i] = (wl_alignment_row){name, block, row->line};
    }
    return 1;
}

static wl_status no_memory(const reader *r) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory for an alignment of %zu rows and %zu columns", r->path,
                   r->count, r->columns);
}

/* Of sequential, or of interleaved. */
typedef struct {
    const wl_phylip_layout *fits; // NULL: none
    size_t last;                  // line in which the last row begins
    int torn;
} fit;

static fit try_layout(reader *r, const wl_phylip_layout *as, const place *from, wl_phylip_failure *furthest) {
    if (wl_phylip_try(r, as, from->next, from->line)) return (fit){as, r->rows[r->count - 1].line, r->torn};
    if (furthest->layout == NULL || r->failure.at > furthest->at) *furthest = r->failure;
    return (fit){0};
}

/* Nobody but the file's author knows which is right, unless blank lines say so. Where each row has one line both are. */
static wl_status choose(const reader *r, const place *from, const fit *sequential, const fit *interleaved,
                        const wl_phylip_layout **fits) {
    int both = sequential->fits && interleaved->fits;
    *fits = sequential->fits ? sequential->fits : interleaved->fits;
    if (!both || sequential->last == interleaved->last || (interleaved->torn && !sequential->torn)) return WL_OK;
    *fits = interleaved->fits;
    if (sequential->torn && !interleaved->torn) return WL_OK;
    return wl_fail(
        WL_BAD_INPUT,
        "%s:%zu: the rows fit the header both as sequential (the last begins in line %zu) and as interleaved (in "
        "line %zu); expected 'S' or 'I' behind the two counts, or blank lines between rows or blocks",
        r->path, from->line, sequential->last, interleaved->last);
}

static wl_status read_layouts(reader *r, wl_alignment_format format, int interleaved, wl_alignment *alignment) {
    const place from = {r->next, r->line};
    wl_phylip_failure furthest[2][2] = {{{0}, {0}}, {{0}, {0}}}; // [strict][interleaved]
    for (int strict = 0; strict < 2; strict++) {
        if (format != WL_ALIGNMENT_AUTO && strict != (format == WL_ALIGNMENT_PHYLIP_STRICT)) continue;
        const wl_phylip_layout *as = layouts[strict], *fits;
        fit one = {0}, other = {0};
        if (interleaved != 1) one = try_layout(r, &as[0], &from, &furthest[strict][0]);
        for (int repeated = 0; interleaved != 0 && repeated < 2 && other.fits == NULL; repeated++)
            other = try_layout(r, &as[1 + repeated], &from, &furthest[strict][1]);
        WL_TRY(choose(r, &from, &one, &other, &fits));
        if (fits == NULL) continue;
        wl_phylip_try(r, fits, from.next, from.line); // r->rows are those of the last one tried
        if (!reserve(r, alignment)) return no_memory(r);
        r->kept = alignment->rows;
        wl_phylip_try(r, fits, from.next, from.line);
        return WL_OK;
    }
    return refuse(r, furthest);
}

wl_status wl_phylip_read(const char *path, const char *text, size_t size, wl_alignment_format format,
                         wl_alignment *alignment) {
    reader r = {.path = path, .text = text, .end = text + size, .next = text};
    int interleaved;
    WL_TRY(screen(&r));
    WL_TRY(read_header(&r, &interleaved));
    size_t rows = r.count < r.lines ? r.count : r.lines, room = 0;
    r.rows = wl_memory_get(&room, rows * sizeof *r.rows);
    wl_alignment read = {0};
    wl_status status = r.rows ? read_layouts(&r, format, interleaved, &read) : no_memory(&r);
    free(r.rows);
    if (status == WL_OK)
        *alignment = read;
    else
        wl_alignment_free(&read);
    return status;
}
