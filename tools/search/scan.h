/* The scan of a search: every query's score with every sequence of a database, on one device or several, reduced at
   once to the best hits.

   The scan knows no kernel: it takes the variants of the problem "sw" that the build found. */
#pragma once

#include "harness/bench/variant.h"
#include "io/database/set.h"
#include "sw/problem.h"
#include "tools/search/hits.h"

typedef struct sw_scan sw_scan;

typedef struct {
    const sw_scoring *scoring;
    sw_set database;          // longest first; all of a database's sequences or a range of them
    size_t first;             // the range's beginning, which is added to subjects' numbers
    const uint64_t *order;    // of all of the database's sequences: see sw_database
    const wl_device *devices; // [device_count]
    size_t device_count;
    const char *pattern;   // of variants, see wl_variant_matches; NULL: any
    size_t memory;         // of a device that may be used, bytes; 0: what is free there
    uint64_t most_letters; // of a block; 0: chosen
    int threads;           // that CPU variants may use; 0: OpenMP's choice
} sw_scan_setup;

/* Queries that are scanned together. The caller fills in the first part, and keeps it and what it points to until the
   batch is waited for. */
typedef struct sw_scan_batch {
    sw_set queries;
    sw_hits *hits; // [queries.count], initialised

    struct sw_scan_batch *next; // the rest is the scan's
    size_t given, done, all;    // of the database's sequences
} sw_scan_batch;

/* Choose each device's variants and start its threads. No variant of a device's backend: WL_NO_MACHINE. On success
   close with sw_scan_close. */
wl_status sw_scan_open(const sw_scan_setup *setup, sw_scan **scan);
/* Also with batches unfinished: what is under way is waited for, and nothing new is begun. */
void sw_scan_close(sw_scan *scan);

/* Queue a batch. Batches are worked on in the order they come; a device that finds nothing left to begin in one
   goes on with the next. */
void sw_scan_submit(sw_scan *scan, sw_scan_batch *batch);
/* Wait until the batch's hits are complete, calling tick (may be NULL) several times a second. A failure anywhere in
   the scan: its status. */
wl_status sw_scan_wait(sw_scan *scan, const sw_scan_batch *batch, void (*tick)(void *context), void *context);

typedef struct {
    double cells;   // finished so far
    double seconds; // in which there was something to scan
} sw_scan_progress;
sw_scan_progress sw_scan_done(sw_scan *scan);

/* "NVIDIA H200 (07_x), NVIDIA H200 (07_x)": every device with the first variant that ran on it, into `text`. */
void sw_scan_describe(sw_scan *scan, char *text, size_t size);
