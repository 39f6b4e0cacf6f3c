/* 11_site_repeats: equal columns of a subtree are computed once.

   Idea: two tips have at most 16 different columns of nucleotides, and four tips 256, however many patterns there are. So the
   largest subtrees with at most 256 different columns become tables with a vector for each column, and a pattern has a byte that
   says which one is its own. Only the joins above the tables are computed pattern by pattern.
   Changed, against 08_fused: a kernel fills the tables. A tip is a table, too, so nothing chooses between states and sets. Codes
   come to shared memory before they are needed, for several joins at a time. Small inputs have their rate classes side by side.
   Expected: 62 taxa have some 25 tables, so 24 of 61 joins are left. A million patterns then take 0.06 ms of multiply-adds and 0.15 ms
   of look-ups: a warp's 32 random vectors of 16 bytes take 11 passes of shared memory.
   Measured: not on a GPU yet. In the simulated device, shared memory takes 2.4 million passes where 08_fused takes 13.7 million
   (65,536 patterns).
   See: warpladder run peeling/11_site_repeats --model GTR+G4 --patterns 100000 --precision single */
#include "peeling/engine/faster.h"
#include "peeling/kit/matrices.h"
#include "peeling/kit/program.h"
#include "peeling/kit/scale.h"
#include "peeling/kit/scaled.h"
#include "peeling/kit/tables.h"
#include "peeling/kit/tile.h"
#include "peeling/model/generator.h"

enum { S = 4, BLOCK = 256 };

/* How a block is used: `lanes` threads have K patterns each, in `rows` rows with a rate class each, one after the other. The matrices,
   tables and codes of up to `joins` joins, with `entries` of tables, are in shared memory together: a batch. */
typedef struct {
    uint32_t lanes, rows, K, joins, entries;
} layout;

/* F of a pattern, or a column of P. */
template <typename real> struct __align__(16) quad { real s[S]; };
template <typename real>
static __device__ __forceinline__ quad<real> get(const quad<real> *from) { // 16 bytes an access
    quad<real> F;
    for (int s = 0; s < S; s += 16 / sizeof(real)) peeling_read(from->s + s, F.s + s);
    return F;
}
template <typename real> static __device__ __forceinline__ void put(quad<real> *to, const quad<real> &F) {
    for (int s = 0; s < S; s += 16 / sizeof(real)) peeling_write(to->s + s, F.s + s);
}

/* The codes of K neighbouring patterns. */
template <int K> struct word;
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };

template <typename real>
static __device__ __forceinline__ quad<real> product(const quad<real> column[S], const quad<real> &F) {
    quad<real> sum;
    for (int s = 0; s < S; s++) sum.s[s] = column[0].s[s] * F.s[0];
    for (int j = 1; j < S; j++)
        for (int s = 0; s < S; s++) sum.s[s] += column[j].s[s] * F.s[j];
    return sum;
}
template <typename real>
static __device__ __forceinline__ const quad<real> *columns_of(const peeling_task *task, uint32_t matrix, uint32_t r) {
    return (const quad<real> *)peeling_matrix<real>(task, matrix & ~PEELING_RESCALE, r);
}

/* As in 08_fused: when the largest entry is below 2^-40 (doubles: 2^-300), not after every join. */
template <typename real> static __device__ __forceinline__ void rescale(quad<real> *F, int *exponent) {
    const real least = sizeof(real) == 8 ? (real)0x1p-300 : (real)0x1p-40f;
    real most = F->s[0];
    for (int s = 1; s < S; s++) most = F->s[s] > most ? F->s[s] : most;
    if (most >= least) return;
    int e;
    const real scale = peeling_scale(most, &e);
    for (int s = 0; s < S; s++) F->s[s] *= scale;
    *exponent += e;
}

/* --- Tables ------------------------------------------------------------------------------------------------------ */

/* One block per table and rate class; a thread computes an entry. */
template <typename real> static __global__ void __launch_bounds__(BLOCK) fill(peeling_task task, peeling_tables on) {
    const uint32_t t = blockIdx.x, r = blockIdx.y;
    quad<real> *T = (quad<real> *)on.T + r * (size_t)on.entries; // [entries]
    int *exponent = on.exponent + r * (size_t)on.entries;        // [entries]
    int scaled = 0;
    for (uint32_t step = on.first_step[t]; step < on.first_step[t + 1]; step++) {
        const peeling_step now = on.step[step];
        for (uint32_t i = now.first + threadIdx.x; i < now.first + now.count; i += BLOCK) {
            const peeling_entry entry = on.entry[i];
            quad<real> F, column[S];
            int e = 0;
            for (int j = 0; j < S; j++) column[j] = get(columns_of<real>(&task, entry.matrix, r) + j);
            if (entry.right == PEELING_OF_TIP) {
                for (int j = 0; j < S; j++) F.s[j] = (real)(entry.left >> j & 1);
            } else {
                const quad<real> left = get(&T[entry.left]), right = get(&T[entry.right]);
                for (int s = 0; s < S; s++) F.s[s] = left.s[s] * right.s[s];
                e = exponent[entry.left] + exponent[entry.right];
                rescale(&F, &e);
            }
            put(&T[i], product(column, F));
            exponent[i] = e;
            scaled |= e != 0;
        }
        __syncthreads(); // the next step reads these
    }
    scaled = __syncthreads_or(scaled);
    if (threadIdx.x == 0) on.has_exponents[r * on.tables + t] = scaled;
}

