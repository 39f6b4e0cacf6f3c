/* 04_rescaled: the largest entry is found where the entries are.

   Idea: the maximum over the states is a parallel reduction (the paper's), by the threads that computed the entries
   (ours). A warp finds its maximum by five shuffles, and two warps exchange theirs in shared memory. Then each thread
   multiplies the entry in its register by a power of two and stores it, once.
   Changed: no second launch per node. It read each entry twice and wrote it again, with one thread per column.
   Expected: half the launches, and a join's traffic is only vectors, matrices and one store.
   Measured: on an H200 1.3 times as fast in doubles, 1.6 in floats (codons); 1.6 or more with a million nucleotides.
   See: warpladder explain peeling --model GY94+G4 --taxa 4 --patterns 64 */
#include "peeling/kit/scale.h"
#include "peeling/kit/shared_blocks.h"

enum { BLOCK = PEELING_BLOCK, FOUR_BLOCK = PEELING_FOUR_STATES_BLOCK };

/* The largest of a warp's numbers. All lanes get it. */
template <typename real> static __device__ __forceinline__ real warp_most(real mine) {
    // BEGIN SOLUTION: every lane gets the largest of all lanes' numbers, by shuffles
#pragma unroll
    for (int step = PEELING_WARP / 2; step > 0; step /= 2) {
        const real other = __shfl_xor_sync(0xffffffffu, mine, step);
        mine = other > mine ? other : mine;
    }
    // END SOLUTION
    return mine;
}

/* Blocks of W x CBS threads. Thread (s, k) has state s of the block's column k. The same as stage 03 up to `entry`. */
template <typename real, int W>
static __global__ void __launch_bounds__(BLOCK, PEELING_BLOCKS_OF_512) rescaled(peeling_task task, peeling_join join) {
    enum { CBS = BLOCK / W, PBS = BLOCK / W, WARPS = W / PEELING_WARP };
    __shared__ __align__(16) real F[2][CBS][W]; // both children: [k][j]
    __shared__ real P[2][PBS][W];               // [j][s]
    __shared__ real warp[CBS][WARPS];           // each warp's maximum
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

    const real entry = sum1 * sum2;
    real most = warp_most(entry);
    if (WARPS > 1) { // a column of 64 states has two warps, which cannot shuffle with each other
        if (s % PEELING_WARP == 0) warp[k][s / PEELING_WARP] = most;
        __syncthreads();
#pragma unroll
        for (int w = 0; w < WARPS; w++) most = warp[k][w] > most ? warp[k][w] : most;
    }
    int e;
    const real scale = peeling_scale(most, &e);
    if (!here) return;
    peeling_partial<real>(&task, join.to, r, c)[s] = entry * scale;
    if (s == 0) peeling_remember(&task, &join, r, c, e);
}

/* Four states: one thread per (r, c). It has all entries itself and needs no exchange. */
template <typename real>
static __global__ void __launch_bounds__(FOUR_BLOCK) rescaled_four(peeling_task task, peeling_join join) {
    __shared__ __align__(16) real P[2][16]; // [j][s]
    const uint32_t r = blockIdx.y, of = threadIdx.x / 16;
    const size_t c = blockIdx.x * (size_t)FOUR_BLOCK + threadIdx.x;
    if (of < 2) P[of][threadIdx.x % 16] = peeling_matrix<real>(&task, join.matrix[of], r)[threadIdx.x % 16];
    __syncthreads();
    if (c >= task.patterns) return;
    const peeling_four<real> F1 = peeling_load_four(peeling_vector<real>(&task, join.child[0], r, c));
    const peeling_four<real> F2 = peeling_load_four(peeling_vector<real>(&task, join.child[1], r, c));
    peeling_four<real> F = peeling_product_four(peeling_through_four(P[0], F1), peeling_through_four(P[1], F2));
    real most = F.s[0];
#pragma unroll
    for (int s = 1; s < 4; s++) most = F.s[s] > most ? F.s[s] : most;
    int e;
    const real scale = peeling_scale(most, &e);
#pragma unroll
    for (int s = 0; s < 4; s++) F.s[s] *= scale;
    peeling_store_four(peeling_partial<real>(&task, join.to, r, c), F);
    peeling_remember(&task, &join, r, c, e);
}

template <typename real> static wl_status joins_of(peeling_state *s) {
    return peeling_node_by_node(s, rescaled_four<real>, rescaled<real, 32>, rescaled<real, 64>, false);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

PEELING_STAGE(.idea = "the maximum over the states in the join's own kernel",
              .source = "Suchard & Rambaut 2009, rescaling", .padded = peeling_padded_to_warps, .tips_as_vectors = 1,
              .matrices = PEELING_ON(peeling_blocked_matrices), .joins = joins)
