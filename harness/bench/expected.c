/* Inputs, and what their results have to be: the serial reference's, or of what is too large for it a fast oracle's that
   agrees with the reference on a sample. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/check.h"
#include "harness/base/cpu.h"
#include "harness/bench/device.h"
#include "harness/base/random.h"
#include "harness/bench/timer.h"

static wl_status create(const wl_problem *problem, const wl_arguments *arguments, uint64_t seed, size_t first,
                        size_t count, wl_inputs *inputs) {
    wl_inputs made = {.problem = problem, .count = count, .seed = seed};
    wl_status status = WL_OK;
    made.inputs = calloc(count ? count : 1, sizeof *made.inputs);
    made.expected = calloc(count ? count : 1, sizeof *made.expected);
    if (!made.inputs || !made.expected) status = wl_fail(WL_NO_MACHINE, "no memory for %zu inputs", count);
    for (size_t i = 0; status == WL_OK && i < count; i++)
        status = problem->input_create(arguments, seed, first + i, &made.inputs[i]);
    if (status != WL_OK) {
        wl_inputs_free(&made);
        return status;
    }
    *inputs = made;
    return WL_OK;
}

wl_status wl_inputs_create(const wl_problem *problem, const wl_arguments *arguments, uint64_t seed, size_t most,
                           wl_inputs *inputs) {
    size_t count;
    wl_status status = problem->input_count(arguments, &count);
    if (status != WL_OK) return status;
    return create(problem, arguments, seed, 0, most > 0 && count > most ? most : count, inputs);
}

wl_status wl_inputs_create_one(const wl_problem *problem, const wl_arguments *arguments, uint64_t seed, size_t index,
                               wl_inputs *inputs) {
    return create(problem, arguments, seed, index, 1, inputs);
}

void wl_inputs_free(wl_inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++) {
        if (inputs->inputs && inputs->inputs[i]) inputs->problem->input_free(inputs->inputs[i]);
        if (inputs->expected) free(inputs->expected[i].result);
    }
    free(inputs->inputs);
    free(inputs->expected);
    *inputs = (wl_inputs){0};
}

/* Slice by slice on all cores. The reference itself stays serial code: it is also the baseline that is timed. */
static wl_status by_reference(wl_inputs *inputs, size_t index) {
    const wl_problem *problem = inputs->problem;
    const void *input = inputs->inputs[index];
    size_t bytes = problem->output_size(input), slices = problem->slices(input);
    void *output = wl_poisoned(bytes);
    if (!output) return wl_fail(WL_NO_MACHINE, "no memory for the reference's result: %zu bytes", bytes);
#pragma omp parallel for schedule(dynamic)
    for (size_t slice = 0; slice < slices; slice++) problem->reference(input, slice, 1, output);
    inputs->expected[index].result = output;
    return WL_OK;
}

/* --- The sample -------------------------------------------------------------------------------------------------- */

/* What a reader at a terminal puts up with, and on two cores still a billion cells and more. */
static const double DEFAULT_SECONDS = 5;

static int is_large(const wl_inputs *inputs, size_t index) {
    const wl_problem *problem = inputs->problem;
    return problem->fast_oracle && problem->work(inputs->inputs[index]) > problem->fast_oracle_work;
}

