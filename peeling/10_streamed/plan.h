/* On the host: what stage 10 keeps in memory of its own, which blocks it takes, where it cuts the tree, what it refuses, when it is
   faster, and shapes for its check. */
#ifndef PEELING_10_STREAMED_PLAN_H
#define PEELING_10_STREAMED_PLAN_H

#include "peeling/kit/rows.h"
#include "peeling/kit/subtrees.h"

/* --- Memory ------------------------------------------------------------------------------------------------------ */

/* Own memory, piece by piece, each a multiple of 128 bytes. The last two are roots of subtrees, and slots that shared memory has no
   room for. */
enum { SLOTS_MOST = 32, WIDEST = 16 * PEELING_ROWS, MULTIPROCESSORS_MOST = 256 /* blocks of a launch */ };
static uint32_t code_row(const peeling_task *task) {
    return (task->patterns + WIDEST + 15) / 16 * 16;
} // to the end of the last block
static size_t units_of(const peeling_task *task) { return (task->patterns + (size_t)PEELING_ROWS - 1) / PEELING_ROWS; }
typedef struct {
    size_t exponent, unit_total, counters, code, rest;
} places;
static places places_of(const peeling_task *task) {
    const size_t cells = task->rates * (size_t)task->patterns, units = units_of(task);
    const auto padded = [](size_t bytes) { return (bytes + 127) / 128 * 128; };
    places at;
    at.exponent = padded(sizeof(double) * cells);
    at.unit_total = at.exponent + padded(sizeof(int) * cells);
    at.counters = at.unit_total + padded(sizeof(double) * units);
    at.code = at.counters + padded(sizeof(uint32_t) * (units + 1));
    at.rest = at.code + padded(sizeof(uint16_t) * task->tips * (size_t)code_row(task));
    return at;
}
/* Lists in the order of peeling_tree_work take no more slots. */
static uint32_t slots_most(uint32_t tips) {
    uint32_t slots = 1;
    while (slots < SLOTS_MOST && tips >> slots) slots++;
    return slots;
}
enum { PIECE_MORE = 9 * PEELING_ROWS * 4, ROOTS_MOST = 4096 }; // see layout's STORED; of subtrees, all teams'
static size_t roots_most(const peeling_task *task) {
    const size_t all = (size_t)PEELING_SUBTREES_MOST * (units_of(task) + WIDEST / PEELING_ROWS) * task->rates;
    return all < ROOTS_MOST ? all : (size_t)ROOTS_MOST;
}
/* Teams whose slots there is memory for: of blocks that run at the same time. */
static size_t spilling_teams(const peeling_task *task) {
    const size_t all = (units_of(task) + WIDEST / PEELING_ROWS) * task->rates;
    const size_t wave = (size_t)MULTIPROCESSORS_MOST * WIDEST / PEELING_ROWS;
    return all < wave ? all : wave;
}
static size_t own_bytes(const peeling_input *in, const peeling_task *task) {
    const size_t piece = peeling_real(in) * task->padded * PEELING_ROWS + PIECE_MORE;
    return places_of(task).rest + (spilling_teams(task) * slots_most(task->tips) + roots_most(task)) * piece;
}

static __global__ void pack(peeling_task task, uint16_t *code, uint32_t row) { // [tips][row]
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)task.tips * row) return;
    const size_t c = i % row;
    code[i] = c < task.patterns ? task.code[i / row * task.patterns + c] : 0;
}
static wl_status ready(peeling_state *s) {
    const uint32_t row = code_row(&s->task);
    const size_t threads = (size_t)s->task.tips * row;
    const places at = places_of(&s->task);
    WL_CUDA(cudaMemset((char *)s->own + at.counters, 0, at.code - at.counters));
    if (threads == 0) return WL_OK;
    WL_LAUNCH(pack, peeling_blocks(threads, 256), 256, 0, s->task, (uint16_t *)((char *)s->own + at.code), row);
    return WL_OK;
}

/* --- Which blocks ------------------------------------------------------------------------------------------------- */

