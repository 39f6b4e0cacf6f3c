/* Smith-Waterman's stages on the simulated device, whichever the build has: in as little memory as they say they need, and
   at the very end of 16 bits. (The shapes of `check` are the problem's; these need a device, or scores, of their own.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/check.h"
#include "harness/device.h"
#include "sw/problem.h"

static wl_device simulated(void) {
    wl_device_list devices;
    assert_int_equal(wl_devices_select("sim", &devices), WL_OK);
    return devices.items[devices.count - 1];
}

/* Call `test` with each stage; how many there were. */
static size_t each_stage(void (*test)(const wl_variant *stage, const sw_input *in, const int *expected),
                         const sw_input *in, const int *expected) {
    size_t count, tested = 0;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (variants[v]->backend == WL_SIM && strcmp(variants[v]->problem, "sw") == 0) {
            test(variants[v], in, expected);
            tested++;
        }
    return tested;
}

/* score [queries][subjects] of `stage`, `rounds` times from one state, each time all of it. */
static void expect_scores(const wl_variant *stage, const wl_device *device, const sw_input *in, const int *expected,
                          int rounds) {
    size_t pairs = in->queries.count * in->database.count;
    int *score = malloc(sizeof *score * pairs);
    void *state = NULL;
    assert_non_null(score);
    if (stage->prepare(device, in, &state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
    for (int round = 0; round < rounds; round++) {
        memset(score, WL_POISON_BYTE, sizeof *score * pairs);
        if (stage->launch(state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
        if (stage->collect(state, score) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
        for (size_t pair = 0; pair < pairs; pair++)
            if (score[pair] != expected[pair])
                fail_msg("%s, launch %d: query %zu, subject %zu: expected %d, found %d", stage->name, round + 1,
                         pair / in->database.count, pair % in->database.count, expected[pair], score[pair]);
    }
    stage->release(state);
    free(score);
}

/* The least memory that the stage accepts is enough: what does not fit at once is done in stretches. Less is refused in words. */
static void in_least_memory(const wl_variant *stage, const sw_input *in, const int *expected) {
    wl_device device = simulated();
    size_t refused = 0, accepted = device.memory_free;
    assert_null(stage->supports(&device, in));
    while (accepted - refused > 1) {
        device.memory_free = refused + (accepted - refused) / 2;
        if (stage->supports(&device, in))
            refused = device.memory_free;
        else
            accepted = device.memory_free;
    }
    device.memory_free = refused;
    const char *why = stage->supports(&device, in);
    assert_non_null(why);
    assert_true(strlen(why) > 20);
    device.memory_free = accepted;
    expect_scores(stage, &device, in, expected, 1);
}

static void try_in_least_memory(const char *options) {
    wl_arguments arguments;
    wl_inputs inputs;
    const wl_problem *sw = wl_problem_named("sw");
    assert_int_equal(wl_arguments_parse(sw->options, options, &arguments), WL_OK);
    if (wl_inputs_create(sw, &arguments, 3, 1, &inputs) != WL_OK) fail_msg("%s", wl_error());
    const sw_input *in = inputs.inputs[0];
    const void *expected;
    assert_int_equal(wl_inputs_expected(&inputs, 0, &expected), WL_OK);
    /* The last query with the first and longest subject is for 32 bits. */
    assert_true(((const int *)expected)[(in->queries.count - 1) * in->database.count] > INT16_MAX);
    assert_true(each_stage(in_least_memory, in, expected) >= 5);
    wl_inputs_free(&inputs);
    free(arguments.values);
}

static void stages_do_with_the_memory_they_ask_for(void **state) {
    (void)state;
    /* More subjects than a block of stages 01 to 05 has; then more rows than a block recomputes at once. */
    try_in_least_memory("--subjects 520 --subject-length 3 --outlier 260 --query-lengths 13,260 --nucleotide "
                        "--kind repeat --match 127");
    try_in_least_memory(
        "--subjects 1 --subject-length 260 --query-lengths 2060 --nucleotide --kind repeat --match 127");
}

static void with_all_memory(const wl_variant *stage, const sw_input *in, const int *expected) {
    wl_device device = simulated();
    expect_scores(stage, &device, in, expected, 2);
}

/* Subject k is 258 A and k C, the query 258 A and 6 C. A with A scores 127 and C with C 1, so their score is 32766 + k, by
   hand: it passes the largest number of 16 bits in steps of one. */
static void scores_are_exact_at_the_end_of_16_bits(void **state) {
    (void)state;
    enum { LONG = 258, STEPS = 7, A = 0, C = 1 };
    uint32_t lengths[STEPS];
    int expected[STEPS];
    for (int s = 0; s < STEPS; s++) {
        lengths[s] = (uint32_t)(LONG + STEPS - 1 - s);
        expected[s] = 127 * LONG + STEPS - 1 - s;
    }
    assert_true(expected[0] > INT16_MAX && expected[STEPS - 1] < INT16_MAX);
    sw_owned_set queries, database;
    assert_int_equal(sw_set_allocate(1, lengths, &queries), WL_OK);
    assert_int_equal(sw_set_allocate(STEPS, lengths, &database), WL_OK);
    for (int s = 0; s < STEPS; s++)
        for (uint32_t j = 0; j < lengths[s]; j++)
            ((uint8_t *)database.set.residues)[database.set.start[s] + j] = j < LONG ? A : C;
    memcpy((uint8_t *)queries.set.residues, database.set.residues, lengths[0]);
    sw_input in = {.queries = queries.set, .database = database.set};
    assert_int_equal(sw_scoring_nucleotide(127, -127, &in.scoring), WL_OK);
    in.scoring.matrix[C][C] = 1;
    assert_true(each_stage(with_all_memory, &in, expected) >= 5);
    sw_owned_set_free(&queries);
    sw_owned_set_free(&database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_do_with_the_memory_they_ask_for),
        cmocka_unit_test(scores_are_exact_at_the_end_of_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
