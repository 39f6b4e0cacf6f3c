/* Equation 1 as papara/problem.h states it, one cell at a time, in 32 bits. */
#include "papara/reference.h"

#include "harness/bench/serial.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int smaller(int a, int b) { return a < b ? a : b; }

/* A [n]: a vector's sites. B [m]: a read's codes. row [n + 1]: to the right of the current column S of the row above, to the left of
   it S of this row. Each cell has a finite diagonal neighbour, so sums with PAPARA_INFINITE are never the lowest. */
static int score_pair(const papara_input *input, const uint32_t *A, const uint8_t *B, uint32_t m, int *row) {
    const papara_penalties *penalty = &input->penalties;
    const uint32_t n = input->sites;
    for (uint32_t i = 0; i <= n - m; i++) row[i] = 0; // row 0
    for (uint32_t j = 1; j <= m; j++) {
        int diagonal = row[j - 1];        // S[i-1][j-1]
        int left = PAPARA_INFINITE;       // S[i-1][j]
        int D = PAPARA_INFINITE;          // D[i-1][j], then D[i][j]
        row[j + n - m] = PAPARA_INFINITE; // row j - 1 ends one column before row j
        for (uint32_t i = j; i <= j + n - m; i++) {
            const uint32_t site = A[i - 1];
            const int is_gap = (site & PAPARA_CGAP) != 0;
            const int CG = is_gap ? penalty->cgap : 0;
            const int GP_OE = is_gap ? 0 : penalty->gap_open;
            const int GP_E = is_gap ? 0 : penalty->gap_extend;
            const int M = input->sets[B[j - 1]] & site ? 0 : penalty->mismatch;
            const int I = row[i] + penalty->insertion; // row[i] is S[i][j-1]
            D = smaller(left + GP_OE, D + GP_E);
            const int S = smaller(diagonal + M + CG, smaller(D, I));
            diagonal = row[i];
            left = row[i] = S;
        }
    }
    int score = PAPARA_INFINITE;
    for (uint32_t i = m; i <= n; i++) score = smaller(score, row[i]);
    return score;
}

void papara_reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    const papara_input *in = input;
    int *score = output;
    const papara_reads *reads = &in->reads;
    const size_t slices = papara_slices(in), pairs = reads->count * in->vectors;
    int *row = malloc(sizeof(int) * (in->sites + (size_t)1));
    if (row == NULL) { // there is no way to return an error, and a check without the reference would mean nothing
        fprintf(stderr, "warpladder: no memory for the reference's row of %u cells\n", in->sites);
        exit(WL_NO_MACHINE);
    }
    for (size_t slice = first_slice; slice < first_slice + slice_count; slice++)
        for (size_t pair = papara_slice_begin(slice, slices); pair < pairs; pair += slices) {
            const size_t r = pair / in->vectors, v = pair % in->vectors;
            score[pair] =
                score_pair(in, in->site + v * in->sites, reads->codes + reads->start[r], reads->length[r], row);
        }
    free(row);
}

/* Slices of at least eight pairs of different reads take similar times. If there are few pairs, each is a slice, so that all cores
   have work. A slice of the largest data (16S.B.ALL, 4e8 pairs) takes a second. */
size_t papara_slices(const papara_input *input) {
    const size_t most = (size_t)1 << 20, few = 64, alike = 8;
    const size_t pairs = input->reads.count * input->vectors;
    return pairs < few ? pairs : pairs / alike < most ? pairs / alike : most;
}

size_t papara_slice_begin(size_t slice, size_t slices) { return wl_slice_begin(slice, slices); }

double papara_cells_computed(const papara_reads *reads, size_t vectors, uint32_t sites) {
    double cells = 0; // of one vector
    for (size_t r = 0; r < reads->count; r++) cells += (double)reads->length[r] * (sites - reads->length[r] + 1);
    return cells * (double)vectors;
}

/* A cell takes at least four additions, each with a comparison: for the diagonal, two for D, and for the insertion. Only computed
   cells count. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const papara_input *in = (const papara_input *)input;
    enum { OPERATIONS_A_CELL = 4 };
    cost->bytes = (double)in->reads.letters + sizeof(uint32_t) * (double)in->vectors * in->sites +
                  sizeof(int) * (double)in->reads.count * (double)in->vectors;
    cost->operations = OPERATIONS_A_CELL * papara_cells_computed(&in->reads, in->vectors, in->sites);
    cost->rate = WL_RATE_SCALAR;
}

WL_SERIAL(papara_reference, "equation 1, one cell at a time",
          .source = "Alachiotis, Berger & Stamatakis 2012, equation 1", .cost = cost)
