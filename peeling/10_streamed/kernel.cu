/* 10_streamed: patterns stay in registers, and the matrices stream past them.

   Idea: a warp takes 16 patterns through the whole tree. What one product leaves in its registers is what the next one
   wants there, so warps do not wait for each other, and matrices can be copied several branches ahead.
   Changed: rows and columns of stage 09's product are exchanged. A warp of its own copies matrices and codes, and
   barriers in shared memory say when they have arrived. For few patterns, four warps share a pattern's states, and
   subtrees are computed side by side. Sites and total need no launch of their own.
   Expected: 0.17 ms for 62 taxa, 3,600 codon patterns and 4 rates in double precision, where stage 09 takes 0.33.
   Measured at an earlier version: 0.20 ms on an H200.
   See: warpladder run peeling/09* peeling/10* */
#include "peeling/kit/ending.h"
#include "peeling/kit/row_products.h"
#include "peeling/10_streamed/plan.h"
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

/* acc += F P of M times 16 patterns, where left(a, m, k, i) puts row i of k-step k into the left operand a of the patterns number m. What a
   lane loads of P serves them all. zero: 0, which the compiler must not know. is_short:
   peeling_is_short of the states. */
template <typename real, int W, int OWN, int M, int UNROLL, typename Left>
static __device__ __forceinline__ void peeling_row_steps(real acc[M][OWN][2][2], const Left &left, const void *P,
                                                         uint32_t first, int zero, bool is_short) {
    typedef typename peeling_operand<real>::piece piece;
    const piece *at = (const piece *)P + first * PEELING_WARP + peeling_lane(); // [W / 8][ROW / 8][lane]
#pragma unroll UNROLL
    for (uint32_t k = 0; k < W / 8; k++) {
        peeling_operand<real> a[M];
        for (int m = 0; m < M; m++) {
            for (int i = 0; i < 2; i++) left(&a[m], m, k, i);
            a[m].settle(zero);
        }
#pragma unroll
        for (uint32_t n = 0; n < OWN; n++) {
            const piece b = at[(k * (peeling_rows<real, W>::ROW / 8) + n) * PEELING_WARP];
            for (int m = 0; m < M; m++)
                if (W == 24 && k == 2 && is_short)
                    a[m].multiply_short(acc[m][n], b);
                else
                    a[m].multiply(acc[m][n], b);
        }
    }
}
/* A child in memory, in buffers F; its patterns are to be multiplied by `scale`, if SCALED. */
template <typename real, int W, int OWN, int M, bool SCALED>
static __device__ __forceinline__ void peeling_row_product_of(real acc[M][OWN][2][2], real *const F[M],
                                                              const real scale[2], const void *P, uint32_t first,
                                                              int zero, bool is_short) {
    const auto stored = [F, scale](peeling_operand<real> *a, int m, uint32_t k, int i) {
        real pair[2];
        peeling_pair(pair, peeling_pair_of(F[m], k, i));
        for (int h = 0; h < 2; h++) a->put(h, i, SCALED ? pair[h] * scale[i] : pair[h]);
    };
    peeling_row_steps<real, W, OWN, M, (M > 1 ? 1 : W / 8)>(acc, stored, P, first, zero, is_short);
}

/* A child in registers. */
template <typename real, int W, int OWN, int M>
static __device__ __forceinline__ void product(real acc[M][OWN][2][2], const real F[M][W / 8][2][2], const void *P,
                                               uint32_t first, int zero, bool is_short) {
    const auto last_result = [F](peeling_operand<real> *a, int m, uint32_t k, int i) {
        for (int h = 0; h < 2; h++) a->put(h, i, F[m][k][i][h]);
    };
    peeling_row_steps<real, W, OWN, M, W / 8>(acc, last_result, P, first, zero, is_short);
}

