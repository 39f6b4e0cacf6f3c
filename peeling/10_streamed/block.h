/* What a block of stage 10 has in shared memory, and the warp that fills it. */
#pragma once

#include "harness/device/copy_bulk.h"
#include "peeling/10_streamed/plan.h"
#include "peeling/kit/program.h"
#include "peeling/kit/rows.h"

/* Lanes of a warp that arrive at a barrier. __syncwarp orders what the others did before the first one's arrival, but compute-sanitizer's
   racecheck does not know that: a few false reports in some shapes, none if all lanes arrive (-DWL_EVERY_LANE_ARRIVES). */
#ifdef WL_EVERY_LANE_ARRIVES
enum { ARRIVING = PEELING_WARP };
#else
enum { ARRIVING = 1 };
#endif

/* Which of a join's children comes first: the one in registers, then one in memory, then a tip. */
static __device__ __forceinline__ uint32_t first_child(const peeling_join *join, uint32_t tips) {
    return join->child[1] == PEELING_LAST || (join->child[0] < tips && join->child[1] >= tips) ? 1 : 0;
}

/* Shared memory of a block, in bytes: barriers, stages, and buffers of F with (SPLIT > 1) their largest entries. */
template <typename real, int W, int TEAMS, int SPLIT> struct layout {
    enum {
        WARPS = TEAMS * SPLIT,
        THREADS = (WARPS + 1) * PEELING_WARP,
        WIDTH = TEAMS * PEELING_ROWS,
        LASTS = SPLIT > 1 ? 2 : 0,                            // buffers before the slots
        ROOTS = LASTS + (int)(PEELING_STORED - PEELING_SLOT), // from this number on they are roots of subtrees
        BARRIERS = 256,                                       // [STAGES_MOST] full, [STAGES_MOST] empty, [TEAMS]
        CODES = WIDTH * (int)sizeof(uint16_t),
        TIP_STAGE = peeling_rows<real, W>::BYTES + (CODES + 127) / 128 * 128,
        STAGE = TIP_STAGE > (int)peeling_rows<real, W>::PIECES ? TIP_STAGE : (int)peeling_rows<real, W>::PIECES,
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

/* What a block needs of memory, in the order in which it needs it. */
template <typename real, int W, int TEAMS, int SPLIT>
static __device__ __forceinline__ void copy_ahead(const peeling_task *task, const uint16_t *code, uint32_t row,
                                                  const peeling_subtrees *parts, uint32_t first_part, uint32_t jobs,
                                                  uint32_t blocks, uint32_t stages, char *stage_at, wl_mbarrier *full,
                                                  wl_mbarrier *empty) {
    typedef layout<real, W, TEAMS, SPLIT> L;
    const uint32_t tiles = (task->patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 1; // of the phase in which the stage was emptied; at first it is empty
    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t block = job % blocks, r = block / tiles, c0 = block % tiles * L::WIDTH;
        const peeling_join *list = task->joins + parts->first[first_part + job / blocks];
        const uint32_t joins = parts->first[first_part + job / blocks + 1] - parts->first[first_part + job / blocks];
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            const uint32_t first = first_child(&join, task->tips);
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t which = k ^ first, child = which ? join.child[1] : join.child[0];
                const uint32_t matrix = (which ? join.matrix[1] : join.matrix[0]) & ~PEELING_RESCALE;
                char *to = stage_at + (size_t)stage * L::STAGE;
                wl_mbarrier_wait(&empty[stage], parity);
                const bool tip = child < task->tips;
                const uint32_t bytes = tip ? peeling_rows<real, W>::BYTES : peeling_rows<real, W>::PIECES;
                wl_mbarrier_expect(&full[stage], bytes + (tip ? L::CODES : 0));
                wl_copy_bulk(to, peeling_row_matrix(task, matrix, r), bytes, &full[stage]);
                if (tip) wl_copy_bulk(to + bytes, code + (size_t)child * row + c0, L::CODES, &full[stage]);
                if (++stage == stages) stage = 0, parity ^= 1;
            }
            join = next;
        }
    }
}
