/* papara/cpu_simd on every instruction set of this machine against the serial reference: more than a hundred thousand random
   pairs of all kinds of data, with random penalties, extremes included; every length of read and vector up to some blocks of
   sites; every number of vectors up to some registers; scores and lengths at and around what 16 bits hold; references so long that
   what is taken off the scores is beyond 16 bits. */
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
#include "papara/cpu_simd/core.h"
#include "papara/generate.h"
#include "papara/reference.h"
#include "tests/support/inputs.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw"};

/* --- Running ----------------------------------------------------------------------------------------------------- */

static const wl_variant *cpu_simd(void) { return variant_named(WL_CPU, "papara", "cpu_simd"); }

static int available(const char *isa) {
    const wl_device device = cpu(1);
    const papara_input in = {.penalties = PAPARA_PENALTIES};
    setenv("WL_CPU_ISA", isa, 1);
    return cpu_simd()->supports(&device, &in) == NULL;
}

static size_t pairs(const papara_input *in) { return in->reads.count * in->vectors; }

static int *poisoned(const papara_input *in) {
    int *score = malloc(sizeof(int) * (pairs(in) + 1));
    assert_non_null(score);
    memset(score, 0xA5, sizeof(int) * (pairs(in) + 1));
    return score;
}

static int *reference(const papara_input *in) {
    int *score = poisoned(in);
    const size_t slices = papara_slices(in);
#pragma omp parallel for schedule(dynamic) if ((double)in->reads.letters * in->sites * in->vectors > 1e7)
    for (size_t slice = 0; slice < slices; slice++) papara_reference(in, slice, 1, score);
    return score;
}

static void same(const papara_input *in, const int *expected, const int *actual, const char *who) {
    const papara_penalties *p = &in->penalties;
    for (size_t k = 0; k <= pairs(in); k++) { // one more: what lies behind the scores is still poison
        if (expected[k] == actual[k]) continue;
        if (k == pairs(in)) fail_msg("%s: wrote behind the scores", who);
        const size_t r = k / in->vectors;
        fail_msg("%s: read %zu of %u against vector %zu of %zu with %u sites, penalties %d %d %d %d %d: %d, not %d",
                 who, r, in->reads.length[r], k % in->vectors, in->vectors, in->sites, p->mismatch, p->insertion,
                 p->gap_open, p->gap_extend, p->cgap, actual[k], expected[k]);
    }
}

/* Twice on one state, since each launch must produce the whole result again. */
static void run(const papara_input *in, int threads, const int *expected, const char *who) {
    const wl_variant *variant = cpu_simd();
    const wl_device device = cpu(threads);
    void *state = NULL;
    assert_null(variant->supports(&device, in));
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

static void every_isa(const papara_input *in, int threads) {
    int *expected = reference(in);
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (!available(isas[i])) continue;
        char who[64];
        snprintf(who, sizeof who, "%s, %d threads", isas[i], threads);
        run(in, threads, expected, who);
    }
    unsetenv("WL_CPU_ISA");
    free(expected);
}

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

static int between(wl_random *random, int low, int high) {
    return low + (int)wl_random_below(random, (uint32_t)(high - low + 1));
}

/* Small ones, where several moves cost the same; those that differ in size; the ends of the range; gaps that do not get dearer. */
static papara_penalties random_penalties(wl_random *random) {
    const int most = (const int[]){3, 9, 60, PAPARA_PENALTY_MOST}[wl_random_below(random, 4)];
    papara_penalties p = {between(random, 0, most), between(random, 0, most), between(random, 0, most), 0,
                          between(random, 0, most)};
    switch (wl_random_below(random, 5)) {
        case 0:
            return (papara_penalties)PAPARA_PENALTIES;
        case 1:
            p.gap_extend = p.gap_open;
            return p;
        case 2:
            p.insertion = wl_random_below(random, 2) ? PAPARA_PENALTY_MOST : 0;
            break;
    }
    p.gap_extend = between(random, 0, p.gap_open);
    return p;
}

