/* Variants in order, found by pattern; values of options. */
#include "tests/support/unit.h"
#include "harness/bench/device.h"
#include "harness/bench/problem.h"

static const wl_variant variants[] = {
    {.problem = "zz", .name = "02_b", .backend = WL_SIM}, {.problem = "zz", .name = "02_b", .backend = WL_GPU},
    {.problem = "zz", .name = "01_a", .backend = WL_SIM}, {.problem = "zz", .name = "wide", .backend = WL_CPU},
    {.problem = "yy", .name = "01_a", .backend = WL_SIM},
};

static void add(void) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) wl_register(&variants[i]);
}

TEST(order) {
    static const int expected[] = {4, 3, 1, 2, 0}; // problem, then cpu, gpu, sim, then name
    size_t count, next = 0;
    const wl_variant *const *all = wl_variants(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i] >= variants && all[i] < variants + 5) assert_ptr_equal(all[i], &variants[expected[next++]]);
    assert_int_equal(next, 5);
}

static const char *refuses(const wl_device *device, const void *input) {
    (void)device;
    return *(const int *)input ? "a reason" : NULL;
}

/* The last one that takes the data, of the same backend and problem. */
TEST(stages_before) {
    static const wl_variant first = {.problem = "xx", .name = "01_a", .backend = WL_SIM},
                            second = {.problem = "xx", .name = "02_b", .backend = WL_SIM, .supports = refuses},
                            third = {.problem = "xx", .name = "03_c", .backend = WL_SIM},
                            other = {.problem = "xx", .name = "02_c", .backend = WL_GPU},
                            wide = {.problem = "xx", .name = "wide", .backend = WL_SIM},
                            *const all[] = {&first, &second, &third, &other, &wide};
    const int takes = 0, does_not = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) wl_register(all[i]);
    assert_ptr_equal(wl_stage_before(&third, NULL, &takes), &second);
    assert_ptr_equal(wl_stage_before(&third, NULL, &does_not), &first);
    assert_null(wl_stage_before(&first, NULL, &takes));
    assert_null(wl_stage_before(&other, NULL, &takes)); // no other of GPUs
    assert_null(wl_stage_before(&wide, NULL, &takes));  // no stage
}

TEST(patterns) {
    const wl_variant *v = &variants[0];
    assert_true(wl_variant_matches(v, "zz"));
    assert_true(wl_variant_matches(v, "zz/02_b"));
    assert_true(wl_variant_matches(v, "zz/02*"));
    assert_true(wl_variant_matches(v, "z?/*"));
    assert_true(wl_variant_matches(v, "zz/01_a zz/02_b"));
    assert_true(wl_variant_matches(v, "yy zz"));
    assert_false(wl_variant_matches(v, "zz/02"));
    assert_false(wl_variant_matches(v, "z"));
    assert_false(wl_variant_matches(v, "yy/*"));
    assert_false(wl_variant_matches(v, "*b")); // a name alone is a problem's
    assert_false(wl_variant_matches(v, ""));
}

/* A variant that has such a function is a serial baseline. */
static wl_status no_slices(void *own, size_t first, size_t count) {
    (void)own, (void)first, (void)count;
    return WL_OK;
}

/* What --variant means in all tools: stages by patterns, baselines and libraries by their names only. */
TEST(tools_ask_for_variants) {
    wl_variant stage = {.problem = "zz", .name = "02_b"}, serial = {.problem = "zz", .name = "serial_O3"},
               library = {.problem = "zz", .name = "library_x"};
    serial.launch_slices = no_slices;
    const wl_variant *const baselines[] = {&serial, &library};
    static const char *const all[] = {NULL, "zz", "zz/*", "*", "z*/?*"}, *const one[] = {"02_b", "02*", "zz/02_b",
                                                                                         "zz/0*"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(wl_variant_is_wanted(&stage, all[i]));
        for (int b = 0; b < 2; b++) assert_false(wl_variant_is_wanted(baselines[b], all[i]));
    }
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        assert_true(wl_variant_is_wanted(&stage, one[i]));
        for (int b = 0; b < 2; b++) assert_false(wl_variant_is_wanted(baselines[b], one[i]));
    }
    assert_false(wl_variant_is_wanted(&stage, "02") || wl_variant_is_wanted(&stage, "yy/02_b"));
    assert_true(wl_variant_is_wanted(&serial, "serial_O3") && wl_variant_is_wanted(&serial, "zz/serial*"));
    assert_true(wl_variant_is_wanted(&library, "library_x") && wl_variant_is_wanted(&library, "zz/lib*"));
}

