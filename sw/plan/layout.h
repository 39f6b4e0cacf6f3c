/* How the host lays a scan out in device memory, and how many bytes that takes. Arithmetic on lengths: nothing here calls a device. */
#pragma once

#include "harness/base/linkage.h"
#include "sw/problem.h"

WL_C_BEGIN

#define SW_WARP 32
#define SW_ENDS_WORD (SW_END * 0x01010101u) // four SW_END

/* `lanes` subjects make a group. All take as many words, of four residues each, as the group's longest, which is its first. Returns where
   each group begins, in words: [*groups + 1], which the caller frees. NULL: there is not enough memory. */
uint64_t *sw_first_words(const sw_set *database, uint32_t lanes, size_t *groups);

/* Device memory of a state (sw/kit/device.h), in bytes, with what packing needs and a list of pairs to compute again, even for stages
   without one. */
size_t sw_upload_bytes(const sw_input *in, uint32_t lanes);

/* What stages 01 to 06 say about themselves. `work` is device memory of the stage's own, in bytes. */
typedef struct {
    uint32_t lanes;          // subjects per group: SW_WARP, or twice that if a thread has two
    int most;                // the largest score that the stage's numbers hold; INT32_MAX: all
    unsigned block;          // threads per block
    size_t bytes_a_thread;   // of `work`, for stages that keep a column of the query's length for each thread
    size_t bytes_a_residue;  // of `work`, for stages that keep a row of the subjects' lengths
    unsigned groups_a_block; // for these stages: groups that a block works on
} sw_plan;

/* Why a stage with this plan does not take the input, or NULL. */
const char *sw_plan_supports(const wl_device *device, const sw_input *in, const sw_plan *plan);
/* Blocks of a launch whose threads take one subject after another, and bytes of `work` for them; at most `room` bytes, but enough for one
   block. first_word: see sw_first_words. */
void sw_plan_work(const wl_device *device, const sw_input *in, const sw_plan *plan, const uint64_t *first_word,
                  size_t room, unsigned *blocks, size_t *work_bytes);
/* What no scan can avoid (wl_variant.cost). */
void sw_cost(const wl_device *device, const void *input, wl_cost *cost);
/* sw_cost, with DPX instructions for two cells. */
void sw_cost_dpx(const wl_device *device, const void *input, wl_cost *cost);

WL_C_END
