/* What the program with a student's stage leaves of each shape for the grader: a wl_lab_record, then the results of its launches, one after
   the other, then its text. The grader believes none of it: it compares the results itself, and a record that is not the one that must come
   next ends the test. */
#pragma once

#include "labs/lab.h"
#include "sim/sim.h"

enum { WL_LAB_LAUNCHES = 2, WL_LAB_TEXT_MOST = 1 << 16 };
enum { WL_LAB_DONE = 1, WL_LAB_FAILED = 2 }; /* the text says why */

typedef struct {
    uint32_t state, test, shape;
    uint64_t bytes; /* of the results */
    uint64_t text_bytes;
    wl_sim_counters counters; /* of the first launch */
    char suspicion[512];      /* what explains a wrong result, and is nothing otherwise */
} wl_lab_record;

/* The test's counter, or its quotient. */
double wl_lab_counted(const wl_lab_test *test, const wl_sim_counters *counters, double work);

/* Writes all bytes to a file; 0: it cannot. */
int wl_lab_put(int file, const void *bytes, size_t count);
