/* 03_shared: the paper's Algorithm 1, a block of columns around one matrix.

   Idea (the paper's): within a rate class, all columns need the same two matrices. Within a column, all states need the
   same two vectors. A block of S x CBS threads prefetches the vectors of CBS columns and then the matrices, PBS columns
   at a time, into shared memory. Each thread sums up its entry from there.
   Changed: CBS = PBS = 8 for codons (16 for amino acids), so each of 512 threads prefetches a number of both matrices
   per chunk. For four states a block has 128 columns, with the matrices in shared memory. The matrices are made in
   peeling/kit/blocked_matrices.cu.
   Expected: a matrix is read once per 8 columns, a vector once instead of S / 32 x S times. Shared memory is the limit.
   Measured: on an H200 1.7 times as fast in doubles, 1.4 in floats (codons); nucleotides are no faster.
   See: warpladder explain peeling --model GY94+G4 --taxa 4 --patterns 64 */
#include "peeling/kit/shared_blocks.h"

enum { BLOCK = PEELING_BLOCK, FOUR_BLOCK = PEELING_FOUR_STATES_BLOCK };

/* Blocks of W x CBS threads. Thread (s, k) has state s of the block's column k. */
template <typename real, int W>
static __global__ void __launch_bounds__(BLOCK, PEELING_BLOCKS_OF_512) shared(peeling_task task, peeling_join join) {
    enum { CBS = BLOCK / W, PBS = BLOCK / W };
    __shared__ __align__(16) real F[2][CBS][W]; // both children: [k][j]
    __shared__ real P[2][PBS][W];               // [j][s]
    const uint32_t s = threadIdx.x, k = threadIdx.y, r = blockIdx.y;
    const size_t c = blockIdx.x * (size_t)CBS + k;
    const bool here = c < task.patterns;
    const real *P1 = peeling_matrix<real>(&task, join.matrix[0], r) + k * W + s;
    const real *P2 = peeling_matrix<real>(&task, join.matrix[1], r) + k * W + s;
    F[0][k][s] = here ? peeling_vector<real>(&task, join.child[0], r, c)[s] : 0;
    F[1][k][s] = here ? peeling_vector<real>(&task, join.child[1], r, c)[s] : 0;
    real sum1 = 0, sum2 = 0;
    peeling_four<real> F1, F2;
    for (int first = 0; first < W; first += PBS) {
        P[0][k][s] = P1[first * W];
        P[1][k][s] = P2[first * W];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < PBS; j++) {
            if (j % 4 == 0) { // four numbers of the column at once, the same for the whole warp
                F1 = peeling_load_four(&F[0][k][first + j]);
                F2 = peeling_load_four(&F[1][k][first + j]);
            }
            sum1 += P[0][j][s] * F1.s[j % 4];
            sum2 += P[1][j][s] * F2.s[j % 4];
        }
        __syncthreads(); // no thread reads this chunk any more
    }
    if (here) peeling_partial<real>(&task, join.to, r, c)[s] = sum1 * sum2;
}

/* Four states: one thread per (r, c). Threads share the matrices; no other thread needs this one's vectors. */
template <typename real>
static __global__ void __launch_bounds__(FOUR_BLOCK) shared_four(peeling_task task, peeling_join join) {
    __shared__ __align__(16) real P[2][16]; // [j][s]
    const uint32_t r = blockIdx.y, of = threadIdx.x / 16;
    const size_t c = blockIdx.x * (size_t)FOUR_BLOCK + threadIdx.x;
    if (of < 2) P[of][threadIdx.x % 16] = peeling_matrix<real>(&task, join.matrix[of], r)[threadIdx.x % 16];
    __syncthreads();
    if (c >= task.patterns) return;
    const peeling_four<real> F1 = peeling_load_four(peeling_vector<real>(&task, join.child[0], r, c));
    const peeling_four<real> F2 = peeling_load_four(peeling_vector<real>(&task, join.child[1], r, c));
    peeling_store_four(peeling_partial<real>(&task, join.to, r, c),
                       peeling_product_four(peeling_through_four(P[0], F1), peeling_through_four(P[1], F2)));
}

template <typename real> static wl_status joins_of(peeling_state *s) {
    return peeling_node_by_node(s, shared_four<real>, shared<real, 32>, shared<real, 64>, true);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

PEELING_STAGE(.idea = "blocks of columns, vectors and matrices prefetched",
              .source = "Suchard & Rambaut 2009, Algorithm 1, Figure 1", .padded = peeling_padded_to_warps,
              .tips_as_vectors = 1, .matrices = PEELING_ON(peeling_blocked_matrices), .joins = joins)