/* The largest entry of each pattern, among the warp's states. */
template <typename real, int OWN>
static __device__ __forceinline__ void largest(uint32_t top[2], const real acc[OWN][2][2]) {
#pragma unroll
    for (int k = 0; k < 2; k++) {
        uint32_t x = 0;
        for (int n = 0; n < OWN; n++)
            for (int p = 0; p < 2; p++) x = max(x, peeling_top(acc[n][k][p]));
        for (int s = 1; s < 4; s *= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, s));
        top[k] = x;
    }
}
/* Brings a pattern's largest entry to [1, 2). */
template <typename real, int OWN> static __device__ __forceinline__ void rescale(real acc[OWN][2][2], int exponent[2]) {
    uint32_t top[2];
    largest<real, OWN>(top, acc);
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int e;
        const real scale = peeling_scale_of_top<real>(top[k], &e);
        exponent[k] += e;
        for (int n = 0; n < OWN; n++)
            for (int p = 0; p < 2; p++) acc[n][k][p] *= scale;
    }
}
/* At the root: the sum over the warp's states, weighted with their frequencies. */
template <typename real, int W, int OWN>
static __device__ __forceinline__ void sum_of_states(double sum[2], const real F[][2][2], const peeling_task *task,
                                                     uint32_t first_own) {
    sum[0] = sum[1] = 0;
    for (uint32_t n = 0; n < OWN; n++)
        for (uint32_t p = 0; p < 2; p++)
            for (int k = 0; k < 2; k++)
                sum[k] += task->frequency[peeling_state_at<W>(task->states,
                                                              8 * (first_own + n) + 2 * (peeling_lane() % 4) + p)] *
                          (double)F[n][k][p];
    for (int k = 0; k < 2; k++)
        for (int s = 1; s < 4; s *= 2) sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], s);
}

