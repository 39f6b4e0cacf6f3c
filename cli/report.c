/* warpladder report: result files as a page to look at. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "harness/base/text.h"
#include "plots/chart.h"
#include "harness/bench/result_file.h"
#include "report/page.h"

static const wl_option options[] = {
    {"json-lines", NULL, NULL, "print the rows of RESULTS as JSON lines instead of a page"},
    {NULL, NULL, NULL, NULL},
};

static wl_status print_lines(void *context, const char *path) {
    wl_result_file file;
    (void)context;
    wl_status status = wl_result_file_read(path, &file);
    if (status == WL_OK) status = wl_result_file_lines(stdout, &file);
    wl_result_file_free(&file);
    return status;
}

static wl_status make_page(const wl_args *args, const char *const *paths, size_t count) {
    int missing = 0;
    const char *folder = args->out == NULL ? "." : args->out;
    WL_TRY(report_write(paths, count, folder, args->text, &missing));
    if (missing) fputs("note: gnuplot cannot be run: the page has no charts\n", stderr);
    if (!args->quiet) wl_print(stdout, "Written: %s/report.html\n", folder);
    return WL_OK;
}

static wl_status report(const wl_args *args) {
    char *ours = wl_data_path("results");
    const char *const *paths = args->count > 0 ? args->words : (const char *const[]){ours};
    const size_t count = args->count > 0 ? (size_t)args->count : 1;
    wl_status status = ours == NULL ? wl_fail(WL_NO_MACHINE, "no memory for a path") : WL_OK;
    if (status == WL_OK && args->out && wl_argument_given(&args->own, "json-lines"))
        status = wl_fail(WL_BAD_USAGE, "option --out: found with --json-lines, which go to standard output");
    if (wl_argument_given(&args->own, "json-lines"))
        for (size_t i = 0; i < count && status == WL_OK; i++)
            status = wl_result_files_each(paths[i], print_lines, NULL);
    else if (status == WL_OK)
        status = make_page(args, paths, count);
    free(ours);
    return status;
}

static const wl_command command_report = {
    .name = "report",
    .brief = "make a page of result files: tables, charts, stages, machines",
    .arguments = "[RESULTS...]",
    .summary =
        "Write report.html, which needs no other file and no network. It begins with each ladder's speedups and their "
        "limits, from the newest file of a GPU. For each problem it has the stages with idea, counters and difference "
        "to the kernel before; for each result file the table, charts, machine and command. RESULTS are result files "
        "or folders with result files; by default the published ones.",
    .example = "warpladder report results --out page",
    .options = options,
    .common = WL_TAKES_OUT | WL_TAKES_QUIET,
    .most = WL_WORDS_MOST,
    .run = report,
};

WL_REGISTER_COMMAND(command_report)
