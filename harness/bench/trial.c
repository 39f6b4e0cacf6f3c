#include "harness/bench/trial.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "sim/sim.h"

/* Could nothing but a computation have made this result? A sum of nothing is 0, which a cudaMemset can make as well. So at least
   `least` different words of four bytes are asked for. */
static int is_telling(const void *result, size_t bytes, size_t least) {
    enum { MOST = 16 };
    uint32_t seen[MOST], word;
    size_t count = 0;
    for (size_t at = 0; at + sizeof word <= bytes && count < least; at += sizeof word) {
        size_t i = 0;
        memcpy(&word, (const char *)result + at, sizeof word);
        while (i < count && seen[i] != word) i++;
        if (i == count) seen[count++] = word;
    }
    return count >= least;
}

/* --- The simulated device ----------------------------------------------------------------------------------------- */

typedef struct {
    wl_inputs *inputs;
    size_t index;
    const wl_variant *variant;
    const wl_device *device;
    const void *expected;
    size_t bytes;
    wl_verdict *verdict;
} trial;

/* For another reason than the numbers, which may be wrong for it. */
static wl_status refuse(const trial *t, const char *reason) {
    t->verdict->wrong = 0;
    return wl_verdict_set(t->verdict, WL_CHECK_FAILED, "%s", reason);
}

/* Launch without kernels and collect, which leaves poison for the launch to come. Whatever this returns, only a right result counts
   against the variant: without its kernels it may fail. */
static wl_status without_kernels(const trial *t, void *state) {
    if (wl_variant_is_library(t->variant)) return WL_OK; // the library's part would not be left out
    const wl_problem *problem = t->inputs->problem;
    const int is_input = problem->result_is_input && problem->result_is_input(t->inputs->inputs[t->index]);
    if (!is_input && is_telling(t->expected, t->bytes, 8) && wl_sim_memory_holds(t->expected, t->bytes))
        return refuse(t, "the result lies in device memory before the first launch: prepare computes it");
    wl_verdict of_none = {.state = WL_UNCHECKED};
    wl_sim_leave_out_kernels(1);
    const wl_status status = wl_check_again(t->inputs, t->index, t->variant, t->device, 0, state, &of_none);
    wl_sim_leave_out_kernels(0);
    if (status == WL_OK && is_telling(t->expected, t->bytes, 2))
        return refuse(t, "the result is right although its kernels are left out: the host computes it, or kept it");
    return WL_OK;
}

/* Is the failure one of a launch that is not the first? Then a state whose first launch has all its kernels passes. */
static wl_status explain_failure(const trial *t, wl_status status) {
    wl_verdict of_first = {.state = WL_UNCHECKED};
    if (wl_check_variant(t->inputs, t->index, t->variant, t->device, 0, NULL, &of_first) != WL_OK) {
        *t->verdict = of_first;
        return status;
    }
    return wl_verdict_set(t->verdict, WL_CHECK_FAILED, "launched a second time: %s", t->verdict->reason);
}

static wl_status launches(const trial *t, void *state) {
    WL_TRY(without_kernels(t, state));
    const uint64_t before = wl_sim_memory_hash();
    wl_status status = wl_check_again(t->inputs, t->index, t->variant, t->device, 0, state, t->verdict);
    if (status != WL_OK) return explain_failure(t, status);
    if (wl_sim_memory_hash() == before) return WL_OK; // the second launch would find what the first found
    status = wl_check_again(t->inputs, t->index, t->variant, t->device, 0, state, t->verdict);
    if (status == WL_CHECK_FAILED) wl_verdict_set(t->verdict, status, "launched a second time: %s", t->verdict->reason);
    return status;
}

/* The reference's result for the input as it is now; a fast oracle's is not asked for again. */
static wl_status check_input(const trial *t) {
    void *now = NULL;
    if (t->inputs->expected[t->index].sampled > 0) return WL_OK;
    wl_status status = wl_reference_result(t->inputs->problem, t->inputs->inputs[t->index], &now);
    if (status != WL_OK) return wl_verdict_set(t->verdict, status, "%s", wl_error());
    const int same = memcmp(now, t->expected, t->bytes) == 0;
    free(now);
    return same ? WL_OK : refuse(t, "it changes its input, from which the reference now makes another result");
}

