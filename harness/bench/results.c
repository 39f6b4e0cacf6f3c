#include "harness/bench/results.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "harness/bench/machine.h"
#include "harness/base/json.h"
#include "harness/base/outfile.h"

/* --- Columns --- */

typedef enum { TEXT, VERDICT, COUNT, WHOLE, NUMBER } kind;

#define FIELD(name, kind, member) \
    { name, kind, offsetof(wl_row, member) }
#define RATIO(name, member) \
    FIELD(name, NUMBER, member.median), FIELD(name "_low", NUMBER, member.low), FIELD(name "_high", NUMBER, member.high)

/* What the order and the names are is part of the program's interface: plots and `reproduce` read them. */
static const struct column {
    const char *name;
    kind kind;
    size_t offset;
} columns[] = {
    FIELD("problem", TEXT, problem),
    FIELD("variant", TEXT, name),
    FIELD("backend", TEXT, backend),
    FIELD("device", TEXT, device),
    FIELD("instruction_set", TEXT, instruction_set),
    FIELD("threads", WHOLE, threads),
    FIELD("check", VERDICT, verdict),
    FIELD("shape", TEXT, shape),
    FIELD("datasets", COUNT, datasets),
    FIELD("cache", TEXT, cache),
    FIELD("samples", COUNT, samples),
    FIELD("discarded", COUNT, discarded),
    FIELD("stop_reason", TEXT, stop_reason),
    FIELD("kernel_ms_median", NUMBER, kernel_ms.median),
    FIELD("kernel_ms_q1", NUMBER, kernel_ms.lower_quartile),
    FIELD("kernel_ms_q3", NUMBER, kernel_ms.upper_quartile),
    FIELD("kernel_ms_mean", NUMBER, kernel_ms.mean),
    FIELD("kernel_ms_sd", NUMBER, kernel_ms.deviation),
    FIELD("total_ms_median", NUMBER, total_ms.median),
    FIELD("noise", NUMBER, noise),
    FIELD("work", NUMBER, work),
    FIELD("work_per_s", NUMBER, work_per_s),
    FIELD("limit", TEXT, limit),
    FIELD("limit_fraction", NUMBER, limit_fraction),
    FIELD("timed_share", NUMBER, timed_share),
    RATIO("speedup_serial", speedup_serial),
    RATIO("speedup_best_cpu", speedup_best_cpu),
    RATIO("speedup_previous", speedup_previous),
    FIELD("clock", NUMBER, clock),
    FIELD("checked_by", TEXT, verdict.checked_by),
    FIELD("done_share", NUMBER, done_share),
    FIELD("bytes", NUMBER, bytes),
    FIELD("operations", NUMBER, operations),
    FIELD("rate", TEXT, rate),
    FIELD("rate_per_s", NUMBER, rate_per_s),
    FIELD("bandwidth", NUMBER, bandwidth),
};
enum { COLUMNS = sizeof columns / sizeof *columns };

enum { FIELD_SIZE = WL_REASON_SIZE + 16 };

/* Numbers with 6 significant digits. Returns whether the field is text, and to be quoted. */
static int field_text(const wl_row *row, size_t column, char text[FIELD_SIZE]) {
    const void *at = (const char *)row + columns[column].offset;
    const size_t size = FIELD_SIZE;
    switch (columns[column].kind) {
        case TEXT:
            snprintf(text, size, "%s", (const char *)at);
            break;
        case VERDICT:
            snprintf(text, size, "%s", wl_verdict_line(at).text);
            break;
        case COUNT:
            snprintf(text, size, "%zu", *(const size_t *)at);
            break;
        case WHOLE:
            snprintf(text, size, "%d", *(const int *)at);
            break;
        case NUMBER:
            if (isfinite(*(const double *)at))
                snprintf(text, size, "%.6g", *(const double *)at);
            else
                snprintf(text, size, "NA");
            break;
    }
    int is_text = columns[column].kind == TEXT || columns[column].kind == VERDICT;
    if (is_text && !*text) snprintf(text, size, "NA");
    return is_text && strcmp(text, "NA") != 0;
}

/* --- TSV --- */

/* A value on one header line, whatever it holds. */
static void header_line(void *context, const char *key, const char *value) {
    FILE *stream = context;
    fprintf(stream, "# %s: ", key);
    for (const char *at = value; *at; at++) fputc((unsigned char)*at < ' ' ? ' ' : *at, stream);
    fputc('\n', stream);
}

static void now_utc(char *text, size_t size) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void all_facts(wl_fact *tell, void *context, const char *command, unsigned long long seed) {
    char text[32];
    now_utc(text, sizeof text);
    tell(context, "date", text);
    wl_machine_facts(tell, context);
    wl_build_facts(tell, context);
    snprintf(text, sizeof text, "%llu", seed);
    tell(context, "seed", text);
    tell(context, "command", command);
}

void wl_results_header(FILE *stream, const char *command, unsigned long long seed) {
    all_facts(header_line, stream, command, seed);
}

/* Text in double quotes, so that a spreadsheet and gnuplot take it as one field whatever it holds. */
static void quoted(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const char *at = text; *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else if (*at == '\t')
            fputs("\\t", stream);
        else if (*at == '\n')
            fputs("\\n", stream);
        else if ((unsigned char)*at < ' ')
            fputc(' ', stream);
        else
            fputc(*at, stream);
    }
    fputc('"', stream);
}

static void write_rows(FILE *stream, const wl_row *rows, size_t count) {
    char text[FIELD_SIZE];
    for (size_t c = 0; c < COLUMNS; c++) fprintf(stream, "%s%s", c ? "\t" : "", columns[c].name);
    fputc('\n', stream);
    for (size_t r = 0; r < count; r++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            if (c) fputc('\t', stream);
            if (field_text(&rows[r], c, text))
                quoted(stream, text);
            else
                fputs(text, stream);
        }
        fputc('\n', stream);
    }
}

wl_status wl_results_write(const char *path, const char *command, unsigned long long seed, const wl_row *rows,
                           size_t count) {
    wl_outfile file;
    wl_status status = wl_outfile_open(path, &file);
    if (status != WL_OK) return status;
    wl_results_header(file.stream, command, seed);
    write_rows(file.stream, rows, count);
    status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    return status;
}

/* --- JSON --- */

typedef struct {
    FILE *stream;
    int started;
} json_object;

static void json_member(void *context, const char *key, const char *value) {
    json_object *object = context;
    fputs(object->started ? ",\n    " : "\n    ", object->stream);
    object->started = 1;
    wl_json_text(object->stream, key);
    fputs(": ", object->stream);
    wl_json_text(object->stream, value);
}

void wl_results_print_json(FILE *stream, const char *command, unsigned long long seed, const wl_row *rows,
                           size_t count) {
    char text[FIELD_SIZE];
    json_object facts = {stream, 0};
    fputs("{\n  \"machine\": {", stream);
    all_facts(json_member, &facts, command, seed);
    fputs("\n  },\n  \"rows\": [", stream);
    for (size_t r = 0; r < count; r++) {
        fputs(r ? ",\n    {" : "\n    {", stream);
        for (size_t c = 0; c < COLUMNS; c++) {
            fprintf(stream, "%s\"%s\": ", c ? ", " : "", columns[c].name);
            if (field_text(&rows[r], c, text))
                wl_json_text(stream, text);
            else
                fputs(strcmp(text, "NA") == 0 ? "null" : text, stream);
        }
        fputc('}', stream);
    }
    fputs("\n  ]\n}\n", stream);
}
