/* The three tables and the accuracy as result files. */
#include <math.h>

#include "papers/alachiotis2012/paper.h"
#include "harness/base/json.h"
#include "harness/bench/results.h"
#include "harness/base/outfile.h"

static void put_all(FILE *stream, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) wl_put_number(stream, "\t", numbers[i], "NA");
    fputc('\n', stream);
}

/* The discussion, each line of it a line of the header. */
static void put_discussion(FILE *stream, const alachiotis_run *run) {
    alachiotis_print_discussion(stream, run, "# discussion: ");
}

/* ---- Tables 1 and 2 ---- */

static void put_paper_rows(FILE *stream, const alachiotis_run *run, int table) {
    static const char *const lines[] = {"seq", "simd", "gpu"};
    static const char *const names[] = {"Seq", "SSE(4)", "GPU"};
    const wl_paper *paper = &run->tables[table - 1];
    for (size_t l = 0; l < 3; l++) {
        for (size_t row = 0; row < paper->row_count; row++) {
            double sites = table == 1 ? wl_paper_number(paper, row, "sites") : wl_paper_header_number(paper, "sites");
            double reads = table == 1 ? wl_paper_header_number(paper, "reads") : wl_paper_number(paper, row, "reads");
            double vectors = wl_paper_header_number(paper, "vectors");
            char key[32];
            snprintf(key, sizeof key, "%s_s", lines[l]);
            double seconds = wl_paper_number(paper, row, key);
            double cells = sites * reads * vectors * wl_paper_header_number(paper, "read_length");
            snprintf(key, sizeof key, "%s_gcups", lines[l]);
            fprintf(stream,
                    "\"%s\"\t%.0f\t%.0f\t%.0f\t\"launch\"\t\"paper\"\t\"paper\"\t\"%s\"\tNA\t\"paper\"\t\"\"\t%.0f\t%."
                    "0f\t1\tNA",
                    names[l], sites, reads, vectors,
                    l == 0   ? "1 core"
                    : l == 1 ? "4 cores"
                             : "GPU",
                    reads, vectors);
            const double numbers[] = {
                NAN, NAN, NAN, NAN, seconds, 1e-9 * cells / seconds, NAN, wl_paper_number(paper, row, key),
                NAN, NAN, NAN};
            fputs("\t\"\"", stream);
            put_all(stream, numbers, sizeof numbers / sizeof *numbers);
        }
    }
}

static void put_points(FILE *stream, const alachiotis_run *run, int table) {
    static const char *const lines[ALACHIOTIS_LINES] = {"serial", "simd", "paper_kernel", "last_stage"};
    fputs("line\tsites\treads\tvectors\tbatch\tvariant\tbackend\tdevice\tthreads\tcheck\tchecked_by\tmeasured_reads\t"
          "measured_vectors\tmeasured_share\tsamples\tlimit\tkernel_ms_median\tkernel_ms_q1\tkernel_ms_q3\ttotal_"
          "s\tseconds\t"
          "gcups\tcomputed_gcups\tprinted_gcups\tlimit_gcups\tspeedup_serial\tspeedup_simd\n",
          stream);
    put_paper_rows(stream, run, table);
    for (int key = 0; key < 2 * ALACHIOTIS_LINES; key++) { /* a line's points stand together, so that it can be drawn */
        for (size_t i = 0; i < run->count; i++) {
            const alachiotis_point *p = &run->points[i];
            if (p->table != table || (int)p->line != key / 2 || p->is_filling != key % 2) continue;
            const alachiotis_line *line = &run->lines[p->line];
            int threads = line->variant->backend != WL_CPU ? 0
                          : p->line == ALACHIOTIS_SEQ      ? 1
                                                           : run->cpu.multiprocessors;
            const alachiotis_point *seq = alachiotis_find(run, table, p->sites, p->reads, 0, ALACHIOTIS_SEQ);
            const alachiotis_point *simd = alachiotis_find(run, table, p->sites, p->reads, 0, ALACHIOTIS_SIMD);
            fprintf(
                stream,
                "\"%s\"\t%u\t%zu\t%zu\t\"%s\"\t\"%s\"\t\"%s\"\t\"%s\"\t%d\t\"%s\"\t\"%s\"\t%zu\t%zu\t%.6g\t%zu\t\"%s\"",
                lines[p->line], p->sites, p->reads, p->vectors, p->is_filling ? "filling" : "launch",
                line->variant->name, wl_backend_name(line->variant->backend), line->device->name, threads,
                wl_verdict_line(&p->verdict).text, p->verdict.checked_by, p->measured_reads, p->measured_vectors,
                p->share, p->samples, p->limit);
            const double numbers[] = {p->ms.median,
                                      p->ms.lower_quartile,
                                      p->ms.upper_quartile,
                                      p->total_seconds,
                                      p->seconds,
                                      p->gcups,
                                      p->computed,
                                      NAN,
                                      p->limit_gcups,
                                      alachiotis_speedup(p, seq),
                                      alachiotis_speedup(p, simd)};
            put_all(stream, numbers, sizeof numbers / sizeof *numbers);
        }
    }
}

