#include "peeling/kit/streamed.h"

#include "peeling/kit/program.h"
#include "peeling/problem.h"

enum { TEAM = PEELING_STREAMED_TEAM };

/* --- Memory ------------------------------------------------------------------------------------------------------ */

/* Own memory, piece by piece, each a multiple of 128 bytes. The last two are roots of subtrees, and slots that shared memory has no
   room for. */
enum { SLOTS_MOST = 32, WIDEST = 20 * TEAM, MULTIPROCESSORS_MOST = 256 /* blocks of a launch */ };
static uint32_t code_row(const peeling_task *task) {
    return (task->patterns + WIDEST + 15) / 16 * 16;
} // to the end of the last block
static size_t units_of(const peeling_task *task) { return (task->patterns + (size_t)TEAM - 1) / TEAM; }
typedef struct {
    size_t exponent, unit_total, counters, code, rest;
} places;
static size_t padded(size_t bytes) { return (bytes + 127) / 128 * 128; }
static places places_of(const peeling_task *task) {
    const size_t cells = task->rates * (size_t)task->patterns, units = units_of(task);
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
enum { PIECE_MORE = 9 * TEAM * 4, ROOTS_MOST = 4096 }; // see STORED in stage 10; of subtrees, all teams'
uint32_t peeling_streamed_roots_most(const peeling_task *task) {
    const size_t all = (size_t)PEELING_SUBTREES_MOST * (units_of(task) + WIDEST / TEAM) * task->rates;
    return all < ROOTS_MOST ? (uint32_t)all : (uint32_t)ROOTS_MOST;
}
/* Teams whose slots there is memory for: of blocks that run at the same time. */
static size_t spilling_teams(const peeling_task *task) {
    const size_t all = (units_of(task) + WIDEST / TEAM) * task->rates;
    const size_t wave = (size_t)MULTIPROCESSORS_MOST * WIDEST / TEAM;
    return all < wave ? all : wave;
}
size_t peeling_streamed_own_bytes(const peeling_input *in, const peeling_task *task) {
    const size_t piece = peeling_real(in) * task->padded * TEAM + PIECE_MORE;
    return places_of(task).rest +
           (spilling_teams(task) * slots_most(task->tips) + peeling_streamed_roots_most(task)) * piece;
}

peeling_streamed_memory peeling_streamed_memory_of(const peeling_state *s) {
    const places at = places_of(&s->task);
    char *own = s->own;
    uint32_t *counters = (uint32_t *)(own + at.counters);
    return (peeling_streamed_memory){.end = {.value = s->own,
                                             .exponent = (int *)(own + at.exponent),
                                             .unit_total = (double *)(own + at.unit_total),
                                             .classes = counters + 1,
                                             .units = counters},
                                     .counter_bytes = at.code - at.counters,
                                     .code = (uint16_t *)(own + at.code),
                                     .code_row = code_row(&s->task),
                                     .stored = own + at.rest};
}

/* --- A block ----------------------------------------------------------------------------------------------------- */

uint32_t peeling_streamed_blocks(const peeling_task *task, uint32_t teams) {
    return peeling_blocks(task->patterns, teams * TEAM) * task->rates;
}

/* Slots that shared memory has room for; -1 if there is not enough without any. */
static int slots_room(const peeling_state *s, const peeling_streamed_block *block) {
    const size_t least = block->edge + STAGES_LEAST * block->stage + block->lasts;
    return s->shared_most < least ? -1 : (int)((s->shared_most - least) / block->buffer);
}
int peeling_streamed_fits(const peeling_state *s, const peeling_streamed_block *block) {
    return (int)s->slots <= slots_room(s, block);
}

wl_status peeling_streamed_plan(const peeling_state *s, const peeling_streamed_block *block,
                                peeling_streamed_launch *launch) {
    if (s->slots > slots_most(s->task.tips))
        return wl_fail(WL_CHECK_FAILED, "joins in an order that keeps %u vectors alive", s->slots);
    const int slots = slots_room(s, block);
    if (slots < 0)
        return wl_fail(WL_CHECK_FAILED, "%zu bytes of shared memory are too few for a block", s->shared_most);
    const uint32_t most = s->input->spill > 0 && !block->is_split && slots > 1 ? 1 : (uint32_t)slots;
    launch->resident_slots = s->slots < most ? s->slots : most;
    launch->spills = s->slots - launch->resident_slots;
    const size_t others = block->edge + block->lasts + launch->resident_slots * block->buffer;
    const size_t stages = (s->shared_most - others) / block->stage;
    launch->stages = stages < STAGES_MOST ? (uint32_t)stages : (uint32_t)STAGES_MOST;
    launch->bytes = others + launch->stages * block->stage;
    launch->blocks = peeling_streamed_blocks(&s->task, block->teams);
    if ((size_t)s->subtrees->count * launch->blocks * block->teams > peeling_streamed_roots_most(&s->task))
        return wl_fail(WL_CHECK_FAILED, "no memory for the roots of %u subtrees", s->subtrees->count);
    launch->spilled = peeling_streamed_memory_of(s).stored + peeling_streamed_roots_most(&s->task) * block->stored;
    return WL_OK;
}

uint32_t peeling_streamed_grid(const peeling_state *s, const peeling_streamed_block *block,
                               const peeling_streamed_launch *launch, uint32_t jobs, int of_subtrees) {
    const uint32_t wave =
        s->multiprocessors < MULTIPROCESSORS_MOST ? (uint32_t)s->multiprocessors : (uint32_t)MULTIPROCESSORS_MOST;
    const uint32_t count = of_subtrees || jobs < wave ? jobs : wave;
    const size_t most = spilling_teams(&s->task);
    return launch->spills > 0 && (size_t)count * block->teams > most ? (uint32_t)(most / block->teams) : count;
}
