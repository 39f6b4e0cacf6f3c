/* The three tables and the accuracy as result files, and all of them as JSON. */
#include <math.h>

#include "papers/alachiotis2012/paper.h"
#include "harness/base/record.h"

/* ---- Tables 1 and 2 ---- */

/* What a row has beside its point. */
typedef struct {
    const char *line, *variant, *backend, *device, *check;
    double threads, samples, printed, over_serial, over_simd;
} point_names;

static void put_point_row(wl_record *out, const alachiotis_point *p, const point_names *of) {
    wl_record_row(
        out, WL_TEXT("line", of->line), WL_COUNT("sites", p->sites), WL_COUNT("reads", p->reads),
        WL_COUNT("vectors", p->vectors), WL_TEXT("batch", p->is_filling ? "filling" : "launch"),
        WL_TEXT("variant", of->variant), WL_TEXT("backend", of->backend), WL_TEXT("device", of->device),
        WL_COUNT("threads", of->threads), WL_TEXT("check", of->check), WL_TEXT("checked_by", p->verdict.checked_by),
        WL_COUNT("measured_reads", p->measured_reads), WL_COUNT("measured_vectors", p->measured_vectors),
        WL_NUMBER("measured_share", p->share), WL_COUNT("samples", of->samples), WL_TEXT("limit", p->limit),
        WL_NUMBER("kernel_ms_median", p->ms.median), WL_NUMBER("kernel_ms_q1", p->ms.lower_quartile),
        WL_NUMBER("kernel_ms_q3", p->ms.upper_quartile), WL_NUMBER("total_s", p->total_seconds),
        WL_NUMBER("seconds", p->seconds), WL_NUMBER("gcups", p->gcups), WL_NUMBER("computed_gcups", p->computed),
        WL_NUMBER("printed_gcups", of->printed), WL_NUMBER("limit_gcups", p->limit_gcups),
        WL_NUMBER("speedup_serial", of->over_serial), WL_NUMBER("speedup_simd", of->over_simd));
}

static void put_paper_points(wl_record *out, const alachiotis_run *run, int table) {
    static const struct {
        const char *key, *name, *device;
    } lines[] = {{"seq", "Seq", "1 core"}, {"simd", "SSE(4)", "4 cores"}, {"gpu", "GPU", "GPU"}};
    const wl_paper *paper = &run->tables[table - 1];
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        for (size_t row = 0; row < paper->row_count; row++) {
            alachiotis_point p = alachiotis_unmeasured;
            char key[32];
            alachiotis_dimensions(paper, table, row, &p);
            p.measured_reads = p.reads;
            p.measured_vectors = p.vectors;
            snprintf(key, sizeof key, "%s_s", lines[l].key);
            p.seconds = wl_paper_number(paper, row, key);
            p.gcups = 1e-9 * alachiotis_paper_cells(paper, &p) / p.seconds;
            snprintf(key, sizeof key, "%s_gcups", lines[l].key);
            const point_names of_paper = {lines[l].name, "paper", "paper", lines[l].device,
                                          "paper",       NAN,     NAN,     wl_paper_number(paper, row, key),
                                          NAN,           NAN};
            put_point_row(out, &p, &of_paper);
        }
    }
}

static void put_point(wl_record *out, const alachiotis_run *run, const alachiotis_point *p) {
    static const char *const names[ALACHIOTIS_LINES] = {"serial", "simd", "paper_kernel", "last_stage"};
    const alachiotis_line *line = &run->lines[p->line];
    const wl_verdict_text check = wl_verdict_line(&p->verdict);
    const point_names of = {
        .line = names[p->line],
        .variant = line->variant->name,
        .backend = wl_backend_name(line->variant->backend),
        .device = line->device->name,
        .check = check.text,
        .threads = line->variant->backend != WL_CPU ? 0
                   : p->line == ALACHIOTIS_SEQ      ? 1
                                                    : run->cpu.multiprocessors,
        .samples = (double)p->samples,
        .printed = NAN,
        .over_serial = alachiotis_speedup(p, alachiotis_find(run, p->table, p->sites, p->reads, 0, ALACHIOTIS_SEQ)),
        .over_simd = alachiotis_speedup(p, alachiotis_find(run, p->table, p->sites, p->reads, 0, ALACHIOTIS_SIMD))};
    put_point_row(out, p, &of);
}

static void put_points(wl_record *out, const alachiotis_run *run, int table) {
    put_paper_points(out, run, table);
    for (int key = 0; key < 2 * ALACHIOTIS_LINES; key++) /* a line's points stand together, so that it can be drawn */
        for (size_t i = 0; i < run->count; i++) {
            const alachiotis_point *p = &run->points[i];
            if (p->table == table && (int)p->line == key / 2 && p->is_filling == key % 2) put_point(out, run, p);
        }
}

/* ---- Table 3 ---- */

