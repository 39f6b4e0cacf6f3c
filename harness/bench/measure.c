#include "harness/bench/measure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/check.h"
#include "harness/probes/rates.h"
#include "harness/bench/rounds.h"
#include "harness/base/stats.h"
#include "harness/base/memory.h"

/* What a run holds beside its results. Entry i belongs to item i. */
typedef struct {
    const wl_measure_request *request;
    wl_measure_options options;
    wl_inputs inputs;
    size_t *slices; // [inputs.count]
    wl_measurement *items;
    size_t count;
    void ***states; // [count][inputs.count]: what passed its check and waits to be timed; NULL entries else
    size_t *timed;  // [count]: slices of a serial variant that is checked and timed in part; 0: all
} session;

static void tell(const session *s, const char *format, ...) {
    if (!s->options.progress) return;
    va_list arguments;
    va_start(arguments, format);
    fputc('\r', stderr);
    vfprintf(stderr, format, arguments);
    fputs("\033[K", stderr);
    fflush(stderr);
    va_end(arguments);
}

/* --- Who takes part --- */

static int takes_part(const wl_measure_request *request, const wl_variant *variant, const wl_device *device) {
    if (strcmp(variant->problem, request->problem->name) != 0 || variant->backend != device->backend) return 0;
    return variant->backend == WL_CPU || !request->pattern || wl_variant_matches(variant, request->pattern);
}

/* Something must match the pattern, on a device that is there: the CPU baselines alone are no answer. */
static wl_status require_match(const wl_measure_request *request, const wl_variant *const *variants, size_t count) {
    const char *pattern = request->pattern ? request->pattern : request->problem->name;
    int exists = 0;
    for (size_t v = 0; v < count; v++) {
        if (strcmp(variants[v]->problem, request->problem->name) != 0) continue;
        if (!wl_variant_matches(variants[v], pattern)) continue;
        exists = 1;
        for (size_t d = 0; d < request->devices->count; d++)
            if (variants[v]->backend == request->devices->items[d].backend) return WL_OK;
    }
    if (exists) return wl_fail(WL_NO_MACHINE, "%s has no variant for this --device", pattern);
    return wl_fail(WL_BAD_USAGE, "there is no variant '%s'; 'warpladder list %s' names them all", pattern,
                   request->problem->name);
}

static wl_status gather(session *s, wl_measurements *result) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    WL_TRY(require_match(s->request, variants, count));
    result->devices = *s->request->devices;
    result->items = calloc(count * result->devices.count, sizeof *result->items);
    if (!result->items) return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    for (size_t d = 0; d < result->devices.count; d++) {
        for (size_t v = 0; v < count; v++) {
            if (!takes_part(s->request, variants[v], &result->devices.items[d])) continue;
            result->items[result->count].variant = variants[v];
            result->items[result->count++].device = &result->devices.items[d];
        }
    }
    s->items = result->items;
    s->count = result->count;
    s->states = calloc(s->count, sizeof *s->states);
    s->timed = calloc(s->count, sizeof *s->timed);
    s->slices = calloc(s->inputs.count, sizeof *s->slices);
    if (!s->states || !s->timed || !s->slices) return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    for (size_t i = 0; i < s->count; i++) {
        s->states[i] = calloc(s->inputs.count, sizeof **s->states);
        if (!s->states[i]) return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    }
    for (size_t d = 0; d < s->inputs.count; d++) s->slices[d] = s->request->problem->slices(s->inputs.inputs[d]);
    return WL_OK;
}

/* --- Rows --- */

static const wl_ratio no_ratio = {NAN, NAN, NAN};

