/* Branch lengths on a device: what branches.cu launches, and what branches.c, which has the engine's functions, shares with host.c. */
#pragma once

#include "peeling/engine/engine.h"
#include "peeling/kit/state.h"

WL_C_BEGIN

/* The kernels' parameter: several lengths of one branch. */
typedef struct {
    uint32_t ends, count, heights;       // the vector that was made of both ends; how many lengths; heights or slopes
    double length[PEELING_LENGTHS_MOST]; // [count]
    const double *constant;              // [patterns]: likelihoods of the rate classes of rate 0; NULL: there are none
    double *added;                       // [count][3][blocks of PEELING_SUM_BLOCK patterns]
    double *sum;                         // [count][3]: height, slope, curvature
} peeling_slope_task;

/* branches.cu is compiled once for GPUs and once for the simulated device. */
typedef struct {
    /* For each pattern, rate class and eigenvector, the product of what the vectors branch->child have of it, into vector branch->to. */
    wl_status (*ends)(const peeling_state *s, const peeling_join *branch);
    wl_status (*slopes)(const peeling_state *s, const peeling_slope_task *task);
} peeling_branch_launches;
void peeling_register_branches(wl_backend backend, const peeling_branch_launches *launches);

/* What a stage's state has for branches.c. */
typedef struct {
    const struct peeling_device *device;
    wl_backend backend;
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
