/* A trial of a variant: the check of check.h, and whether the result is the kernels' own work, every time. */
#pragma once

#include "harness/bench/check.h"

/* wl_check_variant, and then a second launch on the same state where `again` says so. On the simulated device more is asked, at each
   input: without its kernels the variant must not get the result right; the second launch, which is only left out where device memory
   holds what it held before the first; what host code does wrong (wl_sim_watch); and the input must stay as it was, which the
   reference tells by its result. `part` as the `slices` of wl_check_variant. Returns WL_OK, WL_CHECK_FAILED or WL_NO_MACHINE. */
wl_status wl_try_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t part, int again, wl_verdict *verdict);

/* The same of a long shape, on the simulated device only: WL_NO_MACHINE where a block takes more steps than a check has time for.

   Both of them launch only the first and the last blocks where the result has more than 2^31 bytes. It is not compared then, but an
   index of 32 bits that overflows is refused. */
wl_status wl_try_long(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                      wl_verdict *verdict);
