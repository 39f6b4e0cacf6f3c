/* A tree cut into subtrees: where one block after another would leave a GPU empty, blocks compute subtrees side by side, and a second
   launch what is left. */
#ifndef PEELING_KIT_SUBTREES_H
#define PEELING_KIT_SUBTREES_H

#include <stdlib.h>

#include "peeling/kit/program.h"

enum { PEELING_SUBTREES_MOST = 16, PEELING_THE_REST = 255 };
typedef struct {
    uint32_t count; // subtrees
    uint32_t
        first[PEELING_SUBTREES_MOST + 2]; // [count + 2]: where each one's joins begin in the program, and the rest's
} peeling_subtrees;

/* The program, part by part. part_of [vectors]: of a join's result the part, or `count`. Slots are counted as above. */
static inline uint32_t peeling_program_of_subtrees(const peeling_work *work, uint32_t tips, uint32_t unscaled,
                                                   peeling_subtrees *parts, peeling_join *program, uint32_t *scratch,
                                                   const uint8_t *part_of) {
    uint32_t slots = 0, begin = 0;
    if (parts->count == 0) {
        parts->first[0] = 0;
        parts->first[1] = work->join_count;
        return peeling_program(work, tips, unscaled, program, scratch);
    }
    peeling_join *joins = (peeling_join *)malloc(sizeof *joins * work->join_count);
    if (joins == NULL) return 64 + 1;
    for (uint32_t p = 0; p <= parts->count; p++) {
        peeling_work part = {NULL, joins, 0, 0, 0};
        for (uint32_t i = 0; i < work->join_count; i++)
            if (part_of[work->joins[i].to] == p) joins[part.join_count++] = work->joins[i];
        parts->first[p] = begin;
        const uint32_t need = peeling_program(&part, tips, unscaled, program + begin, scratch);
        if (need > slots) slots = need;
        begin += part.join_count;
        if (p < parts->count && part.join_count > 0) {
            peeling_join *root = &program[begin - 1];
            root->to = PEELING_STORED + p;
            root->matrix[0] |= PEELING_RESCALE;
            scratch[joins[part.join_count - 1].to] = root->to;
        }
    }
    parts->first[parts->count + 1] = begin;
    free(joins);
    return slots;
}

/* What joins take, in thirds of one with a tip and an inner child; and a launch. */
enum { PEELING_COST_TIPS = 2, PEELING_COST_ONE_EACH = 3, PEELING_COST_INNER = 5, PEELING_COST_LAUNCH = 8 };
static inline uint32_t peeling_cost_of(const peeling_join *join, uint32_t tips) {
    const int inner = (join->child[0] >= tips) + (join->child[1] >= tips);
    return inner == 0 ? PEELING_COST_TIPS : inner == 1 ? PEELING_COST_ONE_EACH : PEELING_COST_INNER;
}
/* Subtrees that take `most` or less, as many as there are; the time of all, `workers` at a time, and of the rest. */
static inline uint32_t peeling_try_cut(const peeling_work *work, uint32_t tips, uint32_t most, uint32_t workers,
                                       const uint32_t *below, uint8_t *part_of, uint32_t *count) {
    uint32_t load[PEELING_SUBTREES_MOST] = {0}, root_cost[PEELING_SUBTREES_MOST], rest = 0;
    *count = 0;
    for (uint32_t i = work->join_count; i-- > 0;) { // parents first
        const peeling_join *join = &work->joins[i];
        const uint32_t cost = peeling_cost_of(join, tips), all = below[join->to];
        uint8_t mine = part_of[join->to]; // as its parent says
        if (i + 1 == work->join_count) mine = PEELING_THE_REST;
        if (mine == PEELING_THE_REST && all <= most && all > PEELING_COST_TIPS && *count < PEELING_SUBTREES_MOST) {
            mine = (uint8_t)*count;
            root_cost[(*count)++] = all;
        }
        if (mine == PEELING_THE_REST) rest += cost;
        part_of[join->to] = mine;
        for (int k = 0; k < 2; k++) part_of[join->child[k]] = mine;
    }
    /* The largest part first, to whoever has the least. */
    for (uint32_t n = 0; n < *count; n++) {
        uint32_t largest = 0, least = 0;
        for (uint32_t p = 0; p < *count; p++)
            if (root_cost[p] > root_cost[largest]) largest = p;
        for (uint32_t w = 1; w < workers; w++)
            if (load[w] < load[least]) least = w;
        load[least] += root_cost[largest];
        root_cost[largest] = 0;
    }
    uint32_t longest = 0;
    for (uint32_t w = 0; w < workers; w++) longest = load[w] > longest ? load[w] : longest;
    return *count > 1 ? longest + rest + PEELING_COST_LAUNCH : UINT32_MAX;
}
/* Cuts the tree into subtrees that `workers` blocks take side by side, at most `most_roots` of them, if that should be faster than one block
   after another through all of it. below [vectors]: scratch. */
static inline void peeling_cut(const peeling_work *work, uint32_t tips, uint32_t workers, uint32_t most_roots,
                               uint32_t *below, uint8_t *part_of, peeling_subtrees *subtrees) {
    uint32_t total = 0, best = 0;
    subtrees->count = 0;
    if (workers < 2 || work->join_count < 4) return;
    if (workers > PEELING_SUBTREES_MOST) workers = PEELING_SUBTREES_MOST;
    for (uint32_t i = 0; i < work->join_count; i++) {
        const peeling_join *join = &work->joins[i];
        total = peeling_cost_of(join, tips);
        for (int k = 0; k < 2; k++)
            if (join->child[k] >= tips) total += below[join->child[k]];
        below[join->to] = total;
    }
    uint32_t least = total;
    for (uint32_t most = total / 2; most > PEELING_COST_TIPS; most -= most / 8 + 1) {
        const uint32_t time = peeling_try_cut(work, tips, most, workers, below, part_of, &subtrees->count);
        if (time < least && subtrees->count <= most_roots) least = time, best = most;
    }
    subtrees->count = 0;
    if (best == 0) return;
    peeling_try_cut(work, tips, best, workers, below, part_of, &subtrees->count);
    for (uint32_t i = 0; i < work->join_count; i++) {
        uint8_t *of = &part_of[work->joins[i].to];
        if (*of == PEELING_THE_REST) *of = (uint8_t)subtrees->count;
    }
}

#endif
