/* Stage 10 for few patterns of 25 to 64 states: a team of four warps has 16 patterns, each warp a quarter of their states, so that there is work for
   more multiprocessors. A product's sum over all states needs what the other warps have computed. So results go through shared
   memory, and the warps of a team meet after each. All else is as in peeling/10_streamed/kernel.cu. */
#include "peeling/kit/few_patterns.h"

#include "peeling/kit/copy_ahead.h"
#include "peeling/kit/ending.h"
#include "peeling/kit/row_products.h"

enum { WIDE = 64, TEAM = 4 /* warps */, OWN = WIDE / 8 / TEAM /* groups of eight states */ };

/* A block's shared memory, in bytes: barriers, sums at the root, stages, and buffers of F. A buffer has the largest entries, too: [TEAMS][TEAM][PEELING_ROWS]. */
template <typename real, int TEAMS> struct layout {
    enum {
        WARPS = TEAMS * TEAM,
        THREADS = (WARPS + 1) * PEELING_WARP,
        WIDTH = TEAMS * PEELING_ROWS,
        LASTS = 2,                                            // buffers before the slots: the last result's, in turn
        ROOTS = LASTS + (int)(PEELING_STORED - PEELING_SLOT), // from this number on they are roots of subtrees
        BARRIERS = 128,                                       // [STAGES_MOST] full, [STAGES_MOST] empty, [TEAMS]
        CODES = WIDTH * (int)sizeof(uint16_t),
        TIP_BYTES = peeling_rows<real, WIDE>::BYTES,
        INNER_BYTES = peeling_rows<real, WIDE>::PIECES,
        TIP_STAGE = TIP_BYTES + (CODES + 127) / 128 * 128,
        STAGE = TIP_STAGE > INNER_BYTES ? TIP_STAGE : INNER_BYTES,
        NUMBERS = WIDE * PEELING_ROWS, // of a team's F
        TOPS = WARPS * PEELING_ROWS * (int)sizeof(uint32_t),
        BUFFER = TEAMS * NUMBERS * (int)sizeof(real) + TOPS,
        EDGE = BARRIERS + WARPS * PEELING_ROWS * (int)sizeof(double),
        /* In a root: after F, tops [TEAM][PEELING_ROWS] and exponents [PEELING_ROWS]. */
        ROOT_TOPS = NUMBERS * (int)sizeof(real),
        ROOT = ROOT_TOPS + (TEAM + 1) * PEELING_ROWS * 4
    };
};

/* acc = F P for the warp's states, from `first` on; F's patterns are to be multiplied by `scale`. */
template <typename real>
static __device__ __forceinline__ void product(real acc[OWN][2][2], const peeling_task *task, real *F,
                                               const real scale[2], const char *P, uint32_t first) {
    typedef typename peeling_operand<real>::piece piece;
    const piece *at = (const piece *)P + first * PEELING_WARP + peeling_lane();
    for (int n = 0; n < OWN; n++)
        for (int k = 0; k < 4; k++) acc[n][k / 2][k % 2] = 0;
#pragma unroll
    for (uint32_t k = 0; k < WIDE / 8; k++) {
        real eight[1][2][2];
        peeling_operand<real> a;
        peeling_row_load<real, 1>(eight, F, k);
        for (int i = 0; i < 2; i++)
            for (int p = 0; p < 2; p++) eight[0][i][p] *= scale[i];
        a.put(eight[0], task);
#pragma unroll
        for (uint32_t n = 0; n < OWN; n++) a.multiply(acc[n], at[(k * (WIDE / 8) + n) * PEELING_WARP]);
    }
}

