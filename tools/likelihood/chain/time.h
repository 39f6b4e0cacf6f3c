/* The same chain on one device and another: timed, and its steps compared. */
#pragma once

#include "harness/bench/verdict.h"
#include "harness/bench/measure.h"
#include "tools/likelihood/chain/trace.h"

/* The chain; all of it outlives the runs. */
typedef struct {
    const peeling_input *input; // its data and precision
    const peeling_tree *tree;
    const peeling_settings *settings;
    peeling_chain_options options;
    uint64_t steps;
} peeling_chain_plan;

/* A run of it. */
typedef struct {
    const peeling_engine *engine; // NULL: there was none
    wl_device device;             // the first
    size_t devices;
    wl_verdict verdict;
    uint64_t count, agreed;     // steps done; how many are those of what it was compared with
    peeling_chain_step *step;   // [count]
    double *ms;                 // [count]
    double operations, seconds; // of all steps together; checks are not in it
    double joules, watts; // per step, and mean; NaN without a counter, for several devices, and below half a second
    int from_scratch;     // was that done?
    double opening;       // seconds until the first step could be taken
    uint64_t proposed[PEELING_MOVES], accepted[PEELING_MOVES];
} peeling_chain_run;

/* Run it for plan->steps steps, or until most_seconds have passed and least steps are done. Every 1,000 steps and at
   the end the likelihood is computed from scratch and compared with the one kept: 1e-10 relative in double precision,
   1e-6 in single; of the serial code only where that is quick. `trace` may be NULL. What cannot run or is wrong says so
   in run->verdict; another status than WL_OK is one of the trace's files or of memory. Free with peeling_chain_run_free
   in any case. */
wl_status peeling_chain_time(const peeling_chain_plan *plan, const wl_device *devices, size_t count,
                             const char *variant, uint64_t least, double most_seconds, peeling_trace *trace,
                             peeling_chain_run *run);
void peeling_chain_run_free(peeling_chain_run *run);

/* Are `run`'s steps those of `expected`, as far as both go? Proposals' log-likelihoods to 1e-10 (1e-6) relative, and
   the decisions. One that rounding can have turned, since the odds were that near, ends the comparison: what follows is
   another chain. Writes run->agreed, and what is wrong into run->verdict if that has passed. */
void peeling_chain_compare(const peeling_chain_run *expected, peeling_precision precision, peeling_chain_run *run);

/* How many times as fast as `baseline`, whose time is scaled by the operations of the steps where it did fewer of them.
   NaN: one has not run. */
double peeling_chain_speedup(const peeling_chain_run *baseline, const peeling_chain_run *run);
double peeling_chain_ms(const peeling_chain_run *run); // a step, on average
