/* Compares the distances' stages on the simulated device, as many as the build has, with the serial reference. The tests ask for what only
   the tools do: distances alone, and a copy of all instances that a device keeps for the next input. */
#include <pthread.h>

#include "tests/support/unit.h"
#include "distances/problem.h"
#include "harness/bench/check.h"
#include "tests/support/inputs.h"

/* What each stage makes of the input, in as many bytes as `in` has. */
static void each_stage(const distances_input *in, const uint32_t *expected, size_t count) {
    size_t variant_count, tested = 0;
    const wl_device device = simulated();
    const wl_variant *const *variants = wl_variants(&variant_count);
    uint32_t *found = malloc(sizeof *found * count);
    assert_non_null(found);
    for (size_t v = 0; v < variant_count; v++) {
        const wl_variant *stage = variants[v];
        if (stage->backend != WL_SIM || strcmp(stage->problem, "distances") != 0) continue;
        void *state = NULL;
        memset(found, WL_POISON_BYTE, sizeof *found * count);
        if (stage->prepare(&device, in, &state) != WL_OK || stage->launch(state) != WL_OK ||
            stage->collect(state, found, 0) != WL_OK)
            fail_msg("%s: %s", stage->name, wl_error());
        stage->release(state);
        for (size_t k = 0; k < count; k++)
            if (found[k] != expected[k])
                fail_msg("%s: element %zu: expected %u, found %u", stage->name, k, expected[k], found[k]);
        tested++;
    }
    free(found);
    if (tested == 0) skip();
}

TEST(distances_alone) {
    wl_inputs inputs;
    distances_input in = *(distances_input *)make_inputs("distances", "--rows 33 --columns 70 --sites 200", 3, &inputs);
    in.distance_only = 1;
    each_stage(&in, expected_of(&inputs), in.rows.count * in.columns.count);
    wl_inputs_free(&inputs);
}

/* Rows and columns are stretches of what the device keeps. */
TEST(a_kept_copy) {
    wl_inputs inputs;
    distances_input in = *(distances_input *)make_inputs("distances", "--rows 40 --sites 200", 3, &inputs);
    const uint32_t *expected = expected_of(&inputs);
    wl_resident kept = {0};
    in.resident = &kept;
    in.all = in.rows;
    for (int again = 0; again < 2; again++) each_stage(&in, expected, 2 * in.rows.count * in.columns.count);
    assert_int_equal(kept.users, 0);
    if (kept.memory) kept.release(kept.memory);
    wl_inputs_free(&inputs);
}

typedef struct {
    const wl_variant *stage;
    const distances_input *in;
} job;

/* As a run that fails after its launch: nobody collects, which would wait for the kernels. NULL, or what is wrong. */
static void *launch_only(void *of) {
    const job *j = of;
    const wl_device device = simulated();
    void *state = NULL;
    const wl_status status = j->stage->prepare(&device, j->in, &state);
    if (status != WL_OK || j->stage->launch(state) != WL_OK) return strdup(wl_error());
    j->stage->release(state);
    return j->in->resident->host == j->in->all.bits ? NULL : strdup("it does not keep the rows");
}

static void expect_nothing(const job *j, char *wrong) {
    if (wrong != NULL) fail_msg("%s: %s", j->stage->name, wrong);
}

/* The other thread's stream frees the copy, so the first thread's kernels must have ended when it leaves the copy. */
TEST(a_kept_copy_is_left_after_the_kernels) {
    wl_inputs inputs[2];
    distances_input in[2];
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    wl_resident kept = {0};
    for (int i = 0; i < 2; i++) {
        in[i] = *(distances_input *)make_inputs("distances", "--rows 40 --sites 200", 3 + (uint64_t)i, &inputs[i]);
        in[i].resident = &kept;
        in[i].all = in[i].rows;
    }
    for (size_t v = 0; v < count; v++) {
        job first = {variants[v], &in[0]}, second = {variants[v], &in[1]};
        pthread_t thread;
        void *wrong;
        if (first.stage->backend != WL_SIM || strcmp(first.stage->problem, "distances") != 0) continue;
        assert_int_equal(pthread_create(&thread, NULL, launch_only, &first), 0);
        pthread_join(thread, &wrong);
        expect_nothing(&first, wrong);
        expect_nothing(&second, launch_only(&second));
    }
    if (kept.memory) kept.release(kept.memory);
    for (int i = 0; i < 2; i++) wl_inputs_free(&inputs[i]);
}

int main(void) { return run_all_tests(NULL, NULL); }
