/* The rows of Tables 1 to 3 and of the accuracy, for people, for files and for JSON. */
#include <math.h>

#include "papers/alachiotis2012/paper.h"

/* ---- Tables 1 and 2 ---- */

enum { NOTHING, TIMES, GCUPS, SPEEDUPS }; // what people see of a point, in its line's column

/* The paper's lines have numbers from ALACHIOTIS_LINES on. */
static void put_point(wl_rows *out, const alachiotis_run *run, const alachiotis_point *p, int shown) {
    static const char *const names[] = {"serial", "simd", "paper_kernel", "last_stage", "Seq", "SSE(4)", "GPU"};
    static const char *const threads_of[] = {"1 thread", "all threads", "GPU", "GPU"};
    static const char *const machines[] = {"1 core", "4 cores", "GPU"}; // the paper's
    const alachiotis_line *line = p->line < ALACHIOTIS_LINES ? &run->lines[p->line] : NULL;
    const alachiotis_point *cpu[2] = {NULL, NULL};
    for (int l = 0; line && l < 2; l++)
        cpu[l] = alachiotis_find(run, p->table, p->sites, p->reads, 0, (alachiotis_line_number)l);
    double threads = line ? 0 : NAN;
    if (line && line->variant->backend == WL_CPU) threads = p->line == ALACHIOTIS_SEQ ? 1 : run->cpu.multiprocessors;
    const int is_last = p->line == ALACHIOTIS_LAST, is_kernel = is_last || p->line == ALACHIOTIS_PAPER;
    const int is_cpu = line && line->variant->backend == WL_CPU;
    const double over_serial = alachiotis_speedup(p, cpu[ALACHIOTIS_SEQ]),
                 over_simd = alachiotis_speedup(p, cpu[ALACHIOTIS_SIMD]);
    char head[96], heads[2][32];
    snprintf(head, sizeof head, "%s\n%s", line ? line->variant->name : "paper",
             line ? threads_of[p->line] : names[p->line]);
    for (int l = 0; l < 2; l++)
        snprintf(heads[l], sizeof *heads, "%.2s over\n%s", line ? line->variant->name : "", l == 0 ? "SIMD" : "serial");
    wl_rows_row(out, WL_TEXT("line", names[p->line]), WL_COUNT("sites", p->sites), WL_COUNT("reads", p->reads),
                WL_COUNT("vectors", p->vectors), WL_TEXT("batch", p->is_filling ? "filling" : "launch"),
                WL_TEXT("variant", line ? line->variant->name : "paper"),
                WL_TEXT("backend", line ? wl_backend_name(line->variant->backend) : "paper"),
                WL_TEXT("device", line ? line->device->name : machines[p->line - ALACHIOTIS_LINES]),
                WL_COUNT("threads", threads), WL_TEXT("check", line ? wl_verdict_line(&p->verdict).text : "paper"),
                WL_TEXT("checked_by", p->verdict.checked_by), WL_COUNT("measured_reads", p->measured_reads),
                WL_COUNT("measured_vectors", p->measured_vectors), WL_NUMBER("measured_share", p->share),
                WL_COUNT("samples", line ? (double)p->samples : NAN), WL_TEXT("limit", p->limit),
                WL_NUMBER("kernel_ms_median", p->ms.median), WL_NUMBER("kernel_ms_q1", p->ms.lower_quartile),
                WL_NUMBER("kernel_ms_q3", p->ms.upper_quartile), WL_NUMBER("total_s", p->total_seconds),
                WL_SHOW_OF(is_cpu, "seconds", shown == TIMES ? head : NULL, p->seconds),
                WL_SHOW_OF(is_cpu, "gcups", shown == GCUPS ? head : NULL, p->gcups),
                WL_NUMBER("computed_gcups", p->computed), WL_NUMBER("printed_gcups", p->printed),
                WL_NUMBER("limit_gcups", p->limit_gcups), WL_NUMBER("joules", p->joules), WL_NUMBER("watts", p->watts),
                WL_NUMBER("work_per_joule", 1e9 * p->gcups * 1e-3 * p->ms.median / p->joules),
                WL_NUMBER("speedup_serial", over_serial),
                WL_SHOW_OF(1, "speedup_simd", shown == SPEEDUPS && is_kernel ? heads[0] : NULL, over_simd),
                WL_SHOW_OF(1, NULL, shown == SPEEDUPS && is_last ? heads[1] : NULL, over_serial));
}

enum { PAPER_LINES = 3 };

