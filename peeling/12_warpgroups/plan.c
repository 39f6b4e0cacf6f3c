#include "peeling/12_warpgroups/plan.h"

#include <math.h>

#include "peeling/problem.h"

/* A block: warpgroups, each with 64 patterns, and what a wave of such blocks takes, in microseconds of an H200 (62 taxa). */
typedef struct {
    uint32_t groups;
    double wave;
} group_shape;
static const group_shape shapes_of_64[] = {{1, 80}, {2, 103}};
static const group_shape shapes_of_24[] = {{2, 57}, {5, 80}};
uint32_t peeling_warpgroups_of(const peeling_state *s) {
    const group_shape *shapes = s->task.states <= 24 ? shapes_of_24 : shapes_of_64;
    uint32_t best = s->input->tiles == 1 ? 0 : 1;
    const size_t wide = (size_t)s->multiprocessors;
    double least = INFINITY;
    for (uint32_t i = 0; i < 2 && s->input->tiles == 0; i++) {
        const size_t blocks = peeling_streamed_blocks(&s->task, 4 * shapes[i].groups);
        const double time = (double)((blocks + wide - 1) / wide) * shapes[i].wave;
        if (time < least) least = time, best = i;
    }
    return shapes[best].groups;
}

const char *peeling_warpgroups_refuses(const wl_device *device, const peeling_input *in) {
    if (in->precision == PEELING_DOUBLE) return "products of warpgroups are for floats; see 10_streamed";
    return peeling_tensor_refuses(device, in);
}

/* Faster than the stages before (results/peeling_more_h200.tsv): measured with 62 taxa, 20 and 61 states, at both ends of each row. */
const peeling_faster peeling_warpgroups_faster[] = {
    {PEELING_H200, {9, 24}, PEELING_SINGLE, {2, 128}, {40000, 40001}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {4000, 14401}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {400000, 400001}},
    {0},
};

/* For `check`: blocks of each size, the last with patterns in some of its warps, and vectors that shared memory has no room for. */

const char *const peeling_warpgroups_shapes[] = {
    "--model WAG --taxa 16 --patterns 119 --tree-shape balanced --tiles 7 --spill 32768 --precision single",
    "--model WAG+G2 --taxa 8 --patterns 330 --tree-shape balanced --precision single",
    "--model GY94+G3 --taxa 8 --patterns 9 --tree-shape balanced --tiles 1 --precision single",
    "--model GY94+G2 --taxa 9 --patterns 140 --missing 0.1 --ambiguous 0.1 --tiles 7 --spill 32768 --precision single",
    NULL,
};