/* Reads of these lengths against so many vectors. */
static papara_owned_input made(uint64_t seed, papara_kind kind, papara_penalties penalties, size_t vectors,
                               uint32_t sites, const uint32_t *lengths, size_t reads) {
    const papara_random_recipe recipe = {.seed = seed,
                                         .alphabet = seed % 3 == 0 ? PAPARA_PROTEIN : PAPARA_DNA,
                                         .kind = kind,
                                         .penalties = penalties,
                                         .vectors = vectors,
                                         .reads = reads,
                                         .sites = sites,
                                         .lengths = lengths,
                                         .length_count = reads};
    papara_owned_input owned;
    assert_int_equal(papara_generate(&recipe, &owned), WL_OK);
    return owned;
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

static void instruction_sets(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(isas); i++) {
        const int there = available(isas[i]);
        print_message("%-9s %s\n", isas[i], there ? cpu_simd()->instruction_set() : "not on this machine: not tested");
        if (!there) assert_string_equal(cpu_simd()->instruction_set(), "none");
    }
    assert_true(available("portable"));
    unsetenv("WL_CPU_ISA");
}

static void random_pairs(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__ /* some twenty times slower, and it looks for something else */
    enum { CASES = 40, LEAST = 5000 };
#else
    enum { CASES = 500, LEAST = 150000 };
#endif
    size_t tested = 0;
    for (int c = 0; c < CASES; c++) {
        wl_random random = wl_random_stream(20120716, (uint64_t)c);
        const uint32_t sites = (uint32_t)between(&random, 1, c % 5 == 0 ? 300 : 70);
        const size_t vectors = (size_t)between(&random, 1, 70), reads = (size_t)between(&random, 1, 20);
        uint32_t lengths[20];
        for (size_t r = 0; r < reads; r++) lengths[r] = (uint32_t)between(&random, 1, (int)sites);
        papara_owned_input owned = made((uint64_t)c, (papara_kind)(c % PAPARA_KINDS), random_penalties(&random),
                                        vectors, sites, lengths, reads);
        every_isa(&owned.input, c % 16 == 0 ? 2 : 1); // waiting for threads is what takes the time
        tested += pairs(&owned.input);
        papara_owned_input_free(&owned);
    }
    print_message("%zu pairs for each instruction set\n", tested);
    assert_true(tested > LEAST);
}

/* All m <= n of a few blocks: every way in which the parallelogram's edges and a block's can meet. */
static void every_length(void **state) {
    (void)state;
    uint32_t lengths[5 * COLUMNS + 2];
    for (uint32_t n = 1; n <= COUNT(lengths); n++) {
        lengths[n - 1] = n;
        wl_random random = wl_random_stream(1, n);
        papara_owned_input owned =
            made(n, (papara_kind)(n % PAPARA_KINDS), random_penalties(&random), MOST_LANES + 1, n, lengths, n);
        every_isa(&owned.input, 1);
        papara_owned_input_free(&owned);
    }
}

/* Registers that are full, full but one, and that another core with fewer lanes can take. */
static void every_number_of_vectors(void **state) {
    (void)state;
    const uint32_t lengths[] = {1, 9, 20, 30};
    for (size_t vectors = 1; vectors <= 2 * MOST_LANES + 1; vectors++) {
        papara_owned_input owned =
            made(vectors, PAPARA_KIND_GAPS, (papara_penalties)PAPARA_PENALTIES, vectors, 30, lengths, COUNT(lengths));
        every_isa(&owned.input, 2);
        papara_owned_input_free(&owned);
    }
}

static uint32_t longest_in_16_bits(const papara_penalties *p) {
    uint32_t length = 1;
    while (cpu_drift_room(p, length + 1, BITS_16) >= 0) length++;
    return length;
}

/* Every letter mismatches on every site of one vector; all sites of another have CGAP, of a third both; the fourth matches. So the
   scores are 0 and the most there can be, for the longest reads that get 16 bits and the first that get 32; in vectors of equal
   length, and of one, a block, and some blocks more. */
