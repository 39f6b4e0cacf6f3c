/* Figures 3 and 4: the rows for people, for files and for JSON. */
#include <math.h>
#include <string.h>

#include "papers/suchard2009/paper.h"

/* ---- a row ---- */

/* "one GPU", "2 GPUs", "16 threads" */
static void name_devices(const suchard_row *row, char *text, size_t size) {
    if (row->backend == WL_CPU)
        snprintf(text, size, "%d thread%s", row->threads, row->threads == 1 ? "" : "s");
    else if (row->devices == 1)
        snprintf(text, size, "one GPU");
    else
        snprintf(text, size, "%zu GPUs", row->devices);
}

/* is_new: its data are not those of the row before. backend: NULL where the numbers are the paper's. */
static void put(wl_rows *out, const suchard_row *row, const char *backend, const char *check, const char *relation,
                int is_new) {
    const int three = row->figure == 3, four = row->figure == 4, ok = three && wl_passed(&row->verdict),
              cpu = row->backend == WL_CPU;
    const double steps = backend ? (double)row->steps : NAN;
    char data[64], devices[32];
    snprintf(data, sizeof data, "%s, %s, %ux%u", row->model, row->precision, row->taxa, row->patterns);
    name_devices(row, devices, sizeof devices);
    wl_rows_row(out, WL_TEXT("by", row->by), WL_TEXT("model", row->model), WL_TEXT("precision", row->precision),
                WL_SHOW_TEXT(NULL, three ? "data" : NULL, is_new ? data : NULL),
                WL_SHOW_WHOLE("taxa", four ? "taxa" : NULL, row->taxa > 0 ? row->taxa : NAN),
                WL_COUNT("columns", row->columns > 0 ? row->columns : NAN),
                WL_SHOW_WHOLE("patterns", four ? "unique\ncolumns" : NULL, row->patterns > 0 ? row->patterns : NAN),
                WL_SHOW_TEXT("variant", "variant", row->variant), WL_SHOW_TEXT(NULL, "", devices),
                WL_TEXT("backend", backend ? backend : "paper"),
                WL_COUNT("devices", row->devices > 0 ? (double)row->devices : NAN), WL_COUNT("threads", row->threads),
                WL_TEXT("check", check), WL_TEXT("relation", relation), WL_COUNT("steps", steps),
                WL_COUNT("agreed", backend ? (double)row->agreed : NAN),
                WL_SHOW(NULL, three ? "steps\ntimed" : NULL, ok ? steps : NAN),
                WL_SHOW_OF(cpu, "ms_step", "ms per\nstep", row->ms),
                WL_SHOW_OF(cpu, NULL, three ? "steps\na second" : NULL, 1e3 / row->ms),
                WL_NUMBER("operations_per_s", row->operations_per_s),
                WL_SHOW_OF(1, "speedup_serial", "over the\nserial code", row->speedup_serial),
                WL_SHOW_OF(1, "speedup_best_cpu", "over the\nbest CPU", row->speedup_best_cpu),
                WL_NUMBER("accepted", row->accepted), WL_NUMBER("joules", row->joules), WL_NUMBER("watts", row->watts),
                WL_NUMBER("work_per_joule", row->operations_per_s * 1e-3 * row->ms / row->joules),
                WL_AS("%.0f %%", NULL, three ? "accepted" : NULL, 100 * row->accepted));
}

static void put_row(wl_rows *out, const suchard_row *row, int is_new) {
    put(out, row, wl_backend_name(row->backend), wl_verdict_line(&row->verdict).text, "=", is_new);
}

/* ---- tables for people ---- */

static void print_head(FILE *stream, const suchard_run *run) {
    fprintf(stream, "%s, %s and %s: steps of a Markov chain%s\n", wl_paper_header(&run->figure3, "short"),
            wl_paper_header(&run->figure3, "figure"), wl_paper_header(&run->figure4, "figure"),
            run->quick ? ", a small one (--quick)" : "");
    wl_reproduction_print_machines(stream, &run->figure3, run->machine, run->devices.count > 1,
                                   "only CPU codes are timed");
    fputc('\n', stream);
}

static void of_figure(wl_rows *out, const void *of, int figure) {
    const suchard_run *run = of;
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i], *before = i > 0 ? row - 1 : NULL;
        if (row->figure == figure)
            put_row(out, row, !before || before->model != row->model || before->precision != row->precision);
    }
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

static void said(wl_rows *out, const void *of, int table) {
    (void)table;
    const suchard_run *run = of;
    char head[96], text[300], format[16];
    snprintf(head, sizeof head, "here\n%s", wl_paper_header(&run->figure3, "variant"));
    for (size_t row = 0; row < run->figure3.rows; row++) {
        const char *relation = wl_paper_text(&run->figure3, row, "relation");
        snprintf(text, sizeof text, "%s, %s: %s", wl_paper_text(&run->figure3, row, "model"),
                 wl_paper_text(&run->figure3, row, "precision"), wl_paper_text(&run->figure3, row, "what"));
        snprintf(format, sizeof format, "%.2s%%g", relation && *relation != '=' ? relation : "");
        const char *over = wl_paper_text(&run->figure3, row, "over");
        const int over_cpu = over && (strcmp(over, "C") == 0 || strcmp(over, "CPU") == 0);
        wl_rows_row(out, WL_SHOW_TEXT(NULL, "the paper's text", text),
                    WL_AS(format, NULL, "paper", wl_paper_number(&run->figure3, row, "value")),
                    WL_SHOW_OF(over_cpu, NULL, head, here(run, row, 0)),
                    WL_SHOW_OF(over_cpu, NULL, "here\nthe best", here(run, row, 1)));
    }
}

