/* `run peeling --chain N` runs the chain on the serial code, on every other CPU variant, and on each variant that matches, on one device
   and on all of them. The first steps of each are compared with those of the serial code and of the best CPU variant. */
#include "tools/likelihood/chain/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "peeling/options.h"

enum { RUNS_MOST = 128, BLOCK = 100, BLOCKS_LEAST = 10, LEAST = 3 };

typedef struct {
    wl_own_run *asked;
    peeling_recipe recipe;
    peeling_owned_input data;
    peeling_chain_plan plan;
    const char *folder; // of the trace; NULL: none
    uint64_t every;
    peeling_chain_run runs[RUNS_MOST];
    size_t count;
} session;

/* --- Runs -------------------------------------------------------------------------------------------------------- */

static int is_ok(const peeling_chain_run *run) { return wl_passed(&run->verdict); }
static int is_serial(const peeling_chain_run *run) { return run->engine && run->engine->variant->launch_slices; }

/* The first that was right. */
static const peeling_chain_run *serial_run(const session *s) {
    for (size_t i = 0; i < s->count; i++)
        if (is_serial(&s->runs[i]) && is_ok(&s->runs[i])) return &s->runs[i];
    return NULL;
}

static const peeling_chain_run *best_cpu_run(const session *s) {
    const peeling_chain_run *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const peeling_chain_run *run = &s->runs[i];
        if (!is_ok(run) || !run->engine || run->device.backend != WL_CPU || is_serial(run)) continue;
        if (!best || peeling_chain_speedup(best, run) > 1) best = run;
    }
    return best;
}

static wl_status time_one(session *s, const wl_variant *variant, const wl_device *devices, size_t count, int traced) {
    if (s->count == RUNS_MOST) return WL_OK;
    peeling_chain_run *run = &s->runs[s->count];
    peeling_trace trace = {0};
    wl_status status = WL_OK;
    if (s->asked->progress) fprintf(stderr, "peeling/%s on %s: the chain\n", variant->name, devices[0].name);
    if (traced)
        status = peeling_trace_open(s->folder, "peeling", NULL, s->plan.tree->tips, s->every, s->plan.settings, &trace);
    if (status != WL_OK) return status;
    status = peeling_chain_time(&s->plan, devices, count, variant->name, LEAST, s->asked->most_seconds,
                                traced ? &trace : NULL, run);
    if (traced && status == WL_OK) status = peeling_trace_close(&trace);
    peeling_trace_discard(&trace);
    if (!run->engine) run->engine = peeling_engine_find(devices, variant->name, &s->data.input, NULL);
    const peeling_chain_run *serial = serial_run(s), *cpu = best_cpu_run(s);
    if (serial) peeling_chain_compare(serial, s->plan.input->precision, run);
    const uint64_t agreed = run->agreed;
    if (cpu) peeling_chain_compare(cpu, s->plan.input->precision, run);
    if (agreed > run->agreed) run->agreed = agreed;
    s->count++;
    return status;
}

static int has_engine(const session *s, const wl_device *device, const wl_variant *variant) {
    return strcmp(variant->problem, "peeling") == 0 && variant->backend == device->backend &&
           (variant->backend == WL_CPU || s->asked->pattern == NULL ||
            wl_variant_matches(variant, s->asked->pattern)) &&
           peeling_engine_find(device, variant->name, &s->data.input, NULL) != NULL;
}

/* The serial code first, which all others are compared with; then the CPU's; then the devices'. The last has its steps
   written. */
