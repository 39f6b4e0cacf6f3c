/* warpladder compare: the same rows of several result files, and which of them differ. */
#include "harness/base/text.h"
#include "harness/bench/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "plots/chart.h"

static const wl_option options[] = {
    {"fail-over", "SHARE", NULL, "exit with 1 if a row is slower by more than this: \"3%\" or 0.03"},
    {NULL, NULL, NULL, NULL},
};

/* "3%" or "0.03". Not given: infinity. */
static wl_status fail_over(const wl_args *args, double *share) {
    const char *text = wl_argument(&args->own, "fail-over");
    const char *end;
    *share = INFINITY;
    if (text == NULL) return WL_OK;
    *share = wl_decimal(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        *share /= 100;
        end++;
    }
    if (end == text || *end || !(*share >= 0) || isinf(*share))
        return wl_fail(WL_BAD_USAGE, "option --fail-over: found '%s'; expected a share such as 3%% or 0.03", text);
    return WL_OK;
}

static wl_status write_files(const wl_args *args, const wl_comparison *c) {
    char path[4096];
    if (args->out == NULL) return WL_OK;
    if (snprintf(path, sizeof path, "%s/compare.tsv", args->out) >= (int)sizeof path)
        return wl_fail(WL_BAD_USAGE, "option --out: found a path of over %zu letters", sizeof path - 13);
    WL_TRY(wl_compare_write(path, args->text, c, args->words));
    if (wl_chart_possible()) WL_TRY(wl_chart_draw("compare", path, ""));
    if (!args->quiet && !args->json) wl_print(stdout, "Written: %s\n", path);
    return WL_OK;
}

static wl_status show(const wl_args *args, const wl_comparison *c, double most) {
    if (!wl_compare_has_both(c))
        return wl_fail(WL_BAD_INPUT,
                       "%s and %s: found no row in both; expected some of one variant, backend, device and shape",
                       args->words[0], args->words[1]);
    if (args->json) {
        fputs("{\"rows\": [", stdout);
        wl_compare_put_rows(stdout, 1, c, args->words);
        fputs("\n]}\n", stdout);
    } else if (!args->quiet) {
        wl_compare_print(stdout, c, args->words);
    }
    WL_TRY(write_files(args, c));
    if (!args->quiet) wl_compare_note_machines(stderr, c, args->words);
    return wl_compare_judge(c, most);
}

static wl_status compare(const wl_args *args) {
    wl_comparison c = {.sides = (size_t)args->count};
    double most;
    wl_status status = fail_over(args, &most);
    for (size_t side = 0; side < c.sides && status == WL_OK; side++)
        status = wl_compare_read(&c, side, args->words[side]);
    if (status == WL_OK) status = show(args, &c, most);
    wl_compare_free(&c);
    return status;
}

static const wl_command command_compare = {
    .name = "compare",
    .brief = "find the kernels that are faster or slower in one result file than in another",
    .arguments = "RESULTS RESULTS...",
    .summary =
        "Compare the kernel times of the rows that result files of 'warpladder run' have in common: each file with the "
        "first. A folder holds the processes of a 'run --repeat'; their spread shows which differences are chance.",
    .example = "warpladder compare before after --fail-over 3%\n"
               "  warpladder run lessons --device gpu --repeat 5 --out before    # makes such a folder",
    .options = options,
    .common = WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET,
    .least = 2,
    .most = 26,
    .run = compare,
};

WL_REGISTER_COMMAND(command_compare)
