/* Compares papara/cpu_simd, on every instruction set of this machine, with the serial reference. More than a hundred
   thousand random pairs have all kinds of data and random penalties, including extreme ones. Reads and vectors have every
   length up to some blocks of sites. There is every number of vectors up to some registers. Scores and lengths are at and
   around what 16 bits hold. References are so long that what is taken off the scores is beyond 16 bits. */
#include "tests/support/unit.h"
#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/bench/variant.h"
#include "papara/cpu_simd/core.h"
#include "papara/generate.h"
#include "papara/reference.h"
#include "tests/support/cpu_variant.h"

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw"};

/* --- Running ----------------------------------------------------------------------------------------------------- */

static size_t pairs(const papara_input *in) { return in->reads.count * in->vectors; }

static void same(const void *input, const void *of_reference, const void *of_variant, const char *who) {
    const papara_input *in = input;
    const int *expected = of_reference, *actual = of_variant;
    const papara_penalties *p = &in->penalties;
    for (size_t k = 0; k < pairs(in); k++) {
        if (expected[k] == actual[k]) continue;
        const size_t r = k / in->vectors;
        fail_msg("%s: read %zu of %u against vector %zu of %zu with %u sites, penalties %d %d %d %d %d: %d, not %d",
                 who, r, in->reads.length[r], k % in->vectors, in->vectors, in->sites, p->mismatch, p->insertion,
                 p->gap_open, p->gap_extend, p->cgap, actual[k], expected[k]);
    }
}

static const papara_input smallest = {.penalties = PAPARA_PENALTIES};
static const cpu_trial trial = {"papara", isas, COUNT(isas), &smallest, same};

static void every_isa(const papara_input *in, int threads) {
    void *expected = reference_result(&trial, in);
    run_on_isas(&trial, in, threads, expected, ~0u);
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

TEST(instruction_sets) { check_isas(&trial); }

TEST(random_pairs) {
#ifdef __SANITIZE_ADDRESS__ // takes some twenty times as long, and looks for something else
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
TEST(every_length) {
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
TEST(every_number_of_vectors) {
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
TEST(scores_at_the_limit) {
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
            int *expected = reference_result(&trial, &owned.input);
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
TEST(long_reads) {
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

/* A length beyond 16 bits. */
TEST(reads_that_take_17_bits) {
    const uint32_t lengths[] = {65541, 3};
    papara_owned_input owned =
        made(3, PAPARA_KIND_RANDOM, (papara_penalties)PAPARA_PENALTIES, 2, 65542, lengths, COUNT(lengths));
    every_isa(&owned.input, 1);
    papara_owned_input_free(&owned);
}

/* P of the last site is far beyond 16 bits, in some vectors, and 0 in others. */
TEST(long_references) {
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
TEST(many_threads) {
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
TEST(empty_inputs) {
    const uint32_t length[] = {5};
    for (int without = 0; without < 3; without++) {
        papara_owned_input owned =
            made(1, PAPARA_KIND_CUT, (papara_penalties)PAPARA_PENALTIES, without != 0, 9, length, without != 1);
        every_isa(&owned.input, 2);
        papara_owned_input_free(&owned);
    }
}

TEST(states_are_apart) {
    papara_owned_input owned[2];
    void *expected[2];
    const uint32_t lengths[] = {50, 3, 70};
    for (uint32_t k = 0; k < 2; k++) {
        owned[k] = made(6 + k, PAPARA_KIND_CUT, (papara_penalties)PAPARA_PENALTIES, 50, 90, lengths, COUNT(lengths));
        expected[k] = reference_result(&trial, &owned[k].input);
    }
    check_two_states(&trial, (const void *[]){&owned[0].input, &owned[1].input}, expected);
    for (int k = 0; k < 2; k++) {
        free(expected[k]);
        papara_owned_input_free(&owned[k]);
    }
}

TEST(refusals) {
    const wl_variant *variant = cpu_simd_of(&trial);
    wl_device device = cpu(1);
    const uint32_t length[] = {3};
    papara_owned_input owned = made(1, PAPARA_KIND_CUT, (papara_penalties)PAPARA_PENALTIES, 2, 9, length, 1);
    setenv("WL_CPU_ISA", "sse9", 1);
    assert_string_equal(variant->supports(&device, &owned.input),
                        "WL_CPU_ISA=sse9 is unknown; there are portable, sse41, avx2 and avx512bw");
    check_refused_isa(&trial, &owned.input);

    device.memory_free = 100; // bytes
    assert_non_null(strstr(variant->supports(&device, &owned.input), "memory"));
    papara_owned_input_free(&owned);
}

int main(void) { return run_all_tests(NULL, NULL); }