template <typename real, int TEAMS>
static __global__ void __launch_bounds__((TEAMS * TEAM + 1) * PEELING_WARP, 1)
    by_teams(const __grid_constant__ peeling_task task, const uint16_t *code, // [tips][row]
             uint32_t row, const __grid_constant__ peeling_subtrees parts, uint32_t first_part, uint32_t jobs,
             uint32_t blocks, uint32_t stages,
             char *stored, // [parts][blocks][TEAMS] roots of parts
             peeling_ending end) {
    typedef layout<real, TEAMS> L;
    extern __shared__ uint4 memory[];
    wl_mbarrier *full = (wl_mbarrier *)memory, *empty = full + STAGES_MOST, *met = empty + STAGES_MOST;
    double *sums = (double *)((char *)memory + L::BARRIERS); // [TEAMS][TEAM][PEELING_ROWS]
    char *stage_at = (char *)memory + L::EDGE, *buffers = stage_at + (size_t)stages * L::STAGE;
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < stages; s++) {
            wl_mbarrier_init(&full[s], 1);
            wl_mbarrier_init(&empty[s], ARRIVING * L::WARPS);
        }
        for (uint32_t t = 0; t < TEAMS; t++) wl_mbarrier_init(&met[t], ARRIVING * TEAM);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const uint32_t warp = threadIdx.x / PEELING_WARP, lane = peeling_lane();
    if (warp == L::WARPS) {
        if (lane == 0) copy_ahead<L>(&task, code, row, &parts, first_part, jobs, blocks, stages, stage_at, full, empty);
        return;
    }

    const uint32_t team = warp / TEAM, quarter = warp % TEAM, first = quarter * OWN;
    const uint32_t tiles = (task.patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 0, meeting = 0, block = 0;
    /* The team's part of buffer number b: F, and its largest entries. */
    auto root_of = [&](uint32_t b) {
        return stored + (((size_t)(b - L::ROOTS) * blocks + block) * TEAMS + team) * L::ROOT;
    };
    auto buffer = [&](uint32_t b) -> real * {
        if (b >= L::ROOTS) return (real *)root_of(b);
        return (real *)(buffers + (size_t)b * L::BUFFER) + team * L::NUMBERS;
    };
    auto tops = [&](uint32_t b) -> uint32_t * {
        if (b >= L::ROOTS) return (uint32_t *)(root_of(b) + L::ROOT_TOPS);
        return (uint32_t *)(buffers + (size_t)(b + 1) * L::BUFFER - L::TOPS) + team * TEAM * PEELING_ROWS;
    };
    auto meet = [&]() {
        __syncwarp();
        if (lane < ARRIVING) wl_mbarrier_arrive(&met[team]);
        wl_mbarrier_wait(&met[team], meeting & 1);
        meeting++;
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

    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t part = first_part + job / blocks;
        block = job % blocks;
        const uint32_t r = block / tiles, c0 = block % tiles * L::WIDTH + team * PEELING_ROWS;
        const peeling_join *list = task.joins + parts.first[part];
        const uint32_t joins = parts.first[part + 1] - parts.first[part];
        int exponent[2] = {0, 0};
        real acc[OWN][2][2];
        /* Multiplies by a buffer's F. Its warps have not scaled it, but a part's root has exponents of its own. */
        auto multiply = [&](real result[OWN][2][2], uint32_t b, const char *P) {
            real scale[2];
            for (int i = 0; i < 2; i++) {
                int e;
                scale[i] = peeling_scale_of_bands<real>(tops(b) + lane / 4 + 8 * i, TEAM, PEELING_ROWS, &e);
                exponent[i] += e;
                if (b < L::ROOTS) continue;
                exponent[i] += ((const int *)(root_of(b) + L::ROOT_TOPS))[TEAM * PEELING_ROWS + lane / 4 + 8 * i];
            }
            product<real>(result, &task, buffer(b), scale, P, first);
        };
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            const uint32_t one = join.child[0], other = join.child[1];
            const char *P = take();
            const auto codes_of = [&]() { return (const uint16_t *)(P + L::TIP_BYTES) + team * PEELING_ROWS; };
            if (one < task.tips)
                peeling_row_look_up<real, WIDE, OWN, false>(acc, &task, (const real *)P, codes_of(), first);
            else
                multiply(acc, one == PEELING_LAST ? (i + 1) % 2 : L::LASTS + one - PEELING_SLOT, P);
            give();
            P = take();
            if (other < task.tips) {
                peeling_row_look_up<real, WIDE, OWN, true>(acc, &task, (const real *)P, codes_of(), first);
                give();
            } else {
                real more[OWN][2][2];
                multiply(more, L::LASTS + other - PEELING_SLOT, P);
                give();
                for (int n = 0; n < OWN; n++)
                    for (int k = 0; k < 4; k++) acc[n][k / 2][k % 2] *= more[n][k / 2][k % 2];
            }
            uint32_t top[2] = {peeling_top((real)1), peeling_top((real)1)};
            if (join.matrix[0] & PEELING_RESCALE) peeling_row_largest<real, OWN>(top, acc);
            const uint32_t to = join.to == PEELING_LAST ? i % 2 : L::LASTS + join.to - PEELING_SLOT;
            if (join.to != PEELING_LAST && (join.to == one || join.to == other)) meet(); // all have read it
            peeling_row_store<real, OWN>(buffer(to), acc, first);
            if (lane % 4 == 0)
                for (int k = 0; k < 2; k++) tops(to)[quarter * PEELING_ROWS + lane / 4 + 8 * k] = top[k];
            meet();
            join = next;
        }
        if (part < parts.count) {
            int *e = (int *)(root_of(L::ROOTS + part) + L::ROOT_TOPS) + TEAM * PEELING_ROWS + lane / 4;
            if (quarter == 0 && lane % 4 == 0)
                for (int k = 0; k < 2; k++) e[8 * k] = exponent[k];
            continue;
        }

        double sum[2], *mine = sums + team * TEAM * PEELING_ROWS + lane / 4;
        peeling_row_sum<real, OWN>(sum, acc, &task, first);
        if (lane % 4 == 0)
            for (int k = 0; k < 2; k++) mine[quarter * PEELING_ROWS + 8 * k] = sum[k];
        meet();
        for (int k = 0; k < 2; k++) {
            sum[k] = 0;
            for (int q = 0; q < TEAM; q++) sum[k] += mine[q * PEELING_ROWS + 8 * k];
        }
        meet(); // all have read it, before the next tile's
        if (quarter == 0 && c0 < task.patterns) peeling_finish(&task, &end, r, c0, sum, exponent);
    }
}

