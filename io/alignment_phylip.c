/* PHYLIP never says which of its layouts a file has. So each is tried against the header's counts, first without keeping
   anything; the one that fits is read once more into memory. */
#include "io/alignment_phylip.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/memory.h"

#define STRICT_NAME 10
#define SHOWN 40 /* bytes of a name in an error line */

typedef struct {
    int strict, interleaved, repeated; // repeated: later blocks have the names again
    const char *description;
} layout;

/* In the order in which they are tried. */
static const layout layouts[] = {
    {0, 0, 0, "relaxed sequential"}, {0, 1, 0, "relaxed interleaved"}, {0, 1, 1, "relaxed interleaved, names repeated"},
    {1, 0, 0, "strict sequential"},  {1, 1, 0, "strict interleaved"},  {1, 1, 1, "strict interleaved, names repeated"},
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

/* Why a layout does not fit. */
typedef struct {
    const char *layout; // NULL: none yet
    const char *at;     // how far it came
    size_t line;
    char text[400];
} failure;

typedef struct {
    const char *name; // not zero-terminated
    size_t name_length, line;
    size_t letters; // up to here
} row_state;

typedef struct {
    const char *path, *text, *end;
    size_t lines, count, columns; // of the file; the header's
    layout layout;
    row_state *rows;        // [least of count, lines]
    wl_alignment_row *kept; // [count]; NULL while only looking
    failure failure;

    const char *next; // line
    size_t line;      // number of the current one, from 1
    const char *begin, *stop;
} reader;

static int is_white(int byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

static int shown(size_t length) { return length < SHOWN ? (int)length : SHOWN; }

/* printf's %.*s for a row's name. */
#define NAME(row) shown((row)->name_length), (row)->name

/* Returns 0. */
__attribute__((format(printf, 2, 3))) static int fail(reader *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->failure.text, sizeof r->failure.text, format, arguments);
    va_end(arguments);
    r->failure.layout = r->layout.description;
    r->failure.at = r->begin;
    r->failure.line = r->line;
    return 0;
}

/* --- Lines ------------------------------------------------------------------------------------------------------- */

/* The next line that is not blank: begin .. stop, without white space at either end but with what is before begin in its
   place. At the end of the file, 0. */
static int next_line(reader *r) {
    while (r->next < r->end) {
        const char *line = r->next, *stop = memchr(line, '\n', (size_t)(r->end - line));
        r->next = stop ? stop + 1 : r->end;
        r->begin = line;
        r->stop = stop ? stop : r->end;
        r->line++;
        while (r->stop > line && is_white(r->stop[-1])) r->stop--;
        if (r->stop > line) return 1;
    }
    r->begin = r->stop = r->end;
    return 0;
}

static const char *skip_white(const reader *r, const char *from) {
    while (from < r->stop && is_white(*from)) from++;
    return from;
}

/* The line's name, *name [*length]; returns where its letters begin. */
static const char *find_name(const reader *r, const char **name, size_t *length) {
    const char *end;
    if (r->layout.strict) {
        const char *most = r->stop - r->begin < STRICT_NAME ? r->stop : r->begin + STRICT_NAME;
        end = memchr(r->begin, '\t', (size_t)(most - r->begin));
        if (end == NULL) end = most;
        *name = r->begin;
        while (*name < end && **name == ' ') ++*name;
        const char *last = end;
        while (last > *name && last[-1] == ' ') last--;
        *length = (size_t)(last - *name);
        return end;
    }
    *name = end = skip_white(r, r->begin);
    while (end < r->stop && !is_white(*end)) end++;
    *length = (size_t)(end - *name);
    return end;
}

/* The rest of the line, from `from` on, goes to `row`. */
static int take_letters(reader *r, row_state *row, const char *from) {
    char *to = r->kept ? r->kept[row - r->rows].letters + row->letters : NULL, text[16];
    size_t count = 0;
    for (; from < r->stop; from++) {
        if (is_white(*from)) continue;
        if ((unsigned char)*from > '~')
            return fail(r, "found %s among the letters of '%.*s'; expected printable ASCII characters",
                        wl_bytes_show((unsigned char)*from, text), NAME(row));
        if (to) to[count] = *from;
        count++;
    }
    row->letters += count;
    return 1;
}

static int begin_row(reader *r, row_state *row) {
    *row = (row_state){.line = r->line};
    const char *letters = find_name(r, &row->name, &row->name_length);
    if (row->name_length == 0) return fail(r, "found no name in the line's first ten characters; expected one");
    return take_letters(r, row, letters);
}

static int at_end(reader *r) {
    const row_state *last = &r->rows[r->count - 1];
    if (!next_line(r)) return 1;
    const char *text = skip_white(r, r->begin);
    return fail(r, "found '%.*s' after the last row, '%.*s'; expected %zu rows and no more",
                shown((size_t)(r->stop - text)), text, NAME(last), r->count);
}

/* --- Layouts ----------------------------------------------------------------------------------------------------- */

static int read_sequential(reader *r) {
    for (size_t i = 0; i < r->count; i++) {
        row_state *row = &r->rows[i];
        if (!next_line(r)) return fail(r, "the file ends after %zu rows; expected %zu", i, r->count);
        if (!begin_row(r, row)) return 0;
        size_t before = 0;
        while (row->letters < r->columns) {
            before = row->letters;
            if (!next_line(r))
                return fail(r, "the file ends after %zu letters of '%.*s'; expected %zu", before, NAME(row),
                            r->columns);
            if (!take_letters(r, row, r->begin)) return 0;
        }
        if (row->letters > r->columns && row->line == r->line)
            return fail(r, "'%.*s' has %zu letters; expected %zu", NAME(row), row->letters, r->columns);
        if (row->letters > r->columns)
            return fail(r, "'%.*s' of line %zu has %zu letters with this line and %zu without; expected %zu", NAME(row),
                        row->line, row->letters, before, r->columns);
    }
    return at_end(r);
}

/* A line of a later block. */
static int continue_row(reader *r, row_state *row) {
    const char *letters = r->begin;
    if (r->layout.repeated) {
        const char *name;
        size_t length;
        letters = find_name(r, &name, &length);
        if (length != row->name_length || memcmp(name, row->name, length) != 0)
            return fail(r, "found '%.*s'; expected '%.*s' again, as in line %zu", shown(length), name, NAME(row),
                        row->line);
    }
    return take_letters(r, row, letters);
}

static int read_block(reader *r, int first) {
    row_state *top = &r->rows[0];
    size_t width = 0, top_line = 0;
    for (size_t i = 0; i < r->count; i++) {
        row_state *row = &r->rows[i];
        size_t before = first ? 0 : row->letters;
        if (!next_line(r)) {
            if (first) return fail(r, "the file ends after %zu rows; expected %zu", i, r->count);
            if (i == 0) return fail(r, "the file ends after %zu letters of each row; expected %zu", before, r->columns);
            return fail(r, "the file ends after %zu rows of the block that line %zu begins; expected %zu", i, top_line,
                        r->count);
        }
        if (!(first ? begin_row(r, row) : continue_row(r, row))) return 0;
        if (i == 0) {
            width = row->letters - before;
            top_line = r->line;
        }
        if (row->letters - before != width)
            return fail(r, "'%.*s' has %zu letters in this block; expected %zu, as '%.*s' in line %zu has", NAME(row),
                        row->letters - before, width, NAME(top), top_line);
    }
    return 1;
}

static int read_interleaved(reader *r) {
    const row_state *top = &r->rows[0];
    if (!read_block(r, 1)) return 0;
    while (top->letters < r->columns)
        if (!read_block(r, 0)) return 0;
    if (top->letters > r->columns)
        return fail(r, "the rows have %zu letters up to this line; expected %zu", top->letters, r->columns);
    return at_end(r);
}

static int read_as(reader *r, layout as, const char *from, size_t line) {
    r->layout = as;
    r->next = from;
    r->line = line;
    return as.interleaved ? read_interleaved(r) : read_sequential(r);
}

/* --- The file ---------------------------------------------------------------------------------------------------- */

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

/* The header's next word, moving on to behind it; its length is 0 at the line's end. */
static size_t next_word(const reader *r, const char **word, const char **place) {
    *word = skip_white(r, *place);
    const char *end = *word;
    while (end < r->stop && !is_white(*end)) end++;
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
                       r->line, shown(length), word, what);
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
    if (!next_line(r))
        return wl_fail(WL_BAD_INPUT, "%s: found nothing in the file; expected an alignment in PHYLIP format", r->path);
    const char *place = r->begin, *word;
    wl_status status = read_count(r, &place, "rows", &r->count);
    if (status == WL_OK) status = read_count(r, &place, "columns", &r->columns);
    if (status != WL_OK) return status;
    size_t length;
    while ((length = next_word(r, &word, &place)) > 0) {
        int says = same_word(word, length, "i") || same_word(word, length, "interleaved")  ? 1
                   : same_word(word, length, "s") || same_word(word, length, "sequential") ? 0
                                                                                           : -1;
        if (says < 0 || (*interleaved >= 0 && says != *interleaved))
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: found '%.*s' in the header; expected two counts and at most 'I' or 'S' "
                           "(interleaved or sequential)",
                           r->path, r->line, shown(length), word);
        *interleaved = says;
    }
    return WL_OK;
}

