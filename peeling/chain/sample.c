#include "peeling/chain/sample.h"

#include <math.h>
#include <string.h>

#include "harness/base/clock.h"
#include "peeling/chain/trace.h"

/* Tuning is long enough where the tree is near the best one. */
enum { TUNED_SHARE = 10, LIKELIHOOD = 0, PRIOR, LENGTH, PARAMETERS };

const char *peeling_sampled_name(int quantity) {
    static const char *const names[PARAMETERS] = {"likelihood", "prior", "treeLength"};
    return quantity < PARAMETERS ? names[quantity] : peeling_chain_parameters[quantity - PARAMETERS].name;
}

int peeling_is_sampled(const peeling_settings *settings, int quantity) {
    return quantity < PARAMETERS || peeling_has_parameter(settings, quantity - PARAMETERS);
}

/* --- Moments ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double first[PEELING_SAMPLED], sum[PEELING_SAMPLED], squares[PEELING_SAMPLED]; // of differences from the first
    uint64_t count;
} moments;

static void add(const peeling_chain *chain, moments *m) {
    const peeling_chain_now *now = peeling_chain_here(chain);
    double value[PEELING_SAMPLED] = {
        [LIKELIHOOD] = now->log_likelihood, [PRIOR] = now->log_prior, [LENGTH] = peeling_chain_length(chain)};
    for (int p = 0; p < PEELING_PARAMETERS; p++) value[PARAMETERS + p] = peeling_parameter_shown(&now->settings, p);
    if (m->count++ == 0) memcpy(m->first, value, sizeof value);
    for (int q = 0; q < PEELING_SAMPLED; q++) {
        const double difference = value[q] - m->first[q];
        m->sum[q] += difference;
        m->squares[q] += difference * difference;
    }
}

static void summarise(const moments *m, peeling_sample *sample) {
    for (int q = 0; q < PEELING_SAMPLED; q++) {
        const double mean = m->sum[q] / (double)m->count;
        sample->mean[q] = m->first[q] + mean;
        sample->sd[q] = sqrt(fmax(0, m->squares[q] / (double)m->count - mean * mean));
    }
}

/* --- The chain --------------------------------------------------------------------------------------------------- */

/* The two branches at the root are one to the chain. */
static void note_start(const peeling_likelihood_request *likelihood, const peeling_tree *tree) {
    const uint32_t root = tree->nodes - 1, *top = tree->child[root];
    uint32_t moved = 0;
    for (uint32_t v = 0; v < root; v++) {
        const double length = tree->length[v] + (v == top[0] ? tree->length[top[1]] : 0);
        moved += v != top[1] && (length < PEELING_START_LOW || length > PEELING_START_HIGH);
    }
    if (moved > 0)
        peeling_likelihood_note(likelihood, "the chain starts with %u branch%s brought to lengths of %g to %g", moved,
                                moved == 1 ? "" : "es", PEELING_START_LOW, PEELING_START_HIGH);
}

static wl_status take_steps(const peeling_sample_request *request, peeling_chain *chain, peeling_trace *trace,
                            moments *m) {
    if (request->trace) WL_TRY(peeling_trace_note(trace, chain));
    for (uint64_t i = 0; i < request->steps && !*request->stopped; i++) {
        peeling_chain_step done;
        WL_TRY(peeling_chain_next(chain, &done));
        if (request->trace) WL_TRY(peeling_trace_note(trace, chain));
        if (i >= request->steps / TUNED_SHARE) add(chain, m);
    }
    return WL_OK;
}

/* The kept likelihood against one from scratch: a chain that had lost its way would not say so by itself. */
static wl_status check(peeling_precision precision, peeling_chain *chain) {
    const double kept = peeling_chain_here(chain)->log_likelihood;
    double scratch = NAN;
    WL_TRY(peeling_chain_scratch(chain, &scratch));
    if (fabs(kept - scratch) <= (precision == PEELING_DOUBLE ? 1e-10 : 1e-6) * fmax(1, fabs(scratch))) return WL_OK;
    return wl_fail(WL_CHECK_FAILED, "the chain ends at the log-likelihood %.12g, which is %.12g from scratch", kept,
                   scratch);
}

wl_status peeling_sample_chain(const peeling_likelihood_request *likelihood, const peeling_likelihood *start,
                               const peeling_sample_request *request, peeling_sample *sample) {
    const double begun = wl_now();
    peeling_chain_options options = peeling_chain_defaults(request->seed);
    options.tuned = request->steps / TUNED_SHARE;
    peeling_trace trace = {0};
    peeling_chain *chain = NULL;
    moments m = {.count = 0};
    wl_status status = WL_OK;
    if (request->trace)
        status = peeling_trace_open(request->trace, "chain", (const char **)start->names, start->tree.tips,
                                    request->every, &start->settings, &trace);
    if (status == WL_OK)
        status = peeling_chain_open(likelihood->devices, likelihood->device_count, likelihood->variant, &start->input,
                                    &start->tree, &start->settings, &options, &chain);
    if (status == WL_OK) {
        note_start(likelihood, &start->tree);
        status = take_steps(request, chain, &trace, &m);
    }
    if (status == WL_OK) status = check(likelihood->precision, chain);
    if (status == WL_OK && request->trace) status = peeling_trace_close(&trace);
    if (status == WL_OK) {
        summarise(&m, sample);
        sample->now = *peeling_chain_here(chain);
        sample->variant = peeling_chain_engine(chain)->variant->name;
        sample->devices = peeling_chain_devices(chain);
        sample->seconds = wl_now() - begun;
    }
    if (status == WL_OK && *request->stopped)
        peeling_likelihood_note(likelihood, "%s has the first %llu of %llu steps", request->trace,
                                (unsigned long long)sample->now.step, (unsigned long long)request->steps);
    peeling_trace_discard(&trace);
    peeling_chain_close(chain);
    return status;
}
