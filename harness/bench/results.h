/* Result rows and files: TSV with the machine in `# key: value` header lines, then one quoted row a variant and size. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/stats.h"
#include "harness/bench/variant.h"
#include "harness/bench/verdict.h"

/* An option that a sweep varies, and its value in this row. See harness/bench/sweep.h. */
enum { WL_AXES_MOST = 4 };
typedef struct {
    char name[32], text[32]; // "read_length", "100"
    int is_number;
} wl_axis_value;

/* What one row says. A number that was not measured is NaN and is written as NA. */
typedef struct {
    const wl_variant *variant;
    char problem[32], name[64], backend[8], device[128], instruction_set[64];
    int threads;        // of a CPU variant; 0 otherwise
    wl_verdict verdict; // columns "check" and "checked_by"
    char shape[96];
    size_t datasets;
    char cache[8]; // "cold" or "hot"; "" when not timed
    size_t samples, discarded;
    char stop_reason[24]; // "stable", "time", "samples", "not timed"
    wl_summary kernel_ms, total_ms;
    double noise;       // relative half-width of the 95 % interval of the mean of the rounds' kernel times
    double work;        // of one data set, in the problem's unit
    double done_share;  // the part of the work that has to be done, where the problem counts more
    double timed_share; // the part of the work that was timed and checked: below 1 only for serial variants
    double work_per_s;
    double limit_fraction;
    char limit[16];                            // what the limit is: "bandwidth", "int32", ...
    wl_ratio speedup_serial, speedup_best_cpu; // of kernel times
    wl_ratio speedup_previous;                 // against the stage before that takes these data, on the same device
    double bytes, operations;                  // of one data set, as the variant's cost has them; see wl_cost
    char rate[16];                             // of which the operations are: "int32"; "": none declared
    double rate_per_s, bandwidth;              // measured on the row's device; NaN for a row without times
    double joules, work_per_joule; // per launch, of the whole device; NaN without a counter (harness/bench/energy.h)
    double watts;                  // mean over that loop of launches
    double clock;                  // median SM clock of the samples over the nominal one; NaN where it cannot be told
    wl_axis_value axes[WL_AXES_MOST]; // [axis_count], the same axes in all rows of a file
    size_t axis_count;                // 0: no sweep
} wl_row;

/* The header: machine, commit, seed, command, as `# key: value` lines. */
void wl_results_header(FILE *stream, const char *command, unsigned long long seed);
/* Header, column names, rows; whole or absent (io/outfile). */
wl_status wl_results_write(const char *path, const char *command, unsigned long long seed, const wl_row *rows,
                           size_t count);
/* The rows as a table for people, or as JSON, on `stream`. */
void wl_results_print(FILE *stream, const wl_row *rows, size_t count);
void wl_results_print_json(FILE *stream, const char *command, unsigned long long seed, const wl_row *rows,
                           size_t count);