template <typename real, int W, int TEAMS, int SPLIT, int M>
static __global__ void __launch_bounds__((TEAMS * SPLIT / M + 1) * PEELING_WARP, 1)
    streamed(const __grid_constant__ peeling_task task, const uint16_t *code, // [tips][row]
             uint32_t row, const __grid_constant__ peeling_subtrees parts, uint32_t first_part, uint32_t jobs,
             uint32_t blocks, uint32_t stages, uint32_t resident_slots,
             real *spilled,   // [blocks of the launch][spills][TEAMS][TEAM_NUMBERS]
             uint32_t spills, // slots
             char *stored,    // [parts][blocks][TEAMS] roots of parts
             peeling_ending end) {
    typedef layout<real, W, TEAMS, SPLIT, M> L;
    enum { OWN = W / 8 / SPLIT };
    extern __shared__ uint4 memory[];
    wl_mbarrier *full = (wl_mbarrier *)memory, *empty = full + STAGES_MOST, *met = empty + STAGES_MOST;
    double *sums = (double *)((char *)memory + L::BARRIERS); // [TEAMS][SPLIT][PEELING_ROWS]
    char *stage_at = (char *)memory + L::EDGE, *buffers = stage_at + (size_t)stages * L::STAGE;
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < stages; s++) {
            wl_mbarrier_init(&full[s], 1);
            wl_mbarrier_init(&empty[s], ARRIVING * L::WARPS);
        }
        for (uint32_t t = 0; t < TEAMS; t++) wl_mbarrier_init(&met[t], ARRIVING * SPLIT);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const uint32_t warp = threadIdx.x / PEELING_WARP, lane = peeling_lane();
    if (warp == L::WARPS) {
        if (lane == 0) copy_ahead<L>(&task, code, row, &parts, first_part, jobs, blocks, stages, stage_at, full, empty);
        return;
    }

    static_assert(M == 1 || SPLIT == 1, "several warps share 16 patterns, or a warp has several times 16");
    const uint32_t team = warp / SPLIT * M, part = warp % SPLIT, first_own = part * OWN; // the first of M teams
    const uint32_t tiles = (task.patterns + L::WIDTH - 1) / L::WIDTH;
    const int zero = (int)task.exchange; // it is for stages that exchange states
    const bool is_short = peeling_is_short(task.states);
    uint32_t stage = 0, parity = 0, meeting = 0;
    /* A team's part of buffer number b: of F, and (SPLIT > 1) the largest entries [SPLIT][PEELING_ROWS]. */
    uint32_t block = 0;
    auto root_of = [&](uint32_t b, int m) { // of a part
        return stored + (((size_t)(b - L::ROOTS) * blocks + block) * TEAMS + team + m) * L::STORED;
    };
    auto buffer = [&](uint32_t b, int m) -> real * {
        if (b >= L::ROOTS) return (real *)root_of(b, m);
        if (b < L::LASTS + resident_slots)
            return (real *)(buffers + (size_t)b * L::BUFFER) + (team + m) * L::TEAM_NUMBERS;
        return spilled +
               (((size_t)blockIdx.x * spills + (b - L::LASTS - resident_slots)) * TEAMS + team + m) * L::TEAM_NUMBERS;
    };
    auto tops = [&](uint32_t b) -> uint32_t * {
        if (b >= L::ROOTS) return (uint32_t *)(root_of(b, 0) + L::STORED_TOPS);
        return (uint32_t *)(buffers + (size_t)b * L::BUFFER + L::BUFFER - L::TOPS) + team * SPLIT * PEELING_ROWS;
    };
    auto meet = [&]() { // of the team's warps
        __syncwarp();
        if (lane < ARRIVING) wl_mbarrier_arrive(&met[team]);
        wl_mbarrier_wait(&met[team], meeting & 1);
        meeting++;
    };
    auto take = [&]() -> const real * { // the next stage, once it is full
        wl_mbarrier_wait(&full[stage], parity);
        return (const real *)(stage_at + (size_t)stage * L::STAGE);
    };
    auto codes_of = [&](const real *P, int m) {
        return (const uint16_t *)((const char *)P + peeling_rows<real, W>::BYTES) + (team + m) * PEELING_ROWS;
    };
    auto give = [&]() {
        __syncwarp();
        if (lane < ARRIVING) wl_mbarrier_arrive(&empty[stage]);
        if (++stage == stages) stage = 0, parity ^= 1;
    };

    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t part_number = first_part + job / blocks;
        block = job % blocks;
        const uint32_t r = block / tiles, c0 = block % tiles * L::WIDTH + team * PEELING_ROWS;
        const peeling_join *list = task.joins + parts.first[part_number];
        const uint32_t joins = parts.first[part_number + 1] - parts.first[part_number];
        int exponent[M][2] = {};
        real F[M][W / 8][2][2] = {}; // SPLIT == 1: the last result. Else its first OWN are.
        /* What the patterns of a buffer are to be multiplied by before they are used: its warps have not. */
        auto scales = [&](real scale[2], uint32_t b) {
            for (int i = 0; i < 2; i++) {
                const uint32_t *top = tops(b) + lane / 4 + 8 * i;
                int e;
                scale[i] = peeling_scale_of_bands<real>(top, SPLIT, PEELING_ROWS, &e);
                exponent[0][i] += e;
            }
        };
        /* A part's root has been scaled, too. */
        auto add_exponents = [&](uint32_t b) {
            if (b < L::ROOTS) return;
#pragma unroll
            for (int m = 0; m < M; m++) {
                const int *e = (const int *)(root_of(b, m) + L::STORED_TOPS) + SPLIT * PEELING_ROWS;
                for (int i = 0; i < 2; i++) exponent[m][i] += e[lane / 4 + 8 * i];
            }
        };
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            const uint32_t one = join.child[0], other = join.child[1];
            const bool rescaled = (join.matrix[0] & PEELING_RESCALE) != 0;
            /* SPLIT > 1: the last result is in buffer 0 or 1, in turn. */
            const uint32_t last = (i + 1) % 2;
            real acc[M][OWN][2][2];
            const real *P = take();
            if (one < task.tips) {
#pragma unroll
                for (int m = 0; m < M; m++)
                    peeling_row_look_up<real, W, OWN, false>(acc[m], &task, P, codes_of(P, m), first_own);
            } else {
#pragma unroll
                for (int m = 0; m < M; m++)
                    for (int n = 0; n < OWN; n++)
                        for (int k = 0; k < 4; k++) acc[m][n][k / 2][k % 2] = 0;
                if (SPLIT == 1) {
                    if (one != PEELING_LAST) {
                        add_exponents(one - PEELING_SLOT);
#pragma unroll
                        for (int m = 0; m < M; m++) {
                            real *from = buffer(one - PEELING_SLOT, m);
                            for (uint32_t n = 0; n < W / 8; n++)
                                for (uint32_t k = 0; k < 2; k++) peeling_pair(F[m][n][k], peeling_pair_of(from, n, k));
                        }
                    }
                    product<real, W, OWN, M>(acc, F, P, 0, zero, is_short);
                } else {
                    const uint32_t b = one == PEELING_LAST ? last : L::LASTS + one - PEELING_SLOT;
                    real scale[2], *from[M] = {buffer(b, 0)};
                    scales(scale, b);
                    add_exponents(b);
                    peeling_row_product_of<real, W, OWN, M, true>(acc, from, scale, P, first_own, zero, is_short);
                }
            }
            give();
            P = take();
            if (other < task.tips) {
#pragma unroll
                for (int m = 0; m < M; m++)
                    peeling_row_look_up<real, W, OWN, true>(acc[m], &task, P, codes_of(P, m), first_own);
                give();
            } else {
                const uint32_t b = L::LASTS + other - PEELING_SLOT;
                real scale[2], more[M][OWN][2][2] = {}, *from[M];
#pragma unroll
                for (int m = 0; m < M; m++) from[m] = buffer(b, m);
                if (SPLIT > 1) scales(scale, b);
                add_exponents(b);
                peeling_row_product_of<real, W, OWN, M, (SPLIT > 1)>(more, from, scale, P, first_own, zero, is_short);
                give();
#pragma unroll
                for (int m = 0; m < M; m++)
                    for (int n = 0; n < OWN; n++)
                        for (int k = 0; k < 4; k++) acc[m][n][k / 2][k % 2] *= more[m][n][k / 2][k % 2];
            }

            if (SPLIT == 1) {
#pragma unroll
                for (int m = 0; m < M; m++) {
                    if (rescaled) rescale<real, OWN>(acc[m], exponent[m]);
                    if (join.to == PEELING_LAST) continue;
                    real *to = buffer(join.to - PEELING_SLOT, m);
                    for (uint32_t n = 0; n < W / 8; n++)
                        for (uint32_t k = 0; k < 2; k++) peeling_put_pair(peeling_pair_of(to, n, k), acc[m][n][k]);
                }
            } else {
                uint32_t top[2] = {peeling_top((real)1), peeling_top((real)1)};
                if (rescaled) largest<real, OWN>(top, acc[0]);
                const uint32_t b = join.to == PEELING_LAST ? i % 2 : L::LASTS + join.to - PEELING_SLOT;
                if (join.to != PEELING_LAST && (join.to == one || join.to == other)) meet(); // all have read it
                real *to = buffer(b, 0);
                for (uint32_t n = 0; n < OWN; n++)
                    for (uint32_t k = 0; k < 2; k++)
                        peeling_put_pair(peeling_pair_of(to, first_own + n, k), acc[0][n][k]);
                if (lane % 4 == 0)
                    for (int k = 0; k < 2; k++) tops(b)[part * PEELING_ROWS + lane / 4 + 8 * k] = top[k];
                meet();
            }
