/* distances/cpu_simd on every instruction set of this machine, and the serial variants, against distances computed from plain
   numbers: awkward shapes, every number of planes, data that would show a counter that overflows, many threads. */
#include "tests/support/distances_oracle.h"

#include "harness/base/error.h"
#include "harness/bench/variant.h"
#include "tests/support/inputs.h"

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw", "avx512"};

/* One variant on one input: twice on one state, since each launch must produce the whole result again. */
static void run(const wl_variant *variant, const example *e, int threads, const uint32_t *expected, const char *who) {
    const wl_device device = cpu(threads);
    void *state = NULL;
    if (variant->supports) assert_null(variant->supports(&device, &e->input));
    if (variant->prepare(&device, &e->input, &state) != WL_OK) fail_msg("%s: %s", who, wl_error());
    for (int time = 0; time < 2; time++) {
        uint32_t *actual = poisoned(e);
        assert_int_equal(variant->launch(state), WL_OK);
        assert_int_equal(variant->collect(state, actual, 0), WL_OK);
        same(e, expected, actual, who);
        free(actual);
    }
    variant->release(state);
}

static int available(const char *isa) {
    const wl_device device = cpu(1);
    const distances_input in = {.planes = 2, .sites = 1, .words = 8};
    setenv("WL_CPU_ISA", isa, 1);
    return variant_named(WL_CPU, "distances", "cpu_simd")->supports(&device, &in) == NULL;
}

static void every_isa(recipe r, int threads) {
    const wl_variant *variant = variant_named(WL_CPU, "distances", "cpu_simd");
    example e = make(r);
    uint32_t *expected = brute_force(&e);
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (!available(isas[i])) continue;
        char who[64];
        snprintf(who, sizeof who, "cpu_simd with %s, %d threads", isas[i], threads);
        run(variant, &e, threads, expected, who);
    }
    unsetenv("WL_CPU_ISA");
    free(expected);
    discard(&e);
}

/* --- Tests --------------------------------------------------------------------------------------------------------- */

static void instruction_sets(void **state) {
    (void)state;
    const wl_variant *variant = variant_named(WL_CPU, "distances", "cpu_simd");
    for (size_t i = 0; i < COUNT(isas); i++) {
        const int there = available(isas[i]);
        print_message("%-9s %s\n", isas[i], there ? variant->instruction_set() : "not on this machine: not tested");
        if (!there) assert_string_equal(variant->instruction_set(), "none");
    }
    assert_true(available("portable"));
    unsetenv("WL_CPU_ISA");
}

static void serial_variants(void **state) {
    (void)state;
    static const recipe recipes[] = {{.rows = 0, .columns = 4, .sites = 9, .values = 4},
                                     {.rows = 9, .columns = 4, .sites = 100, .values = 4, .missing = 10},
                                     {.rows = 13, .sites = 130, .values = 3, .missing = 10, .sum = DISTANCES_STEPS},
                                     {.rows = 5, .sites = 513, .values = 128}};
    for (size_t k = 0; k < COUNT(recipes); k++) {
        example e = make(recipes[k]);
        uint32_t *expected = brute_force(&e);
        run(variant_named(WL_CPU, "distances", "serial_O0"), &e, 1, expected, "serial_O0");
        run(variant_named(WL_CPU, "distances", "serial_O3"), &e, 1, expected, "serial_O3");
        free(expected);
        discard(&e);
    }
}

/* Every function of every instruction set: both sums, 1 to 7 planes, with and without missing
   values. Panels are whole or cut off, sites fill words of 512 or differ by one, and words make
   groups of four or none. */
static void awkward_shapes(void **state) {
    (void)state;
    static const size_t rows[] = {1, 2, 3, 4, 5, 9}, columns[] = {0, 1, 4, 0, 6, 3};
    static const uint64_t sites[] = {1, 63, 64, 65, 511, 512, 513, 1025, 1536, 2049, 3500};
    static const struct {
        distances_sum sum;
        int values;
    } kinds[] = {{DISTANCES_DIFFERENT, 2},   {DISTANCES_DIFFERENT, 4},  {DISTANCES_DIFFERENT, 5},
                 {DISTANCES_DIFFERENT, 16},  {DISTANCES_DIFFERENT, 20}, {DISTANCES_DIFFERENT, 64},
                 {DISTANCES_DIFFERENT, 128}, {DISTANCES_STEPS, 2},      {DISTANCES_STEPS, 3},
                 {DISTANCES_STEPS, 4},       {DISTANCES_STEPS, 5},      {DISTANCES_STEPS, 6},
                 {DISTANCES_STEPS, 7},       {DISTANCES_STEPS, 8}};
    for (size_t n = 0; n < COUNT(rows); n++)
        for (size_t s = 0; s < COUNT(sites); s++)
            for (size_t k = 0; k < COUNT(kinds); k++)
                for (int missing = 0; missing <= 30; missing += 30)
                    every_isa((recipe){rows[n], columns[n], sites[s], kinds[k].sum, kinds[k].values, missing, RANDOM},
                              1);
}

static void empty_sides(void **state) {
    (void)state;
    every_isa((recipe){.rows = 0, .sites = 10, .values = 4}, 2);
    example e = make((recipe){.rows = 3, .columns = 2, .sites = 70, .values = 4, .missing = 10});
    e.input.columns.count = 0; // three rows against nothing
    uint32_t nothing;
    run(variant_named(WL_CPU, "distances", "cpu_simd"), &e, 2, &nothing, "no columns");
    discard(&e);
}

