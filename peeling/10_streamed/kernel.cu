/* 10_streamed: patterns stay in registers, and the matrices stream past them.

   Idea: a warp takes 16 patterns through the whole tree. What one product leaves in its registers is what the next one
   wants there, so warps do not wait for each other, and matrices can be copied several branches ahead.
   Changed: rows and columns of stage 09's product are exchanged. A warp of its own copies matrices and codes, and
   barriers in shared memory say when they have arrived. For few patterns, subtrees are computed side by side, and
   four warps have 16 patterns (kit/few_patterns.cu). Sites and total need no launch of their own.
   Expected: 0.17 ms for 62 taxa, 3,600 codon patterns and 4 rates in double precision, where stage 09 takes 0.33.
   Measured at an earlier version: 0.20 ms on an H200.
   See: warpladder run peeling/09* peeling/10* */
#include "peeling/10_streamed/plan.h"
#include "peeling/kit/copy_ahead.h"
#include "peeling/kit/ending.h"
#include "peeling/kit/few_patterns.h"
#include "peeling/kit/row_products.h"

/* A block has TEAMS x 16 patterns, each of its warps M x 16 of them. In shared memory, in bytes: barriers, stages, and slots of F. */
template <typename real, int W, int TEAMS, int M> struct layout {
    enum {
        WARPS = TEAMS / M,
        THREADS = (WARPS + 1) * PEELING_WARP,
        WIDTH = TEAMS * PEELING_ROWS,
        BARRIERS = 128, // [STAGES_MOST] full, [STAGES_MOST] empty
        CODES = WIDTH * (int)sizeof(uint16_t),
        TIP_BYTES = peeling_rows<real, W>::BYTES,
        INNER_BYTES = peeling_rows<real, W>::PIECES,
        TIP_STAGE = TIP_BYTES + (CODES + 127) / 128 * 128,
        STAGE = TIP_STAGE > INNER_BYTES ? TIP_STAGE : INNER_BYTES,
        NUMBERS = W * PEELING_ROWS, // of 16 patterns' F
        SLOT = TEAMS * NUMBERS * (int)sizeof(real),
        ROOTS = (int)(PEELING_STORED - PEELING_SLOT), // from this number on, slots are roots of subtrees
        EXPONENTS = NUMBERS * (int)sizeof(real),      // in a root, after F: [PEELING_ROWS]
        ROOT = EXPONENTS + PEELING_ROWS * 4
    };
};

/* acc = F P, where put(a, m, k) makes the left operand a of the warp's patterns number m and their k-th eight states. What a lane loads of P
   serves all M times 16 patterns. */
template <typename real, int W, int M, int UNROLL, typename Put>
static __device__ __forceinline__ void product(real acc[M][W / 8][2][2], const Put &put, const char *P) {
    typedef typename peeling_operand<real>::piece piece;
    const piece *at = (const piece *)P + peeling_lane(); // [W / 8][ROW / 8][lane]
#pragma unroll
    for (int m = 0; m < M; m++)
        for (int n = 0; n < W / 2; n++) acc[m][n / 4][n / 2 % 2][n % 2] = 0;
#pragma unroll UNROLL
    for (uint32_t k = 0; k < W / 8; k++) {
        peeling_operand<real> a[M];
        for (int m = 0; m < M; m++) put(&a[m], m, k);
#pragma unroll
        for (uint32_t n = 0; n < W / 8; n++) {
            const piece b = at[(k * (peeling_rows<real, W>::ROW / 8) + n) * PEELING_WARP];
            for (int m = 0; m < M; m++) a[m].multiply(acc[m][n], b);
        }
    }
}