TEST(problems) {
    size_t count;
    const wl_problem *const *all = wl_problems(&count);
    for (size_t i = 1; i < count; i++) assert_true(strcmp(all[i - 1]->name, all[i]->name) < 0);
    for (size_t i = 0; i < count; i++) assert_ptr_equal(wl_problem_named(all[i]->name), all[i]);
    assert_null(wl_problem_named("no such problem"));
}

static const wl_option options[] = {{"n", "N", "12", ""}, {"m", "N", NULL, ""}, {0}};

static wl_status integer(const char *text, int64_t *value) {
    const char *values[2] = {text, NULL};
    wl_arguments arguments = {options, values, 2};
    return wl_argument_integer(&arguments, "n", -5, 100, value);
}

TEST(integers) {
    int64_t value = 0;
    assert_int_equal(integer(NULL, &value), WL_OK); // the default
    assert_int_equal(value, 12);
    assert_int_equal(integer("-5", &value), WL_OK);
    assert_int_equal(value, -5);
    assert_int_equal(integer("+100", &value), WL_OK);
    assert_int_equal(value, 100);
    static const char *const bad[] = {
        "", " 1", "1 ", "1x", "x", "1e2", "0x10", "101", "-6", "1.0", "--", "-", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(integer(bad[i], &value), WL_BAD_USAGE);
        assert_non_null(strstr(wl_error(), "--n"));
        assert_non_null(strstr(wl_error(), "-5 to 100"));
    }
    const char *values[2] = {NULL, NULL};
    wl_arguments arguments = {options, values, 2};
    assert_int_equal(wl_argument_integer(&arguments, "m", 0, 1, &value), WL_BAD_USAGE); // neither value nor default
    assert_null(wl_argument(&arguments, "m"));
    assert_false(wl_argument_given(&arguments, "n"));
}

static wl_status choice(const char *text, int *place) {
    static const wl_option rows[] = {{"layout", "L:auto tsv csv list", "tsv", ""}, {0}};
    wl_arguments arguments = {rows, &text, 1};
    return wl_argument_choice(&arguments, "layout", place);
}

TEST(choices) {
    static const char *const words[] = {"auto", "tsv", "csv", "list"};
    int place;
    assert_int_equal(choice(NULL, &place), WL_OK); // the default
    assert_int_equal(place, 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(choice(words[i], &place), WL_OK);
        assert_int_equal(place, i);
    }
    static const char *const bad[] = {"", " ", "L", "ts", "tsvx", "TSV", "tsv csv", "tsv ", "lis", "auto tsv csv list"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(choice(bad[i], &place), WL_BAD_USAGE);
        assert_non_null(strstr(wl_error(), "option --layout: found '"));
        assert_non_null(strstr(wl_error(), "'; expected auto, tsv, csv or list"));
    }
    char many[512] = "";
    for (size_t i = 0; i < 100; i++) strcat(many, i == 0 ? "word" : " word");
    const char *text = "x";
    wl_arguments arguments = {options, &text, 1};
    assert_int_equal(wl_argument_choice_of(&arguments, "n", many, &place), WL_BAD_USAGE); // a list that is cut off
}

TEST(libraries) {
    static const struct {
        const char *name;
        int is;
    } cases[] = {{"library_cublas", 1}, {"library", 1}, {"01_library", 0}, {"librar", 0}, {"cpu_simd", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_variant variant = {.name = cases[i].name};
        assert_int_equal(wl_variant_is_library(&variant), cases[i].is);
    }
}

TEST(devices) {
    static const char *const bad[] = {"", "gpux", "gpu:", "gpu:,", "gpu:1,", "gpu:-1", "gpu: 1", "CPU", "sim,cpu"};
    wl_device_list list;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(wl_devices_select(bad[i], &list), WL_BAD_USAGE);
    assert_int_equal(wl_devices_select("cpu", &list), WL_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].backend, WL_CPU);
    assert_true(list.items[0].multiprocessors >= 1 && list.items[0].memory_free > 0 && list.items[0].name[0]);
    assert_int_equal(wl_devices_select("sim", &list), WL_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[1].backend, WL_SIM);
    assert_int_equal(wl_devices_select("gpu:4095", &list), WL_NO_MACHINE);
}

int main(void) {
    add();
    return run_all_tests(NULL, NULL);
}
