/* 06_levels: all joins of a level in one launch.

   Idea: joins of one level of the tree do not depend on each other. A launch costs a few microseconds, and a join of
   100 patterns has work for only a few multiprocessors. 61 joins have about 13 levels, and a level has more work.
   Changed: a launch has the blocks of all joins of a level, and each block looks its join up in the list. The join is
   the same code as in 05 (peeling/kit/registers.h, peeling/kit/four.h).
   Expected: fewer launches, and less waiting for the last block of each. Few patterns gain most, many patterns nothing.
   Measured: on an H200 1.4 times as fast with 3,600 codons, 2.6 with 10,000 nucleotides, 1.0 with a million.
   See: warpladder run peeling/05* peeling/06* --patterns 100 */
#include "peeling/kit/four.h"
#include "peeling/kit/matrices.h"
#include "peeling/kit/registers.h"

/* What a block computes. Block numbers count rate classes first, then tiles of patterns, then joins. */
typedef struct {
    const peeling_join *join;
    uint32_t r;
    size_t tile;
} place;
static __device__ __forceinline__ place place_of(const peeling_task *task, uint32_t first, uint32_t tiles) {
    const uint32_t tile = blockIdx.x / task->rates;
    return place{task->joins + first + tile / tiles, blockIdx.x % task->rates, tile % tiles};
}

/* The joins of a level, from number `first` on. */
template <typename shape>
static __global__ void __launch_bounds__(shape::THREADS, shape::RESIDENT)
    level(peeling_task task, uint32_t first, uint32_t tiles) {
    __shared__ peeling_chunk<shape> chunk[2];
    const place at = place_of(&task, first, tiles);
    const peeling_join join = *at.join;
    peeling_join_tile<shape>(&task, &join, at.r, at.tile * shape::PATTERNS, chunk);
}

template <typename real, int EACH>
static __global__ void __launch_bounds__(PEELING_FOUR_BLOCK, PEELING_FOUR_FULL)
    level_of_four(peeling_task task, uint32_t first, uint32_t tiles) {
    __shared__ __align__(16) real table[2][PEELING_SETS][PEELING_FOUR];
    const place at = place_of(&task, first, tiles);
    const peeling_join join = *at.join;
    peeling_join_four<real, EACH>(&task, &join, at.r, at.tile * (EACH * PEELING_FOUR_BLOCK), table);
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

template <typename real, int W> static wl_status joins_of(peeling_state *s) {
    typedef typename peeling_shapes<real, W>::large large;
    typedef typename peeling_shapes<real, W>::small small;
    const unsigned tiles = peeling_blocks(s->task.patterns, large::PATTERNS);
    const unsigned small_tiles = peeling_blocks(s->task.patterns, small::PATTERNS);
    for (uint32_t l = 0; l < s->levels; l++) {
        const unsigned first = s->first_join[l], each = (s->first_join[l + 1] - first) * s->task.rates;
        if (peeling_takes_large(s, each * tiles, 1))
            level<large><<<each * tiles, large::THREADS>>>(s->task, first, tiles);
        else
            level<small><<<each * small_tiles, small::THREADS>>>(s->task, first, small_tiles);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real> static wl_status joins_of_four(peeling_state *s) {
    enum { MANY = peeling_four_each<real>::MANY };
    const unsigned tiles = peeling_blocks(s->task.patterns, MANY * PEELING_FOUR_BLOCK);
    const unsigned small_tiles = peeling_blocks(s->task.patterns, PEELING_FOUR_BLOCK);
    for (uint32_t l = 0; l < s->levels; l++) {
        const unsigned first = s->first_join[l], each = (s->first_join[l + 1] - first) * s->task.rates;
        if (peeling_takes_large(s, each * tiles, PEELING_FOUR_FULL))
            level_of_four<real, MANY><<<each * tiles, PEELING_FOUR_BLOCK>>>(s->task, first, tiles);
        else
            level_of_four<real, 1><<<each * small_tiles, PEELING_FOUR_BLOCK>>>(s->task, first, small_tiles);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real> static wl_status joins_in(peeling_state *s) {
    if (s->task.padded == 4) return joins_of_four<real>(s);
    return s->task.padded == 20 ? joins_of<real, 20>(s) : joins_of<real, 64>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_in, s); }

PEELING_STAGE(.idea = "all joins of a level in one launch", .source = "Warpladder", .padded = peeling_padded,
              .factors_within = 1, .matrices = PEELING_ON(peeling_matrices), .joins = joins)
