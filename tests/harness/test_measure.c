/* Measuring with a clock that the test holds in its hands: when it stops, who takes turns when, what is discarded, and
   what the numbers come to. */
#include "tests/support/unit.h"
#include "harness/bench/measure.h"
#include "harness/bench/rounds.h"
#include "harness/base/stats.h"
#include "tests/harness/wrong_variant/tiny.h"

/* --- A world whose time passes only where it is told to --- */

enum { LOG = 100000 };

static struct {
    double now;
    double launch_seconds; // what the launch running now takes; set by the variant
    double clock;          // SM clock of the next sample
    double drift;          // factor on all launches, grows with each sample
    double watts, step;    // of the energy counter: what a launch draws, and after how many joules it moves
    int has_counter;
    size_t launches;
    char log[LOG]; // which variant each launch was of
} world;

static double world_now(void *context) {
    (void)context;
    return world.now;
}

static wl_status world_time(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    (void)context, (void)device, (void)cold;
    double begin = world.now;
    wl_status status = timed.run(timed.argument);
    timing->seconds = world.now - begin;
    timing->clock = world.clock;
    return status;
}

static int world_energy(void *context, const wl_device *device, double *joules) {
    (void)context, (void)device;
    *joules = floor(world.watts * world.now / world.step) * world.step;
    return world.has_counter;
}

static const wl_clockwork clockwork = {NULL, world_now, world_time, world_energy};
static const wl_device cpu = {.backend = WL_CPU, .name = "test", .multiprocessors = 4};

static void pass(char who, double seconds) {
    if (world.launches < LOG) world.log[world.launches] = who;
    world.launches++;
    world.now += seconds * (world.drift ? world.drift : 1);
}

static void reset(void) {
    memset(&world, 0, sizeof world);
    world.clock = NAN;
}

static wl_measure_options options(void) {
    wl_measure_options o = wl_measure_defaults();
    o.clockwork = &clockwork;
    o.cpu_share = 0; // turns as a GPU's, which these tests count; cpu_turns_are_long has the others
    return o;
}

/* --- Variants that take a known time; A, B and C stand in the log --- */

static double seconds_of_a = 0.05, seconds_of_b = 0.05;
static int a_is_noisy, b_low_clock_every, b_count, c_fails_at, c_count;

static wl_status launch_a(void *state) {
    static int turn;
    tiny_state *s = state;
    compute(s);
    pass('A', seconds_of_a * (a_is_noisy && ++turn % 2 ? 2 : 1));
    return WL_OK;
}

static wl_status launch_b(void *state) {
    compute(state);
    world.clock = b_low_clock_every && ++b_count % b_low_clock_every == 0 ? 0.5 : 1;
    pass('B', world.clock < 0.75 ? 10 * seconds_of_b : seconds_of_b);
    return WL_OK;
}

static wl_status launch_c(void *state) {
    if (c_fails_at && ++c_count >= c_fails_at) return wl_fail(WL_CHECK_FAILED, "launch number %d", c_count);
    compute(state);
    pass('C', 0.03);
    return WL_OK;
}

TINY(variant_a, "a", launch_a);
TINY(variant_b, "b", launch_b);
TINY(variant_c, "c", launch_c);

/* Measures variants with one prepared state per variant and data set, without the rest of wl_measure. */
enum { MOST = 3, DATASETS = 2 };
static wl_measurement measurements[MOST];
static wl_contestant contestants[MOST];
static tiny_input inputs[DATASETS] = {{4, 0}, {4, 1000}};
static void *states[MOST][DATASETS];
static const size_t slices[DATASETS] = {4, 4};

static void enter(size_t count, const wl_variant *const *variants) {
    reset();
    memset(measurements, 0, sizeof measurements);
    memset(contestants, 0, sizeof contestants);
    for (size_t i = 0; i < count; i++) {
        measurements[i].variant = variants[i];
        measurements[i].device = &cpu;
        for (int d = 0; d < DATASETS; d++) assert_int_equal(tiny_prepare(&cpu, &inputs[d], &states[i][d]), WL_OK);
        contestants[i] = (wl_contestant){.measurement = &measurements[i], .states = states[i], .slices = slices};
    }
}

static void leave(size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (int d = 0; d < DATASETS; d++) free(states[i][d]);
        free(measurements[i].samples);
        free(measurements[i].round_ms);
    }
}

/* --- When it stops --- */

