/* Figures 3 and 4 as tables, as result files and as JSON. */
#include <math.h>
#include <string.h>

#include "harness/base/grid.h"
#include "harness/base/json.h"
#include "papers/suchard2009/paper.h"
#include "harness/bench/results.h"
#include "harness/base/outfile.h"

/* "one GPU", "2 GPUs", "16 threads" */
static void name_devices(const suchard_row *row, char *text, size_t size) {
    if (row->backend == WL_CPU)
        snprintf(text, size, "%d thread%s", row->threads, row->threads == 1 ? "" : "s");
    else if (row->devices == 1)
        snprintf(text, size, "one GPU");
    else
        snprintf(text, size, "%zu GPUs", row->devices);
}

/* ---- tables for people ---- */

static void print_head(FILE *stream, const suchard_run *run) {
    const char *reason;
    fprintf(stream, "%s, %s and %s: steps of a Markov chain%s\n", wl_paper_header(&run->figure3, "short"),
            wl_paper_header(&run->figure3, "figure"), wl_paper_header(&run->figure4, "figure"),
            run->quick ? ", a small one (--quick)" : "");
    fprintf(stream, "the paper's machine: %s\nthis machine: %s\n", wl_paper_header(&run->figure3, "short_machine"),
            run->machine);
    if (run->devices.count == 1) {
        if (wl_gpu_count(&reason) == 0)
            fprintf(stream, "There is no GPU here (%s): only CPU codes are timed.\n", reason);
        else
            fputs("No GPU was asked for: only CPU codes are timed.\n", stream);
    }
    fputc('\n', stream);
}

static void print_figure3(FILE *stream, const suchard_run *run) {
    enum { DATA, VARIANT, DEVICES, STEPS, MS, RATE, SERIAL, CPU, ACCEPTED, COLUMNS };
    wl_grid grid = wl_grid_new(COLUMNS, 3);
    wl_grid_row(&grid);
    static const char *const heads[COLUMNS] = {"data",
                                               "variant",
                                               "",
                                               "steps\ntimed",
                                               "ms\na step",
                                               "steps\na second",
                                               "over the\nserial code",
                                               "over the\nbest CPU",
                                               "accepted"};
    for (size_t c = 0; c < COLUMNS; c++) wl_grid_set(&grid, c, "%s", heads[c]);
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i], *before = i > 0 ? &run->rows[i - 1] : NULL;
        char devices[32];
        if (row->figure != 3) continue;
        wl_grid_row(&grid);
        if (!before || before->model != row->model || before->precision != row->precision)
            wl_grid_set(&grid, DATA, "%s, %s, %ux%u", row->model, row->precision, row->taxa, row->patterns);
        name_devices(row, devices, sizeof devices);
        wl_grid_set(&grid, VARIANT, "%s", row->variant);
        wl_grid_set(&grid, DEVICES, "%s", devices);
        if (!wl_passed(&row->verdict)) continue;
        wl_grid_set_number(&grid, STEPS, (double)row->steps);
        wl_grid_set_number(&grid, MS, row->ms);
        wl_grid_set_number(&grid, RATE, 1e3 / row->ms);
        wl_grid_set_number(&grid, SERIAL, row->speedup_serial);
        wl_grid_set_number(&grid, CPU, row->speedup_best_cpu);
        wl_grid_set(&grid, ACCEPTED, "%.0f %%", 100 * row->accepted);
    }
    wl_grid_print(stream, &grid, 1, "");
    wl_grid_free(&grid);
    fputs("\nThe serial code computes in double precision; its time, and the best CPU code's, is that of the steps it "
          "did, "
          "scaled\nby the operations of the others'.\n",
          stream);
}

/* The row of Figure 3 of the paper's kernel, or of the last, on one GPU (all = 0) or on all. */
static const suchard_row *find(const suchard_run *run, const char *model, const char *precision, int all, int last) {
    const suchard_row *found = NULL;
    const char *of_paper = wl_paper_header(&run->figure3, "variant");
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        if (row->figure != 3 || row->backend != WL_GPU || strcmp(row->model, model) != 0 ||
            strcmp(row->precision, precision) != 0)
            continue;
        if (row->devices != (all ? run->devices.count - 1 : 1)) continue;
        if (last || (!found && strcmp(row->variant, of_paper) == 0)) found = row;
    }
    return found;
}

