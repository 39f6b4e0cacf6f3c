#include "harness/bench/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/bench/device.h"
#include "harness/base/random.h"
#include "harness/base/memory.h"

void *wl_poisoned(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (memory) memset(memory, WL_POISON_BYTE, bytes);
    return memory;
}

__attribute__((noinline)) void wl_poison_stack(void) {
    enum { MOST = 128 << 10 };
    unsigned char below[MOST];
    memset(below, 0xFF, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory"); // else the compiler drops the filling
}

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

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
    WL_TRY(wl_input_count(problem, arguments, &count));
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
    WL_FREE(inputs->inputs, inputs->expected);
    *inputs = (wl_inputs){0};
}

/* The reference itself stays serial code: it is also the baseline that is timed. */
wl_status wl_reference_result(const wl_problem *problem, const void *input, void **result) {
    size_t bytes = problem->output_size(input), slices = problem->slices(input);
    void *output = wl_poisoned(bytes);
    if (!output) return wl_fail(WL_NO_MACHINE, "no memory for the reference's result: %zu bytes", bytes);
#pragma omp parallel
    {
        wl_poison_stack();
#pragma omp for schedule(dynamic)
        for (size_t slice = 0; slice < slices; slice++) problem->reference(input, slice, 1, output);
    }
    *result = output;
    return WL_OK;
}

wl_status wl_compare(const wl_problem *problem, const void *input, const void *expected, const void *actual,
                     wl_verdict *verdict) {
    char first[112] = "";
    verdict->wrong = problem->compare(input, expected, actual, first, sizeof first);
    return wl_verdict_set(verdict, verdict->wrong ? WL_CHECK_FAILED : WL_OK, "%zu wrong, first %s", verdict->wrong,
                          first);
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

static void say_slices(wl_verdict *verdict, size_t compared, size_t slices) {
    snprintf(verdict->checked_by, sizeof verdict->checked_by, "reference on %zu of %zu slices", compared, slices);
}

wl_status wl_check_sample(const wl_inputs *inputs, size_t index, const void *actual, size_t *sampled,
                          wl_verdict *verdict) {
    const wl_problem *problem = inputs->problem;
    const void *input = inputs->inputs[index];
    size_t slices = problem->slices(input), *order = sample_order(inputs->seed, index, slices);
    size_t bytes = problem->output_size(input);
    void *expected = malloc(bytes + 1);
    wl_status status = WL_OK;
    if (order && expected) {
        memcpy(expected, actual, bytes); // what the reference does not write is equal
        *sampled = compute_sample(inputs, index, order, slices, expected);
        status = wl_compare(problem, input, expected, actual, verdict);
        say_slices(verdict, *sampled, slices);
    } else {
        status = wl_fail(WL_NO_MACHINE, "no memory for the reference's result: %zu bytes", bytes);
        wl_verdict_set(verdict, status, "%s", wl_error());
    }
    WL_FREE(order, expected);
    return status;
}

/* --- The oracle -------------------------------------------------------------------------------------------------- */

static const wl_variant *oracle_of(const wl_problem *problem) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (variants[v]->backend == WL_CPU && strcmp(variants[v]->problem, problem->name) == 0 &&
            strcmp(variants[v]->name, problem->fast_oracle) == 0)
            return variants[v];
    return NULL;
}

static wl_status run_oracle(const wl_variant *variant, const void *input, void *output) {
    wl_device_list devices;
    void *state = NULL;
    WL_TRY(wl_devices_select("cpu", &devices));
    const char *reason = variant->supports ? variant->supports(&devices.items[0], input) : NULL;
    if (reason)
        return wl_fail(WL_NO_MACHINE, "too large for the serial reference, and for %s: %s", variant->name, reason);
    WL_TRY(variant->prepare(&devices.items[0], input, &state));
    wl_status status = variant->launch(state);
    if (status == WL_OK) status = variant->collect(state, output, 0);
    variant->release(state);
    return status;
}

