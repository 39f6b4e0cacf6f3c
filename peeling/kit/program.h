/* Turns a list of joins into a program for one tile of patterns. The tile goes through the whole tree with only a few
   slots of memory, and the program says where each join finds its children and leaves its result. */
#ifndef PEELING_KIT_PROGRAM_H
#define PEELING_KIT_PROGRAM_H

#include "harness/base/error.h"
#include "peeling/problem.h"

/* In a program's joins, `child` (unless it is a tip) and `to` are not numbers of vectors but one of these: */
#define PEELING_LAST 0xffffffffu           /* the result of the previous join, or for the next one */
#define PEELING_SLOT 0x80000000u           /* this plus the slot's number */
#define PEELING_STORED (PEELING_SLOT + 64) /* this plus a subtree's number: its root (peeling/kit/subtrees.h) */
/* If matrix[0] has this flag, the join rescales its result. */
#define PEELING_RESCALE 0x80000000u

/* Writes the program of work->joins to `program` [join_count] and returns the number of slots that it needs. For joins
   in the order of peeling_tree_work these are at most log2(tips). scratch: [vectors].
   A join may write its result into a child's slot, so it must read both children before it writes. The root's `to` is
   PEELING_LAST.

   The flag is set where `unscaled` joins or more would follow the last rescaling. Two children may each have
   unscaled - 1 such joins below them, so at most 2 unscaled - 1 joins lie between two rescalings. The best path through
   them changes its state on at most 2 unscaled - 1 branches, and each change multiplies by its probability.
     doubles, unscaled 4: seven changes fit if each is as likely as 1e-40
     floats, unscaled 1:  one change fits if it is as likely as 1e-38
     floats, unscaled 2:  three changes fit only if each is as likely as 2e-13
   The last is too large: on an ordinary branch of 0.0005, a change of all three nucleotides of a codon is less likely
   than that. States that are not the best yet, but may become it, are lost even earlier. So floats are rescaled after
   every join (peeling_unscaled). One of the check's shapes fails if they are rescaled after every second join. */
static inline uint32_t peeling_program(const peeling_work *work, uint32_t tips, uint32_t unscaled,
                                       peeling_join *program, uint32_t *scratch) {
    uint32_t slots = 0, vacant = 0; // vacant: the first free slot's number plus 1, or 0
    uint32_t next[64];              // [slots]: the next free slot of that list
    uint32_t joined[64], last = 0;  // [slots], and for the last result: joins since its rescaling
    for (uint32_t i = 0; i < work->join_count; i++) {
        const peeling_join *join = &work->joins[i];
        peeling_join *step = &program[i];
        *step = *join;
        uint32_t since = 1;
        for (int k = 0; k < 2; k++) {
            if (join->child[k] < tips) continue;
            step->child[k] = scratch[join->child[k]];
            if (step->child[k] != PEELING_LAST && step->child[k] >= PEELING_STORED) continue;
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
            return 64 + 1; // the joins are not in the order of peeling_tree_work
        }
        if (step->to != PEELING_LAST) joined[step->to - PEELING_SLOT] = since;
        scratch[join->to] = step->to;
    }
    return slots;
}

#endif