template <typename real, int W, int TEAMS, int M>
static __global__ void __launch_bounds__((TEAMS / M + 1) * PEELING_WARP, 1)
    streamed(const __grid_constant__ peeling_task task, const uint16_t *code, // [tips][row]
             uint32_t row, const __grid_constant__ peeling_subtrees parts, uint32_t first_part, uint32_t jobs,
             uint32_t blocks, uint32_t stages, uint32_t resident_slots,
             real *spilled,   // [blocks of the launch][spills][TEAMS][NUMBERS]
             uint32_t spills, // slots
             char *stored,    // [parts][blocks][TEAMS] roots of parts
             peeling_ending end) {
    typedef layout<real, W, TEAMS, M> L;
    extern __shared__ uint4 memory[];
    wl_mbarrier *full = (wl_mbarrier *)memory, *empty = full + STAGES_MOST;
    char *stage_at = (char *)memory + L::BARRIERS, *slots = stage_at + (size_t)stages * L::STAGE;
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < stages; s++) {
            wl_mbarrier_init(&full[s], 1);
            wl_mbarrier_init(&empty[s], ARRIVING * L::WARPS);
        }
        wl_mbarrier_publish();
    }
    __syncthreads();
    const uint32_t warp = threadIdx.x / PEELING_WARP, lane = peeling_lane();
    if (warp == L::WARPS) {
        if (lane == 0) copy_ahead<L>(&task, code, row, &parts, first_part, jobs, blocks, stages, stage_at, full, empty);
        return;
    }

    const uint32_t team = warp * M; // the first of the warp's
    const uint32_t tiles = (task.patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 0, block = 0;
    auto root_of = [&](uint32_t part, int m) {
        return stored + (((size_t)part * blocks + block) * TEAMS + team + m) * L::ROOT;
    };
    auto slot = [&](uint32_t number, int m) -> real * { // F of the warp's patterns number m
        const uint32_t b = number - PEELING_SLOT;
        if (b >= L::ROOTS) return (real *)root_of(b - L::ROOTS, m);
        if (b < resident_slots) return (real *)(slots + (size_t)b * L::SLOT) + (team + m) * L::NUMBERS;
        return spilled + (((size_t)blockIdx.x * spills + (b - resident_slots)) * TEAMS + team + m) * L::NUMBERS;
    };
    auto take = [&]() -> const char * { // the next stage, once it is full
        wl_mbarrier_wait(&full[stage], parity);
        return stage_at + (size_t)stage * L::STAGE;
    };
    auto give = [&]() { // the warp has read it
        __syncwarp();
        if (lane < ARRIVING) wl_mbarrier_arrive(&empty[stage]);
        if (++stage == stages) stage = 0, parity ^= 1;
    };
    auto codes_of = [&](const char *P, int m) {
        return (const uint16_t *)(P + L::TIP_BYTES) + (team + m) * PEELING_ROWS;
    };

    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t part = first_part + job / blocks;
        block = job % blocks;
        const uint32_t r = block / tiles, c0 = block % tiles * L::WIDTH + team * PEELING_ROWS;
        const peeling_join *list = task.joins + parts.first[part];
        const uint32_t joins = parts.first[part + 1] - parts.first[part];
        int exponent[M][2] = {};
        real F[M][W / 8][2][2] = {};                // the last result
        auto add_exponents = [&](uint32_t number) { // of a part's root
#pragma unroll
            for (int m = 0; m < M && number >= PEELING_STORED; m++) {
                const int *e = (const int *)(root_of(number - PEELING_STORED, m) + L::EXPONENTS) + lane / 4;
                for (int i = 0; i < 2; i++) exponent[m][i] += e[8 * i];
            }
        };
        const auto last = [&](peeling_operand<real> *a, int m, uint32_t k) { a->put(F[m][k], &task); };
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            const uint32_t one = join.child[0], other = join.child[1];
            real acc[M][W / 8][2][2];
            const char *P = take();
            if (one < task.tips) {
#pragma unroll
                for (int m = 0; m < M; m++)
                    peeling_row_look_up<real, W, W / 8, false>(acc[m], &task, (const real *)P, codes_of(P, m), 0);
            } else {
                if (one != PEELING_LAST) {
                    add_exponents(one);
#pragma unroll
                    for (int m = 0; m < M; m++) peeling_row_load<real, W / 8>(F[m], slot(one, m), 0);
                }
                product<real, W, M, W / 8>(acc, last, P);
            }
            give();
            P = take();
            if (other < task.tips) {
#pragma unroll
                for (int m = 0; m < M; m++)
                    peeling_row_look_up<real, W, W / 8, true>(acc[m], &task, (const real *)P, codes_of(P, m), 0);
                give();
            } else {
                real more[M][W / 8][2][2], *from[M];
                add_exponents(other);
#pragma unroll
                for (int m = 0; m < M; m++) from[m] = slot(other, m);
                const auto stored = [&](peeling_operand<real> *a, int m, uint32_t k) {
                    real eight[1][2][2];
                    peeling_row_load<real, 1>(eight, from[m], k);
                    a->put(eight[0], &task);
                };
                product<real, W, M, (M > 1 ? 1 : W / 8)>(more, stored, P); // with all at once, registers are too few
                give();
#pragma unroll
                for (int m = 0; m < M; m++)
                    for (int n = 0; n < W / 2; n++) acc[m][n / 4][n / 2 % 2][n % 2] *= more[m][n / 4][n / 2 % 2][n % 2];
            }
#pragma unroll
            for (int m = 0; m < M; m++) {
                if (join.matrix[0] & PEELING_RESCALE) peeling_row_rescale<real, W / 8>(acc[m], exponent[m]);
                if (join.to != PEELING_LAST) peeling_row_store<real, W / 8>(slot(join.to, m), acc[m], 0);
                for (int n = 0; n < W / 8; n++)
                    for (int k = 0; k < 4; k++) F[m][n][k / 2][k % 2] = acc[m][n][k / 2][k % 2];
            }
            join = next;
        }