/* What the paper's row says, here. */
static double here(const suchard_run *run, size_t paper_row, int last) {
    const char *model = wl_paper_text(&run->figure3, paper_row, "model");
    const char *precision = wl_paper_text(&run->figure3, paper_row, "precision");
    const char *over = wl_paper_text(&run->figure3, paper_row, "over");
    const int all = wl_paper_number(&run->figure3, paper_row, "gpus") > 1;
    if (!model || !precision || !over) return NAN;
    const suchard_row *row = find(run, model, precision, all, last);
    if (!row || strcmp(over, "Java") == 0) return NAN;
    if (strcmp(over, "one GPU") == 0) {
        const suchard_row *one = find(run, model, precision, 0, last);
        return one && row != one ? one->ms / row->ms : NAN;
    }
    if (strcmp(over, "single") == 0) {
        const suchard_row *single = find(run, model, "single", all, last);
        return single ? row->ms / single->ms : NAN;
    }
    return row->speedup_serial;
}

static void print_paper(FILE *stream, const suchard_run *run) {
    wl_grid grid = wl_grid_new(4, 1);
    wl_grid_row(&grid);
    wl_grid_set(&grid, 0, "what the paper's text says");
    wl_grid_set(&grid, 1, "paper");
    wl_grid_set(&grid, 2, "here\n%s", wl_paper_header(&run->figure3, "variant"));
    wl_grid_set(&grid, 3, "here\nthe best");
    for (size_t row = 0; row < run->figure3.row_count; row++) {
        const char *relation = wl_paper_text(&run->figure3, row, "relation");
        wl_grid_row(&grid);
        wl_grid_set(&grid, 0, "%s, %s: %s", wl_paper_text(&run->figure3, row, "model"),
                    wl_paper_text(&run->figure3, row, "precision"), wl_paper_text(&run->figure3, row, "what"));
        wl_grid_set(&grid, 1, "%s%g", relation && *relation != '=' ? relation : "",
                    wl_paper_number(&run->figure3, row, "value"));
        wl_grid_set_number(&grid, 2, here(run, row, 0));
        wl_grid_set_number(&grid, 3, here(run, row, 1));
    }
    fputc('\n', stream);
    wl_grid_print(stream, &grid, 1, "");
    wl_grid_free(&grid);
    fprintf(
        stream,
        "\nHere %zu GPU%s where the paper has three, and C code where it has Java. Figures 3 and 4 are pictures; only "
        "what the\ntext states stands here.\n",
        run->devices.count - 1, run->devices.count == 2 ? "" : "s");
}

static void print_figure4(FILE *stream, const suchard_run *run) {
    enum { TAXA, PATTERNS, VARIANT, DEVICES, MS, SERIAL, CPU, COLUMNS };
    wl_grid grid = wl_grid_new(COLUMNS, 0);
    static const char *const heads[COLUMNS] = {"taxa",       "unique\ncolumns",       "variant",           "",
                                               "ms\na step", "over the\nserial code", "over the\nbest CPU"};
    wl_grid_row(&grid);
    for (size_t c = 0; c < COLUMNS; c++) wl_grid_set(&grid, c, "%s", heads[c]);
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        char devices[32];
        if (row->figure != 4) continue;
        wl_grid_row(&grid);
        name_devices(row, devices, sizeof devices);
        wl_grid_set(&grid, TAXA, "%u", row->taxa);
        wl_grid_set(&grid, PATTERNS, "%u", row->patterns);
        wl_grid_set(&grid, VARIANT, "%s", row->variant);
        wl_grid_set(&grid, DEVICES, "%s", devices);
        wl_grid_set_number(&grid, MS, row->ms);
        wl_grid_set_number(&grid, SERIAL, row->speedup_serial);
        wl_grid_set_number(&grid, CPU, row->speedup_best_cpu);
    }
    fprintf(stream, "\n%s: codons, single precision\n", wl_paper_header(&run->figure4, "figure"));
    wl_grid_print(stream, &grid, 1, "");
    wl_grid_free(&grid);
    fprintf(stream,
            "\nThe paper's text: over 10-fold for a single codon column; the GPU is saturated from around %s unique "
            "columns on.\nWith more than %u columns the serial code's time is scaled from the largest number below.\n",
            wl_paper_header(&run->figure4, "saturation_patterns"), run->serial_patterns);
}