/* s: NULL for the paper's own numbers. */
static void put_system(wl_record *out, const alachiotis_run *run, size_t dataset, const alachiotis_system *s) {
    static const char *const modes[ALACHIOTIS_MODES] = {"hybrid", "gpus", "one_gpu", "cpu"};
    const wl_paper *paper = &run->tables[2];
    const double taxa = s ? s->taxa : wl_paper_number(paper, dataset, "taxa");
    const double reads = s ? (double)s->reads : wl_paper_number(paper, dataset, "reads");
    const struct {
        const char *name;
        double here;
    } shown[] = {{"shortest", s ? s->shortest : NAN},
                 {"longest", s ? s->longest : NAN},
                 {"mean", s ? (double)s->letters / reads : NAN},
                 {"t_scoring", s ? s->t_scoring : NAN},
                 {"t_all", s ? s->t_all : NAN},
                 {"gcups_cpu", s ? s->gcups_cpu : NAN},
                 {"gcups_gpu", s ? s->gcups_gpu : NAN},
                 {"gcups_all", s ? s->gcups : NAN}};
    wl_record_put(out, WL_TEXT("dataset", wl_paper_text(paper, dataset, "dataset")),
                  WL_TEXT("system_mode", s ? modes[s->mode] : "paper"),
                  WL_TEXT("check", s ? wl_verdict_line(&s->verdict).text : "paper"), WL_COUNT("taxa", taxa),
                  WL_COUNT("edges", s ? (double)s->edges : 2 * taxa - 3),
                  WL_COUNT("sites", s ? s->sites : wl_paper_number(paper, dataset, "sites")), WL_COUNT("reads", reads),
                  WL_COUNT("measured_reads", s ? (double)s->measured_reads : reads));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        wl_record_number(out, shown[i].name, s ? shown[i].here : wl_paper_number(paper, dataset, shown[i].name));
    wl_record_row(out, WL_NUMBER("measured_scoring_s", s ? s->scoring_seconds : NAN),
                  WL_NUMBER("prepare_s", s ? s->prepare_seconds : NAN), WL_NUMBER("cpu_s", s ? s->cpu_seconds : NAN),
                  WL_NUMBER("processors_busy", s ? s->cpu_seconds / s->scoring_seconds : NAN),
                  WL_NUMBER("of_parts", s && s->mode == ALACHIOTIS_HYBRID ? alachiotis_of_parts(run, dataset) : NAN));
}

static void put_systems(wl_record *out, const alachiotis_run *run) {
    for (size_t d = 0; d < run->tables[2].row_count; d++) {
        put_system(out, run, d, NULL);
        for (size_t i = 0; i < run->system_count; i++)
            if (run->systems[i].dataset == d) put_system(out, run, d, &run->systems[i]);
    }
}

/* ---- accuracy ---- */

static void put_accuracies(wl_record *out, const alachiotis_run *run) {
    for (size_t i = 0; i < run->accuracy_count; i++) {
        const alachiotis_accuracy *a = &run->accuracies[i];
        wl_record_row(out, WL_COUNT("taxa", a->taxa), WL_COUNT("kept_taxa", a->kept), WL_COUNT("sites", a->sites),
                      WL_COUNT("reads", a->reads), WL_COUNT("read_length", a->length), WL_NUMBER("depth", a->depth),
                      WL_NUMBER("error", a->error), WL_COUNT("letters", a->letters),
                      WL_NUMBER("papara_letters", a->papara), WL_NUMBER("closest_letters", a->closest),
                      WL_NUMBER("papara_reads", a->papara_reads), WL_NUMBER("closest_reads", a->closest_reads));
    }
}

/* ---- files and JSON ---- */

/* Table 1 to 3, and 4: accuracy. */
static void put_table(FILE *stream, const alachiotis_run *run, int table) {
    static const char *const titles[] = {"reference length", "number of reads", "CPU and GPU together",
                                         "letters that come back to their columns"};
    fprintf(stream, "# title: PaPaRa, %s\n# %s%s\n", titles[table - 1],
            table <= 3 ? "gcups: cells counted as sites x letters of the reads"
                       : "truth: simulated; reads cut from taxa that are in neither the tree nor the alignment",
            table <= 2 ? ", the paper's from its times; printed_gcups is what it prints" : "");
    if (run->quick) fputs("# quick: smaller batches and data sets\n", stream);
    if (table == 1) alachiotis_print_discussion(stream, run, "# discussion: ");
    wl_record out = wl_record_begin(stream, 0);
    if (table <= 2)
        put_points(&out, run, table);
    else if (table == 3)
        put_systems(&out, run);
    else
        put_accuracies(&out, run);
}

void alachiotis_put_table1(FILE *stream, const void *run) { put_table(stream, run, 1); }
void alachiotis_put_table2(FILE *stream, const void *run) { put_table(stream, run, 2); }
void alachiotis_put_table3(FILE *stream, const void *run) { put_table(stream, run, 3); }
void alachiotis_put_accuracy(FILE *stream, const void *run) { put_table(stream, run, 4); }

void alachiotis_print_json(FILE *stream, const void *of) {
    const alachiotis_run *run = of;
    fprintf(stream, ", \"seed\": %llu, \"quick\": %s, \"points\": [", (unsigned long long)run->seed,
            run->quick ? "true" : "false");
    wl_record points = wl_record_begin(stream, 1), systems = points, accuracies = points, papers = points;
    for (size_t i = 0; i < run->count; i++) {
        wl_record_count(&points, "table", run->points[i].table);
        put_point(&points, run, &run->points[i]);
    }
    fputs("\n], \"systems\": [", stream);
    for (size_t i = 0; i < run->system_count; i++) put_system(&systems, run, run->systems[i].dataset, &run->systems[i]);
    fputs("\n], \"accuracy\": [", stream);
    put_accuracies(&accuracies, run);
    fputs("\n], \"paper\": [", stream);
    for (int table = 0; table < 3; table++) wl_paper_put(&papers, &run->tables[table], table + 1);
    fputs("\n]}\n", stream);
}
