/* Stages on the simulated device with less memory than it has. Each stage, when one of its allocations finds no memory, another one each
   time: it says so, and frees what it has, or does with less. Stages that choose by the size of shared memory, as on older GPUs. */
#include "harness/bench/trial.h"
#include "sim/sim.h"
#include "tests/support/inputs.h"

/* The first of the problem's shapes with a result of several numbers that the stage takes. */
static const void *small_input(const wl_variant *stage, const wl_device *device, wl_inputs *inputs) {
    const wl_problem *problem = wl_problem_named(stage->problem);
    if (strcmp(stage->problem, "papara") == 0) // with several blocks, stages do with less
        return make_inputs("papara", "--kind gaps --vectors 33 --sites 60 --read-lengths 4,1,9,55,3,2,5,7", 3, inputs);
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

/* A block's shared memory is 227 KB on an H200, 99 KB on GeForce cards, and 64 KB on compute capability 7.5. */
static const struct {
    const char *problem, *stage, *shape;
} choosing[] = {
    {"papara", "09_shared_costs", "--kind cut --vectors 33 --sites 50 --read-lengths 40,20,7 --protein"},
    {"peeling", "08_fused", "--model GTR --taxa 256 --patterns 5 --tree-shape balanced --tiles 4"},
};

static void with_little_shared_memory(const wl_variant *stage, const char *shape) {
    const wl_device device = simulated();
    wl_inputs inputs;
    make_inputs(stage->problem, shape, 3, &inputs);
    for (size_t bytes = 64 << 10; bytes <= 99 << 10; bytes += 35 << 10) {
        wl_verdict verdict = {.state = WL_UNCHECKED};
        wl_sim_resemble(0, bytes);
        if (wl_try_variant(&inputs, 0, stage, &device, 0, 1, &verdict) != WL_OK)
            fail_msg("%s, %zu bytes: %s", stage->name, bytes, wl_verdict_line(&verdict).text);
    }
    wl_sim_resemble(0, 0);
    wl_inputs_free(&inputs);
}

TEST(a_block_has_little_shared_memory) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++) // a build with sanitizers has few
        for (size_t i = 0; i < sizeof choosing / sizeof *choosing; i++)
            if (variants[v]->backend == WL_SIM && strcmp(variants[v]->problem, choosing[i].problem) == 0 &&
                strcmp(variants[v]->name, choosing[i].stage) == 0)
                with_little_shared_memory(variants[v], choosing[i].shape);
}

int main(void) { return run_all_tests(NULL, NULL); }
