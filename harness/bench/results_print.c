/* Result rows as a table for people: at most 120 columns wide, one block for each problem and shape. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/bench/problem.h"
#include "harness/bench/results.h"

enum { CELL = 24 };

/* Four significant digits at most, with the scale's letter: "21.3 us", "4.49 G". */
static void scaled(double value, const char *const *units, int first, int last, double step, char *text) {
    int unit = first;
    if (!isfinite(value)) {
        snprintf(text, CELL, "-");
        return;
    }
    while (unit < last && fabs(value) >= 0.9995 * step) {
        value /= step;
        unit++;
    }
    int digits = fabs(value) < 10 ? 3 : fabs(value) < 100 ? 2 : 1;
    snprintf(text, CELL, "%.*f %s", digits, value, units[unit]);
}

static void time_text(double ms, char *text) {
    static const char *const units[] = {"us", "ms", "s"};
    scaled(1e3 * ms, units, 0, 2, 1e3, text);
}

static void rate_text(double rate, char *text) {
    static const char *const units[] = {" ", "k", "M", "G", "T", "P"};
    scaled(rate, units, 0, 5, 1e3, text);
}

static void factor_text(wl_ratio ratio, char *text) {
    double x = ratio.median;
    if (!isfinite(x))
        snprintf(text, CELL, "-");
    else if (x < 1 || x >= 1e7)
        snprintf(text, CELL, "%.3g", x);
    else
        snprintf(text, CELL, "%.*f", x < 10 ? 2 : x < 100 ? 1 : 0, x);
}

static void percent_text(double share, char *text) {
    if (!isfinite(share))
        snprintf(text, CELL, "-");
    else
        snprintf(text, CELL, "%.*f%%", share < 0.00995 ? 2 : share < 0.0995 ? 1 : 0, 100 * share);
}

/* Where not the whole result was compared with the serial reference: said once for all whom it concerns. A serial
   variant's part has a note of its own. */
static void print_checked_by(FILE *stream, const wl_row *rows, size_t count) {
    const char *said = "reference";
    for (size_t i = 0; i < count; i++) {
        const char *checked_by = rows[i].verdict.checked_by;
        if (rows[i].timed_share < 1 || !*checked_by || strcmp(checked_by, said) == 0) continue;
        said = checked_by;
        if (strcmp(said, "reference") != 0) fprintf(stream, "Checked by the %s.\n", said);
    }
}

static void print_heading(FILE *stream, const wl_row *row) {
    const wl_problem *problem = wl_problem_named(row->problem);
    const char *unit = problem ? problem->unit : "work";
    fprintf(stream, "%s: %s, %s", row->problem, problem ? problem->title : row->problem, row->shape);
    if (row->datasets != 1) fprintf(stream, ", %zu data sets", row->datasets);
    fprintf(stream, "\n%-16s %-4s %-11s %9s %7s %9s %10s %15s %8s %8s %8s\n", "", "", "", "kernel", "", "total", unit,
            "share of", "over", "over the", "over the");
    fprintf(stream, "%-16s %-4s %-11s %9s %7s %9s %10s %15s %8s %8s %8s\n", "variant", "on", "check", "time", "noise",
            "time", "per second", "its limit", "serial", "best CPU", "previous");
}

static void print_row(FILE *stream, const wl_row *row) {
    char kernel[CELL], noise[CELL], total[CELL], rate[CELL], limit[2 * CELL], percent[CELL];
    char serial[CELL], best[CELL], previous[CELL];
    time_text(row->kernel_ms.median, kernel);
    percent_text(row->noise, noise);
    if (isfinite(row->noise) && strcmp(row->stop_reason, "stable") != 0) strcat(noise, "*");
    time_text(row->total_ms.median, total);
    rate_text(row->work_per_s, rate);
    percent_text(row->limit_fraction, percent);
    snprintf(limit, sizeof limit, "%s%s%s", percent, isfinite(row->limit_fraction) ? " " : "",
             isfinite(row->limit_fraction) ? row->limit : "");
    factor_text(row->speedup_serial, serial);
    factor_text(row->speedup_best_cpu, best);
    factor_text(row->speedup_previous, previous);
    fprintf(stream, "%-16s %-4s %-11s %9s %7s %9s %10s %15s %8s %8s %8s\n", row->name, row->backend,
            wl_verdict_word(&row->verdict), kernel, noise, total, rate, limit, serial, best, previous);
    /* Why a check failed goes below the table's line. */
    if (!wl_passed(&row->verdict)) fprintf(stream, "    %s\n", wl_verdict_line(&row->verdict).text);
}

/* What the table leaves out and a reader must know. */
static void print_notes(FILE *stream, const wl_row *rows, size_t count) {
    int unstable = 0, timed = 0, hot = 0, cold = 0;
    size_t discarded = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].samples == 0) continue;
        timed = 1;
        unstable |= strcmp(rows[i].stop_reason, "stable") != 0;
        hot |= strcmp(rows[i].backend, "gpu") == 0 && strcmp(rows[i].cache, "hot") == 0;
        cold |= strcmp(rows[i].backend, "gpu") == 0 && strcmp(rows[i].cache, "cold") == 0;
        discarded += rows[i].discarded;
    }
    if (!timed) return;
    fprintf(stream, "Speedups are ratios of kernel times.");
    if (cold) fprintf(stream, " The GPU's L2 cache was flushed before each sample.");
    if (hot) fprintf(stream, " The GPU's L2 cache was left warm.");
    if (unstable) fprintf(stream, "\n* stopped before the noise was below its limit.");
    if (discarded) fprintf(stream, "\n%zu samples were discarded for a low SM clock.", discarded);
    fputc('\n', stream);
    for (size_t i = 0; i < count; i++)
        if (rows[i].timed_share < 1)
            fprintf(stream, "%s: checked and timed on %.3g%% of the work, and scaled.\n", rows[i].name,
                    100 * rows[i].timed_share);
    const wl_problem *problem = wl_problem_named(rows->problem);
    if (rows->done_share > 0 && rows->done_share < 1)
        fprintf(stream, "Only %.3g%% of the counted %s must be computed.\n", 100 * rows->done_share,
                problem ? problem->unit : "work");
    print_checked_by(stream, rows, count);
}

static int same_block(const wl_row *a, const wl_row *b) {
    return strcmp(a->problem, b->problem) == 0 && strcmp(a->shape, b->shape) == 0;
}

void wl_results_print(FILE *stream, const wl_row *rows, size_t count) {
    for (size_t first = 0, next; first < count; first = next) {
        if (first) fputc('\n', stream);
        print_heading(stream, &rows[first]);
        for (next = first; next < count && same_block(&rows[first], &rows[next]); next++)
            print_row(stream, &rows[next]);
        print_notes(stream, rows + first, next - first);
    }
}
