/* The warp that copies matrices and codes ahead of those that compute, for stages 10 and 12. */
#pragma once

#include "harness/device/copy_bulk.h"
#include "peeling/kit/program.h"
#include "peeling/kit/rows.h"
#include "peeling/kit/streamed.h"

/* Lanes of a warp that arrive at a barrier. __syncwarp orders what the others did before the first one's arrival, but compute-sanitizer's
   racecheck does not know that: a few false reports in some shapes, none if all lanes arrive (-DWL_EVERY_LANE_ARRIVES). */
#ifdef WL_EVERY_LANE_ARRIVES
enum { ARRIVING = PEELING_WARP };
#else
enum { ARRIVING = 1 };
#endif

/* What a block needs of memory, in the order in which it needs it. L says what a stage of shared memory has: STAGE bytes, of which a tip's
   matrix takes TIP_BYTES and the codes of the block's WIDTH patterns CODES, or another's matrix INNER_BYTES. */
template <typename L>
static __device__ __forceinline__ void copy_ahead(const peeling_task *task, const uint16_t *code, uint32_t row,
                                                  const peeling_subtrees *parts, uint32_t first_part, uint32_t jobs,
                                                  uint32_t blocks, uint32_t stages, char *stage_at, wl_mbarrier *full,
                                                  wl_mbarrier *empty) {
    const uint32_t tiles = (task->patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 1; // of the phase in which the stage was emptied; at first it is empty
    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t block = job % blocks, r = block / tiles, c0 = block % tiles * L::WIDTH;
        const peeling_join *list = task->joins + parts->first[first_part + job / blocks];
        const uint32_t joins = parts->first[first_part + job / blocks + 1] - parts->first[first_part + job / blocks];
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t child = k ? join.child[1] : join.child[0];
                const uint32_t matrix = (k ? join.matrix[1] : join.matrix[0]) & ~PEELING_RESCALE;
                char *to = stage_at + (size_t)stage * L::STAGE;
                wl_mbarrier_wait(&empty[stage], parity);
                const bool tip = child < task->tips;
                const uint32_t bytes = tip ? L::TIP_BYTES : L::INNER_BYTES;
                wl_mbarrier_expect(&full[stage], bytes + (tip ? L::CODES : 0));
                wl_copy_bulk(to, peeling_row_matrix(task, matrix, r), bytes, &full[stage]);
                if (tip) wl_copy_bulk(to + bytes, code + (size_t)child * row + c0, L::CODES, &full[stage]);
                if (++stage == stages) stage = 0, parity ^= 1;
            }
            join = next;
        }
    }
}