static alachiotis_point paper_point(const wl_paper *paper, int table, size_t row, int line) {
    static const char *const columns[PAPER_LINES][2] = {
        {"seq_s", "seq_gcups"}, {"simd_s", "simd_gcups"}, {"gpu_s", "gpu_gcups"}};
    alachiotis_point p = alachiotis_unmeasured;
    alachiotis_dimensions(paper, table, row, &p);
    p.line = (alachiotis_line_number)(ALACHIOTIS_LINES + line);
    p.measured_reads = p.reads;
    p.measured_vectors = p.vectors;
    p.seconds = wl_paper_number(paper, row, columns[line][0]);
    p.gcups = 1e-9 * alachiotis_paper_cells(paper, &p) / p.seconds;
    p.printed = wl_paper_number(paper, row, columns[line][1]);
    return p;
}

static void put_points(wl_rows *out, const alachiotis_run *run, int table) {
    const wl_paper *paper = &run->tables[table - 1];
    for (int l = 0; l < PAPER_LINES; l++) {
        for (size_t row = 0; row < paper->rows; row++) {
            const alachiotis_point p = paper_point(paper, table, row, l);
            put_point(out, run, &p, NOTHING);
        }
    }
    for (int key = 0; key < 2 * ALACHIOTIS_LINES; key++) // a line's points stand together, so that it can be drawn
        for (size_t i = 0; i < run->count; i++) {
            const alachiotis_point *p = &run->points[i];
            if (p->table == table && (int)p->line == key / 2 && p->is_filling == key % 2)
                put_point(out, run, p, NOTHING);
        }
}

/* All that were measured, in one array. */
static void all_points(wl_rows *out, const void *of, int table) {
    const alachiotis_run *run = of;
    (void)table;
    for (size_t i = 0; i < run->count; i++) {
        wl_rows_put(out, WL_COUNT("table", run->points[i].table));
        put_point(out, run, &run->points[i], NOTHING);
    }
}

/* ---- Table 3 ---- */

/* The paper's own numbers of a data set. It says either how long reads are on average or between which lengths they lie: where it has
   these, the mean of the table is derived. Its number of edges is derived, too. */
static alachiotis_system of_paper(const wl_paper *paper, size_t dataset) {
    const double taxa = wl_paper_number(paper, dataset, "taxa"), reads = wl_paper_number(paper, dataset, "reads");
    const double shortest = wl_paper_number(paper, dataset, "shortest");
    return (alachiotis_system){.dataset = dataset,
                               .mode = ALACHIOTIS_MODES,
                               .taxa = (uint32_t)taxa,
                               .sites = (uint32_t)wl_paper_number(paper, dataset, "sites"),
                               .reads = (size_t)reads,
                               .measured_reads = (size_t)reads,
                               .shortest = shortest,
                               .longest = wl_paper_number(paper, dataset, "longest"),
                               .mean = isnan(shortest) ? wl_paper_number(paper, dataset, "mean") : NAN,
                               .prepare_seconds = NAN,
                               .scoring_seconds = NAN,
                               .t_scoring = wl_paper_number(paper, dataset, "t_scoring"),
                               .t_all = wl_paper_number(paper, dataset, "t_all"),
                               .gcups_cpu = wl_paper_number(paper, dataset, "gcups_cpu"),
                               .gcups_gpu = wl_paper_number(paper, dataset, "gcups_gpu"),
                               .gcups = wl_paper_number(paper, dataset, "gcups_all"),
                               .cpu_seconds = NAN};
}

/* A number that people see only where there is one: a CPU alone has no GPU's. */
static double above_0(double number) { return number > 0 ? number : NAN; }

