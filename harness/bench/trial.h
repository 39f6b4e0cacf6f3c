/* A trial of a variant: the check of check.h, and whether the result is the kernels' own work, every time. */
#pragma once

#include "harness/bench/check.h"

/* wl_check_variant, and then a second launch on the same state if `again` is set. The simulated device checks more, at each input.
   Without its kernels, the variant must not get the result right. It must pass a second launch, which is left out only if device memory
   holds what it held before the first. The host code must make no mistake that wl_sim_watch sees. The input must stay as it was: the
   reference must still compute the same result from it. `part` is the `slices` of wl_check_variant.
   Returns WL_OK, WL_CHECK_FAILED or WL_NO_MACHINE. */
wl_status wl_try_variant(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                         size_t part, int again, wl_verdict *verdict);

/* The same for a long shape, on the simulated device only. WL_NO_MACHINE: a block takes more steps than a check has time for.

   If the result has more than 2^31 bytes, both functions launch only the first and the last blocks. They do not compare the result then,
   but they still refuse a variant in which a 32-bit index overflows. */
wl_status wl_try_long(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device,
                      wl_verdict *verdict);

/* Has prepare computed the result, and does the kernel only take a mask from it? Then a word of the
   result depends on one word of device memory, or a few. So the kernel gets memory that has words
   of two inputs by chance: a stored result is made of words of the two inputs' results, and a
   computed one is neither's. `inputs` and `others` have the same shape and different seeds.
   WL_CHECK_FAILED: it is stored. */
wl_status wl_try_mixed(const wl_inputs *inputs, const wl_inputs *others, const wl_variant *variant,
                       const wl_device *device, wl_verdict *verdict);

/* Is the variant's first launch right on the smallest GPU that it supports, with one multiprocessor
   and as little shared memory as its compute capability gives? WL_OK, too, if it supports none,
   or refuses so small a one. */
wl_status wl_try_small(wl_inputs *inputs, const wl_variant *variant, const wl_device *device, wl_verdict *verdict);

/* Prepares the variant and launches the last block of each grid, for what it computes on the way: nobody looks at the result, nor whether
   anything fails. */
void wl_try_last_block(wl_inputs *inputs, size_t index, const wl_variant *variant, const wl_device *device);