static void scores_at_the_limit(void **state) {
    (void)state;
    static const papara_penalties all[] = {
        {255, 255, 255, 255, 255}, {255, 0, 255, 0, 255},   {0, 255, 255, 255, 0}, {255, 255, 255, 255, 0},
        {255, 0, 0, 0, 255},       {100, 255, 255, 1, 100}, {1, 255, 255, 255, 0}, {255, 254, 255, 254, 0},
    };
    enum { VECTORS = 4 };
    static const uint32_t more[] = {0, 1, COLUMNS, 5 * COLUMNS + 3};
    for (size_t k = 0; k < COUNT(all); k++) {
        const uint32_t limit = longest_in_16_bits(&all[k]);
        assert_in_range(limit, 100, 300);
        const uint32_t lengths[] = {limit - 1, limit, limit + 1, limit + 1, 1};
        for (size_t e = 0; e < COUNT(more); e++) {
            const uint32_t sites = limit + 1 + more[e];
            papara_owned_input owned = made(1, PAPARA_KIND_RANDOM, all[k], VECTORS, sites, lengths, COUNT(lengths));
            uint32_t *site = owned.site;
            uint8_t *codes = (uint8_t *)owned.input.reads.codes;
            memset(codes, 1, owned.input.reads.letters);
            for (uint32_t i = 0; i < VECTORS * sites; i++) {
                const uint32_t v = i / sites;
                site[i] = (v == 0 || v == 2 ? 2 : 1) | (v == 1 || v == 2 ? PAPARA_CGAP : 0);
            }
            int *expected = reference(&owned.input);
            const size_t r = 2; // the first of 32 bits
            assert_int_equal(expected[r * VECTORS + 3], 0);
            if (more[e] == 0) assert_int_equal(expected[r * VECTORS + 2], papara_score_most(&all[k], limit + 1));
            free(expected);
            every_isa(&owned.input, 1);
            papara_owned_input_free(&owned);
        }
    }
}

/* Default penalties: the longest read of 16 bits has more than ten thousand letters. A read of insertions alone but one letter
   drags S' as low as it gets; one that mismatches everywhere as high. */
static void long_reads(void **state) {
    (void)state;
    const papara_penalties defaults = PAPARA_PENALTIES, insertions = {.mismatch = 255, .insertion = 6, .cgap = 255};
    const uint32_t limit = longest_in_16_bits(&defaults);
    assert_in_range(limit, 10000, 11000);
    const uint32_t lengths[] = {limit + 1, limit, 20, limit + 2};
    for (int k = 0; k < 2; k++) {
        papara_owned_input owned =
            made(4, PAPARA_KIND_RANDOM, k == 0 ? defaults : insertions, 19, limit + 40, lengths, COUNT(lengths));
        uint32_t *site = owned.site;
        for (uint32_t i = 0; i < limit + 40; i++) {
            site[i] = 1;
            site[limit + 40 + i] = 2 | PAPARA_CGAP;
        }
        memset((uint8_t *)owned.input.reads.codes + owned.input.reads.start[0], 1, limit + 1);
        every_isa(&owned.input, 2);
        papara_owned_input_free(&owned);
    }
}

/* P of the last site is far beyond 16 bits, in some vectors, and 0 in others. */
static void long_references(void **state) {
    (void)state;
    const struct {
        uint32_t sites;
        int gap_extend;
    } cases[] = {{70001, 1}, {3000, 255}, {9000, 40}, {1000, 127}};
    const uint32_t lengths[] = {1, 7, 30, 61};
    for (size_t c = 0; c < COUNT(cases); c++) {
        const papara_penalties p = {
            .mismatch = 255, .insertion = 3, .gap_open = 255, .gap_extend = cases[c].gap_extend, .cgap = 9};
        papara_owned_input owned = made(c + 1, c % 2 ? PAPARA_KIND_GAPS : PAPARA_KIND_RANDOM, p, c == 0 ? 18 : 35,
                                        cases[c].sites, lengths, COUNT(lengths));
        uint32_t *site = owned.site;
        for (uint32_t i = 0; i < cases[c].sites; i++) site[i] |= PAPARA_CGAP;
        every_isa(&owned.input, 2);
        papara_owned_input_free(&owned);
    }
}