static void put_system(wl_rows *out, const alachiotis_run *run, const alachiotis_system *s) {
    static const char *const modes[] = {"hybrid", "gpus", "one_gpu", "cpu", "paper"};
    const char *dataset = wl_paper_text(&run->tables[2], s->dataset, "dataset");
    const int is_paper = s->mode == ALACHIOTIS_MODES;
    wl_rows_row(out, WL_TEXT("dataset", dataset), WL_SHOW_TEXT(NULL, "data set", is_paper ? dataset : ""),
                WL_TEXT("system_mode", modes[s->mode]), WL_SHOW_TEXT(NULL, "mode", alachiotis_mode_title(s->mode)),
                WL_TEXT("check", is_paper ? "paper" : wl_verdict_line(&s->verdict).text),
                WL_SHOW_TEXT(NULL, "check", is_paper ? "" : wl_verdict_word(&s->verdict)), WL_COUNT("taxa", s->taxa),
                WL_COUNT("edges", above_0((double)s->edges)), WL_COUNT("sites", s->sites), WL_COUNT("reads", s->reads),
                WL_SHOW_COUNT("measured_reads", "reads\nmeasured", s->measured_reads),
                WL_NUMBER("shortest", s->shortest), WL_NUMBER("longest", s->longest), WL_NUMBER("mean", s->mean),
                WL_SHOW("t_scoring", "scoring\ns", s->t_scoring), WL_SHOW("t_all", "all\ns", s->t_all),
                WL_NUMBER("gcups_cpu", s->gcups_cpu), WL_SHOW_OF(!is_paper, NULL, "CPU\nGCUPS", above_0(s->gcups_cpu)),
                WL_NUMBER("gcups_gpu", s->gcups_gpu), WL_SHOW(NULL, "GPU\nGCUPS", above_0(s->gcups_gpu)),
                WL_SHOW("gcups_all", "all\nGCUPS", s->gcups), WL_NUMBER("measured_scoring_s", s->scoring_seconds),
                WL_NUMBER("prepare_s", s->prepare_seconds), WL_NUMBER("cpu_s", s->cpu_seconds),
                WL_SHOW("processors_busy", "processors\nbusy", s->cpu_seconds / s->scoring_seconds),
                WL_NUMBER("of_parts", s->mode == ALACHIOTIS_HYBRID ? alachiotis_of_parts(run, s->dataset) : NAN));
}

static void put_systems(wl_rows *out, const alachiotis_run *run) {
    for (size_t d = 0; d < run->tables[2].rows; d++) {
        const alachiotis_system paper = of_paper(&run->tables[2], d);
        put_system(out, run, &paper);
        for (size_t i = 0; i < run->system_count; i++)
            if (run->systems[i].dataset == d) put_system(out, run, &run->systems[i]);
    }
}

/* ---- accuracy ---- */

static void put_accuracies(wl_rows *out, const alachiotis_run *run) {
    for (size_t i = 0; i < run->accuracy_count; i++) {
        const alachiotis_accuracy *a = &run->accuracies[i];
        wl_rows_row(
            out, WL_COUNT("taxa", a->taxa), WL_COUNT("kept_taxa", a->kept), WL_COUNT("sites", a->sites),
            WL_AS("%g", NULL, "depth", a->depth), WL_AS("%g", NULL, "error", a->error),
            WL_SHOW_WHOLE(NULL, "letters", a->length), WL_SHOW_WHOLE("reads", "reads", a->reads),
            WL_COUNT("read_length", a->length), WL_NUMBER("depth", a->depth), WL_NUMBER("error", a->error),
            WL_COUNT("letters", a->letters), WL_NUMBER("papara_letters", a->papara),
            WL_AS("%.2f", NULL, "PaPaRa\n% letters", 100 * a->papara), WL_NUMBER("closest_letters", a->closest),
            WL_AS("%.2f", NULL, "closest row\n% letters", 100 * a->closest), WL_NUMBER("papara_reads", a->papara_reads),
            WL_AS("%.1f", NULL, "PaPaRa\n% reads", 100 * a->papara_reads), WL_NUMBER("closest_reads", a->closest_reads),
            WL_AS("%.1f", NULL, "closest row\n% reads", 100 * a->closest_reads));
    }
}

/* ---- all ---- */

void alachiotis_rows(wl_rows *out, const void *run, int table) {
    if (table <= 2)
        put_points(out, run, table);
    else if (table == 3)
        put_systems(out, run);
    else
        put_accuracies(out, run);
}

static void all_systems(wl_rows *out, const void *of, int table) {
    const alachiotis_run *run = of;
    (void)table;
    for (size_t i = 0; i < run->system_count; i++) put_system(out, run, &run->systems[i]);
}

static void papers(wl_rows *out, const void *of, int table) {
    const alachiotis_run *run = of;
    for (table = 1; table <= 3; table++) wl_paper_rows(out, &run->tables[table - 1], table);
}

void alachiotis_print_json(FILE *stream, const void *of) {
    const alachiotis_run *run = of;
    fprintf(stream, ", \"seed\": %llu, \"quick\": %s", (unsigned long long)run->seed, run->quick ? "true" : "false");
    wl_rows_json(stream, "points", all_points, run, 0);
    wl_rows_json(stream, "systems", all_systems, run, 0);
    wl_rows_json(stream, "accuracy", alachiotis_rows, run, 4);
    wl_rows_json(stream, "paper", papers, run, 0);
}

