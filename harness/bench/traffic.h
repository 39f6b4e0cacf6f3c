/* The memory traffic of a ladder: its stages counted on the simulated device, as tables and as a file to draw. */
#pragma once

#include <stdio.h>

#include "harness/bench/count.h"

typedef struct {
    const wl_problem *problem;
    wl_count *items; // [count], in the registry's order
    size_t count;
    size_t first; // items before this one were not asked for: the stage before the first, to compare with
    char shape[96];
    double work;
} wl_traffic;

/* Count every variant of backend sim that matches `pattern`, and the stage before the first of them, on the first input.
   With `progress`, standard error tells how far it is. WL_BAD_USAGE when nothing matches. wl_traffic_free frees. */
wl_status wl_traffic_count(wl_inputs *inputs, const char *pattern, int progress, wl_traffic *traffic);
void wl_traffic_free(wl_traffic *traffic);

/* WL_CHECK_FAILED when a variant's check failed, WL_NO_MACHINE when none is supported; else WL_OK. */
wl_status wl_traffic_status(const wl_traffic *traffic);

/* Three tables: per launch, per unit of work, and the change from the stage before. */
void wl_traffic_print(FILE *stream, const wl_traffic *traffic);

/* Tab-separated, a row a kernel of what was asked for, without a header. */
void wl_traffic_print_tsv(FILE *stream, const wl_traffic *traffic);

/* Published times, which a file has beside the counts. */
typedef struct {
    const char *paper;                                           // "Payne et al. 2010"
    double (*ms)(const void *context, const char *variant_name); // NaN: none
    const void *context;
} wl_traffic_beside;

/* A result file for plots/traffic.gp, a row a variant; beside: NULL, or what the column paper_ms has. */
wl_status wl_traffic_write(const char *path, const wl_traffic *traffic, const wl_traffic_beside *beside,
                           const char *command, unsigned long long seed);
