/* warpladder likelihood: what its options ask for. */
#pragma once

#include "cli/args.h"
#include "harness/bench/device.h"
#include "tools/likelihood/chain/sample.h"

typedef struct {
    int branches, model;                // `--optimize`
    const char *best_tree, *best_model; // where they go; NULL: nowhere
    const char *partitions;             // NULL: the alignment is one
    int scaled;                         // lengths of partitions are proportional; -1: as their file says
    int all_trees;                      // of the file
} likelihood_search;

typedef struct {
    peeling_likelihood_request read;
    peeling_sample_request chain; // of no steps: the likelihood of the tree alone
    likelihood_search search;
    const char *sites;      // where site likelihoods go; NULL: nowhere
    wl_device_list devices; // the CPU, and then GPUs or the simulated device where they are asked for
} likelihood_request;

extern const wl_option likelihood_options[];
/* request->read.devices points into request->devices. */
wl_status likelihood_read_options(const wl_args *args, likelihood_request *request);

/* search.c: without --chain, from `begun` on. */
wl_status likelihood_search_run(const wl_args *args, const likelihood_request *request, double begun);
