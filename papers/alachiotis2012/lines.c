/* Who takes part in Tables 1 and 2, and the points of one line beside those of another. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "papers/alachiotis2012/paper.h"

static int is_papara(const alachiotis_run *run, const wl_variant *variant, wl_backend backend) {
    return variant->backend == backend && strcmp(variant->problem, run->problem->name) == 0;
}

void alachiotis_choose_lines(alachiotis_run *run) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    const char *paper = wl_paper_header(&run->tables[0], "variant");
    for (size_t v = 0; v < count; v++) { /* sorted by name: the last stage comes last */
        const wl_variant *variant = variants[v];
        alachiotis_line cpu = {variant, &run->cpu}, gpu = {variant, &run->gpus.items[0]};
        if (is_papara(run, variant, WL_CPU)) {
            if (strcmp(variant->name, run->problem->serial_baseline) == 0) run->lines[ALACHIOTIS_SEQ] = cpu;
            if (variant->launch_slices == NULL) run->lines[ALACHIOTIS_SIMD] = cpu;
        }
        if (run->gpus.count == 0 || !is_papara(run, variant, WL_GPU)) continue;
        if (strcmp(variant->name, paper) == 0) run->lines[ALACHIOTIS_PAPER] = gpu;
        if (isdigit((unsigned char)variant->name[0])) run->lines[ALACHIOTIS_LAST] = gpu;
    }
}

const alachiotis_point alachiotis_unmeasured = {.share = 1,
                                                .ms = {NAN, NAN, NAN, NAN, NAN},
                                                .total_seconds = NAN,
                                                .seconds = NAN,
                                                .gcups = NAN,
                                                .computed = NAN,
                                                .limit_gcups = NAN};

void alachiotis_dimensions(const wl_paper *paper, int table, size_t row, alachiotis_point *point) {
    const double sites = table == 1 ? wl_paper_number(paper, row, "sites") : wl_paper_header_number(paper, "sites");
    const double reads = table == 1 ? wl_paper_header_number(paper, "reads") : wl_paper_number(paper, row, "reads");
    point->table = table;
    point->sites = (uint32_t)sites;
    point->reads = (size_t)reads;
    point->vectors = (size_t)wl_paper_header_number(paper, "vectors");
}

double alachiotis_paper_cells(const wl_paper *paper, const alachiotis_point *point) {
    return (double)point->sites * (double)point->reads * (double)point->vectors *
           wl_paper_header_number(paper, "read_length");
}

const alachiotis_point *alachiotis_find(const alachiotis_run *run, int table, uint32_t sites, size_t reads,
                                        int is_filling, alachiotis_line_number line) {
    for (size_t i = 0; i < run->count; i++) {
        const alachiotis_point *p = &run->points[i];
        if (p->table == table && p->sites == sites && p->reads == reads && p->is_filling == is_filling &&
            p->line == line)
            return p;
    }
    return NULL;
}

double alachiotis_speedup(const alachiotis_point *point, const alachiotis_point *cpu) {
    if (point == NULL || cpu == NULL || point == cpu) return NAN;
    return point->gcups / cpu->gcups * cpu->ms.lower_quartile / cpu->ms.median;
}
