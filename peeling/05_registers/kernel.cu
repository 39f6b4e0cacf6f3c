/* 05_registers: a tile of states and patterns per thread.

   Idea: with one entry per thread, each multiplication loads two numbers from shared memory. A thread with 8 states of
   4 patterns loads 8 + 4 numbers for 32 multiplications. A tip with a known state needs none: P F is a column of P.
   Changed: the product of both children stays in registers. Loads have 16 bytes, and the next chunk comes while the
   last is multiplied. Tips are looked up. With four states, a thread has whole patterns (peeling/kit/four.h).
   Expected: multiplications are the limit, or memory with four states.
   Measured: 4.8 times as fast on an H200 in doubles, 4.0 in floats (codons); 1.3 with a million nucleotides.
   See: warpladder explain peeling/05_registers */
#include "peeling/kit/four.h"
#include "peeling/kit/matrices.h"
#include "peeling/kit/registers.h"

/* Block numbers count rate classes first, then tiles of patterns. */
template <typename shape>
static __global__ void __launch_bounds__(shape::THREADS, shape::RESIDENT)
    registers(peeling_task task, peeling_join join) {
    __shared__ peeling_chunk<shape> chunk[2];
    peeling_join_tile<shape>(&task, &join, blockIdx.x % task.rates, blockIdx.x / task.rates * (size_t)shape::PATTERNS,
                             chunk);
}

template <typename real, int EACH>
static __global__ void __launch_bounds__(PEELING_FOUR_BLOCK, PEELING_FOUR_FULL)
    four(peeling_task task, peeling_join join) {
    __shared__ __align__(16) real table[2][PEELING_SETS][PEELING_FOUR];
    peeling_join_four<real, EACH>(&task, &join, blockIdx.x % task.rates,
                                  blockIdx.x / task.rates * (size_t)(EACH * PEELING_FOUR_BLOCK), table);
}

/* --- Host -------------------------------------------------------------------------------------------------------- */

template <typename real, int W> static wl_status joins_of(peeling_state *s) {
    typedef typename peeling_shapes<real, W>::large large;
    typedef typename peeling_shapes<real, W>::small small;
    const unsigned R = s->task.rates, blocks = peeling_blocks(s->task.patterns, large::PATTERNS) * R;
    const unsigned more = peeling_blocks(s->task.patterns, small::PATTERNS) * R;
    for (uint32_t i = 0; i < s->join_count; i++) {
        if (peeling_takes_large(s, blocks, 1))
            registers<large><<<blocks, large::THREADS>>>(s->task, s->joins[i]);
        else
            registers<small><<<more, small::THREADS>>>(s->task, s->joins[i]);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real> static wl_status joins_of_four(peeling_state *s) {
    enum { MANY = peeling_four_each<real>::MANY };
    const unsigned R = s->task.rates, blocks = peeling_blocks(s->task.patterns, MANY * PEELING_FOUR_BLOCK) * R;
    const unsigned more = peeling_blocks(s->task.patterns, PEELING_FOUR_BLOCK) * R;
    for (uint32_t i = 0; i < s->join_count; i++) {
        if (peeling_takes_large(s, blocks, PEELING_FOUR_FULL))
            four<real, MANY><<<blocks, PEELING_FOUR_BLOCK>>>(s->task, s->joins[i]);
        else
            four<real, 1><<<more, PEELING_FOUR_BLOCK>>>(s->task, s->joins[i]);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real> static wl_status joins_in(peeling_state *s) {
    if (s->task.padded == 4) return joins_of_four<real>(s);
    return s->task.padded == 20 ? joins_of<real, 20>(s) : joins_of<real, 64>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_in, s); }

PEELING_STAGE(.idea = "register tiles of states by patterns; tips are looked up, rescaling on the way",
              .source = "Warpladder", .padded = peeling_padded, .factors_within = 1,
              .matrices = PEELING_ON(peeling_matrices), .joins = joins)