#pragma unroll
        for (int m = 0; m < M; m++) {
            const uint32_t c = c0 + m * PEELING_ROWS;
            if (part < parts.count) {
                int *e = (int *)(root_of(part, m) + L::EXPONENTS) + lane / 4;
                if (lane % 4 == 0)
                    for (int i = 0; i < 2; i++) e[8 * i] = exponent[m][i];
                continue;
            }
            double sum[2];
            peeling_row_sum<real, W / 8>(sum, F[m], &task, 0);
            if (c < task.patterns) peeling_finish(&task, &end, r, c, sum, exponent[m]);
        }
    }
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

static wl_status ready(peeling_state *s) {
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    WL_CUDA(cudaMemset(at.end.units, 0, at.counter_bytes));
    return PEELING_ON(peeling_pack)(s, at.code, at.code_row);
}

template <typename real, int W, int TEAMS, int M = 1> static wl_status launch_of(peeling_state *s) {
    typedef layout<real, W, TEAMS, M> L;
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    const peeling_streamed_block block = {TEAMS, 0, L::BARRIERS, L::STAGE, 0, L::SLOT, L::ROOT};
    const uint32_t parts = s->subtrees->count;
    peeling_streamed_launch l;
    WL_TRY(peeling_streamed_plan(s, &block, &l));
    WL_CUDA(
        cudaFuncSetAttribute(streamed<real, W, TEAMS, M>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l.bytes));
    for (uint32_t first = 0; first <= parts; first += parts > 0 ? parts : 1) { // the subtrees; then the rest
        const uint32_t jobs = first < parts ? parts * l.blocks : l.blocks;
        const uint32_t count = peeling_streamed_grid(s, &block, &l, jobs, first < parts);
        streamed<real, W, TEAMS, M><<<count, L::THREADS, l.bytes>>>(s->task, at.code, at.code_row, *s->subtrees, first,
                                                                    jobs, l.blocks, l.stages, l.resident_slots,
                                                                    (real *)l.spilled, l.spills, at.stored, at.end);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real> static wl_status joins_of(peeling_state *s) {
    const uint32_t teams = peeling_streamed_teams(s);
    if (s->task.states <= 24)
        return teams == 4    ? launch_of<real, 24, 4>(s)
               : teams == 8  ? launch_of<real, 24, 8>(s)
               : teams == 16 ? launch_of<real, 24, 16>(s)
                             : launch_of<real, 24, 20, 2>(s);
    if (s->task.padded == 32) return launch_of<real, 32, 7>(s);
    bool fits = false;
    if (teams <= 2) WL_TRY(PEELING_ON(peeling_few_patterns)(s, teams, &fits));
    return fits ? WL_OK : launch_of<real, 64, 7>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }

PEELING_STAGE(.idea = "patterns stay in registers, matrices stream past them", .source = "Warpladder",
              .limits = "models of more than 8 states", .check_shapes = peeling_streamed_shapes,
              .padded = peeling_padded_to_bands, .refuses = peeling_streamed_refuses, .faster = peeling_streamed_faster,
              .whole_trees_only = 1, .pieces = 1, .factors_within = 1, .matrices = PEELING_ON(peeling_matrices_in_turn),
              .joins = joins, .totals_within = 1, .cut = peeling_streamed_cut, .own_bytes = peeling_streamed_own_bytes,
              .ready = ready, .rate = {WL_RATE_MMA_TF32, WL_RATE_MMA_F64})
