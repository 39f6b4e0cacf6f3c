/* Each stage on the simulated device, when one of its allocations finds no memory, another one each time: it says so, and frees what it has, or
   does with less. */
#include "harness/bench/check.h"
#include "sim/sim.h"
#include "tests/support/inputs.h"

/* The first of the problem's shapes with a result of several numbers that the stage takes. */
static const void *small_input(const wl_variant *stage, const wl_device *device, wl_inputs *inputs) {
    const wl_problem *problem = wl_problem_named(stage->problem);
    for (const char *const *shape = problem->check_shapes; shape && *shape; shape++) {
        const void *input = make_inputs(stage->problem, *shape, 3, inputs);
        if (problem->output_size(input) >= 4 * sizeof(double) &&
            (stage->supports == NULL || stage->supports(device, input) == NULL))
            return input;
        wl_inputs_free(inputs);
    }
    fail_msg("%s takes no shape", stage->name);
    return NULL;
}

/* Whether there was an allocation with this number. */
static int refuse_one(const wl_variant *stage, const wl_device *device, const void *input, size_t number) {
    void *state = NULL;
    wl_sim_watch();
    wl_sim_refuse_allocation(number);
    wl_status status = stage->prepare(device, input, &state);
    const int refused = wl_sim_refuse_allocation(0);
    if (status == WL_OK) {
        status = stage->launch(state);
        stage->release(state);
    } else if (refused && status == WL_NO_MACHINE) {
        status = WL_OK;
    }
    const char *wrong = wl_sim_watched(0);
    if (status != WL_OK || wrong)
        fail_msg("%s/%s, without allocation %zu: %s", stage->problem, stage->name, number, wrong ? wrong : wl_error());
    return refused;
}

TEST(an_allocation_finds_no_memory) {
    size_t count, refused = 0;
    const wl_device device = simulated();
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++) {
        wl_inputs inputs;
        if (variants[v]->backend != WL_SIM || wl_variant_is_library(variants[v])) continue;
        const void *input = small_input(variants[v], &device, &inputs);
        for (size_t number = 1; refuse_one(variants[v], &device, input, number); number++) refused++;
        wl_inputs_free(&inputs);
    }
    assert_true(refused > 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
