#include "peeling/10_streamed/plan.h"

#include <math.h>

#include "peeling/kit/program.h"
#include "peeling/problem.h"

enum { TEAM = PEELING_STREAMED_TEAM };

/* --- Which blocks ------------------------------------------------------------------------------------------------ */

/* How a block is made up: teams of 16 patterns, and what a wave of such blocks takes in each precision, in microseconds of an H200 (62
   taxa, the tree not cut). A block's time hardly depends on how many of its teams have patterns. One team was measured in doubles; its
   time in floats is that by the ratio of those with subtrees. */
typedef struct {
    uint32_t teams;
    double wave[2];
} team_shape;
static const team_shape shapes_of_64[] = {{1, {103, 97}}, {2, {124, 118}}, {7, {184, 199}}};
static const team_shape shapes_of_24[] = {{4, {42, 42}}, {8, {57, 61}}, {16, {87, 98}}, {20, {114, 112}}};
uint32_t peeling_streamed_teams(const peeling_state *s) {
    const int small = s->task.states <= 24, count = small ? 4 : 3;
    const team_shape *shapes = small ? shapes_of_24 : shapes_of_64;
    uint32_t best = s->input->tiles == 1 ? 0 : s->input->tiles < 4 && !small ? 1 : (uint32_t)count - 1;
    const size_t wide = (size_t)s->multiprocessors;
    double least = INFINITY;
    for (int i = 0; i < count && s->input->tiles == 0; i++) {
        const size_t blocks = (size_t)peeling_blocks(s->task.patterns, shapes[i].teams * TEAM) * s->task.rates;
        const double time = (double)((blocks + wide - 1) / wide) * shapes[i].wave[s->input->precision];
        if (time < least) least = time, best = (uint32_t)i;
    }
    return s->task.states > 24 && s->task.padded == 32 ? 7 : shapes[best].teams;
}
/* The roots have room whichever blocks `joins_of` takes in the end: those of seven teams may have more of them without patterns. */
void peeling_streamed_cut(const peeling_state *s, uint32_t *workers, uint32_t *most_roots) {
    const uint32_t teams = peeling_streamed_teams(s), blocks = peeling_streamed_blocks(&s->task, teams),
                   seven = 7 * peeling_streamed_blocks(&s->task, 7);
    const uint32_t stored = s->task.states > 24 && seven > blocks * teams ? seven : blocks * teams; // for one subtree
    if (blocks == 0) return;
    *workers = (uint32_t)s->multiprocessors / blocks;
    *most_roots = peeling_streamed_roots_most(&s->task) / stored;
}

/* --- When --------------------------------------------------------------------------------------------------------- */

const char *peeling_streamed_refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && device->compute_capability < 90)
        return "bulk copies came with compute capability 9.0";
    return peeling_tensor_refuses(device, in);
}

/* Faster than the stages before (results/peeling_streamed_h200.tsv, peeling_amino*_h200.tsv, peeling_more_streamed_h200.tsv). Measured with 62 taxa, 20 and 61 states, at both
   ends of each row, amino acids up to 400,000 cells; other numbers of taxa and states are assumed to behave alike. In floats 24,000 cells of
   codons were not measured. */
const peeling_faster peeling_streamed_faster[] = {
    {PEELING_H200, {9, 24}, PEELING_DOUBLE, {2, 128}, {4000, INFINITY}},
    {PEELING_H200, {9, 24}, PEELING_SINGLE, {2, 128}, {4000, INFINITY}},
    {PEELING_H200, {33, 64}, PEELING_DOUBLE, {2, 128}, {400, 400001}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {400, 14401}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {40000, 40001}},
    {0},
};

/* For `check`: several blocks of several patterns, and vectors that wait in a tree that is not cut, because three blocks leave no multiprocessors
   for it. Two shapes have more of them than --spill has room for. */
const char *const peeling_streamed_shapes[] = {
    "--model WAG --taxa 8 --patterns 115 --tree-shape balanced --tiles 7 --spill 32768",
    "--model WAG --taxa 16 --patterns 119 --tree-shape balanced --tiles 7 --spill 32768 --precision single",
    "--model WAG+G2 --taxa 8 --patterns 148 --tree-shape balanced --spill 32768",
    "--model GY94+G3 --taxa 8 --patterns 9 --tree-shape balanced --tiles 7 --spill 32768",
    "--model GY94+G3 --taxa 4 --patterns 9 --tree-shape balanced --tiles 2 --spill 32768",
    NULL,
};
