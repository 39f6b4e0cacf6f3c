/* A join in register tiles, for the stages 05_registers and 06_levels: 20 and 64 states (padded). For 4 see
   peeling/kit/four.h.

   A block has one rate class of one join and a tile of patterns, with all their states, so that it can rescale
   them. It goes through the states j of a child in chunks: K rows of the transposed matrix, [j][s], and the K
   numbers of each of its patterns, [c][j], are brought to shared memory, the next chunk into registers while the
   last is multiplied. A tip's probabilities are a column of its matrix, which in the transposed one is a row: read
   where it is, by neighbouring lanes for neighbouring states. */
#ifndef PEELING_REGISTERS_H
#define PEELING_REGISTERS_H

#include "peeling/kit/tile.h"

/* LS lanes along the states, each with W / LS states and COLUMNS patterns. */
template <typename real, int W_, int LS_, int COLUMNS_, int THREADS_, int K_, int RESIDENT_> struct peeling_shape {
    enum {
        W = W_,
        LS = LS_,
        COLUMNS = COLUMNS_,
        THREADS = THREADS_,
        K = K_,
        RESIDENT = RESIDENT_,              // blocks on a multiprocessor, for their registers
        PATTERNS = THREADS / LS * COLUMNS, // of the block
        NEXT = PATTERNS / COLUMNS,         // patterns from one of a thread's to the next
        ROW = peeling_row<real, K>::APART,
        CHUNKS = W / K,
        WORD = 16 / sizeof(real),
        M_WORDS = K * W / WORD, // of a chunk
        V_WORDS = PATTERNS * K / WORD,
        M_EACH = (M_WORDS + THREADS - 1) / THREADS, // of a thread
        V_EACH = (V_WORDS + THREADS - 1) / THREADS
    };
    typedef real number;
    typedef peeling_states<real, W, LS> states;
};

template <typename shape> struct __align__(16) peeling_chunk {
    typename shape::number M[shape::K * shape::W];          // [j][s]
    typename shape::number V[shape::PATTERNS * shape::ROW]; // [c][j]
};

/* A chunk on its way, in registers. */
template <typename shape> struct peeling_moving {
    typename shape::number M[shape::M_EACH][shape::WORD], V[shape::V_EACH][shape::WORD];
};
template <typename shape>
static __device__ __forceinline__ void peeling_bring(peeling_moving<shape> *moving,
                                                     const typename shape::number *P, // of the chunk, [K][W]
                                                     const typename shape::number *F, // the first pattern's
                                                     uint32_t here) {                 // patterns that there are
    enum { K = shape::K, WORD = shape::WORD };
#pragma unroll
    for (int i = 0; i < shape::M_EACH; i++) {
        const int at = i * shape::THREADS + (int)threadIdx.x;
        if (shape::M_WORDS % shape::THREADS == 0 || at < shape::M_WORDS) peeling_read(P + at * WORD, moving->M[i]);
    }
#pragma unroll
    for (int i = 0; i < shape::V_EACH; i++) {
        const uint32_t at = i * shape::THREADS + threadIdx.x, c = at / (K / WORD), part = at % (K / WORD);
        /* Beyond the last pattern: the last once more. */
        if (shape::V_WORDS % shape::THREADS == 0 || at < shape::V_WORDS)
            peeling_read(F + (c < here ? c : here - 1) * shape::W + part * WORD, moving->V[i]);
    }
}
template <typename shape>
static __device__ __forceinline__ void peeling_keep(const peeling_moving<shape> *moving, peeling_chunk<shape> *chunk) {
    enum { K = shape::K, WORD = shape::WORD };
#pragma unroll
    for (int i = 0; i < shape::M_EACH; i++) {
        const int at = i * shape::THREADS + (int)threadIdx.x;
        if (shape::M_WORDS % shape::THREADS == 0 || at < shape::M_WORDS)
            peeling_write(chunk->M + at * WORD, moving->M[i]);
    }
#pragma unroll
    for (int i = 0; i < shape::V_EACH; i++) {
        const int at = i * shape::THREADS + (int)threadIdx.x, c = at / (K / WORD), part = at % (K / WORD);
        if (shape::V_WORDS % shape::THREADS == 0 || at < shape::V_WORDS)
            peeling_write(chunk->V + c * shape::ROW + part * WORD, moving->V[i]);
    }
}

