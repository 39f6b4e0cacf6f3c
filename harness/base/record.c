#include "harness/base/record.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/error.h"
#include "harness/base/json.h"
#include "harness/base/text.h"

wl_record wl_record_begin(FILE *stream, int is_json) { return (wl_record){.stream = stream, .is_json = is_json}; }

wl_record wl_record_lines(FILE *stream) { return (wl_record){.stream = stream, .is_json = 1, .is_lines = 1}; }

/* Where the value of field `name` goes. The first row of a table writes its names as they come and keeps its values back. Without
   memory for them the program ends: no file with half a row may look whole. */
static FILE *field(wl_record *r, const char *name) {
    if (r->is_json) {
        fprintf(r->stream, "%s%s", r->fields > 0 ? ", " : r->is_lines ? "{" : r->rows > 0 ? ",\n  {" : "\n  {", "");
        wl_json_text(r->stream, name);
        fputs(": ", r->stream);
        r->fields++;
        return r->stream;
    }
    if (r->rows == 0) {
        if (r->fields == 0) r->values = open_memstream(&r->text, &r->size);
        if (r->values == NULL) {
            fputs("warpladder: not enough memory for a row of a table\n", stderr);
            exit(WL_NO_MACHINE);
        }
        fprintf(r->stream, "%s%s", r->fields > 0 ? "\t" : "", name);
    }
    FILE *to = r->rows == 0 ? r->values : r->stream;
    if (r->fields++ > 0) fputc('\t', to);
    return to;
}

/* Text in double quotes, so that spreadsheets, gnuplot, R, pandas and DuckDB take it as one field whatever it holds. A quote within is there
   twice; what would end a line or a field is a blank. */
static void quoted(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        wl_put_plain(stream, text, (size_t)(quote - text));
        fputs("\"\"", stream);
    }
    wl_put_plain(stream, text, strlen(text));
    fputc('"', stream);
}

static const char *none(const wl_record *r) { return r->is_json ? "null" : "NA"; }

void wl_record_text(wl_record *r, const char *name, const char *text) {
    FILE *to = field(r, name);
    if (text == NULL)
        fputs(none(r), to);
    else if (r->is_json)
        wl_json_text(to, text);
    else
        quoted(to, text);
}

static void put(wl_record *r, const char *name, const char *format, double number) {
    FILE *to = field(r, name);
    if (isfinite(number))
        fprintf(to, format, number);
    else
        fputs(none(r), to);
}

void wl_record_count(wl_record *r, const char *name, double count) { put(r, name, "%.0f", count); }
void wl_record_number(wl_record *r, const char *name, double number) { put(r, name, "%.6g", number); }

void wl_record_given(wl_record *r, const char *name, double number) { put(r, name, "%.12g", number); }

void wl_record_end(wl_record *r) {
    if (r->values != NULL) {
        fclose(r->values);
        fprintf(r->stream, "\n%s", r->text);
        free(r->text);
        r->values = NULL;
    }
    fputs(r->is_lines ? "}\n" : r->is_json ? "}" : "\n", r->stream);
    r->fields = 0;
    r->rows++;
}

void wl_record_fields(wl_record *r, int ends, const wl_field *fields, size_t count) {
    for (const wl_field *f = fields; f < fields + count; f++)
        if (f->put)
            f->put(r, f->name, f->number);
        else
            wl_record_text(r, f->name, f->text);
    if (ends) wl_record_end(r);
}
