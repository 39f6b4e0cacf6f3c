/* Inputs, and what their results have to be: the serial reference's, or of what is too large for it a fast oracle's that
   agrees with the reference on a sample. */
#pragma once

#include <stdint.h>

#include "harness/bench/problem.h"
#include "harness/bench/verdict.h"

/* What the result for an input has to be. */
typedef struct {
    void *result;      // NULL until wl_inputs_expected
    size_t sampled;    // so many slices are the reference's own, and all else a fast oracle's; 0: all the reference's
    wl_verdict oracle; // failed: the fast oracle differs from the reference, and nothing can be checked against it
} wl_expectation;

/* The inputs of a command with what the reference makes of them, computed when first asked for. */
typedef struct {
    const wl_problem *problem;
    size_t count;
    void **inputs;            // [count]
    wl_expectation *expected; // [count]
    uint64_t seed;            // which also chooses the slices of a sample
    double sample_seconds;    // of the reference on all cores, for the slices beside a fast oracle; 0: five
} wl_inputs;

/* Make or read the first `most` inputs (0: all) the arguments stand for. On failure there is nothing to free. */
wl_status wl_inputs_create(const wl_problem *problem, const wl_arguments *arguments, uint64_t seed, size_t most,
                           wl_inputs *inputs);
/* The same for input `index` alone. */
wl_status wl_inputs_create_one(const wl_problem *problem, const wl_arguments *arguments, uint64_t seed, size_t index,
                               wl_inputs *inputs);
void wl_inputs_free(wl_inputs *inputs);

/* The result for input `index`, computed once; owned by `inputs`. As a rule the reference's, slices side by side on all
   cores. Where the problem names a fast oracle and the input is work for it (wl_problem.fast_oracle_work), that variant's,
   after the reference has computed the first slice, the last and others chosen by the seed, and agreed with it on them
   all. WL_CHECK_FAILED when it did not; WL_NO_MACHINE when the oracle cannot run or memory is short. */
wl_status wl_inputs_expected(wl_inputs *inputs, size_t index, const void **expected);

/* The reference's result, slice by slice on all cores. On WL_OK the caller frees *result. */
wl_status wl_reference_result(const wl_problem *problem, const void *input, void **result);

/* Compare `actual` with the reference on a sample of slices alone: the first, the last and others chosen by the seed, as
   many as inputs->sample_seconds allow. *sampled is how many. */
wl_status wl_check_sample(const wl_inputs *inputs, size_t index, const void *actual, size_t *sampled,
                          wl_verdict *verdict);

/* Memory for a result, filled with WL_POISON_BYTE so that what nobody writes is seen. The caller frees it; NULL
   when memory is short. */
#define WL_POISON_BYTE 0xA5
void *wl_poisoned(size_t bytes);
/* Is all of it still so? */
int wl_is_poison(const void *memory, size_t bytes);

/* Fills the stack below its caller: the variables that the caller's next function does not set are NaN as floating-point numbers. */
void wl_poison_stack(void);

/* Compare by the problem's rules. */
wl_status wl_compare(const wl_problem *problem, const void *input, const void *expected, const void *actual,
                     wl_verdict *verdict);

/* Compare what a variant collected for input `index` with what is expected. `slices`: 0 for the whole result; else only
   what the problem's first `slices` slices write is compared, with the reference, and the rest of `actual` is overwritten. */
wl_status wl_check_output(wl_inputs *inputs, size_t index, void *actual, size_t slices, wl_verdict *verdict);
