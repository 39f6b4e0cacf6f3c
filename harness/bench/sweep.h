/* Options that are given several values, "--patterns 100:100000:x10": a measurement for each combination of them. */
#pragma once

#include "harness/bench/problem.h"
#include "harness/bench/results.h"

enum { WL_SWEEP_MOST = 10000 }; // combinations

/* One option and its values. */
typedef struct {
    const char *name;
    size_t option; // its place in the arguments
    size_t count, at;
    int is_number;
    char **values; // [count]
} wl_axis;

typedef struct {
    wl_axis axes[WL_AXES_MOST];
    size_t count;       // of axes; 0: a single combination, what was given
    size_t points;      // combinations
    size_t at;          // of them, from 1, after wl_sweep_next
    wl_arguments point; // the values of combination `at`
} wl_sweep;

/* The axes among `given`, in the order of the problem's options:
       FROM:TO:N       N numbers from FROM to TO, evenly apart; whole ones where both ends are
       FROM:TO:+STEP   numbers FROM, FROM + STEP, ... up to TO
       FROM:TO:xF      numbers FROM, FROM * F, ... up to TO
       A,B,...         numbers, or words where the option's argument lists those it may have; not where the option takes a list itself
   A text of another form stays one value. WL_BAD_USAGE names an option whose range is empty or too long. wl_sweep_free frees, in either
   case. */
wl_status wl_sweep_begin(const wl_arguments *given, wl_sweep *sweep);
/* The next combination, the last axis fastest; 0: there is none. */
int wl_sweep_next(wl_sweep *sweep);
/* Note the combination in a result row. */
void wl_sweep_label(const wl_sweep *sweep, wl_row *row);
void wl_sweep_free(wl_sweep *sweep);