static wl_status simulated(trial *t) {
    void *state = NULL;
    wl_status status = wl_inputs_expected(t->inputs, t->index, &t->expected);
    if (status != WL_OK) return wl_verdict_set(t->verdict, status, "%s", wl_error());
    const void *input = t->inputs->inputs[t->index];
    const char *refused = t->variant->supports ? t->variant->supports(t->device, input) : NULL;
    if (refused && !t->variant->limits)
        return wl_verdict_set(t->verdict, WL_CHECK_FAILED,
                              "supports refuses an input (%s), and the descriptor has no .limits that say so", refused);
    wl_sim_watch();
    status = wl_prepare_variant(t->inputs, t->index, t->variant, t->device, &state, t->verdict);
    if (status == WL_OK) {
        status = launches(t, state);
        t->variant->release(state);
    }
    const int finished = status == WL_OK || t->verdict->wrong > 0;
    const char *wrong = wl_sim_watched(t->verdict->wrong > 0);
    if (wrong && finished) status = refuse(t, wrong);
    if (finished) {
        const wl_status of_input = check_input(t);
        if (of_input != WL_OK) status = of_input;
    }
    return status;
}

/* --- Results that are stored under a mask -------------------------------------------------------------------------- */

/* The variant's result for an input, and what device memory held before the launch; the caller
   frees the latter. *state: kept, to be launched again (NULL: it is released). */
static wl_status result_of(const trial *t, const void *input, uint32_t *result, wl_sim_image **image, void **state) {
    void *made = NULL;
    WL_TRY(t->variant->prepare(t->device, input, &made));
    *image = wl_sim_image_take();
    wl_status status = t->variant->launch(made);
    if (status == WL_OK) status = t->variant->collect(made, result, 0);
    if (status == WL_OK && state != NULL)
        *state = made;
    else
        t->variant->release(made);
    return status;
}

/* Two results differ in some words. How many of these does a third result have from either? A stored
   one has all of them. A computed one has few by chance: 37 % at most, in twelve inputs of sw, and
   20 % in other ladders. If hardly any word is one result's, launch has copied the input again. */
static wl_status judge_mixed(const trial *t, const uint32_t *one, const uint32_t *other, const uint32_t *mixed) {
    enum { LEAST_WORDS = 16, EIGHTH = 8 };
    size_t differ = 0, ones = 0, others = 0;
    for (size_t i = 0; i < t->bytes / sizeof *one; i++) {
        if (one[i] == other[i]) continue;
        differ++;
        ones += mixed[i] == one[i];
        others += mixed[i] == other[i];
    }
    const size_t most = differ * 2 / 3;
    if (differ < LEAST_WORDS || ones + others <= most || ones < differ / EIGHTH || others < differ / EIGHTH)
        return WL_OK;
    return wl_verdict_set(
        t->verdict, WL_CHECK_FAILED,
        "prepare computes the result, and the kernel only takes a mask from it: where device memory has words of two "
        "inputs by chance, %zu of %zu words of the result are one input's or the other's; expected at most %zu, since "
        "a computed word depends on much of the input",
        ones + others, differ, most);
}

wl_status wl_try_mixed(const wl_inputs *inputs, const wl_inputs *others, const wl_variant *variant,
                       const wl_device *device, wl_verdict *verdict) {
    enum { MIXED_STEPS = 1 << 19 };
    const void *input = inputs->inputs[0], *other_input = others->inputs[0];
    trial t = {NULL, 0, variant, device, NULL, inputs->problem->output_size(input), verdict};
    void *state = NULL;
    wl_sim_image *image = NULL, *other_image = NULL;
    uint32_t *result = wl_poisoned(t.bytes), *other = wl_poisoned(t.bytes), *mixed = wl_poisoned(t.bytes);
    wl_status status = WL_OK;
    wl_sim_watch();
    if (result && other && mixed && result_of(&t, other_input, other, &other_image, NULL) == WL_OK &&
        result_of(&t, input, result, &image, &state) == WL_OK) {
        wl_sim_image_mix(image, other_image, inputs->seed);
        wl_sim_limit(MIXED_STEPS, 0); // words of two inputs may make a loop that does not end
        if (variant->launch(state) == WL_OK && variant->collect(state, mixed, 0) == WL_OK)
            status = judge_mixed(&t, result, other, mixed);
        wl_sim_limit(0, 0);
        variant->release(state);
    }
    wl_sim_watched(0);
    wl_sim_image_free(image);
    wl_sim_image_free(other_image);
    WL_FREE(result, other, mixed);
    return status;
}

/* --- Smaller GPUs -------------------------------------------------------------------------------------------------- */

/* The least shared memory per block of the GPUs that the variant supports; 0: it supports none of these. */
static size_t least_shared(const wl_variant *variant, const wl_device *device, const void *input) {
    static const struct {
        int capability;
        size_t kilobytes;
    } gpus[] = {{75, 64}, {86, 99}, {80, 163}, {90, 227}};
    wl_device gpu = *device;
    gpu.backend = WL_GPU;
    gpu.multiprocessors = 1;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        gpu.compute_capability = gpus[i].capability;
        if (variant->supports == NULL || variant->supports(&gpu, input) == NULL) return gpus[i].kilobytes << 10;
    }
    return 0;
}

