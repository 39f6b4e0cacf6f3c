/* What a block of stage 10 has in shared memory. */
#pragma once

#include "peeling/kit/copy_ahead.h"

/* A block has TEAMS x 16 patterns; SPLIT warps share 16, or one has M times 16. In shared memory, in bytes: barriers, stages, and buffers of F with (SPLIT > 1) their largest entries. */
template <typename real, int W, int TEAMS, int SPLIT, int M> struct layout {
    enum {
        WARPS = TEAMS * SPLIT / M,
        THREADS = (WARPS + 1) * PEELING_WARP,
        WIDTH = TEAMS * PEELING_ROWS,
        LASTS = SPLIT > 1 ? 2 : 0,                            // buffers before the slots
        ROOTS = LASTS + (int)(PEELING_STORED - PEELING_SLOT), // from this number on they are roots of subtrees
        BARRIERS = 256,                                       // [STAGES_MOST] full, [STAGES_MOST] empty, [TEAMS]
        CODES = WIDTH * (int)sizeof(uint16_t),
        TIP_BYTES = peeling_rows<real, W>::BYTES,
        INNER_BYTES = peeling_rows<real, W>::PIECES,
        TIP_STAGE = TIP_BYTES + (CODES + 127) / 128 * 128,
        STAGE = TIP_STAGE > INNER_BYTES ? TIP_STAGE : INNER_BYTES,
        TEAM_NUMBERS = W * PEELING_ROWS, // of a buffer of F
        TOPS = SPLIT > 1 ? WARPS *PEELING_ROWS *(int)sizeof(uint32_t) : 0,
        BUFFER = TEAMS * TEAM_NUMBERS * (int)sizeof(real) + TOPS,
        SUMS = SPLIT > 1 ? WARPS *PEELING_ROWS *(int)sizeof(double) : 0,
        EDGE = BARRIERS + SUMS,
        /* In a part's root: after F, tops [SPLIT][PEELING_ROWS] and exponents [PEELING_ROWS]. */
        STORED_TOPS = TEAM_NUMBERS * (int)sizeof(real),
        STORED = STORED_TOPS + (SPLIT + 1) * PEELING_ROWS * 4
    };
};
