/* 10_streamed: patterns stay in registers, and the matrices stream past them.

   Idea: a warp takes 16 patterns through the whole tree. What one product leaves in its registers is what the next one
   wants there, so warps do not wait for each other, and matrices can be copied several branches ahead.
   Changed: rows and columns of stage 09's product are exchanged. A warp of its own copies matrices and codes, and
   barriers in shared memory say when they have arrived. For few patterns, four warps share a pattern's states, and
   subtrees are computed side by side. Sites and total need no launch of their own.
   Expected: 0.17 ms for 62 taxa, 3,600 codon patterns and 4 rates in double precision, where stage 09 takes 0.33.
   Measured: 0.20 ms on an H200.
   See: warpladder run peeling/09* peeling/10* */
#include "harness/device/copy_bulk.h"
#include "peeling/kit/ending.h"
#include "peeling/kit/rows.h"
#include "peeling/kit/turn.h"

enum { STAGES_LEAST = 3, STAGES_MOST = 6 };

/* Which of a join's children comes first: the one in registers, then one in memory, then a tip. */
static __device__ __forceinline__ uint32_t first_child(const peeling_join *join, uint32_t tips) {
    return join->child[1] == PEELING_LAST || (join->child[0] < tips && join->child[1] >= tips) ? 1 : 0;
}

/* Shared memory of a block, in bytes: barriers, stages, and buffers of F with (SPLIT > 1) their largest entries. */
template <typename real, int W, int TEAMS, int SPLIT> struct layout {
    enum {
        WARPS = TEAMS * SPLIT,
        THREADS = (WARPS + 1) * PEELING_WARP,
        WIDTH = TEAMS * PEELING_ROWS,
        LASTS = SPLIT > 1 ? 2 : 0, // buffers before the slots
        BARRIERS = 256,            // [STAGES_MOST] full, [STAGES_MOST] empty, [TEAMS]
        CODES = WIDTH * (int)sizeof(uint16_t),
        STAGE = peeling_rows<real, W>::BYTES + (CODES + 127) / 128 * 128,
        TEAM_NUMBERS = W * PEELING_ROWS, // of a buffer of F
        TOPS = SPLIT > 1 ? WARPS *PEELING_ROWS *(int)sizeof(uint32_t) : 0,
        BUFFER = TEAMS * TEAM_NUMBERS * (int)sizeof(real) + TOPS,
        SUMS = SPLIT > 1 ? WARPS *PEELING_ROWS *(int)sizeof(double) : 0,
        EDGE = BARRIERS + SUMS,
        STORED_TOPS =
            TEAM_NUMBERS *
            (int)sizeof(real), // in a part's root: tops [SPLIT][PEELING_ROWS] and exponents [PEELING_ROWS] after F
        STORED = STORED_TOPS + (SPLIT + 1) * PEELING_ROWS * 4
    };
};

/* What a block needs of memory, in the order in which it needs it. */
template <typename real, int W, int TEAMS, int SPLIT>
static __device__ __forceinline__ void copy_ahead(const peeling_task *task, const uint16_t *code, uint32_t row,
                                                  const peeling_subtrees *parts, uint32_t first_part, uint32_t jobs,
                                                  uint32_t blocks, uint32_t stages, char *stage_at, wl_mbarrier *full,
                                                  wl_mbarrier *empty) {
    typedef layout<real, W, TEAMS, SPLIT> L;
    const uint32_t tiles = (task->patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 1; // of the phase in which the stage was emptied; at first it is empty
    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t block = job % blocks, r = block / tiles, c0 = block % tiles * L::WIDTH;
        const peeling_join *list = task->joins + parts->first[first_part + job / blocks];
        const uint32_t joins = parts->first[first_part + job / blocks + 1] - parts->first[first_part + job / blocks];
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            const uint32_t first = first_child(&join, task->tips);
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t which = k ^ first, child = which ? join.child[1] : join.child[0];
                const uint32_t matrix = (which ? join.matrix[1] : join.matrix[0]) & ~PEELING_RESCALE;
                char *to = stage_at + (size_t)stage * L::STAGE;
                wl_mbarrier_wait(&empty[stage], parity);
                wl_mbarrier_expect(&full[stage], peeling_rows<real, W>::BYTES + (child < task->tips ? L::CODES : 0));
                wl_copy_bulk(to, peeling_matrix<real>(task, matrix, r), peeling_rows<real, W>::BYTES, &full[stage]);
                if (child < task->tips)
                    wl_copy_bulk(to + peeling_rows<real, W>::BYTES, code + (size_t)child * row + c0, L::CODES,
                                 &full[stage]);
                if (++stage == stages) stage = 0, parity ^= 1;
            }
            join = next;
        }
    }
}

