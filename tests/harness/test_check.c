/* The check finds what is wrong, passes what is right, and says which. */
#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/bench/check_shapes.h"
#include "harness/bench/trial.h"
#include "tests/harness/wrong_variant/tiny.h"

static const wl_device cpu = {.backend = WL_CPU, .name = "test", .multiprocessors = 1};

/* Copies nothing back. */
static wl_status collect_nothing(void *state, void *output, int poison) {
    (void)poison;
    (void)state, (void)output;
    return WL_OK;
}

static wl_status prepare_without_memory(const wl_device *device, const void *input, void **state) {
    (void)device, (void)input, (void)state;
    return wl_fail(WL_NO_MACHINE, "out of memory: 1 GiB more is needed");
}

static void make_inputs(wl_inputs *inputs, const char *n) {
    const char *values[2] = {n, NULL};
    wl_arguments arguments = {tiny_options, values, 2};
    assert_int_equal(wl_inputs_create(&tiny, &arguments, 7, 0, inputs), WL_OK);
}

static wl_status check(const wl_variant *variant, const char *n, size_t index, size_t slices, wl_verdict *verdict) {
    wl_inputs inputs;
    make_inputs(&inputs, n);
    wl_status status = wl_check_variant(&inputs, index, variant, &cpu, slices, NULL, verdict);
    wl_inputs_free(&inputs);
    return status;
}

static void expect(const wl_variant *variant, const char *n, size_t index, wl_status status, const char *expected) {
    wl_verdict verdict;
    assert_int_equal(check(variant, n, index, 0, &verdict), status);
    assert_string_equal(wl_verdict_line(&verdict).text, expected);
}

TEST(right_passes) {
    expect(&right, "8", 0, WL_OK, "ok");
    expect(&right, "8", 2, WL_OK, "ok");
    expect(&right, "1", 0, WL_OK, "ok");
    expect(&right, "0", 0, WL_OK, "ok"); // nothing to get wrong
}

TEST(wrong_element_is_named) {
    expect(&off_by_one, "5", 0, WL_CHECK_FAILED, "FAILED: 1 wrong, first (4): expected 9, actual 8.73205");
    expect(&off_by_one, "1", 0, WL_OK, "ok"); // its mistake does not show there: why shapes are many
}

TEST(nan_fails) { expect(&nan_inside, "8", 0, WL_CHECK_FAILED, "FAILED: 1 wrong, first (4): expected 9, actual nan"); }

/* Found in any case on fresh memory; without the poison only if memory happens to hold something else. */
TEST(unwritten_fails) {
    wl_verdict verdict;
    for (int i = 0; i < 100; i++) {
        /* Memory just freed that holds the right result is what malloc gives next. */
        assert_int_equal(check(&right, "8", 0, 0, &verdict), WL_OK);
        assert_int_equal(check(&unwritten, "8", 0, 0, &verdict), WL_CHECK_FAILED);
        assert_memory_equal(wl_verdict_line(&verdict).text, "FAILED: 1 wrong, first (7)", 26);
    }
}

TEST(stale_fails) {
    expect(&stale, "4", 0, WL_OK, "ok");
    expect(&stale, "4", 1, WL_CHECK_FAILED, "FAILED: 4 wrong, first (0): expected 1007, actual 7");
}

TEST(nothing_collected_fails) {
    wl_variant lazy = right;
    wl_verdict verdict;
    lazy.collect = collect_nothing;
    assert_int_equal(check(&lazy, "3", 0, 0, &verdict), WL_CHECK_FAILED);
    assert_memory_equal(wl_verdict_line(&verdict).text, "FAILED: 3 wrong", 15);
}

TEST(later_launches_are_checked) {
    wl_inputs inputs;
    wl_verdict verdict;
    void *kept = NULL;
    make_inputs(&inputs, "4");
    assert_int_equal(wl_check_variant(&inputs, 0, &accumulating, &cpu, 0, &kept, &verdict), WL_OK);
    assert_non_null(kept);
    assert_int_equal(wl_check_again(&inputs, 0, &accumulating, &cpu, 0, kept, &verdict), WL_CHECK_FAILED);
    assert_string_equal(wl_verdict_line(&verdict).text, "FAILED: 1 wrong, first (0): expected 7, actual 14");
    accumulating.release(kept);
    wl_inputs_free(&inputs);
}

