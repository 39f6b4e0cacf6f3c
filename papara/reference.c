/* Equation 1 as papara/problem.h states it, one cell at a time, in 32 bits.

   The build compiles this file twice. Plainly (-O3) it is papara_reference, the oracle. With -O0 -DWL_REFERENCE_O0 it is
   papara_reference_o0, and both are registered as one-thread variants, serial_O3 and serial_O0: the paper does not say how the
   sequential code of its tables was compiled. */
#include "papara/reference.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WL_REFERENCE_O0
#define CPU papara_reference_o0
#else
#define CPU papara_reference
#endif

static int smaller(int a, int b) { return a < b ? a : b; }

/* A [n]: a vector's sites. B [m]: a read's codes. row [n + 1]: S of the row above right of the column being computed, S of
   this row left of it. Where cells do not exist, sums with PAPARA_INFINITE are larger than the diagonal's, which every cell has
   and which is finite. */
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

void CPU(const papara_input *input, size_t first_slice, size_t slice_count, int *score) {
    const papara_reads *reads = &input->reads;
    const size_t slices = papara_slices(input), pairs = reads->count * input->vectors;
    int *row = malloc(sizeof(int) * (input->sites + (size_t)1));
    if (row == NULL) { // the oracle has no way to say so, and a check without it would mean nothing
        fprintf(stderr, "warpladder: no memory for the reference's row of %u cells\n", input->sites);
        exit(WL_NO_MACHINE);
    }
    for (size_t slice = first_slice; slice < first_slice + slice_count; slice++)
        for (size_t pair = papara_slice_begin(slice, slices); pair < pairs; pair += slices) {
            const size_t r = pair / input->vectors, v = pair % input->vectors;
            score[pair] = score_pair(input, input->site + v * input->sites, reads->codes + reads->start[r],
                                     reads->length[r], row);
        }
    free(row);
}

#ifndef WL_REFERENCE_O0

/* Eight pairs of different reads and more make slices alike; of few pairs each is a slice, so that all cores have something to
   do. A slice of the largest data (16S.B.ALL, 4e8 pairs) takes a second. */
size_t papara_slices(const papara_input *input) {
    const size_t most = (size_t)1 << 20, few = 64, alike = 8;
    const size_t pairs = input->reads.count * input->vectors;
    return pairs < few ? pairs : pairs / alike < most ? pairs / alike : most;
}

static size_t common_divisor(size_t a, size_t b) { return b == 0 ? a : common_divisor(b, a % b); }

/* Multiples of about the golden section spread evenly, however many are taken. */
size_t papara_slice_begin(size_t slice, size_t slices) {
    size_t step = (size_t)(0.6180339887498949 * (double)slices);
    while (step < slices && common_divisor(slices, step) != 1) step++;
    return slices == 0 ? 0 : (slice + 1) * step % slices;
}

#else

typedef struct {
    const papara_input *input;
    int *score; // [reads][vectors]
} serial_state;

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    (void)device;
    const papara_input *in = (const papara_input *)input;
    size_t pairs = in->reads.count * in->vectors;
    serial_state *s = malloc(sizeof *s);
    int *score = malloc(sizeof(int) * (pairs + 1));
    if (s == NULL || score == NULL) {
        free(s);
        free(score);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu x %zu scores", in->reads.count, in->vectors);
    }
    *s = (serial_state){.input = in, .score = score};
    *state = s;
    return WL_OK;
}

static wl_status slices_O3(void *state, size_t first, size_t count) {
    serial_state *s = state;
    papara_reference(s->input, first, count, s->score);
    return WL_OK;
}

static wl_status slices_O0(void *state, size_t first, size_t count) {
    serial_state *s = state;
    papara_reference_o0(s->input, first, count, s->score);
    return WL_OK;
}

static wl_status launch_O3(void *state) { return slices_O3(state, 0, papara_slices(((serial_state *)state)->input)); }

static wl_status launch_O0(void *state) { return slices_O0(state, 0, papara_slices(((serial_state *)state)->input)); }

static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    serial_state *s = state;
    size_t pairs = s->input->reads.count * s->input->vectors;
    if (pairs > 0) memcpy(output, s->score, sizeof(int) * pairs);
    return WL_OK;
}

static void release(void *state) {
    serial_state *s = state;
    if (s == NULL) return;
    free(s->score);
    free(s);
}

/* Four additions, each with a choice between two numbers, are the least a cell takes: of the diagonal, of both ways to D, of the
   insertion. Of the cells that are really computed. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const papara_input *in = (const papara_input *)input;
    enum { OPERATIONS_A_CELL = 4 };
    cost->bytes = (double)in->reads.letters + sizeof(uint32_t) * (double)in->vectors * in->sites +
                  sizeof(int) * (double)in->reads.count * (double)in->vectors;
    cost->operations = OPERATIONS_A_CELL * papara_cells_computed(&in->reads, in->vectors, in->sites);
    cost->rate = WL_RATE_SCALAR;
}

static const char *scalar_O3(void) { return "scalar, -O3"; }
static const char *scalar_O0(void) { return "scalar, -O0"; }

static const wl_variant serial_O3 = {
    .problem = "papara",
    .name = "serial_O3",
    .idea = "equation 1, one cell at a time, compiled with -O3",
    .source = "Alachiotis, Berger & Stamatakis 2012, equation 1",
    .backend = WL_CPU,
    .prepare = prepare,
    .launch = launch_O3,
    .collect = collect,
    .release = release,
    .cost = cost,
    .instruction_set = scalar_O3,
    .launch_slices = slices_O3,
};

static const wl_variant serial_O0 = {
    .problem = "papara",
    .name = "serial_O0",
    .idea = "equation 1, one cell at a time, compiled without optimisation",
    .source = "Alachiotis, Berger & Stamatakis 2012, equation 1",
    .backend = WL_CPU,
    .prepare = prepare,
    .launch = launch_O0,
    .collect = collect,
    .release = release,
    .cost = cost,
    .instruction_set = scalar_O0,
    .launch_slices = slices_O0,
};

// Two descriptors in one file, so not WL_REGISTER, which makes one function of a fixed name.
__attribute__((constructor)) static void register_serial(void) {
    wl_register(&serial_O3);
    wl_register(&serial_O0);
}

#endif