TEST(stops_when_stable) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = 0.06;
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    assert_string_equal(measurements[0].row.stop_reason, "stable");
    assert_int_equal(measurements[0].sample_count, 10); // 0.6 s: the samples were what was missing
    assert_int_equal(world.launches, 11);               // and one to warm up
    leave(1);
}

/* 15 s, half of them in the 10 rounds it needs at least: 0.75 s a turn, and a sample first that does not count. */
TEST(cpu_turns_are_long) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    o.cpu_share = 0.5;
    enter(1, one);
    seconds_of_a = 0.051;
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    assert_string_equal(measurements[0].row.stop_reason, "stable");
    assert_int_equal(measurements[0].rounds, 10);
    assert_int_equal(measurements[0].sample_count, 10 * 14); // 14 of 0.051 s after the first fill 0.75 s
    assert_int_equal(world.launches, 10 * 15 + 1);
    leave(1);
}

TEST(half_a_second_of_samples) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = 0.0302;
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    assert_string_equal(measurements[0].row.stop_reason, "stable");
    assert_int_equal(measurements[0].sample_count, 17); // the first 16 last 0.483 s
    leave(1);
}

TEST(every_data_set_has_a_turn) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = 0.06;
    o.least_samples = 1; // two data sets need two rounds all the same, and the noise of one round is unknown
    o.least_seconds = 0;
    assert_int_equal(wl_take_rounds(contestants, 1, 2, &o), WL_OK);
    assert_int_equal(measurements[0].sample_count, 2);
    assert_int_equal(measurements[0].samples[0].dataset, 0);
    assert_int_equal(measurements[0].samples[1].dataset, 1);
    assert_int_equal(((tiny_state *)states[0][1])->launches, 1);
    leave(1);
}

TEST(noise_runs_into_the_time_limit) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = 0.5;
    a_is_noisy = 1; // 0.5, 1.0, 0.5 ... : never within 0.5 % in 15 s
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    a_is_noisy = 0;
    assert_string_equal(measurements[0].row.stop_reason, "time");
    assert_in_range(measurements[0].sample_count, 20, 21);
    leave(1);
}

TEST(long_samples_run_into_the_time_limit) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = 6;
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    assert_string_equal(measurements[0].row.stop_reason, "time");
    assert_int_equal(measurements[0].sample_count, 3);
    leave(1);
}

TEST(countless_samples_are_cut_off) {
    const wl_variant *const one[] = {&variant_a};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = 1e-7; // an empty input
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    assert_string_equal(measurements[0].row.stop_reason, "samples");
    assert_in_range(measurements[0].sample_count, o.most_samples, o.most_samples + 2000);
    leave(1);
}

/* --- Energy --- */

static const wl_row *energy_of_a(double seconds, double watts, double step_seconds, int has_counter) {
    static const wl_variant *const one[] = {&variant_a};
    static wl_row row;
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_a = seconds;
    world.watts = watts;
    world.step = watts * step_seconds;
    world.has_counter = has_counter;
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    row = measurements[0].row;
    leave(1);
    return &row;
}

static void near(double expected, double found, double share) {
    if (!(fabs(found - expected) <= share * expected)) fail_msg("found %g; expected %g", found, expected);
}

/* A counter that moves every 100 ms does not blur the energy of a launch by more than a batch of 5 ms in half a second. */
TEST(energy_of_launches_shorter_and_longer_than_the_counters_step) {
    static const double seconds[] = {20e-6, 1e-3, 0.03, 0.3, 2};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        const wl_row *row = energy_of_a(seconds[i], 300, 0.1, 1);
        near(300, row->watts, 0.02 + (seconds[i] > 0.005 ? 0.1 : 0));
        near(300 * seconds[i], row->joules, 0.02 + (seconds[i] > 0.005 ? 0.1 : 0));
    }
}

TEST(no_energy_without_a_counter_that_moves) {
    assert_true(isnan(energy_of_a(1e-3, 300, 0.1, 0)->joules));
    const size_t without = world.launches;
    const wl_row *still = energy_of_a(1e-3, 300, 1e6, 1);
    assert_true(isnan(still->joules) && isnan(still->watts));
    assert_in_range(world.launches - without, 2000, 5000); // it gave up after some seconds
}

/* --- Rounds --- */

