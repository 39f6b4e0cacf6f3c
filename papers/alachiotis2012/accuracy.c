/* Accuracy, of which the paper has no table: reads cut from known columns of simulated sequences, aligned to a reference that their
   own sequences are not in; the share of letters that come back. */
#include <stdlib.h>
#include <string.h>

#include "papers/alachiotis2012/paper.h"
#include "tools/align_reads/align.h"
#include "papers/alachiotis2012/path.h"
#include "harness/base/random.h"
#include "harness/base/memory.h"

/* ---- what is tried ---- */

/* One thing at a time moves away from the middle: divergence, errors, length. */
static const struct {
    double depth, error;
    uint32_t length;
} tried[] = {{0.15, 0.01, 100}, {0.05, 0.01, 100}, {0.3, 0.01, 100}, {0.6, 0.01, 100},  {0.15, 0, 100},
             {0.15, 0.05, 100}, {0.15, 0.1, 100},  {0.15, 0.01, 50}, {0.15, 0.01, 200}, {0.15, 0.01, 400}};

enum { SITES = 1500, TAXA = 128, READS = 800, QUICK_TAXA = 32, QUICK_READS = 100 };

/* Half of the taxa stay, which ones the seed says. */
static uint32_t choose_kept(uint64_t seed, uint32_t taxa, uint8_t *kept) {
    enum { STREAM = 196 };
    wl_random random = wl_random_stream(seed, STREAM);
    uint32_t count = 0;
    memset(kept, 0, taxa);
    while (count < taxa / 2) {
        uint32_t t = wl_random_below(&random, taxa);
        count += !kept[t];
        kept[t] = 1;
    }
    return count;
}

/* ---- the closest row, without the tree ---- */

/* Each taxon's row as a vector: its letters' states, a gap as a site that costs nothing to skip. */
static void fill_rows(const void *context, size_t first, size_t count, uint32_t *site) {
    const alachiotis_path *path = context;
    uint32_t sets[PAPARA_CODES];
    papara_sets(PAPARA_DNA, sets);
    for (size_t v = 0; v < count; v++) {
        for (uint32_t i = 0; i < path->data.sites; i++) {
            int code = papara_code(PAPARA_DNA, (unsigned char)path->row[first + v][i]);
            *site++ = code < 0 ? papara_all_states(PAPARA_DNA) | PAPARA_CGAP : sets[code];
        }
    }
}

/* ---- how many came back ---- */

typedef struct {
    uint64_t letters, right;
    size_t reads, whole;
} score;

/* Letters of read errors have no column, and columns of which no kept row has a letter cannot be found; neither counts. */
static score compare(const alachiotis_path *path, const uint8_t *has_letter, const int32_t *columns) {
    score sum = {0, 0, 0, 0};
    for (size_t r = 0; r < path->reads.count; r++) {
        const int32_t *column = columns + path->reads.start[r], *truth = path->data.column[path->simulated[r]];
        int all = 1;
        for (uint32_t j = 0; j < path->reads.length[r]; j++) {
            if (truth[j] < 0 || !has_letter[truth[j]]) continue;
            sum.letters++;
            sum.right += column[j] == truth[j];
            all &= column[j] == truth[j];
        }
        sum.reads++;
        sum.whole += (size_t)all;
    }
    return sum;
}

static wl_status score_and_align(const alachiotis_run *run, const alachiotis_path *path, papara_vector_source *fill,
                                 const void *context, size_t vectors, papara_best *best, int32_t *column) {
    papara_score_summary summary;
    papara_score_request request = alachiotis_path_request(path, path->reads.count, &run->cpu, 1);
    if (fill != NULL) {
        request.fill = fill;
        request.context = context;
        request.vectors = vectors;
    }
    wl_status status = papara_score(&request, best, &summary);
    return status == WL_OK ? papara_align_scored(&(papara_alignment){.scored = &request, .best = best}, column)
                           : status;
}

static wl_status measure_path(const alachiotis_run *run, const alachiotis_path *path, alachiotis_accuracy *a) {
    const papara_reads *reads = &path->reads;
    papara_best *best;
    int32_t *column;
    uint8_t *has_letter;
    if (!WL_ALLOCATE(WL_ARRAY(best, reads->count), WL_ARRAY(column, reads->letters),
                     WL_ZEROS(has_letter, path->data.sites)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for alignments of %zu reads", reads->count);
    for (uint32_t k = 0; k < path->taxa; k++)
        for (uint32_t i = 0; i < path->data.sites; i++) has_letter[i] |= path->row[k][i] != '-';

    wl_status status = score_and_align(run, path, NULL, NULL, 0, best, column);
    if (status == WL_OK) {
        score sum = compare(path, has_letter, column);
        a->letters = sum.letters;
        a->papara = (double)sum.right / (double)sum.letters;
        a->papara_reads = (double)sum.whole / (double)sum.reads;
        status = score_and_align(run, path, fill_rows, path, path->taxa, best, column);
    }
    if (status == WL_OK) {
        score sum = compare(path, has_letter, column);
        a->closest = (double)sum.right / (double)sum.letters;
        a->closest_reads = (double)sum.whole / (double)sum.reads;
    }
    WL_FREE(best, column, has_letter);
    return status;
}

/* One length, depth and error rate. */
static wl_status measure_one(alachiotis_run *run, size_t t) {
    const size_t count = sizeof tried / sizeof *tried;
    const uint32_t taxa = run->quick ? QUICK_TAXA : TAXA;
    uint8_t kept[TAXA];
    alachiotis_path path;
    if (run->progress) fprintf(stderr, "\rAccuracy: %zu of %zu\033[K", t + 1, count);
    papara_recipe recipe = {.alphabet = PAPARA_DNA,
                            .taxa = taxa,
                            .sites = SITES,
                            .reads = 2 * (run->quick ? QUICK_READS : READS), // half of them from taxa that stay
                            .shortest = tried[t].length,
                            .longest = tried[t].length,
                            .depth = tried[t].depth,
                            .indels = 0.02,
                            .error = tried[t].error,
                            .indel_error = tried[t].error / 10,
                            .seed = run->seed};
    if (!WL_GROW(run->accuracies, run->accuracy_count, 1))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the accuracies");
    alachiotis_accuracy *a = &run->accuracies[run->accuracy_count];
    *a = (alachiotis_accuracy){
        .taxa = taxa, .sites = SITES, .length = tried[t].length, .depth = tried[t].depth, .error = tried[t].error};
    a->kept = choose_kept(run->seed, taxa, kept);
    WL_TRY(alachiotis_path_open(&recipe, 0, kept, &path));
    a->reads = path.reads.count;
    const wl_status status = measure_path(run, &path, a);
    alachiotis_path_free(&path);
    run->accuracy_count += status == WL_OK;
    return status;
}

wl_status alachiotis_measure_accuracy(alachiotis_run *run) {
    wl_status status = WL_OK;
    for (size_t t = 0; status == WL_OK && t < sizeof tried / sizeof *tried; t++) status = measure_one(run, t);
    if (run->progress) fputs("\r\033[K", stderr);
    return status;
}