static void print_failures(FILE *stream, const suchard_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        if (!wl_passed(&row->verdict))
            fprintf(stream, "%s, %s, %ux%u, %s: %s\n", row->model, row->precision, row->taxa, row->patterns,
                    row->variant, wl_verdict_line(&row->verdict).text);
    }
}

void suchard_print(FILE *stream, const suchard_run *run) {
    print_head(stream, run);
    print_figure3(stream, run);
    print_paper(stream, run);
    print_figure4(stream, run);
    print_failures(stream, run);
}

/* ---- for programs ---- */

static const char *const columns = "by\tmodel\tprecision\ttaxa\tcolumns\tpatterns\tvariant\tbackend\tdevices\tthreads\t"
                                   "check\trelation\tsteps\tagreed\t"
                                   "ms_step\toperations_per_s\tspeedup_serial\tspeedup_best_cpu\taccepted\n";

static void write_row(FILE *stream, const suchard_row *row) {
    fprintf(stream, "\"%s\"\t\"%s\"\t\"%s\"\t%u\t%.0f\t%u\t\"%s\"\t\"%s\"\t%zu\t%d\t\"", row->by, row->model,
            row->precision, row->taxa, row->columns, row->patterns, row->variant, wl_backend_name(row->backend),
            row->devices, row->threads);
    const wl_verdict_text check = wl_verdict_line(&row->verdict);
    for (const char *at = check.text; *at; at++) fputc(*at == '"' || (unsigned char)*at < ' ' ? ' ' : *at, stream);
    fprintf(stream, "\"\t\"=\"\t%llu\t%llu", (unsigned long long)row->steps, (unsigned long long)row->agreed);
    wl_put_number(stream, "\t", row->ms, "NA");
    wl_put_number(stream, "\t", row->operations_per_s, "NA");
    wl_put_number(stream, "\t", row->speedup_serial, "NA");
    wl_put_number(stream, "\t", row->speedup_best_cpu, "NA");
    wl_put_number(stream, "\t", row->accepted, "NA");
    fputc('\n', stream);
}

/* What the paper says of speedups over a CPU, in the columns of ours: what is drawn beside them. */
static void write_paper_rows(FILE *stream, const suchard_run *run, int figure) {
    const wl_paper *paper = figure == 3 ? &run->figure3 : &run->figure4;
    for (size_t row = 0; row < paper->row_count; row++) {
        const char *over = figure == 3 ? wl_paper_text(paper, row, "over") : "C";
        if (!over || (strcmp(over, "C") != 0 && strcmp(over, "CPU") != 0)) continue;
        const char *relation = wl_paper_text(paper, row, "relation");
        if (figure == 3)
            fprintf(stream, "\"\"\t\"%s\"\t\"%s\"\tNA\tNA\tNA\t\"paper\"\t\"paper\"\t%g",
                    wl_paper_text(paper, row, "model"), wl_paper_text(paper, row, "precision"),
                    wl_paper_number(paper, row, "gpus"));
        else
            fprintf(stream, "\"columns\"\t\"codon\"\t\"single\"\t%g\tNA\t%g\t\"paper\"\t\"paper\"\t1",
                    wl_paper_number(paper, row, "taxa"), wl_paper_number(paper, row, "patterns"));
        fprintf(stream, "\t0\t\"paper\"\t\"%s\"\tNA\tNA\tNA\tNA\t%g\tNA\tNA\n", relation ? relation : "=",
                wl_paper_number(paper, row, "value"));
    }
}

/* A line of Figure 4: its rows stand together in the file, so that it can be drawn. */
static int is_same_line(const suchard_row *a, const suchard_row *b) {
    return a->figure == b->figure && strcmp(a->by, b->by) == 0 && strcmp(a->variant, b->variant) == 0 &&
           a->backend == b->backend && a->devices == b->devices;
}
static int begins_line(const suchard_run *run, size_t row) {
    for (size_t i = 0; i < row; i++)
        if (is_same_line(&run->rows[i], &run->rows[row])) return 0;
    return 1;
}

