/* reproduce ligowski2009: the paper tables say what the paper's text says, and its sums follow from their own numbers. A
   database has exactly the paper's number of letters. A run on two devices checks both halves, and lasts from the first
   launch until the last device has finished. The devices and their clock are made up, so that no test depends on this
   machine's speed. */
#include <math.h>

#include "tests/support/unit.h"
#include "papers/ligowski2009/paper.h"
#include "harness/probes/rates.h"
#include "harness/bench/device.h"
#include "sw/reference.h"
#include "sw/scoring/scoring.h"

#define CLOSE(actual, expected, tolerance) assert_true(fabs((actual) - (expected)) <= (tolerance))

/* ---- the tables ---- */

TEST(the_tables_are_the_papers) {
    wl_paper figure, limits;
    assert_int_equal(wl_paper_read("ligowski2009_figure4", &figure), WL_OK);
    assert_int_equal(wl_paper_read("ligowski2009_limits", &limits), WL_OK);
    /* Sections II.4 and III. */
    static const struct {
        const char *what;
        double one, two;
    } said[] = {{"shortest query", 4.65, 8.99},
                {"more than 30 residues", 6, 12},
                {"longest queries", 7.5, 14.5},
                {"equally long random sequences", 7.74, NAN},
                {"identical sequences", 8.67, NAN}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        size_t row = wl_paper_row(&figure, "what", said[i].what);
        double two = wl_paper_number(&figure, row, "gcups_2");
        CLOSE(wl_paper_number(&figure, row, "gcups_1"), said[i].one, 0);
        assert_true(isnan(said[i].two) ? isnan(two) : two == said[i].two);
    }
    CLOSE(wl_paper_header_number(&figure, "subjects"), 388517, 0);
    CLOSE(wl_paper_header_number(&figure, "letters"), 124041327, 0);
    CLOSE(wl_paper_header_number(&figure, "queries"), 37, 0);
    CLOSE(wl_paper_header_number(&figure, "synthetic_subjects"), 81920, 0);

    /* Every limit is its rate over what a cell takes, within what the text rounds. */
    assert_int_equal(limits.rows, 5);
    for (size_t row = 0; row < limits.rows; row++) {
        int bytes = strcmp(wl_paper_text(&limits, row, "kind"), "bytes") == 0;
        double rate = wl_paper_header_number(&limits, bytes ? "bytes_per_second" : "operations_per_second");
        double sum = 1e-9 * rate * wl_paper_number(&limits, row, "share") / wl_paper_number(&limits, row, "per_cell");
        CLOSE(sum / wl_paper_number(&limits, row, "gcups"), 1, 0.02);
    }
    double reached =
        wl_paper_header_number(&limits, "reached_gcups") /
        wl_paper_number(&limits, wl_paper_row(&limits, "what", wl_paper_header(&limits, "reached_of")), "gcups");
    CLOSE(reached, wl_paper_header_number(&limits, "reached"), 0.005); // "more than 72 %": 72.25
    wl_result_file_free(&figure);
    wl_result_file_free(&limits);
}

/* ---- the data ---- */

TEST(a_database_has_its_letters_to_the_letter) {
    static const struct {
        size_t subjects;
        uint64_t letters;
        uint32_t longest;
    } cases[] = {{1000, 319271, 999}, {1000, 900001, 999}, {1000, 1000, 999}, {1000, 999000, 999}, {1, 77, 100}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        sw_recipe recipe = {
            .seed = 5, .subjects = cases[c].subjects, .letters = cases[c].letters, .longest = cases[c].longest};
        sw_set none = {.count = 0};
        sw_owned_set set;
        assert_int_equal(sw_generate_database(&recipe, &none, &set), WL_OK);
        uint64_t sum = 0;
        for (size_t s = 0; s < set.set.count; s++) {
            assert_in_range(set.set.length[s], 1, cases[c].longest);
            if (s > 0) assert_true(set.set.length[s] <= set.set.length[s - 1]);
            sum += set.set.length[s];
        }
        assert_int_equal(set.set.count, cases[c].subjects);
        assert_int_equal(sum, cases[c].letters);
        assert_int_equal(set.set.letters, cases[c].letters);
        sw_owned_set_free(&set);
        recipe.letters = cases[c].subjects * (uint64_t)cases[c].longest + 1;
        assert_int_equal(sw_generate_database(&recipe, &none, &set), WL_BAD_USAGE);
    }
}