template <typename real, int W, int TEAMS, int SPLIT>
static __global__ void __launch_bounds__((TEAMS * SPLIT + 1) * PEELING_WARP, 1)
    streamed(const __grid_constant__ peeling_task task, const uint16_t *code, // [tips][row]
             uint32_t row, const __grid_constant__ peeling_subtrees parts, uint32_t first_part, uint32_t jobs,
             uint32_t blocks, uint32_t stages, uint32_t resident_slots,
             real *spilled,   // [blocks of the launch][spills][TEAMS][TEAM_NUMBERS]
             uint32_t spills, // slots
             char *stored,    // [parts][blocks][TEAMS] roots of parts
             peeling_ending end) {
    typedef layout<real, W, TEAMS, SPLIT> L;
    enum { OWN = W / 8 / SPLIT };
    extern __shared__ uint4 memory[];
    wl_mbarrier *full = (wl_mbarrier *)memory, *empty = full + STAGES_MOST, *met = empty + STAGES_MOST;
    double *sums = (double *)((char *)memory + L::BARRIERS); // [TEAMS][SPLIT][PEELING_ROWS]
    char *stage_at = (char *)memory + L::EDGE, *buffers = stage_at + (size_t)stages * L::STAGE;
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < stages; s++) {
            wl_mbarrier_init(&full[s], 1);
            wl_mbarrier_init(&empty[s], L::WARPS);
        }
        for (uint32_t t = 0; t < TEAMS; t++) wl_mbarrier_init(&met[t], SPLIT);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const uint32_t warp = threadIdx.x / PEELING_WARP, lane = peeling_lane();
    if (warp == L::WARPS) {
        if (lane == 0)
            copy_ahead<real, W, TEAMS, SPLIT>(&task, code, row, &parts, first_part, jobs, blocks, stages, stage_at,
                                              full, empty);
        return;
    }

    const uint32_t team = warp / SPLIT, part = warp % SPLIT, first_own = part * OWN;
    const uint32_t tiles = (task.patterns + L::WIDTH - 1) / L::WIDTH;
    uint32_t stage = 0, parity = 0, meeting = 0;
    /* The team's part of buffer number b: of F, and (SPLIT > 1) the largest entries [SPLIT][PEELING_ROWS]. */
    uint32_t block = 0;
    auto root_of = [&](uint32_t b) { // of a part
        return stored + (((size_t)(b - L::LASTS - 64) * blocks + block) * TEAMS + team) * L::STORED;
    };
    auto buffer = [&](uint32_t b) -> real * {
        if (b >= L::LASTS + 64) return (real *)root_of(b);
        if (b < L::LASTS + resident_slots) return (real *)(buffers + (size_t)b * L::BUFFER) + team * L::TEAM_NUMBERS;
        return spilled +
               (((size_t)blockIdx.x * spills + (b - L::LASTS - resident_slots)) * TEAMS + team) * L::TEAM_NUMBERS;
    };
    auto tops = [&](uint32_t b) -> uint32_t * {
        if (b >= L::LASTS + 64) return (uint32_t *)(root_of(b) + L::STORED_TOPS);
        return (uint32_t *)(buffers + (size_t)b * L::BUFFER + L::BUFFER - L::TOPS) + team * SPLIT * PEELING_ROWS;
    };
    auto meet = [&]() { // of the team's warps
        __syncwarp();
        if (lane == 0) wl_mbarrier_arrive(&met[team]);
        wl_mbarrier_wait(&met[team], meeting & 1);
        meeting++;
    };
    auto take = [&]() -> const real * { // the next stage, once it is full
        wl_mbarrier_wait(&full[stage], parity);
        return (const real *)(stage_at + (size_t)stage * L::STAGE);
    };
    auto codes_of = [&](const real *P) {
        return (const uint16_t *)((const char *)P + peeling_rows<real, W>::BYTES) + team * PEELING_ROWS;
    };
    auto give = [&]() {
        __syncwarp();
        if (lane == 0) wl_mbarrier_arrive(&empty[stage]);
        if (++stage == stages) stage = 0, parity ^= 1;
    };

    for (uint32_t job = blockIdx.x; job < jobs; job += gridDim.x) {
        const uint32_t part_number = first_part + job / blocks;
        block = job % blocks;
        const uint32_t r = block / tiles, c0 = block % tiles * L::WIDTH + team * PEELING_ROWS;
        const peeling_join *list = task.joins + parts.first[part_number];
        const uint32_t joins = parts.first[part_number + 1] - parts.first[part_number];
        int exponent[2] = {0, 0};
        real F[W / 8][2][2] = {}; // SPLIT == 1: the last result. Else its first OWN are.
        /* What the patterns of a buffer are to be multiplied by before they are used: its warps have not. */
        auto scales = [&](real scale[2], uint32_t b) {
            for (int i = 0; i < 2; i++) {
                const uint32_t *top = tops(b) + lane / 4 + 8 * i;
                int e;
                scale[i] = peeling_scale_of_bands<real>(top, SPLIT, PEELING_ROWS, &e);
                exponent[i] += e;
            }
        };
        /* A part's root has been scaled, too. */
        auto add_exponents = [&](uint32_t b) {
            if (b < L::LASTS + 64) return;
            const int *e = (const int *)(root_of(b) + L::STORED_TOPS) + SPLIT * PEELING_ROWS;
            for (int i = 0; i < 2; i++) exponent[i] += e[lane / 4 + 8 * i];
        };
        peeling_join join = list[0];
        for (uint32_t i = 0; i < joins; i++) {
            const peeling_join next = list[min(i + 1, joins - 1)];
            const uint32_t first = first_child(&join, task.tips);
            const uint32_t one = first ? join.child[1] : join.child[0], other = first ? join.child[0] : join.child[1];
            const bool rescaled = (join.matrix[0] & PEELING_RESCALE) != 0;
            /* SPLIT > 1: the last result is in buffer 0 or 1, in turn. */
            const uint32_t last = (i + 1) % 2;
            real acc[OWN][2][2];
            const real *P = take();
            if (one < task.tips) {
                peeling_row_look_up<real, W, OWN, false>(acc, &task, P, codes_of(P), first_own);
            } else {
                for (int n = 0; n < OWN; n++)
                    for (int k = 0; k < 4; k++) acc[n][k / 2][k % 2] = 0;
                if (SPLIT == 1) {
                    if (one != PEELING_LAST) {
                        real *from = buffer(one - PEELING_SLOT);
                        add_exponents(one - PEELING_SLOT);
                        for (uint32_t n = 0; n < W / 8; n++)
                            for (uint32_t k = 0; k < 2; k++) peeling_pair(F[n][k], peeling_pair_of(from, n, k));
                    }
                    peeling_row_product<real, W, OWN>(acc, F, P, 0);
                } else {
                    const uint32_t b = one == PEELING_LAST ? last : L::LASTS + one - PEELING_SLOT;
                    real scale[2];
                    scales(scale, b);
                    add_exponents(b);
                    peeling_row_product_of<real, W, OWN, true>(acc, buffer(b), scale, P, first_own);
                }
            }
            give();
            P = take();
            if (other < task.tips) {
                peeling_row_look_up<real, W, OWN, true>(acc, &task, P, codes_of(P), first_own);
                give();
            } else {
                const uint32_t b = L::LASTS + other - PEELING_SLOT;
                real scale[2], more[OWN][2][2] = {};
                if (SPLIT > 1) scales(scale, b);
                add_exponents(b);
                peeling_row_product_of<real, W, OWN, (SPLIT > 1)>(more, buffer(b), scale, P, first_own);
                give();
                for (int n = 0; n < OWN; n++)
                    for (int k = 0; k < 4; k++) acc[n][k / 2][k % 2] *= more[n][k / 2][k % 2];
            }

            /* The largest entry of each pattern, among the warp's states. */
            uint32_t top[2] = {peeling_top((real)1), peeling_top((real)1)};
            if (rescaled)
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    uint32_t x = 0;
                    for (int n = 0; n < OWN; n++)
                        for (int p = 0; p < 2; p++) x = max(x, peeling_top(acc[n][k][p]));
                    for (int s = 1; s < 4; s *= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, s));
                    top[k] = x;
                }
            if (SPLIT == 1) {
                if (rescaled)
#pragma unroll
                    for (int k = 0; k < 2; k++) {
                        int e;
                        const real scale = peeling_scale_of_top<real>(top[k], &e);
                        exponent[k] += e;
                        for (int n = 0; n < OWN; n++)
                            for (int p = 0; p < 2; p++) acc[n][k][p] *= scale;
                    }
                if (join.to != PEELING_LAST) {
                    real *to = buffer(join.to - PEELING_SLOT);
                    for (uint32_t n = 0; n < OWN; n++)
                        for (uint32_t k = 0; k < 2; k++) peeling_put_pair(peeling_pair_of(to, n, k), acc[n][k]);
                }
            } else {
                const uint32_t b = join.to == PEELING_LAST ? i % 2 : L::LASTS + join.to - PEELING_SLOT;
                if (join.to != PEELING_LAST && (join.to == one || join.to == other)) meet(); // all have read it
                real *to = buffer(b);
                for (uint32_t n = 0; n < OWN; n++)
                    for (uint32_t k = 0; k < 2; k++) peeling_put_pair(peeling_pair_of(to, first_own + n, k), acc[n][k]);
                if (lane % 4 == 0)
                    for (int k = 0; k < 2; k++) tops(b)[part * PEELING_ROWS + lane / 4 + 8 * k] = top[k];
                meet();
            }
            for (int n = 0; n < OWN; n++)
                for (int k = 0; k < 4; k++) F[n][k / 2][k % 2] = acc[n][k / 2][k % 2];
            if (i + 1 == joins && join.to != PEELING_LAST && part == 0 && lane % 4 == 0)
                for (int k = 0; k < 2; k++)
                    ((int *)(root_of(L::LASTS + join.to - PEELING_SLOT) +
                             L::STORED_TOPS))[SPLIT * PEELING_ROWS + lane / 4 + 8 * k] = exponent[k];
            join = next;
        }
        if (part_number < parts.count) continue;

        /* The root's sum over states. */
        double sum[2] = {0, 0};
        for (uint32_t n = 0; n < OWN; n++)
            for (uint32_t p = 0; p < 2; p++)
                for (int k = 0; k < 2; k++)
                    sum[k] += task.frequency[8 * (first_own + n) + 2 * (lane % 4) + p] * (double)F[n][k][p];
        for (int k = 0; k < 2; k++)
            for (int s = 1; s < 4; s *= 2) sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], s);
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
        if (part == 0 && c0 < task.patterns) peeling_finish(&task, &end, r, c0, sum, exponent);
    }
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

