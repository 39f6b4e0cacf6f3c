/* Random data for the tests of libwarpladder, and what all four tools make of them. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/warpladder.h"

#define MUST(condition)                                                                                        \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            fprintf(clib_told ? clib_told : stdout, "FAILED: %s:%d: %s: %s\n", __FILE__, __LINE__, #condition, \
                    clib_said);                                                                                \
            exit(1);                                                                                           \
        }                                                                                                      \
    } while (0)
static _Thread_local const char *clib_said = "";
static FILE *clib_told; // where failures are told; NULL: standard output

enum { ROWS = 9, SITES = 210, READS = 7, READ = 60, PROTEINS = 24, PROTEIN = 120, QUERIES = 3 };

typedef struct {
    char letters[ROWS][SITES], reads[READS][READ], proteins[PROTEINS][PROTEIN];
    char row_names[ROWS][16], read_names[READS][16];
    warpladder_sequence row[ROWS], read[READS], protein[PROTEINS];
    char newick[64 * ROWS];
} clib_data;

static inline unsigned clib_next(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33);
}

static inline void clib_mutate(uint64_t *seed, const char *alphabet, const char *from, char *to, size_t length) {
    for (size_t k = 0; k < length; k++)
        to[k] = clib_next(seed) % 8 == 0 ? alphabet[clib_next(seed) % strlen(alphabet)] : from[k];
}

static inline void clib_make(uint64_t seed, clib_data *d) {
    static const char bases[] = "ACGT", residues[] = "ARNDCQEGHILKMFPSTWYV";
    for (int k = 0; k < SITES; k++) d->letters[0][k] = bases[clib_next(&seed) % 4];
    for (int k = 0; k < PROTEIN; k++) d->proteins[0][k] = residues[clib_next(&seed) % 20];
    size_t used = 0;
    for (int i = 0; i < ROWS; i++) {
        if (i > 0) clib_mutate(&seed, bases, d->letters[i - 1], d->letters[i], SITES);
        snprintf(d->row_names[i], sizeof d->row_names[i], "t%d", i);
        d->row[i] = (warpladder_sequence){d->row_names[i], d->letters[i], SITES};
        used += (size_t)snprintf(d->newick + used, sizeof d->newick - used, i + 1 < ROWS ? "(%s:0.%d," : "%s:0.%d",
                                 d->row_names[i], i + 1);
    }
    for (int i = 1; i + 1 < ROWS; i++) used += (size_t)snprintf(d->newick + used, sizeof d->newick - used, "):0.1");
    snprintf(d->newick + used, sizeof d->newick - used, ");");
    for (int r = 0; r < READS; r++) {
        clib_mutate(&seed, bases, d->letters[r] + 10 * r, d->reads[r], READ);
        snprintf(d->read_names[r], sizeof d->read_names[r], "r%d", r);
        d->read[r] = (warpladder_sequence){d->read_names[r], d->reads[r], READ};
    }
    for (int i = 0; i < PROTEINS; i++) {
        if (i > 0) clib_mutate(&seed, residues, d->proteins[i - 1], d->proteins[i], PROTEIN);
        d->protein[i] = (warpladder_sequence){NULL, d->proteins[i], (size_t)(PROTEIN - i)};
    }
}

typedef struct {
    double distance[ROWS][ROWS], total[3], column[SITES];
    size_t hits;
    int scores[PROTEINS * QUERIES];
    double evalues[PROTEINS * QUERIES];
    warpladder_placement placed[READS];
    char aligned[(ROWS + READS) * SITES];
} clib_results;

static inline void clib_ok(const warpladder *session, warpladder_status status) {
    clib_said = warpladder_error(session);
    MUST(status == WARPLADDER_OK);
    MUST(*clib_said == 0);
}

static inline void clib_search(warpladder *session, const clib_data *d, const warpladder_database *database,
                               clib_results *r) {
    warpladder_hits *hits;
    clib_ok(session, warpladder_search(session, NULL, database, d->protein, QUERIES, &hits));
    const warpladder_hit *items = warpladder_hits_items(hits, &r->hits);
    MUST(r->hits > QUERIES && r->hits <= PROTEINS * QUERIES);
    for (size_t i = 0; i < r->hits; i++) {
        r->scores[i] = items[i].score;
        r->evalues[i] = items[i].evalue;
    }
    warpladder_hits_close(hits);
}

static inline void clib_evaluate(warpladder *session, const clib_data *d, clib_results *r) {
    warpladder_likelihood *likelihood;
    warpladder_model model = WARPLADDER_MODEL;
    double length[2 * ROWS - 1];
    model.name = "HKY85+G4";
    clib_ok(session, warpladder_likelihood_open(session, &model, d->row, ROWS, d->newick, 0, &likelihood));
    MUST(warpladder_likelihood_nodes(likelihood) == 2 * ROWS - 1);
    MUST(warpladder_likelihood_columns(likelihood) == SITES);
    clib_ok(session, warpladder_likelihood_evaluate(likelihood, &r->total[0], r->column));
    warpladder_likelihood_tree(likelihood, NULL, length);
    length[3] *= 2;
    clib_ok(session, warpladder_likelihood_set_lengths(likelihood, length));
    clib_ok(session, warpladder_likelihood_evaluate(likelihood, &r->total[1], NULL));
    model.kappa = 5;
    clib_ok(session, warpladder_likelihood_set_model(likelihood, &model));
    clib_ok(session, warpladder_likelihood_evaluate(likelihood, &r->total[2], NULL));
    MUST(r->total[0] < 0 && r->total[1] != r->total[0] && r->total[2] != r->total[1]);
    warpladder_likelihood_close(likelihood);
}

/* All four tools. The results are all zero before, so that memcmp compares them. */
static inline void clib_run(warpladder *session, const clib_data *d, const warpladder_database *database,
                            clib_results *r) {
    warpladder_alignment *alignment;
    memset(r, 0, sizeof *r);
    clib_ok(session, warpladder_distances_letters(session, NULL, d->letters[0], ROWS, SITES, r->distance[0], NULL));
    clib_search(session, d, database, r);
    clib_evaluate(session, d, r);
    clib_ok(session, warpladder_align_reads(session, NULL, d->row, ROWS, d->newick, d->read, READS, &alignment));
    MUST(warpladder_alignment_columns(alignment) == SITES);
    memcpy(r->placed, warpladder_alignment_placements(alignment), sizeof r->placed);
    memcpy(r->aligned, warpladder_alignment_letters(alignment), sizeof r->aligned);
    warpladder_alignment_close(alignment);
}
