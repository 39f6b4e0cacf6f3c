/* Alachiotis, Berger & Stamatakis 2012: PaPaRa on a GPU, on CPU cores, and on both together. */
#include "papers/alachiotis2012/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* ---- the paper's tables ---- */

static wl_status check_paper(const wl_paper *paper, const char *const *headers, const char *const *columns) {
    WL_TRY(wl_paper_require(paper, headers));
    for (; *columns != NULL; columns++) {
        for (size_t row = 0; row < paper->rows; row++) {
            double number = wl_paper_number(paper, row, *columns);
            if (!(number > 0 && number <= 1e9))
                return wl_fail(
                    WL_BAD_INPUT, "%s: found '%s' in column %s; expected a number above 0", paper->path,
                    wl_paper_text(paper, row, *columns) == NULL ? "nothing" : wl_paper_text(paper, row, *columns),
                    *columns);
        }
    }
    return WL_OK;
}

/* Sizes are whole, and reads are not longer than the sites. */
static wl_status check_sizes(const wl_paper *paper) {
    static const char *const sizes[] = {"reads", "vectors", "sites", "taxa", "read_length", "mean"};
    for (size_t row = 0; row < paper->rows; row++) {
        double sites = wl_paper_number(paper, row, "sites"), length = wl_paper_header_number(paper, "read_length");
        if (isnan(sites)) sites = wl_paper_header_number(paper, "sites");
        if (isnan(length)) length = wl_paper_number(paper, row, "mean");
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            double header = wl_paper_header_number(paper, sizes[i]), cell = wl_paper_number(paper, row, sizes[i]);
            double size = isnan(cell) ? header : cell;
            if (isnan(size) || (size >= 1 && size <= 1e8 && size == floor(size))) continue;
            return wl_fail(WL_BAD_INPUT, "%s: found %g %s; expected a whole number from 1 to 100000000", paper->path,
                           size, sizes[i]);
        }
        if (2 * length <= sites) continue;
        return wl_fail(WL_BAD_INPUT, "%s: found reads of %g letters and %g sites; expected twice as many sites",
                       paper->path, length, sites);
    }
    return WL_OK;
}

static wl_status read_papers(alachiotis_run *run) {
    static const char *const names[] = {"alachiotis2012_table1", "alachiotis2012_table2", "alachiotis2012_table3"};
    static const char *const headers[3][9] = {
        {"short", "figure", "short_machine", "cores", "variant", "reads", "vectors", "read_length"},
        {"short", "figure", "short_machine", "sites", "vectors", "read_length", NULL},
        {"short", "figure", "short_machine", NULL}};
    static const char *const columns[3][8] = {{"sites", "seq_s", "simd_s", "gpu_s", NULL},
                                              {"reads", "seq_s", "simd_s", "gpu_s", NULL},
                                              {"taxa", "sites", "reads", "mean", NULL}};
    for (int t = 0; t < 3; t++) {
        WL_TRY(wl_paper_read(names[t], &run->tables[t]));
        WL_TRY(check_paper(&run->tables[t], headers[t], columns[t]));
        WL_TRY(check_sizes(&run->tables[t]));
    }
    return WL_OK;
}

/* ---- what was asked for ---- */

/* "1,3": tables by number; "accuracy". */
static wl_status choose_tables(const char *asked, alachiotis_run *run) {
    static const char *const names[ALACHIOTIS_TABLES] = {"1", "2", "3", "accuracy"};
    for (const char *at = asked;; at++) {
        size_t length = strcspn(at, ","), t = 0;
        while (t < ALACHIOTIS_TABLES && (strlen(names[t]) != length || strncmp(names[t], at, length) != 0)) t++;
        if (t == ALACHIOTIS_TABLES)
            return wl_fail(WL_BAD_USAGE, "option --table: found '%.40s'; expected 1, 2, 3 or accuracy, or several: 1,3",
                           at);
        run->wanted[t] = 1;
        at += length;
        if (*at == 0) return WL_OK;
    }
}

static wl_status choose_devices(const wl_paper_request *asked, alachiotis_run *run) {
    wl_device_list all;
    WL_TRY(wl_reproduction_devices(asked, WL_DEVICES_MOST - 1, &all, NULL));
    wl_reproduction_machine(&all, run->machine, sizeof run->machine);
    run->cpu = all.items[0];
    run->gpus.count = all.count - 1;
    memcpy(run->gpus.items, all.items + 1, sizeof *all.items * run->gpus.count);
    return WL_OK;
}

/* ---- showing it ---- */

