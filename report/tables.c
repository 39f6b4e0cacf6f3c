/* The tables of result files, in numbers for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/grid.h"
#include "harness/base/quantity.h"
#include "report/page.h"

typedef enum { TEXT, TIME, RATE, FACTOR, PERCENT, NUMBER } quantity;
static const struct {
    const char *column, *head;
    quantity is;
} shown[] = {{"variant", "variant", TEXT},
             {"backend", "backend", TEXT},
             {"shape", "shape", TEXT},
             {"kernel_ms_median", "kernel time", TIME},
             {"kernel_ms_q1", "quartile 1", TIME},
             {"kernel_ms_q3", "quartile 3", TIME},
             {"total_ms_median", "total time", TIME},
             {"work_per_s", "work per second", RATE},
             {"speedup_serial", "over serial code", FACTOR},
             {"speedup_best_cpu", "over the best CPU code", FACTOR},
             {"speedup_previous", "over the stage before", FACTOR},
             {"limit", "limit", TEXT},
             {"limit_fraction", "share of it", PERCENT},
             {"samples", "samples", NUMBER},
             {"noise", "noise", PERCENT},
             {"stop_reason", "stopped because", TEXT},
             {"check", "check", TEXT}};

/* What a column of any other file has, by its name. */
static quantity quantity_of(const char *column) {
    const char *end = column + strlen(column);
    const size_t length = (size_t)(end - column);
    if (length > 3 && strcmp(end - 3, "_ms") == 0) return TIME;
    if (strncmp(column, "speedup", 7) == 0) return FACTOR;
    return strstr(column, "_ms_") != NULL || strncmp(column, "ms_", 3) == 0 ? TIME : NUMBER;
}

/* A number as people write it: no more digits than are worth reading, and no power of ten where there is a unit or a comma. */
static void put_number(FILE *page, double value, quantity is) {
    char text[WL_QUANTITY];
    if (is == NUMBER && fabs(value) >= 1e7)
        fputs(wl_rate_text(value, text), page);
    else if (is == NUMBER && fabs(value) >= 9999.5)
        fprintf(page, "%s%s", value < 0 ? "-" : "", wl_thousands((uint64_t)(fabs(value) + 0.5), text));
    else if (is == NUMBER)
        fprintf(page, "%.4g", value);
    else if (is == FACTOR && value >= 9999.5 && value < 1e15)
        fputs(wl_thousands((uint64_t)(value + 0.5), text), page);
    else
        fputs(is == TIME     ? wl_time_text(value, text)
              : is == RATE   ? wl_rate_text(value, text)
              : is == FACTOR ? wl_factor_text(value, text)
                             : wl_percent_text(value, text),
              page);
}

static void put_value(FILE *page, const char *text, quantity is) {
    char *end;
    const double value = strtod(text, &end);
    if (is != TEXT && end != text && *end == 0 && isfinite(value))
        put_number(page, value, is);
    else
        report_text(page, strcmp(text, "NA") == 0 ? "\xE2\x80\x93" : text);
}

/* The most rows shown of a long file; the file itself lies beside them. */
enum { ROWS = 20 };
/* Longer cells are sentences, which may be broken, and more columns need smaller letters to fit a page. */
enum { LONG = 24, MANY = 14 };

static void begin_table(FILE *page, const wl_result_file *t, const char *caption, size_t columns) {
    report_put(page, "<div class=wide tabindex=0 role=region aria-label=\"Table of %s", wl_result_name(t));
    fprintf(page, "\"><table class=%s><caption>%s", columns > MANY ? "'n many'" : "n", caption);
}

/* Do all rows say the same? Then it is said once. */
static int is_same(const wl_result_file *t, size_t column) {
    for (size_t row = 2; row <= t->rows; row++)
        if (strcmp(t->cells[row * t->columns + column], t->cells[t->columns + column]) != 0) return 0;
    return t->rows > 1;
}

/* "; all rows: shape 4096x8192" */
static void put_same(FILE *page, const char *head, const char *text, quantity is, size_t *count) {
    if (strcmp(text, "NA") == 0 || *text == 0) return;
    report_put(page, (*count)++ == 0 ? ". All rows: %s " : ", %s ", head);
    put_value(page, text, is);
}

