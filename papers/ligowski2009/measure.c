/* Figure 4's points: lines checked and timed side by side on one database and query after the other. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/ligowski2009/paper.h"
#include "harness/bench/rounds.h"
#include "harness/base/stats.h"
#include "harness/base/memory.h"

/* ---- who takes part ---- */

static void add_line(ligowski_run *run, const wl_variant *variant, size_t device, size_t devices_used) {
    for (size_t i = 0; i < run->line_count; i++)
        if (run->lines[i].variant == variant && run->lines[i].devices_used == devices_used) return;
    if (run->line_count == LIGOWSKI_LINES_MOST) return;
    run->lines[run->line_count++] =
        (ligowski_line){.variant = variant, .devices = &run->devices.items[device], .devices_used = devices_used};
}

static int is_stage(const wl_variant *variant, const ligowski_run *run) {
    return variant->backend == WL_GPU && strcmp(variant->problem, run->problem->name) == 0 &&
           isdigit((unsigned char)variant->name[0]);
}

/* The last stage that runs on this GPU, and of which it is known that it is the fastest for such an input. */
static const wl_variant *last_stage(const ligowski_run *run, const sw_input *input) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count), *last = NULL;
    for (size_t v = 0; v < count; v++) // sorted by name
        if (is_stage(variants[v], run) && wl_variant_is_faster(variants[v], &run->devices.items[1], input) &&
            (variants[v]->supports == NULL || variants[v]->supports(&run->devices.items[1], input) == NULL))
            last = variants[v];
    return last;
}

void ligowski_choose_lines(ligowski_run *run, const sw_input *input) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    const char *paper = wl_paper_header(&run->figure, "variant"), *peer = wl_paper_header(&run->figure, "peer_variant");
    for (size_t v = 0; v < count; v++) {
        if (variants[v]->backend != WL_CPU || strcmp(variants[v]->problem, run->problem->name) != 0) continue;
        int is_baseline = strcmp(variants[v]->name, run->problem->serial_baseline) == 0;
        if (is_baseline || variants[v]->launch_slices == NULL) add_line(run, variants[v], 0, 1);
    }
    if (run->devices.count == 1) return;
    const wl_variant *last = last_stage(run, input);
    for (size_t v = 0; v < count; v++)
        if (is_stage(variants[v], run) && (variants[v] == last || strcmp(variants[v]->name, paper) == 0 ||
                                           (peer != NULL && strcmp(variants[v]->name, peer) == 0)))
            add_line(run, variants[v], 1, 1);
    for (size_t v = 0; run->devices.count > 2 && v < count; v++)
        if (is_stage(variants[v], run) && (variants[v] == last || strcmp(variants[v]->name, paper) == 0))
            add_line(run, variants[v], 1, 2);
}

/* One input, owned by the caller, as the harness's checks want it. sample_seconds: of the reference, where a database is too large
   for all of it; 0: the harness's choice. */
static wl_inputs inputs_of(const ligowski_run *run, void **view, wl_expectation *expected, double sample_seconds) {
    return (wl_inputs){.problem = run->problem,
                       .count = 1,
                       .inputs = view,
                       .expected = expected,
                       .seed = run->seed,
                       .sample_seconds = sample_seconds};
}

/* ---- points ---- */

static ligowski_point *add_point(ligowski_run *run, const char *database, const sw_input *input,
                                 const ligowski_line *line) {
    if (!WL_GROW(run->points, run->count, 1)) {
        wl_fail(WL_NO_MACHINE, "not enough memory for the points");
        return NULL;
    }
    ligowski_point *point = &run->points[run->count++];
    *point = (ligowski_point){.database = database,
                              .query_length = input->queries.length[0],
                              .line = *line,
                              .ms = wl_summarize(NULL, 0),
                              .work = run->problem->work(input),
                              .gcups = NAN,
                              .joules = NAN,
                              .watts = NAN};
    if (line->variant->cost != NULL) line->variant->cost(&line->devices[0], input, &point->cost);
    return point;
}

static void fill_point(ligowski_point *point, const double *ms, size_t count) {
    if (!wl_passed(&point->verdict) || count == 0) return;
    point->samples = count;
    point->ms = wl_summarize(ms, count);
    point->gcups = 1e-6 * point->work / point->ms.median;
}

/* ---- lines on one device: the harness's rounds ---- */

typedef struct {
    wl_measurement measurement;
    void *state;
    size_t slices, timed, point;
} entry;

static const double serial_seconds = 0.05; // a serial variant that takes longer is checked and timed in part