static wl_status show(const wl_paper_request *asked, const wl_reproduction *which, const alachiotis_run *run) {
    const wl_paper *tables = run->tables;
    wl_reproduction_output files[ALACHIOTIS_TABLES] = {
        {"_table1", "alachiotis2012", 1, 0, &tables[0], alachiotis_head, alachiotis_rows, 1},
        {"_table2", "alachiotis2012", 0, 0, &tables[1], alachiotis_head, alachiotis_rows, 2},
        {"_table3", "alachiotis2012_table3", 0, 0, &tables[2], alachiotis_head, alachiotis_rows, 3},
        {"_accuracy", NULL, 0, 0, &tables[0], alachiotis_head, alachiotis_rows, 4}};
    for (int table = 0; table < ALACHIOTIS_TABLES; table++)
        if (!run->wanted[table]) files[table].what = NULL;
    const wl_reproduction_shown shown = {run,   run->machine,     alachiotis_print, alachiotis_print_json,
                                         files, ALACHIOTIS_TABLES};
    return wl_reproduction_show(asked, which, &shown);
}

static wl_status verdict(const alachiotis_run *run) {
    size_t right = run->accuracy_count;
    for (size_t i = 0; i < run->count; i++) {
        const alachiotis_point *p = &run->points[i];
        if (wl_failed(&p->verdict))
            return wl_fail(WL_CHECK_FAILED, "the check of %s/%s at %u sites, %zu reads, %zu vectors failed: %s",
                           run->problem->name, run->lines[p->line].variant->name, p->sites, p->measured_reads,
                           p->measured_vectors, p->verdict.reason);
        right += wl_passed(&p->verdict);
    }
    for (size_t i = 0; i < run->system_count; i++) {
        const alachiotis_system *s = &run->systems[i];
        if (wl_failed(&s->verdict))
            return wl_fail(WL_CHECK_FAILED, "the check of the %s on %s failed: %s", alachiotis_mode_title(s->mode),
                           wl_paper_text(&run->tables[2], s->dataset, "dataset"), s->verdict.reason);
        right += wl_passed(&s->verdict);
    }
    return right > 0 ? WL_OK : wl_fail(WL_NO_MACHINE, "nothing could be measured here");
}

/* ---- the whole ---- */

static wl_status measure(alachiotis_run *run) {
    alachiotis_choose_lines(run);
    for (int table = 1; table <= 2; table++)
        if (run->wanted[table - 1]) WL_TRY(alachiotis_sweep(run, table));
    if (run->wanted[2]) WL_TRY(alachiotis_measure_systems(run));
    return run->wanted[3] ? alachiotis_measure_accuracy(run) : WL_OK;
}

static wl_status reproduce(const wl_paper_request *asked, const wl_reproduction *which) {
    alachiotis_run run = {.problem = wl_problem_named("papara"),
                          .seed = asked->seed,
                          .quick = wl_argument_given(&asked->own, "quick"),
                          .progress = asked->progress};
    if (run.problem == NULL) return wl_fail(WL_NO_MACHINE, "%s: this program has no problem papara", which->name);
    run.options = wl_reproduction_point_options(3, run.quick ? 1 : 5);
    run.check_seconds = run.quick ? 0.1 : 0.3;
    wl_status status = choose_tables(
        wl_argument_given(&asked->own, "table") ? wl_argument(&asked->own, "table") : "1,2,3,accuracy", &run);
    if (status == WL_OK) status = choose_devices(asked, &run);
    if (status == WL_OK) status = wl_reproduction_try(asked, which);
    if (status == WL_OK) status = read_papers(&run);
    if (status == WL_OK) status = measure(&run);
    if (status == WL_OK) status = show(asked, which, &run);
    if (status == WL_OK) status = verdict(&run);
    for (int t = 0; t < 3; t++) wl_result_file_free(&run.tables[t]);
    WL_FREE(run.points, run.systems, run.accuracies);
    return status;
}

static const wl_option options[] = {
    {"quick", NULL, NULL, "smaller data, a minute or two on a laptop"},
    {"table", "N,N,...", NULL, "these tables only: 1, 2, 3, accuracy"},
    {NULL, NULL, NULL, NULL},
};

static wl_reproduction paper = {
    .name = "alachiotis2012",
    .summary = "Alachiotis et al. 2012, Tables 1 to 3: PaPaRa's cell updates per second on a GPU, a CPU, and both",
    .run = reproduce,
    .options = options,
};

WL_REGISTER_REPRODUCTION(paper)
