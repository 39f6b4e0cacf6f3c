/* Kernels with a known effect, for main.c. */
#ifndef TESTS_HARNESS_TIMING_KERNELS_H
#define TESTS_HARNESS_TIMING_KERNELS_H

#include <stddef.h>

#include "harness/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
