/* Chains that are compared: what differs is found, be it a likelihood, a decision or what an engine keeps; what
   rounding can turn ends the comparison without being called wrong. */
#include <math.h>

#include "tests/support/unit.h"
#include "tools/likelihood/chain/time.h"
#include "peeling/options.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"

/* --- Engines that are wrong -------------------------------------------------------------------------------------- */

static const peeling_engine *serial(void) {
    static const wl_device cpu = {.backend = WL_CPU};
    return peeling_engine_find(&cpu, "serial_O3", NULL, NULL);
}
static wl_status open_serial(const wl_device *device, const peeling_input *input, void **state) {
    return serial()->open(device, input, state);
}
static wl_status set_model(void *state, const peeling_model *model) { return serial()->set_model(state, model); }
static wl_status launch(void *state) { return serial()->launch(state); }
static wl_status result(void *state, double *total, double *site, int poison) {
    return serial()->result(state, total, site, poison);
}
static void release(void *state) { serial()->release(state); }

/* Takes the topmost join of a part for all of it: what is below stays as it was. */
static wl_status load_last_join(void *state, const peeling_work *work) {
    peeling_work less = *work;
    if (work->join_count > 1 && work->edge_count < 2) {
        less.joins += work->join_count - 1;
        less.join_count = 1;
    }
    return serial()->load(state, &less);
}
/* Knows no other model than the first. */
static wl_status ignore_model(void *state, const peeling_model *model) {
    (void)state;
    (void)model;
    return WL_OK;
}
static wl_status load_whole(void *state, const peeling_work *work) { return serial()->load(state, work); }
static wl_status no_number(void *state, double *total, double *site, int poison) {
    static int count;
    const wl_status status = serial()->result(state, total, site, poison);
    if (++count % 20 == 0) *total = NAN;
    return status;
}

#define WRONG(id, text)                                                                                         \
    static const wl_variant variant_##id = {.problem = "peeling", .name = text, .idea = "", .backend = WL_CPU}; \
    static const peeling_engine id = {                                                                          \
        .variant = &variant_##id, .keeps_partials = 1, .open = open_serial, .release = release
WRONG(stale, "99_stale"), .set_model = set_model, .load = load_last_join, .launch = launch, .result = result
}
;
WRONG(deaf, "99_deaf"), .set_model = ignore_model, .load = load_whole, .launch = launch, .result = result
}
;
WRONG(nameless, "99_nan"), .set_model = set_model, .load = load_whole, .launch = launch, .result = no_number
}
;

static void register_wrong(void) {
    peeling_register_engine(&stale);
    peeling_register_engine(&deaf);
    peeling_register_engine(&nameless);
}

/* --- A chain ----------------------------------------------------------------------------------------------------- */

typedef struct {
    peeling_recipe recipe;
    peeling_owned_input data;
    peeling_chain_plan plan;
} fixture;

static void make(fixture *f, const char *options, uint64_t steps) {
    wl_arguments arguments;
    assert_int_equal(wl_arguments_parse(peeling_options, options, &arguments), WL_OK);
    assert_int_equal(peeling_options_recipe(&arguments, 7, &f->recipe), WL_OK);
    free(arguments.values);
    assert_int_equal(peeling_simulate(&f->recipe, &f->data), WL_OK);
    f->plan = (peeling_chain_plan){.input = &f->data.input,
                                   .tree = &f->data.tree,
                                   .settings = &f->recipe.settings,
                                   .options = peeling_chain_defaults(2),
                                   .steps = steps};
}

static void time_it(const fixture *f, const char *variant, uint64_t least, double seconds, peeling_chain_run *run) {
    wl_device_list devices;
    assert_int_equal(wl_devices_select("cpu", &devices), WL_OK);
    assert_int_equal(peeling_chain_time(&f->plan, devices.items, 1, variant, least, seconds, NULL, run), WL_OK);
}

static void assert_says(const peeling_chain_run *run, const char *begin, const char *words) {
    const wl_verdict_text line = wl_verdict_line(&run->verdict);
    if (strncmp(line.text, begin, strlen(begin)) != 0 || !strstr(line.text, words))
        fail_msg("found '%s', expected '%s .. %s'", line.text, begin, words);
}