/* --- Joins ------------------------------------------------------------------------------------------------------- */

/* A join in shared memory is 16 bytes: x is where its result goes, y and z where its children are. These are PEELING_SLOT + a slot,
   PEELING_LAST, or of a table the first entry and the number (both among the batch's) and whether it has exponents, in these bits.
   Tables come before slots, and slots before the last result. */
enum { TABLE = 16, HAS_EXPONENTS = 1 << 30 };

template <typename real, int K>
static __global__ void __launch_bounds__(BLOCK, 2) columns(peeling_task task, peeling_tables on, layout block) {
    typedef typename word<K>::type codes;
    extern __shared__ uint4 memory[];
    const uint32_t lanes = block.lanes, rows = block.rows, lane = threadIdx.x % lanes, y = threadIdx.x / lanes;
    const uint32_t tile = lanes * K, threads = lanes * rows, matrices = block.joins * 2 * S;
    quad<real> *all_T = (quad<real> *)memory;                                       // [rows][entries]
    quad<real> *all_P = all_T + rows * block.entries;                               // [rows][joins][2][j]
    uint4 *list = (uint4 *)(all_P + rows * matrices);                               // [joins]
    uint8_t *code = (uint8_t *)(list + block.joins);                                // [2 joins][tile]
    quad<real> *slot = (quad<real> *)(code + 2 * block.joins * tile) + threadIdx.x; // [slots][K][threads]
    const quad<real> *T = all_T + y * block.entries, *P = all_P + y * matrices;
    const size_t tile0 = blockIdx.x * (size_t)tile;
    peeling_scaled likelihood[K] = {};
    for (uint32_t r0 = 0; r0 < task.rates; r0 += rows) {
        const uint32_t r = r0 + y;
        quad<real> last[K] = {};
        int exponent[K] = {};
        for (uint32_t c = 0; c < on.batches; c++) {
            const peeling_batch from = on.batch[c], next = on.batch[c + 1];
            const uint32_t count = next.join - from.join, tables = next.table - from.table, words = tile / 16;
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < tables * words; i += threads)
                ((uint4 *)code)[i] =
                    *(const uint4 *)(on.code + (from.table + i / words) * on.row + tile0 + i % words * 16);
            for (uint32_t row = 0; row < rows && r0 + row < task.rates; row++) {
                const quad<real> *there = (const quad<real> *)on.T + (r0 + row) * (size_t)on.entries + from.entry;
                for (uint32_t i = threadIdx.x; i < next.entry - from.entry; i += threads)
                    put(&all_T[row * block.entries + i], get(&there[i]));
                for (uint32_t i = threadIdx.x; i < count * 2 * S; i += threads) {
                    const peeling_join *join = &task.joins[from.join + i / (2 * S)];
                    const int child = i / S % 2;
                    if (join->child[child] >= task.tips)
                        put(&all_P[row * matrices + i],
                            get(columns_of<real>(&task, join->matrix[child], r0 + row) + i % S));
                }
            }
            if (threadIdx.x < count) {
                const peeling_join join = task.joins[from.join + threadIdx.x];
                uint32_t child[2];
                for (int k = 0; k < 2; k++) {
                    child[k] = join.child[k];
                    if (child[k] >= task.tips) continue;
                    const uint32_t t = child[k];
                    child[k] = (on.first[t] - from.entry) | (t - from.table) << TABLE;
                    for (uint32_t row = 0; row < rows && r0 + row < task.rates; row++)
                        if (on.has_exponents[(r0 + row) * on.tables + t]) child[k] |= HAS_EXPONENTS;
                }
                list[threadIdx.x] = make_uint4(join.to, child[0], child[1], 0);
            }
            __syncthreads();
            for (uint32_t i = 0; i < count && r < task.rates; i++) {
                const uint4 now = list[i];
                quad<real> F[K];
#pragma unroll
                for (int child = 0; child < 2; child++) {
                    const uint32_t of = child == 0 ? now.y : now.z;
                    if (of < PEELING_SLOT) {
                        const codes word = *(const codes *)(code + (of >> TABLE & 255) * tile + lane * K);
#pragma unroll
                        for (int k = 0; k < K; k++) {
                            const uint32_t at = (of & ((1 << TABLE) - 1)) + (word >> 8 * k & 255);
                            const quad<real> looked_up = get(&T[at]);
                            for (int s = 0; s < S; s++)
                                F[k].s[s] = child == 0 ? looked_up.s[s] : F[k].s[s] * looked_up.s[s];
                            if (of & HAS_EXPONENTS)
                                exponent[k] += on.exponent[r * (size_t)on.entries + from.entry + at];
                        }
                    } else {
                        quad<real> column[S];
                        for (int j = 0; j < S; j++) column[j] = get(&P[(i * 2 + child) * S + j]);
#pragma unroll
                        for (int k = 0; k < K; k++) {
                            const quad<real> sum = product(
                                column, child == 1 ? last[k] : get(&slot[((of - PEELING_SLOT) * K + k) * threads]));
                            for (int s = 0; s < S; s++) F[k].s[s] = child == 0 ? sum.s[s] : F[k].s[s] * sum.s[s];
                        }
                    }
                }
#pragma unroll
                for (int k = 0; k < K; k++) {
                    rescale(&F[k], &exponent[k]);
                    last[k] = F[k];
                    if (now.x != PEELING_LAST) put(&slot[((now.x - PEELING_SLOT) * K + k) * threads], F[k]);
                }
            }
        }
        for (int k = 0; k < K && r < task.rates; k++) {
            double sum = 0;
            for (int s = 0; s < S; s++) sum += task.frequency[s] * (double)last[k].s[s];
            peeling_add(&likelihood[k], sum * task.share[r], exponent[k]);
        }
    }
    /* The rows' sums, in the order of the rows. */
    peeling_scaled *others = (peeling_scaled *)memory; // [K][threads]
    __syncthreads();
    for (int k = 0; k < K && y > 0; k++) others[k * threads + threadIdx.x] = likelihood[k];
    __syncthreads();
    for (int k = 0; k < K && y == 0; k++) {
        for (uint32_t row = 1; row < rows && row < task.rates; row++) {
            const peeling_scaled other = others[k * threads + row * lanes + lane];
            peeling_add(&likelihood[k], other.sum, other.e);
        }
        const size_t c = tile0 + lane * K + k;
        if (c < task.patterns) task.site[c] = peeling_log(likelihood[k]);
    }
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

