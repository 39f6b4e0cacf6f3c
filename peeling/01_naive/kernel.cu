/* 01_naive: one thread per entry, everything from global memory.

   Idea (the paper's starting point): the partials of a node are R x C x S numbers that do not depend on each other. So
   each gets a thread, which sums over the S states of both children. Transition matrices: one thread per entry.
   Changed, against the serial code: the loops over rate classes, patterns and states have become threads.
   Expected: far from any limit. Neighbouring threads have neighbouring states s, and row s + 1 of the matrix is S
   numbers after row s. So a warp's load of P[s][j] touches 32 sectors for 32 numbers.
   Measured: 10.6 ms on an H200 (62 taxa, 3,600 codons, doubles), 0.019 of its limit, about as fast as 16 CPU cores.
   See: warpladder explain peeling/01_naive */
#include "peeling/kit/stage.h"

enum { BLOCK = 256 };

/* P^(r) = identity + E diag(factor) E^-1: one thread per entry (i, j) of one edge and rate class. */
template <typename real> static __global__ void transition(peeling_task task) {
    const size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded, R = task.rates;
    if (thread >= task.edge_count * R * W * W) return;
    const uint32_t j = (uint32_t)(thread % W), i = (uint32_t)(thread / W % W);
    const size_t matrix = thread / (W * W), edge = matrix / R, r = matrix % R;
    double sum = 0;
    for (uint32_t k = 0; k < task.states; k++)
        sum += task.right[i * W + k] * task.factor[matrix * W + k] * task.left[k * W + j];
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, (uint32_t)r); // [s][j]
    P[i * W + j] = (real)peeling_probability(&task, i, j, sum);
}

/* The paper's equation 3: one thread per entry (r, c, s) of node u. */
template <typename real> static __global__ void naive(peeling_task task, peeling_join join) {
    const size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, W = task.padded, C = task.patterns;
    if (thread >= task.rates * C * W) return;
    const uint32_t s = (uint32_t)(thread % W), r = (uint32_t)(thread / (C * W));
    const size_t c = thread / W % C;
    const real *P1 = peeling_matrix<real>(&task, join.matrix[0], r); // [s][j]
    const real *P2 = peeling_matrix<real>(&task, join.matrix[1], r);
    const real *F1 = peeling_vector<real>(&task, join.child[0], r, c); // [j]
    const real *F2 = peeling_vector<real>(&task, join.child[1], r, c);
    real sum1 = 0, sum2 = 0;
    for (uint32_t j = 0; j < W; j++) {
        sum1 += P1[s * W + j] * F1[j];
        sum2 += P2[s * W + j] * F2[j];
    }
    peeling_partial<real>(&task, join.to, r, c)[s] = sum1 * sum2;
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
    const size_t threads = s->task.rates * (size_t)s->task.patterns * s->task.padded;
    for (uint32_t i = 0; i < s->join_count; i++) {
        naive<real><<<peeling_blocks(threads, BLOCK), BLOCK>>>(s->task, s->joins[i]);
        WL_LAUNCHED();
        WL_TRY(PEELING_ON(peeling_rescaled)(s, &s->joins[i]));
    }
    return WL_OK;
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

/* No padding: each thread has an entry that counts. */
static uint32_t padded(uint32_t states) { return states; }

PEELING_STAGE(.idea = "a thread an entry, all from global memory", .source = "Suchard & Rambaut 2009, equation 3",
              .padded = padded, .tips_as_vectors = 1, .matrices = matrices, .joins = joins)
