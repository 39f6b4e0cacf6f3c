/* PaPaRa's problem: its random data are what they are said to be and the same everywhere, its shapes are awkward and affordable,
   its slices are alike, what is wrong is refused or described. That its reference is right: test_papara_reference.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "harness/check.h"
#include "papara/alphabet.h"
#include "papara/problem.h"
#include "papara/reference.h"

static const wl_problem *papara(void) { return wl_problem_named("papara"); }

static wl_status inputs_of(const char *options, uint64_t seed, wl_inputs *inputs) {
    wl_arguments arguments;
    wl_status status = wl_arguments_parse(papara()->options, options, &arguments);
    assert_int_equal(status, WL_OK);
    status = wl_inputs_create(papara(), &arguments, seed, 0, inputs);
    free(arguments.values);
    return status;
}

static const papara_input *open_inputs(const char *options, wl_inputs *inputs) {
    if (inputs_of(options, 5, inputs) != WL_OK) fail_msg("%s: %s", options, wl_error());
    return inputs->inputs[0];
}

/* --- The reference's two compilations, and slices ------------------------------------------------------------------ */

static void both_references_agree(void **state) {
    (void)state;
    wl_inputs inputs;
    const papara_input *in = open_inputs("--kind gaps --reads 10 --vectors 20 --sites 80 --read-length 30", &inputs);
    int first[200], second[200];
    papara_reference(in, 0, papara_slices(in), first);
    papara_reference_o0(in, 0, papara_slices(in), second);
    assert_memory_equal(first, second, sizeof first);
    wl_inputs_free(&inputs);
}

/* Every score is in exactly one slice: run alone, a slice writes what no other does, and together they write all. */
static void slices_are_a_partition(void **state) {
    (void)state;
    for (size_t reads = 0; reads < 70; reads += 1 + reads / 6)
        for (size_t vectors = 0; vectors < 20; vectors++) {
            char options[80];
            wl_inputs inputs;
            snprintf(options, sizeof options, "--reads %zu --vectors %zu --sites 3 --read-lengths 1,2", reads, vectors);
            const papara_input *in = open_inputs(options, &inputs);
            const size_t pairs = reads * vectors;
            int written[70 * 20] = {0}, score[70 * 20];
            assert_true(papara_slices(in) <= pairs && (papara_slices(in) > 0 || pairs == 0));
            for (size_t slice = 0; slice < papara_slices(in); slice++) {
                for (size_t i = 0; i < pairs; i++) score[i] = -1;
                papara_reference(in, slice, 1, score);
                for (size_t i = 0; i < pairs; i++) written[i] += score[i] != -1;
            }
            for (size_t i = 0; i < pairs; i++) assert_int_equal(written[i], 1);
            wl_inputs_free(&inputs);
        }
}

/* A baseline that is timed on its first slices is timed on what the whole is like, though reads differ sixteenfold in length
   and long ones come first: mean lengths are within 5 % of the whole's. */
static void first_slices_are_typical(void **state) {
    (void)state;
    enum { READS = 1000 };
    char options[8 * READS] = "--vectors 32 --sites 483 --read-lengths ";
    for (int r = 0; r < READS; r++)
        sprintf(options + strlen(options), "%s%d", r > 0 ? "," : "", 483 - r * 454 / (READS - 1));
    wl_inputs inputs;
    const papara_input *in = open_inputs(options, &inputs);
    const size_t slices = papara_slices(in), pairs = in->reads.count * in->vectors;
    double letters = 0, mean = (double)in->reads.letters * (double)in->vectors / (double)slices;
    assert_int_equal(slices, pairs / 8);
    for (size_t slice = 0; slice < 40; slice++) {
        for (size_t p = papara_slice_begin(slice, slices); p < pairs; p += slices)
            letters += in->reads.length[p / in->vectors];
        if (slice >= 4) assert_true(fabs(letters / (double)(slice + 1) / mean - 1) < 0.05);
    }
    wl_inputs_free(&inputs);
}

/* --- Random data ------------------------------------------------------------------------------------------------- */

