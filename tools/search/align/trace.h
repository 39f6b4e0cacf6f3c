/* The best alignment of two whole sequences, end to end, with its path. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "sw/core/pair.h"

/* Cells that are traced directly, at a byte each; what has more is halved first. */
#define SW_TRACE_CELLS ((size_t)32 << 20)

/* The path from corner to corner: 'M', 'I' (a query's residue against a gap) and 'D' (a subject's) into path [m + n +
   1], a string. Among equals, chosen from the end: a pair before 'I' before 'D', and a gap that goes on before one
   that opens. `direct`: SW_TRACE_CELLS, or less, to see that the result does not depend on it. *score: the
   alignment's. barred: NULL, or pairs that the path must not have. */
wl_status sw_trace(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                   size_t direct, const sw_barred *barred, char *path, int *score);
