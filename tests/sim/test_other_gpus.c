/* Which stage of each ladder a GPU gets, by its compute capability: `supports` is asked for GPUs that are not there. docs/other-gpus.md
   has the table that this test holds. */
#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/bench/variant.h"
#include "tests/support/inputs.h"

enum { GPUS = 7 };
static const int capabilities[GPUS] = {75, 80, 86, 89, 90, 100, 120};

static wl_device gpu(int capability) {
    wl_device device = {.backend = WL_GPU, .compute_capability = capability, .multiprocessors = 40};
    device.memory_free = (size_t)8 << 30; // said, not taken
    return device;
}

/* The problem's last stage that takes the input on the device, as tools choose. */
static const char *last_stage(const char *problem, const wl_device *device, const void *input) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    const char *last = "none";
    for (size_t v = 0; v < count; v++) {
        if (variants[v]->backend != WL_SIM || strcmp(variants[v]->problem, problem) != 0) continue;
        if ((variants[v]->supports == NULL || variants[v]->supports(device, input) == NULL) &&
            wl_variant_is_faster(variants[v], device, input))
            last = variants[v]->name;
    }
    return last;
}

/* stages: NULL: the ladder's last one on every GPU. */
static void expect_stages(const char *problem, const char *options, const char *const stages[GPUS]) {
    wl_inputs inputs;
    const char *end = NULL;
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (variants[v]->backend == WL_SIM && strcmp(variants[v]->problem, problem) == 0) end = variants[v]->name;
    assert_non_null(end);
    const void *input = make_inputs(problem, options, 1, &inputs);
    for (int g = 0; g < GPUS; g++) {
        const wl_device device = gpu(capabilities[g]);
        const char *last = last_stage(problem, &device, input);
        const char *expected = stages ? stages[g] : end;
        if (strcmp(last, expected) != 0)
            fail_msg("%s, compute capability %d: expected %s, found %s", problem, capabilities[g], expected, last);
    }
    wl_inputs_free(&inputs);
}

TEST(each_capability_has_its_stage) {
    static const char *const lessons[] = {"09_bit_planes", "13_async_copies", "13_async_copies", "13_async_copies",
                                          "16_wide_tiles", "13_async_copies", "13_async_copies"};
    static const char *const distances[] = {"01_bit_planes", "02_tensor_cores", "02_tensor_cores", "02_tensor_cores",
                                            "03_one_pass",   "01_bit_planes",   "01_bit_planes"};
    static const char *const codons[] = {"06_levels",   "09_resident", "09_resident", "09_resident",
                                         "10_streamed", "10_streamed", "10_streamed"};
    expect_stages("lessons", "--instances 8 --attributes 64", lessons);
    expect_stages("distances", "--rows 8 --sites 64", distances);
    static const char *const one_query[] = {"08_two_pipes", "08_two_pipes", "08_two_pipes", "08_two_pipes",
                                            "08_two_pipes", "08_two_pipes", "08_two_pipes"};
    static const char *const two_queries[] = {"08_two_pipes",   "08_two_pipes",   "08_two_pipes", "08_two_pipes",
                                              "09_two_queries", "09_two_queries", "08_two_pipes"};
    expect_stages("sw", "--subjects 8 --subject-length 50 --query-lengths 144", one_query);
    expect_stages("sw", "--subjects 30000 --subject-length 50 --query-lengths 500,510", two_queries);
    expect_stages("papara", "--reads 2 --read-lengths 8 --vectors 3 --sites 30", NULL);
    expect_stages("papara", "--protein --reads 2 --read-lengths 8 --vectors 3 --sites 30", NULL);
    expect_stages("peeling", "--model GY94 --taxa 4 --patterns 8", codons);
}

/* What a stage needs that a device has not is said in words. */
TEST(what_is_missing_is_said) {
    static const struct {
        const char *problem, *stage, *options;
        int capability;
        const char *words;
    } cases[] = {
        {"lessons", "15_two_teams", "--instances 8 --attributes 64", 120, "compute capability 9.0 only"},
        {"lessons", "16_wide_tiles", "--instances 8 --attributes 65536", 90, "more than 65,535 attributes"},
        {"lessons", "13_async_copies", "--instances 8 --attributes 64", 75, "from compute capability 8.0 on"},
        {"distances", "02_tensor_cores", "--rows 8 --sites 64", 75, "from compute capability 8.0 on"},
        {"distances", "02_tensor_cores", "--rows 8 --sites 64", 100, "multiply bits in software"},
        {"distances", "03_one_pass", "--rows 8 --sites 64", 89, "compute capability 9.0 only"},
        {"sw", "09_two_queries", "--subjects 8 --subject-length 50 --query-lengths 144", 120,
         "162 KB of shared memory"},
        {"peeling", "09_resident", "--model GY94 --taxa 4 --patterns 8", 75, "came with compute capability 8.0"},
        {"peeling", "10_streamed", "--model GY94 --taxa 4 --patterns 8", 89, "came with compute capability 9.0"},
    };
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wl_inputs inputs;
        const void *input = make_inputs(cases[c].problem, cases[c].options, 1, &inputs);
        const wl_device device = gpu(cases[c].capability);
        const char *objection = NULL;
        for (size_t v = 0; v < count; v++)
            if (variants[v]->backend == WL_SIM && strcmp(variants[v]->problem, cases[c].problem) == 0 &&
                strcmp(variants[v]->name, cases[c].stage) == 0)
                objection = variants[v]->supports(&device, input);
        if (objection == NULL || strstr(objection, cases[c].words) == NULL)
            fail_msg("%s, compute capability %d: expected words with \"%s\", found: %s", cases[c].stage,
                     cases[c].capability, cases[c].words, objection ? objection : "nothing");
        wl_inputs_free(&inputs);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
