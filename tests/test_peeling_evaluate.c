/* An evaluator gives the reference's sites in their order, on one device or several, of a whole tree or of parts of it,
   and takes another model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/check.h"
#include "harness/timer.h"
#include "peeling/evaluate.h"
#include "peeling/reference.h"
#include "peeling/simulate.h"

enum { DEVICES = 3 };

static peeling_owned_input *open_inputs(const char *options, wl_inputs *inputs) {
    const wl_problem *peeling = wl_problem_named("peeling");
    wl_arguments arguments;
    assert_int_equal(wl_arguments_parse(peeling->options, options, &arguments), WL_OK);
    if (wl_inputs_create(peeling, &arguments, 5, 0, inputs) != WL_OK) fail_msg("%s: %s", options, wl_error());
    free(arguments.values);
    return inputs->inputs[0];
}

/* The CPU, or the simulated device, several times over. */
static void list(const char *request, wl_device *devices) {
    wl_device_list all;
    assert_int_equal(wl_devices_select(request, &all), WL_OK);
    for (size_t i = 0; i < DEVICES; i++) devices[i] = all.items[all.count - 1];
}

static void must(wl_status status, const char *what) {
    if (status != WL_OK) fail_msg("%s: %s", what, wl_error());
}

static void assert_close(double expected, double found, double tolerance, const char *what) {
    if (fabs(found - expected) <= tolerance * fmax(1, fabs(expected))) return;
    fail_msg("%s: expected %.17g, found %.17g", what, expected, found);
}

static void assert_evaluates(peeling_evaluator *e, const peeling_input *input, const peeling_work *work,
                             const char *what) {
    const uint32_t patterns = input->data.patterns;
    const double tolerance = input->precision == PEELING_DOUBLE ? 1e-11 : 1e-5;
    double *expected = malloc(sizeof *expected * (patterns + 1)), *site = malloc(sizeof *site * (patterns + 1));
    double total = NAN;
    peeling_reference(input, 0, patterns, expected);
    must(peeling_evaluator_run(e, work, &total, site), what);
    for (uint32_t c = 0; c < patterns; c++) assert_close(expected[c], site[c], tolerance, what);
    assert_close(peeling_reference_total(input, expected), total, tolerance / 10, what);
    double again = NAN;
    must(peeling_evaluator_run(e, work, &again, NULL), what);
    assert_true(again == total); // the same work in the same order: the same bits
    free(expected);
    free(site);
}

static void compare(const char *request, const char *variant, const char *options, size_t count) {
    wl_inputs inputs;
    peeling_owned_input *made = open_inputs(options, &inputs);
    peeling_input input = made->input;
    wl_device devices[DEVICES];
    peeling_evaluator *e;
    list(request, devices);
    input.reference_matrix = NULL;
    must(peeling_evaluator_open(devices, count, variant, &input, &e), options);
    assert_int_equal(peeling_evaluator_devices(e), count < input.data.patterns || !count ? count
                                                   : input.data.patterns                 ? input.data.patterns
                                                                                         : 1);
    assert_evaluates(e, &input, &input.work, options);

    /* Another model, of which nothing is kept but what it says. */
    peeling_model other = made->model;
    for (int r = 0; r < other.rates; r++) other.rate[r] *= 1.25;
    input.model = &other;
    must(peeling_evaluator_set_model(e, &other), options);
    assert_evaluates(e, &input, &input.work, options);

    /* One branch longer: its matrix, and the joins above it. */
    if (peeling_evaluator_keeps_partials(e)) {
        peeling_edge *edges = malloc(sizeof *edges * input.work.edge_count);
        peeling_join *joins = malloc(sizeof *joins * input.work.join_count);
        peeling_work part = {.edges = edges, .joins = joins, .root = input.work.root, .edge_count = 1};
        memcpy(edges, input.work.edges, sizeof *edges * input.work.edge_count);
        edges[0].length += 0.1;
        for (uint32_t j = 0, above = edges[0].matrix; j < input.work.join_count; j++) {
            const peeling_join *join = &input.work.joins[j];
            if (join->child[0] != above && join->child[1] != above) continue;
            joins[part.join_count++] = *join;
            above = join->to;
        }
        input.work.edges = edges;
        assert_evaluates(e, &input, &part, options);
        free(edges);
        free(joins);
    }
    peeling_evaluator_close(e);
    wl_inputs_free(&inputs);
}

static void shares_of_any_size(void **state) {
    (void)state;
    static const char *const cases[] = {
        "--model GTR+G4 --taxa 9 --patterns 100 --missing 0.1 --ambiguous 0.1",
        "--model JC69 --taxa 2 --patterns 7",
        "--model WAG+G2 --taxa 5 --patterns 2",
        "--model GY94+G2 --taxa 5 --patterns 10",
        "--model HKY85+G4 --taxa 6 --patterns 1",
        "--model HKY85+G4 --taxa 6 --patterns 0",
        "--model GTR+G4 --taxa 20 --patterns 101 --tree-shape ladder --branches mixed",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t count = 1; count <= DEVICES; count++) {
            compare("cpu", "serial_O3", cases[i], count);
            compare("cpu", NULL, cases[i], count);
        }
    compare("cpu", NULL, "--model GTR+G4 --taxa 30 --patterns 300 --precision single", 2);
    compare("sim", "01_naive", "--model HKY85+G2 --taxa 5 --patterns 20", 3);
}

/* Waiting workers find their next order whether they still look for it or sleep. */
static void orders_after_any_pause(void **state) {
    (void)state;
    wl_inputs inputs;
    peeling_owned_input *made = open_inputs("--model JC69 --taxa 4 --patterns 20", &inputs);
    wl_device devices[DEVICES];
    peeling_evaluator *e;
    double first = NAN;
    list("cpu", devices);
    must(peeling_evaluator_open(devices, DEVICES, "serial_O3", &made->input, &e), "open");
    for (int i = 0; i < 3000; i++) {
        const double until = wl_now() + (i % 10 == 0 ? 200e-6 : 1e-6 * (i % 7));
        while (wl_now() < until) continue;
        double total = NAN;
        must(peeling_evaluator_run(e, &made->input.work, &total, NULL), "run");
        if (i == 0) first = total;
        assert_true(total == first);
    }
    peeling_evaluator_close(e);
    wl_inputs_free(&inputs);
}

static void errors_name_what_is_missing(void **state) {
    (void)state;
    wl_inputs inputs;
    peeling_owned_input *made = open_inputs("--model JC69 --taxa 4 --patterns 20", &inputs);
    wl_device devices[DEVICES];
    peeling_evaluator *e = NULL;
    list("cpu", devices);
    assert_int_equal(peeling_evaluator_open(devices, 2, "99_none", &made->input, &e), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "99_none"));
    assert_null(e);
    peeling_evaluator_close(NULL);
    wl_inputs_free(&inputs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_of_any_size),
        cmocka_unit_test(orders_after_any_pause),
        cmocka_unit_test(errors_name_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