/* A launch that finds its queue empty leaves what the one before wrote, which is right. Collecting takes that away, as the
   kernels' wl_cuda_take does. */
static wl_status launch_once(void *state) {
    tiny_state *s = state;
    if (s->launches == 0) compute(s);
    return WL_OK;
}

static wl_status collect_and_poison(void *state, void *output, int poison) {
    tiny_state *s = state;
    wl_status status = tiny_collect(state, output, poison);
    if (poison) memset(s->result, WL_POISON_BYTE, tiny_size(s->input));
    return status;
}

TEST(idle_launches_are_found) {
    wl_inputs inputs;
    wl_verdict verdict;
    void *kept = NULL;
    wl_variant idle = right;
    idle.launch = launch_once;
    idle.collect = collect_and_poison;
    make_inputs(&inputs, "4");
    assert_int_equal(wl_check_variant(&inputs, 0, &idle, &cpu, 0, &kept, &verdict), WL_OK);
    assert_int_equal(wl_check_again(&inputs, 0, &idle, &cpu, 0, kept, &verdict), WL_CHECK_FAILED);
    assert_memory_equal(wl_verdict_line(&verdict).text, "FAILED: 4 wrong, first (0): expected 7", 38);
    idle.launch = launch_right;
    assert_int_equal(wl_check_again(&inputs, 0, &idle, &cpu, 0, kept, &verdict), WL_OK);
    idle.release(kept);
    wl_inputs_free(&inputs);
}

TEST(failing_functions) {
    expect(&failing, "4", 0, WL_CHECK_FAILED, "FAILED: launch: kernel.cu:7: unspecified launch failure");
    wl_variant large = right;
    large.prepare = prepare_without_memory;
    expect(&large, "4", 0, WL_NO_MACHINE, "unsupported: out of memory: 1 GiB more is needed");
}

TEST(unsupported_inputs) {
    wl_variant even = right;
    even.supports = supports_even;
    expect(&even, "3", 0, WL_NO_MACHINE, "unsupported: needs an even number of elements");
    expect(&even, "4", 0, WL_OK, "ok");
}

/* A result that the host computes tells what it is by its last word, too: 7 as a double is two words. */
TEST(a_host_that_computes_two_words_is_found) {
    wl_inputs inputs;
    wl_verdict verdict;
    wl_variant by_host = right;
    wl_device_list devices;
    by_host.backend = WL_SIM;
    make_inputs(&inputs, "1");
    assert_int_equal(wl_devices_select("sim", &devices), WL_OK);
    assert_int_equal(wl_try_variant(&inputs, 0, &by_host, &devices.items[0], 0, 1, &verdict), WL_CHECK_FAILED);
    assert_non_null(strstr(verdict.reason, "its kernels are left out"));
    wl_inputs_free(&inputs);
}

/* The reference is asked before the variant runs, so a variant that changes its input changes no expectation. */
static wl_status launch_changes_input(void *state) {
    tiny_state *s = state;
    ((tiny_input *)s->input)->offset += 1;
    compute(s);
    return WL_OK;
}

TEST(a_changed_input_is_found) {
    TINY(changing, "changing", launch_changes_input);
    wl_verdict verdict;
    assert_int_equal(check(&changing, "4", 0, 0, &verdict), WL_CHECK_FAILED);
    assert_memory_equal(wl_verdict_line(&verdict).text, "FAILED: 4 wrong, first (0): expected 7, actual 8", 47);
}

#ifndef __SANITIZE_ADDRESS__ // which has a malloc of its own
/* All that a CPU variant allocates is poison, of whatever size, and also what a thread has just freed. */
enum { EACH = 7, SIZES = 3, LINKS = 16 }; // bytes in which malloc kept something while the block was free
static int poisoned_blocks;
static const size_t block_sizes[SIZES] = {200, 1000, 100000};

