#include "tools/likelihood/chain/sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "tools/likelihood/chain/checkpoint.h"
#include "tools/likelihood/chain/trace.h"

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

/* Saved with the chain. */
typedef struct {
    peeling_trace_mark mark;
    uint64_t tuned; // the first so many steps, which the means leave out; a chain that is prolonged keeps them
    moments m;
    char by[192]; // what computes the chain: the last digits depend on it
} progress;

typedef struct {
    const peeling_sample_request *request;
    peeling_chain *chain;
    peeling_trace trace;
    char *path; // of the checkpoint; NULL: none is written
    wl_part_key key;
    progress now;
    double saved, told; // when: wl_now()
} sampler;

static wl_status save(sampler *s) {
    if (s->path == NULL) return WL_OK;
    WL_TRY(peeling_trace_sync(&s->trace));
    s->now.mark = s->trace.mark;
    s->saved = wl_now();
    return peeling_checkpoint_write(s->path, &s->key, s->chain, &s->now, sizeof s->now);
}

static wl_status take_steps(sampler *s) {
    const peeling_sample_request *request = s->request;
    const peeling_chain_now *now = peeling_chain_here(s->chain);
    if (request->trace && s->now.mark.bytes[0] == 0) WL_TRY(peeling_trace_note(&s->trace, s->chain));
    s->saved = s->told = wl_now();
    while (now->step < request->steps && !*request->stopped) {
        const int counts = now->step >= s->now.tuned;
        peeling_chain_step done;
        WL_TRY(peeling_chain_next(s->chain, &done));
        if (request->trace) WL_TRY(peeling_trace_note(&s->trace, s->chain));
        if (counts) add(s->chain, &s->now.m);
        const double time = wl_now();
        if (time - s->saved >= request->checkpoint_seconds) WL_TRY(save(s));
        if (request->progress && time - s->told >= 1) {
            request->progress(now->step, request->steps, now->log_likelihood);
            s->told = time;
        }
    }
    return save(s);
}

/* What the bytes of a trace depend on, but for the number of steps: a chain may be prolonged. */
static wl_part_key key_of(const peeling_likelihood_request *likelihood, const peeling_likelihood *start,
                          const peeling_sample_request *request) {
    const peeling_data *data = &start->input.data;
    const peeling_tree *tree = &start->tree;
    char text[192];
    wl_part_key key = {.tool = "chain", .part = 1, .parts = 1};
    snprintf(text, sizeof text, "%s %d %llu %llu", WL_VERSION, (int)likelihood->precision,
             (unsigned long long)request->seed, (unsigned long long)request->every);
    key.options = wl_hash_join(wl_hash_text(text), peeling_settings_hash(&start->settings));
    const size_t cells = data->tips * (size_t)data->patterns;
    key.inputs = wl_hash_bytes(data->code, sizeof *data->code * cells);
    key.inputs = wl_hash_join(key.inputs, wl_hash_bytes(data->set, sizeof *data->set * data->codes));
    key.inputs = wl_hash_join(key.inputs, wl_hash_bytes(data->weight, sizeof *data->weight * data->patterns));
    key.inputs = wl_hash_join(key.inputs, wl_hash_bytes(tree->child, sizeof *tree->child * tree->nodes));
    key.inputs = wl_hash_join(key.inputs, wl_hash_bytes(tree->length, sizeof *tree->length * tree->nodes));
    for (uint32_t t = 0; t < tree->tips; t++) key.inputs = wl_hash_join(key.inputs, wl_hash_text(start->names[t]));
    return key;
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

/* "cpu_simd (AVX-512) on 1 device": the stage that was chosen, and the device where rounding is its own. */
static void say_by(const peeling_likelihood_request *likelihood, const peeling_chain *chain, char *text, size_t size) {
    const wl_variant *variant = peeling_chain_engine(chain)->variant;
    const size_t devices = peeling_chain_devices(chain);
    const char *on = variant->instruction_set     ? variant->instruction_set()
                     : variant->backend == WL_GPU ? likelihood->devices[0].name
                                                  : wl_backend_name(variant->backend);
    memset(text, 0, size); // it is written to files as it is
    snprintf(text, size, "%s (%s) on %zu device%s", variant->name, on, devices, devices == 1 ? "" : "s");
}

/* Where a checkpoint's chain is lies before the end that is asked for. */
static wl_status check_steps(const sampler *s, const peeling_checkpoint *checkpoint) {
    const uint64_t done = checkpoint->state->step, steps = s->request->steps;
    const uint64_t least = done > s->now.tuned ? done : s->now.tuned + 1;
    if (steps >= least) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --chain: found %llu; the chain in %s has %llu steps, expected at least %llu",
                   (unsigned long long)steps, s->request->trace, (unsigned long long)done, (unsigned long long)least);
}