TEST(wrong_engines_are_found) {
    fixture f;
    make(&f, "--model HKY85+G2 --taxa 8 --patterns 20", 300);
    peeling_chain_run expected, run;
    time_it(&f, "serial_O3", 3, 100, &expected);
    assert_true(wl_passed(&expected.verdict));
    assert_int_equal(expected.count, 300);

    /* By itself, and by its steps. */
    time_it(&f, "99_stale", 3, 100, &run);
    assert_says(&run, "FAILED", "from scratch");
    run.verdict = (wl_verdict){.state = WL_PASSED};
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_says(&run, "FAILED: step", "expected");
    peeling_chain_run_free(&run);

    /* A model that never changes is the same from scratch: only the steps tell. */
    time_it(&f, "99_deaf", 3, 100, &run);
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_says(&run, "FAILED: step", "expected");
    assert_true(run.agreed < 300);
    peeling_chain_run_free(&run);

    time_it(&f, "99_nan", 3, 100, &run);
    assert_says(&run, "FAILED", "NaN");
    assert_true(run.count < 30);
    peeling_chain_run_free(&run);

    time_it(&f, "99_none", 3, 100, &run);
    assert_says(&run, "unsupported", "99_none");
    assert_int_equal(run.count, 0);
    assert_true(isnan(peeling_chain_speedup(&expected, &run)));
    peeling_chain_run_free(&run);
    peeling_chain_run_free(&expected);
    peeling_owned_input_free(&f.data);
}

TEST(steps_are_compared) {
    fixture f;
    make(&f, "--model GTR+G4 --taxa 7 --patterns 20", 100);
    peeling_chain_run expected, run;
    time_it(&f, "serial_O3", 3, 100, &expected);
    time_it(&f, NULL, 3, 100, &run);
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_true(wl_passed(&run.verdict));
    assert_int_equal(run.agreed, 100);

    /* A likelihood a little off is off in double precision, and not in single. */
    const peeling_chain_step kept = run.step[40];
    run.step[40].log_likelihood *= 1 + 1e-8;
    peeling_chain_compare(&expected, PEELING_SINGLE, &run);
    assert_true(wl_passed(&run.verdict));
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_says(&run, "FAILED: step 40", "expected");
    assert_int_equal(run.agreed, 40);
    run.step[40] = kept;

    run.verdict = (wl_verdict){.state = WL_PASSED};
    run.step[41].log_likelihood = NAN;
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_says(&run, "FAILED: step 41", "expected");
    run.step[41] = expected.step[41];

    /* The opposite decision: wrong, unless the odds were as near as rounding goes. */
    run.verdict = (wl_verdict){.state = WL_PASSED};
    run.step[50].accepted ^= 1;
    const double margin = expected.step[50].margin;
    assert_true(fabs(margin) > 1e-6);
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_says(&run, "FAILED: step 50", "opposite");
    run.verdict = (wl_verdict){.state = WL_PASSED};
    expected.step[50].margin = 1e-10;
    peeling_chain_compare(&expected, PEELING_DOUBLE, &run);
    assert_true(wl_passed(&run.verdict));
    assert_int_equal(run.agreed, 50);
    peeling_chain_run_free(&run);
    peeling_chain_run_free(&expected);
    peeling_owned_input_free(&f.data);
}

TEST(times_are_scaled) {
    const peeling_chain_run baseline = {.count = 10, .seconds = 20, .operations = 1e9};
    const peeling_chain_run run = {.count = 1000, .seconds = 4, .operations = 2e11};
    assert_true(fabs(peeling_chain_speedup(&baseline, &run) - 1000) < 1e-9);
    assert_true(fabs(peeling_chain_ms(&run) - 4) < 1e-12);

    /* No time, but the least number of steps. */
    fixture f;
    make(&f, "--model JC69 --taxa 5 --patterns 10", 50);
    peeling_chain_run few;
    time_it(&f, "serial_O3", 4, 0, &few);
    assert_int_equal(few.count, 4);
    assert_true(few.seconds > 0 && few.operations > 0);
    peeling_chain_run_free(&few);
    peeling_owned_input_free(&f.data);
}

int main(void) {
    register_wrong();
    return run_all_tests(NULL, NULL);
}