/* A tip's factor where its state is not known: the sum of the set's columns, in the thread's states. P: the
   thread's first state of row 0. */
template <typename shape>
static __device__ __forceinline__ void peeling_tip_set(const peeling_task *task, uint32_t code,
                                                       const typename shape::number *P, int first_state,
                                                       typename shape::number *sum) { // [states::COUNT]
    typedef typename shape::number real;
    typedef typename shape::states states;
    uint64_t set = task->set[code];
    const bool any = set == ~(uint64_t)0 >> (64 - task->states); // missing data: the row's sum is 1
#pragma unroll
    for (int i = 0; i < states::COUNT; i++)
        sum[i] = any && first_state + states::at(i) < (int)task->states ? (real)1 : (real)0;
    for (set = any ? 0 : set; set != 0; set &= set - 1) {
        real more[states::COUNT];
        states::read(P + (__ffsll((long long)set) - 1) * shape::W, more);
#pragma unroll
        for (int i = 0; i < states::COUNT; i++) sum[i] += more[i];
    }
}
/* The same for each of the thread's patterns: all are asked for as if their states were known before the first is
   looked at. */
template <typename shape>
static __device__ __forceinline__ void peeling_tip_rows(const peeling_task *task, const uint32_t *code, // [COLUMNS]
                                                        const typename shape::number *P, int first_state,
                                                        typename shape::number (*row)[shape::states::COUNT]) {
#pragma unroll
    for (int c = 0; c < shape::COLUMNS; c++)
        shape::states::read(P + (code[c] < task->states ? code[c] : 0) * shape::W, row[c]);
#pragma unroll
    for (int c = 0; c < shape::COLUMNS; c++)
        if (code[c] >= task->states) peeling_tip_set<shape>(task, code[c], P, first_state, row[c]);
}

