/* Suchard & Rambaut 2009, Figures 3 and 4: how much faster GPUs take the steps of a Markov chain over trees. */
#include "papers/suchard2009/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the paper's tables ---- */

static wl_status whole(const wl_paper *paper, const char *key, double most, uint32_t *value) {
    const double number = wl_paper_header_number(paper, key);
    if (!(number >= 1 && number <= most) || number != floor(number))
        return wl_fail(WL_BAD_INPUT, "%s: expected a line '# %s: N', N a whole number from 1 to %.0f", paper->path, key,
                       most);
    *value = (uint32_t)number;
    return WL_OK;
}

static wl_status read_papers(suchard_run *run) {
    static const char *const needed[] = {"short", "figure", "short_machine", "variant", NULL};
    static const char *const sweeps[] = {"sweep_columns", "sweep_taxa", NULL};
    uint32_t steps = 0;
    const struct {
        const wl_paper *paper;
        const char *key;
        double most;
        uint32_t *value;
    } numbers[] = {{&run->figure3, "steps", 1e6, &steps},
                   {&run->figure3, "taxa", 1e4, &run->taxa},
                   {&run->figure3, "codon_patterns", 1e6, &run->codon_patterns},
                   {&run->figure3, "nucleotide_columns", 1e6, &run->nucleotide_columns},
                   {&run->figure4, "taxa", 1e4, &run->taxa4}};
    wl_status status = wl_paper_read("suchard2009_figure3", NULL, &run->figure3);
    if (status == WL_OK) status = wl_paper_read("suchard2009_figure4", NULL, &run->figure4);
    if (status == WL_OK) status = wl_paper_require(&run->figure3, needed);
    if (status == WL_OK) status = wl_paper_require(&run->figure4, needed);
    if (status == WL_OK) status = wl_paper_require(&run->figure4, sweeps);
    for (size_t i = 0; status == WL_OK && i < sizeof numbers / sizeof *numbers; i++)
        status = whole(numbers[i].paper, numbers[i].key, numbers[i].most, numbers[i].value);
    run->steps = steps;
    run->serial_patterns = 500;
    run->over_columns = wl_paper_header(&run->figure4, "sweep_columns");
    run->over_taxa = wl_paper_header(&run->figure4, "sweep_taxa");
    return status;
}

/* A few seconds, for a laptop and for tests: the same experiment on less of everything. */
static void reduce(suchard_run *run) {
    run->steps = 200;
    run->taxa = 12;
    run->codon_patterns = 40;
    run->nucleotide_columns = 300;
    run->taxa4 = 12;
    run->over_columns = "--taxa 12 --patterns 1,3,10,30,40";
    run->over_taxa = "--patterns 20 --taxa 3,6,12";
}

/* ---- the whole ---- */

static wl_status show(const wl_paper_request *asked, const wl_reproduction *which, const suchard_run *run) {
    const wl_reproduction_output files[] = {
        {"", "suchard2009", 1, 0, &run->figure3, suchard_put_figure3},
        {"_figure4", "suchard2009_figure4", 0, 0, &run->figure4, suchard_put_figure4}};
    const wl_reproduction_shown shown = {run, run->machine, suchard_print, suchard_print_json, files, 2};
    return wl_reproduction_show(asked, which, &shown);
}

static wl_status verdict(const suchard_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        if (wl_failed(&row->verdict))
            return wl_fail(WL_CHECK_FAILED,
                           "the check of peeling/%s on %s, %s of %u taxa and %u columns, failed: %.300s", row->variant,
                           wl_backend_name(row->backend), row->model, row->taxa, row->patterns, row->verdict.reason);
    }
    return WL_OK;
}

static wl_status reproduce(const wl_paper_request *asked, const wl_reproduction *which) {
    suchard_run run = {.seed = asked->seed, .progress = asked->progress};
    wl_status status = wl_reproduction_devices(asked, WL_DEVICES_MOST - 1, &run.devices, NULL);
    if (status == WL_OK) status = wl_reproduction_try(asked, which);
    if (status == WL_OK) status = read_papers(&run);
    if (status == WL_OK) {
        wl_reproduction_machine(&run.devices, run.machine, sizeof run.machine);
        run.quick = wl_argument_given(&asked->own, "quick");
        if (run.quick) reduce(&run);
        status = suchard_measure_figure3(&run);
    }
    if (status == WL_OK) status = suchard_measure_figure4(&run);
    if (run.progress) fputs("\r\033[K", stderr);
    if (status == WL_OK) status = show(asked, which, &run);
    if (status == WL_OK) status = verdict(&run);
    wl_paper_free(&run.figure3);
    wl_paper_free(&run.figure4);
    free(run.rows);
    return status;
}

static const wl_option options[] = {
    {"quick", NULL, NULL, "smaller data, a minute or two on a laptop"},
    {NULL, NULL, NULL, NULL},
};

static wl_reproduction paper = {
    .name = "suchard2009",
    .summary = "Suchard & Rambaut 2009, Figures 3 and 4: steps of a Markov chain over trees, codons and nucleotides",
    .run = reproduce,
    .options = options,
};

WL_REGISTER_REPRODUCTION(paper)