/* ---- for people ---- */

/* ---- Tables 1 and 2 ---- */

/* The lines that there are here. A point that is NULL was not measured. */
static void put_lines(wl_rows *out, const alachiotis_run *run, const alachiotis_point *const *points, int shown) {
    for (int l = 0; l < ALACHIOTIS_LINES; l++) {
        alachiotis_point unmeasured = alachiotis_unmeasured;
        unmeasured.line = (alachiotis_line_number)l;
        if (run->lines[l].variant != NULL) put_point(out, run, points[l] ? points[l] : &unmeasured, shown);
    }
}

static void put_row(wl_rows *out, const alachiotis_run *run, int table, size_t row, int is_filling, int shown) {
    const alachiotis_point *points[ALACHIOTIS_LINES], *any = NULL;
    alachiotis_point papers[PAPER_LINES];
    for (int l = 0; l < PAPER_LINES; l++) {
        papers[l] = paper_point(&run->tables[table - 1], table, row, l);
        if (is_filling) papers[l].seconds = papers[l].gcups = NAN;
    }
    for (int l = 0; l < ALACHIOTIS_LINES; l++) {
        points[l] = alachiotis_find(run, table, papers->sites, papers->reads, is_filling, (alachiotis_line_number)l);
        if (points[l] != NULL) any = points[l];
    }
    if (is_filling && any == NULL) return;
    char head[32];
    snprintf(head, sizeof head, "%s\n%s", shown == TIMES ? "seconds" : "GCUPS", table == 1 ? "sites" : "reads");
    wl_rows_line(out, WL_SHOW(NULL, head, table == 1 ? papers->sites : (double)papers->reads),
                 WL_SHOW(NULL, "vectors", any == NULL ? NAN : (double)any->vectors));
    for (int l = 0; l < PAPER_LINES; l++) put_point(out, run, &papers[l], shown);
    if (shown == GCUPS) wl_rows_put(out, WL_SHOW(NULL, "GPU over\nSSE(4)", papers[1].seconds / papers[2].seconds));
    put_lines(out, run, points, shown);
    if (shown == GCUPS) put_lines(out, run, points, SPEEDUPS);
}

static void times(wl_rows *out, const void *of, int table) {
    const alachiotis_run *run = of;
    for (size_t row = 0; row < run->tables[table - 1].rows; row++) put_row(out, run, table, row, 0, TIMES);
}

static void speeds(wl_rows *out, const void *of, int table) {
    const alachiotis_run *run = of;
    for (int is_filling = 0; is_filling <= 1; is_filling++)
        for (size_t row = 0; row < run->tables[table - 1].rows; row++) put_row(out, run, table, row, is_filling, GCUPS);
}

static void print_sweep(FILE *stream, const alachiotis_run *run, int table) {
    const wl_paper *paper = &run->tables[table - 1];
    char rows[64];
    if (table == 1)
        snprintf(rows, sizeof rows, "%s", wl_paper_header(paper, "reads"));
    else
        snprintf(rows, sizeof rows, "%s to %s", wl_paper_text(paper, 0, "reads"),
                 wl_paper_text(paper, paper->rows - 1, "reads"));
    fprintf(stream, "\n%s: %s reads of about %s letters, %s vectors%s%s\n", wl_paper_header(paper, "figure"), rows,
            wl_paper_header(paper, "read_length"), wl_paper_header(paper, "vectors"),
            table == 1 ? "" : ", sites: ", table == 1 ? "" : wl_paper_header(paper, "sites"));
    fputc('\n', stream);
    wl_rows_print(stream, 0, times, run, table);
    fputc('\n', stream);
    wl_rows_print(stream, 0, speeds, run, table);
    int scaled = 0;
    for (size_t i = 0; i < run->count; i++) {
        const alachiotis_point *p = &run->points[i];
        if (p->table != table) continue;
        scaled |= p->share < 1 && p->line != ALACHIOTIS_SEQ;
        if (!wl_passed(&p->verdict))
            fprintf(stream, "%s, %u sites, %zu reads, %zu vectors: %s\n", run->lines[p->line].variant->name, p->sites,
                    p->reads, p->vectors, wl_verdict_line(&p->verdict).text);
    }
    fprintf(
        stream,
        "\nGCUPS count sites x letters. The paper's are derived from its times, because it prints its GPU's for the\n"
        "computed cells only. Here: medians of kernel times%s.\n",
        scaled ? ". Of batches that take many seconds, the first reads are measured and the time\n"
                 "is scaled (measured_reads in the file); the serial code is always measured on a few pairs"
               : "; the serial code's are scaled from a few pairs");
    if (run->gpus.count > 0)
        fprintf(stream, "Rows without the paper's columns: a batch with enough vectors to fill a GPU of today.\n");
}

