/* Compares PaPaRa's stages on the simulated device, as many as the build has, with the serial reference. They get as little
   memory as they say they need, memory for some of the reads at a time, and reads that lie anywhere in the codes. (The
   shapes of `check` are the problem's; these tests need their own device, or their own view of reads.) */
#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/bench/device.h"
#include "sim/sim.h"
#include "papara/problem.h"
#include "tests/support/inputs.h"

/* Call `test` with each stage that takes `in`; how many there were. */
static size_t each_stage(void (*test)(const wl_variant *stage, const papara_input *in, const int *expected),
                         const papara_input *in, const int *expected) {
    size_t count, tested = 0;
    const wl_device device = simulated();
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++) {
        if (variants[v]->backend != WL_SIM || strcmp(variants[v]->problem, "papara") != 0) continue;
        if (variants[v]->supports(&device, in)) continue;
        test(variants[v], in, expected);
        tested++;
    }
    return tested;
}

/* score [reads][vectors] of `stage`, `rounds` times from one state, each time all of it. The launches that a round took. */
static size_t expect_scores(const wl_variant *stage, const wl_device *device, const papara_input *in,
                            const int *expected, int rounds) {
    size_t pairs = in->reads.count * in->vectors, launches = 0;
    int *score = malloc(sizeof *score * pairs);
    void *state = NULL;
    assert_non_null(score);
    if (stage->prepare(device, in, &state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
    for (int round = 1; round <= rounds; round++) {
        memset(score, WL_POISON_BYTE, sizeof *score * pairs);
        wl_sim_forget();
        if (stage->launch(state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
        wl_sim_launches(&launches);
        if (stage->collect(state, score, 0) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
        for (size_t pair = 0; pair < pairs; pair++)
            if (score[pair] != expected[pair])
                fail_msg("%s, launch %d: read %zu, vector %zu: expected %d, found %d", stage->name, round,
                         pair / in->vectors, pair % in->vectors, expected[pair], score[pair]);
    }
    stage->release(state);
    free(score);
    return launches;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static size_t in_stretches; // stages that took several launches for what one did with all memory

/* The least memory that the stage accepts is enough: what does not fit at once is done in stretches. Less is refused in
   words. Then with more, but not enough for all reads: stretches whose reads differ in length. */
static void in_little_memory(const wl_variant *stage, const papara_input *in, const int *expected) {
    wl_device device = simulated();
    const size_t at_once = expect_scores(stage, &device, in, expected, 2);
    size_t refused = 0, accepted = device.memory_free;
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
    const size_t least = expect_scores(stage, &device, in, expected, 1);
    in_stretches += least > at_once;
    for (int doublings = 2; doublings <= 4; doublings += 2) {
        device.memory_free = accepted + ((accepted / 64) << doublings);
        const size_t more = expect_scores(stage, &device, in, expected, 1);
        assert_true(more <= least && more >= at_once);
    }
}

TEST(stages_do_with_the_memory_they_ask_for) {
    wl_inputs inputs;
    /* Rows of 6 to 60 columns, squares of 1 to 55; two groups of 192 vectors. */
    const papara_input *in =
        make_inputs("papara", "--kind gaps --vectors 321 --sites 60 --read-lengths 4,1,9,55,3,2", 3, &inputs);
    const int *expected = expected_of(&inputs);
    assert_true(each_stage(in_little_memory, in, expected) >= 5);
    assert_true(in_stretches >= 5);
    wl_inputs_free(&inputs);
}

/* --- Reads ------------------------------------------------------------------------------------------------------- */

static void with_all_memory(const wl_variant *stage, const papara_input *in, const int *expected) {
    wl_device device = simulated();
    expect_scores(stage, &device, in, expected, 1);
}

/* A view of reads is not always all of a block of codes from its begin: here they lie backwards, apart from each other, with
   codes around them that belong to no read, and the first reads are left out. */
static void reads_lie_anywhere(const char *options) {
    enum { APART = 5, LEFT_OUT = 2, NO_READ = PAPARA_CODES - 1 };
    wl_inputs inputs;
    const papara_input *in = make_inputs("papara", options, 3, &inputs);
    const int *expected = expected_of(&inputs);
    const papara_reads *reads = &in->reads;
    const size_t codes = reads->letters + APART * (reads->count + 1);
    uint8_t *scattered = malloc(codes);
    uint64_t *start = malloc(sizeof *start * reads->count), at = APART;
    assert_non_null(scattered);
    assert_non_null(start);
    memset(scattered, NO_READ, codes);
    for (size_t r = reads->count; r-- > 0; at += reads->length[r] + APART) {
        memcpy(scattered + at, reads->codes + reads->start[r], reads->length[r]);
        start[r] = at;
    }
    papara_input part = *in;
    part.reads = (papara_reads){.count = reads->count - LEFT_OUT,
                                .length = reads->length + LEFT_OUT,
                                .start = start + LEFT_OUT,
                                .codes = scattered};
    for (size_t r = 0; r < part.reads.count; r++) {
        part.reads.letters += part.reads.length[r];
        if (part.reads.length[r] > part.reads.longest) part.reads.longest = part.reads.length[r];
    }
    assert_true(each_stage(with_all_memory, &part, expected + LEFT_OUT * in->vectors) >= 4);
    free(start);
    free(scattered);
    wl_inputs_free(&inputs);
}

TEST(reads_need_not_lie_in_order) {
    reads_lie_anywhere("--kind cut --vectors 33 --sites 90 --read-lengths 80,20,7,31,1,30");
    reads_lie_anywhere("--kind cut --vectors 33 --sites 90 --read-lengths 80,20,7,31,1,30 --protein");
}

int main(void) { return run_all_tests(NULL, NULL); }