/* Patterns c0 .. of one rate class of a join. chunk: shared, two of them. */
template <typename shape>
static __device__ __forceinline__ void peeling_join_tile(const peeling_task *task, const peeling_join *join, uint32_t r,
                                                         size_t c0, peeling_chunk<shape> *chunk) { // [2]
    typedef typename shape::number real;
    typedef typename shape::states states;
    enum { W = shape::W, LS = shape::LS, COLUMNS = shape::COLUMNS, K = shape::K, CHUNKS = shape::CHUNKS };
    const int lane = threadIdx.x % PEELING_WARP, warp = threadIdx.x / PEELING_WARP;
    const int first_state = peeling_lane_state<LS>(lane) * states::PIECE;
    const int first = peeling_lane_column<LS>(lane) + warp * (PEELING_WARP / LS); // pattern of the tile
    const size_t left = task->patterns - c0;
    const uint32_t here = left < shape::PATTERNS ? (uint32_t)left : (uint32_t)shape::PATTERNS;

    /* The inner children, of which there may be none. Not an array: its place would be looked up when the kernel
       runs, in memory. */
    const bool inner_0 = join->child[0] >= task->tips, inner_1 = join->child[1] >= task->tips;
    const int inner = inner_0 + inner_1;
    const real *P = inner > 0 ? peeling_matrix<real>(task, join->matrix[inner_0 ? 0 : 1], r) : NULL;
    const real *F = inner > 0 ? peeling_vector<real>(task, join->child[inner_0 ? 0 : 1], r, c0) : NULL;

    peeling_moving<shape> moving;
    if (inner > 0) peeling_bring(&moving, P, F, here);
    /* The lane that has the first states has the exponent of the first of its patterns, the next lane of the next. */
    static_assert(COLUMNS <= LS, "a lane has one exponent");
    const int own = first_state / states::PIECE;
    const bool writes = own < COLUMNS && first + own * shape::NEXT < (int)here;
    const size_t own_pattern = c0 + first + (writes ? own * shape::NEXT : 0);
    int e_0 = 0, e_1 = 0;
    if (writes) {
        e_0 = peeling_exponent_of(task, join->child[0], r, own_pattern);
        e_1 = peeling_exponent_of(task, join->child[1], r, own_pattern);
    }

    real product[COLUMNS][states::COUNT];
    if (inner < 2) {
        const int tip = inner_0 ? 1 : 0;
        uint32_t code[COLUMNS], other[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const int at = first + c * shape::NEXT;
            const uint16_t *from = task->code + c0 + (at < (int)here ? at : (int)here - 1);
            code[c] = from[join->child[tip] * (size_t)task->patterns];
            if (inner == 0) other[c] = from[join->child[1] * (size_t)task->patterns];
        }
        peeling_tip_rows<shape>(task, code, peeling_matrix<real>(task, join->matrix[tip], r) + first_state, first_state,
                                product);
        if (inner == 0) {
            real row[COLUMNS][states::COUNT];
            peeling_tip_rows<shape>(task, other, peeling_matrix<real>(task, join->matrix[1], r) + first_state,
                                    first_state, row);
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
#pragma unroll
                for (int i = 0; i < states::COUNT; i++) product[c][i] *= row[c][i];
        }
    } else {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
            for (int i = 0; i < states::COUNT; i++) product[c][i] = 1;
    }

    const int steps = inner * CHUNKS;
    for (int child = 0, step = 0; child < inner; child++) {
        real sum[COLUMNS][states::COUNT] = {};
        for (int part = 0; part < CHUNKS; part++) {
            peeling_chunk<shape> *now = &chunk[step % 2];
            peeling_keep(&moving, now);
            __syncthreads(); // once a chunk: who writes to the other chunk next has passed here, so nobody reads it
            if (++step < steps) {
                const int k = step % CHUNKS * K;
                if (k == 0) {
                    P = peeling_matrix<real>(task, join->matrix[1], r);
                    F = peeling_vector<real>(task, join->child[1], r, c0);
                }
                peeling_bring(&moving, P + k * W, F + k, here);
            }
            peeling_tile_multiply<real, W, LS, COLUMNS, K, W, shape::NEXT * shape::ROW>(
                now->M + first_state, now->V + first * shape::ROW, sum);
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
            for (int i = 0; i < states::COUNT; i++) product[c][i] *= sum[c][i];
    }

    /* The largest entry of a pattern, among its lanes; then everything to memory, scaled. */
    int e_own = 0;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        real most = 0;
#pragma unroll
        for (int i = 0; i < states::COUNT; i++) most = product[c][i] > most ? product[c][i] : most;
        int e;
        const real scale = peeling_scale(peeling_lanes_most<real, LS>(most), &e);
        if (c == own) e_own = e;
#pragma unroll
        for (int i = 0; i < states::COUNT; i++) product[c][i] *= scale;
        if (first + c * shape::NEXT < (int)here)
            states::write(peeling_partial<real>(task, join->to, r, c0 + first + c * shape::NEXT) + first_state,
                          product[c]);
    }
    if (writes) *peeling_exponent(task, join->to, r, own_pattern) = e_own + e_0 + e_1;
}

/* The tile in which joins of so many states are computed: the large one, as long as there are blocks enough for
   all multiprocessors, and a small one, whose blocks each take a fifth of the time. */
template <typename real, int W> struct peeling_shapes;
template <> struct peeling_shapes<float, 64> {
    typedef peeling_shape<float, 64, 8, 4, 128, 32, 3> large;  // 8 x 4 a thread, 64 patterns
    typedef peeling_shape<float, 64, 16, 2, 128, 32, 4> small; // 4 x 2, 16
};
template <> struct peeling_shapes<double, 64> {
    typedef peeling_shape<double, 64, 8, 4, 128, 16, 2> large;
    typedef peeling_shape<double, 64, 16, 2, 128, 16, 4> small;
};
template <typename real> struct peeling_shapes<real, 20> {
    typedef peeling_shape<real, 20, 4, 4, 64, 20, 4> large; // 5 x 4, 64
    typedef peeling_shape<real, 20, 4, 1, 64, 20, 8> small; // 5 x 1, 16
};

static inline uint32_t peeling_padded(uint32_t states) { return states <= 4 ? 4 : states <= 20 ? 20 : 64; }

#endif