static void start_row(const session *s, wl_measurement *m) {
    const wl_problem *problem = s->request->problem;
    const wl_variant *variant = m->variant;
    wl_row *row = &m->row;
    *row = (wl_row){.variant = variant};
    snprintf(row->problem, sizeof row->problem, "%s", variant->problem);
    snprintf(row->name, sizeof row->name, "%s", variant->name);
    snprintf(row->backend, sizeof row->backend, "%s", wl_backend_name(variant->backend));
    snprintf(row->device, sizeof row->device, "%s", m->device->name);
    if (m->device->ordinal > 0)
        snprintf(row->device, sizeof row->device, "%.110s, GPU %d", m->device->name, m->device->ordinal);
    if (variant->instruction_set)
        snprintf(row->instruction_set, sizeof row->instruction_set, "%s", variant->instruction_set());
    if (variant->backend == WL_CPU) row->threads = variant->launch_slices ? 1 : m->device->multiprocessors;
    problem->shape(s->inputs.inputs[0], row->shape, sizeof row->shape);
    row->datasets = variant->backend == WL_SIM ? 1 : s->inputs.count;
    snprintf(row->stop_reason, sizeof row->stop_reason, "not timed");
    row->kernel_ms = row->total_ms = wl_summarize(NULL, 0);
    row->work = problem->work(s->inputs.inputs[0]);
    row->done_share = problem->work_done ? problem->work_done(s->inputs.inputs[0]) / row->work : 1;
    row->bytes = row->operations = row->rate_per_s = row->bandwidth = NAN;
    row->timed_share = row->noise = row->work_per_s = row->limit_fraction = row->clock = NAN;
    row->joules = row->watts = row->work_per_joule = NAN;
    row->speedup_serial = row->speedup_best_cpu = row->speedup_previous = no_ratio;
}

static int passed(const wl_measurement *m) { return wl_passed(&m->row.verdict); }

static void release_states(session *s, size_t item) {
    for (size_t d = 0; s->states && s->states[item] && d < s->inputs.count; d++) {
        if (!s->states[item][d]) continue;
        if (wl_device_use(s->items[item].device) == WL_OK) s->items[item].variant->release(s->states[item][d]);
        s->states[item][d] = NULL;
    }
}

/* --- Checking --- */

/* A serial variant of a large input would take minutes for what a fraction of a second tells. */
static const double whole_seconds = 0.3;

static void check_item(session *s, size_t item) {
    wl_measurement *m = &s->items[item];
    start_row(s, m);
    tell(s, "checking %s/%s on %s (%zu of %zu)", m->row.problem, m->row.name, m->row.backend, item + 1, s->count);
    s->timed[item] = wl_choose_slices(&s->inputs, 0, m->variant, m->device, whole_seconds, s->options.clockwork);
    for (size_t d = 0; d < m->row.datasets; d++) {
        void **keep = m->variant->backend == WL_SIM ? NULL : &s->states[item][d];
        size_t part = s->timed[item] < s->slices[d] ? s->timed[item] : 0;
        wl_verdict verdict = {0};
        wl_status status = wl_check_variant(&s->inputs, d, m->variant, m->device, part, keep, &verdict);
        if (d == 0 || status != WL_OK) m->row.verdict = verdict;
        if (status == WL_OK) continue;
        m->row.verdict.checked_by[0] = '\0';
        release_states(s, item);
        return;
    }
    m->row.timed_share = s->timed[item] ? (double)s->timed[item] / (double)s->slices[0] : 1;
    if (m->variant->backend == WL_SIM) m->row.timed_share = NAN;
}

/* After timing: is what one more launch leaves still right? */
static void check_item_again(session *s, size_t item) {
    wl_measurement *m = &s->items[item];
    for (size_t d = 0; passed(m) && d < s->inputs.count; d++) {
        size_t part = s->timed[item] < s->slices[d] ? s->timed[item] : 0;
        wl_verdict again;
        if (wl_check_again(&s->inputs, d, m->variant, m->device, part, s->states[item][d], &again) != WL_OK)
            wl_verdict_set(&m->row.verdict, WL_CHECK_FAILED, "after timing: %s", again.reason);
    }
}

/* --- Timing --- */

static wl_status time_kernels(session *s) {
    wl_contestant *contestants = calloc(s->count, sizeof *contestants);
    if (!contestants) return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!passed(&s->items[i]) || s->items[i].variant->backend == WL_SIM) continue;
        contestants[count++] = (wl_contestant){
            .measurement = &s->items[i], .states = s->states[i], .slices = s->slices, .timed = s->timed[i]};
    }
    wl_status status = count ? wl_take_rounds(contestants, count, s->inputs.count, &s->options) : WL_OK;
    free(contestants);
    return status;
}

