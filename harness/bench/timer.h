/* How one launch is timed on each backend. */
#ifndef WL_TIMER_H
#define WL_TIMER_H

#include "harness/base/clock.h"
#include "harness/gpu/gpu.h"

/* How time is taken. Tests put in a clock of their own; everything else uses wl_clockwork_real(). */
typedef struct {
    void *context;
    double (*now)(void *context);
    /* Time one execution on `device`; with `cold`, a GPU's L2 cache is flushed first, outside the timed region. */
    wl_status (*time)(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing);
} wl_clockwork;

const wl_clockwork *wl_clockwork_real(void);

#endif