static void check(ligowski_run *run, wl_inputs *inputs, entry *e) {
    wl_measurement *m = &e->measurement;
    e->slices = run->problem->slices(inputs->inputs[0]);
    e->timed = wl_choose_slices(inputs, 0, m->variant, m->device, serial_seconds, run->options.clockwork);
    wl_check_variant(inputs, 0, m->variant, m->device, e->timed < e->slices ? e->timed : 0, &e->state, &m->row.verdict);
}

static wl_status finish(ligowski_run *run, wl_inputs *inputs, entry *e) {
    wl_measurement *m = &e->measurement;
    ligowski_point *point = &run->points[e->point];
    if (e->state != NULL) {
        if (wl_passed(&m->row.verdict))
            wl_check_again(inputs, 0, m->variant, m->device, e->timed < e->slices ? e->timed : 0, e->state,
                           &m->row.verdict);
        if (wl_device_use(m->device) == WL_OK) m->variant->release(e->state);
    }
    point->verdict = m->row.verdict;
    double *kept = malloc((m->sample_count + 1) * sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; kept != NULL && i < m->sample_count; i++)
        if (!m->samples[i].discarded) kept[count++] = m->samples[i].ms;
    if (kept != NULL) fill_point(point, kept, count);
    if (!isnan(point->gcups)) {
        point->joules = m->row.joules;
        point->watts = m->row.watts;
    }
    WL_FREE(m->samples, m->round_ms, kept);
    return kept == NULL ? wl_fail(WL_NO_MACHINE, "not enough memory for the samples") : WL_OK;
}

static wl_status measure_side_by_side(ligowski_run *run, const char *database, const sw_input *input) {
    entry entries[LIGOWSKI_LINES_MOST] = {0};
    wl_contestant contestants[LIGOWSKI_LINES_MOST];
    void *view = (void *)input;
    wl_expectation expected = {0};
    wl_inputs inputs = inputs_of(run, &view, &expected, 0);
    size_t count = 0, timed = 0;
    wl_status status = WL_OK;
    for (size_t i = 0; i < run->line_count; i++) {
        const ligowski_line *line = &run->lines[i];
        if (line->devices_used != 1) continue;
        if (add_point(run, database, input, line) == NULL) return WL_NO_MACHINE;
        entry *e = &entries[count++];
        e->measurement = (wl_measurement){.variant = line->variant, .device = line->devices};
        e->point = run->count - 1;
    }
    for (size_t i = 0; i < count; i++) {
        entry *e = &entries[i];
        check(run, &inputs, e);
        if (e->state == NULL) continue;
        contestants[timed++] = (wl_contestant){
            .measurement = &e->measurement, .states = &e->state, .slices = &e->slices, .timed = e->timed};
    }
    if (timed > 0) status = wl_take_rounds(contestants, timed, 1, &run->options);
    for (size_t i = 0; i < count; i++) {
        wl_status finished = finish(run, &inputs, &entries[i]);
        if (status == WL_OK) status = finished;
    }
    free(expected.result);
    return status;
}

/* ---- lines on two devices, each with its half of the database ---- */

enum { STRETCH = 256 }; // the paper's blocks

wl_status ligowski_half(const sw_set *set, size_t stretch, int part, sw_owned_set *half) {
    uint32_t *lengths = malloc((set->count + 1) * sizeof *lengths);
    size_t count = 0;
    if (lengths == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for half of a database");
    for (size_t s = 0; s < set->count; s++)
        if ((int)(s / stretch % 2) == part) lengths[count++] = set->length[s];
    wl_status status = sw_set_allocate(count, lengths, half);
    free(lengths);
    if (status != WL_OK) return status;
    uint8_t *residues = (uint8_t *)half->set.residues;
    for (size_t s = 0, h = 0; s < set->count; s++) {
        if ((int)(s / stretch % 2) != part) continue;
        memcpy(residues + half->set.start[h], set->residues + set->start[s], set->length[s]);
        h++;
    }
    return WL_OK;
}

/* One of two devices at work. */
typedef struct {
    const wl_variant *variant;
    const wl_device *device;
    void *state;
    double launched, seconds, clock; // by the host's clock; by the device's
    wl_status status;
    char error[256];
} worker;

static wl_status launch(void *argument) {
    worker *w = argument;
    w->launched = wl_now();
    return w->variant->launch(w->state);
}

/* Both at once, from threads of their own: from the first launch until the last device has finished. NaN when a device
   ran below its clock, as in the harness's samples. */
static double time_both(worker *workers, const wl_measure_options *options) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
        worker *w = &workers[i];
        wl_timing timing = {NAN, NAN};
        w->status = options->clockwork->time(options->clockwork->context, w->device, (wl_timed){launch, w},
                                             !options->hot, &timing);
        w->seconds = timing.seconds;
        w->clock = timing.clock;
        if (w->status != WL_OK) snprintf(w->error, sizeof w->error, "%.250s", wl_error()); // a thread has its own
    }
    if (workers[0].clock < options->least_clock || workers[1].clock < options->least_clock) return NAN;
    double begin = fmin(workers[0].launched, workers[1].launched);
    return fmax(workers[0].launched + workers[0].seconds, workers[1].launched + workers[1].seconds) - begin;
}