/* Reads for many chunks, more threads than units, and a read longer than a chunk has rows, among short ones. */
static void many_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 7, 33};
    enum { READS = 1200 };
    uint32_t *lengths = malloc(sizeof *lengths * READS);
    assert_non_null(lengths);
    for (size_t t = 0; t < COUNT(threads); t++) {
        wl_random random = wl_random_stream(5, t);
        for (size_t r = 0; r < READS; r++) lengths[r] = (uint32_t)between(&random, 1, 12);
        lengths[17] = lengths[READS - 1] = 400;
        papara_penalties p = PAPARA_PENALTIES;
        if (t > 1) p.mismatch = 255; // 400 letters take 32 bits
        papara_owned_input owned = made(t + 1, PAPARA_KIND_CUT, p, 5 + 10 * t, 410, lengths, t == 3 ? 40 : READS);
        every_isa(&owned.input, threads[t]);
        papara_owned_input_free(&owned);
    }
    free(lengths);
}

/* Nothing to do is done. */
static void empty_inputs(void **state) {
    (void)state;
    const uint32_t length[] = {5};
    for (int without = 0; without < 3; without++) {
        papara_owned_input owned =
            made(1, PAPARA_KIND_CUT, (papara_penalties)PAPARA_PENALTIES, without != 0, 9, length, without != 1);
        every_isa(&owned.input, 2);
        papara_owned_input_free(&owned);
    }
}

/* Two states at a time do not disturb each other, whatever their instruction sets. */
static void states_are_apart(void **state) {
    (void)state;
    const wl_variant *variant = cpu_simd();
    const wl_device device = cpu(2);
    papara_owned_input owned[2];
    int *expected[2], *actual[2];
    void *states[2] = {NULL, NULL};
    const uint32_t lengths[] = {50, 3, 70};
    for (uint32_t k = 0; k < 2; k++) {
        owned[k] = made(6 + k, PAPARA_KIND_CUT, (papara_penalties)PAPARA_PENALTIES, 50, 90, lengths, COUNT(lengths));
        expected[k] = reference(&owned[k].input);
        actual[k] = poisoned(&owned[k].input);
    }
    setenv("WL_CPU_ISA", "portable", 1);
    assert_int_equal(variant->prepare(&device, &owned[0].input, &states[0]), WL_OK);
    unsetenv("WL_CPU_ISA");
    assert_int_equal(variant->prepare(&device, &owned[1].input, &states[1]), WL_OK);
    for (int k = 0; k < 2; k++) assert_int_equal(variant->launch(states[k]), WL_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(variant->collect(states[k], actual[k], 0), WL_OK);
        same(&owned[k].input, expected[k], actual[k], "one of two states");
        variant->release(states[k]);
        free(expected[k]);
        free(actual[k]);
        papara_owned_input_free(&owned[k]);
    }
    variant->release(NULL);
}

static void refusals(void **state) {
    (void)state;
    const wl_variant *variant = cpu_simd();
    wl_device device = cpu(1);
    const uint32_t length[] = {3};
    papara_owned_input owned = made(1, PAPARA_KIND_CUT, (papara_penalties)PAPARA_PENALTIES, 2, 9, length, 1);
    void *made_state = NULL;

    setenv("WL_CPU_ISA", "sse9", 1);
    assert_non_null(variant->supports(&device, &owned.input));
    assert_string_equal(variant->supports(&device, &owned.input),
                        "WL_CPU_ISA=sse9 is unknown; there are portable, sse41, avx2 and avx512bw");
    assert_int_equal(variant->prepare(&device, &owned.input, &made_state), WL_NO_MACHINE);
    assert_null(made_state);
    assert_non_null(strstr(wl_error(), "sse9"));
    assert_string_equal(variant->instruction_set(), "none");
    setenv("WL_CPU_ISA", "", 1); // the same as not at all
    assert_null(variant->supports(&device, &owned.input));
    unsetenv("WL_CPU_ISA");
    assert_null(variant->supports(&device, &owned.input));

    device.memory_free = 100; // bytes
    assert_non_null(strstr(variant->supports(&device, &owned.input), "memory"));
    papara_owned_input_free(&owned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets), cmocka_unit_test(random_pairs),
        cmocka_unit_test(every_length),     cmocka_unit_test(every_number_of_vectors),
        cmocka_unit_test(long_references),  cmocka_unit_test(scores_at_the_limit),
        cmocka_unit_test(long_reads),       cmocka_unit_test(many_threads),
        cmocka_unit_test(empty_inputs),     cmocka_unit_test(states_are_apart),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
