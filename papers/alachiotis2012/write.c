/* The three tables and the accuracy as result files, and all of them as JSON. */
#include <math.h>

#include "papers/alachiotis2012/paper.h"
#include "harness/base/json.h"
#include "harness/base/record.h"

/* ---- Tables 1 and 2 ---- */

typedef struct {
    const char *line, *batch, *variant, *backend, *device, *check, *checked_by, *limit;
    double sites, reads, vectors, threads, measured_reads, measured_vectors, share, samples;
    wl_summary ms;
    double total_seconds, seconds, gcups, computed, printed, limit_gcups, over_serial, over_simd;
} point_row;

static void put_point_row(wl_record *out, const point_row *p) {
    wl_record_text(out, "line", p->line);
    wl_record_count(out, "sites", p->sites);
    wl_record_count(out, "reads", p->reads);
    wl_record_count(out, "vectors", p->vectors);
    wl_record_text(out, "batch", p->batch);
    wl_record_text(out, "variant", p->variant);
    wl_record_text(out, "backend", p->backend);
    wl_record_text(out, "device", p->device);
    wl_record_count(out, "threads", p->threads);
    wl_record_text(out, "check", p->check);
    wl_record_text(out, "checked_by", p->checked_by);
    wl_record_count(out, "measured_reads", p->measured_reads);
    wl_record_count(out, "measured_vectors", p->measured_vectors);
    wl_record_number(out, "measured_share", p->share);
    wl_record_count(out, "samples", p->samples);
    wl_record_text(out, "limit", p->limit);
    wl_record_number(out, "kernel_ms_median", p->ms.median);
    wl_record_number(out, "kernel_ms_q1", p->ms.lower_quartile);
    wl_record_number(out, "kernel_ms_q3", p->ms.upper_quartile);
    wl_record_number(out, "total_s", p->total_seconds);
    wl_record_number(out, "seconds", p->seconds);
    wl_record_number(out, "gcups", p->gcups);
    wl_record_number(out, "computed_gcups", p->computed);
    wl_record_number(out, "printed_gcups", p->printed);
    wl_record_number(out, "limit_gcups", p->limit_gcups);
    wl_record_number(out, "speedup_serial", p->over_serial);
    wl_record_number(out, "speedup_simd", p->over_simd);
    wl_record_end(out);
}

static void put_paper_points(wl_record *out, const alachiotis_run *run, int table) {
    static const struct {
        const char *key, *name, *device;
    } lines[] = {{"seq", "Seq", "1 core"}, {"simd", "SSE(4)", "4 cores"}, {"gpu", "GPU", "GPU"}};
    const wl_paper *paper = &run->tables[table - 1];
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        for (size_t row = 0; row < paper->row_count; row++) {
            const double sites =
                table == 1 ? wl_paper_number(paper, row, "sites") : wl_paper_header_number(paper, "sites");
            const double reads =
                table == 1 ? wl_paper_header_number(paper, "reads") : wl_paper_number(paper, row, "reads");
            const double vectors = wl_paper_header_number(paper, "vectors");
            char key[32];
            snprintf(key, sizeof key, "%s_s", lines[l].key);
            const double seconds = wl_paper_number(paper, row, key);
            const double cells = sites * reads * vectors * wl_paper_header_number(paper, "read_length");
            snprintf(key, sizeof key, "%s_gcups", lines[l].key);
            const point_row of_paper = {.line = lines[l].name,
                                        .batch = "launch",
                                        .variant = "paper",
                                        .backend = "paper",
                                        .device = lines[l].device,
                                        .check = "paper",
                                        .checked_by = "",
                                        .limit = "",
                                        .sites = sites,
                                        .reads = reads,
                                        .vectors = vectors,
                                        .threads = NAN,
                                        .measured_reads = reads,
                                        .measured_vectors = vectors,
                                        .share = 1,
                                        .samples = NAN,
                                        .ms = {NAN, NAN, NAN, NAN, NAN},
                                        .total_seconds = NAN,
                                        .seconds = seconds,
                                        .gcups = 1e-9 * cells / seconds,
                                        .computed = NAN,
                                        .printed = wl_paper_number(paper, row, key),
                                        .limit_gcups = NAN,
                                        .over_serial = NAN,
                                        .over_simd = NAN};
            put_point_row(out, &of_paper);
        }
    }
}

static void put_point(wl_record *out, const alachiotis_run *run, const alachiotis_point *p) {
    static const char *const names[ALACHIOTIS_LINES] = {"serial", "simd", "paper_kernel", "last_stage"};
    const alachiotis_line *line = &run->lines[p->line];
    const int cpu = line->variant->backend == WL_CPU;
    const wl_verdict_text check = wl_verdict_line(&p->verdict);
    const point_row row = {
        .line = names[p->line],
        .batch = p->is_filling ? "filling" : "launch",
        .variant = line->variant->name,
        .backend = wl_backend_name(line->variant->backend),
        .device = line->device->name,
        .check = check.text,
        .checked_by = p->verdict.checked_by,
        .limit = p->limit,
        .sites = p->sites,
        .reads = (double)p->reads,
        .vectors = (double)p->vectors,
        .threads = !cpu                        ? 0
                   : p->line == ALACHIOTIS_SEQ ? 1
                                               : run->cpu.multiprocessors,
        .measured_reads = (double)p->measured_reads,
        .measured_vectors = (double)p->measured_vectors,
        .share = p->share,
        .samples = (double)p->samples,
        .ms = p->ms,
        .total_seconds = p->total_seconds,
        .seconds = p->seconds,
        .gcups = p->gcups,
        .computed = p->computed,
        .printed = NAN,
        .limit_gcups = p->limit_gcups,
        .over_serial = alachiotis_speedup(p, alachiotis_find(run, p->table, p->sites, p->reads, 0, ALACHIOTIS_SEQ)),
        .over_simd = alachiotis_speedup(p, alachiotis_find(run, p->table, p->sites, p->reads, 0, ALACHIOTIS_SIMD))};
    put_point_row(out, &row);
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

wl_status alachiotis_write(const char *path, int table, const alachiotis_run *run, const char *command) {
    static const char *const titles[] = {"reference length", "number of reads", "CPU and GPU together",
                                         "letters that come back to their columns"};
    wl_outfile file;
    wl_status status =
        wl_reproduction_open(path, command, run->seed, &run->tables[table <= 3 ? table - 1 : 0], run->machine, &file);
    if (status != WL_OK) return status;
    fprintf(file.stream, "# title: PaPaRa, %s\n# %s%s\n", titles[table - 1],
            table <= 3 ? "gcups: cells counted as sites x letters of the reads"
                       : "truth: simulated; reads cut from taxa that are in neither the tree nor the alignment",
            table <= 2 ? ", the paper's from its times; printed_gcups is what it prints" : "");
    if (run->quick) fputs("# quick: smaller batches and data sets\n", file.stream);
    if (table == 1) alachiotis_print_discussion(file.stream, run, "# discussion: ");
    wl_record out = wl_record_begin(file.stream, 0);
    if (table <= 2)
        put_points(&out, run, table);
    else if (table == 3)
        put_systems(&out, run);
    else
        put_accuracies(&out, run);
    return wl_outfile_commit(&file);
}

void alachiotis_print_json(FILE *stream, const alachiotis_run *run) {
    wl_put_text(stream, "{\"reproduction\": \"alachiotis2012\", \"machine\": ", run->machine);
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
