/* The variants of a problem checked at many shapes, on several devices. */
#pragma once

#include <stdio.h>

#include "harness/bench/device.h"
#include "harness/bench/problem.h"
#include "harness/bench/verdict.h"

/* A kernel takes time for each result. Shapes with more results than these find few other mistakes, and make the simulated device
   slow. */
enum { WL_QUICK_BYTES = 8192 };

/* What is to be checked. */
typedef struct {
    const wl_problem *problem;
    const char *pattern; // see wl_variant_matches; NULL: every variant
    const char *device;  // what `devices` were asked for as, for errors
    const wl_device_list *devices;
    const wl_arguments *shape; // the one shape; NULL: the problem's awkward shapes, its default and its long ones
    uint64_t seed;
    int quick; // without `shape`: leave out the default shape, and those whose result is larger than WL_QUICK_BYTES
    int also_unseen; // one of the shapes again with a seed from the clock, on the simulated device
    FILE *lines;     // for a line for each variant, device and shape; NULL: none
    int progress;    // tell how far it is on standard error, unless there are lines
} wl_check_request;

/* What came of one variant on one device. */
typedef struct {
    const wl_variant *variant;
    const wl_device *device;
    size_t ok, unsupported; // shapes
    size_t left_out;        // long shapes for which the host has no memory or the variant takes long
    size_t too_large;       // shapes that are not quick
    int failed;
    wl_verdict verdict;     // of the first failure, else of the first unsupported shape
    char where[160];        // its shape
    char why_left_out[256]; // the first shape that was left out, and why
} wl_check_tally;

typedef struct {
    wl_check_tally *items; // [count], device by device, in the registry's order
    size_t count;
} wl_check_tallies;

/* Check each variant at each shape, until it fails. WL_OK also when checks fail: wl_check_tallies_status tells. WL_BAD_USAGE: no variant
   matches; WL_NO_MACHINE: none that matches is for these devices, or memory is short; and what the inputs are refused for. On success
   the caller frees tallies->items, which point into request->devices; otherwise there is nothing to free. */
wl_status wl_check_problem(const wl_check_request *request, wl_check_tallies *tallies);
/* WL_CHECK_FAILED names the first variant that failed, and why unless that has been `told`; WL_NO_MACHINE: nothing could be checked; else
   WL_OK. */
wl_status wl_check_tallies_status(const wl_check_tallies *tallies, int told);
