/* 12_warpgroups: four warps multiply together, and look up tips meanwhile.

   Idea: a warpgroup's product reads the matrix from shared memory itself, and runs beside the warps that started it.
   Changed: products of floats are those of a warpgroup, 64 patterns at a time. Where stage 10's warps load P into
   registers and add up eight states at a time, here they look up the other child, a tip, until the sums are there.
   Expected: 0.1 ms for 62 taxa, 3,600 codon patterns and 4 rates in single precision, where stage 10 takes 0.18.
   Measured at an earlier version: 120 us on an H200.
   See: warpladder run peeling/10* peeling/12* --precision single */
#include "harness/device/warpgroup_floats.h"
#include "peeling/12_warpgroups/plan.h"
#include "peeling/kit/copy_ahead.h"
#include "peeling/kit/ending.h"

/* Shared memory of a block, in bytes: barriers, stages, and buffers of F. Each warp has 16 patterns. */
template <int W, int GROUPS> struct layout {
    enum {
        WARPS = 4 * GROUPS,
        THREADS = (GROUPS + 1) * WL_WARPGROUP, // one more group copies
        WIDTH = WARPS * PEELING_ROWS,
        BARRIERS = 128, // [STAGES_MOST] full, [STAGES_MOST] empty
        CODES = WIDTH * (int)sizeof(uint16_t),
        TIP_BYTES = peeling_rows<float, W>::BYTES,
        INNER_BYTES = peeling_rows<float, W>::PIECES,
        HALF = peeling_rows<float, W>::ROW * 4 * (int)sizeof(float), // of eight rows of P, one term of four
        TIP_STAGE = TIP_BYTES + (CODES + 127) / 128 * 128,
        STAGE = TIP_STAGE > INNER_BYTES ? TIP_STAGE : INNER_BYTES,
        WARP_NUMBERS = W * PEELING_ROWS, // of a buffer of F
        BUFFER = WARPS * WARP_NUMBERS * (int)sizeof(float),
        /* Registers of a thread at the launch; then of one that copies, and what that leaves for one that computes. */
        REGISTERS = 65536 / THREADS / 8 * 8,
        REGISTERS_LEFT = 24,
        REGISTERS_MORE = (REGISTERS + (REGISTERS - REGISTERS_LEFT) / GROUPS) / 8 * 8
    };
};

/* F P, in chains of 32 states at most: tensor cores cut sums off instead of rounding, so a long chain would lose a bit
   of each term, always in the same direction. In a chain the small terms come first. */
template <int W> struct sums {
    enum { STEPS = W / 8, CHAINS = (STEPS + 3) / 4, EACH = (STEPS + CHAINS - 1) / CHAINS };
    float of[CHAINS][W / 2]; // [chain][s / 8][i][p]
    uint32_t high[STEPS][4], low[STEPS][4];

    /* Starts the product. Until `finish`, the tensor cores read P and F's two terms. */
    __device__ __forceinline__ void begin(const float F[STEPS][2][2], const char *P, uint32_t half) {
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            for (int i = 0; i < 2; i++)
                for (int h = 0; h < 2; h++) peeling_split(F[k][i][h], &high[k][i + 2 * h], &low[k][i + 2 * h]);
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            for (int n = 0; n < W / 2; n++) of[c][n] = 0;
        const wl_warpgroup_halves at = wl_warpgroup_halves_at(P, half);
        wl_warpgroup_settle(of);
        wl_warpgroup_settle(high);
        wl_warpgroup_settle(low);
        wl_warpgroup_begin();
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            const int first = c * EACH, end = first + EACH < STEPS ? first + EACH : STEPS;
#pragma unroll
            for (int k = first; k < end; k++) {
                wl_warpgroup_tf32(of[c], high[k], at, (4 * k + 2) * half);
                wl_warpgroup_tf32(of[c], low[k], at, 4 * k * half);
            }
#pragma unroll
            for (int k = first; k < end; k++) wl_warpgroup_tf32(of[c], high[k], at, 4 * k * half);
        }
        wl_warpgroup_commit();
    }
    __device__ __forceinline__ void finish() {
        wl_warpgroup_wait<0>();
        wl_warpgroup_settle(of);
    }
    __device__ __forceinline__ float at(int n, int i, int p) const {
        float sum = of[0][4 * n + 2 * i + p];
        for (int c = 1; c < CHAINS; c++) sum += of[c][4 * n + 2 * i + p];
        return sum;
    }
};

