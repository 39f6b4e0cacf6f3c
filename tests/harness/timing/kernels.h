/* Kernels with a known effect, for main.c. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"
#include "harness/base/error.h"

WL_C_BEGIN

typedef struct {
    unsigned *memory;
    size_t bytes;
    double spin_seconds;
} kernel_state;

wl_status kernel_allocate(kernel_state *state);
void kernel_free(kernel_state *state);
/* As wl_timed.run: reads all of the memory; keeps one thread busy for spin_seconds. */
wl_status kernel_read(void *state);
wl_status kernel_spin(void *state);

WL_C_END
