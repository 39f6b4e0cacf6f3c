/* warpladder compare: the same rows of several result files, and which of them differ. */
#include "harness/bench/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "harness/base/grid.h"
#include "harness/base/outfile.h"
#include "harness/base/record.h"
#include "plots/chart.h"

static const wl_option options[] = {
    {"fail-over", "SHARE", NULL, "exit with 1 if a row is slower, and by more than this: \"3%\" or 0.03"},
    {NULL, NULL, NULL, NULL},
};

/* "3%" or "0.03". Not given: infinity. */
static wl_status fail_over(const wl_line *line, double *share) {
    const char *text = wl_argument(&line->own, "fail-over");
    char *end;
    *share = INFINITY;
    if (text == NULL) return WL_OK;
    *share = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        *share /= 100;
        end++;
    }
    if (end == text || *end || !(*share >= 0) || isinf(*share))
        return wl_fail(WL_BAD_USAGE, "option --fail-over: found '%s'; expected a share such as 3%% or 0.03", text);
    return WL_OK;
}

/* What makes a comparison say little about the code: another machine, driver or compiler. */
static void note_machines(const wl_line *line, const wl_comparison *c) {
    static const char *const facts[] = {"cpu",       "cores",    "gpu",   "driver",
                                        "gpu_clock", "compiler", "flags", "cuda_compiler"};
    for (size_t side = 1; side < c->sides; side++)
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
            const char *a = wl_compare_fact(c, 0, facts[i]), *b = wl_compare_fact(c, side, facts[i]);
            if (a == NULL && b == NULL) continue;
            if (a != NULL && b != NULL && strcmp(a, b) == 0) continue;
            fprintf(stderr, "note: %s and %s differ in %s (%s, %s): the ratios are not those of the code alone\n",
                    line->words[0], line->words[side], facts[i], a == NULL ? "none" : a, b == NULL ? "none" : b);
        }
}

static size_t processes(const wl_comparison *c, size_t side) {
    size_t most = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i].sides[side].count > most) most = c->rows[i].sides[side].count;
    return most;
}

static double median_of(const wl_side *side) { return side->failed ? NAN : wl_median(side->ms, side->count); }

static void print_table(const wl_line *line, const wl_comparison *c) {
    wl_grid grid = {.left = 4};
    for (size_t side = 0; side < c->sides; side++) {
        const char *commit = wl_compare_fact(c, side, "commit");
        const size_t n = processes(c, side);
        printf("%c: %s, %s%s%zu process%s\n", (int)('A' + side), line->words[side], commit ? commit : "",
               commit ? ", " : "", n, n == 1 ? "" : "es");
    }
    putchar('\n');
    for (size_t i = 0; i < c->count; i++)
        for (size_t side = 1; side < c->sides; side++) {
            const wl_compared *row = &c->rows[i];
            const wl_side *a = &row->sides[0], *b = &row->sides[side];
            const wl_ratio ratio = wl_compare_ratio(a, b);
            wl_grid_row(&grid);
            wl_grid_put(&grid, "variant", "%s/%s", row->problem, row->variant);
            wl_grid_put(&grid, "backend", "%s", row->backend);
            wl_grid_put(&grid, "shape", "%s", row->shape);
            wl_grid_put_if(&grid, c->sides > 2, "file", "%c", (int)('A' + side));
            wl_grid_number(&grid, "kernel ms\nof A", median_of(a));
            wl_grid_number(&grid, "of the\nother", median_of(b));
            wl_grid_put_if(&grid, isfinite(ratio.median), "other\nover A", "%.3f", ratio.median);
            wl_grid_put_if(&grid, isfinite(ratio.median), "95 % interval", "%.3f to %.3f", ratio.low, ratio.high);
            wl_grid_put(&grid, "", "%s", wl_compare_word(a, b));
        }
    wl_grid_print(stdout, &grid, "");
}

static void put_rows(FILE *stream, int is_json, const wl_line *line, const wl_comparison *c) {
    wl_record out = wl_record_begin(stream, is_json);
    for (size_t i = 0; i < c->count; i++)
        for (size_t side = 1; side < c->sides; side++) {
            const wl_compared *row = &c->rows[i];
            const wl_side *a = &row->sides[0], *b = &row->sides[side];
            const wl_ratio ratio = wl_compare_ratio(a, b);
            wl_record_text(&out, "problem", row->problem);
            wl_record_text(&out, "variant", row->variant);
            wl_record_text(&out, "backend", row->backend);
            wl_record_text(&out, "device", row->device);
            wl_record_text(&out, "shape", row->shape);
            wl_record_text(&out, "file", line->words[0]);
            wl_record_text(&out, "other_file", line->words[side]);
            wl_record_count(&out, "processes", (double)a->count);
            wl_record_count(&out, "other_processes", (double)b->count);
            wl_record_number(&out, "kernel_ms", median_of(a));
            wl_record_number(&out, "other_kernel_ms", median_of(b));
            wl_record_number(&out, "ratio", ratio.median);
            wl_record_number(&out, "ratio_low", ratio.low);
            wl_record_number(&out, "ratio_high", ratio.high);
            wl_record_text(&out, "verdict", wl_compare_word(a, b));
            wl_record_end(&out);
        }
}

