/* Checking: a variant's result against the serial reference's. Every run checks before it times. */
#ifndef WL_CHECK_H
#define WL_CHECK_H

#include <stdint.h>

#include "harness/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The inputs of a command with what the reference makes of them, computed when first asked for. */
typedef struct {
    const wl_problem *problem;
    size_t count;
    void **inputs;   /* [count] */
    void **expected; /* [count]; NULL until wl_inputs_expected */
} wl_inputs;

/* Make or read the first `most` inputs (0: all) the arguments stand for. On failure there is nothing to free. */
wl_status wl_inputs_create(const wl_problem *problem, const wl_arguments *arguments, uint64_t seed, size_t most,
                           wl_inputs *inputs);
void wl_inputs_free(wl_inputs *inputs);

/* The reference's result for input `index`: slices side by side on all cores, once; owned by `inputs`. */
wl_status wl_inputs_expected(wl_inputs *inputs, size_t index, const void **expected);

/* Memory for a result, filled with WL_POISON_BYTE so that what nobody writes is seen. The caller frees it; NULL
   when memory is short. */
#define WL_POISON_BYTE 0xA5
void *wl_poisoned(size_t bytes);

/* Compare what a variant collected for input `index` with the reference: WL_OK and "ok" in `text`, or
   WL_CHECK_FAILED and "FAILED: 3 wrong, first ...". `slices`: 0 for the whole result; else only what the problem's
   first `slices` slices write is compared, and the rest of `actual` is overwritten. */
wl_status wl_check_output(wl_inputs *inputs, size_t index, void *actual, size_t slices, char *text, size_t size);

/* The whole check: supports, prepare, launch, collect, compare. `text` becomes "ok" (WL_OK), "FAILED: ..."
   (WL_CHECK_FAILED) or "unsupported: ..." (WL_NO_MACHINE: this device or this much memory is not there). With `state`
   not NULL, a state that passed is left prepared in *state for timing, and the caller releases it.
   `slices` as above; then the variant must have launch_slices. */
wl_status wl_check_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                           size_t slices, void **state, char *text, size_t size);

/* Collect from a state again, after timing, and compare again: a launch may have worked the first time only. */
wl_status wl_check_again(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t slices, void *state, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