/* prepare + launch + collect once, in milliseconds; launch scaled up where only a part of it is timed. */
static wl_status time_total(session *s, size_t item, size_t dataset, void *output, double *ms) {
    const wl_measurement *m = &s->items[item];
    const wl_clockwork *clockwork = s->options.clockwork;
    size_t part = s->timed[item] < s->slices[dataset] ? s->timed[item] : 0;
    void *state = NULL;
    WL_TRY(wl_device_use(m->device));
    double begin = clockwork->now(clockwork->context);
    WL_TRY(m->variant->prepare(m->device, s->inputs.inputs[dataset], &state));
    double prepared = clockwork->now(clockwork->context);
    wl_status status = part ? m->variant->launch_slices(state, 0, part) : m->variant->launch(state);
    double launched = clockwork->now(clockwork->context);
    if (status == WL_OK) status = m->variant->collect(state, output, 0);
    double collected = clockwork->now(clockwork->context);
    m->variant->release(state);
    double scale = part ? (double)s->slices[dataset] / (double)part : 1;
    *ms = 1e3 * (prepared - begin + scale * (launched - prepared) + (collected - launched));
    return status;
}

enum { TOTAL_ROUNDS = 5 };
static const double total_seconds = 3; // a variant's totals stop early after so long

/* Few samples: a total is dominated by copies and allocations, and serves to keep the kernel times honest. Interleaved
   like the kernels; the first round warms up and counts only where nothing else does. */
static wl_status time_totals(session *s) {
    size_t bytes = 0;
    for (size_t d = 0; d < s->inputs.count; d++) {
        size_t needed = s->request->problem->output_size(s->inputs.inputs[d]);
        if (needed > bytes) bytes = needed;
    }
    double(*ms)[TOTAL_ROUNDS + 1] = calloc(s->count, sizeof *ms), *spent = calloc(s->count, sizeof *spent);
    size_t *taken = calloc(s->count, sizeof *taken);
    void *output = wl_poisoned(bytes);
    wl_status status = WL_OK;
    if (!ms || !spent || !taken || !output) status = wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    for (size_t round = 0; status == WL_OK && round <= TOTAL_ROUNDS; round++) {
        for (size_t i = 0; i < s->count; i++) {
            wl_measurement *m = &s->items[i];
            if (!passed(m) || m->variant->backend == WL_SIM || spent[i] > total_seconds) continue;
            tell(s, "timing %s/%s with its copies", m->row.problem, m->row.name);
            double begin = s->options.clockwork->now(s->options.clockwork->context);
            if (time_total(s, i, round % s->inputs.count, output, &ms[i][taken[i]]) == WL_OK)
                taken[i]++;
            else
                wl_verdict_set(&m->row.verdict, WL_CHECK_FAILED, "in the timing of the total: %s", wl_error());
            spent[i] += s->options.clockwork->now(s->options.clockwork->context) - begin;
        }
    }
    for (size_t i = 0; status == WL_OK && i < s->count; i++) {
        size_t skipped = taken[i] > 1;
        if (passed(&s->items[i])) s->items[i].row.total_ms = wl_summarize(ms[i] + skipped, taken[i] - skipped);
    }
    WL_FREE(ms, spent, taken, output);
    return status;
}

/* --- What the samples say --- */

static wl_status summarize(session *s, wl_measurement *m) {
    wl_row *row = &m->row;
    double *kept = malloc((m->sample_count + 1) * sizeof *kept),
           *clocks = malloc((m->sample_count + 1) * sizeof *clocks);
    size_t count = 0;
    if (!kept || !clocks) {
        WL_FREE(kept, clocks);
        return wl_fail(WL_NO_MACHINE, "no memory for the measurements");
    }
    for (size_t i = 0; i < m->sample_count; i++) {
        if (m->samples[i].discarded) continue;
        clocks[count] = m->samples[i].clock;
        kept[count++] = m->samples[i].ms;
    }
    row->samples = count;
    row->discarded = m->sample_count - count;
    if (count > 0) {
        row->kernel_ms = wl_summarize(kept, count);
        row->clock = wl_median(clocks, count);
        row->noise = wl_noise(m->round_ms, m->rounds);
        row->work_per_s = row->work / (1e-3 * row->kernel_ms.median);
        row->work_per_joule = row->work / row->joules;
    }
    WL_FREE(kept, clocks);
    snprintf(row->cache, sizeof row->cache, "%s", m->variant->backend == WL_CPU || s->options.hot ? "hot" : "cold");

    if (!m->variant->cost) return WL_OK;
    wl_cost cost = {0};
    const char *limit;
    m->variant->cost(m->device, s->inputs.inputs[0], &cost);
    const wl_rates *rates = wl_rates_of(m->device, cost.rate);
    row->limit_fraction = 1e3 * wl_limit_seconds(&cost, rates, &limit) / row->kernel_ms.median;
    snprintf(row->limit, sizeof row->limit, "%s", limit);
    if (cost.bytes > 0) row->bytes = cost.bytes;
    row->bandwidth = rates->bandwidth;
    if (!(cost.operations > 0) || cost.rate <= WL_RATE_NONE || cost.rate >= WL_RATES) return WL_OK;
    row->operations = cost.operations;
    row->rate_per_s = rates->operations[cost.rate];
    snprintf(row->rate, sizeof row->rate, "%s", wl_rate_name(cost.rate));
    return WL_OK;
}

