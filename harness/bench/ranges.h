/* Numbers of 32 bits that overflow at shapes too large to be run. The simulated device keeps the largest number that each place of a
   kernel's code computed. A small shape, and shapes in which one option is doubled, tell how each grows: not at all, with the option or with
   its square. So its size at the largest shape is known. */
#pragma once

#include "harness/bench/check.h"

typedef struct wl_ranges wl_ranges;

/* What wl_ranges_judge needs of a variant; the caller frees. NULL: no memory. `shapes` begins with a small one of
   wl_problem.range_shapes. */
wl_ranges *wl_ranges_new(const char *const *shapes);
size_t wl_ranges_shapes(const wl_ranges *ranges); // how many come before the larger one
const char *wl_ranges_larger(const wl_ranges *ranges);
const char *wl_ranges_largest(const wl_ranges *ranges);
void wl_ranges_free(wl_ranges *ranges);
/* Runs the last block of the variant at shape `k`, of which `inputs` are, and remembers the numbers. */
void wl_ranges_add(wl_ranges *ranges, size_t k, wl_inputs *inputs, const wl_variant *variant, const wl_device *device);
/* After all shapes before the larger one: would a number overflow at the largest one if it went on growing? `options` are the problem's. */
int wl_ranges_suspect(const wl_ranges *ranges, const wl_option *options);
/* After the larger one, too: WL_CHECK_FAILED, and why, if a number would overflow. */
wl_status wl_ranges_judge(const wl_ranges *ranges, const wl_option *options, wl_verdict *verdict);
