/* Result rows as tables for people, one for each problem and shape. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/grid.h"
#include "harness/base/quantity.h"
#include "harness/bench/problem.h"
#include "harness/bench/results.h"

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
    fprintf(stream, "%s: %s, %s", row->problem, problem ? problem->title : row->problem, row->shape);
    if (row->datasets != 1) fprintf(stream, ", %zu data sets", row->datasets);
    fputc('\n', stream);
}

static const char *over_cpu(const wl_ratio *ratio, char *text) {
    return wl_cpu_factor_text(ratio->median, ratio->low, ratio->high, text);
}

static void put_row(wl_grid *grid, const wl_row *row) {
    char text[WL_QUANTITY], rate[64];
    const wl_problem *problem = wl_problem_named(row->problem);
    const int is_stable = !isfinite(row->noise) || strcmp(row->stop_reason, "stable") == 0;
    snprintf(rate, sizeof rate, "%s\nper second", problem ? problem->unit : "work");
    wl_grid_row(grid);
    wl_grid_put(grid, "variant", "%s", row->name);
    wl_grid_put(grid, "on", "%s", row->backend);
    wl_grid_put(grid, "check", "%s", wl_verdict_word(&row->verdict));
    wl_grid_put(grid, "kernel\ntime", "%s", wl_time_text(row->kernel_ms.median, text));
    wl_grid_put(grid, "noise", "%s%s", wl_percent_text(row->noise, text), is_stable ? "" : "*");
    wl_grid_put(grid, "total\ntime", "%s", wl_time_text(row->total_ms.median, text));
    wl_grid_put(grid, rate, "%s", wl_rate_text(row->work_per_s, text));
    wl_grid_put(grid, "share of\nits limit", "%s%s%s", wl_percent_text(row->limit_fraction, text),
                isfinite(row->limit_fraction) ? " " : "", isfinite(row->limit_fraction) ? row->limit : "");
    wl_grid_put(grid, "over\nserial", "%s", over_cpu(&row->speedup_serial, text));
    wl_grid_put(grid, "over the\nbest CPU", "%s", over_cpu(&row->speedup_best_cpu, text));
    wl_grid_put(grid, "over the\nprevious", "%s", wl_factor_text(row->speedup_previous.median, text));
    if (!wl_passed(&row->verdict)) wl_grid_note(grid, wl_verdict_line(&row->verdict).text); // why a check failed
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
        wl_grid grid = {.left = 3};
        print_heading(stream, &rows[first]);
        for (next = first; next < count && same_block(&rows[first], &rows[next]); next++) put_row(&grid, &rows[next]);
        wl_grid_print(stream, &grid, "");
        print_notes(stream, rows + first, next - first);
    }
}
