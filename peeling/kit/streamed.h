/* For stages in which patterns stay in registers while matrices stream past them (peeling/10_streamed, 12_warpgroups): what they keep in
   memory of their own, and what of a block's shared memory is for what. A team is the warps that have 16 patterns. */
#pragma once

#include "harness/base/linkage.h"
#include "peeling/kit/state.h"

enum { PEELING_STREAMED_TEAM = 16, STAGES_LEAST = 3, STAGES_MOST = 6 };

/* A block: what it has in shared memory, in bytes. */
typedef struct {
    uint32_t teams;
    int is_split;  // a team has several warps, and all slots are in shared memory
    size_t edge;   // barriers and sums
    size_t stage;  // a matrix, and codes
    size_t lasts;  // last results
    size_t buffer; // a slot
    size_t stored; // in device memory: a team's root of a subtree
} peeling_streamed_block;

/* What the last warps of all need, to compute sites and total (ending.h). */
typedef struct {
    double *value;      // [rates][patterns]: sum over states of the root's, and its exponent
    int *exponent;      // [rates][patterns]
    double *unit_total; // [units]
    uint32_t *classes;  // [units]: rate classes that are there
    uint32_t *units;    // units whose sites are there
} peeling_ending;

/* s->own, on the device. */
typedef struct {
    peeling_ending end;
    size_t counter_bytes; // from end.units on: both counts
    uint16_t *code;       // [tips][code_row]
    uint32_t code_row;
    char *stored; // [subtrees][blocks][teams]
} peeling_streamed_memory;

typedef struct {
    uint32_t blocks;                 // for all patterns and rate classes
    uint32_t stages, resident_slots; // in shared memory
    uint32_t spills;                 // slots in device memory
    size_t bytes;                    // of shared memory
    char *spilled;                   // [blocks of the launch][spills][teams]
} peeling_streamed_launch;

WL_C_BEGIN

size_t peeling_streamed_own_bytes(const peeling_input *in, const peeling_task *task);
peeling_streamed_memory peeling_streamed_memory_of(const peeling_state *s);
uint32_t peeling_streamed_roots_most(const peeling_task *task);             // of subtrees, all teams'
uint32_t peeling_streamed_blocks(const peeling_task *task, uint32_t teams); // for all patterns and rate classes
int peeling_streamed_fits(const peeling_state *s, const peeling_streamed_block *block); // all slots in shared memory
wl_status peeling_streamed_plan(const peeling_state *s, const peeling_streamed_block *block,
                                peeling_streamed_launch *launch);
/* Blocks that take `jobs`: of subtrees side by side, or of what is left. */
uint32_t peeling_streamed_grid(const peeling_state *s, const peeling_streamed_block *block,
                               const peeling_streamed_launch *launch, uint32_t jobs, int of_subtrees);

WL_C_END
