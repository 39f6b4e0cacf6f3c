#include "sw/cpu_simd/alone.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "sw/core/pair.h"

/* --- The choice ---------------------------------------------------------------------------------------------------------- */

/* Times are in steps: the time of a vector of cells in columns.h, with a query of many rows. Measured with both kernels on one
   core of an AMD EPYC of the Zen 4 generation. */
typedef struct {
    size_t vector_bytes;
    double vector; // a vector of cells in sw/core
    double column; // what a column of a band costs besides: its first and last vector, F across lanes
} pair_costs;

static const pair_costs costs[] = {{16, 1.05, 35}, {32, 1, 35}, {64, 1.2, 40}};

/* The same for all instruction sets: memory and the first column of a pair; a vector of the profile, in sw/core and here. */
enum { PAIR_STEPS = 15000, PROFILE_STEPS = 40, PROFILE_COLUMN = 6 };

static double pair_steps(const cpu_choice *choice, uint32_t rows, uint32_t length) {
    const pair_costs *cost = costs;
    while (cost->vector_bytes < choice->vector_bytes) cost++;
    const double longer = rows > length ? rows : length, shorter = rows > length ? length : rows;
    const double vectors = longer / (double)choice->lanes + 1;
    const double band_vectors = (double)(sw_pair_band_bytes(choice->vector_bytes) / choice->vector_bytes);
    const double bands = vectors / band_vectors + 1;
    return shorter * (vectors * cost->vector + bands * cost->column) + PROFILE_STEPS * vectors + PAIR_STEPS;
}

/* A lane is busy at least as long as its longest subject. With few queries there are fewer units than threads. */
static double together_steps(const cpu_choice *choice, uint32_t rows, uint32_t longest, double letters) {
    const double share = (double)choice->threads / (double)choice->queries, even = letters / (double)choice->lanes;
    const double columns = longest * (share > 1 ? share : 1) > even ? longest * (share > 1 ? share : 1) : even;
    return columns * ((double)rows + PROFILE_COLUMN);
}

size_t cpu_alone_count(const cpu_choice *choice, uint32_t rows, const uint32_t *length, size_t count) {
    double alone = 0;
    uint64_t sum = 0; // of integers, which the compiler adds in vectors
    for (size_t i = 0; i < count; i++) sum += length[i];
    double letters = (double)sum;
    double least = count > 0 ? together_steps(choice, rows, length[0], letters) : 0;
    size_t best = 0;
    for (size_t k = 0; k < count; k++) {
        const double pair = pair_steps(choice, rows, length[k]);
        const double even = letters / (double)choice->lanes * ((double)rows + PROFILE_COLUMN);
        const int lanes_are_full = together_steps(choice, rows, length[k], letters) <= even;
        if (lanes_are_full && pair > (double)length[k] / (double)choice->lanes * rows) break; // so do all after it
        alone += pair;
        letters -= length[k];
        const double steps = alone + (k + 1 < count ? together_steps(choice, rows, length[k + 1], letters) : 0);
        if (steps >= least) continue;
        least = steps;
        best = k + 1;
    }
    return best;
}

double cpu_alone_bytes(const cpu_choice *choice, uint32_t rows, uint32_t length) {
    const double thread = (double)(SW_CODES * sw_pair_band_bytes(choice->vector_bytes));
    return 2.0 * sizeof(int) * ((double)rows + length) + thread * choice->threads;
}

/* --- Doing it ------------------------------------------------------------------------------------------------------------ */

static int larger_first(const void *a, const void *b) {
    const double x = ((const cpu_pair *)a)->cells, y = ((const cpu_pair *)b)->cells;
    return (x < y) - (x > y);
}

static wl_status compute(const sw_input *in, const cpu_pair *p, int threads, int bits, int *score) {
    const sw_set *queries = &in->queries, *database = &in->database;
    const sw_pair pair = {.scoring = &in->scoring,
                          .query = queries->residues + queries->start[p->query],
                          .m = queries->length[p->query],
                          .subject = database->residues + database->start[p->subject],
                          .n = database->length[p->subject],
                          .end = SW_ANY_END,
                          .bits = bits,
                          .threads = threads};
    sw_pair_best best;
    WL_TRY(sw_pair_find(&pair, &best));
    score[p->query * database->count + p->subject] = best.score;
    return WL_OK;
}

/* All threads compute one pair as long as it is a large part of what is left; then each thread computes its own. */
wl_status cpu_alone_compute(const sw_input *input, cpu_pair *pairs, size_t count, int threads, int bits, int *score) {
    if (count == 0) return WL_OK;
    double left = 0;
    size_t k = 0;
    qsort(pairs, count, sizeof *pairs, larger_first);
    for (size_t i = 0; i < count; i++) left += pairs[i].cells;
    for (; k < count && pairs[k].cells * 2 * threads > left; k++) {
        WL_TRY(compute(input, &pairs[k], threads, bits, score));
        left -= pairs[k].cells;
    }
    atomic_int failed = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = k; i < count; i++)
        if (compute(input, &pairs[i], 1, bits, score) != WL_OK) atomic_store(&failed, 1);
    return failed ? wl_fail(WL_NO_MACHINE, "not enough memory to align %zu pairs of long sequences", count - k) : WL_OK;
}
