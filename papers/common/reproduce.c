/* The papers, by name, and what their reproductions share: names of files, charts. */
#define _GNU_SOURCE /* asprintf */
#include "papers/common/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "harness/bench/results.h"
#include "plots/chart.h"

static wl_reproduction *first;

void wl_register_reproduction(wl_reproduction *reproduction) {
    wl_reproduction **at = &first;
    while (*at != NULL && strcmp((*at)->name, reproduction->name) < 0) at = &(*at)->next;
    reproduction->next = *at;
    *at = reproduction;
}

const wl_reproduction *wl_reproductions(void) { return first; }

char *wl_reproduction_file(const wl_paper_request *asked, const wl_reproduction *which, const char *what) {
    char *path;
    if (asprintf(&path, "%s/%s%s.tsv", asked->out == NULL ? "out" : asked->out, which->name, what) < 0) return NULL;
    return path;
}

wl_status wl_reproduction_try(const wl_paper_request *asked, const wl_reproduction *which) {
    char *path = wl_reproduction_file(asked, which, "");
    wl_status status =
        path == NULL ? wl_fail(WL_NO_MACHINE, "not enough memory for the files' names") : wl_file_try(path);
    free(path);
    return status;
}

wl_status wl_reproduction_draw(const wl_paper_request *asked, const char *script, const char *tsv, int in_terminal) {
    wl_status status = wl_chart_draw(script, tsv, "");
    if (status == WL_OK && in_terminal && !asked->json && !asked->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, script, tsv);
    }
    if (status == WL_OK && !asked->quiet) fprintf(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

wl_status wl_reproduction_draw_roofline(const wl_paper_request *asked, const char *tsv) {
    wl_status status = wl_chart_draw("roofline", tsv, "_roofline");
    if (status == WL_OK && !asked->json && !asked->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, "roofline", tsv);
    }
    return status;
}

wl_status wl_reproduction_open(const char *path, const char *command, unsigned long long seed, const wl_paper *paper,
                               const char *machine, wl_outfile *file) {
    wl_status status = wl_outfile_open(path, file);
    if (status != WL_OK) return status;
    wl_results_header(file->stream, command, seed);
    fprintf(file->stream, "# machine: %s\n# paper: %s, %s\n# paper_machine: %s\n", machine,
            wl_paper_header(paper, "short"), wl_paper_header(paper, "figure"), wl_paper_header(paper, "short_machine"));
    return WL_OK;
}