wl_status suchard_write(const char *path, const suchard_run *run, int figure, const char *command,
                        unsigned long long seed) {
    const wl_paper *paper = figure == 3 ? &run->figure3 : &run->figure4;
    wl_outfile file;
    wl_status status = wl_outfile_open(path, &file);
    if (status != WL_OK) return status;
    FILE *stream = file.stream;
    wl_results_header(stream, command, seed);
    fprintf(stream, "# title: Steps of a Markov chain over trees%s\n", run->quick ? ", small data" : "");
    fprintf(stream, "# machine: %s\n# paper: %s, %s\n# paper_machine: %s\n", run->machine,
            wl_paper_header(paper, "short"), wl_paper_header(paper, "figure"), wl_paper_header(paper, "short_machine"));
    if (figure == 4) fprintf(stream, "# saturation_patterns: %s\n", wl_paper_header(paper, "saturation_patterns"));
    fputs(columns, stream);
    write_paper_rows(stream, run, figure);
    for (size_t i = 0; i < run->count; i++) {
        if (run->rows[i].figure != figure || (figure == 4 && !begins_line(run, i))) continue;
        for (size_t k = i; k < (figure == 4 ? run->count : i + 1); k++)
            if (figure == 3 || is_same_line(&run->rows[i], &run->rows[k])) write_row(stream, &run->rows[k]);
    }
    status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    return status;
}

void suchard_print_json(FILE *stream, const suchard_run *run, unsigned long long seed) {
    fputs("{\"reproduction\": \"suchard2009\", ", stream);
    wl_put_text(stream, "\"machine\": ", run->machine);
    fprintf(stream, ", \"seed\": %llu, \"quick\": %s, \"rows\": [", seed, run->quick ? "true" : "false");
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        fprintf(stream, "%s\n  {\"figure\": %d, ", i > 0 ? "," : "", row->figure);
        wl_put_text(stream, "\"by\": ", row->by);
        wl_put_text(stream, ", \"model\": ", row->model);
        wl_put_text(stream, ", \"precision\": ", row->precision);
        wl_put_text(stream, ", \"variant\": ", row->variant);
        wl_put_text(stream, ", \"backend\": ", wl_backend_name(row->backend));
        wl_put_text(stream, ", \"check\": ", wl_verdict_line(&row->verdict).text);
        fprintf(stream, ", \"taxa\": %u, \"columns\": %.0f, \"patterns\": %u, \"devices\": %zu, \"threads\": %d, ",
                row->taxa, row->columns, row->patterns, row->devices, row->threads);
        fprintf(stream, "\"steps\": %llu, \"agreed\": %llu", (unsigned long long)row->steps,
                (unsigned long long)row->agreed);
        wl_put_number(stream, ", \"ms_step\": ", row->ms, "null");
        wl_put_number(stream, ", \"speedup_serial\": ", row->speedup_serial, "null");
        wl_put_number(stream, ", \"speedup_best_cpu\": ", row->speedup_best_cpu, "null");
        wl_put_number(stream, ", \"accepted\": ", row->accepted, "null");
        fputc('}', stream);
    }
    fputs("\n], \"paper\": [", stream);
    for (size_t row = 0; row < run->figure3.row_count; row++) {
        fprintf(stream, "%s\n  {", row > 0 ? "," : "");
        wl_put_text(stream, "\"model\": ", wl_paper_text(&run->figure3, row, "model"));
        wl_put_text(stream, ", \"precision\": ", wl_paper_text(&run->figure3, row, "precision"));
        wl_put_text(stream, ", \"what\": ", wl_paper_text(&run->figure3, row, "what"));
        wl_put_text(stream, ", \"relation\": ", wl_paper_text(&run->figure3, row, "relation"));
        wl_put_number(stream, ", \"value\": ", wl_paper_number(&run->figure3, row, "value"), "null");
        fputc('}', stream);
    }
    fputs("\n]}\n", stream);
}