/* Own memory, piece by piece, each a multiple of 128 bytes. The last two are roots of subtrees, and slots that shared memory has no
   room for. */
enum { SLOTS_MOST = 32, WIDEST = 16 * PEELING_ROWS, MULTIPROCESSORS_MOST = 256 /* blocks of a launch */ };
static uint32_t code_row(const peeling_task *task) {
    return (task->patterns + WIDEST + 15) / 16 * 16;
} // to the end of the last block
static size_t units_of(const peeling_task *task) { return (task->patterns + (size_t)PEELING_ROWS - 1) / PEELING_ROWS; }
typedef struct {
    size_t exponent, unit_total, counters, code, rest;
} places;
static places places_of(const peeling_task *task) {
    const size_t cells = task->rates * (size_t)task->patterns, units = units_of(task);
    const auto padded = [](size_t bytes) { return (bytes + 127) / 128 * 128; };
    places at;
    at.exponent = padded(sizeof(double) * cells);
    at.unit_total = at.exponent + padded(sizeof(int) * cells);
    at.counters = at.unit_total + padded(sizeof(double) * units);
    at.code = at.counters + padded(sizeof(uint32_t) * (units + 1));
    at.rest = at.code + padded(sizeof(uint16_t) * task->tips * (size_t)code_row(task));
    return at;
}
/* Lists in the order of peeling_tree_work take no more slots. */
static uint32_t slots_most(uint32_t tips) {
    uint32_t slots = 1;
    while (slots < SLOTS_MOST && tips >> slots) slots++;
    return slots;
}
enum { PIECE_MORE = 9 * PEELING_ROWS * 4, ROOTS_MOST = 4096 }; // see layout's STORED; of subtrees, all teams'
static size_t roots_most(const peeling_task *task) {
    const size_t all = (size_t)PEELING_SUBTREES_MOST * (units_of(task) + WIDEST / PEELING_ROWS) * task->rates;
    return all < ROOTS_MOST ? all : (size_t)ROOTS_MOST;
}
/* Teams whose slots there is memory for: of blocks that run at the same time. */
static size_t spilling_teams(const peeling_task *task) {
    const size_t all = (units_of(task) + WIDEST / PEELING_ROWS) * task->rates;
    const size_t wave = (size_t)MULTIPROCESSORS_MOST * WIDEST / PEELING_ROWS;
    return all < wave ? all : wave;
}
static size_t own_bytes(const peeling_input *in, const peeling_task *task) {
    const size_t piece = peeling_real(in) * task->padded * PEELING_ROWS + PIECE_MORE;
    return places_of(task).rest + (spilling_teams(task) * slots_most(task->tips) + roots_most(task)) * piece;
}