static wl_status by_oracle(wl_inputs *inputs, size_t index) {
    const wl_problem *problem = inputs->problem;
    const wl_variant *variant = oracle_of(problem);
    wl_expectation *e = &inputs->expected[index];
    if (!variant)
        return wl_fail(WL_NO_MACHINE, "too large for the serial reference, and there is no %s/%s", problem->name,
                       problem->fast_oracle);
    size_t bytes = problem->output_size(inputs->inputs[index]);
    void *output = wl_poisoned(bytes);
    if (!output) return wl_fail(WL_NO_MACHINE, "no memory for the expected result: %zu bytes", bytes);
    wl_status status = run_oracle(variant, inputs->inputs[index], output);
    if (status == WL_OK) status = wl_check_sample(inputs, index, output, &e->sampled, &e->oracle);
    if (status == WL_OK)
        e->result = output;
    else
        free(output);
    return status;
}

wl_status wl_inputs_expected(wl_inputs *inputs, size_t index, const void **expected) {
    wl_expectation *e = &inputs->expected[index];
    wl_status status = WL_OK;
    if (!e->result && !wl_failed(&e->oracle))
        status = is_large(inputs, index) ? by_oracle(inputs, index)
                                         : wl_reference_result(inputs->problem, inputs->inputs[index], &e->result);
    if (wl_failed(&e->oracle))
        return wl_fail(WL_CHECK_FAILED,
                       "%s, which all else is checked against, differs from the reference on %zu of %zu slices: %.200s",
                       inputs->problem->fast_oracle, e->sampled, inputs->problem->slices(inputs->inputs[index]),
                       e->oracle.reason);
    *expected = e->result;
    return status;
}

/* --- Comparing --------------------------------------------------------------------------------------------------- */

/* Which bytes the first `slices` slices write, the problem alone knows. The reference run on two different backgrounds
   tells: a byte that comes out the same was written. All other bytes become zero on both sides. */
static wl_status compare_prefix(const wl_problem *problem, const void *input, size_t slices, unsigned char *actual,
                                wl_verdict *verdict) {
    size_t bytes = problem->output_size(input);
    unsigned char *expected = wl_poisoned(bytes), *second = malloc(bytes + 1);
    wl_status status;
    if (!expected || !second) {
        status = wl_fail(WL_NO_MACHINE, "no memory for the reference's result: twice %zu bytes", bytes);
        wl_verdict_set(verdict, status, "%s", wl_error());
    } else {
        memset(second, 0xFF & ~WL_POISON_BYTE, bytes);
        problem->reference(input, 0, slices, expected);
        problem->reference(input, 0, slices, second);
        for (size_t i = 0; i < bytes; i++)
            if (expected[i] != second[i]) expected[i] = actual[i] = 0;
        status = wl_compare(problem, input, expected, actual, verdict);
        say_slices(verdict, slices, problem->slices(input));
    }
    WL_FREE(expected, second);
    return status;
}

wl_status wl_check_output(wl_inputs *inputs, size_t index, void *actual, size_t slices, wl_verdict *verdict) {
    const wl_problem *problem = inputs->problem;
    const void *input = inputs->inputs[index], *expected;
    if (slices > 0) return compare_prefix(problem, input, slices, actual, verdict);
    wl_status status = wl_inputs_expected(inputs, index, &expected);
    if (status != WL_OK) return wl_verdict_set(verdict, status, "%s", wl_error());
    size_t sampled = inputs->expected[index].sampled;
    if (sampled > 0)
        snprintf(verdict->checked_by, sizeof verdict->checked_by, "reference on %zu of %zu slices, %s on all", sampled,
                 problem->slices(input), problem->fast_oracle);
    else
        snprintf(verdict->checked_by, sizeof verdict->checked_by, "reference");
    return wl_compare(problem, input, expected, actual, verdict);
}
