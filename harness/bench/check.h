/* Checking: a variant's result against the serial reference's. Every run checks before it times. */
#pragma once

#include "harness/bench/expected.h"

/* The beginning of a check: supports, what is expected, prepare. On WL_OK the caller releases *state. */
wl_status wl_prepare_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                             void **state, wl_verdict *verdict);

/* The whole check: supports, what is expected, prepare, launch, collect, compare. Returns WL_OK, WL_CHECK_FAILED or
   WL_NO_MACHINE (see wl_verdict_set). With `state` not NULL, a state that passed is left prepared in *state for timing,
   and the caller releases it. `slices`: as of wl_check_output; then the variant must have launch_slices. */
wl_status wl_check_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                           size_t slices, void **state, wl_verdict *verdict);

/* Launch on a state that passed once more, and compare again: a launch may have worked the first time only. */
wl_status wl_check_again(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t slices, void *state, wl_verdict *verdict);
