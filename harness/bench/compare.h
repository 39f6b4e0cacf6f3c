/* Kernel times of the same rows in several result files, and whether they differ.

   The same code is not equally fast in two processes: memory lies elsewhere, the clock does something else. So what counts is how much
   medians differ from process to process, which `run --repeat` shows. In logarithms, with the medians of n and m processes:
       ratio = exp(mean of the other's - mean of the first's),
       interval = ratio times or by exp(t s sqrt(1/n + 1/m)), s the processes' own deviation, pooled, with n + m - 2 degrees of freedom.
   Few processes may agree by chance, and of one process s is not known. So the interval is never narrower than with s at
   WL_COMPARE_PROCESS and 2 in place of t; never than the two `noise` columns, the largest of each side; and never than WL_COMPARE_LEAST,
   which is what timers and clocks resolve. A row is "same" if the interval contains 1; else it is "slower" or "faster". */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/stats.h"

/* On an H200 the medians of one kernel differed by up to 2.7 % from process to process. This was read from the processes' medians of two
   sessions, 0.050912 and 0.052288 ms of lesson 11; results/compare_h200.tsv has the pairs of processes. */
#define WL_COMPARE_PROCESS 0.015
#define WL_COMPARE_LEAST 0.005
/* Noise from which a difference that is seen is worth a second measurement. */
#define WL_COMPARE_NOISY 0.02

/* The times of one row in the processes of one side. */
typedef struct {
    double *ms; // [count]: kernel_ms_median
    size_t count;
    double noise;      // the largest of the noise columns; NaN: none
    const char *lacks; // why a process has no time: "failed" if its check did, else "not timed"; NULL: all have one
} wl_side;

typedef struct {
    char *problem, *variant, *backend, *device, *shape, *cache, *threads; // what makes two rows the same
    wl_side *sides;                                                       // [side count]
} wl_compared;

/* A fact of a file's header that two sides should have in common, or the commit, which they need not. */
typedef struct {
    char *name, *value;
    size_t side;
} wl_compared_fact;

typedef struct {
    size_t sides;
    wl_compared *rows; // [count], in the first side's order, then what others have more
    size_t count;
    wl_compared_fact *facts;
    size_t fact_count;
} wl_comparison;

/* Side `side` of `sides`: a result file, or a folder of them and of folders of them (`run --repeat`), whose rows are of as many processes.
   Begin with a zero *c and c->sides set. WL_BAD_INPUT for what is no result file, with file and line. */
wl_status wl_compare_read(wl_comparison *c, size_t side, const char *path);
void wl_compare_free(wl_comparison *c);

/* The fact's value on a side; NULL: it has none. */
const char *wl_compare_fact(const wl_comparison *c, size_t side, const char *name);

/* The other's time over the first's with its 95 % interval; all NaN where one has no time. */
wl_ratio wl_compare_ratio(const wl_side *first, const wl_side *other);
/* "same", "faster", "slower"; "only here" and "only there" where the other or the first has no such row, "failed" or "not timed"
   where one has no time. */
const char *wl_compare_word(const wl_side *first, const wl_side *other);

/* --- harness/bench/compare_show.c; files [c->sides]: what the sides are called --- */

/* Do the first side and another have a row in common? */
int wl_compare_has_both(const wl_comparison *c);
/* A table for people, with a line for each side before it. */
void wl_compare_print(FILE *stream, const wl_comparison *c, const char *const *files);
/* Each row of each other side beside the first, as tab-separated values or as the elements of a JSON array. */
void wl_compare_put_rows(FILE *stream, int is_json, const wl_comparison *c, const char *const *files);
/* The rows as a result file, whole or absent; `command` for its header. Errors as of wl_outfile_open and wl_outfile_commit. */
wl_status wl_compare_write(const char *path, const char *command, const wl_comparison *c, const char *const *files);
/* A line for each fact that makes a comparison say little about the code: another machine, driver or compiler; and one for noisy times. */
void wl_compare_note_machines(FILE *stream, const wl_comparison *c, const char *const *files);
/* WL_CHECK_FAILED names the first row that is slower by more than the share `most`, or that has a time in the first side only. With
   an infinite `most` nothing is looked at. */
wl_status wl_compare_judge(const wl_comparison *c, double most);
