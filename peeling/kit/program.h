/* A list of joins as a program for one tile of patterns. The tile goes through the whole tree with only a few slots of memory, and the
   program says where each join finds its children and leaves its result. */
#pragma once

#include <stdint.h>

enum { PEELING_SLOTS_MOST = 64, PEELING_SUBTREES_MOST = 16 };

/* In a program's joins, `child` (unless it is a tip) and `to` are not numbers of vectors but one of these: */
#define PEELING_LAST 0xffffffffu                           // the result of the previous join, or for the next one
#define PEELING_SLOT 0x80000000u                           // this plus the slot's number
#define PEELING_STORED (PEELING_SLOT + PEELING_SLOTS_MOST) // this plus a subtree's number: its root
/* If matrix[0] has this flag, the join rescales its result. */
#define PEELING_RESCALE 0x80000000u

/* A tree cut into subtrees. Where one block after another would leave a GPU empty, blocks compute subtrees side by side, and a second
   launch computes what is left. */
typedef struct peeling_subtrees {
    uint32_t count; // subtrees
    /* [count + 2]: where each one's joins begin in the program, and the rest's */
    uint32_t first[PEELING_SUBTREES_MOST + 2];
} peeling_subtrees;
