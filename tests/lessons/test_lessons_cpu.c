/* The lessons' serial reference against brute force, and cpu_simd on every instruction set of this machine against the
   reference: awkward shapes, alphabets for every number of planes, data that would show a counter that overflows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/bench/variant.h"
#include "lessons/problem.h"
#include "tests/support/inputs.h"
#include "tests/support/serial.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw", "avx512"};
static const int awkward_instances[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129};
static const int awkward_attributes[] = {0, 1, 3, 4, 5, 63, 64, 65, 127, 128, 511, 512, 513, 1000};
static const int alphabets[] = {1, 2, 3, 4, 5, 16, 17, 64, 128, 256}; /* 1 to 8 planes, and both ends of some */

/* --- Inputs -------------------------------------------------------------------------------------------------------- */

typedef enum { RANDOM, ALL_EQUAL, ALL_DIFFERENT, LAST_DIFFERS, FIRST_DIFFERS, KINDS } kind;

static int value(kind what, int i, int k, const lessons_input *in, wl_random *random) {
    int other = i % in->alphabet; /* as different as the alphabet allows */
    switch (what) {
        case ALL_EQUAL:
            return in->alphabet - 1;
        case ALL_DIFFERENT:
            return other;
        case LAST_DIFFERS:
            return k == in->attributes - 1 ? other : in->alphabet / 2;
        case FIRST_DIFFERS:
            return k == 0 ? in->alphabet - 1 - other : 0;
        default:
            return (int)wl_random_below(random, (uint32_t)in->alphabet);
    }
}

/* The caller frees the data, which is exactly as long as it must be: a sanitizer sees a read past its end. */
static lessons_input make(kind what, int instances, int attributes, int alphabet) {
    lessons_input in = {.instances = instances, .attributes = attributes, .alphabet = alphabet};
    int *data = malloc(sizeof(int) * instances * attributes + 1);
    assert_non_null(data);
    wl_random random = wl_random_stream(what, (uint64_t)instances << 40 ^ (uint64_t)attributes << 16 ^ alphabet);
    for (int i = 0; i < instances; i++)
        for (int k = 0; k < attributes; k++) data[(size_t)i * attributes + k] = value(what, i, k, &in, &random);
    in.data = data;
    return in;
}

static int *poisoned(const lessons_input *in) {
    size_t bytes = sizeof(int) * in->instances * in->instances;
    int *distance = malloc(bytes + 1);
    assert_non_null(distance);
    memset(distance, 0xA5, bytes);
    return distance;
}

static int *reference(const lessons_input *in) {
    int *distance = poisoned(in);
    lessons_reference(in, 0, in->instances, distance);
    return distance;
}

static void same(const lessons_input *in, const int *expected, const int *actual, const char *who) {
    for (int i = 0; i < in->instances; i++) {
        for (int j = 0; j < in->instances; j++) {
            size_t at = (size_t)in->instances * j + i;
            if (expected[at] != actual[at])
                fail_msg("%s, %d x %d, alphabet %d: distance of %d and %d is %d, not %d", who, in->instances,
                         in->attributes, in->alphabet, i, j, actual[at], expected[at]);
        }
    }
}

/* --- The reference ------------------------------------------------------------------------------------------------- */

/* Distances by another road: what is left of all attributes when those in which two instances agree are taken off,
   attribute by attribute over lists of the instances that share a letter. */
static int *brute_force(const lessons_input *in) {
    int n = in->instances, *distance = malloc(sizeof(int) * n * n + 1), *sharing = malloc(sizeof(int) * n + 1);
    assert_non_null(distance);
    assert_non_null(sharing);
    for (int pair = 0; pair < n * n; pair++) distance[pair] = in->attributes;
    for (int k = 0; k < in->attributes; k++) {
        for (int letter = 0; letter < in->alphabet; letter++) {
            int many = 0;
            for (int i = 0; i < n; i++)
                if (in->data[(size_t)i * in->attributes + k] == letter) sharing[many++] = i;
            for (int a = 0; a < many; a++)
                for (int b = 0; b < many; b++) distance[sharing[a] * n + sharing[b]]--;
        }
    }
    free(sharing);
    return distance;
}

