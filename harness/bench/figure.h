/* The paper's Figure 3, drawn from the addresses that a block of threads really touched. */
#pragma once

#include <stdio.h>

#include "harness/base/error.h"
#include "sim/sim.h"

/* The unit in which global memory is fetched. */
#define WL_SECTOR 32

/* One access of one thread to global memory. */
typedef struct {
    uint32_t thread;     // within the block, x fastest
    uint32_t request;    // number of the warp-wide instruction
    uint32_t allocation; // which array: 0, 1, ...
    uint64_t offset;     // bytes from its start
    uint32_t size;       // bytes
    char kind;           // 'l' load, 's' store, 'a' atomic
} wl_figure_access;

/* Those of a trace, in the order in which they were issued. NULL: not enough memory. The caller frees them. */
wl_figure_access *wl_figure_accesses(const wl_sim_trace *trace, size_t *count);

/* What to draw. `rows` 0: the memory is no table, so there is no grid, only the strip by address. */
typedef struct {
    const char *title;                // "lessons/01_naive, 8x16, block (0,2)"
    const wl_figure_access *accesses; // [count], of one block
    size_t count;
    const wl_sim_memory *memories;       // NULL: arrays are drawn without names
    size_t rows, columns, element_bytes; // see wl_problem.figure_layout
    const char *row_name, *column_name;  // NULL without a grid
} wl_figure;

/* The accesses of one kind, added up. */
typedef struct {
    size_t operations;    // accesses of single threads
    size_t requests;      // warp-wide instructions
    size_t useful_bytes;  // different bytes touched
    size_t sectors;       // different sectors they lie in
    size_t sectors_moved; // summed over the requests: what the counters count
} wl_figure_totals;

/* Adds up the accesses whose kind is in `kinds` ("l", "sa"). */
wl_status wl_figure_add_up(const wl_figure *figure, const char *kinds, wl_figure_totals *totals);

/* Draw with characters. */
wl_status wl_figure_print(FILE *stream, const wl_figure *figure);

/* The rectangles that plots/figure3.gp draws, as a result file: whole or absent. */
wl_status wl_figure_write(const char *path, const wl_figure *figure, const char *command, unsigned long long seed);
