/* A join in register tiles, for stages 05_registers and 06_levels, for 20 and 64 states (padded). Four states are in
   peeling/kit/four.h.

   A block computes a tile of patterns of one join and one rate class. It has all states of these patterns, so it can
   rescale them. It goes through the states j of a child in chunks of K: K rows of the transposed matrix, [j][s], and K
   numbers of each pattern, [c][j]. The next chunk comes into registers while the block multiplies the last one from
   shared memory. A tip with a known state needs one column of the matrix. In the transposed matrix that is a row, and
   neighbouring lanes read it from global memory. */
#pragma once

#include "peeling/kit/scale.h"
#include "peeling/kit/tile.h"

/* The shape of a tile: LS lanes along the states, and W / LS states by COLUMNS patterns per thread. */
template <typename real, int W_, int LS_, int COLUMNS_, int THREADS_, int K_, int RESIDENT_> struct peeling_shape {
    enum {
        W = W_,
        LS = LS_,
        COLUMNS = COLUMNS_,
        THREADS = THREADS_,
        K = K_,
        RESIDENT = RESIDENT_,              // blocks per multiprocessor: it limits the registers of a thread
        PATTERNS = THREADS / LS * COLUMNS, // per block
        NEXT = PATTERNS / COLUMNS,         // distance of a thread's patterns
        ROW = peeling_row<real, K>::APART,
        CHUNKS = W / K,
        WORD = 16 / sizeof(real),
        M_WORDS = K * W / WORD, // per chunk
        V_WORDS = PATTERNS * K / WORD,
        M_EACH = (M_WORDS + THREADS - 1) / THREADS, // per thread
        V_EACH = (V_WORDS + THREADS - 1) / THREADS
    };
    typedef real number;
    typedef peeling_states<real, W, LS> states;
};

template <typename shape> struct __align__(16) peeling_chunk {
    typename shape::number M[shape::K * shape::W];          // [j][s]
    typename shape::number V[shape::PATTERNS * shape::ROW]; // [c][j]
};

/* The next chunk in registers, between global and shared memory. */
template <typename shape> struct peeling_moving {
    typename shape::number M[shape::M_EACH][shape::WORD], V[shape::V_EACH][shape::WORD];
};
template <typename shape>
static __device__ __forceinline__ void peeling_bring(peeling_moving<shape> *moving,
                                                     const typename shape::number *P, // the chunk, [K][W]
                                                     const typename shape::number *F, // of the first pattern
                                                     uint32_t here) {                 // patterns that exist
    enum { K = shape::K, WORD = shape::WORD };
#pragma unroll
    for (int i = 0; i < shape::M_EACH; i++) {
        const int at = i * shape::THREADS + (int)threadIdx.x;
        if (shape::M_WORDS % shape::THREADS == 0 || at < shape::M_WORDS) peeling_read(P + at * WORD, moving->M[i]);
    }
#pragma unroll
    for (int i = 0; i < shape::V_EACH; i++) {
        const uint32_t at = i * shape::THREADS + threadIdx.x, c = at / (K / WORD), part = at % (K / WORD);
        /* Past the last pattern it loads the last one again. */
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

/* The factor of a tip whose state is not known: the sum of the set's columns, for the thread's states. P points to the
   thread's first state of row 0. */
template <typename shape>
static __device__ __forceinline__ void peeling_tip_set(const peeling_task *task, uint32_t code,
                                                       const typename shape::number *P, int first_state,
                                                       typename shape::number *sum) { // [states::COUNT]
    typedef typename shape::number real;
    typedef typename shape::states states;
    uint64_t set = task->set[code];
    const bool any = set == ~(uint64_t)0 >> (64 - task->states); // missing data: the sum is 1
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
/* The same for each of the thread's patterns. All loads start first, as if every state were known. A branch before each
   load would make it wait for the load before. */
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

/* Computes the block's patterns, from c0 on, of one join and rate class. chunk: in shared memory, two of them. */
template <typename shape>
static __device__ __forceinline__ void peeling_join_tile(const peeling_task *task, const peeling_join *join, uint32_t r,
                                                         size_t c0, peeling_chunk<shape> *chunk) { // [2]
    typedef typename shape::number real;
    typedef typename shape::states states;
    enum { W = shape::W, LS = shape::LS, COLUMNS = shape::COLUMNS, K = shape::K, CHUNKS = shape::CHUNKS };
    const int lane = threadIdx.x % PEELING_WARP, warp = threadIdx.x / PEELING_WARP;
    const int first_state = peeling_lane_state<LS>(lane) * states::PIECE;
    const int first = peeling_lane_column<LS>(lane) + warp * (PEELING_WARP / LS); // the thread's first pattern
    const size_t left = task->patterns - c0;
    const uint32_t here = left < shape::PATTERNS ? (uint32_t)left : (uint32_t)shape::PATTERNS;

    /* The inner children: two, one or none. They are not in an array, because an index that is known only when the
       kernel runs would put the array into memory. */
    const bool inner_0 = join->child[0] >= task->tips, inner_1 = join->child[1] >= task->tips;
    const int inner = inner_0 + inner_1;
    const real *P = inner > 0 ? peeling_matrix<real>(task, join->matrix[inner_0 ? 0 : 1], r) : NULL;
    const real *F = inner > 0 ? peeling_vector<real>(task, join->child[inner_0 ? 0 : 1], r, c0) : NULL;

    peeling_moving<shape> moving;
    if (inner > 0) peeling_bring(&moving, P, F, here);
    /* Exponents are shared out: the lane with the first states has that of its first pattern, the next lane that of
       the second, and so on. */
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
            __syncthreads(); // one per chunk is enough: past it, no thread reads the other chunk, which is next to fill
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

    /* Finds the largest entry of each pattern among its lanes, rescales, and stores. */
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

/* The two tiles for each number of states: a large one, used if its blocks suffice for all multiprocessors, and a small
   one, whose blocks each take less time. */
template <typename real, int W> struct peeling_shapes;
template <> struct peeling_shapes<float, 64> {
    typedef peeling_shape<float, 64, 8, 4, 128, 32, 3> large;  // 8 states x 4 patterns per thread, 64 patterns
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
