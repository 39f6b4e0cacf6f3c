/* A comparison as a table, as rows, and as a verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/grid.h"
#include "harness/base/outfile.h"
#include "harness/base/record.h"
#include "harness/base/text.h"
#include "harness/bench/compare.h"

int wl_compare_has_both(const wl_comparison *c) {
    for (size_t i = 0; i < c->count; i++)
        for (size_t side = 1; side < c->sides; side++)
            if (strncmp(wl_compare_word(&c->rows[i].sides[0], &c->rows[i].sides[side]), "only", 4) != 0) return 1;
    return 0;
}

/* The largest noise of two times that differ. */
static double noise_of_differences(const wl_comparison *c) {
    double most = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t side = 1; side < c->sides; side++) {
            const wl_side *a = &c->rows[i].sides[0], *b = &c->rows[i].sides[side];
            const char *word = wl_compare_word(a, b);
            if (strcmp(word, "slower") == 0 || strcmp(word, "faster") == 0) most = fmax(most, fmax(a->noise, b->noise));
        }
    return most;
}

/* What makes a comparison say little about the code: another machine, driver or compiler; noise. */
void wl_compare_note_machines(FILE *stream, const wl_comparison *c, const char *const *files) {
    static const char *const facts[] = {"cpu",       "cores",    "gpu",   "driver",
                                        "gpu_clock", "compiler", "flags", "cuda_compiler"};
    for (size_t side = 1; side < c->sides; side++)
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
            const char *a = wl_compare_fact(c, 0, facts[i]), *b = wl_compare_fact(c, side, facts[i]);
            if (a == NULL && b == NULL) continue;
            if (a != NULL && b != NULL && strcmp(a, b) == 0) continue;
            wl_print(stream, "note: %s and %s differ in %s (%s, %s): the ratios are not those of the code alone\n",
                     files[0], files[side], facts[i], a == NULL ? "none" : a, b == NULL ? "none" : b);
        }
    const double noise = noise_of_differences(c);
    if (noise >= WL_COMPARE_NOISY)
        wl_print(stream,
                 "note: the noise of a row with a difference is %.2g %%: measure longer (--max-time) and in several "
                 "processes (--repeat)\n",
                 100 * noise);
}

static size_t processes(const wl_comparison *c, size_t side) {
    size_t most = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i].sides[side].count > most) most = c->rows[i].sides[side].count;
    return most;
}

static double median_of(const wl_side *side) { return side->lacks ? NAN : wl_median(side->ms, side->count); }

void wl_compare_print(FILE *stream, const wl_comparison *c, const char *const *files) {
    wl_grid grid = {.left = 4};
    for (size_t side = 0; side < c->sides; side++) {
        const char *commit = wl_compare_fact(c, side, "commit");
        const size_t n = processes(c, side);
        wl_print(stream, "%c: %s, %s%s%zu process%s\n", (int)('A' + side), files[side], commit ? commit : "",
                 commit ? ", " : "", n, n == 1 ? "" : "es");
    }
    putc('\n', stream);
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
            wl_grid_number(&grid, "kernel ms\nof other", median_of(b));
            wl_grid_put_if(&grid, isfinite(ratio.median), "other\nover A", "%.3f", ratio.median);
            wl_grid_put_if(&grid, isfinite(ratio.median), "95 % interval", "%.3f to %.3f", ratio.low, ratio.high);
            wl_grid_put(&grid, "", "%s", wl_compare_word(a, b));
        }
    wl_grid_print(stream, &grid, "");
}

void wl_compare_put_rows(FILE *stream, int is_json, const wl_comparison *c, const char *const *files) {
    wl_record out = wl_record_begin(stream, is_json);
    for (size_t i = 0; i < c->count; i++)
        for (size_t side = 1; side < c->sides; side++) {
            const wl_compared *row = &c->rows[i];
            const wl_side *a = &row->sides[0], *b = &row->sides[side];
            const wl_ratio ratio = wl_compare_ratio(a, b);
            wl_record_row(&out, WL_TEXT("problem", row->problem), WL_TEXT("variant", row->variant),
                          WL_TEXT("backend", row->backend), WL_TEXT("device", row->device),
                          WL_TEXT("shape", row->shape), WL_TEXT("file", files[0]), WL_TEXT("other_file", files[side]),
                          WL_COUNT("processes", a->count), WL_COUNT("other_processes", b->count),
                          WL_NUMBER("kernel_ms", median_of(a)), WL_NUMBER("other_kernel_ms", median_of(b)),
                          WL_NUMBER("ratio", ratio.median), WL_NUMBER("ratio_low", ratio.low),
                          WL_NUMBER("ratio_high", ratio.high), WL_TEXT("verdict", wl_compare_word(a, b)));
        }
}

wl_status wl_compare_write(const char *path, const char *command, const wl_comparison *c, const char *const *files) {
    wl_outfile file;
    WL_TRY(wl_outfile_open(path, &file));
    fputs("# command: ", file.stream);
    wl_put_plain(file.stream, command, strlen(command));
    fputc('\n', file.stream);
    for (size_t side = 0; side < c->sides; side++) {
        const char *commit = wl_compare_fact(c, side, "commit"), *gpu = wl_compare_fact(c, side, "gpu"),
                   *cpu = wl_compare_fact(c, side, "cpu");
        wl_print(file.stream, "# file %zu: %s, commit %s, %s\n", side + 1, files[side], commit ? commit : "unknown",
                 gpu   ? gpu
                 : cpu ? cpu
                       : "unknown machine");
    }
    wl_compare_put_rows(file.stream, 0, c, files);
    return wl_outfile_commit(&file);
}

wl_status wl_compare_judge(const wl_comparison *c, double most) {
    for (size_t i = 0; i < c->count && isfinite(most); i++)
        for (size_t side = 1; side < c->sides; side++) {
            const wl_side *a = &c->rows[i].sides[0], *b = &c->rows[i].sides[side];
            const char *word = wl_compare_word(a, b);
            const double ratio = wl_compare_ratio(a, b).median;
            if (b->lacks && a->count > 0 && !a->lacks)
                return wl_fail(WL_CHECK_FAILED, "%s/%s %s: has no time in the other file, or its check failed there",
                               c->rows[i].problem, c->rows[i].variant, c->rows[i].shape);
            if (strcmp(word, "slower") == 0 && ratio > 1 + most)
                return wl_fail(WL_CHECK_FAILED, "%s/%s %s: found %.1f %% slower; expected at most %.3g %%",
                               c->rows[i].problem, c->rows[i].variant, c->rows[i].shape, 100 * (ratio - 1), 100 * most);
        }
    return WL_OK;
}