TEST(turns_are_interleaved) {
    const wl_variant *const three[] = {&variant_a, &variant_b, &variant_c};
    wl_measure_options o = options();
    enter(3, three);
    seconds_of_a = 0.05;
    seconds_of_b = 0.05;
    o.shared_rounds = 0;
    assert_int_equal(wl_take_rounds(contestants, 3, 2, &o), WL_OK);
    /* One to warm up each, then round by round, the first turn moving on. C needs 17 samples, the others 10. */
    assert_memory_equal(world.log,
                        "ABC"
                        "ABC"
                        "BCA"
                        "CAB"
                        "ABC"
                        "BCA"
                        "CAB"
                        "ABC"
                        "BCA"
                        "CAB"
                        "ABC"
                        "C",
                        34);
    for (size_t i = 0; i < measurements[0].sample_count; i++) {
        assert_int_equal(measurements[0].samples[i].round, i);
        assert_int_equal(measurements[0].samples[i].dataset, i % 2);
    }
    assert_int_equal(measurements[0].rounds, measurements[2].rounds); // one row of rounds for all, with holes
    assert_false(isnan(measurements[0].round_ms[9]));
    assert_true(isnan(measurements[0].round_ms[10]));
    leave(3);
}

TEST(short_samples_fill_a_turn) {
    const wl_variant *const two[] = {&variant_a, &variant_b};
    wl_measure_options o = options();
    enter(2, two);
    seconds_of_a = 0.001;
    seconds_of_b = 0.1;
    assert_int_equal(wl_take_rounds(contestants, 2, 1, &o), WL_OK);
    /* 20 ms a turn: one launch that does not count, 19 or 20 that do. */
    assert_in_range(measurements[0].sample_count, 19 * measurements[0].rounds - 1, 20 * measurements[0].rounds);
    assert_string_equal(measurements[0].row.stop_reason, "stable");
    assert_string_equal(measurements[1].row.stop_reason, "stable");
    leave(2);
}

/* A is stable after 10 rounds; B, noisy for its low clocks, needs more. A stays for 30 rounds, so that ratios have
   partners, and not for all of B's. */
TEST(partners_stay_a_while) {
    const wl_variant *const two[] = {&variant_a, &variant_b};
    wl_measure_options o = options();
    enter(2, two);
    seconds_of_a = 0.06;
    seconds_of_b = 0.021;
    o.least_seconds = 2; // of B: 96 samples; of A: 34
    assert_int_equal(wl_take_rounds(contestants, 2, 1, &o), WL_OK);
    assert_int_equal(measurements[0].sample_count, 34);
    assert_int_equal(measurements[1].sample_count, 96);
    leave(2);
    enter(2, two);
    o.least_seconds = 0.6; // of A: 10; of B: 29
    assert_int_equal(wl_take_rounds(contestants, 2, 1, &o), WL_OK);
    assert_int_equal(measurements[0].sample_count, 29); // as long as B, fewer than 30
    assert_int_equal(measurements[1].sample_count, 29);
    leave(2);
    enter(2, two);
    o.least_seconds = 1; // of A: 17; of B: 48
    assert_int_equal(wl_take_rounds(contestants, 2, 1, &o), WL_OK);
    assert_int_equal(measurements[0].sample_count, 30);
    assert_int_equal(measurements[1].sample_count, 48);
    leave(2);
}

TEST(slow_clock_is_discarded) {
    const wl_variant *const one[] = {&variant_b};
    wl_measure_options o = options();
    enter(1, one);
    seconds_of_b = 0.06;
    b_low_clock_every = 3; // the third, sixth ... launch takes ten times as long; the warm-up is the first
    b_count = 0;
    assert_int_equal(wl_take_rounds(contestants, 1, 1, &o), WL_OK);
    b_low_clock_every = 0;
    size_t discarded = 0;
    for (size_t i = 0; i < measurements[0].sample_count; i++) {
        discarded += measurements[0].samples[i].discarded;
        assert_int_equal(measurements[0].samples[i].discarded, (i + 2) % 3 == 0);
    }
    assert_int_equal(measurements[0].sample_count - discarded, 10); // ten that count
    assert_int_equal(discarded, 5);
    assert_string_equal(measurements[0].row.stop_reason, "stable"); // the slow ones did not make noise
    assert_true(isnan(measurements[0].round_ms[1]));                // a round with no sample that counts
    leave(1);
}

TEST(failure_ends_one_only) {
    const wl_variant *const two[] = {&variant_c, &variant_a};
    wl_measure_options o = options();
    enter(2, two);
    seconds_of_a = 0.06;
    c_fails_at = 4;
    c_count = 0;
    assert_int_equal(wl_take_rounds(contestants, 2, 1, &o), WL_OK);
    c_fails_at = 0;
    assert_string_equal(wl_verdict_line(&measurements[0].row.verdict).text, "FAILED: launch: launch number 4");
    assert_int_equal(c_count, 4); // not tried again
    assert_string_equal(measurements[1].row.stop_reason, "stable");
    leave(2);
}

