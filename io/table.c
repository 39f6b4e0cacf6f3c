#include "io/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

#define EXPECTED "a tab-separated table"
#define SHOWN 40 // bytes of a field in an error line

/* What finds rows. */
typedef struct {
    wl_bytes *bytes;
    const wl_table_reading *reading;
    wl_table_taker *take;
    void *context;
    wl_table_row row;
    wl_table_field *fields; // [field_count], with the name
    size_t field_count;
    size_t line; // being read, from 1
    size_t rows;
    int has_header, has_names, any_name; // any_name: names may be numbers
    char corner[SHOWN + 1];
    size_t header_fields;
    size_t room;
} reader;

/* The formats are literals, so that the compiler checks them. */
#define REFUSE(r, format, ...) \
    wl_fail(WL_BAD_INPUT, "%s:%zu: " format, wl_bytes_name((r)->bytes), (r)->line, __VA_ARGS__)

static wl_status no_memory(const wl_bytes *bytes, size_t line) {
    return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory for the table up to this line", wl_bytes_name(bytes),
                   line);
}

static int shown(wl_table_field f) { return f.length < SHOWN ? (int)f.length : SHOWN; }

static size_t count_fields(const char *line) {
    size_t count = 1;
    while ((line = strchr(line, '\t'))) count++, line++;
    return count;
}

/* The field at *line, which moves on to the next one or becomes NULL. */
static wl_table_field next_field(const char **line) {
    const char *tab = strchr(*line, '\t');
    wl_table_field f = {*line, tab ? (size_t)(tab - *line) : strlen(*line)};
    *line = tab ? tab + 1 : NULL;
    return f;
}

/* A number of any kind, or several in a row ("0 1 2" and "0,1,2" come from other separators). Quotes and blanks around
   it change nothing. */
static int looks_like_number(wl_table_field f) {
    static const char around[] = "\"' ", parts[] = "0123456789+-.,;eE\"' ";
    while (f.length > 0 && strchr(around, f.text[0])) f.text++, f.length--;
    size_t sign = f.length > 0 && strchr("+-.,", f.text[0]);
    if (f.length > sign && f.text[sign] == '.') sign++; // "-.5"
    if (f.length <= sign || !isdigit((unsigned char)f.text[sign])) return 0;
    for (size_t i = 0; i < f.length; i++)
        if (!strchr(parts, f.text[i])) return 0;
    return 1;
}