static wl_status write_files(const wl_line *line, const wl_comparison *c) {
    char path[4096];
    wl_outfile file;
    if (line->out == NULL) return WL_OK;
    if (snprintf(path, sizeof path, "%s/compare.tsv", line->out) >= (int)sizeof path)
        return wl_fail(WL_BAD_USAGE, "option --out: found a path of over %zu letters", sizeof path - 13);
    WL_TRY(wl_outfile_open(path, &file));
    fprintf(file.stream, "# command: %s\n", line->text);
    for (size_t side = 0; side < c->sides; side++) {
        const char *commit = wl_compare_fact(c, side, "commit"), *gpu = wl_compare_fact(c, side, "gpu"),
                   *cpu = wl_compare_fact(c, side, "cpu");
        fprintf(file.stream, "# file %zu: %s, commit %s, %s\n", side + 1, line->words[side],
                commit ? commit : "unknown",
                gpu   ? gpu
                : cpu ? cpu
                      : "unknown machine");
    }
    put_rows(file.stream, 0, line, c);
    WL_TRY(wl_outfile_commit(&file));
    if (wl_chart_possible()) WL_TRY(wl_chart_draw("compare", path, ""));
    if (!line->quiet && !line->json) printf("Written: %s\n", path);
    return WL_OK;
}

/* With --fail-over: the first row that is slower by more. */
static wl_status judge(const wl_comparison *c, double most) {
    for (size_t i = 0; i < c->count && isfinite(most); i++)
        for (size_t side = 1; side < c->sides; side++) {
            const wl_side *a = &c->rows[i].sides[0], *b = &c->rows[i].sides[side];
            const char *word = wl_compare_word(a, b);
            const double ratio = wl_compare_ratio(a, b).median;
            if (strcmp(word, "failed") == 0 && !a->failed)
                return wl_fail(WL_CHECK_FAILED, "%s/%s %s: has no time in the other file, or its check failed there",
                               c->rows[i].problem, c->rows[i].variant, c->rows[i].shape);
            if (strcmp(word, "slower") == 0 && ratio > 1 + most)
                return wl_fail(WL_CHECK_FAILED, "%s/%s %s: found %.1f %% slower; expected at most %.3g %%",
                               c->rows[i].problem, c->rows[i].variant, c->rows[i].shape, 100 * (ratio - 1), 100 * most);
        }
    return WL_OK;
}

static wl_status show(const wl_line *line, const wl_comparison *c) {
    double most;
    size_t both = 0;
    WL_TRY(fail_over(line, &most));
    for (size_t i = 0; i < c->count; i++)
        for (size_t side = 1; side < c->sides; side++)
            both += strncmp(wl_compare_word(&c->rows[i].sides[0], &c->rows[i].sides[side]), "only", 4) != 0;
    if (both == 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s and %s: found no row in both; expected some of one variant, backend, device and shape",
                       line->words[0], line->words[1]);
    if (line->json) {
        fputs("{\"rows\": [", stdout);
        put_rows(stdout, 1, line, c);
        fputs("\n]}\n", stdout);
    } else if (!line->quiet) {
        print_table(line, c);
    }
    WL_TRY(write_files(line, c));
    note_machines(line, c);
    return judge(c, most);
}

static wl_status compare(const wl_line *line) {
    wl_comparison c = {.sides = (size_t)line->count};
    wl_status status = WL_OK;
    for (size_t side = 0; side < c.sides && status == WL_OK; side++)
        status = wl_compare_read(&c, side, line->words[side]);
    if (status == WL_OK) status = show(line, &c);
    wl_compare_free(&c);
    return status;
}

const wl_command wl_command_compare = {
    .name = "compare",
    .brief = "say which kernels are faster or slower in one result file than in another",
    .arguments = "RESULTS RESULTS...",
    .summary =
        "Compare the kernel times of the rows that result files of 'warpladder run' have in common: each file with the "
        "first. A folder stands for the processes of a 'run --repeat', by which it is judged what is a difference and "
        "what is chance.",
    .example = "warpladder compare before after --fail-over 3%\n"
               "  warpladder run lessons --device gpu --repeat 5 --out before    # makes such a folder",
    .options = options,
    .common = WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET,
    .least = 2,
    .most = 26,
    .run = compare,
};
