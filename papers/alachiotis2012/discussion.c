/* The discussion the paper began, a GPU against an equally tuned CPU, with numbers: each against its own limit, both against each
   other, then and now. */
#include <math.h>
#include <stdio.h>

#include "papers/alachiotis2012/paper.h"

/* Where the paper calls the length an average case, and its GPU is near its peak. */
enum { SITES = 5000 };

/* The point of a line at SITES: of the batch that fills a GPU where there is one. */
static const alachiotis_point *at_average(const alachiotis_run *run, alachiotis_line_number line, int is_filling) {
    for (int table = 1; table <= 2; table++) {
        const wl_paper *paper = &run->tables[table - 1];
        size_t reads = (size_t)(table == 1 ? wl_paper_header_number(paper, "reads")
                                           : wl_paper_number(paper, paper->rows - 1, "reads"));
        const alachiotis_point *p = alachiotis_find(run, table, SITES, reads, is_filling, line);
        if (p != NULL && isfinite(p->gcups)) return p;
    }
    return NULL;
}

/* Processor packages that the operating system shows; 0 where it does not. */
static int sockets(void) {
    enum { MOST = 4096 };
    static char seen[MOST];
    int count = 0;
    for (int cpu = 0; cpu < MOST; cpu++) {
        char path[96];
        int package = -1;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
        FILE *file = fopen(path, "r");
        if (file == NULL) break;
        if (fscanf(file, "%d", &package) == 1 && package >= 0 && package < MOST && !seen[package]++) count++;
        fclose(file);
    }
    return count;
}

static void print_limit(FILE *stream, const char *indent, const char *who, const alachiotis_point *p,
                        const alachiotis_run *run) {
    const wl_variant *variant = run->lines[p->line].variant;
    fprintf(stream, "%s%s (%s): %.4g GCUPS", indent, who, variant->name, p->gcups);
    if (isfinite(p->limit_gcups))
        fprintf(stream, ", %.0f %% of the %.4g that its own instructions allow by the measured rate of %s",
                100 * p->gcups / p->limit_gcups, p->limit_gcups, p->limit);
    fprintf(stream, ".\n");
}

/* Lowest over highest GCUPS of a line; its longest sites. NaN with fewer than two lengths. */
static double flatness(const alachiotis_run *run, alachiotis_line_number line, uint32_t *longest) {
    double low = INFINITY, high = 0;
    size_t count = 0;
    *longest = 0;
    for (size_t i = 0; i < run->count; i++) {
        const alachiotis_point *p = &run->points[i];
        int filling = line != ALACHIOTIS_SEQ && line != ALACHIOTIS_SIMD;
        if (p->table != 1 || p->line != line || p->is_filling != filling || !isfinite(p->gcups)) continue;
        low = fmin(low, p->gcups);
        high = fmax(high, p->gcups);
        if (p->sites > *longest) *longest = p->sites;
        count++;
    }
    return count < 2 ? NAN : low / high;
}

static double paper_flatness(const wl_paper *paper, const char *column) {
    double low = INFINITY, high = 0;
    for (size_t row = 0; row < paper->rows; row++) {
        double sites = wl_paper_number(paper, row, "sites");
        low = fmin(low, sites / wl_paper_number(paper, row, column));
        high = fmax(high, sites / wl_paper_number(paper, row, column));
    }
    return low / high;
}

static void print_flatness(FILE *stream, const alachiotis_run *run, const char *indent) {
    static const alachiotis_line_number lines[] = {ALACHIOTIS_SIMD, ALACHIOTIS_PAPER, ALACHIOTIS_LAST};
    const wl_paper *paper = &run->tables[0];
    int any = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint32_t longest;
        double flat = flatness(run, lines[i], &longest);
        if (!isfinite(flat)) continue;
        if (!any++)
            fprintf(stream, "%sSlowest over fastest of all lengths: the paper's SSE %.2f, its GPU %.2f", indent,
                    paper_flatness(paper, "simd_s"), paper_flatness(paper, "gpu_s"));
        fprintf(stream, "; here %s %.2f (to %u sites)", run->lines[lines[i]].variant->name, flat, longest);
    }
    if (any) fprintf(stream, ".\n");
}

void alachiotis_print_discussion(FILE *stream, const alachiotis_run *run, const char *indent) {
    const wl_paper *paper = &run->tables[0];
    const alachiotis_point *simd = at_average(run, ALACHIOTIS_SIMD, 0), *gpu = at_average(run, ALACHIOTIS_LAST, 1);
    const alachiotis_point *kernel = at_average(run, ALACHIOTIS_PAPER, 1);
    const alachiotis_point *launch = at_average(run, ALACHIOTIS_LAST, 0);
    char text[32];
    if (simd == NULL) return;
    snprintf(text, sizeof text, "%d", SITES);
    size_t row = wl_paper_row(paper, "sites", text);
    double cores = wl_paper_header_number(paper, "cores");
    double then = wl_paper_number(paper, row, "simd_s") / wl_paper_number(paper, row, "gpu_s");
    fprintf(stream, "%sA GPU against an equally tuned CPU, at %d sites\n", indent, SITES);
    fprintf(stream, "%sIn the paper, the GPU was %.3g times as fast as %.0f cores: as fast as %.3g cores.\n", indent,
            then, cores, then * cores);
    print_limit(stream, indent, "The CPU here", simd, run);
    int threads = run->cpu.multiprocessors, packages = sockets();
    fprintf(stream, "%sThat is %.3g GCUPS for each of %d threads", indent, simd->gcups / threads, threads);
    if (packages > 1)
        fprintf(stream, ", %.4g for each of the %d sockets that they are on", simd->gcups / packages, packages);
    fprintf(stream, "; a core of the paper's CPU did %.3g.\n",
            1e-9 * SITES * wl_paper_header_number(paper, "reads") * wl_paper_header_number(paper, "vectors") *
                wl_paper_header_number(paper, "read_length") / wl_paper_number(paper, row, "simd_s") / cores);
    if (gpu != NULL) {
        print_limit(stream, indent, "The GPU here", gpu, run);
        double now = gpu->gcups / simd->gcups;
        fprintf(stream, "%sHere, the GPU is %.3g times as fast as %d threads: as fast as %.4g threads.\n", indent, now,
                threads, now * threads);
        if (isfinite(gpu->limit_gcups / simd->limit_gcups))
            fprintf(stream,
                    "%sThe GPU's limit is %.3g times the CPU's: this is the hardware's part, the rest is how well each "
                    "is used.\n",
                    indent, gpu->limit_gcups / simd->limit_gcups);
    }
    if (kernel != NULL)
        fprintf(stream, "%sThe paper's own kernel (%s) on the same GPU is %.3g times as fast as these threads.\n",
                indent, run->lines[ALACHIOTIS_PAPER].variant->name, kernel->gcups / simd->gcups);
    if (launch != NULL)
        fprintf(stream,
                "%sThe paper's own launch, %zu vectors, does not fill this GPU: %.4g GCUPS, %.3g times the CPU.\n",
                indent, launch->vectors, launch->gcups, launch->gcups / simd->gcups);
    print_flatness(stream, run, indent);
    fprintf(stream, "%sEnergy was not measured.\n", indent);
}
