/* The recurrence of sw/problem.h as it stands there, one cell at a time, in 32 bits. */
#include "sw/reference.h"

#include "harness/bench/serial.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minus infinity, with room below it for a gap's whole length. */
#define NEVER (INT32_MIN / 2)

static int larger(int a, int b) { return a > b ? a : b; }

/* H_row, E_row [m]: column j - 1 of H and E when column j is computed, then column j. */
static int score_pair(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                      int *H_row, int *E_row) {
    const int gap_open = scoring->gap_open, gap_extend = scoring->gap_extend;
    int best = 0;
    for (uint32_t i = 0; i < m; i++) {
        H_row[i] = 0;
        E_row[i] = NEVER;
    }
    for (uint32_t j = 0; j < n; j++) {
        int diagonal = 0; // H[i-1][j-1]
        int above = 0;    // H[i-1][j]
        int F = NEVER;    // F[i-1][j]
        for (uint32_t i = 0; i < m; i++) {
            int E = larger(E_row[i] - gap_extend, H_row[i] - gap_open);
            F = larger(F - gap_extend, above - gap_open);
            int H = larger(larger(0, diagonal + scoring->matrix[query[i]][subject[j]]), larger(E, F));
            best = larger(best, H);
            diagonal = H_row[i];
            above = H_row[i] = H;
            E_row[i] = E;
        }
    }
    return best;
}

void sw_reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    const sw_input *in = input;
    int *score = output;
    const sw_set *queries = &in->queries, *database = &in->database;
    size_t slices = sw_slices(in);
    int *rows = malloc(sizeof(int) * 2 * (queries->longest + (size_t)1));
    if (rows == NULL) { // the oracle has no way to say so, and a check without it would mean nothing
        fprintf(stderr, "warpladder: no memory for the reference's column of %u cells\n", queries->longest);
        exit(WL_NO_MACHINE);
    }
    for (size_t slice = first_slice; slice < first_slice + slice_count; slice++)
        for (size_t s = sw_slice_begin(slice, slices); s < database->count; s += slices)
            for (size_t q = 0; q < queries->count; q++)
                score[q * database->count + s] = score_pair(&in->scoring, queries->residues + queries->start[q],
                                                            queries->length[q], database->residues + database->start[s],
                                                            database->length[s], rows, rows + queries->longest);
    free(rows);
}

/* Eight subjects of different lengths and more make slices alike; of few subjects each is a slice, so that all cores have
   something to do. */
size_t sw_slices(const sw_input *input) {
    const size_t most = 65536, few = 64, alike = 8;
    size_t count = input->database.count;
    return count < few ? count : count / alike < most ? count / alike : most;
}

size_t sw_slice_begin(size_t slice, size_t slices) { return wl_slice_begin(slice, slices); }

/* Five additions, each with a choice between two numbers, are the least a cell takes; the sixth choice, the best's, is not
   counted, since the rate is one of compare-and-add. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const sw_input *in = (const sw_input *)input;
    enum { OPERATIONS_A_CELL = 5 };
    cost->bytes = (double)in->queries.letters + (double)in->database.letters +
                  sizeof(int) * (double)in->queries.count * (double)in->database.count;
    cost->operations = OPERATIONS_A_CELL * (double)in->queries.letters * (double)in->database.letters;
    cost->rate = WL_RATE_SCALAR;
}

WL_SERIAL(sw_reference, "the recurrence, one cell at a time", .source = "Ligowski & Rudnicki 2009, equations 1 and 2",
          .cost = cost)
