/* 02_coalesced: neighbouring threads read neighbouring numbers.

   Idea (the paper's): memory delivers sectors, not numbers. A warp's threads are neighbouring states s, so P[s][j] of
   one j should lie side by side for all s. Zeros pad the states to whole warps, 20 to 32 and 61 to 64.
   Changed: [s][j] became [j][s], and S a multiple of 32. With four states, a thread has all four entries of an (r, c).
   Expected: a load of P touches 4 sectors instead of 32 (doubles: 8), with as many requests as before.
   Measured: on an H200 2.1 times as fast in floats, 1.3 times in doubles (62 taxa, 3,600 codons).
   See: warpladder explain peeling --model GY94+G4 --taxa 4 --patterns 64 */
#include "peeling/kit/shared_blocks.h"

enum { BLOCK = 256 };

/* P^(r) = identity + E diag(factor) E^-1: one thread per entry (i, j) of one edge and rate class. Neighbouring threads
   have neighbouring j, which suits the 2 S loads. The one store then goes to 32 rows. */
template <typename real> static __global__ void transition(peeling_task task) {
    const size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded, R = task.rates;
    if (thread >= task.edge_count * R * W * W) return;
    const uint32_t j = (uint32_t)(thread % W), i = (uint32_t)(thread / W % W);
    const size_t matrix = thread / (W * W), edge = matrix / R, r = matrix % R;
    const double *right = task.right + i * W, *factor = task.factor + matrix * W, *left = task.left + j;
    double sum = 0;
    for (uint32_t k = 0; k < task.states; k++) sum += right[k] * factor[k] * left[k * W];
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, (uint32_t)r); // [j][i]
    P[j * W + i] = (real)peeling_probability(&task, i, j, sum);
}

/* The paper's equation 3: one thread per entry (r, c, s) of node u, in blocks of W x (BLOCK / W) threads. */
template <typename real>
static __global__ void __launch_bounds__(BLOCK) coalesced(peeling_task task, peeling_join join) {
    const uint32_t W = task.padded, s = threadIdx.x, r = blockIdx.y;
    const size_t c = blockIdx.x * (size_t)blockDim.y + threadIdx.y;
    if (c >= task.patterns) return;
    const real *P1 = peeling_matrix<real>(&task, join.matrix[0], r) + s; // [j][s]
    const real *P2 = peeling_matrix<real>(&task, join.matrix[1], r) + s;
    const real *F1 = peeling_vector<real>(&task, join.child[0], r, c); // [j]
    const real *F2 = peeling_vector<real>(&task, join.child[1], r, c);
    real sum1 = 0, sum2 = 0;
    for (uint32_t j = 0; j < W; j++) {
        sum1 += P1[j * W] * F1[j];
        sum2 += P2[j * W] * F2[j];
    }
    peeling_partial<real>(&task, join.to, r, c)[s] = sum1 * sum2;
}

/* Four states: one thread per (r, c). */
template <typename real>
static __global__ void __launch_bounds__(BLOCK) coalesced_four(peeling_task task, peeling_join join) {
    const uint32_t r = blockIdx.y;
    const size_t c = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (c >= task.patterns) return;
    const peeling_four<real> F1 = peeling_load_four(peeling_vector<real>(&task, join.child[0], r, c));
    const peeling_four<real> F2 = peeling_load_four(peeling_vector<real>(&task, join.child[1], r, c));
    peeling_store_four(peeling_partial<real>(&task, join.to, r, c),
                       peeling_product_four(peeling_through_four(peeling_matrix<real>(&task, join.matrix[0], r), F1),
                                            peeling_through_four(peeling_matrix<real>(&task, join.matrix[1], r), F2)));
}

template <typename real> static wl_status matrices_of(peeling_state *s) {
    const size_t threads = (size_t)s->task.edge_count * s->task.rates * s->task.padded * s->task.padded;
    transition<real><<<peeling_blocks(threads, BLOCK), BLOCK>>>(s->task);
    WL_LAUNCHED();
    return WL_OK;
}
static wl_status matrices(peeling_state *s) { return PEELING_BY_PRECISION(matrices_of, s); }

/* One launch per node, and a second one to rescale it. */
template <typename real> static wl_status joins_of(peeling_state *s) {
    const uint32_t W = s->task.padded, columns = BLOCK / (W == 4 ? 1 : W);
    const dim3 grid(peeling_blocks(s->task.patterns, columns), s->task.rates);
    for (uint32_t i = 0; i < s->join_count; i++) {
        if (W == 4)
            coalesced_four<real><<<grid, BLOCK>>>(s->task, s->joins[i]);
        else
            coalesced<real><<<grid, dim3(W, columns)>>>(s->task, s->joins[i]);
        WL_LAUNCHED();
        WL_TRY(PEELING_ON(peeling_rescaled)(s, &s->joins[i]));
    }
    return WL_OK;
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

PEELING_STAGE(.idea = "matrices transposed, states padded: whole sectors",
              .source = "Suchard & Rambaut 2009, coalesced reads and padding", .padded = peeling_padded_to_warps,
              .tips_as_vectors = 1, .matrices = matrices, .joins = joins)