/* NULL, too, if it is not in this run. */
static const wl_measurement *stage_before(const session *s, size_t item) {
    const wl_measurement *m = &s->items[item];
    const wl_variant *before = wl_stage_before(m->variant, m->device, s->inputs.inputs[0]);
    for (size_t i = 0; before && i < s->count; i++)
        if (s->items[i].variant == before && s->items[i].device == m->device) return &s->items[i];
    return NULL;
}

static void compare(session *s) {
    const wl_measurement *serial = NULL, *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const wl_measurement *m = &s->items[i];
        if (m->variant->backend != WL_CPU || !passed(m) || m->rounds == 0) continue;
        const char *baseline = s->request->problem->serial_baseline;
        if (baseline && strcmp(m->variant->name, baseline) == 0) serial = m;
        if (m->variant->launch_slices) continue; // serial: not what all cores can do
        if (!best || m->row.kernel_ms.median < best->row.kernel_ms.median) best = m;
    }
    for (size_t i = 0; i < s->count; i++) {
        wl_measurement *m = &s->items[i];
        if (!passed(m) || m->rounds == 0) continue;
        m->row.speedup_serial = wl_speedup(serial, m);
        m->row.speedup_best_cpu = wl_speedup(best, m);
        m->row.speedup_previous = wl_speedup(stage_before(s, i), m);
    }
}

/* A variant found wrong after timing keeps its row, without a number in it. */
static void forget_times(session *s, wl_measurement *m) {
    const wl_verdict verdict = m->row.verdict;
    start_row(s, m);
    m->row.verdict = verdict;
    m->row.verdict.checked_by[0] = '\0';
    m->rounds = m->sample_count = 0;
}

static wl_status time_all(session *s) {
    WL_TRY(time_kernels(s));
    for (size_t i = 0; i < s->count; i++) {
        if (passed(&s->items[i]) && s->items[i].rounds > 0) check_item_again(s, i);
        release_states(s, i); // the totals need the memory
    }
    wl_status status = time_totals(s);
    for (size_t i = 0; status == WL_OK && i < s->count; i++) {
        wl_measurement *m = &s->items[i];
        if (m->rounds == 0) continue;
        if (passed(m))
            status = summarize(s, m);
        else
            forget_times(s, m);
    }
    if (status == WL_OK) compare(s);
    return status;
}

/* --- The whole --- */

wl_status wl_measure(const wl_measure_request *request, wl_measurements *measurements) {
    session s = {.request = request, .options = request->options};
    wl_measurements result = {0};
    if (!s.options.clockwork) s.options.clockwork = wl_clockwork_real();
    WL_TRY(request->only > 0
               ? wl_inputs_create_one(request->problem, request->arguments, request->seed, request->only - 1, &s.inputs)
               : wl_inputs_create(request->problem, request->arguments, request->seed, 0, &s.inputs));
    wl_status status = s.inputs.count > 0 ? gather(&s, &result)
                                          : wl_fail(WL_BAD_USAGE, "found no data set; expected at least one of %s",
                                                    request->problem->name);
    for (size_t i = 0; status == WL_OK && i < s.count; i++) check_item(&s, i);
    if (status == WL_OK) status = time_all(&s);
    tell(&s, "");
    for (size_t i = 0; i < s.count; i++) {
        if (s.states) release_states(&s, i);
        if (s.states) free(s.states[i]);
    }
    WL_FREE(s.states, s.timed, s.slices);
    wl_inputs_free(&s.inputs);
    if (status != WL_OK) {
        wl_measurements_free(&result);
        return status;
    }
    *measurements = result;
    for (size_t i = 0; i < result.count; i++) // the items pointed into the local list
        measurements->items[i].device = &measurements->devices.items[result.items[i].device - result.devices.items];
    return WL_OK;
}