/* How a block is made up: teams of 16 patterns, and what a wave of such blocks takes in each precision, in microseconds of an H200 (62
   taxa, the tree not cut). A block's time hardly depends on how many of its teams have patterns. One team was measured in doubles; its
   time in floats is that by the ratio of those with subtrees. */
typedef struct {
    uint32_t teams;
    double wave[2];
} team_shape;
static const team_shape shapes_of_64[] = {{1, {103, 97}}, {2, {124, 118}}, {7, {184, 199}}};
static const team_shape shapes_of_24[] = {{4, {42, 42}}, {16, {87, 98}}};
static uint32_t teams_of(const peeling_state *s) {
    const int small = s->task.states <= 24, count = small ? 2 : 3;
    const team_shape *shapes = small ? shapes_of_24 : shapes_of_64;
    uint32_t best = s->input->tiles == 1 ? 0 : s->input->tiles < 4 && !small ? 1 : (uint32_t)count - 1;
    double least = INFINITY;
    for (int i = 0; i < count && s->input->tiles == 0; i++) {
        const size_t blocks = (size_t)peeling_blocks(s->task.patterns, shapes[i].teams * PEELING_ROWS) * s->task.rates;
        const double time =
            (double)((blocks + s->multiprocessors - 1) / s->multiprocessors) * shapes[i].wave[s->input->precision];
        if (time < least) least = time, best = (uint32_t)i;
    }
    return s->task.states > 24 && s->task.padded == 32 ? 7 : shapes[best].teams;
}
static uint32_t blocks_of(const peeling_task *task, uint32_t teams) {
    return peeling_blocks(task->patterns, teams * PEELING_ROWS) * task->rates;
}
/* The roots have room whichever blocks `joins_of` takes in the end: those of seven teams may have more of them without patterns. */
static void cut(peeling_state *s, const peeling_work *work) {
    const uint32_t teams = teams_of(s), blocks = blocks_of(&s->task, teams), seven = 7 * blocks_of(&s->task, 7);
    const uint32_t stored = s->task.states > 24 && seven > blocks * teams ? seven : blocks * teams; // for one subtree
    if (blocks > 0)
        peeling_cut(work, s->task.tips, (uint32_t)s->multiprocessors / blocks,
                    (uint32_t)(roots_most(&s->task) / stored), s->scratch, s->part_of, &s->subtrees);
}

/* --- When ---------------------------------------------------------------------------------------------------------- */

static const char *refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && device->compute_capability < 90)
        return "bulk copies came with compute capability 9.0";
    return peeling_tensor_refuses(device, in);
}

/* Faster than the stages before (results/peeling_streamed_h200.tsv). Measured with 62 taxa, 20 and 61 states, at both ends of each row; other
   numbers of taxa and states are assumed to behave alike. In floats 24,000 cells of codons were not measured. */
static const peeling_faster faster[] = {
    {PEELING_H200, {9, 24}, PEELING_DOUBLE, {2, 128}, {4000, 40001}},
    {PEELING_H200, {9, 24}, PEELING_SINGLE, {2, 128}, {4000, 40001}},
    {PEELING_H200, {33, 64}, PEELING_DOUBLE, {2, 128}, {400, 40001}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {400, 14401}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {40000, 40001}},
    {},
};

/* For `check`: several blocks of several patterns, and vectors that wait in a tree that is not cut, because three blocks leave no multiprocessors
   for it. Two shapes have more of them than --spill has room for. */
static const char *const own_shapes[] = {
    "--model WAG --taxa 8 --patterns 115 --tree-shape balanced --tiles 7 --spill 32768",
    "--model WAG --taxa 16 --patterns 119 --tree-shape balanced --tiles 7 --spill 32768 --precision single",
    "--model WAG+G2 --taxa 8 --patterns 148 --tree-shape balanced --spill 32768",
    "--model GY94+G3 --taxa 8 --patterns 9 --tree-shape balanced --tiles 7 --spill 32768",
    "--model GY94+G3 --taxa 4 --patterns 9 --tree-shape balanced --tiles 2 --spill 32768",
    NULL,
};

#endif