static void adversarial_data(void **state) {
    (void)state;
    static const uint64_t sites[] = {1, 65, 512, 1025};
    for (size_t s = 0; s < COUNT(sites); s++) {
        for (kind what = ALL_EQUAL; what < KINDS; what++) {
            every_isa((recipe){18, 0, sites[s], DISTANCES_DIFFERENT, 4, 0, what}, 1);
            every_isa((recipe){7, 18, sites[s], DISTANCES_DIFFERENT, 128, 5, what}, 1);
            every_isa((recipe){18, 7, sites[s], DISTANCES_STEPS, 3, 5, what}, 1);
            every_isa((recipe){18, 0, sites[s], DISTANCES_STEPS, 8, 0, what}, 1);
        }
        every_isa((recipe){6, 0, sites[s], DISTANCES_DIFFERENT, 4, 100, RANDOM}, 1); // nothing is there
    }
}

/* Partial sums of 8 and 16 bits would overflow here; so would a block's words taken wrongly. */
static void many_sites(void **state) {
    (void)state;
    static const uint64_t sites[] = {32768, 70001, 131072 + 511};
    for (size_t s = 0; s < COUNT(sites); s++) {
        every_isa((recipe){5, 0, sites[s], DISTANCES_DIFFERENT, 4, 0, FARTHEST}, 1);
        every_isa((recipe){5, 0, sites[s], DISTANCES_DIFFERENT, 4, 2, FARTHEST}, 3);
        every_isa((recipe){3, 6, sites[s], DISTANCES_STEPS, 8, 0, FARTHEST}, 2);
        every_isa((recipe){3, 6, sites[s], DISTANCES_STEPS, 8, 2, FARTHEST}, 1);
        every_isa((recipe){5, 0, sites[s], DISTANCES_STEPS, 3, 2, RANDOM}, 1);
        every_isa((recipe){4, 1, sites[s], DISTANCES_DIFFERENT, 128, 2, LAST_SITE}, 1);
    }
}

/* Several tiles, symmetric ones and wide and tall ones, the last ones cut off; more threads than cores, than tiles. */
static void many_threads(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{333, 0, 130}, {523, 0, 64}, {150, 270, 513}, {1, 700, 65}, {700, 1, 65}};
    static const int threads[] = {1, 2, 3, 7, 64};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t t = 0; t < COUNT(threads); t++)
            every_isa((recipe){shapes[s][0], shapes[s][1], shapes[s][2], DISTANCES_DIFFERENT, 4, t % 2 ? 5 : 0, RANDOM},
                      threads[t]);
    every_isa((recipe){300, 0, 600, DISTANCES_STEPS, 3, 5, RANDOM}, 5);
}

/* Two states at a time do not disturb each other, whatever their instruction sets. */
static void states_are_apart(void **state) {
    (void)state;
    const wl_variant *variant = variant_named(WL_CPU, "distances", "cpu_simd");
    const wl_device device = cpu(2);
    example a = make((recipe){130, 0, 600, DISTANCES_DIFFERENT, 4, 3, RANDOM});
    example b = make((recipe){61, 7, 1025, DISTANCES_STEPS, 3, 0, FARTHEST});
    uint32_t *expected_a = brute_force(&a), *expected_b = brute_force(&b), *is_a = poisoned(&a), *is_b = poisoned(&b);
    void *state_a = NULL, *state_b = NULL;
    setenv("WL_CPU_ISA", "portable", 1);
    assert_int_equal(variant->prepare(&device, &a.input, &state_a), WL_OK);
    unsetenv("WL_CPU_ISA");
    assert_int_equal(variant->prepare(&device, &b.input, &state_b), WL_OK);
    assert_int_equal(variant->launch(state_a), WL_OK);
    assert_int_equal(variant->launch(state_b), WL_OK);
    assert_int_equal(variant->collect(state_a, is_a, 0), WL_OK);
    assert_int_equal(variant->collect(state_b, is_b, 0), WL_OK);
    same(&a, expected_a, is_a, "the first of two states");
    same(&b, expected_b, is_b, "the second of two states");
    variant->release(state_a);
    variant->release(state_b);
    variant->release(NULL);
    free(expected_a);
    free(expected_b);
    free(is_a);
    free(is_b);
    discard(&a);
    discard(&b);
}

static void refusals(void **state) {
    (void)state;
    const wl_variant *variant = variant_named(WL_CPU, "distances", "cpu_simd");
    wl_device device = cpu(1);
    example e = make((recipe){.rows = 3, .sites = 3, .values = 4});
    void *made = NULL;
    setenv("WL_CPU_ISA", "sse9", 1);
    assert_non_null(strstr(variant->supports(&device, &e.input), "WL_CPU_ISA=sse9 is unknown"));
    assert_int_equal(variant->prepare(&device, &e.input, &made), WL_NO_MACHINE);
    assert_null(made);
    unsetenv("WL_CPU_ISA");
    assert_null(variant->supports(&device, &e.input));
    e.input.planes = 8;
    assert_non_null(variant->supports(&device, &e.input));
    e.input.planes = 2;
    device.memory_free = 100; // bytes
    assert_non_null(strstr(variant->supports(&device, &e.input), "do not fit into memory"));
    discard(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets), cmocka_unit_test(serial_variants),  cmocka_unit_test(awkward_shapes),
        cmocka_unit_test(empty_sides),      cmocka_unit_test(adversarial_data), cmocka_unit_test(many_sites),
        cmocka_unit_test(many_threads),     cmocka_unit_test(states_are_apart), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
