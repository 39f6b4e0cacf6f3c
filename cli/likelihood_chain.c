/* warpladder likelihood --chain: a posterior in place of one likelihood. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/likelihood.h"
#include "harness/base/clock.h"
#include "peeling/chain/trace.h"

/* The first tenth tunes the proposals and is left out of the summary: long enough where the tree is near the best one.
   */
enum { TUNED_SHARE = 10 };

/* What the summary is of. */
enum { LIKELIHOOD, PRIOR, LENGTH, PARAMETERS, QUANTITIES = PARAMETERS + PEELING_PARAMETERS };

typedef struct {
    double sum[QUANTITIES], squares[QUANTITIES]; // of differences from the first
    double first[QUANTITIES];
    uint64_t count;
} moments;

static const char *name_of(int quantity) {
    static const char *const names[] = {"likelihood", "prior", "treeLength"};
    return quantity < PARAMETERS ? names[quantity] : peeling_chain_parameters[quantity - PARAMETERS].name;
}

static int has(const peeling_settings *settings, int quantity) {
    return quantity < PARAMETERS || peeling_has_parameter(settings, quantity - PARAMETERS);
}

static void note(const peeling_chain *chain, moments *m) {
    const peeling_chain_now *now = peeling_chain_here(chain);
    double value[QUANTITIES] = {now->log_likelihood, now->log_prior, peeling_chain_length(chain)};
    for (int p = 0; p < PEELING_PARAMETERS; p++) value[PARAMETERS + p] = peeling_parameter_shown(&now->settings, p);
    if (m->count++ == 0) memcpy(m->first, value, sizeof value);
    for (int q = 0; q < QUANTITIES; q++) {
        const double difference = value[q] - m->first[q];
        m->sum[q] += difference;
        m->squares[q] += difference * difference;
    }
}

/* --- Interrupts -------------------------------------------------------------------------------------------------- */

/* With a trace, the first of these signals ends the chain after its step, and what has been sampled is kept. The second one has
   the effect that it had before. */
static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];
static volatile sig_atomic_t stopped; // by which; 0: none

static void stop_waiting(void) {
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
}

static void stop(int number) {
    stopped = number;
    stop_waiting();
}

static void wait_for_signals(void) {
    const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], NULL, &before[i]);
    for (int i = 0; i < SIGNALS; i++)
        if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL); // nohup's stays
}

/* --- The work ---------------------------------------------------------------------------------------------------- */

static wl_status take_steps(const likelihood_request *request, peeling_chain *chain, peeling_trace *trace, moments *m) {
    wl_status status = trace->every > 0 ? peeling_trace_note(trace, chain) : WL_OK;
    for (uint64_t i = 0; status == WL_OK && i < request->steps && !stopped; i++) {
        peeling_chain_step done;
        status = peeling_chain_next(chain, &done);
        if (status == WL_OK && trace->every > 0) status = peeling_trace_note(trace, chain);
        if (i >= request->steps / TUNED_SHARE) note(chain, m);
    }
    return status;
}

/* The kept likelihood against one from scratch: a chain that had lost its way would not say so by itself. */
static wl_status check(const likelihood_request *request, peeling_chain *chain) {
    const double kept = peeling_chain_here(chain)->log_likelihood;
    double scratch = NAN;
    const wl_status status = peeling_chain_scratch(chain, &scratch);
    const double tolerance = request->precision == PEELING_DOUBLE ? 1e-10 : 1e-6;
    if (status != WL_OK || fabs(kept - scratch) <= tolerance * fmax(1, fabs(scratch))) return status;
    return wl_fail(WL_CHECK_FAILED, "the chain ends at the log-likelihood %.12g, which is %.12g from scratch", kept,
                   scratch);
}

