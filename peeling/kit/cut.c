#include "peeling/kit/cut.h"

#include <stdlib.h>

/* --- One part ---------------------------------------------------------------------------------------------------- */

/* One part's program; see peeling_program_of_subtrees. scratch [vectors]: where each vector is.

   The flag is set where `unscaled` joins or more would follow the last rescaling. Two children may each have
   unscaled - 1 such joins below them, so at most 2 unscaled - 1 joins lie between two rescalings. The best path through
   them changes its state on at most 2 unscaled - 1 branches, and each change multiplies by its probability.
     doubles, unscaled 4: seven changes fit if each is as likely as 1e-40
     floats, unscaled 1:  one change fits if it is as likely as 1e-38
     floats, unscaled 2:  three changes fit only if each is as likely as 2e-13
   The last is too large: on an ordinary branch of 0.0005, a change of all three nucleotides of a codon is less likely
   than that. States that are not the best yet, but may become it, are lost even earlier. So floats are rescaled after
   every join (host.c). One of the check's shapes fails if they are rescaled after every second join. */
static uint32_t program_of(const peeling_work *work, uint32_t tips, uint32_t unscaled, peeling_join *program,
                           uint32_t *scratch) {
    uint32_t slots = 0, vacant = 0;                // vacant: the first free slot's number plus 1, or 0
    uint32_t next[PEELING_SLOTS_MOST];             // [slots]: the next free slot of that list
    uint32_t joined[PEELING_SLOTS_MOST], last = 0; // [slots], and for the last result: joins since its rescaling
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
        } else if (slots < PEELING_SLOTS_MOST) {
            step->to = PEELING_SLOT + slots++;
        } else {
            return PEELING_SLOTS_MOST + 1; // the joins are not in the order of peeling_tree_work
        }
        if (step->to != PEELING_LAST) joined[step->to - PEELING_SLOT] = since;
        scratch[join->to] = step->to;
    }
    return slots;
}

/* --- Part by part ------------------------------------------------------------------------------------------------ */

uint32_t peeling_program_of_subtrees(const peeling_work *work, uint32_t tips, uint32_t unscaled,
                                     peeling_subtrees *parts, peeling_join *program, uint32_t *scratch,
                                     const uint8_t *part_of) {
    uint32_t slots = 0, begin = 0;
    if (parts->count == 0) {
        parts->first[0] = 0;
        parts->first[1] = work->join_count;
        return program_of(work, tips, unscaled, program, scratch);
    }
    peeling_join *joins = malloc(sizeof *joins * work->join_count);
    if (joins == NULL) return PEELING_SLOTS_MOST + 1;
    for (uint32_t p = 0; p <= parts->count; p++) {
        peeling_work part = {NULL, joins, 0, 0, 0};
        for (uint32_t i = 0; i < work->join_count; i++)
            if (part_of[work->joins[i].to] == p) joins[part.join_count++] = work->joins[i];
        parts->first[p] = begin;
        const uint32_t need = program_of(&part, tips, unscaled, program + begin, scratch);
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

/* --- Where to cut ------------------------------------------------------------------------------------------------ */

enum { THE_REST = 255 };

/* What joins take, in thirds of one with a tip and an inner child; and a launch. */
enum { COST_TIPS = 2, COST_ONE_EACH = 3, COST_INNER = 5, COST_LAUNCH = 8 };
static uint32_t cost_of(const peeling_join *join, uint32_t tips) {
    const int inner = (join->child[0] >= tips) + (join->child[1] >= tips);
    return inner == 0 ? COST_TIPS : inner == 1 ? COST_ONE_EACH : COST_INNER;
}
/* Subtrees that take `most` or less, as many as there are; the time of all, `workers` at a time, and of the rest. */
static uint32_t try_cut(const peeling_work *work, uint32_t tips, uint32_t most, uint32_t workers, const uint32_t *below,
                        uint8_t *part_of, uint32_t *count) {
    uint32_t load[PEELING_SUBTREES_MOST] = {0}, root_cost[PEELING_SUBTREES_MOST], rest = 0;
    *count = 0;
    for (uint32_t i = work->join_count; i-- > 0;) { // parents first
        const peeling_join *join = &work->joins[i];
        const uint32_t cost = cost_of(join, tips), all = below[join->to];
        uint8_t mine = part_of[join->to]; // as its parent says
        if (i + 1 == work->join_count) mine = THE_REST;
        if (mine == THE_REST && all <= most && all > COST_TIPS && *count < PEELING_SUBTREES_MOST) {
            mine = (uint8_t)*count;
            root_cost[(*count)++] = all;
        }
        if (mine == THE_REST) rest += cost;
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
    return *count > 1 ? longest + rest + COST_LAUNCH : UINT32_MAX;
}
void peeling_cut(const peeling_work *work, uint32_t tips, uint32_t workers, uint32_t most_roots, uint32_t *below,
                 uint8_t *part_of, peeling_subtrees *subtrees) {
    uint32_t total = 0, best = 0;
    subtrees->count = 0;
    if (workers < 2 || work->join_count < 4) return;
    if (workers > PEELING_SUBTREES_MOST) workers = PEELING_SUBTREES_MOST;
    for (uint32_t i = 0; i < work->join_count; i++) {
        const peeling_join *join = &work->joins[i];
        total = cost_of(join, tips);
        for (int k = 0; k < 2; k++)
            if (join->child[k] >= tips) total += below[join->child[k]];
        below[join->to] = total;
    }
    uint32_t least = total;
    for (uint32_t most = total / 2; most > COST_TIPS; most -= most / 8 + 1) {
        const uint32_t time = try_cut(work, tips, most, workers, below, part_of, &subtrees->count);
        if (time < least && subtrees->count <= most_roots) least = time, best = most;
    }
    subtrees->count = 0;
    if (best == 0) return;
    try_cut(work, tips, best, workers, below, part_of, &subtrees->count);
    for (uint32_t i = 0; i < work->join_count; i++) {
        uint8_t *of = &part_of[work->joins[i].to];
        if (*of == THE_REST) *of = (uint8_t)subtrees->count;
    }
}
