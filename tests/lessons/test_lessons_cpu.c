/* The lessons' serial reference against brute force, and cpu_simd on every instruction set of this machine against the
   reference: awkward shapes, alphabets for every number of planes, data that would show a counter that overflows. */
#include "tests/support/unit.h"
#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/bench/variant.h"
#include "lessons/problem.h"
#include "tests/support/cpu_variant.h"
#include "tests/support/serial.h"

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw", "avx512"};
static const int awkward_instances[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129};
static const int awkward_attributes[] = {0, 1, 3, 4, 5, 63, 64, 65, 127, 128, 511, 512, 513, 1000};
static const int alphabets[] = {1, 2, 3, 4, 5, 16, 17, 64, 128, 256}; // 1 to 8 planes, and both ends of some

/* --- Inputs -------------------------------------------------------------------------------------------------------- */

typedef enum { RANDOM, ALL_EQUAL, ALL_DIFFERENT, LAST_DIFFERS, FIRST_DIFFERS, KINDS } kind;

static int value(kind what, int i, int k, const lessons_input *in, wl_random *random) {
    int other = i % in->alphabet; // as different as the alphabet allows
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

static void same(const void *input, const void *of_reference, const void *of_variant, const char *who) {
    const lessons_input *in = input;
    const int *expected = of_reference, *actual = of_variant;
    for (int i = 0; i < in->instances; i++) {
        for (int j = 0; j < in->instances; j++) {
            size_t at = (size_t)in->instances * j + i;
            if (expected[at] != actual[at])
                fail_msg("%s, %d x %d, alphabet %d: distance of %d and %d is %d, not %d", who, in->instances,
                         in->attributes, in->alphabet, i, j, actual[at], expected[at]);
        }
    }
}

static const lessons_input smallest = {.alphabet = 2};
static const cpu_trial trial = {"lessons", isas, COUNT(isas), &smallest, same};

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
            int *expected = brute_force(&in), *actual = poisoned_result(&trial, &in);
            function("lessons", &in, in.instances / 2, in.instances, actual);
            same(&in, expected, actual, who);
            free(expected);
            free(actual);
            free((int *)in.data);
        }
    }
}

TEST(reference_against_brute_force) {
    reference_is_right(reference_in_parts, "reference");
    reference_is_right(serial_O0_in_parts, "reference -O0");
}

/* A slice writes its column and nothing else, and nothing beyond the array. */
TEST(slices_keep_to_themselves) {
    lessons_input in = make(RANDOM, 17, 33, 3);
    int *whole = reference_result(&trial, &in), *part = poisoned_result(&trial, &in), poison;
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

TEST(serial_variants) {
    static const char *const names[] = {"serial_O0", "serial_O3"};
    for (size_t v = 0; v < COUNT(names); v++) {
        for (int instances = 0; instances < 40; instances += 13) {
            lessons_input in = make(RANDOM, instances, 100, 3);
            int *expected = brute_force(&in);
            run_variant(&trial, variant_named(WL_CPU, "lessons", names[v]), &in, 1, expected, names[v]);
            free(expected);
            free((int *)in.data);
        }
    }
}

/* --- cpu_simd ------------------------------------------------------------------------------------------------------ */

static void made(kind what, int instances, int attributes, int alphabet, int threads) {
    lessons_input in = make(what, instances, attributes, alphabet);
    void *expected = reference_result(&trial, &in);
    run_on_isas(&trial, &in, threads, expected, ~0u);
    free(expected);
    free((int *)in.data);
}

TEST(awkward_shapes) {
    for (size_t n = 0; n < COUNT(awkward_instances); n++)
        for (size_t m = 0; m < COUNT(awkward_attributes); m++)
            for (size_t a = 0; a < COUNT(alphabets); a++)
                made(RANDOM, awkward_instances[n], awkward_attributes[m], alphabets[a], 1);
}

TEST(adversarial_data) {
    for (size_t m = 0; m < COUNT(awkward_attributes); m++)
        for (size_t a = 0; a < COUNT(alphabets); a++)
            for (kind what = ALL_EQUAL; what < KINDS; what++) made(what, 18, awkward_attributes[m], alphabets[a], 1);
}

/* Partial sums of 8 and 16 bits would overflow here; so would a block's words taken wrongly. */
TEST(many_attributes) {
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
TEST(many_threads) {
    static const int shapes[][2] = {{333, 700}, {523, 64}, {260, 1537}, {400, 1}};
    static const int threads[] = {1, 2, 3, 7, 64};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t t = 0; t < COUNT(threads); t++) made(RANDOM, shapes[s][0], shapes[s][1], 3, threads[t]);
    made(RANDOM, 33, 70001, 4, 5);
}

TEST(states_are_apart) {
    lessons_input a = make(RANDOM, 130, 600, 3), b = make(ALL_DIFFERENT, 61, 1025, 20);
    void *expected[2] = {reference_result(&trial, &a), reference_result(&trial, &b)};
    check_two_states(&trial, (const void *[]){&a, &b}, expected);
    free(expected[0]);
    free(expected[1]);
    free((int *)a.data);
    free((int *)b.data);
}

TEST(refusals) {
    const wl_variant *variant = cpu_simd_of(&trial);
    wl_device device = cpu(1);
    lessons_input in = make(RANDOM, 3, 3, 3);
    check_refused_isa(&trial, &in);

    in.alphabet = 257;
    assert_non_null(variant->supports(&device, &in));
    in.alphabet = 0;
    assert_non_null(variant->supports(&device, &in));
    in.alphabet = 3;
    device.memory_free = 100; // bytes
    assert_non_null(variant->supports(&device, &in));
    free((int *)in.data);
}

TEST(instruction_sets) { check_isas(&trial); }

int main(void) { return run_all_tests(NULL, NULL); }