static uint64_t checksum(const papara_input *in) { /* FNV-1a */
    uint64_t sum = 0xCBF29CE484222325u;
    for (size_t i = 0; i < in->vectors * in->sites; i++) sum = (sum ^ in->site[i]) * 0x100000001B3u;
    for (uint64_t i = 0; i < in->reads.letters; i++) sum = (sum ^ in->reads.codes[i]) * 0x100000001B3u;
    for (size_t r = 0; r < in->reads.count; r++) sum = (sum ^ in->reads.length[r]) * 0x100000001B3u;
    return sum;
}

static void data_depend_on_the_seed_only(void **state) {
    (void)state;
    static const char *const kinds[] = {"cut", "random", "gaps", "ambiguous", "allgap", "repeat"};
    for (size_t k = 0; k < 6; k++) {
        char options[120];
        wl_inputs one, many, other;
        snprintf(options, sizeof options, "--kind %s --reads 300 --vectors 20 --sites 9000", kinds[k]);
        int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        const papara_input *first = open_inputs(options, &one);
        omp_set_num_threads(4);
        strcat(options, " --cgap 7");
        const papara_input *second = open_inputs(options, &many);
        omp_set_num_threads(threads);
        assert_int_equal(checksum(first), checksum(second));
        assert_int_equal(inputs_of(options, 6, &other), WL_OK);
        assert_int_not_equal(checksum(first), checksum(other.inputs[0]));
        wl_inputs_free(&one);
        wl_inputs_free(&many);
        wl_inputs_free(&other);
    }
}

/* What every variant may rely on. */
static void assert_sound(const papara_input *in) {
    const uint32_t all = in->states == 4 ? 15 : 0xfffff;
    uint64_t letters = 0;
    uint32_t longest = 0;
    for (size_t i = 0; i < in->vectors * in->sites; i++) {
        const uint32_t states = in->site[i] & ~PAPARA_CGAP;
        assert_true(states > 0 && (states & ~all) == 0);
    }
    for (size_t r = 0; r < in->reads.count; r++) {
        const uint32_t m = in->reads.length[r];
        assert_true(m >= 1 && m <= in->sites);
        assert_int_equal(in->reads.start[r], letters);
        for (uint32_t j = 0; j < m; j++) {
            const uint8_t code = in->reads.codes[letters + j];
            assert_true(code < PAPARA_CODES && (in->states == 20 || (code >= 1 && code <= 15)));
        }
        letters += m;
        if (m > longest) longest = m;
    }
    assert_true(letters == in->reads.letters && longest == in->reads.longest);
    for (int c = 0; c < PAPARA_CODES; c++) assert_true(in->sets[c] > 0 && (in->sets[c] & ~all) == 0);
}

/* Shares of an input's sites and letters. */
typedef struct {
    double cgap, by_states[21], ambiguous; /* of sites; of sites without CGAP by their number of states; of letters */
} shares;

static shares shares_of(const papara_input *in) {
    shares s = {0};
    const size_t sites = in->vectors * in->sites;
    size_t plain = 0;
    for (size_t i = 0; i < sites; i++) {
        s.cgap += (in->site[i] >> 31) / (double)sites;
        plain += !(in->site[i] >> 31);
    }
    for (size_t i = 0; i < sites; i++)
        if (!(in->site[i] >> 31)) s.by_states[__builtin_popcount(in->site[i])] += 1 / (double)plain;
    for (uint64_t i = 0; i < in->reads.letters; i++)
        s.ambiguous += (__builtin_popcount(in->sets[in->reads.codes[i]]) > 1) / (double)in->reads.letters;
    return s;
}

static shares shares_at(const char *options) {
    wl_inputs inputs;
    const papara_input *in = open_inputs(options, &inputs);
    assert_sound(in);
    shares s = shares_of(in);
    wl_inputs_free(&inputs);
    return s;
}

static void kinds_are_what_they_say(void **state) {
    (void)state;
#define SIZE " --reads 200 --vectors 50 --sites 3000"
    shares cut = shares_at("--kind cut" SIZE), gaps = shares_at("--kind gaps" SIZE),
           allgap = shares_at("--kind allgap" SIZE), ambiguous = shares_at("--kind ambiguous" SIZE),
           random = shares_at("--kind random" SIZE), repeat = shares_at("--kind repeat" SIZE),
           protein = shares_at("--kind cut --protein" SIZE);
#undef SIZE