static __global__ void pack(peeling_task task, uint16_t *code, uint32_t row) { // [tips][row]
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)task.tips * row) return;
    const size_t c = i % row;
    code[i] = c < task.patterns ? task.code[i / row * task.patterns + c] : 0;
}
static wl_status ready(peeling_state *s) {
    const uint32_t row = code_row(&s->task);
    const size_t threads = (size_t)s->task.tips * row;
    const places at = places_of(&s->task);
    WL_CUDA(cudaMemset((char *)s->own + at.counters, 0, at.code - at.counters));
    if (threads == 0) return WL_OK;
    pack<<<peeling_blocks(threads, 256), 256>>>(s->task, (uint16_t *)((char *)s->own + at.code), row);
    WL_LAUNCHED();
    return WL_OK;
}

/* --- Which blocks ------------------------------------------------------------------------------------------------- */

/* How a block is made up: teams of 16 patterns, and what a wave of such blocks takes in each precision, in microseconds of an H200 (62
   taxa, the tree not cut). A block's time hardly depends on how many of its teams have patterns. One team was measured in doubles; its
   time in floats is that by the ratio of those with subtrees. */
typedef struct {
    uint32_t teams;
    double wave[2];
} team_shape;
static const team_shape shapes_of_64[] = {{1, {103, 97}}, {2, {124, 118}}, {7, {204, 199}}};
static const team_shape shapes_of_24[] = {{4, {42, 42}}, {16, {91, 103}}};
static uint32_t teams_of(const peeling_state *s) {
    const int small = s->task.states <= 24, count = small ? 2 : 3;
    const team_shape *shapes = small ? shapes_of_24 : shapes_of_64;
    uint32_t best = s->input->tiles == 1 ? 0 : s->input->tiles < 4 && !small ? 1 : (uint32_t)count - 1;
    double least = INFINITY;
    for (int i = 0; i < count && s->input->tiles == 0; i++) {
        const size_t blocks = (size_t)peeling_blocks(s->task.patterns, shapes[i].teams * PEELING_ROWS) * s->task.rates;
        const double time =
            (double)((blocks + s->multiprocessors - 1) / s->multiprocessors) * shapes[i].wave[s->input->precision];
        if (time < least) least = time, best = (uint32_t)i;
    }
    return s->task.states > 24 && s->task.padded == 32 ? 7 : shapes[best].teams;
}
static uint32_t blocks_of(const peeling_task *task, uint32_t teams) {
    return peeling_blocks(task->patterns, teams * PEELING_ROWS) * task->rates;
}
/* The roots have room whichever blocks `joins_of` takes in the end: those of seven teams may have more of them without patterns. */
static void cut(peeling_state *s, const peeling_work *work) {
    const uint32_t teams = teams_of(s), blocks = blocks_of(&s->task, teams), seven = 7 * blocks_of(&s->task, 7);
    const uint32_t stored = s->task.states > 24 && seven > blocks * teams ? seven : blocks * teams; // for one subtree
    if (blocks > 0)
        peeling_cut(work, s->task.tips, (uint32_t)s->multiprocessors / blocks,
                    (uint32_t)(roots_most(&s->task) / stored), s->scratch, s->part_of, &s->subtrees);
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

/* Slots that shared memory has room for; -1 if there is not enough without any. */
template <typename real, int W, int TEAMS, int SPLIT> static int slots_room(const peeling_state *s) {
    typedef layout<real, W, TEAMS, SPLIT> L;
    const size_t least = L::EDGE + STAGES_LEAST * (size_t)L::STAGE + L::LASTS * (size_t)L::BUFFER;
    return s->shared_most < least ? -1 : (int)((s->shared_most - least) / L::BUFFER);
}
/* Teams of several warps have all slots in shared memory. */
template <typename real, int W, int TEAMS, int SPLIT> static bool slots_fit(const peeling_state *s) {
    return (int)s->slots <= slots_room<real, W, TEAMS, SPLIT>(s);
}
template <typename real, int W, int TEAMS, int SPLIT> static wl_status launch_of(peeling_state *s) {
    typedef layout<real, W, TEAMS, SPLIT> L;
    if (s->slots > slots_most(s->task.tips))
        return wl_fail(WL_CHECK_FAILED, "joins in an order that keeps %u vectors alive", s->slots);
    const int slots = slots_room<real, W, TEAMS, SPLIT>(s);
    if (slots < 0)
        return wl_fail(WL_CHECK_FAILED, "%zu bytes of shared memory are too few for a block", s->shared_most);
    const uint32_t most = s->input->spill > 0 && SPLIT == 1 && slots > 1 ? 1 : (uint32_t)slots;
    const uint32_t resident_slots = s->slots < most ? s->slots : most, spills = s->slots - resident_slots;
    const size_t room = s->shared_most - L::EDGE - (L::LASTS + resident_slots) * (size_t)L::BUFFER;
    const uint32_t stages = room / L::STAGE < STAGES_MOST ? (uint32_t)(room / L::STAGE) : (uint32_t)STAGES_MOST;
    const size_t bytes = L::EDGE + stages * (size_t)L::STAGE + (L::LASTS + resident_slots) * (size_t)L::BUFFER;
    const places at = places_of(&s->task);
    char *own = (char *)s->own;
    uint32_t *counters = (uint32_t *)(own + at.counters);
    const peeling_ending end = {(double *)own, (int *)(own + at.exponent), (double *)(own + at.unit_total),
                                counters + 1, counters};
    WL_CUDA(
        cudaFuncSetAttribute(streamed<real, W, TEAMS, SPLIT>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const uint32_t blocks = blocks_of(&s->task, TEAMS), parts = s->subtrees.count;
    if ((size_t)parts * blocks * TEAMS > roots_most(&s->task))
        return wl_fail(WL_CHECK_FAILED, "no memory for the roots of %u subtrees", parts);
    const uint32_t wave =
        s->multiprocessors < MULTIPROCESSORS_MOST ? (uint32_t)s->multiprocessors : (uint32_t)MULTIPROCESSORS_MOST;
    char *stored = own + at.rest, *spilled = stored + roots_most(&s->task) * L::STORED;
    for (uint32_t first = 0; first <= parts; first += parts > 0 ? parts : 1) {
        const uint32_t jobs = first < parts ? parts * blocks : blocks;
        uint32_t count = first < parts || jobs < wave ? jobs : wave;
        if (spills > 0 && (size_t)count * TEAMS > spilling_teams(&s->task))
            count = (uint32_t)(spilling_teams(&s->task) / TEAMS);
        streamed<real, W, TEAMS, SPLIT><<<count, L::THREADS, bytes>>>(
            s->task, (const uint16_t *)(own + at.code), code_row(&s->task), s->subtrees, first, jobs, blocks, stages,
            resident_slots, (real *)spilled, spills, stored, end);
        WL_LAUNCHED();
    }
    return WL_OK;
}

template <typename real> static wl_status joins_of(peeling_state *s) {
    const uint32_t teams = teams_of(s);
    if (s->task.states <= 24) return teams == 4 ? launch_of<real, 24, 4, 1>(s) : launch_of<real, 24, 16, 1>(s);
    if (s->task.padded == 32) return launch_of<real, 32, 7, 1>(s);
    if (teams == 1 && slots_fit<real, 64, 1, 4>(s)) return launch_of<real, 64, 1, 4>(s);
    if (teams == 2 && slots_fit<real, 64, 2, 4>(s)) return launch_of<real, 64, 2, 4>(s);
    return launch_of<real, 64, 7, 1>(s);
}
static wl_status joins(peeling_state *s) { return PEELING_BY_PRECISION(joins_of, s); }
static const char *refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && device->compute_capability < 90)
        return "bulk copies came with compute capability 9.0";
    return peeling_tensor_refuses(device, in);
}

/* Than the stages before (results/peeling_streamed_h200.tsv). Measured with 62 taxa, 20 and 61 states, at both ends of each row; other
   numbers of taxa and states are assumed to behave alike. In floats 24,000 cells of codons were not measured. */
static const peeling_faster faster[] = {
    {PEELING_H200, {9, 24}, PEELING_DOUBLE, {2, 128}, {4000, 40001}},
    {PEELING_H200, {9, 24}, PEELING_SINGLE, {2, 128}, {4000, 40001}},
    {PEELING_H200, {33, 64}, PEELING_DOUBLE, {2, 128}, {400, 40001}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {400, 14401}},
    {PEELING_H200, {33, 64}, PEELING_SINGLE, {2, 128}, {40000, 40001}},
    {},
};

PEELING_STAGE(.idea = "patterns stay in registers, matrices stream past them", .source = "Warpladder",
              .limits = "models of more than 8 states", .padded = peeling_padded_to_bands, .refuses = refuses,
              .faster = faster, .whole_trees_only = 1, .factors_within = 1, .matrices = peeling_matrices_in_turn,
              .joins = joins, .totals_within = 1, .cut = cut, .own_bytes = own_bytes, .ready = ready,
              .rate = {WL_RATE_MMA_TF32, WL_RATE_MMA_F64})