/* --- A part of a serial variant --- */

static double seconds_a_slice;
static size_t slices_seen;

static wl_status serial_slices(void *state, size_t first, size_t count) {
    tiny_state *s = state;
    tiny_reference(s->input, first, count, s->result);
    slices_seen = count;
    pass('S', seconds_a_slice * (double)count);
    return WL_OK;
}

static wl_status serial_launch(void *state) { return serial_slices(state, 0, (size_t)((tiny_state *)state)->input->n); }

static const wl_variant serial = {.problem = "tiny",
                                  .name = "serial",
                                  .idea = "",
                                  .source = "",
                                  .backend = WL_CPU,
                                  .prepare = tiny_prepare,
                                  .launch = serial_launch,
                                  .collect = tiny_collect,
                                  .release = free,
                                  .launch_slices = serial_slices};

static size_t chosen(const char *n, double a_slice) {
    const char *values[2] = {n, "1"};
    wl_arguments arguments = {tiny_options, values, 2};
    wl_inputs made;
    reset();
    seconds_a_slice = a_slice;
    assert_int_equal(wl_inputs_create(&tiny, &arguments, 0, 0, &made), WL_OK);
    size_t slices = wl_choose_slices(&made, 0, &serial, &cpu, 0.3, &clockwork);
    wl_inputs_free(&made);
    return slices;
}

TEST(parts_of_the_right_size) {
    assert_int_equal(chosen("1000", 0.0002), 0);    // all of it takes 0.2 s
    assert_in_range(chosen("1000", 0.001), 40, 41); // 40 ms, and the clock's rounding
    assert_in_range(chosen("1000", 0.0004), 100, 101);
    assert_int_equal(chosen("1000", 1), 1); // one slice cannot be divided
    assert_int_equal(chosen("10", 0.0001), 0);
    assert_int_equal(chosen("0", 1), 0);
    assert_true(world.now < 0.1); // and finding out costs little
}

TEST(a_part_is_scaled) {
    const wl_variant *const one[] = {&serial};
    wl_measure_options o = options();
    enter(1, one);
    seconds_a_slice = 0.04;
    contestants[0].timed = 1;
    assert_int_equal(wl_take_rounds(contestants, 1, 2, &o), WL_OK);
    assert_int_equal(slices_seen, 1);
    for (size_t i = 0; i < measurements[0].sample_count; i++)
        assert_true(fabs(measurements[0].samples[i].ms - 160) < 1e-6); // four slices' worth
    assert_int_equal(measurements[0].sample_count, 13);                // 0.52 s really spent
    leave(1);
}

/* --- From end to end --- */

static wl_status launch_01(void *state) {
    compute(state);
    world.drift = world.drift ? 1.02 * world.drift : 1; // everything gets slower, for all alike
    pass('1', 0.04);
    return WL_OK;
}

static wl_status launch_02(void *state) {
    compute(state);
    pass('2', 0.02);
    return WL_OK;
}

static wl_status launch_cpu(void *state) {
    compute(state);
    pass('P', 0.08);
    return WL_OK;
}

TINY(stage_01, "01_first", launch_01);
TINY(stage_02, "02_second", launch_02);
TINY(stage_02b, "02b_third", launch_01);
TINY(wide, "wide", launch_cpu);
TINY(wrong_stage, "03_wrong", launch_off_by_one);
TINY(wrong_later, "04_wrong_later", launch_accumulating);
static wl_variant uneven, stage_02a; // only for even n

static void register_all(void) {
    wl_register_problem(&tiny);
    wl_register(&serial);
    wl_register(&stage_01);
    wl_register(&stage_02);
    wl_register(&wide);
    wl_register(&wrong_stage);
    wl_register(&wrong_later);
    wl_register(&stage_02b);
    stage_02a = uneven = right;
    uneven.name = "05_even";
    stage_02a.name = "02a_even";
    stage_02a.supports = uneven.supports = supports_even;
    wl_register(&uneven);
    wl_register(&stage_02a);
}

