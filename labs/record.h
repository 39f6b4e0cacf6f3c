/* What the program with a student's stage leaves of each shape for the grader: a wl_lab_record, then the results of its launches, one after
   the other, then its text. The grader believes none of it: it compares the results itself, and a record that is not the one that must come
   next ends the test. */
#pragma once

#include "labs/lab.h"
#include "sim/sim.h"

enum { WL_LAB_LAUNCHES = 2, WL_LAB_TEXT_MOST = 1 << 16 };
/* The text says why it failed. RACED: so it does, of races and nothing else; the results are those of a second try, which went on. */
enum { WL_LAB_DONE = 1, WL_LAB_FAILED = 2, WL_LAB_RACED = 3 };

typedef struct {
    wl_sim_counters sim;
    uint64_t blocks;
    // A traced launch has so many warps, whose lanes loaded so much; one warp loaded most. The last is what all would have loaded if each had
    // done as much as the busiest of its block.
    uint64_t warps, warp_loads, busiest_warp, busiest_of_blocks;
} wl_lab_counts;

typedef struct {
    uint32_t state, test, shape;
    uint64_t bytes; // of the results
    uint64_t text_bytes;
    wl_lab_counts counts; // of the first launch
    char suspicion[512];  // what explains a wrong result, and is nothing otherwise
} wl_lab_record;

/* The counters of lab.ini: those of harness/bench/count.h, and those of labs/counter.c. WL_LAB_NO_COUNTER: there is no such name. */
const char *wl_lab_counter_name(int counter);
int wl_lab_counter_named(const char *name);
uint64_t wl_lab_counter(const wl_lab_counts *counts, int counter);
void wl_lab_counts_add(wl_lab_counts *sum, const wl_sim_launch *more);
/* Must the launch be traced for the test's counter? wl_lab_counts_share takes what the trace shows. */
int wl_lab_needs_trace(const wl_lab_test *test);
void wl_lab_counts_share(wl_lab_counts *counts, const wl_sim_trace *trace);
/* The test's counter, or its quotient. */
double wl_lab_counted(const wl_lab_test *test, const wl_lab_counts *counts, double work);

/* Writes all bytes to a file; 0: it cannot. */
int wl_lab_put(int file, const void *bytes, size_t count);
