/* Lists of work: how much arithmetic they take, and which joins can be computed together. */
#pragma once

#include "harness/base/linkage.h"
#include "peeling/problem.h"

WL_C_BEGIN

extern const char *const peeling_precision_names[]; // "single", "double", NULL

double peeling_operations(const peeling_input *input);

/* The operations that are really needed. At a tip with a known state nothing is summed. A set of k
   states takes k - 1 additions for each state above. The first function counts the input's list.
   The second counts any list; additions [tips] has what peeling_tip_additions returns for each tip.
   NULL: it is computed. */
double peeling_operations_done(const peeling_input *input);
double peeling_operations_of(const peeling_input *input, const peeling_work *work, const double *additions);
double peeling_tip_additions(const peeling_data *data, uint32_t tip);

/* Joins ordered by level: a join's level is one above its children's, tips have none. Writes the joins of `work` to
   `joins` [join_count], level by level, and where each begins to `first` [levels + 1] (room for join_count + 1);
   returns the number of levels. `scratch` [vectors] of numbers. */
uint32_t peeling_levels(const peeling_work *work, uint32_t vectors, peeling_join *joins, uint32_t *first,
                        uint32_t *scratch);

WL_C_END
