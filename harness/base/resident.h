/* A device's copy of host memory that does not change. It stays when the states that were made from it are released, so that a tool that
   goes through one set of sequences many times copies it once. The tool owns it; a variant's `prepare` fills it (wl_cuda_resident). */
#pragma once

#include <pthread.h>
#include <stddef.h>

#include "harness/base/linkage.h"

typedef struct {
    pthread_mutex_t lock; // of all below: two threads serve a GPU
    const void *host;     // of what it is a copy: [bytes]; NULL: of nothing yet
    size_t bytes;
    void *memory;                  // the device's
    void (*release)(void *memory); // on a thread that uses the device
    int users;                     // of `memory`, which stays while there is one
} wl_resident;

WL_C_BEGIN
/* Functions of the harness, so that kernels' objects do not call threads' functions themselves: a lab allows none. */
void wl_resident_lock(wl_resident *kept);
void wl_resident_unlock(wl_resident *kept);
WL_C_END