/* All slices in the order in which a sample takes them: the first, the last, then the others shuffled by the seed. */
static size_t *sample_order(uint64_t seed, size_t index, size_t slices) {
    size_t *order = malloc((slices + 1) * sizeof *order);
    if (!order) return NULL;
    wl_random random = wl_random_stream(seed, index);
    for (size_t i = 0; i < slices; i++) order[i] = i;
    if (slices < 2) return order;
    order[1] = slices - 1;
    order[slices - 1] = 1;
    for (size_t i = 2; i < slices; i++) {
        size_t other = i + wl_random_below(&random, (uint32_t)(slices - i)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return order;
}

/* Let the reference write its slices over `expected` until the time is up. Returns how many. */
static size_t compute_sample(const wl_inputs *inputs, size_t index, const size_t *order, size_t slices,
                             void *expected) {
    const wl_problem *problem = inputs->problem;
    const void *input = inputs->inputs[index];
    size_t done = 0, turn = wl_cpu_threads() > 2 ? (size_t)wl_cpu_threads() : 2;
    double begin = wl_now(), seconds = inputs->sample_seconds > 0 ? inputs->sample_seconds : DEFAULT_SECONDS;
    while (done < slices && (done == 0 || wl_now() - begin < seconds)) {
        size_t next = slices - done < turn ? slices : done + turn;
#pragma omp parallel for schedule(dynamic)
        for (size_t i = done; i < next; i++) problem->reference(input, order[i], 1, expected);
        done = next;
    }
    return done;
}

wl_status wl_inputs_adopt(wl_inputs *inputs, size_t index, void *result, char *text, size_t size) {
    const wl_problem *problem = inputs->problem;
    const void *input = inputs->inputs[index];
    wl_expectation *e = &inputs->expected[index];
    size_t bytes = problem->output_size(input), slices = problem->slices(input);
    size_t *order = sample_order(inputs->seed, index, slices);
    /* What the reference does not write stays as the result has it, and so is equal. */
    void *expected = malloc(bytes + 1);
    wl_status status = WL_OK;
    if (!order || !expected) {
        status = wl_fail(WL_NO_MACHINE, "no memory for the reference's result: %zu bytes", bytes);
        snprintf(text, size, "unsupported: %s", wl_error());
    } else {
        memcpy(expected, result, bytes);
        size_t sampled = compute_sample(inputs, index, order, slices, expected);
        status = wl_verdict(problem, input, expected, result, text, size);
        if (status == WL_OK) {
            e->result = result;
            e->sampled = sampled;
        } else {
            snprintf(e->wrong, sizeof e->wrong,
                     "%s, which all else is checked against, differs from the reference on %zu of %zu slices: %.200s",
                     problem->fast_oracle, sampled, slices, wl_check_reason(text));
        }
    }
    free(order);
    free(expected);
    return status;
}

/* --- The oracle -------------------------------------------------------------------------------------------------- */

static int is_oracle(const wl_problem *problem, const wl_variant *variant) {
    return variant->backend == WL_CPU && strcmp(variant->problem, problem->name) == 0 &&
           strcmp(variant->name, problem->fast_oracle) == 0;
}

int wl_inputs_would_adopt(const wl_inputs *inputs, size_t index, const wl_variant *variant) {
    const wl_expectation *e = &inputs->expected[index];
    return !e->result && !*e->wrong && is_large(inputs, index) && is_oracle(inputs->problem, variant);
}

static wl_status run_oracle(const wl_variant *variant, const void *input, void *output) {
    wl_device_list devices;
    void *state = NULL;
    wl_status status = wl_devices_select("cpu", &devices);
    if (status != WL_OK) return status;
    const char *reason = variant->supports ? variant->supports(&devices.items[0], input) : NULL;
    if (reason)
        return wl_fail(WL_NO_MACHINE, "too large for the serial reference, and for %s: %s", variant->name, reason);
    status = variant->prepare(&devices.items[0], input, &state);
    if (status != WL_OK) return status;
    status = variant->launch(state);
    if (status == WL_OK) status = variant->collect(state, output);
    variant->release(state);
    return status;
}

static wl_status by_oracle(wl_inputs *inputs, size_t index) {
    size_t count, v = 0;
    const wl_variant *const *variants = wl_variants(&count);
    while (v < count && !is_oracle(inputs->problem, variants[v])) v++;
    if (v == count)
        return wl_fail(WL_NO_MACHINE, "too large for the serial reference, and there is no %s/%s",
                       inputs->problem->name, inputs->problem->fast_oracle);
    size_t bytes = inputs->problem->output_size(inputs->inputs[index]);
    void *output = wl_poisoned(bytes);
    if (!output) return wl_fail(WL_NO_MACHINE, "no memory for the expected result: %zu bytes", bytes);
    char text[300];
    wl_status status = run_oracle(variants[v], inputs->inputs[index], output);
    if (status == WL_OK) status = wl_inputs_adopt(inputs, index, output, text, sizeof text);
    if (status != WL_OK) free(output);
    return status;
}

wl_status wl_inputs_expected(wl_inputs *inputs, size_t index, const void **expected) {
    wl_expectation *e = &inputs->expected[index];
    wl_status status = WL_OK;
    if (!e->result && !*e->wrong)
        status = is_large(inputs, index) ? by_oracle(inputs, index) : by_reference(inputs, index);
    if (*e->wrong) return wl_fail(WL_CHECK_FAILED, "%s", e->wrong);
    *expected = e->result;
    return status;
}

void wl_inputs_checked_by(const wl_inputs *inputs, size_t index, size_t slices, char *text, size_t size) {
    const wl_expectation *e = &inputs->expected[index];
    size_t all = inputs->problem->slices(inputs->inputs[index]);
    if (slices > 0)
        snprintf(text, size, "reference on %zu of %zu slices", slices, all);
    else if (e->sampled > 0)
        snprintf(text, size, "reference on %zu of %zu slices, %s on all", e->sampled, all,
                 inputs->problem->fast_oracle);
    else
        snprintf(text, size, "reference");
}