template <typename real, int K> static size_t shared_bytes(const peeling_state *s, layout block) {
    const size_t vectors =
        block.rows * (block.entries + (size_t)block.joins * 2 * S) + (size_t)s->slots * K * block.lanes * block.rows;
    return vectors * sizeof(quad<real>) + block.joins * (sizeof(uint4) + 2 * block.lanes * K);
}

/* Three layouts. A thread with K patterns loads a matrix once for all of them, which pays if there are still enough threads. Few
   patterns have their rate classes side by side. Many joins a batch have fewer waits; with many patterns there is no room for them. */
static layout layout_of(const peeling_state *s) {
    const uint32_t patterns = s->task.patterns, rates = s->task.rates, K = s->is_double ? 2 : 4;
    if (peeling_takes_large(s, patterns / K, 256)) return {BLOCK, 1, K, 8, 1024};
    if (peeling_takes_large(s, patterns, 128)) return {BLOCK, 1, 1, 8, 1024};
    const uint32_t rows = rates >= 4 ? 4 : rates >= 2 ? 2 : 1;
    return {BLOCK / 2 / rows, rows, 1, 32, 512};
}

static wl_status tables(peeling_state *s) {
    const layout block = layout_of(s);
    peeling_cut_repeats(s->repeats, s->task.tips, block.joins, block.entries);
    return peeling_tables_upload(s);
}

template <typename real, int K> static wl_status launch_of(peeling_state *s, layout block) {
    const size_t bytes = shared_bytes<real, K>(s, block);
    if (bytes > s->shared_most)
        return wl_fail(WL_NO_MACHINE,
                       "joins that keep %u vectors alive: found %zu bytes of shared memory; expected %zu", s->slots,
                       s->shared_most, bytes);
    const peeling_tables on = peeling_tables_of(s);
    fill<real><<<dim3(on.tables, s->task.rates), BLOCK>>>(s->task, on);
    WL_LAUNCHED();
    WL_CUDA(cudaFuncSetAttribute(columns<real, K>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const unsigned blocks = peeling_blocks(s->task.patterns, (size_t)block.lanes * K);
    columns<real, K><<<blocks, block.lanes * block.rows, bytes>>>(s->task, on, block);
    WL_LAUNCHED();
    return WL_OK;
}
static wl_status joins(peeling_state *s) {
    const layout block = layout_of(s);
    if (block.K == 1) return s->is_double ? launch_of<double, 1>(s, block) : launch_of<float, 1>(s, block);
    return s->is_double ? launch_of<double, 2>(s, block) : launch_of<float, 4>(s, block);
}
static uint32_t padded(uint32_t) { return S; }
static const char *refuses(const wl_device *, const peeling_input *in) {
    if (in->model->states != S) return "for models of four states";
    return in->data.codes > 256 ? "for at most 256 different sets of states" : NULL;
}

/* No input yet: it has not been measured on a GPU. */
static const peeling_faster faster[] = {{}};

PEELING_STAGE(.idea = "columns that repeat in a subtree computed once, in tables", .source = "Warpladder",
              .limits = "models of 4 states", .padded = padded, .refuses = refuses, .faster = faster,
              .whole_trees_only = 1, .factors_within = 1, .matrices = PEELING_ON(peeling_matrices), .joins = joins,
              .tables = tables, .own_bytes = peeling_tables_bytes)
