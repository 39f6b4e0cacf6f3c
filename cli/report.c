/* warpladder report: result files as a page to look at. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "plots/chart.h"
#include "report/page.h"

static wl_status report(const wl_line *line) {
    int missing = 0;
    const char *folder = line->out == NULL ? "." : line->out;
    char *ours = line->count > 0 ? NULL : wl_data_path("results");
    const char *const published[] = {ours};
    if (line->count == 0 && ours == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    const wl_status status = report_write(line->count > 0 ? line->words : published,
                                          line->count > 0 ? (size_t)line->count : 1, folder, line->text, &missing);
    free(ours);
    WL_TRY(status);
    if (missing) fputs("note: gnuplot cannot be run: the page has no charts\n", stderr);
    if (!line->quiet) printf("Written: %s/report.html\n", folder);
    return WL_OK;
}

const wl_command wl_command_report = {
    .name = "report",
    .brief = "make a page of result files: tables, charts, stages, machines",
    .arguments = "[RESULTS...]",
    .summary = "Write report.html, which needs no other file and no network: for each problem the ladder with each "
               "stage's idea, "
               "counters and difference to the kernel before, and for each result file its table, charts, machine and "
               "command. "
               "RESULTS are result files or folders of them; without any, the published ones.",
    .example = "warpladder report results --out page",
    .common = WL_TAKES_OUT | WL_TAKES_QUIET,
    .least = 0,
    .most = WL_WORDS_MOST,
    .run = report,
};
