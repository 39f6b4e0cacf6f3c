#include "harness/bench/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/stats.h"
#include "harness/bench/energy.h"

/* --- One sample --- */

typedef struct {
    const wl_variant *variant;
    void *state;
    size_t slices;
} work;

static wl_status do_work(void *argument) {
    const work *w = argument;
    return w->slices > 0 ? w->variant->launch_slices(w->state, 0, w->slices) : w->variant->launch(w->state);
}

static double now(const wl_clockwork *clockwork) { return clockwork->now(clockwork->context); }

static wl_status take_sample(wl_contestant *c, size_t dataset, const wl_measure_options *options, wl_timing *timing) {
    const wl_clockwork *clockwork = options->clockwork;
    size_t slices = c->timed < c->slices[dataset] ? c->timed : c->slices[dataset];
    work w = {c->measurement->variant, c->states[dataset], slices};
    double begin = now(clockwork);
    wl_status status =
        clockwork->time(clockwork->context, c->measurement->device, (wl_timed){do_work, &w}, !options->hot, timing);
    c->last_seconds = now(clockwork) - begin;
    if (status != WL_OK) {
        c->failed = 1;
        wl_verdict_set(&c->measurement->row.verdict, WL_CHECK_FAILED, "launch: %s", wl_error());
    }
    return status;
}

/* --- One turn --- */

static const size_t turn_most = 2000; // samples; launches of a microsecond must not fill the memory

static wl_status out_of_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the samples"); }

/* Rounds a variant has to take part in, to be stable. */
static size_t least_rounds(size_t datasets, const wl_measure_options *options) {
    return datasets > options->least_samples ? datasets : options->least_samples;
}

/* How long a turn lasts. A processor is shared with other programs, and in a virtual machine with other machines: its
   samples scatter by a tenth and more, where a GPU's agree to a thousandth. Only a median of many is worth dividing. */
static double turn_length(const wl_contestant *c, size_t datasets, const wl_measure_options *options) {
    if (c->measurement->variant->backend != WL_CPU) return options->turn_seconds;
    double length = options->cpu_share * options->most_seconds / (double)least_rounds(datasets, options);
    return length > options->turn_seconds ? length : options->turn_seconds;
}

/* A turn is one sample, or as many as fit into its length. Where many fit, an extra one goes first and does not
   count: the others' turns have left caches, and a GPU's clocks, in a state that is not this variant's. */
static wl_status take_turn(wl_contestant *c, size_t round, size_t datasets, const wl_measure_options *options) {
    size_t dataset = round % datasets;
    double length = turn_length(c, datasets, options);
    wl_measurement *m = c->measurement;
    size_t first = m->sample_count;
    double begin = now(options->clockwork), scale = 1;
    wl_timing timing;
    if (c->timed > 0 && c->timed < c->slices[dataset]) scale = (double)c->slices[dataset] / (double)c->timed;
    if (c->last_seconds < length / 4 && take_sample(c, dataset, options, &timing) != WL_OK) return WL_OK;
    do {
        if (take_sample(c, dataset, options, &timing) != WL_OK) return WL_OK; // said in the row
        int discarded = timing.clock < options->least_clock; // false for NaN: a clock that cannot be told
        const wl_sample sample = {1e3 * timing.seconds * scale, timing.clock, (uint32_t)round, (uint32_t)dataset,
                                  discarded};
        if (!WL_GROW(m->samples, m->sample_count, 1)) return out_of_memory();
        m->samples[m->sample_count++] = sample;
        if (!discarded) {
            c->kept++;
            c->kept_seconds += timing.seconds;
        }
    } while (now(options->clockwork) - begin < length && m->sample_count - first < turn_most &&
             m->sample_count < options->most_samples);
    c->spent += now(options->clockwork) - begin;

    double *kept = malloc((m->sample_count - first) * sizeof *kept);
    if (!kept) return out_of_memory();
    size_t count = 0;
    for (size_t i = first; i < m->sample_count; i++)
        if (!m->samples[i].discarded) kept[count++] = m->samples[i].ms;
    m->round_ms[round] = wl_median(kept, count);
    if (count > 0) c->took_part++;
    free(kept);
    return WL_OK;
}

/* --- When to stop --- */

/* Stable: enough samples, seconds and rounds, every data set had its turn, and the rounds agree. The noise is that of
   the rounds, not of the samples. The samples of one turn share its data set and the machine's state at that moment, so
   a thousand of them in 20 ms are not a thousand independent observations. */