#pragma unroll
            for (int m = 0; m < M; m++) {
                for (int n = 0; n < OWN; n++)
                    for (int k = 0; k < 4; k++) F[m][n][k / 2][k % 2] = acc[m][n][k / 2][k % 2];
                if (i + 1 == joins && join.to != PEELING_LAST && part == 0 && lane % 4 == 0)
                    for (int k = 0; k < 2; k++)
                        ((int *)(root_of(L::LASTS + join.to - PEELING_SLOT, m) +
                                 L::STORED_TOPS))[SPLIT * PEELING_ROWS + lane / 4 + 8 * k] = exponent[m][k];
            }
            join = next;
        }
        if (part_number < parts.count) continue;
#pragma unroll

        for (int m = 0; m < M; m++) {
            double sum[2];
            sum_of_states<real, W, OWN>(sum, F[m], &task, first_own);
            if (SPLIT > 1) {
                double *mine = sums + team * SPLIT * PEELING_ROWS;
                if (lane % 4 == 0)
                    for (int k = 0; k < 2; k++) mine[part * PEELING_ROWS + lane / 4 + 8 * k] = sum[k];
                meet();
                for (int k = 0; k < 2; k++) {
                    sum[k] = 0;
                    for (int s = 0; s < SPLIT; s++) sum[k] += mine[s * PEELING_ROWS + lane / 4 + 8 * k];
                }
                meet(); // all have read it, before the next tile's
            }
            const uint32_t c = c0 + m * PEELING_ROWS;
            if (part == 0 && c < task.patterns) peeling_finish(&task, &end, r, c, sum, exponent[m]);
        }
    }
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

