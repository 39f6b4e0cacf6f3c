/* A list of joins as a program for a tile of patterns that is carried through the tree: where each join finds its
   children and leaves its result, if all memory there is are a few slots. */
#ifndef PEELING_PROGRAM_H
#define PEELING_PROGRAM_H

#include "harness/base/error.h"
#include "peeling/problem.h"

/* In the joins of a program `child` and `to` are not vectors' numbers but, unless the child is a tip: */
#define PEELING_LAST 0xffffffffu /* the result of the join before, or for the join behind */
#define PEELING_SLOT 0x80000000u /* this plus the slot's number */
/* And matrix[0] may have this flag: rescale the result. */
#define PEELING_RESCALE 0x80000000u

/* Writes the program of work->joins to `program` [join_count] and returns how many slots it takes: for joins in the
   order of peeling_tree_work no more than log2(tips). scratch [vectors]. A child's slot is free for the same join's
   result, so whoever writes it must have read both children. Joins whose result nobody uses but the caller (the root)
   have `to` PEELING_LAST. The flag is set where `unscaled` joins or more would have been computed since the last
   scaling below them: from one scaling to the next there are at most 2 unscaled - 1, of one more scaled vectors or
   tips, of which the best way changes its state on 2 unscaled - 1 branches at most. Doubles hold the seven of
   `unscaled` 4 where a change is as likely as 1e-40. Floats hold the one of 1 where it is as likely as 1e-38, but the
   three of 2 where it is as likely as 2e-13 only. All three nucleotides of a codon change less often on a branch of
   0.0005, which is an ordinary one; and states that are not the best, but may become it, are lost long before. So floats
   are scaled after every join. See peeling_unscaled; one of the check's shapes finds floats scaled after every second. */
static inline uint32_t peeling_program(const peeling_work *work, uint32_t tips, uint32_t unscaled,
                                       peeling_join *program, uint32_t *scratch) {
    uint32_t slots = 0, vacant = 0; // vacant: the first of a list of free slots, each number plus 1
    uint32_t next[64];              // [slots]: the next free one
    uint32_t joined[64], last = 0;  // [slots], and of the last result: joins since it was scaled
    for (uint32_t i = 0; i < work->join_count; i++) {
        const peeling_join *join = &work->joins[i];
        peeling_join *step = &program[i];
        *step = *join;
        uint32_t since = 1;
        for (int k = 0; k < 2; k++) {
            if (join->child[k] < tips) continue;
            step->child[k] = scratch[join->child[k]];
            if (step->child[k] == PEELING_LAST) {
                since += last;
                continue;
            }
            const uint32_t slot = step->child[k] - PEELING_SLOT;
            since += joined[slot];
            next[slot] = vacant;
            vacant = slot + 1;
        }
        if (since >= unscaled) {
            step->matrix[0] |= PEELING_RESCALE;
            since = 0;
        }
        last = since;
        const peeling_join *behind = i + 1 < work->join_count ? join + 1 : NULL;
        if (behind == NULL || behind->child[0] == join->to || behind->child[1] == join->to) {
            step->to = PEELING_LAST;
        } else if (vacant > 0) {
            step->to = PEELING_SLOT + vacant - 1;
            vacant = next[vacant - 1];
        } else if (slots < 64) {
            step->to = PEELING_SLOT + slots++;
        } else {
            return 64 + 1; // no order of peeling_tree_work
        }
        if (step->to != PEELING_LAST) joined[step->to - PEELING_SLOT] = since;
        scratch[join->to] = step->to;
    }
    return slots;
}

#endif