TEST(halves_are_the_whole) {
    sw_recipe recipe = {.seed = 6, .subjects = 23, .longest = 120};
    sw_set none = {.count = 0};
    sw_owned_set whole, half[2];
    assert_int_equal(sw_generate_database(&recipe, &none, &whole), WL_OK);
    for (int part = 0; part < 2; part++) assert_int_equal(ligowski_half(&whole.set, 4, part, &half[part]), WL_OK);
    size_t next[2] = {0, 0};
    for (size_t s = 0; s < whole.set.count; s++) {
        const sw_set *set = &half[s / 4 % 2].set;
        size_t h = next[s / 4 % 2]++;
        assert_int_equal(set->length[h], whole.set.length[s]);
        assert_memory_equal(set->residues + set->start[h], whole.set.residues + whole.set.start[s], set->length[h]);
        assert_int_equal(set->residues[set->start[h] + set->length[h]], SW_END);
    }
    assert_int_equal(next[0], half[0].set.count);
    assert_int_equal(next[1], half[1].set.count);
    for (int part = 0; part < 2; part++) sw_owned_set_free(&half[part]);
    sw_owned_set_free(&whole);
}

/* ---- two devices ---- */

typedef struct {
    const sw_input *input;
    int wrong;
} fake_state;

static int wrong_on; // the device whose result is wrong; -1: none

static wl_status fake_prepare(const wl_device *device, const void *input, void **state) {
    fake_state *s = malloc(sizeof *s);
    *s = (fake_state){input, device->ordinal == wrong_on};
    *state = s;
    return WL_OK;
}
static wl_status fake_launch(void *state) {
    (void)state;
    return WL_OK;
}
static wl_status fake_collect(void *state, void *output, int poison) {
    (void)poison;
    fake_state *s = state;
    sw_reference(s->input, 0, sw_slices(s->input), output);
    ((int *)output)[s->input->database.count - 1] += s->wrong;
    return WL_OK;
}

static const wl_variant fake = {.problem = "sw",
                                .name = "09_fake",
                                .backend = WL_CPU,
                                .prepare = fake_prepare,
                                .launch = fake_launch,
                                .collect = fake_collect,
                                .release = free};

/* Device 0 takes one second, device 1 two; `slow_clock`: its clock is at half. */
static int slow_clock;
static double fake_now(void *context) {
    (void)context;
    return wl_now();
}
static wl_status fake_time(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    (void)context;
    (void)cold;
    *timing = (wl_timing){device->ordinal + 1, slow_clock ? 0.5 : 1};
    return timed.run(timed.argument);
}
static const wl_clockwork clockwork = {.now = fake_now, .time = fake_time};

/* The one point of a run of the fake variant on two devices. */
static ligowski_point on_two(void) {
    static const uint32_t query_length = 20;
    ligowski_run run = {.problem = wl_problem_named("sw"), .options = wl_measure_defaults(), .line_count = 1};
    for (int i = 0; i < 2; i++) run.devices.items[i] = (wl_device){.backend = WL_CPU, .ordinal = i};
    run.lines[0] = (ligowski_line){&fake, run.devices.items, 2};
    run.options.clockwork = &clockwork;
    run.options.least_samples = 3;
    run.options.most_seconds = slow_clock ? 0.05 : 60; // of the real clock: a busy machine is no reason to fail
    sw_recipe recipe = {.seed = 7, .subjects = 600, .length = 30};
    sw_owned_set queries, database;
    sw_input input = {0};
    assert_int_equal(sw_scoring_named("BLOSUM62", &input.scoring), WL_OK);
    assert_int_equal(sw_generate_queries(&recipe, 1, &query_length, &queries), WL_OK);
    assert_int_equal(sw_generate_database(&recipe, &queries.set, &database), WL_OK);
    input.queries = queries.set;
    input.database = database.set;
    assert_int_equal(ligowski_measure(&run, "Swiss-Prot", &input), WL_OK);
    assert_int_equal(run.count, 1);
    ligowski_point point = run.points[0];
    free(run.points);
    sw_owned_set_free(&database);
    sw_owned_set_free(&queries);
    return point;
}

TEST(two_devices_take_as_long_as_the_slower) {
    wrong_on = -1;
    slow_clock = 0;
    ligowski_point point = on_two();
    assert_true(wl_passed(&point.verdict));
    assert_in_range(point.samples, 3, 200);
    CLOSE(point.work, 20.0 * 30 * 600, 0);
    CLOSE(point.ms.median, 2000, 200); // and what lay between the two launches
    CLOSE(point.gcups, point.work / point.ms.median * 1e-6, 1e-12);
}

TEST(either_half_can_fail) {
    slow_clock = 0;
    for (wrong_on = 0; wrong_on < 2; wrong_on++) {
        ligowski_point point = on_two();
        assert_non_null(strstr(wl_verdict_line(&point.verdict).text, "FAILED: 1 wrong"));
        assert_true(isnan(point.gcups));
    }
}

TEST(a_slow_clock_does_not_count) {
    wrong_on = -1;
    slow_clock = 1;
    ligowski_point point = on_two();
    assert_int_equal(point.samples, 0);
    assert_true(isnan(point.gcups));
}

/* ---- the figure's numbers ---- */

