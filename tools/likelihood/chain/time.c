#include "tools/likelihood/chain/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/memory.h"
#include "harness/bench/energy.h"
#include "harness/bench/sources.h"

enum { SCRATCH_EVERY = 1000 };
#define SERIAL_SECONDS 0.5

static double tolerance_of(peeling_precision precision) { return precision == PEELING_DOUBLE ? 1e-10 : 1e-6; }

static int is_near(double expected, double found, double tolerance) {
    return expected == found || fabs(found - expected) <= tolerance * fmax(1, fabs(expected));
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

static wl_status check_kept(peeling_chain *chain, peeling_precision precision, peeling_chain_run *run) {
    /* To the serial code a whole tree may be minutes; its likelihoods are what others' are compared with. */
    if (run->engine->variant->launch_slices && run->opening > SERIAL_SECONDS) return WL_OK;
    run->from_scratch = 1;
    const peeling_chain_now *now = peeling_chain_here(chain);
    double scratch = NAN;
    const wl_status status = peeling_chain_scratch(chain, &scratch);
    if (status != WL_OK || is_near(scratch, now->log_likelihood, tolerance_of(precision))) return status;
    return wl_fail(WL_CHECK_FAILED, "after step %llu the kept log-likelihood is %.12g, and %.12g from scratch",
                   (unsigned long long)now->step, now->log_likelihood, scratch);
}

/* Between steps, outside their times, and not so often that the device would idle for it: a reading takes some 5 ms on an H200. */
static void watch_energy(const peeling_chain_run *run, wl_energy_watch *watch) {
    const wl_clockwork *clockwork = wl_clockwork_real();
    const double now = wl_now();
    double joules;
    if (run->devices != 1 || now - watch->before.now < 0.05) return;
    if (clockwork->energy(clockwork->context, &run->device, &joules))
        wl_energy_note(watch, (wl_energy_reading){now, joules, (double)run->count});
}

static wl_status take_steps(peeling_chain *chain, const peeling_chain_plan *plan, uint64_t least, double most_seconds,
                            peeling_trace *trace, peeling_chain_run *run) {
    const double end = wl_now() + most_seconds;
    wl_energy_watch watch = {.first = {0}};
    wl_status status = trace ? peeling_trace_note(trace, chain) : WL_OK;
    while (status == WL_OK && run->count < plan->steps && (run->count < least || wl_now() < end)) {
        peeling_chain_step *step = &run->step[run->count];
        const double begun = wl_now();
        status = peeling_chain_next(chain, step);
        if (status != WL_OK) break;
        const double seconds = wl_now() - begun;
        run->ms[run->count++] = 1e3 * seconds;
        run->seconds += seconds;
        run->operations += step->operations;
        watch_energy(run, &watch);
        if (trace) status = peeling_trace_note(trace, chain);
        if (status == WL_OK && run->count % SCRATCH_EVERY == 0) status = check_kept(chain, plan->input->precision, run);
    }
    run->joules = wl_energy_each(&watch, wl_measure_defaults().energy_seconds, &run->watts);
    return status == WL_OK ? check_kept(chain, plan->input->precision, run) : status;
}

wl_status peeling_chain_time(const peeling_chain_plan *plan, const wl_device *devices, size_t count,
                             const char *variant, uint64_t least, double most_seconds, peeling_trace *trace,
                             peeling_chain_run *run) {
    *run = (peeling_chain_run){.device = devices[0],
                               .devices = count,
                               .verdict = {.state = WL_PASSED},
                               .joules = NAN,
                               .watts = NAN,
                               .step = malloc((plan->steps + 1) * sizeof *run->step),
                               .ms = malloc((plan->steps + 1) * sizeof *run->ms)};
    if (!run->step || !run->ms) return wl_fail(WL_NO_MACHINE, "no memory for the times of the steps");
    const double begun = wl_now();
    peeling_chain *chain = NULL;
    wl_status status =
        peeling_chain_open(devices, count, variant, plan->input, plan->tree, plan->settings, &plan->options, &chain);
    run->opening = wl_now() - begun;
    if (status == WL_OK) {
        run->engine = peeling_chain_engine(chain);
        wl_sources_note("peeling", run->engine->variant->name);
        run->devices = peeling_chain_devices(chain);
        status = take_steps(chain, plan, least, most_seconds, trace, run);
        memcpy(run->proposed, peeling_chain_here(chain)->proposed, sizeof run->proposed);
        memcpy(run->accepted, peeling_chain_here(chain)->accepted, sizeof run->accepted);
        peeling_chain_close(chain);
    }
    if (status != WL_NO_MACHINE && status != WL_CHECK_FAILED) return status;
    wl_verdict_set(&run->verdict, status, "%s", wl_error());
    return WL_OK;
}

void peeling_chain_run_free(peeling_chain_run *run) {
    WL_FREE(run->step, run->ms);
    run->step = NULL;
    run->ms = NULL;
}

/* --- Comparing --------------------------------------------------------------------------------------------------- */

void peeling_chain_compare(const peeling_chain_run *expected, peeling_precision precision, peeling_chain_run *run) {
    const double tolerance = tolerance_of(precision);
    const uint64_t both = expected->count < run->count ? expected->count : run->count;
    run->agreed = 0;
    for (uint64_t i = 0; i < both && wl_passed(&run->verdict); i++, run->agreed++) {
        const peeling_chain_step *should = &expected->step[i], *is = &run->step[i];
        if (should->move != is->move || !is_near(should->log_likelihood, is->log_likelihood, tolerance)) {
            wl_verdict_set(&run->verdict, WL_CHECK_FAILED,
                           "step %llu proposes %s of log-likelihood %.12g, expected %s of %.12g", (unsigned long long)i,
                           peeling_move_names[is->move], is->log_likelihood, peeling_move_names[should->move],
                           should->log_likelihood);
            return;
        }
        if (should->accepted == is->accepted) continue;
        /* Both likelihoods of the odds may be that far off. */
        if (fabs(should->margin) <= 2 * tolerance * fmax(1, fabs(should->log_likelihood))) return;
        wl_verdict_set(&run->verdict, WL_CHECK_FAILED, "step %llu (%s) is %s, expected the opposite",
                       (unsigned long long)i, peeling_move_names[is->move], is->accepted ? "accepted" : "rejected");
        return;
    }
}

double peeling_chain_ms(const peeling_chain_run *run) { return 1e3 * run->seconds / (double)run->count; }

double peeling_chain_speedup(const peeling_chain_run *baseline, const peeling_chain_run *run) {
    if (baseline->count == 0 || run->count == 0) return NAN;
    return baseline->seconds / baseline->operations * run->operations / run->seconds;
}
