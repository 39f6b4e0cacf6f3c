/* The likelihood as a function of a branch's length: the simulated device's sums beside those made of what the CPU has for each pattern, and
   beside differences of whole trees' likelihoods. All kinds of models, missing and ambiguous data, classes of rate 0, tips and inner nodes at
   both ends, lengths from 1e-4 to 100. */
#include <math.h>

#include "tests/support/unit.h"
#include "peeling/engine/engine.h"
#include "peeling/simulate/simulate.h"
#include "tests/support/inputs.h"

enum { LENGTHS = 5 };
static const double lengths[LENGTHS] = {0.2, 1e-4, 0.003, 4, 100};

typedef struct {
    const peeling_engine *engine;
    void *state;
} opened;

static const char *looked_at; // the options of the input
static double shortest;       // length at which rounding leaves enough digits of the rarest changes

static void must(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

/* A short branch's likelihood of a change is a small difference of large terms. */
static void assert_close(double expected, double found, double length) {
    if (length < shortest || fabs(found - expected) <= (1e-10 + 1e-14 / length) * fmax(1, fabs(expected))) return;
    fail_msg("%s, length %g: expected %.17g, found %.17g", looked_at, length, expected, found);
}

static opened open_on(const wl_device *device, const peeling_input *input) {
    const char *why = "none";
    opened made = {.engine = peeling_engine_find_branches(device, input, &why)};
    if (made.engine == NULL) fail_msg("%s", why);
    must(made.engine->open(device, input, &made.state));
    must(made.engine->branches->open(made.state));
    must(peeling_engine_run(made.engine, made.state, &input->work));
    return made;
}

/* What a device adds up, of the CPU's numbers for each pattern. */
static peeling_slopes expected_sums(const opened *cpu, const peeling_data *data, const double *constant, uint32_t ends,
                                    double length) {
    double *sum[3];
    const int32_t *exponent;
    peeling_slopes all = {0};
    for (int d = 0; d < 3; d++) assert_non_null(sum[d] = malloc((data->patterns + (size_t)1) * sizeof *sum[d]));
    cpu->engine->branches->at(cpu->state, ends, length, 3, sum, &exponent);
    for (uint32_t c = 0; c < data->patterns; c++) {
        const double value = sum[0][c] + (constant && constant[c] > 0 ? ldexp(constant[c], -exponent[c]) : 0);
        const double one = value > 0 ? sum[1][c] / value : 1 / length, two = value > 0 ? sum[2][c] / value : 0;
        all.height += data->weight[c] * log(value);
        all.slope += data->weight[c] * one;
        all.curvature += data->weight[c] * (two - one * one);
    }
    for (int d = 0; d < 3; d++) free(sum[d]);
    return all;
}

static void compare_branch(const opened *cpu, const opened *device, const peeling_data *data, const double *constant,
                           uint32_t one, uint32_t other, uint32_t to) {
    peeling_slopes heights[LENGTHS], slopes[LENGTHS];
    double offset = 0;
    must(cpu->engine->branches->ends(cpu->state, one, other, to));
    must(device->engine->branches->ends(device->state, one, other, to));
    must(device->engine->branches->sums(device->state, to, lengths, LENGTHS, 1, heights));
    must(device->engine->branches->sums(device->state, to, lengths, LENGTHS, 0, slopes));
    for (int i = 0; i < LENGTHS; i++) {
        const peeling_slopes expected = expected_sums(cpu, data, constant, to, lengths[i]);
        if (i == 0) offset = heights[0].height - expected.height; // vectors may be rescaled by other powers of two
        assert_close(expected.height, heights[i].height - offset, lengths[i]);
        assert_close(expected.slope, slopes[i].slope, lengths[i]);
        assert_close(expected.curvature, slopes[i].curvature, lengths[i]);
    }
}

/* `no_rate`: the first rate class stands still, and every fourth pattern has a likelihood there. */
static void compare(const char *options, int no_rate) {
    wl_inputs inputs;
    const peeling_owned_input *made = make_inputs("peeling", looked_at = options, 7, &inputs);
    peeling_input input = made->input;
    peeling_model model = made->model;
    const uint32_t tips = input.data.tips, nodes = 2 * tips - 1, patterns = input.data.patterns;
    const wl_device processor = cpu(1), device = simulated();
    double *constant = calloc(patterns + (size_t)1, sizeof *constant);
    assert_non_null(constant);
    for (uint32_t c = 0; c < patterns; c += 4) constant[c] = 1e-3 + 1e-5 * c;
    if (no_rate) model.rate[0] = 0;
    input.model = &model;
    input.partials += 2;
    input.work_only = 0;
    input.reference_matrix = NULL;
    const opened on_cpu = open_on(&processor, &input), on_device = open_on(&device, &input);
    must(on_device.engine->branches->constant(on_device.state, no_rate ? constant : NULL));
    const peeling_join *root = &input.work.joins[input.work.join_count - 1];
    const double *added = no_rate ? constant : NULL;
    compare_branch(&on_cpu, &on_device, &input.data, added, root->child[0], root->child[1], nodes);
    compare_branch(&on_cpu, &on_device, &input.data, added, 0, 1, nodes);
    /* The vector above a child of the root's child, after a branch has changed. */
    const peeling_edge edge = {.matrix = root->child[1], .length = 0.7};
    const peeling_join above = {.to = nodes + 1, .child = {root->child[1], 0}, .matrix = {root->child[1], 0}};
    const peeling_work work = {.edges = &edge, .joins = &above, .edge_count = 1, .join_count = 1};
    must(on_cpu.engine->branches->update(on_cpu.state, &work));
    must(on_device.engine->branches->update(on_device.state, &work));
    compare_branch(&on_cpu, &on_device, &input.data, added, nodes + 1, 1, nodes);
    on_cpu.engine->release(on_cpu.state);
    on_device.engine->release(on_device.state);
    free(constant);
    wl_inputs_free(&inputs);
}

TEST(a_device_has_the_sums_of_the_cpu) {
    compare("--model GTR+G4 --taxa 6 --patterns 300 --missing 0.1 --ambiguous 0.1 --weight 3", 0);
    compare("--model GTR+G4 --taxa 6 --patterns 257 --kind random", 1);
    compare("--model JC69 --taxa 2 --patterns 3", 0);
    compare("--model HKY85+G7 --taxa 40 --patterns 20 --tree-shape ladder --height 3", 0);
    compare("--model WAG+G2 --taxa 4 --patterns 40 --missing 0.1 --ambiguous 0.1", 1);
    shortest = 0.1; // codons that differ at all three positions
    compare("--model GY94 --taxa 4 --patterns 20 --missing 0.1", 0);
    shortest = 0;
}

TEST(the_slope_is_that_of_the_height) {
    wl_inputs inputs;
    const peeling_owned_input *made = make_inputs("peeling", "--model GTR+G4 --taxa 5 --patterns 100", 7, &inputs);
    peeling_input input = made->input;
    const wl_device device = simulated();
    input.partials++;
    input.work_only = 0;
    const opened on = open_on(&device, &input);
    const peeling_join *root = &input.work.joins[input.work.join_count - 1];
    const double near[3] = {0.2 - 1e-4, 0.2, 0.2 + 1e-4};
    peeling_slopes height[3], at[3];
    must(on.engine->branches->ends(on.state, root->child[0], root->child[1], 9));
    must(on.engine->branches->sums(on.state, 9, near, 3, 1, height));
    must(on.engine->branches->sums(on.state, 9, near, 3, 0, at));
    assert_true(fabs((height[2].height - height[0].height) / 2e-4 - at[1].slope) < 1e-4 * fabs(at[1].slope));
    assert_true(fabs((at[2].slope - at[0].slope) / 2e-4 - at[1].curvature) < 1e-4 * fabs(at[1].curvature));
    on.engine->release(on.state);
    wl_inputs_free(&inputs);
}

TEST(little_memory_is_told) {
    wl_inputs inputs;
    const peeling_owned_input *made = make_inputs("peeling", "--model GTR+G4 --taxa 5 --patterns 100", 7, &inputs);
    peeling_input input = made->input;
    wl_device device = simulated();
    const char *why = NULL;
    input.work_only = 0;
    device.memory_free = 100000;
    assert_null(peeling_engine_find_branches(&device, &input, &why));
    assert_non_null(strstr(why, "do not fit into device memory"));
    wl_inputs_free(&inputs);
}

int main(void) { return run_all_tests(NULL, NULL); }