template <int W, int GROUPS>
static __global__ void __launch_bounds__((GROUPS + 1) * WL_WARPGROUP, 1)
    warpgroups(const __grid_constant__ peeling_task task, const uint16_t *code, // [tips][row]
               uint32_t row, const __grid_constant__ peeling_subtrees parts, uint32_t joins, uint32_t blocks,
               uint32_t stages, uint32_t resident_slots,
               float *spilled,  // [blocks of the launch][spills][WARPS][WARP_NUMBERS]
               uint32_t spills, // slots
               peeling_ending end) {
    typedef layout<W, GROUPS> L;
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
    if (warp >= L::WARPS) {
        if constexpr (GROUPS > 1) wl_warpgroup_give<L::REGISTERS_LEFT>();
        if (threadIdx.x == L::WARPS * PEELING_WARP)
            copy_ahead<L>(&task, code, row, &parts, 0, blocks, blocks, stages, stage_at, full, empty);
        return;
    }
    if constexpr (GROUPS > 1) wl_warpgroup_take<L::REGISTERS_MORE>();

    const uint32_t tiles = (task.patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 0;
    auto slot = [&](uint32_t number) -> float * { // the warp's part
        const uint32_t b = number - PEELING_SLOT;
        if (b < resident_slots) return (float *)(slots + (size_t)b * L::BUFFER) + warp * L::WARP_NUMBERS;
        return spilled + (((size_t)blockIdx.x * spills + (b - resident_slots)) * L::WARPS + warp) * L::WARP_NUMBERS;
    };
    auto take = [&]() -> const char * { // the next stage, once it is full
        wl_mbarrier_wait(&full[stage], parity);
        return stage_at + (size_t)stage * L::STAGE;
    };
    auto next_stage = [&]() {
        const uint32_t before = stage;
        if (++stage == stages) stage = 0, parity ^= 1;
        return before;
    };
    auto give = [&](uint32_t which) {
        __syncwarp();
        if (lane < ARRIVING) wl_mbarrier_arrive(&empty[which]);
    };
    auto codes_of = [&](const char *P) { return (const uint16_t *)(P + L::TIP_BYTES) + warp * PEELING_ROWS; };

    for (uint32_t job = blockIdx.x; job < blocks; job += gridDim.x) {
        const uint32_t r = job / tiles, c0 = job % tiles * L::WIDTH + warp * PEELING_ROWS;
        int exponent[2] = {0, 0};
        float F[W / 8][2][2] = {}; // the last result
        peeling_join join = task.joins[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = task.joins[min(i + 1, joins - 1)];
            const uint32_t one = join.child[0], other = join.child[1];
            float acc[W / 8][2][2];
            const char *P = take();
            if (one < task.tips) { // both are
                peeling_row_look_up<float, W, W / 8, false>(acc, &task, (const float *)P, codes_of(P), 0);
                give(next_stage());
                P = take();
                peeling_row_look_up<float, W, W / 8, true>(acc, &task, (const float *)P, codes_of(P), 0);
                give(next_stage());
            } else {
                sums<W> sum;
                if (one != PEELING_LAST) peeling_row_load<float, W / 8>(F, slot(one), 0);
                sum.begin(F, P, L::HALF);
                const uint32_t of_one = next_stage();
                if (other < task.tips) {
                    P = take();
                    peeling_row_look_up<float, W, W / 8, false>(acc, &task, (const float *)P, codes_of(P), 0);
                    sum.finish();
                } else {
                    peeling_row_load<float, W / 8>(F, slot(other), 0);
                    sum.finish();
#pragma unroll
                    for (int n = 0; n < W / 8; n++)
                        for (int k = 0; k < 4; k++) acc[n][k / 2][k % 2] = sum.at(n, k / 2, k % 2);
                    P = take();
                    sum.begin(F, P, L::HALF);
                    sum.finish();
                }
                give(of_one);
                give(next_stage());
#pragma unroll
                for (int n = 0; n < W / 8; n++)
                    for (int k = 0; k < 4; k++) acc[n][k / 2][k % 2] *= sum.at(n, k / 2, k % 2);
            }
            if (join.matrix[0] & PEELING_RESCALE) peeling_row_rescale<float, W / 8>(acc, exponent);
            if (join.to != PEELING_LAST) peeling_row_store<float, W / 8>(slot(join.to), acc, 0);
#pragma unroll
            for (int n = 0; n < W / 8; n++)
                for (int k = 0; k < 4; k++) F[n][k / 2][k % 2] = acc[n][k / 2][k % 2];
            join = next;
        }
        double sum[2];
        peeling_row_sum<float, W / 8>(sum, F, &task, 0);
        if (c0 < task.patterns) peeling_finish(&task, &end, r, c0, sum, exponent);
    }
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

static const char *refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && (device->compute_capability != 90 || !WL_WARPGROUP_COMPILED))
        return "products of warpgroups need compute capability 9.0, and a build for 90a";
    return peeling_warpgroups_refuses(device, in);
}