wl_status wl_try_small(wl_inputs *inputs, const wl_variant *variant, const wl_device *device, wl_verdict *verdict) {
    wl_device small = *device;
    const size_t shared = least_shared(variant, device, inputs->inputs[0]);
    if (shared == 0) return WL_OK;
    small.multiprocessors = 1;
    wl_sim_watch();
    wl_sim_resemble(small.multiprocessors, shared);
    const wl_status status = wl_check_variant(inputs, 0, variant, &small, 0, NULL, verdict);
    wl_sim_resemble(0, 0);
    wl_sim_watched(0);
    if (status != WL_CHECK_FAILED) return WL_OK; // it may refuse so small a GPU
    return wl_verdict_set(
        verdict, WL_CHECK_FAILED,
        "on a GPU with one multiprocessor and %zu KB of shared memory per block, which it supports: %s", shared >> 10,
        verdict->reason);
}

/* --- Long shapes -------------------------------------------------------------------------------------------------- */

enum { FAR_BLOCKS = 4, STEPS = 1 << 15 };

/* A result of this size cannot be compared. What an index of 32 bits does that overflows is seen all the same: it leaves the array. */
static int is_far(const trial *t) { return t->bytes > INT32_MAX; }

static wl_status launched_far(const trial *t) {
    const void *input = t->inputs->inputs[t->index];
    wl_device roomy = *t->device; // memory that nobody touches costs nothing
    void *state = NULL;
    roomy.memory_free = SIZE_MAX / 2;
    const char *refused = t->variant->supports ? t->variant->supports(&roomy, input) : NULL;
    if (refused) return wl_verdict_set(t->verdict, WL_NO_MACHINE, "%s", refused);
    wl_sim_watch();
    const char *doing = "prepare";
    wl_status status = t->variant->prepare(&roomy, input, &state);
    if (status == WL_OK) {
        doing = "launch";
        status = t->variant->launch(state);
        t->variant->release(state);
    }
    const char *wrong = wl_sim_watched(0);
    if (status == WL_OK) return wrong ? refuse(t, wrong) : wl_verdict_set(t->verdict, WL_OK, "%s", "");
    if (status != WL_NO_MACHINE) status = WL_CHECK_FAILED;
    return wl_verdict_set(t->verdict, status, "%s: %s", doing, wl_error());
}

static wl_status simulated_whole_or_far(trial *t, uint64_t steps) {
    wl_sim_limit(is_far(t) ? STEPS : steps, is_far(t) ? FAR_BLOCKS : 0);
    const wl_status status = is_far(t) ? launched_far(t) : simulated(t);
    const int too_long = wl_sim_limit(0, 0);
    if (status != WL_CHECK_FAILED || !too_long || (steps == 0 && !is_far(t))) return status;
    return wl_verdict_set(t->verdict, WL_NO_MACHINE, "a block takes more than %d steps", (int)STEPS);
}

wl_status wl_try_long(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                      wl_verdict *verdict) {
    if (wl_variant_is_library(variant)) return WL_OK; // its stand-in's steps are not counted
    trial t = {inputs, index, variant, device, NULL, inputs->problem->output_size(inputs->inputs[index]), verdict};
    return simulated_whole_or_far(&t, STEPS);
}

void wl_try_last_block(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device) {
    wl_verdict nobodys = {.state = WL_UNCHECKED};
    trial t = {inputs, index, variant, device, NULL, 0, &nobodys};
    wl_sim_limit(2 * STEPS, 1);
    launched_far(&t);
    wl_sim_limit(0, 0);
}

/* --- All devices --------------------------------------------------------------------------------------------------- */

wl_status wl_try_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t part, int again, wl_verdict *verdict) {
    void *state = NULL;
    if (variant->backend == WL_SIM) {
        trial t = {inputs, index, variant, device, NULL, inputs->problem->output_size(inputs->inputs[index]), verdict};
        return simulated_whole_or_far(&t, 0);
    }
    wl_status status = wl_check_variant(inputs, index, variant, device, part, &state, verdict);
    if (status != WL_OK) return status;
    if (again) status = wl_check_again(inputs, index, variant, device, part, state, verdict);
    if (status == WL_CHECK_FAILED) wl_verdict_set(verdict, status, "launched a second time: %s", verdict->reason);
    variant->release(state);
    return status;
}
