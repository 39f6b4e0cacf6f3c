/* The three tables, the accuracy and the paper's numbers as JSON. */
#include <string.h>

#include "papers/alachiotis2012/paper.h"
#include "harness/base/json.h"

static void put_point(FILE *stream, const alachiotis_run *run, const alachiotis_point *p) {
    fprintf(stream, "{\"table\": %d, \"batch\": \"%s\", \"sites\": %u, \"reads\": %zu, \"vectors\": %zu, ", p->table,
            p->is_filling ? "filling" : "launch", p->sites, p->reads, p->vectors);
    wl_put_text(stream, "\"variant\": ", run->lines[p->line].variant->name);
    fprintf(stream, ", \"backend\": \"%s\", ", wl_backend_name(run->lines[p->line].variant->backend));
    wl_put_text(stream, "\"check\": ", wl_verdict_line(&p->verdict).text);
    fprintf(stream, ", \"measured_reads\": %zu, \"measured_vectors\": %zu", p->measured_reads, p->measured_vectors);
    wl_put_number(stream, ", \"measured_share\": ", p->share, "null");
    wl_put_number(stream, ", \"kernel_ms_median\": ", p->ms.median, "null");
    wl_put_number(stream, ", \"seconds\": ", p->seconds, "null");
    wl_put_number(stream, ", \"gcups\": ", p->gcups, "null");
    wl_put_number(stream, ", \"computed_gcups\": ", p->computed, "null");
    wl_put_number(stream, ", \"limit_gcups\": ", p->limit_gcups, "null");
    fputc('}', stream);
}

static void put_system(FILE *stream, const alachiotis_run *run, const alachiotis_system *s) {
    wl_put_text(stream, "{\"dataset\": ", wl_paper_text(&run->tables[2], s->dataset, "dataset"));
    wl_put_text(stream, ", \"mode\": ", alachiotis_mode_title(s->mode));
    wl_put_text(stream, ", \"check\": ", wl_verdict_line(&s->verdict).text);
    fprintf(stream, ", \"taxa\": %u, \"edges\": %zu, \"sites\": %u, \"reads\": %zu, \"measured_reads\": %zu", s->taxa,
            s->edges, s->sites, s->reads, s->measured_reads);
    wl_put_number(stream, ", \"t_scoring\": ", s->t_scoring, "null");
    wl_put_number(stream, ", \"t_all\": ", s->t_all, "null");
    wl_put_number(stream, ", \"gcups_cpu\": ", s->gcups_cpu, "null");
    wl_put_number(stream, ", \"gcups_gpu\": ", s->gcups_gpu, "null");
    wl_put_number(stream, ", \"gcups_all\": ", s->gcups, "null");
    wl_put_number(stream, ", \"cpu_s\": ", s->cpu_seconds, "null");
    fputc('}', stream);
}

static void put_accuracy(FILE *stream, const alachiotis_accuracy *a) {
    fprintf(stream, "{\"depth\": %g, \"error\": %g, \"read_length\": %u, \"reads\": %zu", a->depth, a->error, a->length,
            a->reads);
    wl_put_number(stream, ", \"papara_letters\": ", a->papara, "null");
    wl_put_number(stream, ", \"closest_letters\": ", a->closest, "null");
    fputc('}', stream);
}

static void put_paper_tables(FILE *stream, const alachiotis_run *run) {
    for (int table = 0; table < 3; table++) {
        const wl_paper *paper = &run->tables[table];
        for (size_t row = 0; row < paper->row_count; row++) {
            fprintf(stream, "%s\n  {\"table\": %d", table + row > 0 ? "," : "", table + 1);
            for (size_t c = 0; c < paper->column_count; c++) {
                const char *text = wl_paper_text(paper, row, paper->columns[c]);
                fputs(", ", stream);
                if (strcmp(paper->columns[c], "dataset") == 0) {
                    wl_put_text(stream, "\"dataset\": ", text);
                } else {
                    fprintf(stream, "\"%s\"", paper->columns[c]);
                    wl_put_number(stream, ": ", wl_paper_number(paper, row, paper->columns[c]), "null");
                }
            }
            fputc('}', stream);
        }
    }
}

void alachiotis_print_json(FILE *stream, const alachiotis_run *run) {
    fputs("{\"reproduction\": \"alachiotis2012\", ", stream);
    wl_put_text(stream, "\"machine\": ", run->machine);
    fprintf(stream, ", \"seed\": %llu, \"quick\": %s, \"points\": [", (unsigned long long)run->seed,
            run->quick ? "true" : "false");
    for (size_t i = 0; i < run->count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        put_point(stream, run, &run->points[i]);
    }
    fputs("\n], \"systems\": [", stream);
    for (size_t i = 0; i < run->system_count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        put_system(stream, run, &run->systems[i]);
    }
    fputs("\n], \"accuracy\": [", stream);
    for (size_t i = 0; i < run->accuracy_count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        put_accuracy(stream, &run->accuracies[i]);
    }
    fputs("\n], \"paper\": [", stream);
    put_paper_tables(stream, run);
    fputs("\n]}\n", stream);
}
