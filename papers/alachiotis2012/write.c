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
    wl_record_text(out, "line", of->line);
    wl_record_count(out, "sites", p->sites);
    wl_record_count(out, "reads", (double)p->reads);
    wl_record_count(out, "vectors", (double)p->vectors);
    wl_record_text(out, "batch", p->is_filling ? "filling" : "launch");
    wl_record_text(out, "variant", of->variant);
    wl_record_text(out, "backend", of->backend);
    wl_record_text(out, "device", of->device);
    wl_record_count(out, "threads", of->threads);
    wl_record_text(out, "check", of->check);
    wl_record_text(out, "checked_by", p->verdict.checked_by);
    wl_record_count(out, "measured_reads", (double)p->measured_reads);
    wl_record_count(out, "measured_vectors", (double)p->measured_vectors);
    wl_record_number(out, "measured_share", p->share);
    wl_record_count(out, "samples", of->samples);
    wl_record_text(out, "limit", p->limit);
    wl_record_number(out, "kernel_ms_median", p->ms.median);
    wl_record_number(out, "kernel_ms_q1", p->ms.lower_quartile);
    wl_record_number(out, "kernel_ms_q3", p->ms.upper_quartile);
    wl_record_number(out, "total_s", p->total_seconds);
    wl_record_number(out, "seconds", p->seconds);
    wl_record_number(out, "gcups", p->gcups);
    wl_record_number(out, "computed_gcups", p->computed);
    wl_record_number(out, "printed_gcups", of->printed);
    wl_record_number(out, "limit_gcups", p->limit_gcups);
    wl_record_number(out, "speedup_serial", of->over_serial);
    wl_record_number(out, "speedup_simd", of->over_simd);
    wl_record_end(out);
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
    wl_record_text(out, "dataset", wl_paper_text(paper, dataset, "dataset"));
    wl_record_text(out, "system_mode", s ? modes[s->mode] : "paper");
    wl_record_text(out, "check", s ? wl_verdict_line(&s->verdict).text : "paper");
    wl_record_count(out, "taxa", taxa);
    wl_record_count(out, "edges", s ? (double)s->edges : 2 * taxa - 3);
    wl_record_count(out, "sites", s ? s->sites : wl_paper_number(paper, dataset, "sites"));
    wl_record_count(out, "reads", reads);
    wl_record_count(out, "measured_reads", s ? (double)s->measured_reads : reads);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        wl_record_number(out, shown[i].name, s ? shown[i].here : wl_paper_number(paper, dataset, shown[i].name));
    wl_record_number(out, "measured_scoring_s", s ? s->scoring_seconds : NAN);
    wl_record_number(out, "prepare_s", s ? s->prepare_seconds : NAN);
    wl_record_number(out, "cpu_s", s ? s->cpu_seconds : NAN);
    wl_record_number(out, "processors_busy", s ? s->cpu_seconds / s->scoring_seconds : NAN);
    wl_record_number(out, "of_parts", s && s->mode == ALACHIOTIS_HYBRID ? alachiotis_of_parts(run, dataset) : NAN);
    wl_record_end(out);
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
        wl_record_count(out, "taxa", a->taxa);
        wl_record_count(out, "kept_taxa", a->kept);
        wl_record_count(out, "sites", a->sites);
        wl_record_count(out, "reads", (double)a->reads);
        wl_record_count(out, "read_length", a->length);
        wl_record_number(out, "depth", a->depth);
        wl_record_number(out, "error", a->error);
        wl_record_count(out, "letters", (double)a->letters);
        wl_record_number(out, "papara_letters", a->papara);
        wl_record_number(out, "closest_letters", a->closest);
        wl_record_number(out, "papara_reads", a->papara_reads);
        wl_record_number(out, "closest_reads", a->closest_reads);
        wl_record_end(out);
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
