/* Table 3: the hybrid and its parts on data of the paper's dimensions, from the tree to the alignment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/alachiotis2012/paper.h"
#include "tools/align_reads/align.h"
#include "papers/alachiotis2012/path.h"
#include "harness/base/clock.h"
#include "harness/base/memory.h"

const char *alachiotis_mode_title(alachiotis_mode mode) {
    static const char *const titles[] = {"hybrid", "all GPUs alone", "one GPU alone", "CPU alone",
                                         "the paper's hybrid"};
    return titles[mode];
}

static const alachiotis_system *system_of(const alachiotis_run *run, size_t dataset, alachiotis_mode mode) {
    for (size_t i = 0; i < run->system_count; i++)
        if (run->systems[i].dataset == dataset && run->systems[i].mode == mode) return &run->systems[i];
    return NULL;
}

static double gcups_of(const alachiotis_run *run, size_t dataset, alachiotis_mode mode) {
    const alachiotis_system *system = system_of(run, dataset, mode);
    return system == NULL ? NAN : system->gcups;
}

double alachiotis_of_parts(const alachiotis_run *run, size_t dataset) {
    return gcups_of(run, dataset, ALACHIOTIS_HYBRID) /
           (gcups_of(run, dataset, ALACHIOTIS_GPUS) + gcups_of(run, dataset, ALACHIOTIS_CPU));
}

/* ---- the data ---- */

/* With --quick there are fewer taxa and fewer reads, both by one factor, so that so many cells are left; the sites and the reads'
   lengths, on which speed depends, stay. */
static const double quick_cells = 1e11;

static papara_recipe recipe_of(const alachiotis_run *run, size_t dataset, double *mean) {
    const wl_paper *paper = &run->tables[2];
    double taxa = wl_paper_number(paper, dataset, "taxa"), reads = wl_paper_number(paper, dataset, "reads");
    double shortest = wl_paper_number(paper, dataset, "shortest"), longest = wl_paper_number(paper, dataset, "longest");
    *mean = wl_paper_number(paper, dataset, "mean");
    if (isnan(shortest)) shortest = floor(*mean / 2); // the text has a mean and nothing else
    if (isnan(longest)) longest = 2 * *mean - shortest;
    if (run->quick) {
        double cells = 2 * taxa * reads * *mean * wl_paper_number(paper, dataset, "sites");
        double times = fmax(1, sqrt(cells / quick_cells));
        taxa = fmax(4, taxa / times);
        reads = fmax(4, reads / times);
    }
    return (papara_recipe){.alphabet = PAPARA_DNA,
                           .taxa = (uint32_t)taxa,
                           .sites = (uint32_t)wl_paper_number(paper, dataset, "sites"),
                           .reads = (uint32_t)reads,
                           .shortest = (uint32_t)shortest,
                           .longest = (uint32_t)longest,
                           .depth = 0.15,
                           .indels = 0.02,
                           .error = 0.01,
                           .indel_error = 0.001,
                           .seed = run->seed + dataset};
}

/* ---- one mode ---- */

/* How long a mode may score, in seconds: GPUs the whole of either data set, where they are as fast as an H200. */
static double most_seconds(const alachiotis_run *run, alachiotis_mode mode) {
    if (run->quick) return 8;
    return mode == ALACHIOTIS_HYBRID ? 400 : mode == ALACHIOTIS_CPU ? 30 : 100;
}

static size_t devices_of(const alachiotis_run *run, alachiotis_mode mode, wl_device *devices) {
    size_t count = 0, gpus = mode == ALACHIOTIS_CPU ? 0 : mode == ALACHIOTIS_ONE_GPU ? 1 : run->gpus.count;
    for (size_t g = 0; g < gpus; g++) devices[count++] = run->gpus.items[g];
    if (mode == ALACHIOTIS_HYBRID || mode == ALACHIOTIS_CPU) devices[count++] = run->cpu;
    return count;
}

static int takes_part(const alachiotis_run *run, alachiotis_mode mode) {
    return mode == ALACHIOTIS_CPU || (mode == ALACHIOTIS_ONE_GPU ? run->gpus.count > 1 : run->gpus.count > 0);
}

/* Scores more and more of the reads until their time tells how many fit; their number in *reads. The first time is not looked at: a
   GPU's first use takes a second whatever it does. */
static wl_status choose_reads(const alachiotis_path *path, const wl_device *devices, size_t count, double seconds,
                              papara_best *best, size_t *reads) {
    const double told = 1, few = 1e10; // a second tells; so many cells take less everywhere
    const size_t all = path->reads.count;
    double each = (double)path->reads.letters / (double)all * path->data.sites * path->tree.edges;
    size_t part = each < few ? (size_t)(few / each) : 1;
    papara_score_summary summary;
    papara_score_request request = alachiotis_path_request(path, part < all ? part : all, devices, count);
    wl_status status = papara_score(&request, best, &summary);
    for (; status == WL_OK && part < all; part *= 4) {
        request = alachiotis_path_request(path, part, devices, count);
        status = papara_score(&request, best, &summary);
        if (status != WL_OK || summary.seconds < told) continue;
        double fits = (double)part * fmax(1, seconds / summary.seconds);
        *reads = fits < (double)all ? (size_t)fits : all;
        return WL_OK;
    }
    *reads = all;
    return status;
}