TEST(lows_and_highs_stand_beside_the_papers) {
    static const uint32_t lengths[] = {10, 30, 31, 500, 1000};
    static const double gcups[] = {110, 120, 240, 360, 330};
    ligowski_run run = {.problem = wl_problem_named("sw"), .line_count = 1, .reduced = 1};
    ligowski_point points[7];
    run.devices.items[0] = (wl_device){.backend = WL_CPU, .multiprocessors = 2};
    run.devices.count = 1;
    run.lines[0] = (ligowski_line){&fake, run.devices.items, 1};
    for (size_t i = 0; i < 7; i++) {
        points[i] = (ligowski_point){.database = i < 5   ? "Swiss-Prot"
                                                 : i < 6 ? "Random1000"
                                                         : "Regular1000",
                                     .query_length = i < 5 ? lengths[i] : 1000,
                                     .line = run.lines[0],
                                     .verdict = {.state = WL_PASSED},
                                     .ms = {.lower_quartile = 10, .median = 10, .upper_quartile = i == 1 ? 10.8 : 10.1},
                                     .gcups = i < 5 ? gcups[i] : 400 + 70 * (double)(i - 5)};
    }
    run.points = points;
    run.count = 7;
    assert_int_equal(wl_paper_read("ligowski2009_figure4", &run.figure), WL_OK);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ligowski_print(stream, &run);
    fclose(stream);
    assert_non_null(strstr(text, "up to 8 % apart (09_fake, query of 30).\nThat is much"));
    static const char *const wanted[][2] = {{"shortest query", "110"},
                                            {"more than 30", "240"},
                                            {"longest queries", "360"},
                                            {"equally long", "400"},
                                            {"identical sequences", "470"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char *line = strstr(text, wanted[i][0]), *end = line == NULL ? NULL : strchr(line, '\n');
        assert_non_null(end);
        assert_int_equal(strncmp(end - 3, wanted[i][1], 3), 0);
    }
    free(text);
    wl_result_file_free(&run.figure);
}

/* With two operations per cell, the limit is half of the measured rate. The speed is half of that limit; for two devices, it is a quarter
   of their limit. The third point has more bytes per cell than the bandwidth allows at that speed, so the bandwidth is its limit. The
   fourth one needs a rate that nothing has measured before, and the bandwidth would allow far more. */
TEST(the_fraction_is_of_the_nearer_limit) {
    static const double work = 1e9;
    ligowski_run run = {.problem = wl_problem_named("sw"), .line_count = 4, .reduced = 1};
    assert_int_equal(wl_devices_select("cpu", &run.devices), WL_OK);
    const wl_rates *rates = wl_rates_of(&run.devices.items[0], WL_RATE_SATURATED8);
    double rate = rates->operations[WL_RATE_SATURATED8], half = 1e-9 * rate / 2 / 2;
    static const wl_variant other = {.problem = "sw", .name = "10_bytes", .backend = WL_CPU};
    static const wl_variant scalar = {.problem = "sw", .name = "11_scalar", .backend = WL_CPU};
    ligowski_point points[4];
    for (size_t i = 0; i < 4; i++) {
        const wl_variant *variant = i < 2 ? &fake : i < 3 ? &other : &scalar;
        run.lines[i] = (ligowski_line){variant, run.devices.items, i == 1 ? 2 : 1};
        points[i] = (ligowski_point){.database = "Swiss-Prot",
                                     .query_length = 10,
                                     .line = run.lines[i],
                                     .verdict = {.state = WL_PASSED},
                                     .work = work,
                                     .gcups = half,
                                     .cost = {.operations = 2 * work, .rate = WL_RATE_SATURATED8}};
    }
    points[2].cost.bytes = work * rates->bandwidth / (half * 1e9) / 0.8; // a limit of 0.8 of what was "reached"
    points[3].gcups = 1e-3;
    points[3].cost = (wl_cost){.operations = 2 * work, .bytes = 1, .rate = WL_RATE_SCALAR};
    run.points = points;
    run.count = 4;
    assert_int_equal(wl_paper_read("ligowski2009_figure4", &run.figure), WL_OK);
    assert_int_equal(wl_paper_read("ligowski2009_limits", &run.limits), WL_OK);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ligowski_print_limits(stream, &run);
    fclose(stream);
    char of_scalar[32];
    const double scalar_rate = wl_rates_of(&run.devices.items[0], WL_RATE_SCALAR)->operations[WL_RATE_SCALAR];
    snprintf(of_scalar, sizeof of_scalar, "  %.3g %%\n", 100 * 1e-3 / (1e-9 * scalar_rate / 2));
    const char *const wanted[] = {"  50 %\n", "  25 %\n", "  125 %\n", of_scalar};
    char *line = strstr(text, "\n09_fake");
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(line);
        char *end = strchr(line + 1, '\n');
        if (strncmp(end + 1 - strlen(wanted[i]), wanted[i], strlen(wanted[i])) != 0)
            fail_msg("%s is not in\n%s", wanted[i], text);
        line = end;
    }
    assert_non_null(strstr(text, "72 % of its limit by operations with addresses"));
    free(text);
    wl_result_file_free(&run.figure);
    wl_result_file_free(&run.limits);
}

int main(void) { return run_all_tests(NULL, NULL); }