static wl_status ready(peeling_state *s) {
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    WL_CUDA(cudaMemset(at.end.units, 0, at.counter_bytes));
    return PEELING_ON(peeling_pack)(s, at.code, at.code_row);
}

template <typename real, int W, int TEAMS, int SPLIT, int M> static peeling_streamed_block block_of(void) {
    typedef layout<real, W, TEAMS, SPLIT, M> L;
    return {TEAMS, SPLIT > 1, L::EDGE, L::STAGE, L::LASTS * (size_t)L::BUFFER, L::BUFFER, L::STORED};
}
template <typename real, int W, int TEAMS, int SPLIT, int M = 1> static wl_status launch_of(peeling_state *s) {
    typedef layout<real, W, TEAMS, SPLIT, M> L;
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    const peeling_streamed_block block = block_of<real, W, TEAMS, SPLIT, M>();
    const uint32_t parts = s->subtrees->count;
    peeling_streamed_launch l;
    WL_TRY(peeling_streamed_plan(s, &block, &l));
    WL_CUDA(cudaFuncSetAttribute(streamed<real, W, TEAMS, SPLIT, M>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)l.bytes));
    for (uint32_t first = 0; first <= parts; first += parts > 0 ? parts : 1) { // the subtrees; then the rest
        const uint32_t jobs = first < parts ? parts * l.blocks : l.blocks;
        const uint32_t count = peeling_streamed_grid(s, &block, &l, jobs, first < parts);
        streamed<real, W, TEAMS, SPLIT, M><<<count, L::THREADS, l.bytes>>>(
            s->task, at.code, at.code_row, *s->subtrees, first, jobs, l.blocks, l.stages, l.resident_slots,
            (real *)l.spilled, l.spills, at.stored, at.end);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real, int TEAMS> static bool fits(const peeling_state *s) {
    const peeling_streamed_block block = block_of<real, 64, TEAMS, 4, 1>();
    return peeling_streamed_fits(s, &block);
}
template <typename real> static wl_status joins_of(peeling_state *s) {
    const uint32_t teams = peeling_streamed_teams(s);
    if (s->task.states <= 24)
        return teams == 4    ? launch_of<real, 24, 4, 1>(s)
               : teams == 8  ? launch_of<real, 24, 8, 1>(s)
               : teams == 16 ? launch_of<real, 24, 16, 1>(s)
                             : launch_of<real, 24, 20, 1, 2>(s);
    if (s->task.padded == 32) return launch_of<real, 32, 7, 1>(s);
    if (teams == 1 && fits<real, 1>(s)) return launch_of<real, 64, 1, 4>(s);
    if (teams == 2 && fits<real, 2>(s)) return launch_of<real, 64, 2, 4>(s);
    return launch_of<real, 64, 7, 1>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

PEELING_STAGE(.idea = "patterns stay in registers, matrices stream past them", .source = "Warpladder",
              .limits = "models of more than 8 states", .check_shapes = peeling_streamed_shapes,
              .padded = peeling_padded_to_bands, .refuses = peeling_streamed_refuses, .faster = peeling_streamed_faster,
              .whole_trees_only = 1, .pieces = 1, .factors_within = 1, .matrices = PEELING_ON(peeling_matrices_in_turn),
              .joins = joins, .totals_within = 1, .cut = peeling_streamed_cut, .own_bytes = peeling_streamed_own_bytes,
              .ready = ready, .rate = {WL_RATE_MMA_TF32, WL_RATE_MMA_F64})
