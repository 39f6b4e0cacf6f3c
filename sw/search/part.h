/* One part of a scan on one device: some queries against some of a database, by the best variants that take them. */
#ifndef SW_SEARCH_PART_H
#define SW_SEARCH_PART_H

#include "harness/bench/variant.h"
#include "sw/problem.h"
#include "sw/search/hits.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SW_CANDIDATES = 64 };

typedef struct {
    const wl_variant *items[SW_CANDIDATES]; // best first
    size_t count;
} sw_candidates;

/* The variants of the problem "sw" for the device's backend that match `pattern` (NULL: all), the highest stage
   first. None: WL_NO_MACHINE, or WL_BAD_USAGE where there is a pattern. */
wl_status sw_candidates_find(const wl_device *device, const char *pattern, sw_candidates *candidates);

/* What a host thread needs for its device. */
typedef struct {
    wl_device device; // memory_free: what this thread's parts may take of it
    sw_candidates candidates;
    const wl_variant *used; // the first that ran; NULL: none yet
    int *scores;            // [capacity]
    size_t capacity;
} sw_runner;

void sw_runner_free(sw_runner *runner);

/* Scan `input` and add what is found to hits [input->queries.count]. Its first subject is number `first` of the
   database that `order` ranks. On the calling thread, which has made the device its own (wl_device_use). */
wl_status sw_runner_scan(sw_runner *runner, const sw_input *input, size_t first, const uint64_t *order, sw_hits *hits);

#ifdef __cplusplus
}
#endif
#endif