/* The chain: from the start, or from where a checkpoint is. */
static wl_status open_chain(sampler *s, const peeling_likelihood_request *likelihood, const peeling_likelihood *start,
                            const peeling_checkpoint *checkpoint) {
    const peeling_sample_request *request = s->request;
    peeling_chain_options options = peeling_chain_defaults(request->seed);
    char by[sizeof s->now.by];
    s->now.tuned = request->steps / TUNED_SHARE;
    if (checkpoint->found) memcpy(&s->now, checkpoint->more, sizeof s->now);
    if (checkpoint->found) WL_TRY(check_steps(s, checkpoint));
    options.tuned = s->now.tuned;
    WL_TRY(peeling_chain_open(likelihood->devices, likelihood->device_count, likelihood->variant, &start->input,
                              &start->tree, &start->settings, &options, &s->chain));
    say_by(likelihood, s->chain, by, sizeof by);
    if (!checkpoint->found) {
        memcpy(s->now.by, by, sizeof by);
        return WL_OK;
    }
    s->now.by[sizeof s->now.by - 1] = 0;
    if (strcmp(s->now.by, by) != 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s: is of a chain that %s computed, and this run uses %s; expected --device and "
                       "--variant as they were",
                       s->path, s->now.by, by);
    return peeling_checkpoint_restore(checkpoint, s->chain);
}

/* Nothing is changed before all is known to be right. A chain has a checkpoint before there is anything in its files, so that files
   without one are another's. */
static wl_status open_trace(sampler *s, const peeling_likelihood *start, int found) {
    const peeling_sample_request *request = s->request;
    WL_TRY(peeling_trace_grow(request->trace, "chain", start->tree.tips, request->every, request->overwrites,
                              found ? &s->now.mark : NULL, &s->trace));
    if (!found && unlink(s->path) != 0 && errno != ENOENT)
        return wl_fail(WL_BAD_USAGE, "%s: cannot be removed: %s", s->path, strerror(errno));
    WL_TRY(peeling_trace_cut(&s->trace));
    if (!found) WL_TRY(save(s));
    if (s->now.mark.bytes[0] == 0) peeling_trace_start(&s->trace, (const char **)start->names, &start->settings);
    return WL_OK;
}

static wl_status open_all(sampler *s, const peeling_likelihood_request *likelihood, const peeling_likelihood *start) {
    const peeling_sample_request *request = s->request;
    peeling_checkpoint checkpoint = {0};
    wl_status status = WL_OK;
    if (request->trace) {
        s->key = key_of(likelihood, start, request);
        if (asprintf(&s->path, "%s/chain.checkpoint", request->trace) < 0) s->path = NULL;
        if (s->path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a name");
        if (request->resumes) status = peeling_checkpoint_read(s->path, &s->key, sizeof s->now, &checkpoint);
    }
    if (status == WL_OK) status = open_chain(s, likelihood, start, &checkpoint);
    if (status == WL_OK && request->trace) status = open_trace(s, start, checkpoint.found);
    if (status == WL_OK && checkpoint.found)
        peeling_likelihood_note(likelihood, "the chain goes on after step %llu of %llu",
                                (unsigned long long)peeling_chain_here(s->chain)->step,
                                (unsigned long long)request->steps);
    else if (status == WL_OK)
        note_start(likelihood, &start->tree);
    peeling_checkpoint_close(&checkpoint);
    return status;
}

wl_status peeling_sample_chain(const peeling_likelihood_request *likelihood, const peeling_likelihood *start,
                               const peeling_sample_request *request, peeling_sample *sample) {
    const double begun = wl_now();
    sampler s = {.request = request};
    wl_status status = open_all(&s, likelihood, start);
    if (status == WL_OK) status = take_steps(&s);
    if (status == WL_OK) status = check(likelihood->precision, s.chain);
    if (status == WL_OK && request->trace) status = peeling_trace_close(&s.trace);
    if (status == WL_OK) {
        summarise(&s.now.m, sample);
        sample->now = *peeling_chain_here(s.chain);
        sample->variant = peeling_chain_engine(s.chain)->variant->name;
        sample->devices = peeling_chain_devices(s.chain);
        sample->seconds = wl_now() - begun;
    }
    if (status == WL_OK && *request->stopped)
        peeling_likelihood_note(likelihood, "%s has the first %llu of %llu steps; --resume goes on", request->trace,
                                (unsigned long long)sample->now.step, (unsigned long long)request->steps);
    peeling_trace_discard(&s.trace);
    peeling_chain_close(s.chain);
    free(s.path);
    return status;
}
