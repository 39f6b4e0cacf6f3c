/* Ligowski & Rudnicki 2009, Figure 4: what was measured here, point by point, and what limits it. */
#pragma once

#include "papers/common/reproduce.h"
#include "harness/bench/device.h"
#include "harness/bench/measure.h"
#include "sw/generate.h"
#include "sw/problem.h"

enum { LIGOWSKI_LINES_MOST = 16 };

/* A line of the figure: a variant on the CPU or on so many GPUs. */
typedef struct {
    const wl_variant *variant;
    const wl_device *devices; // [devices_used]
    size_t devices_used;      // 2: half of the database each
} ligowski_line;

/* A point of a line. What was not measured is NaN. */
typedef struct {
    const char *database; // "Swiss-Prot", "Random1000": static text
    uint32_t query_length;
    ligowski_line line;
    wl_verdict verdict;
    size_t samples;
    wl_summary ms; // of kernel times
    double work;   // cell updates
    double gcups;
    double joules, watts; // of a launch; mean; NaN without a counter, and on two devices
    wl_cost cost;         // all 0 where the variant declares none
} ligowski_point;

typedef struct {
    const wl_problem *problem;
    wl_paper figure, limits;
    wl_device_list devices; // the CPU, then the GPUs that are used
    ligowski_line lines[LIGOWSKI_LINES_MOST];
    size_t line_count;
    ligowski_point *points; // [count]
    size_t count;
    wl_traffic traffic; // count 0: nothing was counted
    uint64_t seed;
    size_t subjects;
    uint64_t letters; // of the database here
    size_t reduced;   // 1: the paper's dimensions; n: one n-th of them
    size_t query_count;
    uint32_t shortest, longest; // of the queries
    char machine[300];
    wl_measure_options options;
} ligowski_run;

/* ---- measure.c ---- */

/* The CPU's lines: the serial baseline, and what uses all cores. The GPU's: the paper's kernel, the one it compares itself with,
   and the last stage that takes `input`; on two GPUs all but the second. */
void ligowski_choose_lines(ligowski_run *run, const sw_input *input);

/* Check every line on this database and query, time those that are right, and add their points. WL_OK also where
   single lines fail: their points say so. */
wl_status ligowski_measure(ligowski_run *run, const char *database, const sw_input *input);

/* Every other stretch of a set, each of `stretch` sequences: part 0 or 1. Both have sequences of all lengths, longest first.
   On success free with sw_owned_set_free. */
wl_status ligowski_half(const sw_set *set, size_t stretch, int part, sw_owned_set *half);

/* ---- rows.c: of a ligowski_run, see wl_reproduction_shown ---- */

void ligowski_print(FILE *stream, const ligowski_run *run);
void ligowski_head(FILE *stream, const void *run, int table);
wl_rows_of ligowski_rows;
void ligowski_print_json(FILE *stream, const void *run);

/* ---- limits.c ---- */

/* The paper's limits on its machine and, by the rates measured here, on this one; what each line needs a cell, and how
   much of what that allows it reached. */
void ligowski_print_limits(FILE *stream, const ligowski_run *run);
/* Two files: the sums, and what the lines need and reach. */
void ligowski_sums_head(FILE *stream, const void *run, int table);
wl_rows_of ligowski_sums_rows;
void ligowski_limits_head(FILE *stream, const void *run, int table);
wl_rows_of ligowski_limits_rows;