static wl_status prepare_and_look(const wl_device *device, const void *input, void **state) {
    unsigned char *blocks[SIZES][EACH];
    for (int k = 0; k < SIZES; k++)
        for (int i = 0; i < EACH; i++) {
            blocks[k][i] = malloc(block_sizes[k]);
            __asm__ volatile("" : : "r"(blocks[k][i]) : "memory");
            poisoned_blocks += wl_is_poison(blocks[k][i] + LINKS, block_sizes[k] - LINKS);
        }
    for (int k = 0; k < SIZES; k++)
        for (int i = 0; i < EACH; i++) free(blocks[k][i]);
    return tiny_prepare(device, input, state);
}

TEST(allocated_memory_is_poison) {
    unsigned char *freed[EACH];
    wl_variant looking = right;
    looking.prepare = prepare_and_look;
    for (int i = 0; i < EACH; i++) freed[i] = calloc(1, block_sizes[0]);
    for (int i = 0; i < EACH; i++) free(freed[i]);
    poisoned_blocks = 0;
    expect(&looking, "8", 0, WL_OK, "ok");
    assert_int_equal(poisoned_blocks, SIZES * EACH);
}
#endif

/* What a CPU variant leaves unset on its stack is no number. */
static wl_status launch_unset(void *state) {
    tiny_state *s = state;
    double sums[64];
    __asm__ volatile("" : : "r"(sums) : "memory");
    compute(s);
    s->result[0] += 0 * sums[32];
    return WL_OK;
}

TEST(unset_variables_are_no_numbers) {
    TINY(unset, "unset", launch_unset);
    expect(&unset, "2", 0, WL_CHECK_FAILED, "FAILED: 1 wrong, first (0): expected 7, actual -nan");
}

/* --- A part of the slices --- */

static wl_status right_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count, s->result);
    return WL_OK;
}

static wl_status wrong_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count, s->result);
    s->result[first + count - 1] += 1;
    return WL_OK;
}

static wl_status lazy_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count - 1, s->result);
    return WL_OK;
}

TEST(parts_are_checked) {
    wl_variant part = right;
    wl_verdict verdict;
    part.launch = launch_failing; // must not be called
    part.launch_slices = right_slices;
    assert_int_equal(check(&part, "8", 0, 3, &verdict), WL_OK);
    part.launch_slices = wrong_slices;
    assert_int_equal(check(&part, "8", 0, 3, &verdict), WL_CHECK_FAILED);
    assert_string_equal(wl_verdict_line(&verdict).text, "FAILED: 1 wrong, first (2): expected 8.41421, actual 9.41421");
    part.launch_slices = lazy_slices;
    assert_int_equal(check(&part, "8", 0, 3, &verdict), WL_CHECK_FAILED);
}

/* --- Too large for the reference: a fast oracle, checked on a sample --- */

static wl_problem large;
static void (*oracle_mistake)(tiny_state *s); // NULL: the oracle is right
static int oracle_launches;
static size_t reference_slices;

static void count_reference(const void *input, size_t first, size_t count, void *output) {
#pragma omp atomic
    reference_slices += count;
    tiny_reference(input, first, count, output);
}

static wl_status launch_oracle(void *state) {
    oracle_launches++;
    compute(state);
    if (oracle_mistake) oracle_mistake(state);
    return WL_OK;
}
TINY(oracle, "oracle", launch_oracle);

static void last_wrong(tiny_state *s) { s->result[s->input->n - 1] += 1; }
static void all_wrong(tiny_state *s) {
    for (int i = 0; i < s->input->n; i++) s->result[i] += 1;
}
static void inside_wrong(tiny_state *s) { s->result[s->input->n / 2] += 1; }

/* Inputs of 500 elements, of which the sample is what a moment allows: at least the first and the last. */
static void make_large(wl_inputs *inputs, void (*mistake)(tiny_state *s)) {
    const char *values[2] = {"500", NULL};
    wl_arguments arguments = {tiny_options, values, 2};
    large = tiny;
    large.reference = count_reference;
    large.fast_oracle = "oracle";
    large.fast_oracle_work = 100;
    oracle_mistake = mistake;
    oracle_launches = 0;
    reference_slices = 0;
    assert_int_equal(wl_inputs_create(&large, &arguments, 7, 0, inputs), WL_OK);
    inputs->sample_seconds = 1e-9;
}

