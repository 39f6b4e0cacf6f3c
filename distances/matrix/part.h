/* One tile on one device, by the best variant that takes it. */
#ifndef DISTANCES_MATRIX_PART_H
#define DISTANCES_MATRIX_PART_H

#include <pthread.h>

#include "distances/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DISTANCES_CANDIDATES = 64 };

/* What a host thread needs for its device. */
typedef struct {
    wl_device device;                                   // memory_free: what this thread's tiles may take of it
    const wl_variant *candidates[DISTANCES_CANDIDATES]; // [candidate_count], best first
    size_t candidate_count;
    pthread_mutex_t
        *launching; // held while kernels run, so that they can be timed; NULL: the device is this thread's alone
    const wl_variant *used; // the first that ran; NULL: none yet
    double kernel_seconds;  // of launches; the simulated device's have no time
} distances_runner;

/* Find the device's variants that match `pattern` (NULL: all but serial ones and libraries), the highest stage first.
   None: WL_NO_MACHINE, or WL_BAD_USAGE where there is a pattern. */
wl_status distances_runner_open(const wl_device *device, const char *pattern, distances_runner *runner);

/* output [2][rows][columns] of the input: distance and compared. On the calling thread, which has made the device its own
   (wl_device_use). An input that is too large for the device is cut. */
wl_status distances_runner_run(distances_runner *runner, const distances_input *input, uint32_t *output);

#ifdef __cplusplus
}
#endif
#endif
