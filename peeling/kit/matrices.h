/* Transition matrices of all edges and rate classes in one launch, for a plan's `matrices`:
   P^(r) = identity + E diag(factor) E^-1. Sums are doubles, also if P is rounded to floats. */
#pragma once

#include "peeling/kit/stage.h"

extern "C" {
/* Transposed, column j and row s at [j * padded + s]; from task.factor. padded: 4, or a multiple of 16. */
wl_status PEELING_ON(peeling_blocked_matrices)(peeling_state *s);
/* The same layout. These compute the factors themselves (`factors_within`). */
wl_status PEELING_ON(peeling_matrices)(peeling_state *s);
/* Transposed, states exchanged: [j * padded + (s ^ peeling_row_swizzle(j))] (tensor.h). padded: 32 or 64. */
wl_status PEELING_ON(peeling_tensor_matrices)(peeling_state *s);
}