static void expect_large(wl_inputs *inputs, const wl_variant *variant, wl_status status, const char *text) {
    wl_verdict verdict;
    assert_int_equal(wl_check_variant(inputs, 0, variant, &cpu, 0, NULL, &verdict), status);
    const wl_verdict_text found = wl_verdict_line(&verdict);
    if (strncmp(found.text, text, strlen(text)) != 0) assert_string_equal(found.text, text);
}

/* The oracle runs once for all variants, and the row can say by what they were checked. */
TEST(oracle_serves_large_inputs) {
    wl_inputs inputs;
    wl_verdict verdict;
    char expected[96];
    make_large(&inputs, NULL);
    expect_large(&inputs, &right, WL_OK, "ok");
    expect_large(&inputs, &off_by_one, WL_CHECK_FAILED, "FAILED: 1 wrong, first (499)");
    expect_large(&inputs, &oracle, WL_OK, "ok");
    assert_int_equal(oracle_launches, 2); // once as the oracle, once as a variant like others
    assert_true(reference_slices >= 2 && reference_slices < 500);
    snprintf(expected, sizeof expected, "reference on %zu of 500 slices, oracle on all", reference_slices);
    assert_int_equal(wl_check_variant(&inputs, 0, &right, &cpu, 0, NULL, &verdict), WL_OK);
    assert_string_equal(verdict.checked_by, expected);
    wl_variant part = right; // a serial variant in part needs no oracle
    part.launch_slices = right_slices;
    assert_int_equal(wl_check_variant(&inputs, 0, &part, &cpu, 3, NULL, &verdict), WL_OK);
    assert_string_equal(verdict.checked_by, "reference on 3 of 500 slices");
    assert_int_equal(oracle_launches, 2);
    wl_inputs_free(&inputs);
}

/* A mistake outside the sample, in the variant under test, is found too: that is what the oracle is for. */
TEST(all_of_a_large_result_is_compared) {
    static void (*const mistakes[])(tiny_state * s) = {last_wrong, all_wrong, inside_wrong};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wl_inputs inputs;
        void *state_of = NULL;
        wl_verdict verdict;
        double actual[500];
        make_large(&inputs, NULL);
        assert_int_equal(tiny_prepare(&cpu, inputs.inputs[0], &state_of), WL_OK);
        compute(state_of);
        mistakes[i](state_of);
        assert_int_equal(tiny_collect(state_of, actual, 0), WL_OK);
        assert_int_equal(wl_check_output(&inputs, 0, actual, 0, &verdict), WL_CHECK_FAILED);
        free(state_of);
        wl_inputs_free(&inputs);
    }
}

/* An oracle that the reference contradicts condemns everything: nothing right can be told from wrong any more. */
TEST(wrong_oracle_fails) {
    static void (*const mistakes[])(tiny_state * s) = {last_wrong, all_wrong};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wl_inputs inputs;
        make_large(&inputs, mistakes[i]);
        expect_large(&inputs, &right, WL_CHECK_FAILED,
                     "FAILED: oracle, which all else is checked against, differs from the reference on ");
        expect_large(&inputs, &right, WL_CHECK_FAILED, "FAILED: oracle, which all else");
        assert_int_equal(oracle_launches, 1);
        wl_inputs_free(&inputs);

        make_large(&inputs, mistakes[i]); // checked itself, and first
        expect_large(&inputs, &oracle, WL_CHECK_FAILED,
                     "FAILED: oracle, which all else is checked against, differs from the reference on ");
        assert_non_null(strstr(wl_error(), i == 0 ? "slices: 1 wrong, first (499)" : "slices: "));
        expect_large(&inputs, &right, WL_CHECK_FAILED, "FAILED: oracle, which all else");
        wl_inputs_free(&inputs);
    }
}

/* With time enough the sample is everything, and no mistake of the oracle escapes. */
TEST(a_whole_sample_finds_any_mistake) {
    wl_inputs inputs;
    make_large(&inputs, inside_wrong);
    inputs.sample_seconds = 100;
    expect_large(&inputs, &right, WL_CHECK_FAILED,
                 "FAILED: oracle, which all else is checked against, differs from the reference on 500 of 500 slices: "
                 "1 wrong, first (250)");
    assert_int_equal(reference_slices, 500);
    wl_inputs_free(&inputs);
}