static void say_moves(const peeling_chain *chain, double seconds) {
    const peeling_chain_now *now = peeling_chain_here(chain);
    const peeling_engine *engine = peeling_chain_engine(chain);
    fprintf(stderr,
            "warpladder likelihood: %llu step%s in %.3g s (%s, %zu device%s); accepted:", (unsigned long long)now->step,
            now->step == 1 ? "" : "s", seconds, engine->variant->name, peeling_chain_devices(chain),
            peeling_chain_devices(chain) == 1 ? "" : "s");
    for (int m = 0; m < PEELING_MOVES; m++)
        if (now->proposed[m] > 0)
            fprintf(stderr, " %s %.2f", peeling_move_names[m], (double)now->accepted[m] / (double)now->proposed[m]);
    putc('\n', stderr);
}

static void print(const peeling_settings *settings, const moments *m, int json) {
    fputs(json ? "{" : "quantity\tmean\tsd\n", stdout);
    for (int q = 0, shown = 0; q < QUANTITIES; q++) {
        if (!has(settings, q)) continue;
        const double n = (double)m->count, mean = m->sum[q] / n;
        const double variance = fmax(0, m->squares[q] / n - mean * mean);
        if (json)
            printf("%s\"%s\": {\"mean\": %.10g, \"sd\": %.6g}", shown++ ? ", " : "", name_of(q), m->first[q] + mean,
                   sqrt(variance));
        else
            printf("%s\t%.10g\t%.6g\n", name_of(q), m->first[q] + mean, sqrt(variance));
    }
    if (json) fputs("}\n", stdout);
}

/* The two branches at the root are one to the chain. */
static void say_start(const peeling_tree *tree) {
    const uint32_t root = tree->nodes - 1, *top = tree->child[root];
    uint32_t moved = 0;
    for (uint32_t v = 0; v < root; v++) {
        const double length = tree->length[v] + (v == top[0] ? tree->length[top[1]] : 0);
        moved += v != top[1] && (length < PEELING_START_LOW || length > PEELING_START_HIGH);
    }
    if (moved > 0)
        fprintf(stderr,
                "warpladder likelihood: note: the chain starts with %u branch%s brought to lengths of %g to %g\n",
                moved, moved == 1 ? "" : "es", PEELING_START_LOW, PEELING_START_HIGH);
}

wl_status likelihood_chain(const likelihood_request *request, const peeling_input *input, const peeling_tree *tree,
                           const char **names, int json, int quiet) {
    const wl_device_list *list = &request->devices;
    const size_t skipped = list->count > 1; // the list begins with the CPU
    peeling_chain_options options = peeling_chain_defaults(request->seed);
    options.tuned = request->steps / TUNED_SHARE;
    peeling_trace trace = {0};
    peeling_chain *chain = NULL;
    moments m = {.count = 0};
    const double begun = wl_now();
    wl_status status = WL_OK;
    if (request->trace) wait_for_signals();
    if (request->trace)
        status =
            peeling_trace_open(request->trace, "chain", names, tree->tips, request->every, &request->settings, &trace);
    if (status == WL_OK)
        status = peeling_chain_open(list->items + skipped, list->count - skipped, request->variant, input, tree,
                                    &request->settings, &options, &chain);
    if (status == WL_OK && !quiet) say_start(tree);
    if (status == WL_OK) status = take_steps(request, chain, &trace, &m);
    if (status == WL_OK) status = check(request, chain);
    if (status == WL_OK && request->trace) status = peeling_trace_close(&trace);
    if (request->trace) stop_waiting();
    if (status == WL_OK && stopped) {
        if (!quiet)
            fprintf(stderr, "warpladder likelihood: note: %s has the first %llu of %llu steps\n", request->trace,
                    (unsigned long long)peeling_chain_here(chain)->step, (unsigned long long)request->steps);
        raise(stopped);
    }
    if (status == WL_OK) {
        if (!quiet) say_moves(chain, wl_now() - begun);
        print(&request->settings, &m, json);
    }
    peeling_trace_discard(&trace);
    peeling_chain_close(chain);
    return status;
}