static void reference_is_right(in_parts *function, const char *who) {
    static const int some_alphabets[] = {1, 2, 3, 5};
    for (size_t n = 0; n < COUNT(awkward_instances); n++) {
        for (size_t m = 0; m < COUNT(awkward_attributes); m++) {
            int alphabet = some_alphabets[(n + m) % COUNT(some_alphabets)];
            lessons_input in = make((n + 2 * m) % KINDS, awkward_instances[n], awkward_attributes[m], alphabet);
            int *expected = brute_force(&in), *actual = poisoned(&in);
            function("lessons", &in, in.instances / 2, in.instances, actual);
            same(&in, expected, actual, who);
            free(expected);
            free(actual);
            free((int *)in.data);
        }
    }
}

static void reference_against_brute_force(void **state) {
    (void)state;
    reference_is_right(reference_in_parts, "reference");
    reference_is_right(serial_O0_in_parts, "reference -O0");
}

/* A slice writes its column and nothing else, and nothing beyond the array. */
static void slices_keep_to_themselves(void **state) {
    (void)state;
    lessons_input in = make(RANDOM, 17, 33, 3);
    int *whole = reference(&in), *part = poisoned(&in), poison;
    memset(&poison, 0xA5, sizeof poison);
    lessons_reference(&in, 5, 3, part);
    for (int i = 0; i < 17; i++)
        for (int j = 0; j < 17; j++) assert_int_equal(part[17 * j + i], i >= 5 && i < 8 ? whole[17 * j + i] : poison);
    lessons_reference(&in, 17, 0, part);
    free(whole);
    free(part);
    free((int *)in.data);
}

/* --- Variants ------------------------------------------------------------------------------------------------------ */

/* One variant on one input: twice on one state, since each launch must produce the whole result again. */
static void run(const wl_variant *variant, const lessons_input *in, int threads, const int *expected, const char *who) {
    const wl_device device = cpu(threads);
    void *state = NULL;
    if (variant->supports) assert_null(variant->supports(&device, in));
    if (variant->prepare(&device, in, &state) != WL_OK) fail_msg("%s: %s", who, wl_error());
    for (int time = 0; time < 2; time++) {
        int *actual = poisoned(in);
        assert_int_equal(variant->launch(state), WL_OK);
        assert_int_equal(variant->collect(state, actual, 0), WL_OK);
        same(in, expected, actual, who);
        free(actual);
    }
    variant->release(state);
}

static void serial_variants(void **state) {
    (void)state;
    static const char *const names[] = {"serial_O0", "serial_O3"};
    for (size_t v = 0; v < COUNT(names); v++) {
        for (int instances = 0; instances < 40; instances += 13) {
            lessons_input in = make(RANDOM, instances, 100, 3);
            int *expected = brute_force(&in);
            run(variant_named(WL_CPU, "lessons", names[v]), &in, 1, expected, names[v]);
            free(expected);
            free((int *)in.data);
        }
    }
}

/* --- cpu_simd ------------------------------------------------------------------------------------------------------ */

static int available(const char *isa) {
    const wl_device device = cpu(1);
    const lessons_input in = {.alphabet = 2};
    setenv("WL_CPU_ISA", isa, 1);
    return variant_named(WL_CPU, "lessons", "cpu_simd")->supports(&device, &in) == NULL;
}

static void every_isa(const lessons_input *in, int threads) {
    const wl_variant *variant = variant_named(WL_CPU, "lessons", "cpu_simd");
    int *expected = reference(in);
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (!available(isas[i])) continue;
        char who[64];
        snprintf(who, sizeof who, "cpu_simd with %s, %d threads", isas[i], threads);
        run(variant, in, threads, expected, who);
    }
    unsetenv("WL_CPU_ISA");
    free(expected);
}

static void made(kind what, int instances, int attributes, int alphabet, int threads) {
    lessons_input in = make(what, instances, attributes, alphabet);
    every_isa(&in, threads);
    free((int *)in.data);
}

static void awkward_shapes(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(awkward_instances); n++)
        for (size_t m = 0; m < COUNT(awkward_attributes); m++)
            for (size_t a = 0; a < COUNT(alphabets); a++)
                made(RANDOM, awkward_instances[n], awkward_attributes[m], alphabets[a], 1);
}

static void adversarial_data(void **state) {
    (void)state;
    for (size_t m = 0; m < COUNT(awkward_attributes); m++)
        for (size_t a = 0; a < COUNT(alphabets); a++)
            for (kind what = ALL_EQUAL; what < KINDS; what++) made(what, 18, awkward_attributes[m], alphabets[a], 1);
}

