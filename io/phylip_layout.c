#include "io/phylip.h"

#include <stdarg.h>
#include <string.h>

#include "io/bytes.h"

#define STRICT_NAME 10

typedef wl_phylip_reader reader;

/* printf's %.*s for a row's name. */
#define NAME(row) wl_phylip_shown((row)->name_length), (row)->name

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

int wl_phylip_next_line(reader *r) {
    r->gap = 0;
    while (r->next < r->end) {
        const char *line = r->next, *stop = memchr(line, '\n', (size_t)(r->end - line));
        r->next = stop ? stop + 1 : r->end;
        r->begin = line;
        r->stop = stop ? stop : r->end;
        r->line++;
        while (r->stop > line && wl_phylip_is_white(r->stop[-1])) r->stop--;
        if (r->stop > line) return 1;
        r->gap = 1;
    }
    r->begin = r->stop = r->end;
    return 0;
}

const char *wl_phylip_skip_white(const reader *r, const char *from) {
    while (from < r->stop && wl_phylip_is_white(*from)) from++;
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
    *name = end = wl_phylip_skip_white(r, r->begin);
    while (end < r->stop && !wl_phylip_is_white(*end)) end++;
    *length = (size_t)(end - *name);
    return end;
}

/* The rest of the line, from `from` on, goes to `row`. */
static int take_letters(reader *r, wl_phylip_row *row, const char *from) {
    char *to = r->kept ? r->kept[row - r->rows].letters + row->letters : NULL, text[16];
    size_t count = 0;
    for (; from < r->stop; from++) {
        if (wl_phylip_is_white(*from)) continue;
        if ((unsigned char)*from > '~')
            return fail(r, "found %s among the letters of '%.*s'; expected printable ASCII characters",
                        wl_bytes_show((unsigned char)*from, text), NAME(row));
        if (to) to[count] = *from;
        count++;
    }
    row->letters += count;
    return 1;
}

static int begin_row(reader *r, wl_phylip_row *row) {
    *row = (wl_phylip_row){.line = r->line};
    const char *letters = find_name(r, &row->name, &row->name_length);
    if (row->name_length == 0) return fail(r, "found no name in the line's first ten characters; expected one");
    return take_letters(r, row, letters);
}

static int at_end(reader *r) {
    const wl_phylip_row *last = &r->rows[r->count - 1];
    if (!wl_phylip_next_line(r)) return 1;
    const char *text = wl_phylip_skip_white(r, r->begin);
    return fail(r, "found '%.*s' after the last row, '%.*s'; expected %zu rows and no more",
                wl_phylip_shown((size_t)(r->stop - text)), text, NAME(last), r->count);
}

/* --- Layouts ----------------------------------------------------------------------------------------------------- */

static int read_sequential(reader *r) {
    for (size_t i = 0; i < r->count; i++) {
        wl_phylip_row *row = &r->rows[i];
        if (!wl_phylip_next_line(r)) return fail(r, "the file ends after %zu rows; expected %zu", i, r->count);
        if (!begin_row(r, row)) return 0;
        size_t before = 0;
        while (row->letters < r->columns) {
            before = row->letters;
            if (!wl_phylip_next_line(r))
                return fail(r, "the file ends after %zu letters of '%.*s'; expected %zu", before, NAME(row),
                            r->columns);
            r->torn |= r->gap;
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
static int continue_row(reader *r, wl_phylip_row *row) {
    const char *letters = r->begin;
    if (r->layout.repeated) {
        const char *name;
        size_t length;
        letters = find_name(r, &name, &length);
        if (length != row->name_length || memcmp(name, row->name, length) != 0)
            return fail(r, "found '%.*s'; expected '%.*s' again, as in line %zu", wl_phylip_shown(length), name,
                        NAME(row), row->line);
    }
    return take_letters(r, row, letters);
}

static int read_block(reader *r, int first) {
    wl_phylip_row *top = &r->rows[0];
    size_t width = 0, top_line = 0;
    for (size_t i = 0; i < r->count; i++) {
        wl_phylip_row *row = &r->rows[i];
        size_t before = first ? 0 : row->letters;
        if (!wl_phylip_next_line(r)) {
            if (first) return fail(r, "the file ends after %zu rows; expected %zu", i, r->count);
            if (i == 0) return fail(r, "the file ends after %zu letters of each row; expected %zu", before, r->columns);
            return fail(r, "the file ends after %zu rows of the block that line %zu begins; expected %zu", i, top_line,
                        r->count);
        }
        r->torn |= i > 0 && r->gap;
        if (!(first ? begin_row(r, row) : continue_row(r, row))) return 0;
        if (i == 0) {
            width = row->letters - before;
            top_line = r->line;
        }
        if (width == 0) return fail(r, "'%.*s' has no letters in this block; expected some", NAME(row));
        if (row->letters - before != width)
            return fail(r, "'%.*s' has %zu letters in this block; expected %zu, as '%.*s' in line %zu has", NAME(row),
                        row->letters - before, width, NAME(top), top_line);
    }
    return 1;
}

static int read_interleaved(reader *r) {
    const wl_phylip_row *top = &r->rows[0];
    if (!read_block(r, 1)) return 0;
    while (top->letters < r->columns)
        if (!read_block(r, 0)) return 0;
    if (top->letters > r->columns)
        return fail(r, "the rows have %zu letters up to this line; expected %zu", top->letters, r->columns);
    return at_end(r);
}

int wl_phylip_try(reader *r, const wl_phylip_layout *layout, const char *from, size_t line) {
    r->layout = *layout;
    r->next = from;
    r->line = line;
    r->torn = 0;
    return layout->interleaved ? read_interleaved(r) : read_sequential(r);
}