static int is_stable(const wl_contestant *c, size_t datasets, const wl_measure_options *options) {
    const wl_measurement *m = c->measurement;
    return c->kept >= options->least_samples && c->kept_seconds >= options->least_seconds &&
           c->took_part >= least_rounds(datasets, options) && wl_noise(m->round_ms, m->rounds) < options->noise;
}

static void judge(wl_contestant *c, size_t datasets, const wl_measure_options *options) {
    wl_row *row = &c->measurement->row;
    if (c->done || c->failed) return;
    if (is_stable(c, datasets, options))
        snprintf(row->stop_reason, sizeof row->stop_reason, "stable");
    else if (c->spent >= options->most_seconds)
        snprintf(row->stop_reason, sizeof row->stop_reason, "time");
    else if (c->measurement->sample_count >= options->most_samples)
        snprintf(row->stop_reason, sizeof row->stop_reason, "samples");
    else
        return;
    c->done = 1;
}

/* One that is done goes on for a while beside those that are not: their ratios need rounds both took part in. */
static int plays(const wl_contestant *c, const wl_measure_options *options) {
    if (c->failed) return 0;
    return !c->done || (c->took_part < options->shared_rounds && c->spent < options->most_seconds &&
                        c->measurement->sample_count < options->most_samples);
}

static size_t still_sampling(const wl_contestant *contestants, size_t count) {
    size_t active = 0;
    for (size_t i = 0; i < count; i++) active += !contestants[i].done && !contestants[i].failed;
    return active;
}

static void show_progress(const wl_contestant *contestants, size_t count, size_t round, double seconds, int last) {
    if (last)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\rround %zu: %zu of %zu variants still sampling, %.0f s\033[K", round + 1,
                still_sampling(contestants, count), count, seconds);
    fflush(stderr);
}

wl_status wl_take_rounds(wl_contestant *contestants, size_t count, size_t datasets, const wl_measure_options *options) {
    double begin = now(options->clockwork), shown = begin;
    wl_status status = WL_OK;

    for (size_t i = 0; i < count; i++) { // warm up
        wl_timing timing;
        take_sample(&contestants[i], 0, options, &timing);
    }
    for (size_t round = 0; status == WL_OK && still_sampling(contestants, count) > 0; round++) {
        for (size_t i = 0; status == WL_OK && i < count; i++) {
            wl_measurement *m = contestants[i].measurement;
            if (WL_GROW(m->round_ms, m->rounds, 1))
                m->round_ms[m->rounds++] = NAN;
            else
                status = out_of_memory();
        }
        for (size_t i = 0; status == WL_OK && i < count; i++) {
            size_t turn = (i + round) % count;
            wl_contestant *c = &contestants[turn];
            if (!plays(c, options)) continue;
            status = take_turn(c, round, datasets, options);
            judge(c, datasets, options);
            if (options->progress && now(options->clockwork) - shown > 0.2) {
                shown = now(options->clockwork);
                show_progress(contestants, count, round, shown - begin, 0);
            }
        }
    }
    for (size_t i = 0; status == WL_OK && i < count; i++) wl_measure_energy(&contestants[i], datasets, options);
    if (options->progress) show_progress(contestants, count, 0, 0, 1);
    return status;
}

/* --- Serial variants in part --- */

static const double sample_least = 0.02, sample_wanted = 0.04; // seconds

/* Doubles the part until it lasts long enough to tell what the whole would take. */
static size_t choose(const wl_variant *variant, void *state, size_t slices, double whole_seconds,
                     const wl_clockwork *clockwork) {
    for (size_t part = 1; slices > 0; part = part <= slices / 2 ? 2 * part : slices) {
        double took = INFINITY;
        for (int i = 0; i < 2 && took >= sample_least; i++) { // twice: another program may have held one up
            double begin = now(clockwork);
            if (variant->launch_slices(state, 0, part) != WL_OK) return 0; // the check will say it
            if (now(clockwork) - begin < took) took = now(clockwork) - begin;
        }
        if (part == slices || (took >= sample_least && took * (double)slices / (double)part <= whole_seconds)) return 0;
        if (took < sample_least) continue;
        double wanted = ceil((double)part * sample_wanted / took); // 40 ms, so that noise takes none below 20
        return wanted < (double)slices ? (size_t)wanted : 0;
    }
    return 0;
}

size_t wl_choose_slices(const wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                        double whole_seconds, const wl_clockwork *clockwork) {
    void *state = NULL;
    const void *input = inputs->inputs[index];
    if (!variant->launch_slices || (variant->supports && variant->supports(device, input))) return 0;
    if (variant->prepare(device, input, &state) != WL_OK) return 0;
    size_t chosen = choose(variant, state, inputs->problem->slices(input), whole_seconds, clockwork);
    variant->release(state);
    return chosen;
}