/* Partial sums of 8 and 16 bits would overflow here; so would a block's words taken wrongly. */
static void many_attributes(void **state) {
    (void)state;
    static const int attributes[] = {32768, 70001, 262144 + 511};
    for (size_t m = 0; m < COUNT(attributes); m++) {
        for (kind what = RANDOM; what < KINDS; what++) {
            made(what, 5, attributes[m], 2, 1);
            made(what, 5, attributes[m], 256, 2);
        }
        made(ALL_DIFFERENT, 9, attributes[m], 3, 3);
        made(ALL_DIFFERENT, 6, attributes[m], 17, 3);
    }
}

/* Enough work for threads to be started: several tiles, the last ones cut off; more threads than cores, than tiles. */
static void many_threads(void **state) {
    (void)state;
    static const int shapes[][2] = {{333, 700}, {523, 64}, {260, 1537}, {400, 1}};
    static const int threads[] = {1, 2, 3, 7, 64};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t t = 0; t < COUNT(threads); t++) made(RANDOM, shapes[s][0], shapes[s][1], 3, threads[t]);
    made(RANDOM, 33, 70001, 4, 5);
}

/* Two states at a time do not disturb each other, whatever their instruction sets. */
static void states_are_apart(void **state) {
    (void)state;
    const wl_variant *variant = variant_named(WL_CPU, "lessons", "cpu_simd");
    const wl_device device = cpu(2);
    lessons_input a = make(RANDOM, 130, 600, 3), b = make(ALL_DIFFERENT, 61, 1025, 20);
    int *expected_a = reference(&a), *expected_b = reference(&b), *actual_a = poisoned(&a), *actual_b = poisoned(&b);
    void *state_a = NULL, *state_b = NULL;
    setenv("WL_CPU_ISA", "portable", 1);
    assert_int_equal(variant->prepare(&device, &a, &state_a), WL_OK);
    unsetenv("WL_CPU_ISA");
    assert_int_equal(variant->prepare(&device, &b, &state_b), WL_OK);
    assert_int_equal(variant->launch(state_a), WL_OK);
    assert_int_equal(variant->launch(state_b), WL_OK);
    assert_int_equal(variant->collect(state_a, actual_a, 0), WL_OK);
    assert_int_equal(variant->collect(state_b, actual_b, 0), WL_OK);
    same(&a, expected_a, actual_a, "the first of two states");
    same(&b, expected_b, actual_b, "the second of two states");
    variant->release(state_a);
    variant->release(state_b);
    variant->release(NULL);
    free(expected_a);
    free(expected_b);
    free(actual_a);
    free(actual_b);
    free((int *)a.data);
    free((int *)b.data);
}

static void refusals(void **state) {
    (void)state;
    const wl_variant *variant = variant_named(WL_CPU, "lessons", "cpu_simd");
    wl_device device = cpu(1);
    lessons_input in = make(RANDOM, 3, 3, 3);
    void *made_state = NULL;

    setenv("WL_CPU_ISA", "sse9", 1);
    assert_non_null(variant->supports(&device, &in));
    assert_non_null(strstr(variant->supports(&device, &in), "WL_CPU_ISA=sse9 is unknown"));
    assert_int_equal(variant->prepare(&device, &in, &made_state), WL_NO_MACHINE);
    assert_null(made_state);
    assert_non_null(strstr(wl_error(), "sse9"));
    assert_string_equal(variant->instruction_set(), "none");
    setenv("WL_CPU_ISA", "", 1); // the same as not at all
    assert_null(variant->supports(&device, &in));
    unsetenv("WL_CPU_ISA");
    assert_null(variant->supports(&device, &in));

    in.alphabet = 257;
    assert_non_null(variant->supports(&device, &in));
    in.alphabet = 0;
    assert_non_null(variant->supports(&device, &in));
    in.alphabet = 3;
    device.memory_free = 100; // bytes
    assert_non_null(variant->supports(&device, &in));
    free((int *)in.data);
}

static void instruction_sets(void **state) {
    (void)state;
    const wl_variant *variant = variant_named(WL_CPU, "lessons", "cpu_simd");
    for (size_t i = 0; i < COUNT(isas); i++) {
        int there = available(isas[i]);
        print_message("%-9s %s\n", isas[i], there ? variant->instruction_set() : "not on this machine: not tested");
        if (!there) assert_string_equal(variant->instruction_set(), "none");
    }
    assert_true(available("portable"));
    unsetenv("WL_CPU_ISA");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_against_brute_force),
        cmocka_unit_test(slices_keep_to_themselves),
        cmocka_unit_test(serial_variants),
        cmocka_unit_test(instruction_sets),
        cmocka_unit_test(awkward_shapes),
        cmocka_unit_test(adversarial_data),
        cmocka_unit_test(many_attributes),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(states_are_apart),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
