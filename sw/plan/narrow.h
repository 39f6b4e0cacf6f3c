/* For stages with numbers of 16 bits: which scores have to be computed again in 32 bits (sw/kit/recompute.h), and in how much memory. */
#pragma once

#include "harness/base/linkage.h"
#include "sw/plan/layout.h"

WL_C_BEGIN

enum { SW_RECOMPUTE_THREADS = 256, SW_RECOMPUTE_ROWS = 8 };

/* The largest score with which signed 16 bits are safe: the score of another residue can be added to it. */
int sw_most_16_bits(const sw_input *in);
/* Can a score be larger than `most`, what the stage's numbers hold? */
int sw_may_overflow(const sw_input *in, int most);
/* The most columns of a pair: the longest subject's, rounded up to a multiple of four. */
size_t sw_recompute_columns(const sw_input *in);
/* Bytes that a block needs for the row between two bands; 0 if one band suffices. */
size_t sw_recompute_edge(const sw_input *in);
/* Blocks of the kernel, if the rows between bands may take an eighth of `room` bytes. */
unsigned sw_recompute_blocks(const wl_device *device, const sw_input *in, size_t room);

/* For stages with bytes_a_residue: the end of a stretch of groups, first .. end - 1, that are whole blocks and fit into `work`.
   A launch goes through the database in stretches: for (first = 0; first < groups; first = end) ... */
size_t sw_stretch(const sw_plan *plan, const uint64_t *first_word, size_t groups, size_t work_bytes, size_t first);

WL_C_END