int wl_table_is_missing(wl_table_field f) {
    static const char *const missing[] = {"", "NA", "N/A", "NaN", "nan", "NULL", "null", ".", "?", "-"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (strlen(missing[i]) == f.length && memcmp(missing[i], f.text, f.length) == 0) return 1;
    return 0;
}

static int is_word(wl_table_field f) { return !looks_like_number(f) && !wl_table_is_missing(f); }

/* Does a header's first field say that names are below it? */
static int says_names(wl_table_field f) {
    static const char *const words[] = {
        "id",       "name",      "names",    "sample", "samples", "file", "filename", "strain",    "isolate", "genome",
        "assembly", "accession", "sequence", "taxon",  "barcode", "key",  "sampleid", "isolateid", "rowname"};
    char word[16];
    size_t length = 0;
    if ((f.length == 2 && memcmp(f.text, "ST", 2) == 0) || (f.length == 4 && memcmp(f.text, "cgST", 4) == 0)) return 1;
    for (size_t i = 0; i < f.length; i++) {
        if (strchr("\"'# _-.", f.text[i])) continue;
        if (length == sizeof word - 1) return 0;
        word[length++] = (char)tolower((unsigned char)f.text[i]);
    }
    word[length] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return 1;
    return length == 0 && !memchr(f.text, '.', f.length) && !memchr(f.text, '-', f.length); // "": R's quotes
}

/* The first line is a header when it has words only; the corner above the names may also be empty, or say what they are. */
static int is_header(const char *line) {
    wl_table_field corner = next_field(&line);
    if (line == NULL) return is_word(corner);
    if (corner.length > 0 && says_names(corner)) return 1;
    if (!is_word(corner) && corner.length > 0) return 0;
    while (line)
        if (!is_word(next_field(&line))) return 0;
    return 1;
}

/* What the first row below the header settles. */
static wl_status settle_shape(reader *r, const char *line, size_t fields) {
    wl_table_field first = next_field(&line);
    r->any_name |= r->has_header && r->header_fields + 1 == fields;
    r->has_names = r->any_name || is_word(first);
    r->row.columns = fields - (size_t)r->has_names;
    if (r->row.columns == 0)
        return REFUSE(r, "found only the word '%.*s'; expected %s, fields separated by tabs", shown(first), first.text,
                      r->reading->value);
    int wide_enough = r->header_fields == fields || (r->has_names && r->header_fields + 1 == fields);
    if (r->has_header && !wide_enough)
        return REFUSE(r, "found %zu fields; expected %zu, as in the header", fields, r->header_fields);
    r->field_count = fields;
    r->fields = wl_memory_get(&r->room, fields * sizeof *r->fields);
    return r->fields ? WL_OK : no_memory(r->bytes, r->line);
}

static wl_status read_row(reader *r, const char *line) {
    size_t fields = count_fields(line);
    if (r->row.columns == 0) WL_TRY(settle_shape(r, line, fields));
    if (fields != r->field_count)
        return REFUSE(r, "found %zu fields; expected %zu, as in the rows before", fields, r->field_count);
    for (size_t i = 0; i < fields; i++) r->fields[i] = next_field(&line);
    const wl_table_field name = r->fields[0];
    if (r->has_names && (r->any_name ? name.length == 0 : !is_word(name)))
        return REFUSE(r, "column 1: found '%.*s'; expected a row name%s, as in the rows before", shown(name), name.text,
                      r->any_name ? "" : " that is no number");
    if (r->has_names) r->row.name = name;
    r->row.corner = r->has_header ? r->corner : NULL;
    r->row.values = r->fields + r->has_names;
    r->row.line = r->line;
    r->rows++;
    return r->take(r->context, &r->row);
}

static wl_status read_lines(reader *r) {
    size_t blank = 0; // the first blank line
    for (;;) {
        char *line;
        size_t length;
        wl_status status = wl_bytes_line(r->bytes, &line, &length, &r->line);
        if (status != WL_OK) return status;
        if (line == NULL) break;
        if (strspn(line, " \t") == length) {
            if (blank == 0) blank = r->line;
            continue;
        }
        if (blank > 0) {
            size_t later = r->line;
            r->line = blank;
            return REFUSE(r, "found a blank line before line %zu; expected blank lines at the end only", later);
        }
        if (r->line == 1 && is_header(line)) {
            const char *rest = line;
            const wl_table_field corner = next_field(&rest);
            r->has_header = 1;
            r->header_fields = count_fields(line);
            r->any_name |= says_names(corner);
            memcpy(r->corner, corner.text, (size_t)shown(corner));
        } else if ((status = read_row(r, line)) != WL_OK) {
            return status;
        }
    }
    if (r->rows > 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: found no row of numbers in the file; expected %s", wl_bytes_name(r->bytes),
                   EXPECTED);
}

wl_status wl_table_each(wl_bytes *bytes, const wl_table_reading *reading, wl_table_taker *take, void *context) {
    reader r = {.bytes = bytes, .reading = reading, .take = take, .context = context, .any_name = reading->has_names};
    wl_status status = read_lines(&r);
    free(r.fields);
    return status == WL_BAD_INPUT ? wl_bytes_diagnose(bytes) : status;
}

/* --- Small whole numbers, kept ------------------------------------------------------------------------------------ */

typedef struct {
    wl_bytes *bytes;
    int highest;
    wl_table table;
    size_t row_capacity, name_capacity;
    size_t room;
} keeper;

/* The whole number a field is, -1 when it is none in 0..highest. */
static int value_of(wl_table_field f, int highest) {
    int value = 0;
    if (f.length == 0) return -1;
    for (size_t i = 0; i < f.length; i++) {
        if (!isdigit((unsigned char)f.text[i])) return -1;
        value = 10 * value + (f.text[i] - '0');
        if (value > highest) return -1;
    }
    return value;
}

static wl_status keep_row(void *context, const wl_table_row *row) {
    keeper *k = context;
    wl_table *t = &k->table;
    t->columns = row->columns;
    if (!wl_memory_grow(&k->room, &t->values, &k->row_capacity, t->rows + 1, t->columns))
        return no_memory(k->bytes, row->line);
    if (row->name.text) {
        size_t length = row->name.length;
        char *copy = wl_memory_grow(&k->room, &t->names, &k->name_capacity, t->rows + 1, sizeof *t->names)
                         ? wl_memory_get(&k->room, length + 1)
                         : NULL;
        if (copy == NULL) return no_memory(k->bytes, row->line);
        memcpy(copy, row->name.text, length);
        copy[length] = 0;
        t->names[t->rows] = copy;
    }
    uint8_t *values = t->values + t->rows * t->columns;
    t->rows++; // with its name, which wl_table_free must see should the row turn out wrong
    for (size_t i = 0; i < t->columns; i++) {
        wl_table_field f = row->values[i];
        int value = value_of(f, k->highest), has_name = row->name.text != NULL;
        if (value < 0)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: column %zu: found '%.*s'; expected a whole number from 0 to %d%s",
                           wl_bytes_name(k->bytes), row->line, i + 1 + (size_t)has_name, shown(f), f.text, k->highest,
                           t->columns == 1 && !has_name ? ", fields separated by tabs" : "");
        values[i] = (uint8_t)value;
        if (value > t->maximum) t->maximum = value;
    }
    return WL_OK;
}

wl_status wl_table_read_bytes(wl_bytes *bytes, int highest, wl_table *table) {
    keeper k = {.bytes = bytes, .highest = highest};
    char value[64];
    snprintf(value, sizeof value, "a whole number from 0 to %d", highest);
    wl_status status = wl_table_each(bytes, &(wl_table_reading){.value = value}, keep_row, &k);
    if (status == WL_OK)
        *table = k.table;
    else
        wl_table_free(&k.table);
    return status;
}

void wl_table_free(wl_table *table) {
    for (size_t i = 0; table->names && i < table->rows; i++) free(table->names[i]);
    WL_FREE(table->names, table->values);
    *table = (wl_table){0};
}
