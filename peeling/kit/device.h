/* What host.c asks of a device. device.cu does it, compiled once for GPUs and once for the simulated
   device. */
#pragma once

#include "peeling/kit/state.h"

enum { PEELING_SUM_BLOCK = 256 }; // patterns per block of the sum

typedef struct peeling_device {
    /* Bytes of shared memory that a block may have. */
    wl_status (*shared_most)(int ordinal, size_t *bytes);
    /* Memory of the device, poisoned; WL_NO_MACHINE if there is not so much. `release` takes NULL, too. */
    wl_status (*allocate)(void **to, size_t bytes);
    void (*release)(void *memory);
    /* To the device; `from` has been read when it returns. */
    wl_status (*copy)(void *to, const void *from, size_t bytes);
    /* Back to the host, after the last launch; with `poison`, poison takes its place. */
    wl_status (*take)(void *host, void *from, size_t bytes, int poison);
    /* Launches: they compute task.tip of all tips; task.factor of the list's edges; task.site from
       the root's partials; the total of the sites. */
    wl_status (*tips)(peeling_state *s);
    wl_status (*factors)(peeling_state *s);
    wl_status (*sites)(peeling_state *s);
    wl_status (*total)(peeling_state *s);
    /* branches.cu: for each pattern, rate class and eigenvector, the product of what the vectors branch->child have of it, into vector
       branch->to; then that branch's heights, or slopes, at several lengths. */
    wl_status (*ends)(const peeling_state *s, const peeling_join *branch);
    wl_status (*slopes)(const peeling_state *s, const struct peeling_slope_task *task);
} peeling_device;