enum { BOTH_SAMPLES = 200 };

static size_t sample_both(ligowski_point *point, worker *workers, const wl_measure_options *options, double *ms) {
    size_t count = 0;
    double begin = wl_now(), kept = 0;
    for (size_t taken = 0; count < BOTH_SAMPLES; taken++) {
        double seconds = time_both(workers, options);
        for (int i = 0; i < 2; i++) {
            if (workers[i].status == WL_OK) continue;
            wl_verdict_set(&point->verdict, WL_CHECK_FAILED, "launch: %s", workers[i].error);
            return 0;
        }
        if (taken > 0 && !isnan(seconds)) { // the first one warms up
            ms[count++] = 1e3 * seconds;
            kept += seconds;
        }
        if (count >= options->least_samples && kept >= options->least_seconds) break;
        if (count > 0 && wl_now() - begin > options->most_seconds) break;
        if (wl_now() - begin > 10 * options->most_seconds) break;
    }
    return count;
}

static void measure_line_on_two(ligowski_run *run, wl_inputs *halves, ligowski_point *point) {
    const ligowski_line *line = &point->line;
    worker workers[2] = {{0}, {0}};
    double ms[BOTH_SAMPLES];
    size_t count = 0;
    point->verdict.state = WL_PASSED;
    for (int i = 0; i < 2 && wl_passed(&point->verdict); i++) {
        workers[i] = (worker){.variant = line->variant, .device = &line->devices[i]};
        wl_check_variant(&halves[i], 0, line->variant, &line->devices[i], 0, &workers[i].state, &point->verdict);
    }
    if (wl_passed(&point->verdict)) count = sample_both(point, workers, &run->options, ms);
    for (int i = 0; i < 2; i++) {
        if (workers[i].state == NULL) continue;
        if (wl_passed(&point->verdict))
            wl_check_again(&halves[i], 0, line->variant, workers[i].device, 0, workers[i].state, &point->verdict);
        if (wl_device_use(workers[i].device) == WL_OK) line->variant->release(workers[i].state);
    }
    fill_point(point, ms, count);
}

static wl_status measure_on_two(ligowski_run *run, const char *database, const sw_input *input) {
    static const double sample_seconds = 0.2; // one device has been checked on all of this database
    sw_owned_set sets[2] = {{.memory = NULL}, {.memory = NULL}};
    sw_input inputs[2] = {*input, *input};
    void *views[2] = {&inputs[0], &inputs[1]};
    wl_expectation expected[2] = {{0}, {0}};
    wl_inputs halves[2];
    WL_TRY(ligowski_half(&input->database, STRETCH, 0, &sets[0]));
    wl_status status = ligowski_half(&input->database, STRETCH, 1, &sets[1]);
    for (int i = 0; i < 2 && status == WL_OK; i++) {
        inputs[i].database = sets[i].set;
        halves[i] = inputs_of(run, &views[i], &expected[i], sample_seconds);
    }
    for (size_t i = 0; status == WL_OK && i < run->line_count; i++) {
        if (run->lines[i].devices_used != 2) continue;
        ligowski_point *point = add_point(run, database, input, &run->lines[i]);
        if (point == NULL)
            status = WL_NO_MACHINE;
        else
            measure_line_on_two(run, halves, point);
    }
    for (int i = 0; i < 2; i++) {
        free(expected[i].result);
        if (sets[i].memory != NULL) sw_owned_set_free(&sets[i]);
    }
    return status;
}

/* ---- a database and a query ---- */

wl_status ligowski_measure(ligowski_run *run, const char *database, const sw_input *input) {
    int two = 0;
    for (size_t i = 0; i < run->line_count; i++) two |= run->lines[i].devices_used == 2;
    wl_status status = measure_side_by_side(run, database, input);
    return status == WL_OK && two ? measure_on_two(run, database, input) : status;
}