void report_ladder(FILE *page, const wl_result_file *t) {
    enum { SHOWN = sizeof shown / sizeof *shown };
    int column[SHOWN];
    size_t same = 0;
    begin_table(page, t, "Times are medians; a speedup is the time of the other code over the time of this", SHOWN);
    for (size_t c = 0; c < SHOWN; c++) {
        column[c] = wl_result_column(t, shown[c].column);
        if (column[c] < 0 || c == 0 || !is_same(t, (size_t)column[c])) continue;
        put_same(page, shown[c].head, wl_result_cell(t, 0, shown[c].column), shown[c].is, &same);
        column[c] = -1;
    }
    fputs("</caption><thead><tr>", page);
    for (size_t c = 0; c < SHOWN; c++)
        if (column[c] >= 0)
            fprintf(page, "<th scope=col%s>%s</th>", shown[c].is == TEXT ? " class=t" : "", shown[c].head);
    fputs("</tr></thead><tbody>\n", page);
    for (size_t row = 0; row < t->rows; row++) {
        fputs("<tr>", page);
        for (size_t c = 0; c < SHOWN; c++) {
            if (column[c] < 0) continue;
            fputs(shown[c].is == TEXT && c > 0 ? "<td class=t>" : "<td>", page);
            put_value(page, wl_result_cell(t, row, shown[c].column), shown[c].is);
        }
        fputc('\n', page);
    }
    fputs("</tbody></table></div>\n", page);
}

/* A column's name, which may be broken after each '_'. */
static void put_name(FILE *page, const char *name) {
    for (const char *at = name; *at;) {
        char part[64];
        const size_t length = strcspn(at, "_"), whole = length + (at[length] == '_');
        snprintf(part, sizeof part, "%.*s", (int)(whole < sizeof part ? whole : sizeof part - 1), at);
        report_text(page, part);
        if (at[length] == '_') fputs("<wbr>", page);
        at += whole;
    }
}

/* The column with the other end of an interval: X_low for X, "_low"; -1: there is none. */
static int end_of(const wl_result_file *t, size_t column, const char *ending) {
    char name[128];
    snprintf(name, sizeof name, "%s%s", t->cells[column], ending);
    return wl_result_column(t, name);
}

static size_t rows_shown(const wl_result_file *t) { return t->rows < ROWS ? t->rows : ROWS; }

static int is_empty(const wl_result_file *t, size_t column) {
    for (size_t row = 1; row <= rows_shown(t); row++)
        if (strcmp(t->cells[row * t->columns + column], "NA") != 0) return 0;
    return t->rows > 0;
}

/* Is it said elsewhere, by all rows or as an end of another column's interval, or not at all? */
static int is_left_out(const wl_result_file *t, size_t column) {
    static const char *const endings[] = {"_low", "_high"};
    if (column == 0) return 0;
    if (is_same(t, column) || is_empty(t, column)) return 1;
    for (size_t i = 0; i < 2; i++)
        for (size_t c = 0; c < t->columns; c++)
            if (end_of(t, c, endings[i]) == (int)column && !is_same(t, c)) return 1;
    return 0;
}

static void put_cell(FILE *page, const wl_result_file *t, size_t row, size_t column) {
    const size_t at = row * t->columns;
    const int low = end_of(t, column, "_low"), high = end_of(t, column, "_high");
    const int is_long = strlen(t->cells[at + column]) > LONG;
    const quantity is = t->quoted[at + column] || is_long ? TEXT : quantity_of(t->cells[column]);
    fputs(is == TEXT && column > 0 ? "<td class=t>" : "<td>", page);
    put_value(page, t->cells[at + column], is);
    if (low < 0 || high < 0 || strcmp(t->cells[at + (size_t)low], "NA") == 0) return;
    fputs(" <small>", page);
    put_value(page, t->cells[at + (size_t)low], is);
    fputs(" to ", page);
    put_value(page, t->cells[at + (size_t)high], is);
    fputs("</small>", page);
}

void report_rows(FILE *page, const wl_result_file *t) {
    const size_t rows = rows_shown(t);
    size_t same = 0, columns = 0;
    for (size_t c = 0; c < t->columns; c++) columns += !is_left_out(t, c);
    char caption[100];
    snprintf(caption, sizeof caption, "%zu of %zu row%s", rows, t->rows, t->rows == 1 ? "" : "s");
    begin_table(page, t, caption, columns);
    for (size_t c = 1; c < t->columns; c++)
        if (is_same(t, c)) put_same(page, t->cells[c], t->cells[t->columns + c], quantity_of(t->cells[c]), &same);
    fputs("</caption><thead><tr>", page);
    for (size_t c = 0; c < t->columns; c++) {
        if (is_left_out(t, c)) continue;
        fputs(t->rows > 0 && !t->quoted[t->columns + c] ? "<th scope=col>" : "<th scope=col class=t>", page);
        put_name(page, t->cells[c]);
        fputs("</th>", page);
    }
    fputs("</tr></thead><tbody>\n", page);
    for (size_t row = 1; row <= rows; row++) {
        fputs("<tr>", page);
        for (size_t c = 0; c < t->columns; c++)
            if (!is_left_out(t, c)) put_cell(page, t, row, c);
        fputc('\n', page);
    }
    fputs("</tbody></table></div>\n", page);
}