/* What is expected is never what a variant under test has computed, not even the oracle: its own run is one of its own. */
TEST(the_oracle_is_checked_like_others) {
    wl_inputs inputs;
    make_large(&inputs, NULL);
    expect_large(&inputs, &oracle, WL_OK, "ok");
    expect_large(&inputs, &right, WL_OK, "ok");
    expect_large(&inputs, &off_by_one, WL_CHECK_FAILED, "FAILED: 1 wrong, first (499)");
    assert_int_equal(oracle_launches, 2);
    oracle_mistake = inside_wrong;
    expect_large(&inputs, &oracle, WL_CHECK_FAILED, "FAILED: 1 wrong, first (250)");
    wl_inputs_free(&inputs);
}

TEST(small_inputs_need_no_oracle) {
    wl_inputs inputs;
    make_large(&inputs, all_wrong);
    large.fast_oracle_work = 500; // as much as that is not too much
    expect_large(&inputs, &right, WL_OK, "ok");
    assert_int_equal(oracle_launches, 0);
    assert_int_equal(reference_slices, 500);
    wl_verdict verdict;
    assert_int_equal(wl_check_variant(&inputs, 0, &right, &cpu, 0, NULL, &verdict), WL_OK);
    assert_string_equal(verdict.checked_by, "reference");
    wl_inputs_free(&inputs);
}

TEST(a_missing_oracle_is_said) {
    wl_inputs inputs;
    make_large(&inputs, NULL);
    large.fast_oracle = "nobody";
    expect_large(&inputs, &right, WL_NO_MACHINE,
                 "unsupported: too large for the serial reference, and there is no tiny/nobody");
    wl_inputs_free(&inputs);
}

/* --- Inputs --- */

TEST(inputs_are_cached) {
    wl_inputs inputs;
    const void *first, *second;
    make_inputs(&inputs, "5");
    assert_int_equal(inputs.count, 3);
    assert_int_equal(wl_inputs_expected(&inputs, 1, &first), WL_OK);
    assert_int_equal(wl_inputs_expected(&inputs, 1, &second), WL_OK);
    assert_ptr_equal(first, second);
    for (int i = 0; i < 5; i++) assert_true(((const double *)first)[i] == 1007 + sqrt(i));
    wl_inputs_free(&inputs);
}

TEST(bad_arguments) {
    const char *values[2] = {"1001", NULL};
    wl_arguments arguments = {tiny_options, values, 2};
    wl_inputs inputs;
    assert_int_equal(wl_inputs_create(&tiny, &arguments, 7, 0, &inputs), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "--n"));
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

static wl_status launch_wrong_at_nine(void *state) {
    tiny_state *s = state;
    compute(s);
    if (s->input->n == 9) s->result[8]++;
    return WL_OK;
}

/* A variant's own shapes are for it alone, after the problem's. */
TEST(own_shapes_are_tried) {
    static const char *const nine[] = {"--n 9 --datasets 1", NULL};
    TINY(without, "without_own", launch_wrong_at_nine);
    static wl_variant with;
    with = without;
    with.name = "with_own";
    with.check_shapes = nine;
    wl_register(&with);
    wl_register(&without);
    wl_device_list devices;
    wl_check_tallies tallies;
    assert_int_equal(wl_devices_select("cpu", &devices), WL_OK);
    const wl_check_request request = {.problem = &tiny, .pattern = "tiny/with*", .devices = &devices, .seed = 7};
    if (wl_check_problem(&request, &tallies) != WL_OK) fail_msg("%s", wl_error());
    assert_int_equal(tallies.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const wl_check_tally *t = &tallies.items[i];
        const int own = t->variant == &with;
        assert_int_equal(t->ok, 3); // the default, and tiny's two
        assert_int_equal(t->failed, own);
        if (own) assert_string_equal(t->where, "--n 9 --datasets 1");
    }
    free(tallies.items);
}

int main(void) {
    wl_register_problem(&tiny);
    wl_register(&oracle);
    return run_all_tests(NULL, NULL);
}
