/* Where scaling a column is not enough: see docs/likelihood.md, "How exact". */
#ifndef PEELING_CONTRADICTION_H
#define PEELING_CONTRADICTION_H

#include "peeling/problem.h"
#include "peeling/data/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At a node with many branches (joins with no length between them) every tip of another state takes a factor of about
   its branch's length off a state's partials, and a state that falls too far below the best of its column becomes 0,
   which it may not have stayed behind. Patterns, 0 .. data->patterns - 1, in which tips at one node, of each of two
   states, take off as much as `precision` holds without loss: *count of them, *first the first (undefined if none).
   Tips of several states, and subtrees, are not looked at. WL_NO_MACHINE: memory is short. */
wl_status peeling_contradictions(const peeling_tree *tree, const peeling_data *data, int states,
                                 peeling_precision precision, uint32_t *count, uint32_t *first);

#ifdef __cplusplus
}
#endif
#endif