/* ---- Table 3 ---- */

static void put_systems(FILE *stream, const alachiotis_run *run) {
    static const char *const modes[ALACHIOTIS_MODES] = {"hybrid", "gpus", "one_gpu", "cpu"};
    const wl_paper *paper = &run->tables[2];
    fputs("dataset\tsystem_mode\tcheck\ttaxa\tedges\tsites\treads\tmeasured_reads\tshortest\tlongest\tmean\tt_"
          "scoring\tt_all\t"
          "gcups_cpu\tgcups_gpu\tgcups_all\tmeasured_scoring_s\tprepare_s\tcpu_s\tprocessors_busy\tof_parts\n",
          stream);
    for (size_t d = 0; d < paper->row_count; d++) {
        static const char *const columns[] = {"shortest", "longest",   "mean",      "t_scoring",
                                              "t_all",    "gcups_cpu", "gcups_gpu", "gcups_all"};
        double taxa = wl_paper_number(paper, d, "taxa"), reads = wl_paper_number(paper, d, "reads");
        fprintf(stream, "\"%s\"\t\"paper\"\t\"paper\"\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f",
                wl_paper_text(paper, d, "dataset"), taxa, 2 * taxa - 3, wl_paper_number(paper, d, "sites"), reads,
                reads);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            wl_put_number(stream, "\t", wl_paper_number(paper, d, columns[c]), "NA");
        fputs("\tNA\tNA\tNA\tNA\tNA\n", stream);
        for (size_t i = 0; i < run->system_count; i++) {
            const alachiotis_system *s = &run->systems[i];
            if (s->dataset != d) continue;
            fprintf(stream, "\"%s\"\t\"%s\"\t\"%s\"\t%u\t%zu\t%u\t%zu\t%zu\t%u\t%u", wl_paper_text(paper, d, "dataset"),
                    modes[s->mode], wl_verdict_line(&s->verdict).text, s->taxa, s->edges, s->sites, s->reads,
                    s->measured_reads, s->shortest, s->longest);
            const double numbers[] = {(double)s->letters / (double)s->reads,
                                      s->t_scoring,
                                      s->t_all,
                                      s->gcups_cpu,
                                      s->gcups_gpu,
                                      s->gcups,
                                      s->scoring_seconds,
                                      s->prepare_seconds,
                                      s->cpu_seconds,
                                      s->cpu_seconds / s->scoring_seconds,
                                      s->mode == ALACHIOTIS_HYBRID ? alachiotis_of_parts(run, d) : NAN};
            put_all(stream, numbers, sizeof numbers / sizeof *numbers);
        }
    }
}

/* ---- accuracy ---- */

static void put_accuracies(FILE *stream, const alachiotis_run *run) {
    fputs("taxa\tkept_taxa\tsites\treads\tread_length\tdepth\terror\tletters\tpapara_letters\tclosest_letters\tpapara_"
          "reads\t"
          "closest_reads\n",
          stream);
    for (size_t i = 0; i < run->accuracy_count; i++) {
        const alachiotis_accuracy *a = &run->accuracies[i];
        fprintf(stream, "%u\t%u\t%u\t%zu\t%u\t%g\t%g\t%llu", a->taxa, a->kept, a->sites, a->reads, a->length, a->depth,
                a->error, (unsigned long long)a->letters);
        const double numbers[] = {a->papara, a->closest, a->papara_reads, a->closest_reads};
        put_all(stream, numbers, sizeof numbers / sizeof *numbers);
    }
}

/* ---- a file ---- */

wl_status alachiotis_write(const char *path, int table, const alachiotis_run *run, const char *command) {
    wl_outfile file;
    wl_status status = wl_outfile_open(path, &file);
    if (status != WL_OK) return status;
    FILE *stream = file.stream;
    const wl_paper *paper = &run->tables[table <= 3 ? table - 1 : 0];
    wl_results_header(stream, command, run->seed);
    fprintf(stream, "# machine: %s\n", run->machine);
    if (table <= 3) {
        fprintf(stream, "# title: PaPaRa, %s\n# paper: %s, %s\n# paper_machine: %s\n",
                table == 1   ? "reference length"
                : table == 2 ? "number of reads"
                             : "CPU and GPU together",
                wl_paper_header(paper, "short"), wl_paper_header(paper, "figure"),
                wl_paper_header(paper, "short_machine"));
        fprintf(stream, "# gcups: cells counted as sites x letters of the reads%s\n",
                table <= 2 ? ", the paper's from its times; printed_gcups is what it prints" : "");
    } else {
        fprintf(stream, "# title: PaPaRa, letters that come back to their columns\n"
                        "# truth: simulated; reads cut from taxa that are in neither the tree nor the alignment\n");
    }
    if (run->quick) fputs("# quick: smaller batches and data sets\n", stream);
    if (table == 1) put_discussion(stream, run);
    if (table <= 2)
        put_points(stream, run, table);
    else if (table == 3)
        put_systems(stream, run);
    else
        put_accuracies(stream, run);
    status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    return status;
}