static wl_status ready(peeling_state *s) {
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    WL_CUDA(cudaMemset(at.end.units, 0, at.counter_bytes));
    return PEELING_ON(peeling_pack)(s, at.code, at.code_row);
}

template <int W, int GROUPS> static wl_status launch_of(peeling_state *s) {
    typedef layout<W, GROUPS> L;
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    const peeling_streamed_block block = {L::WARPS, 0, L::BARRIERS, L::STAGE, 0, L::BUFFER, 0};
    peeling_streamed_launch l;
    WL_TRY(peeling_streamed_plan(s, &block, &l));
    WL_CUDA(cudaFuncSetAttribute(warpgroups<W, GROUPS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l.bytes));
    const uint32_t count = peeling_streamed_grid(s, &block, &l, l.blocks, 0);
    warpgroups<W, GROUPS><<<count, L::THREADS, l.bytes>>>(s->task, at.code, at.code_row, *s->subtrees, s->join_count,
                                                          l.blocks, l.stages, l.resident_slots, (float *)l.spilled,
                                                          l.spills, at.end);
    WL_LAUNCHED();
    return WL_OK;
}
static wl_status joins(peeling_state *s) {
    const uint32_t groups = peeling_warpgroups_of(s);
    if (s->task.states <= 24) return groups == 2 ? launch_of<24, 2>(s) : launch_of<24, 5>(s);
    if (s->task.padded == 32) return launch_of<32, 2>(s);
    return groups == 1 ? launch_of<64, 1>(s) : launch_of<64, 2>(s);
}

PEELING_STAGE(.idea = "floats: a warpgroup multiplies while its warps look up tips", .source = "Warpladder",
              .limits = "single precision, models of more than 8 states", .check_shapes = peeling_warpgroups_shapes,
              .padded = peeling_padded_to_bands, .refuses = refuses, .faster = peeling_warpgroups_faster,
              .whole_trees_only = 1, .pieces = 1, .factors_within = 1,
              .matrices = PEELING_ON(peeling_matrices_in_halves), .joins = joins, .totals_within = 1,
              .own_bytes = peeling_streamed_own_bytes, .ready = ready, .rate = {WL_RATE_MMA_TF32, WL_RATE_MMA_F64})
