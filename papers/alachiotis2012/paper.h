/* Alachiotis, Berger & Stamatakis 2012: PaPaRa's three tables, measured here. */
#pragma once

#include "papers/common/reproduce.h"
#include "harness/bench/device.h"
#include "harness/bench/measure.h"
#include "papara/problem.h"
#include "tools/align_reads/score/score.h"

/* ---- Tables 1 and 2 ---- */

/* Who takes part: the paper's three columns, and this suite's last stage. */
typedef enum {
    ALACHIOTIS_SEQ,   // the serial reference, one thread
    ALACHIOTIS_SIMD,  // the best CPU variant, all threads
    ALACHIOTIS_PAPER, // the paper's kernel
    ALACHIOTIS_LAST,  // the last stage that runs on this GPU
    ALACHIOTIS_LINES
} alachiotis_line_number;

typedef struct {
    const wl_variant *variant; // NULL: there is none here
    const wl_device *device;
} alachiotis_line;

/* One number of a table. What was not measured is NaN. */
typedef struct {
    int table;      // 1 or 2
    int is_filling; // a batch with enough vectors to fill a GPU of today; else the paper's own launch
    alachiotis_line_number line;
    uint32_t sites;
    size_t reads, vectors;                   // of the batch
    size_t measured_reads, measured_vectors; // of it were measured
    double share;                            // measured cells over the batch's; a serial code's slices counted, too
    wl_verdict verdict;
    size_t samples;
    wl_summary ms;          // of kernel times, of what was measured
    double total_seconds;   // prepare, launch and collect, once, of what was measured
    double seconds;         // of the whole batch: the median over share
    double gcups, computed; // counted n x m, and m x (n - m + 1)
    double joules,
        watts;          // of a launch of what was measured; mean; NaN without a counter, and for a single long launch
    double printed;     // what the paper prints as its GCUPS
    wl_cost cost;       // of what was measured; all 0 where the variant declares none
    double limit_gcups; // what that allows by the rates measured here
    char limit[16];     // "min16x2", "bandwidth"
} alachiotis_point;

/* ---- Table 3 ---- */

typedef enum {
    ALACHIOTIS_HYBRID,
    ALACHIOTIS_GPUS,
    ALACHIOTIS_ONE_GPU,
    ALACHIOTIS_CPU,
    ALACHIOTIS_MODES
} alachiotis_mode;

typedef struct {
    size_t dataset; // row of the paper's table
    alachiotis_mode mode;
    uint32_t taxa, sites;
    size_t edges, reads, measured_reads; // the first of the reads that were scored
    double shortest, longest, mean;      // letters of a read
    wl_verdict verdict;                  // passed: every trace costs its score, and modes agree on the reads they share
    double prepare_seconds;              // tree and ancestral vectors
    double align_seconds;                // the alignment phase
    double scoring_seconds;              // of what was measured; t_scoring is its share of all reads
    double t_scoring, t_all;             // seconds of all reads
    double gcups_cpu, gcups_gpu, gcups;  // what each contributed over the scoring phase
    double cpu_seconds;                  // of processor time in the scoring phase
} alachiotis_system;

/* ---- accuracy ---- */

typedef struct {
    uint32_t taxa, kept, sites, length;
    size_t reads;
    double depth, error;
    uint64_t letters;       // that have a column which the kept rows can show
    double papara, closest; // shares of them that came back to their columns: by PaPaRa, by the closest row alone
    double papara_reads, closest_reads; // shares of reads of which all did
} alachiotis_accuracy;

/* ---- the run ---- */

enum { ALACHIOTIS_TABLES = 4 }; // 1, 2, 3 and accuracy

typedef struct {
    const wl_problem *problem;
    wl_paper tables[3];
    int wanted[ALACHIOTIS_TABLES], quick;
    wl_device cpu;
    wl_device_list gpus;
    alachiotis_line lines[ALACHIOTIS_LINES];
    /* GCUPS, the highest of the table so far: what the next batch is cut by; 0: not known yet */
    double rates[ALACHIOTIS_LINES];
    alachiotis_point *points;
    size_t count;
    alachiotis_system *systems;
    size_t system_count;
    alachiotis_accuracy *accuracies;
    size_t accuracy_count;
    uint64_t seed;
    double check_seconds; // of the reference on all cores, for the pairs that a batch's first line is compared on
    int progress;
    char machine[300];
    wl_measure_options options;
} alachiotis_run;

const char *alachiotis_mode_title(alachiotis_mode mode); // "hybrid", "GPUs alone", ...

/* ---- tables_1_2.c ---- */

void alachiotis_choose_lines(alachiotis_run *run);
/* Table 1 or 2: every line on every row's batch, checked, then timed side by side. */
wl_status alachiotis_sweep(alachiotis_run *run, int table);
/* Nothing is known of it yet, and all of it will be measured. */
extern const alachiotis_point alachiotis_unmeasured;
/* Sites, reads and vectors of a row of Table 1 or 2. */
void alachiotis_dimensions(const wl_paper *paper, int table, size_t row, alachiotis_point *point);
/* Sites x letters x vectors, by the paper's mean length of a read. */
double alachiotis_paper_cells(const wl_paper *paper, const alachiotis_point *point);
/* NULL: not measured. */
const alachiotis_point *alachiotis_find(const alachiotis_run *run, int table, uint32_t sites, size_t reads,
                                        int is_filling, alachiotis_line_number line);
/* How many times as fast as `cpu`, by its lower quartile (docs/measuring.md, Speedups); NaN where one is NULL. */
double alachiotis_speedup(const alachiotis_point *point, const alachiotis_point *cpu);

/* ---- table_3.c ---- */

/* Table 3: data of the data sets' dimensions, scored by the hybrid and by its parts, and aligned. */
wl_status alachiotis_measure_systems(alachiotis_run *run);
/* GCUPS of a mode over those of the parts alone; NaN where one is missing. */
double alachiotis_of_parts(const alachiotis_run *run, size_t dataset);

/* ---- accuracy.c ---- */

wl_status alachiotis_measure_accuracy(alachiotis_run *run);

/* ---- rows.c, discussion.c ---- */

/* The paper's question, GPU against an equally tuned CPU, with this machine's numbers. */
void alachiotis_print_discussion(FILE *stream, const alachiotis_run *run, const char *indent);
/* `run` is an alachiotis_run. These are the functions of wl_reproduction_shown. */
void alachiotis_print(FILE *stream, const void *run);
void alachiotis_print_json(FILE *stream, const void *run);
void alachiotis_head(FILE *stream, const void *run, int table);
wl_rows_of alachiotis_rows;
