/* Planning on the host: where a tree is cut, and the program of each part (program.h). */
#pragma once

#include "peeling/kit/program.h"
#include "peeling/problem.h"

/* Cuts the tree into subtrees that `workers` blocks take side by side, at most `most_roots` of
   them, if that should be faster than one block after another through all of it. Otherwise count
   is 0. part_of [vectors]: of a join's result the part, or `count`. below [vectors]: scratch. */
void peeling_cut(const peeling_work *work, uint32_t tips, uint32_t workers, uint32_t most_roots, uint32_t *below,
                 uint8_t *part_of, peeling_subtrees *subtrees);
/* Writes the program of work->joins to `program` [join_count], part by part, and returns the number
   of slots that it needs. For joins in the order of peeling_tree_work these are at most log2(tips).
   If they are more than PEELING_SLOTS_MOST, there is no program. A join may write its result into a
   child's slot, so it must read both children before it writes. The root's `to` is PEELING_LAST.
   A program rescales after `unscaled` joins (cut.c). scratch: [vectors]. */
uint32_t peeling_program_of_subtrees(const peeling_work *work, uint32_t tips, uint32_t unscaled,
                                     peeling_subtrees *parts, peeling_join *program, uint32_t *scratch,
                                     const uint8_t *part_of);
