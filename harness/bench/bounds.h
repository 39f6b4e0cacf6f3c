/* For --timings: what bounds the kernels of a tool's run, and the copies to its device. */
#pragma once

#include "harness/bench/variant.h"

/* Where timings are wanted: the device has run this input once. Any thread. What the variants' costs add up to is measured and compared
   with the time of their launches by wl_timings_measure. */
void wl_bounds_note(const wl_variant *variant, const wl_device *device, const void *input);