static wl_status time_all(session *s) {
    const wl_device_list *devices = s->asked->devices;
    const wl_device *cpu = &devices->items[0], *others = &devices->items[1];
    const size_t other_count = devices->count - 1;
    size_t count;
    const wl_variant *const *variants = wl_variants(&count), *last = NULL;
    wl_status status = WL_OK;
    for (size_t i = 0; i < count; i++)
        if (has_engine(s, other_count > 0 ? others : cpu, variants[i]) && !variants[i]->launch_slices)
            last = variants[i];
    for (int serial = 1; serial >= 0; serial--)
        for (size_t i = 0; status == WL_OK && i < count; i++)
            if (has_engine(s, cpu, variants[i]) && (variants[i]->launch_slices != NULL) == serial)
                status = time_one(s, variants[i], cpu, 1, s->folder && variants[i] == last);
    for (size_t i = 0; other_count > 0 && status == WL_OK && i < count; i++) {
        if (!has_engine(s, others, variants[i])) continue;
        status = time_one(s, variants[i], others, 1, s->folder && variants[i] == last);
        if (status == WL_OK && other_count > 1) status = time_one(s, variants[i], others, other_count, 0);
    }
    return status;
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

/* A sample is the average step of `size` in a row: single ones differ by what they touch. */
static void fill_times(const peeling_chain_run *run, wl_row *row) {
    const uint64_t size = run->count >= BLOCK * BLOCKS_LEAST ? BLOCK
                          : run->count >= 2 * BLOCKS_LEAST   ? run->count / BLOCKS_LEAST
                                                             : 1;
    const size_t blocks = run->count / size;
    double *block = malloc((blocks + 1) * sizeof *block);
    if (!block) return;
    for (size_t b = 0; b < blocks; b++) {
        block[b] = 0;
        for (uint64_t i = 0; i < size; i++) block[b] += run->ms[b * size + i] / (double)size;
    }
    row->kernel_ms = wl_summarize(block, blocks);
    row->kernel_ms.mean = peeling_chain_ms(run);
    row->noise = wl_noise(block, blocks);
    row->samples = blocks;
    free(block);
}

static wl_ratio ratio(const peeling_chain_run *baseline, const peeling_chain_run *run) {
    return (wl_ratio){baseline ? peeling_chain_speedup(baseline, run) : NAN, NAN, NAN};
}

static void fill_checked_by(const session *s, const peeling_chain_run *run, wl_row *row) {
    const peeling_chain_run *serial = serial_run(s), *cpu = best_cpu_run(s);
    const unsigned long long with_serial = serial ? serial->count : 0, agreed = run->agreed;
    if (run == serial || !serial)
        snprintf(row->verdict.checked_by, sizeof row->verdict.checked_by, "%s",
                 run->from_scratch ? "likelihoods from scratch" : "nothing: the others are compared with it");
    else if (cpu && cpu != run && agreed > with_serial)
        snprintf(row->verdict.checked_by, sizeof row->verdict.checked_by,
                 "%s on %llu steps, %s on %llu, likelihoods from scratch", serial->engine->variant->name, with_serial,
                 cpu->engine->variant->name, agreed);
    else
        snprintf(row->verdict.checked_by, sizeof row->verdict.checked_by, "%s on %llu steps, likelihoods from scratch",
                 serial->engine->variant->name, agreed);
}

static void fill_row(const session *s, const peeling_chain_run *run, wl_row *row) {
    const wl_ratio none = {NAN, NAN, NAN};
    memset(row, 0, sizeof *row);
    row->kernel_ms = row->total_ms = (wl_summary){NAN, NAN, NAN, NAN, NAN};
    row->noise = row->work = row->work_per_s = row->limit_fraction = row->timed_share = row->done_share = row->clock =
        row->joules = row->watts = row->work_per_joule = NAN;
    row->speedup_serial = row->speedup_best_cpu = row->speedup_previous = none;
    row->datasets = 1;
    row->variant = run->engine ? run->engine->variant : NULL;
    snprintf(row->problem, sizeof row->problem, "peeling");
    snprintf(row->name, sizeof row->name, "%s", row->variant ? row->variant->name : "");
    snprintf(row->backend, sizeof row->backend, "%s", wl_backend_name(run->device.backend));
    if (run->devices > 1)
        snprintf(row->device, sizeof row->device, "%zu x %.100s", run->devices, run->device.name);
    else
        snprintf(row->device, sizeof row->device, "%s", run->device.name);
    if (row->variant && row->variant->instruction_set)
        snprintf(row->instruction_set, sizeof row->instruction_set, "%s", row->variant->instruction_set());
    if (run->device.backend == WL_CPU) row->threads = is_serial(run) ? 1 : run->device.multiprocessors;
    row->verdict = run->verdict;
    char shape[64];
    wl_problem_named("peeling")->shape(&s->data.input, shape, sizeof shape);
    snprintf(row->shape, sizeof row->shape, "%s, a step of %llu", shape, (unsigned long long)s->plan.steps);
    snprintf(row->stop_reason, sizeof row->stop_reason, "not timed");
    if (!is_ok(run) || run->count == 0) return;
    fill_checked_by(s, run, row);
    if (run->device.backend == WL_SIM) return; // simulated time is no time
    snprintf(row->cache, sizeof row->cache, "hot");
    snprintf(row->stop_reason, sizeof row->stop_reason, run->count == s->plan.steps ? "samples" : "time");
    fill_times(run, row);
    row->work = run->operations / (double)run->count;
    row->work_per_s = run->operations / run->seconds;
    row->joules = run->joules;
    row->watts = run->watts;
    row->work_per_joule = row->work / run->joules;
    row->timed_share = (double)run->count / (double)s->plan.steps;
    row->done_share = 1;
    row->speedup_serial = ratio(serial_run(s), run);
    row->speedup_best_cpu = ratio(best_cpu_run(s), run);
}

/* --- Words ------------------------------------------------------------------------------------------------------- */

static void say_moves(FILE *words, const peeling_chain_run *run) {
    for (int m = 0; m < PEELING_MOVES; m++)
        if (run->proposed[m] > 0)
            fprintf(words, "%s %s %.3g of %llu", m == 0 ? "" : ",", peeling_move_names[m],
                    (double)run->accepted[m] / (double)run->proposed[m], (unsigned long long)run->proposed[m]);
}

/* Steps a second, and what was accepted, which is the same for all. */
static void say(const session *s) {
    FILE *words = s->asked->words;
    const peeling_chain_run *longest = NULL;
    if (!words) return;
    for (size_t i = 0; i < s->count; i++) {
        const peeling_chain_run *run = &s->runs[i];
        if (!is_ok(run) || run->count == 0) continue;
        if (!longest || run->count >= longest->count) longest = run;
        fprintf(words, "%-16s %-3s %zu: %llu steps", run->engine->variant->name, wl_backend_name(run->device.backend),
                run->devices, (unsigned long long)run->count);
        if (run->device.backend == WL_SIM)
            fputs("\n", words);
        else
            fprintf(words, ", %.4g a second, %.4g ms each\n", (double)run->count / run->seconds, peeling_chain_ms(run));
    }
    if (!longest) return;
    fprintf(words, "accepted:");
    say_moves(words, longest);
    fputs("\n\n", words);
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static wl_status read_options(session *s) {
    const wl_arguments *arguments = s->asked->arguments;
    int64_t steps, every = 100;
    WL_TRY(peeling_options_recipe(arguments, s->asked->seed, &s->recipe));
    WL_TRY(wl_argument_integer(arguments, "chain", 1, 100000000, &steps));
    WL_TRY(wl_argument_integer(arguments, "trace-every", 1, 1000000000, &every));
    s->folder = wl_argument(arguments, "trace");
    s->every = (uint64_t)every;
    s->plan.steps = (uint64_t)steps;
    return WL_OK;
}

static wl_status run_chain(wl_own_run *asked) {
    session *s = calloc(1, sizeof *s);
    if (!s) return wl_fail(WL_NO_MACHINE, "no memory for a chain's runs");
    s->asked = asked;
    wl_status status = read_options(s);
    if (status == WL_OK) status = peeling_simulate(&s->recipe, &s->data);
    if (status == WL_OK) {
        s->plan.input = &s->data.input;
        s->plan.tree = &s->data.tree;
        s->plan.settings = &s->recipe.settings;
        s->plan.options = peeling_chain_defaults(asked->seed);
        status = time_all(s);
        asked->rows = malloc((s->count + 1) * sizeof *asked->rows);
        if (!asked->rows && status == WL_OK) status = wl_fail(WL_NO_MACHINE, "no memory for the result rows");
        for (size_t i = 0; asked->rows && i < s->count; i++) fill_row(s, &s->runs[i], &asked->rows[i]);
        asked->count = s->count;
        if (status == WL_OK) say(s);
        peeling_owned_input_free(&s->data);
    }
    for (size_t i = 0; i < RUNS_MOST; i++) peeling_chain_run_free(&s->runs[i]);
    free(s);
    return status;
}

WL_REGISTER_OWN_RUN("peeling", run_chain)
