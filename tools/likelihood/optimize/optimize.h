/* Maximum likelihood on a fixed tree: branch lengths, and the numbers of models. */
#pragma once

#include "tools/likelihood/likelihood.h"

typedef struct {
    int branches, model; // what is estimated; of a model's numbers those that settings.given does not name
    int scaled; // with several alignments: each one's lengths are those of the tree times a factor of its own. Else they are the same
    wl_device cpu;                                // computes on its threads what `device` does not
    const wl_device *device;                      // where the search runs if it can; NULL: on the CPU
    const peeling_likelihood_request *read;       // its note is called if the device cannot
    void (*progress)(unsigned round, double log); // NULL, or called after each round
} peeling_optimize_request;

typedef struct {
    double log_likelihood; // of all alignments
    /* The caller's, [count]: of each one's lengths over the tree's. Where it starts; with
       `branches` their mean, by columns, is 1 in the end */
    double *scale;
    unsigned rounds; // until the last one gained less than 0.00001; 500 at most
    unsigned long evaluations;
} peeling_optimized;

/* parts [count]: alignments with the same rows, each with a model of its own, on the same tree: lengths of parts[0]->tree over
   made->scale[0] are where it starts. On success each part's tree, edges, settings and model are those of the maximum; nothing is evaluated. A
   maximum found uphill from the start need not be the highest.
   WL_BAD_USAGE: a model without numbers to estimate, where nothing else is. WL_NO_MACHINE: memory is short. */
wl_status peeling_optimize(const peeling_optimize_request *request, peeling_likelihood *const *parts, size_t count,
                           peeling_optimized *made);
