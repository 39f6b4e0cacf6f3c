#include "harness/bench/energy.h"

#include <math.h>

static const double warm_seconds = 0.2;

void wl_energy_note(wl_energy_watch *watch, wl_energy_reading reading) {
    if (watch->begin.now == 0) watch->begin = watch->before = reading;
    const int is_step = reading.joules > watch->before.joules;
    watch->before = reading;
    if (!is_step || reading.now - watch->begin.now < warm_seconds) return;
    *(watch->first.now == 0 ? &watch->first : &watch->last) = reading;
}

static double watched(const wl_energy_watch *watch) { return watch->last.now - watch->first.now; }

double wl_energy_each(const wl_energy_watch *watch, double least, double *watts) {
    const double joules = watch->last.joules - watch->first.joules, done = watch->last.done - watch->first.done;
    *watts = watched(watch) >= least ? joules / watched(watch) : NAN;
    return watched(watch) >= least && done > 0 ? joules / done : NAN;
}

/* The counter is read while the device is busy with a batch, so that it never idles for the reading, which takes some 5 ms on an H200. */
static const double batch_seconds = 0.015, still_seconds = 1; // a counter without a step for so long stands still

typedef struct {
    const wl_contestant *contestant;
    const wl_measure_options *options;
    size_t datasets, batch, launches; // launches between two readings, and until now
    wl_energy_watch watch;
} loop;

static wl_status launch_batch(void *argument) {
    loop *l = argument;
    const wl_contestant *c = l->contestant;
    const wl_variant *variant = c->measurement->variant;
    const wl_clockwork *clockwork = l->options->clockwork;
    for (size_t i = 0; i < l->batch; i++, l->launches++) {
        const size_t dataset = l->launches % l->datasets;
        const int is_part = c->timed > 0 && c->timed < c->slices[dataset];
        WL_TRY(is_part ? variant->launch_slices(c->states[dataset], 0, c->timed) : variant->launch(c->states[dataset]));
    }
    double joules;
    if (!clockwork->energy(clockwork->context, c->measurement->device, &joules))
        return wl_fail(WL_NO_MACHINE, "the energy counter cannot be read any more");
    wl_energy_note(&l->watch, (wl_energy_reading){clockwork->now(clockwork->context), joules, (double)l->launches});
    return WL_OK;
}

void wl_measure_energy(wl_contestant *c, size_t datasets, const wl_measure_options *options) {
    const wl_clockwork *clockwork = options->clockwork;
    wl_measurement *m = c->measurement;
    double joules;
    m->row.joules = m->row.watts = NAN;
    if (!clockwork->energy || !(options->energy_seconds > 0) || c->failed || c->kept == 0) return;
    if (!clockwork->energy(clockwork->context, m->device, &joules)) return;
    const double batch = batch_seconds * (double)c->kept / c->kept_seconds;
    const double least = options->energy_seconds, most = warm_seconds + least + 2 * still_seconds;
    loop l = {.contestant = c, .options = options, .datasets = datasets, .batch = batch > 1 ? (size_t)batch : 1};
    wl_timing timing;
    const wl_energy_watch *w = &l.watch;
    do {
        const wl_timed timed = {launch_batch, &l};
        if (clockwork->time(clockwork->context, m->device, timed, 0, &timing) != WL_OK) return;
    } while (watched(w) < least && w->before.now - w->begin.now < most);
    const double whole = c->timed > 0 && c->timed < c->slices[0] ? (double)c->slices[0] / (double)c->timed : 1;
    m->row.joules = whole * wl_energy_each(w, least, &m->row.watts);
}
