/* Branch lengths on a device: the host's half. */
#include "peeling/kit/branches.h"

#include <string.h>

#include "peeling/kit/device.h"
#include "peeling/problem.h"

static wl_status open_branches(void *state) {
    const peeling_task *task = &((peeling_state *)state)->task;
    peeling_branch *branch = peeling_branch_of(state);
    const size_t numbers = sizeof(double) * 3 * PEELING_LENGTHS_MOST,
                 blocks = (task->patterns + (size_t)PEELING_SUM_BLOCK - 1) / PEELING_SUM_BLOCK;
    if (branch->task.sum != NULL) return WL_OK;
    WL_TRY(peeling_state_allocate(state, &branch->constant, sizeof(double) * task->patterns));
    WL_TRY(peeling_state_allocate(state, &branch->task.added, numbers * blocks));
    return peeling_state_allocate(state, &branch->task.sum, numbers);
}

static wl_status ends(void *state, uint32_t one, uint32_t other, uint32_t to) {
    const peeling_join join = {.to = to, .child = {one, other}};
    return peeling_branch_of(state)->device->ends(state, &join);
}

static wl_status constant(void *state, const double *likelihood) {
    peeling_branch *branch = peeling_branch_of(state);
    branch->task.constant = likelihood != NULL ? branch->constant : NULL;
    if (likelihood == NULL) return WL_OK;
    return branch->device->copy(branch->constant, likelihood,
                                sizeof *likelihood * ((peeling_state *)state)->task.patterns);
}

static wl_status sums(void *state, uint32_t to, const double *length, int count, int heights, peeling_slopes *slopes) {
    peeling_branch *branch = peeling_branch_of(state);
    double sum[PEELING_LENGTHS_MOST][3];
    branch->task.ends = to;
    branch->task.heights = (uint32_t)heights;
    branch->task.count = (uint32_t)count;
    memcpy(branch->task.length, length, sizeof *length * (size_t)count);
    WL_TRY(branch->device->slopes(state, &branch->task));
    WL_TRY(branch->device->take(sum, branch->task.sum, sizeof *sum * (size_t)count, 0));
    for (int i = 0; i < count; i++)
        slopes[i] = (peeling_slopes){.height = sum[i][0], .slope = sum[i][1], .curvature = sum[i][2]};
    return WL_OK;
}

const peeling_branches peeling_stage_branches = {
    .open = open_branches, .update = peeling_state_update, .ends = ends, .constant = constant, .sums = sums};