static void print_paper(FILE *stream, const suchard_run *run) {
    fputc('\n', stream);
    wl_rows_print(stream, 1, said, run, 0);
    fprintf(
        stream,
        "\nThe paper has three GPUs, optimised C code on cores that it does not number, and Java code. Here: %zu GPU%s "
        "and plain C\ncode on one core. For nucleotides and in Figure 4 the paper names no baseline. Both figures are "
        "pictures;\nthe table has only what the text states.\n",
        run->devices.count - 1, run->devices.count == 2 ? "" : "s");
}

static void print_failures(FILE *stream, const suchard_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        if (!wl_passed(&row->verdict))
            fprintf(stream, "%s, %s, %ux%u, %s: %s\n", row->model, row->precision, row->taxa, row->patterns,
                    row->variant, wl_verdict_line(&row->verdict).text);
    }
}

void suchard_print(FILE *stream, const void *of) {
    const suchard_run *run = of;
    print_head(stream, run);
    wl_rows_print(stream, 3, of_figure, run, 3);
    fputs("\nThe serial code computes in double precision; its time, and the best CPU code's, is that of the steps it "
          "did, "
          "scaled\nby the operations of the others'.\n",
          stream);
    print_paper(stream, run);
    fprintf(stream, "\n%s: codons, single precision\n", wl_paper_header(&run->figure4, "figure"));
    wl_rows_print(stream, 0, of_figure, run, 4);
    fprintf(stream,
            "\nThe paper's text: over 10-fold for a single codon column; the GPU is saturated from around %s unique "
            "columns on.\nWith more than %u columns the serial code's time is scaled from the largest number below.\n",
            wl_paper_header(&run->figure4, "saturation_patterns"), run->serial_patterns);
    print_failures(stream, run);
}

/* ---- for programs ---- */

/* What the paper says of speedups over a CPU, in the columns of ours: what is drawn beside them. */
static void put_paper(wl_rows *out, const suchard_run *run, int figure) {
    const wl_paper *paper = figure == 3 ? &run->figure3 : &run->figure4;
    for (size_t row = 0; row < paper->rows; row++) {
        const char *over = figure == 3 ? wl_paper_text(paper, row, "over") : "C";
        if (!over || (strcmp(over, "C") != 0 && strcmp(over, "CPU") != 0)) continue;
        const char *relation = wl_paper_text(paper, row, "relation");
        suchard_row of_paper = {.by = figure == 3 ? "" : "columns",
                                .model = figure == 3 ? wl_paper_text(paper, row, "model") : "codon",
                                .precision = figure == 3 ? wl_paper_text(paper, row, "precision") : "not stated",
                                .variant = "paper",
                                .devices = figure == 3 ? (size_t)wl_paper_number(paper, row, "gpus") : 0,
                                .ms = NAN,
                                .operations_per_s = NAN,
                                .joules = NAN,
                                .watts = NAN,
                                .speedup_serial = wl_paper_number(paper, row, "value"),
                                .speedup_best_cpu = NAN,
                                .accepted = NAN};
        if (figure == 4) {
            of_paper.taxa = (uint32_t)wl_paper_number(paper, row, "taxa");
            of_paper.patterns = (uint32_t)wl_paper_number(paper, row, "patterns");
        }
        put(out, &of_paper, NULL, "paper", relation ? relation : "=", 0);
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

void suchard_head(FILE *stream, const void *of, int figure) {
    const suchard_run *run = of;
    fprintf(stream, "# title: Steps of a Markov chain over trees%s\n", run->quick ? ", small data" : "");
    if (figure == 4)
        fprintf(stream, "# saturation_patterns: %s\n", wl_paper_header(&run->figure4, "saturation_patterns"));
}

void suchard_rows(wl_rows *out, const void *of, int figure) {
    const suchard_run *run = of;
    put_paper(out, run, figure);
    if (figure == 3) of_figure(out, run, 3);
    for (size_t i = 0; figure == 4 && i < run->count; i++)
        for (size_t k = i; run->rows[i].figure == 4 && begins_line(run, i) && k < run->count; k++)
            if (is_same_line(&run->rows[i], &run->rows[k])) put_row(out, &run->rows[k], 0);
}

static void all_rows(wl_rows *out, const void *of, int table) {
    const suchard_run *run = of;
    (void)table;
    for (size_t i = 0; i < run->count; i++) {
        wl_rows_put(out, WL_COUNT("figure", run->rows[i].figure));
        put_row(out, &run->rows[i], 0);
    }
}

void suchard_print_json(FILE *stream, const void *of) {
    const suchard_run *run = of;
    fprintf(stream, ", \"seed\": %llu, \"quick\": %s", (unsigned long long)run->seed, run->quick ? "true" : "false");
    wl_rows_json(stream, "rows", all_rows, run, 0);
    wl_rows_json(stream, "paper", wl_paper_rows, &run->figure3, 0);
}