/* The failure that came furthest, and the other kind's where that is about another line. */
static wl_status refuse(const reader *r, const failure furthest[2]) {
    int best = furthest[0].layout == NULL || (furthest[1].layout && furthest[1].at > furthest[0].at);
    const failure *f = &furthest[best], *other = &furthest[!best];
    if (other->layout == NULL || other->line == f->line)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: %s (PHYLIP, read as %s)", r->path, f->line, f->text, f->layout);
    return wl_fail(WL_BAD_INPUT, "%s:%zu: %s (PHYLIP, read as %s; as %s, line %zu: %s)", r->path, f->line, f->text,
                   f->layout, other->layout, other->line, other->text);
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
        const row_state *row = &r->rows[i];
        size_t bytes = r->columns + 1 + row->name_length + 1;
        char *block = wl_memory_room(&room, bytes) ? malloc(bytes) : NULL;
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

static wl_status read_layouts(reader *r, wl_alignment_format format, int interleaved, wl_alignment *alignment) {
    const char *from = r->next;
    size_t line = r->line;
    failure furthest[2] = {{0}, {0}}; // of sequential, interleaved
    for (const layout *as = layouts; as < layouts + LAYOUTS; as++) {
        if (interleaved >= 0 && as->interleaved != interleaved) continue;
        if (format != WL_ALIGNMENT_AUTO && as->strict != (format == WL_ALIGNMENT_PHYLIP_STRICT)) continue;
        if (read_as(r, *as, from, line)) {
            if (!reserve(r, alignment)) return no_memory(r);
            r->kept = alignment->rows;
            read_as(r, *as, from, line);
            return WL_OK;
        }
        failure *before = &furthest[as->interleaved];
        if (before->layout == NULL || r->failure.at > before->at) *before = r->failure;
    }
    return refuse(r, furthest);
}

wl_status wl_alignment_phylip(const char *path, const char *text, size_t size, wl_alignment_format format,
                              wl_alignment *alignment) {
    reader r = {.path = path, .text = text, .end = text + size, .next = text};
    int interleaved;
    wl_status status = screen(&r);
    if (status == WL_OK) status = read_header(&r, &interleaved);
    if (status != WL_OK) return status;
    size_t rows = r.count < r.lines ? r.count : r.lines, room = 0;
    r.rows = wl_memory_room(&room, rows * sizeof *r.rows) ? malloc(rows * sizeof *r.rows) : NULL;
    wl_alignment read = {0};
    status = r.rows ? read_layouts(&r, format, interleaved, &read) : no_memory(&r);
    free(r.rows);
    if (status == WL_OK)
        *alignment = read;
    else
        wl_alignment_free(&read);
    return status;
}
