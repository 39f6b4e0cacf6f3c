/* Transition matrices of all edges and rate classes in one launch, transposed: column j, row s at [j * padded + s].

   P^T = identity + (E diag(factor) E^-1)^T takes 64 x 64 x 64 double-precision multiplications. A warp computes 16
   columns by itself. E stays in shared memory. The warp computes its factors, loads its 16 columns of E^-1 and
   multiplies them by the factors. 122 edges with four rate classes make 1,952 such pieces, about two for each warp of
   an H200. */
#include "peeling/kit/matrices.h"

#include "peeling/kit/factor.h"
#include "peeling/kit/tile.h"
#include "peeling/model/generator.h"

enum {
    BLOCK = 128,
    WARPS = BLOCK / PEELING_WARP,
    PER_MULTIPROCESSOR = 2, // blocks: two rounds of pieces are then nearly full
    CODONS = 64             // padded
};

/* Stores two neighbouring numbers of P. */
static __device__ __forceinline__ void peeling_put_two(float *to, const double *x) {
    *(float2 *)to = make_float2((float)x[0], (float)x[1]);
}
static __device__ __forceinline__ void peeling_put_two(double *to, const double *x) {
    *(double2 *)to = make_double2(x[0], x[1]);
}

template <typename real>
static __global__ void __launch_bounds__(BLOCK, PER_MULTIPROCESSOR)
    peeling_matrices_of_codons(peeling_task task, uint32_t pieces) {
    enum { W = CODONS, LS = 8, COLUMNS = 4, K = 16, PIECE = COLUMNS * PEELING_WARP / LS };
    enum { E_ROW = W + 2, ROW = peeling_row<double, K>::APART, PARTS = W / PIECE, STEPS = K * PIECE / PEELING_WARP };
    typedef peeling_states<double, W, LS> states;
    __shared__ __align__(16) double E[W * E_ROW]; // [k][s]: rows padded by two, because they are written by columns
    __shared__ __align__(16) double column[WARPS][PIECE * ROW]; // [j][k]
    __shared__ double factor[WARPS][W];
    const int lane = threadIdx.x % PEELING_WARP, warp = threadIdx.x / PEELING_WARP;
    for (int i = threadIdx.x; i < W * W; i += BLOCK) E[i % W * E_ROW + i / W] = task.right[i];
    __syncthreads();

    const int first_state = peeling_lane_state<LS>(lane) * states::PIECE, first = peeling_lane_column<LS>(lane);
    double *mine = column[warp];
    for (uint32_t piece = blockIdx.x + gridDim.x * warp; piece < pieces; piece += gridDim.x * WARPS) {
        const uint32_t matrix = piece / PARTS, edge = matrix / task.rates, r = matrix % task.rates;
        const uint32_t j0 = piece % PARTS * PIECE;
        for (int k = lane; k < W; k += PEELING_WARP) factor[warp][k] = peeling_factor_of(&task, edge, r, k);
        __syncwarp();
        double sum[COLUMNS][states::COUNT] = {};
        /* Half a warp loads 16 columns of a row of E^-1. The next 16 rows come while the last 16 are multiplied. */
        const double *from = task.left + lane / PIECE * W + j0 + lane % PIECE;
        double next[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) next[i] = from[2 * i * W];
        for (int k0 = 0; k0 < W; k0 += K) {
#pragma unroll
            for (int i = 0; i < STEPS; i++) {
                const int k = 2 * i + lane / PIECE;
                mine[lane % PIECE * ROW + k] = next[i] * factor[warp][k0 + k];
            }
            __syncwarp();
            if (k0 + K < W)
#pragma unroll
                for (int i = 0; i < STEPS; i++) next[i] = from[(k0 + K + 2 * i) * W];
            peeling_tile_multiply<double, W, LS, COLUMNS, K, E_ROW, PIECE / COLUMNS * ROW>(E + k0 * E_ROW + first_state,
                                                                                           mine + first * ROW, sum);
            __syncwarp();
        }
        real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, r); // [j][s]
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const uint32_t j = j0 + first + c * (PIECE / COLUMNS);
#pragma unroll
            for (int i = 0; i < states::COUNT; i += 2) {
                const uint32_t s = first_state + states::at(i);
                const double two[] = {peeling_probability(&task, s, j, sum[c][i]),
                                      peeling_probability(&task, s + 1, j, sum[c][i + 1])};
                peeling_put_two(P + j * W + s, two);
            }
        }
    }
}

/* Four states: 16 lanes per matrix, one entry per lane. A lane computes one factor, and four lanes exchange theirs. */
template <typename real> static __global__ void peeling_matrices_of_four(peeling_task task) {
    enum { W = 4 };
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, matrices = (size_t)task.edge_count * task.rates;
    const bool here = i / (W * W) < matrices; // lanes without a matrix stay: the shuffles need all lanes
    const size_t matrix = here ? i / (W * W) : 0, edge = matrix / task.rates, r = matrix % task.rates;
    const uint32_t s = i % W, j = i / W % W;
    const double factor = peeling_factor_of(&task, edge, r, s);
    double sum = 0;
#pragma unroll
    for (int k = 0; k < W; k++)
        sum += task.right[s * W + k] * __shfl_sync(0xffffffffu, factor, k, W) * task.left[k * W + j];
    if (here)
        peeling_matrix<real>(&task, task.edges[edge].matrix, (uint32_t)r)[j * W + s] =
            (real)peeling_probability(&task, s, j, sum);
}

/* Any other number of states: one block per matrix. There is so little work that the launch takes longer. */
template <typename real> static __global__ void peeling_matrices_of_any(peeling_task task) {
    __shared__ double factor[PEELING_STATES_MOST];
    const uint32_t W = task.padded, edge = blockIdx.x / task.rates, r = blockIdx.x % task.rates;
    for (uint32_t k = threadIdx.x; k < W; k += blockDim.x) factor[k] = peeling_factor_of(&task, edge, r, k);
    __syncthreads();
    real *P = peeling_matrix<real>(&task, task.edges[edge].matrix, r); // [j][s]
    for (uint32_t i = threadIdx.x; i < W * W; i += blockDim.x) {
        const uint32_t s = i % W, j = i / W;
        double sum = 0;
        for (uint32_t k = 0; k < task.states; k++) sum += task.right[s * W + k] * factor[k] * task.left[k * W + j];
        P[j * W + s] = (real)peeling_probability(&task, s, j, sum);
    }
}

template <typename real> static wl_status matrices_as(peeling_state *s) {
    const size_t matrices = (size_t)s->task.edge_count * s->task.rates;
    if (s->task.padded == CODONS) {
        /* Each block loads E, so there are no more blocks than fit on the device at once. */
        const size_t pieces = matrices * 4, most = (size_t)s->multiprocessors * PER_MULTIPROCESSOR;
        peeling_matrices_of_codons<real>
            <<<(unsigned)(pieces < most ? pieces : most), BLOCK>>>(s->task, (uint32_t)pieces);
    } else if (s->task.padded == 4) {
        peeling_matrices_of_four<real><<<peeling_blocks(matrices * 16, 128), 128>>>(s->task);
    } else {
        peeling_matrices_of_any<real><<<(unsigned)matrices, 256>>>(s->task);
    }
    WL_LAUNCHED();
    return WL_OK;
}
wl_status PEELING_ON(peeling_matrices)(peeling_state *s) { return PEELING_BY_PRECISION(matrices_as, s); }
