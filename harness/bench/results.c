#include "harness/base/text.h"
#include "harness/bench/results.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/bench/machine.h"
#include "harness/bench/sources.h"
#include "harness/base/json.h"
#include "harness/base/record.h"
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
    FIELD("joules", NUMBER, joules),
    FIELD("watts", NUMBER, watts),
    FIELD("work_per_joule", NUMBER, work_per_joule),
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int is_column(const char *name) {
    for (size_t c = 0; c < COLUMNS; c++)
        if (strcmp(columns[c].name, name) == 0) return 1;
    return 0;
}

static void put_row(wl_record *out, const wl_row *row) {
    for (size_t c = 0; c < COLUMNS; c++) {
        const struct column *column = &columns[c];
        const void *at = (const char *)row + column->offset;
        if (column->kind == TEXT)
            wl_record_text(out, column->name, *(const char *)at && strcmp(at, "NA") != 0 ? at : NULL);
        else if (column->kind == VERDICT)
            wl_record_text(out, column->name, wl_verdict_line(at).text);
        else if (column->kind == COUNT)
            wl_record_count(out, column->name, (double)*(const size_t *)at);
        else if (column->kind == WHOLE)
            wl_record_count(out, column->name, *(const int *)at);
        else
            wl_record_number(out, column->name, *(const double *)at);
    }
    for (size_t k = 0; k < row->axis_count; k++) {
        const wl_axis_value *axis = &row->axes[k];
        if (is_column(axis->name)) continue; // "datasets", which every row has
        if (axis->is_number)
            wl_record_given(out, axis->name, strtod(axis->text, NULL));
        else
            wl_record_text(out, axis->name, axis->text);
    }
    wl_record_end(out);
}

static void put_rows(FILE *stream, int is_json, const wl_row *rows, size_t count) {
    for (size_t c = 0; count == 0 && !is_json && c < COLUMNS; c++)
        fprintf(stream, "%s%c", columns[c].name, c + 1 < COLUMNS ? '\t' : '\n');
    wl_record out = wl_record_begin(stream, is_json);
    for (size_t r = 0; r < count; r++) put_row(&out, &rows[r]);
}

/* --- TSV --- */

/* A value on one header line, whatever it holds. */
static void header_line(void *context, const char *key, const char *value) {
    FILE *stream = context;
    fprintf(stream, "# %s: ", key);
    wl_put_plain(stream, value, strlen(value));
    fputc('\n', stream);
}

static void now_utc(char *text, size_t size) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* --- Facts --- */

static void all_facts(wl_fact *tell, void *context, const char *command, unsigned long long seed) {
    char text[32];
    now_utc(text, sizeof text);
    tell(context, "date", text);
    wl_machine_facts(tell, context);
    wl_build_facts(tell, context);
    char *sources = wl_sources_noted();
    if (sources != NULL) tell(context, "sources", sources);
    free(sources);
    snprintf(text, sizeof text, "%llu", seed);
    tell(context, "seed", text);
    tell(context, "command", command);
}

void wl_results_header(FILE *stream, const char *command, unsigned long long seed) {
    all_facts(header_line, stream, command, seed);
}

wl_status wl_results_write(const char *path, const char *command, unsigned long long seed, const wl_row *rows,
                           size_t count) {
    wl_outfile file;
    WL_TRY(wl_outfile_open(path, &file));
    wl_results_header(file.stream, command, seed);
    for (size_t k = 0; count > 0 && k < rows->axis_count; k++)
        fprintf(file.stream, "%s%s%s", k == 0 ? "# axes: " : " ", rows->axes[k].name,
                k + 1 < rows->axis_count ? "" : "\n");
    put_rows(file.stream, 0, rows, count);
    return wl_outfile_commit(&file);
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
    json_object facts = {stream, 0};
    fputs("{\n  \"machine\": {", stream);
    all_facts(json_member, &facts, command, seed);
    fputs("\n  },\n  \"rows\": [", stream);
    put_rows(stream, 1, rows, count);
    fputs("\n  ]\n}\n", stream);
}
