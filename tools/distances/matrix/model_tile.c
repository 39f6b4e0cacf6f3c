/* A tile of an evolutionary model's distances. A variant counts the sites that differ where both instances are present. A model needs
   several such counts, each on planes that are made for it. For transversions, the plane tells purines from pyrimidines. For a pair of
   bases, a site is present in the row where the row has the one base, and in the column where the column has the other. */
#include <stdlib.h>
#include <string.h>

#include "tools/distances/matrix/internal.h"
#include "tools/distances/matrix/models.h"

/* A, C, G, T are 0 to 3: the low bit says pyrimidine, the high one tells the two of a kind apart. */
enum { PYRIMIDINE, WITHIN, PRESENT, PLANES };
enum { BASES = 4, ALIGN = 64 };

int distances_model_counts(distances_stored stored) {
    switch (stored) {
        case DISTANCES_STORED_K80:
            return 2;
        case DISTANCES_STORED_TN93:
            return 3;
        case DISTANCES_STORED_LOGDET:
            return BASES * BASES;
        default:
            return 0;
    }
}

/* What a run counts: differences in one plane at the sites that `base` (-1: any) or `purines` leaves. */
typedef struct {
    int plane, purines, base;
} view;

/* One instance [PLANES][words] as that view sees it, [2][words]. */
static void look(const uint64_t *bits, size_t words, view v, uint64_t *seen) {
    for (size_t w = 0; w < words; w++) {
        const uint64_t low = bits[PYRIMIDINE * words + w], high = bits[WITHIN * words + w];
        uint64_t present = bits[PRESENT * words + w];
        if (v.purines) present &= ~low;
        if (v.base >= 0) present &= (v.base & 1 ? low : ~low) & (v.base & 2 ? high : ~high);
        seen[w] = (v.plane == PYRIMIDINE ? low : high) & present;
        seen[words + w] = present;
    }
}

static void look_at_side(const distances_side *side, size_t words, view v, int threads, uint64_t *seen) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < side->count; i++) look(side->bits + i * PLANES * words, words, v, seen + i * 2 * words);
}

typedef struct {
    wl_worker *worker;
    const distances_input *input;
    int threads;
    uint64_t *rows, *columns; // [count][2][words] of the views
    uint32_t *output;         // of a run: [2][pairs]
} counting;

/* Differences (or, of `which` 1, compared sites) of the rows seen so and the columns seen so, into count [pairs]. */
static wl_status count(const counting *c, view rows, view columns, int which, uint32_t *to) {
    distances_input seen = *c->input;
    const size_t pairs = seen.rows.count * seen.columns.count;
    look_at_side(&c->input->rows, seen.words, rows, c->threads, c->rows);
    look_at_side(&c->input->columns, seen.words, columns, c->threads, c->columns);
    seen.planes = 1;
    seen.complete = 0;
    seen.symmetric = 0;
    seen.rows.bits = c->rows;
    seen.columns.bits = c->columns;
    WL_TRY(distances_tile_run(c->worker, &seen, c->output));
    memcpy(to, c->output + (size_t)which * pairs, pairs * sizeof *to);
    return WL_OK;
}

/* counts [..][pairs]: of K80 differences and transversions; of TN93 also differences between purines; else of pairs of bases. */
static wl_status count_all(const counting *c, distances_stored stored, uint32_t *counts, uint32_t *compared) {
    const size_t pairs = c->input->rows.count * c->input->columns.count;
    static const view transversions = {PYRIMIDINE, 0, -1}, purines = {WITHIN, 1, -1};
    WL_TRY(distances_tile_run(c->worker, c->input, c->output));
    memcpy(counts, c->output, pairs * sizeof *counts);
    memcpy(compared, c->output + pairs, pairs * sizeof *counts);
    if (stored != DISTANCES_STORED_LOGDET) WL_TRY(count(c, transversions, transversions, 0, counts + pairs));
    if (stored == DISTANCES_STORED_TN93) WL_TRY(count(c, purines, purines, 0, counts + 2 * pairs));
    for (int k = 0; stored == DISTANCES_STORED_LOGDET && k < BASES * BASES; k++)
        WL_TRY(count(c, (view){PYRIMIDINE, 0, k / BASES}, (view){PYRIMIDINE, 0, k % BASES}, 1,
                     counts + (size_t)k * pairs));
    return WL_OK;
}

static double distance_of(distances_stored stored, const uint32_t *counts, size_t pairs, double compared,
                          const double frequency[4]) {
    double table[BASES * BASES];
    switch (stored) {
        case DISTANCES_STORED_K80:
            return distances_k80(compared, counts[0], counts[pairs]);
        case DISTANCES_STORED_TN93:
            return distances_tn93(compared, counts[0], counts[pairs], counts[2 * pairs], frequency);
        default:
            for (size_t k = 0; k < BASES * BASES; k++) table[k] = counts[k * pairs];
            return distances_logdet(table);
    }
}

wl_status distances_model_tile(wl_worker *worker, const distances_input *input, distances_stored stored,
                               const double frequency[4], int threads, void *result) {
    const size_t rows = input->rows.count, columns = input->columns.count, pairs = rows * columns;
    double *distance = result;
    uint32_t *compared = (uint32_t *)(distance + pairs), *output = compared + pairs, *counts = output + 2 * pairs;
    const size_t bytes = 2 * input->words * sizeof(uint64_t);
    counting c = {.worker = worker, .input = input, .threads = threads, .output = output};
    c.rows = aligned_alloc(ALIGN, rows * bytes);
    c.columns = aligned_alloc(ALIGN, columns * bytes);
    wl_status status = c.rows && c.columns ? count_all(&c, stored, counts, compared)
                                           : wl_fail(WL_NO_MACHINE, "not enough memory for a tile's planes: %zu sites",
                                                     (size_t)input->sites);
    free(c.rows);
    free(c.columns);
    if (status != WL_OK) return status;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t at = 0; at < pairs; at++) {
        /* Pairs (i, j) and (j, i) are computed from the same counts, so that rounding cannot tell them apart. */
        const size_t i = at / columns, j = at % columns, from = input->symmetric && j < i ? j * columns + i : at;
        distance[at] = distance_of(stored, counts + from, pairs, compared[from], frequency);
        /* LogDet has none at 0 where the bases' frequencies differ. */
        if (input->symmetric && i == j && compared[at] > 0) distance[at] = 0;
    }
    return WL_OK;
}

size_t distances_model_bytes(distances_stored stored) {
    return sizeof(double) + (3 + (size_t)distances_model_counts(stored)) * sizeof(uint32_t);
}

void distances_base_frequencies(const distances_data *data, int threads, double frequency[4]) {
    uint64_t a = 0, c = 0, g = 0, t = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : a, c, g, t) schedule(static)
    for (size_t i = 0; i < data->count; i++) {
        const uint64_t *bits = data->bits + i * PLANES * data->words;
        for (size_t w = 0; w < data->words; w++) {
            const uint64_t low = bits[PYRIMIDINE * data->words + w], high = bits[WITHIN * data->words + w];
            const uint64_t present = bits[PRESENT * data->words + w];
            a += (uint64_t)__builtin_popcountll(present & ~low & ~high);
            c += (uint64_t)__builtin_popcountll(present & low & ~high);
            g += (uint64_t)__builtin_popcountll(present & ~low & high);
            t += (uint64_t)__builtin_popcountll(present & low & high);
        }
    }
    const double all = (double)(a + c + g + t);
    frequency[0] = (double)a / all;
    frequency[1] = (double)c / all;
    frequency[2] = (double)g / all;
    frequency[3] = (double)t / all;
}