/* What each kind of device did a second of the whole scoring phase. */
static void share_out(const papara_score_summary *summary, const wl_device *devices, size_t count,
                      alachiotis_system *s) {
    double cpu = 0, gpu = 0;
    for (size_t w = 0; w < summary->workers; w++) {
        int is_gpu = 0;
        for (size_t d = 0; d < count; d++)
            is_gpu |= devices[d].backend == WL_GPU &&
                      strncmp(summary->worker[w].name, devices[d].name, strlen(devices[d].name)) == 0;
        *(is_gpu ? &gpu : &cpu) += summary->worker[w].cells;
    }
    s->gcups_cpu = 1e-9 * cpu / summary->seconds;
    s->gcups_gpu = 1e-9 * gpu / summary->seconds;
    s->gcups = 1e-9 * summary->cells / summary->seconds;
}

static wl_status measure_mode(const alachiotis_run *run, const alachiotis_path *path, papara_best *best,
                              alachiotis_system *s) {
    wl_device devices[WL_DEVICES_MOST];
    papara_score_summary summary;
    size_t count = devices_of(run, s->mode, devices), reads = 0;
    WL_TRY(choose_reads(path, devices, count, most_seconds(run, s->mode), best, &reads));
    papara_score_request request = alachiotis_path_request(path, reads, devices, count);
    WL_TRY(papara_score(&request, best, &summary));
    double begin = wl_now();
    wl_status status = papara_align_scored(&(papara_alignment){.scored = &request, .best = best}, NULL);
    s->align_seconds = wl_now() - begin;
    double share = (double)request.reads.letters / (double)path->reads.letters;
    s->measured_reads = reads;
    s->scoring_seconds = summary.seconds;
    s->cpu_seconds = summary.cpu_seconds;
    s->t_scoring = summary.seconds / share;
    s->t_all = s->prepare_seconds + s->t_scoring + s->align_seconds / share;
    share_out(&summary, devices, count, s);
    return status;
}

/* The modes' results are the same on the reads that they share. */
static int agree(const papara_best *a, const papara_best *b, size_t reads) {
    for (size_t r = 0; r < reads; r++)
        if (a[r].score != b[r].score || a[r].vector != b[r].vector || a[r].second_score != b[r].second_score ||
            a[r].second_vector != b[r].second_vector)
            return 0;
    return 1;
}

static void judge(wl_status status, const papara_best *first, size_t first_reads, const papara_best *best,
                  alachiotis_system *s) {
    size_t shared = first_reads < s->measured_reads ? first_reads : s->measured_reads;
    if (status != WL_OK)
        wl_verdict_set(&s->verdict, status == WL_CHECK_FAILED ? status : WL_NO_MACHINE, "%s", wl_error());
    else
        wl_verdict_set(&s->verdict, agree(first, best, shared) ? WL_OK : WL_CHECK_FAILED,
                       "not the scores and vectors that the first mode found");
}

static wl_status keep(alachiotis_run *run, const alachiotis_system *s) {
    if (!WL_GROW(run->systems, run->system_count, 1))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the rows of Table 3");
    run->systems[run->system_count++] = *s;
    return WL_OK;
}

/* ---- one data set ---- */

static wl_status measure_dataset(alachiotis_run *run, size_t dataset) {
    double mean;
    alachiotis_path path;
    const papara_recipe recipe = recipe_of(run, dataset, &mean);
    wl_status status = alachiotis_path_open(&recipe, mean, NULL, &path);
    if (status != WL_OK) return status;
    papara_best *first = malloc(sizeof *first * path.reads.count), *best = malloc(sizeof *best * path.reads.count);
    size_t first_reads = 0;
    if (first == NULL || best == NULL) status = wl_fail(WL_NO_MACHINE, "not enough memory for the reads' scores");
    for (int mode = 0; status == WL_OK && mode < ALACHIOTIS_MODES; mode++) {
        if (!takes_part(run, (alachiotis_mode)mode)) continue;
        if (run->progress)
            fprintf(stderr, "\rTable 3: %s, %s\033[K", wl_paper_text(&run->tables[2], dataset, "dataset"),
                    alachiotis_mode_title((alachiotis_mode)mode));
        alachiotis_system s = {.dataset = dataset,
                               .mode = (alachiotis_mode)mode,
                               .taxa = recipe.taxa,
                               .sites = recipe.sites,
                               .edges = path.tree.edges,
                               .reads = path.reads.count,
                               .shortest = recipe.shortest,
                               .longest = recipe.longest,
                               .mean = (double)path.reads.letters / (double)path.reads.count,
                               .prepare_seconds = path.prepare_seconds,
                               .align_seconds = NAN,
                               .scoring_seconds = NAN,
                               .t_scoring = NAN,
                               .t_all = NAN,
                               .gcups_cpu = NAN,
                               .gcups_gpu = NAN,
                               .gcups = NAN,
                               .cpu_seconds = NAN};
        papara_best *mine = first_reads == 0 ? first : best;
        judge(measure_mode(run, &path, mine, &s), first, first_reads == 0 ? s.measured_reads : first_reads, mine, &s);
        if (first_reads == 0) first_reads = s.measured_reads;
        status = keep(run, &s);
    }
    if (run->progress) fputs("\r\033[K", stderr);
    WL_FREE(first, best);
    alachiotis_path_free(&path);
    return status;
}

wl_status alachiotis_measure_systems(alachiotis_run *run) {
    for (size_t dataset = 0; dataset < run->tables[2].rows; dataset++) WL_TRY(measure_dataset(run, dataset));
    return WL_OK;
}
