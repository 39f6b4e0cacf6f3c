/* The three tables for people: the paper's columns beside this machine's. */
#include <math.h>
#include <string.h>

#include "papers/alachiotis2012/paper.h"
#include "harness/base/grid.h"

static const char *variant_of(const alachiotis_run *run, alachiotis_line_number line) {
    return run->lines[line].variant == NULL ? "-" : run->lines[line].variant->name;
}

/* ---- Tables 1 and 2 ---- */

enum { TIMES, GCUPS };

static double number_of(const alachiotis_point *point, int what) {
    return point == NULL ? NAN : what == TIMES ? point->seconds : point->gcups;
}

/* "05 over\nSIMD" and how many times as fast the line is. */
static void put_speedup(wl_grid *grid, const alachiotis_run *run, alachiotis_line_number line, const char *over,
                        const alachiotis_point *point, const alachiotis_point *cpu) {
    char head[32];
    snprintf(head, sizeof head, "%.2s over\n%s", variant_of(run, line), over);
    wl_grid_number(grid, head, alachiotis_speedup(point, cpu));
}

static void put_row(wl_grid *grid, const alachiotis_run *run, int table, size_t row, int is_filling, int what) {
    const wl_paper *paper = &run->tables[table - 1];
    alachiotis_point of_paper;
    alachiotis_dimensions(paper, table, row, &of_paper);
    const double work = 1e-9 * alachiotis_paper_cells(paper, &of_paper);
    const uint32_t sites = of_paper.sites;
    const size_t reads = of_paper.reads;
    const alachiotis_point *p[ALACHIOTIS_LINES], *cpu[2], *any = NULL;
    for (int l = 0; l < ALACHIOTIS_LINES; l++) {
        p[l] = alachiotis_find(run, table, sites, reads, is_filling, (alachiotis_line_number)l);
        if (p[l] != NULL) any = p[l];
    }
    for (int l = 0; l < 2; l++) cpu[l] = alachiotis_find(run, table, sites, reads, 0, (alachiotis_line_number)l);
    if (is_filling && any == NULL) return;
    char head[96];
    wl_grid_row(grid);
    snprintf(head, sizeof head, "%s\n%s", what == TIMES ? "seconds" : "GCUPS", table == 1 ? "sites" : "reads");
    wl_grid_number(grid, head, table == 1 ? sites : (double)reads);
    wl_grid_number(grid, "vectors", any == NULL ? NAN : (double)any->vectors);
    static const char *const columns[3][2] = {
        {"seq_s", "paper\nSeq"}, {"simd_s", "paper\nSSE(4)"}, {"gpu_s", "paper\nGPU"}};
    double s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = is_filling ? NAN : wl_paper_number(paper, row, columns[i][0]);
        wl_grid_number(grid, columns[i][1], what == TIMES ? s[i] : work / s[i]);
    }
    wl_grid_number(grid, "GPU over\nSSE(4)", what == GCUPS ? s[1] / s[2] : NAN);
    for (int l = 0; l < ALACHIOTIS_LINES; l++) {
        snprintf(head, sizeof head, "%s\n%s", variant_of(run, (alachiotis_line_number)l),
                 l == ALACHIOTIS_SEQ    ? "1 thread"
                 : l == ALACHIOTIS_SIMD ? "all threads"
                                        : "GPU");
        wl_grid_number(grid, head, number_of(p[l], what));
    }
    if (what == TIMES) return;
    put_speedup(grid, run, ALACHIOTIS_PAPER, "SIMD", p[ALACHIOTIS_PAPER], cpu[ALACHIOTIS_SIMD]);
    put_speedup(grid, run, ALACHIOTIS_LAST, "SIMD", p[ALACHIOTIS_LAST], cpu[ALACHIOTIS_SIMD]);
    put_speedup(grid, run, ALACHIOTIS_LAST, "serial", p[ALACHIOTIS_LAST], cpu[ALACHIOTIS_SEQ]);
}

static void print_grid(FILE *stream, const alachiotis_run *run, int table, int what) {
    wl_grid grid = {.left = 0};
    for (int is_filling = 0; is_filling <= (what == GCUPS); is_filling++)
        for (size_t row = 0; row < run->tables[table - 1].row_count; row++)
            put_row(&grid, run, table, row, is_filling, what);
    fputc('\n', stream);
    wl_grid_print(stream, &grid, "");
}

