/* Suchard & Rambaut 2009, Figures 3 and 4: steps of a Markov chain. */
#pragma once

#include "papers/common/reproduce.h"
#include "harness/bench/device.h"
#include "tools/likelihood/chain/time.h"
#include "peeling/simulate/simulate.h"

/* One line of a result file: a variant on one data set. What was not measured is NaN. */
typedef struct {
    int figure;            // 3 or 4
    const char *by;        // "" (Figure 3), "columns" or "taxa": what varies
    const char *model;     // "codon" or "nucleotide"
    const char *precision; // of the GPU's and cpu_simd's numbers; the serial code's are double
    uint32_t taxa, patterns;
    double columns; // with duplicates
    char variant[64];
    wl_backend backend;
    size_t devices;
    int is_serial, threads;
    wl_verdict verdict;
    uint64_t steps, agreed; // done; the same as the serial code's, or the best CPU variant's where that did more
    double ms, operations_per_s;
    double joules, watts; // of a step; mean
    double speedup_serial, speedup_best_cpu;
    double accepted; // of all proposals
} suchard_row;

typedef struct {
    wl_paper figure3, figure4;
    wl_device_list devices; // the CPU, then the GPUs that are used
    int quick;
    uint64_t seed, steps;
    uint32_t taxa, codon_patterns, nucleotide_columns; // Figure 3
    const char *over_columns, *over_taxa;              // Figure 4's sweeps, as options of `run peeling`
    uint32_t taxa4, serial_patterns;                   // of them the serial code gets so many columns at most
    suchard_row *rows;                                 // [count]
    size_t count;
    char machine[300];
    int progress;
} suchard_run;

/* ---- rows.c: of a suchard_run, see wl_reproduction_shown ---- */

void suchard_print(FILE *stream, const void *run);
void suchard_print_json(FILE *stream, const void *run);
void suchard_head(FILE *stream, const void *run, int figure);
wl_rows_of suchard_rows;