static const wl_measurement *named(const wl_measurements *all, const char *name) {
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->items[i].row.name, name) == 0) return &all->items[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void measure(wl_measurements *all, const char *n, const char *pattern) {
    const char *values[2] = {n, "2"};
    wl_arguments arguments = {tiny_options, values, 2};
    wl_device_list devices = {.items = {cpu}, .count = 1};
    wl_measure_request request = {&tiny, &arguments, 1, pattern, &devices, options(), 0};
    reset();
    seconds_a_slice = 0.032;
    assert_int_equal(wl_measure(&request, all), WL_OK);
}

TEST(rows_from_end_to_end) {
    wl_measurements all;
    measure(&all, "5", NULL);
    assert_int_equal(all.count, 9);
    assert_ptr_equal(all.items[0].device, &all.devices.items[0]);

    const wl_row *first = &named(&all, "01_first")->row, *second = &named(&all, "02_second")->row;
    const wl_row *base = &named(&all, "serial")->row, *best = &named(&all, "wide")->row;
    assert_true(wl_passed(&first->verdict));
    assert_string_equal(first->problem, "tiny");
    assert_string_equal(first->shape, "5");
    assert_string_equal(first->backend, "cpu");
    assert_string_equal(first->cache, "hot");
    assert_int_equal(first->datasets, 2);
    assert_int_equal(first->threads, 4);
    assert_int_equal(base->threads, 1);
    assert_true(first->work == 5);
    assert_string_equal(second->verdict.checked_by, "reference");
    assert_true(fabs(first->work_per_s - 5e3 / first->kernel_ms.median) < 1e-9);
    assert_true(first->total_ms.median >= 20);
    assert_true(isnan(first->limit_fraction)); // no cost function

    /* serial: 5 slices of 32 ms; the drift of 2 % a sample moves every time, and no ratio by more than its step */
    assert_true(fabs(second->speedup_serial.median - 160 / 20.) < 0.8);
    assert_true(fabs(first->speedup_serial.median - 160 / 40.) < 0.4);
    assert_true(second->speedup_serial.low <= second->speedup_serial.median);
    assert_true(second->speedup_serial.high >= second->speedup_serial.median);
    /* The best of those that are not serial is a stage here, all being CPU variants: 02. */
    assert_true(second->speedup_best_cpu.median == 1);
    assert_true(fabs(best->speedup_best_cpu.median - 0.25) < 0.02);
    assert_true(base->speedup_serial.median == 1);
    assert_true(fabs(second->speedup_previous.median - 2) < 0.1);
    assert_true(isnan(first->speedup_previous.median)); // there is no stage before
    assert_true(isnan(best->speedup_previous.median));  // not a stage

    wl_measurements_free(&all);
}

TEST(the_stage_before_takes_the_data) {
    wl_measurements all;
    measure(&all, "5", NULL);
    const wl_ratio over_02 = named(&all, "02b_third")->row.speedup_previous; // 02a takes even numbers only
    assert_true(fabs(over_02.median - 0.5) < 0.05);
    wl_measurements_free(&all);
}

TEST(wrong_ones_are_not_timed) {
    wl_measurements all;
    measure(&all, "5", NULL);
    const wl_measurement *wrong = named(&all, "03_wrong"), *later = named(&all, "04_wrong_later");
    const wl_measurement *even = named(&all, "05_even");
    assert_memory_equal(wl_verdict_line(&wrong->row.verdict).text, "FAILED: 1 wrong, first (4)", 26);
    assert_int_equal(wrong->sample_count, 0);
    assert_string_equal(wrong->row.stop_reason, "not timed");
    assert_true(isnan(wrong->row.kernel_ms.median));
    assert_memory_equal(wl_verdict_line(&later->row.verdict).text, "FAILED: after timing: 1 wrong", 29);
    assert_true(isnan(later->row.kernel_ms.median) && isnan(later->row.speedup_serial.median));
    assert_string_equal(wl_verdict_line(&even->row.verdict).text, "unsupported: needs an even number of elements");
    assert_int_equal(wl_measurements_status(&all), WL_CHECK_FAILED);
    assert_non_null(strstr(wl_error(), "03_wrong"));
    wl_measurements_free(&all);
}

TEST(patterns) {
    const char *values[2] = {"4", "2"};
    wl_arguments arguments = {tiny_options, values, 2};
    wl_device_list devices = {.items = {cpu}, .count = 1};
    wl_measurements all;
    wl_measure_request request = {&tiny, &arguments, 1, "tiny/09*", &devices, options(), 0};
    reset();
    assert_int_equal(wl_measure(&request, &all), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "tiny/09*"));
    devices.items[0].backend = WL_SIM; // there are variants of that name, but none for the simulated device
    request.pattern = "tiny/01*";
    assert_int_equal(wl_measure(&request, &all), WL_NO_MACHINE);
}

int main(void) {
    register_all();
    return run_all_tests(NULL, NULL);
}