static void print_sweep(FILE *stream, const alachiotis_run *run, int table) {
    const wl_paper *paper = &run->tables[table - 1];
    char rows[64];
    if (table == 1)
        snprintf(rows, sizeof rows, "%s", wl_paper_header(paper, "reads"));
    else
        snprintf(rows, sizeof rows, "%s to %s", wl_paper_text(paper, 0, "reads"),
                 wl_paper_text(paper, paper->row_count - 1, "reads"));
    fprintf(stream, "\n%s: %s reads of about %s letters, %s vectors%s%s\n", wl_paper_header(paper, "figure"), rows,
            wl_paper_header(paper, "read_length"), wl_paper_header(paper, "vectors"),
            table == 1 ? "" : ", sites: ", table == 1 ? "" : wl_paper_header(paper, "sites"));
    print_grid(stream, run, table, TIMES);
    print_grid(stream, run, table, GCUPS);
    int scaled = 0;
    for (size_t i = 0; i < run->count; i++) {
        const alachiotis_point *p = &run->points[i];
        if (p->table != table) continue;
        scaled |= p->share < 1 && p->line != ALACHIOTIS_SEQ;
        if (!wl_passed(&p->verdict))
            fprintf(stream, "%s, %u sites, %zu reads, %zu vectors: %s\n", variant_of(run, p->line), p->sites, p->reads,
                    p->vectors, wl_verdict_line(&p->verdict).text);
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

/* A row of Table 3: the paper's of a data set where `s` is NULL. */
static void put_system(wl_grid *grid, const wl_paper *paper, size_t dataset, const alachiotis_system *s) {
    wl_grid_row(grid);
    wl_grid_put(grid, "data set", "%s", s ? "" : wl_paper_text(paper, dataset, "dataset"));
    wl_grid_put(grid, "mode", "%s", s ? alachiotis_mode_title(s->mode) : "the paper's hybrid");
    wl_grid_put(grid, "check", "%s", s ? wl_verdict_word(&s->verdict) : "");
    wl_grid_number(grid, "reads\nmeasured", s ? (double)s->measured_reads : wl_paper_number(paper, dataset, "reads"));
    wl_grid_number(grid, "scoring\ns", s ? s->t_scoring : wl_paper_number(paper, dataset, "t_scoring"));
    wl_grid_number(grid, "all\ns", s ? s->t_all : wl_paper_number(paper, dataset, "t_all"));
    const double cpu = s ? s->gcups_cpu : wl_paper_number(paper, dataset, "gcups_cpu");
    const double gpu = s ? s->gcups_gpu : wl_paper_number(paper, dataset, "gcups_gpu");
    wl_grid_number(grid, "CPU\nGCUPS", cpu > 0 ? cpu : NAN);
    wl_grid_number(grid, "GPU\nGCUPS", gpu > 0 ? gpu : NAN);
    wl_grid_number(grid, "all\nGCUPS", s ? s->gcups : wl_paper_number(paper, dataset, "gcups_all"));
    wl_grid_number(grid, "processors\nbusy", s ? s->cpu_seconds / s->scoring_seconds : NAN);
}

static void print_systems(FILE *stream, const alachiotis_run *run) {
    const wl_paper *paper = &run->tables[2];
    wl_grid grid = {.left = 3};
    for (size_t d = 0; d < paper->row_count; d++) {
        put_system(&grid, paper, d, NULL);
        for (size_t i = 0; i < run->system_count; i++)
            if (run->systems[i].dataset == d) put_system(&grid, paper, d, &run->systems[i]);
    }
    fprintf(stream, "\n%s: simulated data of these dimensions%s\n\n", wl_paper_header(paper, "figure"),
            run->quick ? ", with fewer taxa and reads (--quick)" : "");
    wl_grid_print(stream, &grid, "");
    for (size_t i = 0; i < run->system_count; i++) {
        const alachiotis_system *s = &run->systems[i];
        const char *name = wl_paper_text(paper, s->dataset, "dataset");
        if (!wl_passed(&s->verdict))
            fprintf(stream, "%s, %s: %s\n", name, alachiotis_mode_title(s->mode), wl_verdict_line(&s->verdict).text);
        if (i == 0 || run->systems[i - 1].dataset != s->dataset)
            fprintf(stream, "%s here: %u taxa, %zu edges, %u sites, %zu reads of %.0f letters on average\n", name,
                    s->taxa, s->edges, s->sites, s->reads, (double)s->letters / (double)s->reads);
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
    wl_grid grid = {.left = 0};
    for (size_t i = 0; i < run->accuracy_count; i++) {
        const alachiotis_accuracy *a = &run->accuracies[i];
        wl_grid_row(&grid);
        wl_grid_put(&grid, "depth", "%g", a->depth);
        wl_grid_put(&grid, "error", "%g", a->error);
        wl_grid_put(&grid, "letters", "%u", a->length);
        wl_grid_put(&grid, "reads", "%zu", a->reads);
        wl_grid_put(&grid, "PaPaRa\n% letters", "%.2f", 100 * a->papara);
        wl_grid_put(&grid, "closest row\n% letters", "%.2f", 100 * a->closest);
        wl_grid_put(&grid, "PaPaRa\n% reads", "%.1f", 100 * a->papara_reads);
        wl_grid_put(&grid, "closest row\n% reads", "%.1f", 100 * a->closest_reads);
    }
    const alachiotis_accuracy *first = &run->accuracies[0];
    fprintf(
        stream,
        "\nAccuracy: reads of %u simulated taxa, cut from known columns of %u, against the tree and the rows of the "
        "other %u\n\n",
        first->taxa - first->kept, first->sites, first->kept);
    wl_grid_print(stream, &grid, "");
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
