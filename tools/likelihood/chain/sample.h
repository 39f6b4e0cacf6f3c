/* A chain from a tree and a model on, and the means of what it samples: what `warpladder likelihood --chain` calls. */
#pragma once

#include <signal.h>

#include "tools/likelihood/chain/chain.h"
#include "tools/likelihood/likelihood.h"

/* What is sampled: log-likelihood, log-prior, the length of the tree, and the parameters. */
enum { PEELING_SAMPLED = 3 + PEELING_PARAMETERS };
const char *peeling_sampled_name(int quantity); // "likelihood", "kappa"
int peeling_is_sampled(const peeling_settings *settings, int quantity);

typedef struct {
    uint64_t steps, seed;
    const char *trace;         // folder of chain.log and chain.trees; NULL: none
    uint64_t every;            // steps between two of their lines
    int overwrites, resumes;   // files of that name that are there: replaced; gone on with
    double checkpoint_seconds; // between two checkpoints, of a chain with a trace
    void (*progress)(uint64_t step, uint64_t steps, double log_likelihood); // now and then; NULL: not
    volatile sig_atomic_t *stopped; // not 0: the chain ends after its step, and what has been sampled is kept
} peeling_sample_request;

typedef struct {
    double mean[PEELING_SAMPLED], sd[PEELING_SAMPLED];
    peeling_chain_now now; // the last step
    const char *variant;
    size_t devices;
    double seconds;
} peeling_sample;

/* The first tenth of the steps tunes the proposals and is left out of the means; of a chain that is prolonged, the tenth of what it was to be
   at first. At the end the kept likelihood is compared with
   one from scratch. WL_CHECK_FAILED: they differ; else as of peeling_chain_open and peeling_trace_open. */
wl_status peeling_sample_chain(const peeling_likelihood_request *likelihood, const peeling_likelihood *start,
                               const peeling_sample_request *request, peeling_sample *sample);