/* ---- Table 3 ---- */

static void print_systems(FILE *stream, const alachiotis_run *run) {
    const wl_paper *paper = &run->tables[2];
    fprintf(stream, "\n%s: simulated data of these dimensions%s\n\n", wl_paper_header(paper, "figure"),
            run->quick ? ", with fewer taxa and reads (--quick)" : "");
    wl_rows_print(stream, 3, alachiotis_rows, run, 3);
    for (size_t i = 0; i < run->system_count; i++) {
        const alachiotis_system *s = &run->systems[i];
        const char *name = wl_paper_text(paper, s->dataset, "dataset");
        if (!wl_passed(&s->verdict))
            fprintf(stream, "%s, %s: %s\n", name, alachiotis_mode_title(s->mode), wl_verdict_line(&s->verdict).text);
        if (i == 0 || run->systems[i - 1].dataset != s->dataset)
            fprintf(stream, "%s here: %u taxa, %zu edges, %u sites, %zu reads of %.0f letters on average\n", name,
                    s->taxa, s->edges, s->sites, s->reads, s->mean);
        if (s->mode == ALACHIOTIS_HYBRID && isfinite(alachiotis_of_parts(run, s->dataset)))
            fprintf(stream, "%s: the hybrid does %.3g of the sum of its parts\n", name,
                    alachiotis_of_parts(run, s->dataset));
    }
    fprintf(
        stream,
        "\nScoring is the paper's T_scoring, all its T_all without reading files: tree and ancestral vectors, "
        "scoring,\n"
        "alignment. Where fewer reads were measured, both are scaled to all. Processors busy: processor time over the\n"
        "time of the scoring phase; what is above 0 for GPUs alone is what serving and waiting for them costs.\n");
}

/* ---- accuracy ---- */

static void print_accuracy(FILE *stream, const alachiotis_run *run) {
    const alachiotis_accuracy *first = &run->accuracies[0];
    fprintf(
        stream,
        "\nAccuracy: reads of %u simulated taxa, cut from known columns of %u, against the tree and the rows of the "
        "other %u\n\n",
        first->taxa - first->kept, first->sites, first->kept);
    wl_rows_print(stream, 0, alachiotis_rows, run, 4);
    fprintf(stream, "\nPer cent of letters that came back to their column, of those whose column the reference has; of "
                    "reads, all of "
                    "whose\nletters did. Closest row: each read aligned to the one taxon's sequence that it fits best, "
                    "without the tree.\n"
                    "Depth: expected substitutions a site from root to tip. Error: of a read's letters.\n");
}

/* ---- the whole ---- */

void alachiotis_print(FILE *stream, const void *of) {
    const alachiotis_run *run = of;
    fprintf(stream, "%s: PaPaRa, reads against a reference tree\n", wl_paper_header(&run->tables[0], "short"));
    wl_reproduction_print_machines(stream, &run->tables[0], run->machine, run->gpus.count > 0, "its columns are empty");
    for (int table = 1; table <= 2; table++)
        if (run->wanted[table - 1]) print_sweep(stream, run, table);
    if (run->wanted[2]) print_systems(stream, run);
    if (run->wanted[3]) print_accuracy(stream, run);
    fputc('\n', stream);
    alachiotis_print_discussion(stream, run, "");
}

/* ---- header lines of the files ---- */

/* Table 1 to 3, and 4: accuracy. */
void alachiotis_head(FILE *stream, const void *of, int table) {
    const alachiotis_run *run = of;
    static const char *const titles[] = {"reference length", "number of reads", "CPU and GPU together",
                                         "letters that come back to their columns"};
    fprintf(stream, "# title: PaPaRa, %s\n# %s%s\n", titles[table - 1],
            table <= 3 ? "gcups: cells counted as sites x letters of the reads"
                       : "truth: simulated; reads cut from taxa that are in neither the tree nor the alignment",
            table <= 2 ? ", the paper's from its times; printed_gcups is what it prints" : "");
    if (run->quick) fputs("# quick: smaller batches and data sets\n", stream);
    if (table == 1) alachiotis_print_discussion(stream, run, "# discussion: ");
}
