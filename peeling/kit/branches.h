/* Branch lengths on a device: what branches.cu launches (device.h), and what branches.c, which has the engine's functions, shares with host.c. */
#pragma once

#include "peeling/engine/engine.h"
#include "peeling/kit/state.h"

WL_C_BEGIN

/* The kernels' parameter: several lengths of one branch. */
typedef struct peeling_slope_task {
    uint32_t ends, count, heights;       // the vector that was made of both ends; how many lengths; heights or slopes
    double length[PEELING_LENGTHS_MOST]; // [count]
    const double *constant;              // [patterns]: likelihoods of the rate classes of rate 0; NULL: there are none
    double *added;                       // [count][3][blocks of PEELING_SUM_BLOCK patterns]
    double *sum;                         // [count][3]: height, slope, curvature
} peeling_slope_task;

/* What a stage's state has for branches.c. */
typedef struct {
    const struct peeling_device *device;
    peeling_slope_task task;
    double *constant; // [patterns], on the device
} peeling_branch;

/* branches.c: of every stage that keeps partials in the order of state.h. */
extern const peeling_branches peeling_stage_branches;

/* host.c, of any stage's state, which begins with a peeling_state. Memory is the device's, and released with the state. */
peeling_branch *peeling_branch_of(void *state);
wl_status peeling_state_allocate(void *state, void *to, size_t bytes);
wl_status peeling_state_update(void *state, const peeling_work *work);

WL_C_END
