/* distances/cpu_simd on every instruction set of this machine, and the serial variants, against distances computed from plain
   numbers: awkward shapes, every number of planes, data that would show a counter that overflows, many threads. */
#include "tests/support/distances_oracle.h"

#include "harness/base/error.h"
#include "harness/bench/variant.h"
#include "tests/support/cpu_variant.h"

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw", "avx512"};

static void same_example(const void *input, const void *expected, const void *actual, const char *who) {
    same(input, expected, actual, who); // an example begins with its input
}

static const distances_input smallest = {.planes = 2, .sites = 1, .words = 8};
static const cpu_trial trial = {"distances", isas, COUNT(isas), &smallest, same_example};

static void run(const wl_variant *variant, const example *e, int threads, const uint32_t *expected, const char *who) {
    run_variant(&trial, variant, e, threads, expected, who);
}

static void every_isa(recipe r, int threads) {
    example e = make(r);
    uint32_t *expected = brute_force(&e);
    run_on_isas(&trial, &e, threads, expected, ~0u);
    free(expected);
    discard(&e);
}

/* --- Tests --------------------------------------------------------------------------------------------------------- */

TEST(instruction_sets) { check_isas(&trial); }

TEST(serial_variants) {
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
TEST(awkward_shapes) {
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

TEST(empty_sides) {
    every_isa((recipe){.rows = 0, .sites = 10, .values = 4}, 2);
    example e = make((recipe){.rows = 3, .columns = 2, .sites = 70, .values = 4, .missing = 10});
    e.input.columns.count = 0; // three rows against nothing
    const uint32_t nothing = 0;
    run(variant_named(WL_CPU, "distances", "cpu_simd"), &e, 2, &nothing, "no columns");
    discard(&e);
}

TEST(adversarial_data) {
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
TEST(many_sites) {
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
TEST(many_threads) {
    static const size_t shapes[][3] = {{333, 0, 130}, {523, 0, 64}, {150, 270, 513}, {1, 700, 65}, {700, 1, 65}};
    static const int threads[] = {1, 2, 3, 7, 64};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t t = 0; t < COUNT(threads); t++)
            every_isa((recipe){shapes[s][0], shapes[s][1], shapes[s][2], DISTANCES_DIFFERENT, 4, t % 2 ? 5 : 0, RANDOM},
                      threads[t]);
    every_isa((recipe){300, 0, 600, DISTANCES_STEPS, 3, 5, RANDOM}, 5);
}

TEST(states_are_apart) {
    example a = make((recipe){130, 0, 600, DISTANCES_DIFFERENT, 4, 3, RANDOM});
    example b = make((recipe){61, 7, 1025, DISTANCES_STEPS, 3, 0, FARTHEST});
    void *expected[2] = {brute_force(&a), brute_force(&b)};
    check_two_states(&trial, (const void *[]){&a, &b}, expected);
    free(expected[0]);
    free(expected[1]);
    discard(&a);
    discard(&b);
}

TEST(refusals) {
    const wl_variant *variant = cpu_simd_of(&trial);
    wl_device device = cpu(1);
    example e = make((recipe){.rows = 3, .sites = 3, .values = 4});
    check_refused_isa(&trial, &e);
    e.input.planes = 8;
    assert_non_null(variant->supports(&device, &e.input));
    e.input.planes = 2;
    device.memory_free = 100; // bytes
    assert_non_null(strstr(variant->supports(&device, &e.input), "do not fit into memory"));
    discard(&e);
}

int main(void) { return run_all_tests(NULL, NULL); }