template <typename real, int TEAMS> static wl_status launch_of(peeling_state *s, bool *fits) {
    typedef layout<real, TEAMS> L;
    const peeling_streamed_memory at = peeling_streamed_memory_of(s);
    const peeling_streamed_block block = {TEAMS,     1,      L::EDGE, L::STAGE, L::LASTS * (size_t)L::BUFFER,
                                          L::BUFFER, L::ROOT};
    const uint32_t parts = s->subtrees->count;
    peeling_streamed_launch l;
    *fits = peeling_streamed_fits(s, &block);
    if (!*fits) return WL_OK;
    WL_TRY(peeling_streamed_plan(s, &block, &l));
    WL_CUDA(cudaFuncSetAttribute(by_teams<real, TEAMS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l.bytes));
    for (uint32_t first = 0; first <= parts; first += parts > 0 ? parts : 1) { // the subtrees; then the rest
        const uint32_t jobs = first < parts ? parts * l.blocks : l.blocks;
        const uint32_t count = peeling_streamed_grid(s, &block, &l, jobs, first < parts);
        by_teams<real, TEAMS><<<count, L::THREADS, l.bytes>>>(s->task, at.code, at.code_row, *s->subtrees, first, jobs,
                                                              l.blocks, l.stages, at.stored, at.end);
        WL_LAUNCHED();
    }
    return WL_OK;
}
extern "C" wl_status PEELING_ON(peeling_few_patterns)(peeling_state *s, uint32_t teams, bool *fits) {
    if (teams == 1) return s->is_double ? launch_of<double, 1>(s, fits) : launch_of<float, 1>(s, fits);
    return s->is_double ? launch_of<double, 2>(s, fits) : launch_of<float, 2>(s, fits);
}
