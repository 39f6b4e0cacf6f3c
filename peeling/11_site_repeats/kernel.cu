/* 11_site_repeats: equal columns of a subtree are computed once.

   Idea: two tips have at most 16 different columns of nucleotides, and four tips 256, however many patterns there are. So the
   largest subtrees with at most 256 different columns become tables with a vector for each column, and a pattern has a byte that
   says which one is its own. Only the joins above the tables are computed pattern by pattern.
   Changed, against 08_fused: a kernel fills the tables (tables.h). A tip is a table, too, so nothing chooses between states and sets.
   A batch of joins is copied to shared memory while the batch before is computed (batch.h). Small inputs have their rate classes side
   by side. Blocks add up their sites.
   Expected: 62 taxa have some 25 tables, so 24 of 61 joins are left. A million patterns then take 0.06 ms of multiply-adds and 0.15 ms
   of look-ups: a warp's 32 random vectors of 16 bytes take 11 passes of shared memory.
   Measured: 0.30 ms for a million patterns in single precision on an H200, where 08_fused takes 1.0 ms.
   See: warpladder run peeling/11_site_repeats --model GTR+G4 --patterns 100000 --precision single */
#include "peeling/11_site_repeats/batch.h"
#include "peeling/11_site_repeats/tables.h"
#include "peeling/engine/faster.h"
#include "peeling/kit/scaled.h"
#include "peeling/kit/sums.h"
#include "peeling/model/generator.h"

/* --- Joins ------------------------------------------------------------------------------------------------------- */

/* The codes of K neighbouring patterns. */
template <int K> struct word;
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };

/* A thread's patterns: the results of the last join, and what they have been multiplied by. */
template <typename real, int K> struct patterns {
    quad<real> F[K];
    int exponent[K];
};
/* F = T of the codes, or F = F T. */
template <typename real, int K, bool FIRST>
static __device__ __forceinline__ void look_up(patterns<real, K> *to, uint32_t of, const quad<real> *T,
                                               const uint8_t *code, uint32_t tile, const int *exponent) {
    const typename word<K>::type codes = *(const typename word<K>::type *)(code + (of >> TABLE & 255) * tile);
    const uint32_t first = of & ((1 << TABLE) - 1);
    T += first;
#pragma unroll
    for (int k = 0; k < K; k++) {
        const quad<real> found = get(&T[codes >> 8 * k & 255]);
        for (int s = 0; s < S; s++) to->F[k].s[s] = FIRST ? found.s[s] : to->F[k].s[s] * found.s[s];
    }
    if (of & HAS_EXPONENTS)
        for (int k = 0; k < K; k++) to->exponent[k] += exponent[first + (codes >> 8 * k & 255)];
}

template <typename real, int K>
static __global__ void __launch_bounds__(BLOCK, 2) columns(peeling_task task, peeling_tables on, layout block) {
    extern __shared__ uint4 memory[];
    const uint32_t lane = threadIdx.x % block.lanes, y = threadIdx.x / block.lanes, threads = blockDim.x;
    const uint32_t tile = block.lanes * K, rounds = (task.rates + block.rows - 1) / block.rows;
    const uint32_t apart = (uint32_t)(batch_at<real>(memory, block).end - memory); // of the two batches
    quad<real> *slot = (quad<real> *)(memory + 2 * apart) + threadIdx.x;           // [slots][K][threads]
    const size_t tile0 = blockIdx.x * (size_t)tile;
    const uint32_t words = tile / 16;
    const share mine = {words, threadIdx.x % words, threadIdx.x / words, threads / words};
    peeling_scaled likelihood[K] = {};
    patterns<real, K> last = {};
    fetch(&task, &on, block, mine, batch_at<real>(memory, block), 0, 0, tile0);
    wl_copy_commit();
    uint32_t c = 0, r0 = 0;
    for (uint32_t step = 0; step < rounds * on.batches; step++) {
        const batch<real> now = batch_at<real>(memory + step % 2 * apart, block);
        const uint32_t r = r0 + y, first_entry = on.batch[c].entry, count = on.batch[c + 1].join - on.batch[c].join;
        const bool is_end = c + 1 == on.batches;
        wl_copy_wait<0>();
        __syncthreads(); // and all have done with the batch before
        if (step + 1 < rounds * on.batches)
            fetch(&task, &on, block, mine, batch_at<real>(memory + (step + 1) % 2 * apart, block), is_end ? 0 : c + 1,
                  is_end ? r0 + block.rows : r0, tile0);
        wl_copy_commit();
        const quad<real> *T = now.T + y * block.entries, *P = now.P + y * block.joins * PAIR;
        const uint4 *list = now.list + y * block.joins;
        const uint8_t *code = now.code + lane * K;
        const int *exponent = on.exponent + r * (size_t)on.entries + first_entry;
        for (uint32_t i = 0; i < count && r < task.rates; i++, P += PAIR) {
            const uint4 join = list[i];
            quad<real> column[S];
            if (join.z < PEELING_SLOT) {
                look_up<real, K, true>(&last, join.z, T, code, tile, exponent);
            } else {
                for (int j = 0; j < S; j++) column[j] = get(&P[S + j]);
                for (int k = 0; k < K; k++) last.F[k] = product(column, last.F[k]);
            }
            if (join.y < PEELING_SLOT) {
                look_up<real, K, false>(&last, join.y, T, code, tile, exponent);
            } else {
                for (int j = 0; j < S; j++) column[j] = get(&P[j]);
                for (int k = 0; k < K; k++) {
                    const quad<real> other = product(column, get(&slot[((join.y - PEELING_SLOT) * K + k) * threads]));
                    for (int s = 0; s < S; s++) last.F[k].s[s] *= other.s[s];
                }
            }
            /* One test for all K: few joins rescale. */
            uint32_t top = largest_top(last.F[0]);
            for (int k = 1; k < K; k++) top = min(top, largest_top(last.F[k]));
            if (top < least_top<real>())
                for (int k = 0; k < K; k++) rescale(&last.F[k], &last.exponent[k]);
            if (join.x != PEELING_LAST)
                for (int k = 0; k < K; k++) put(&slot[((join.x - PEELING_SLOT) * K + k) * threads], last.F[k]);
        }
        c = is_end ? 0 : c + 1;
        if (!is_end) continue;
        for (int k = 0; k < K && r < task.rates; k++) {
            double sum = 0;
            for (int s = 0; s < S; s++) sum += task.frequency[s] * (double)last.F[k].s[s];
            peeling_add(&likelihood[k], sum * task.share[r], last.exponent[k]);
            last.exponent[k] = 0;
        }
        r0 += block.rows;
    }
    /* The rows' sums, in the order of the rows. */
    peeling_scaled *others = (peeling_scaled *)memory; // [K][threads]
    __syncthreads();
    for (int k = 0; k < K && y > 0; k++) others[k * threads + threadIdx.x] = likelihood[k];
    __syncthreads();
    double total = 0;
    for (int k = 0; k < K && y == 0; k++) {
        for (uint32_t row = 1; row < block.rows && row < task.rates; row++) {
            const peeling_scaled other = others[k * threads + row * block.lanes + lane];
            peeling_add(&likelihood[k], other.sum, other.e);
        }
        const size_t c = tile0 + lane * K + k;
        if (c >= task.patterns) continue;
        const double site = peeling_log(likelihood[k]);
        task.site[c] = site;
        total += task.weight[c] * site;
    }
    /* The block's total, always in the same order. */
    double *sums = (double *)memory; // [warps]
    for (int step = PEELING_WARP / 2; step > 0; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
    __syncthreads();
    if (threadIdx.x % PEELING_WARP == 0) sums[threadIdx.x / PEELING_WARP] = total;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (uint32_t warp = 1; warp < threads / PEELING_WARP; warp++) total += sums[warp];
    if (gridDim.x == 1)
        task.site[task.patterns] = total;
    else
        on.total[blockIdx.x] = total;
}

/* --- Launch ------------------------------------------------------------------------------------------------------ */

template <typename real> static size_t shared_bytes(layout block, uint32_t slots) {
    const size_t batches = 2 * (size_t)((const char *)batch_at<real>(NULL, block).end - (const char *)NULL);
    return batches + (size_t)slots * block.K * block.lanes * block.rows * sizeof(quad<real>);
}

/* From `patterns` per multiprocessor on. Many patterns: a thread loads a matrix once for K of them. Few: rate classes side by side, and
   longer batches, which wait less often. Found by trial (results/peeling_repeats_h200.tsv). */
static const struct {
    uint32_t patterns;
    layout of[2]; // doubles, floats
} layouts[] = {
    {2000, {{256, 1, 2, 6, 512}, {256, 1, 4, 8, 768}}}, {500, {{128, 1, 2, 6, 512}, {128, 1, 2, 8, 1024}}},
    {150, {{64, 4, 2, 4, 512}, {64, 4, 2, 8, 512}}},    {25, {{64, 4, 1, 8, 256}, {64, 4, 1, 16, 256}}},
    {0, {{32, 4, 1, 16, 256}, {32, 4, 1, 16, 256}}},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

template <typename real> static layout layout_as(const peeling_state *s) {
    const uint32_t rates = s->task.rates, rows = rates >= 4 ? 4 : rates >= 2 ? 2 : 1;
    const uint32_t most = peeling_repeats_most(s->task.patterns), codes = s->input->data.codes;
    uint32_t slots = 0, at = 0; // joins of so many tables keep no more than `slots` vectors alive
    while (s->repeats->tables >> (slots + 1)) slots++;
    for (;; at++) {
        layout block = layouts[at].of[sizeof(real) == sizeof(float)];
        if (block.rows > rows) block.rows = rows;
        if (block.entries < 2 * (most > codes ? most : codes)) block.entries = 2 * (most > codes ? most : codes);
        const bool wanted =
            s->tiles > 0 ? s->tiles << at >= 4 : s->task.patterns >= layouts[at].patterns * (size_t)s->multiprocessors;
        if (at + 1 == LAYOUTS || (wanted && shared_bytes<real>(block, slots) <= s->shared_most)) return block;
    }
}
static layout layout_of(const peeling_state *s) { return s->is_double ? layout_as<double>(s) : layout_as<float>(s); }

static wl_status tables(peeling_state *s) {
    const layout block = layout_of(s);
    peeling_cut_repeats(s->repeats, s->task.tips, block.joins, block.entries);
    return peeling_tables_upload(s);
}

template <typename real, int K> static wl_status launch_of(peeling_state *s, layout block) {
    const size_t bytes = shared_bytes<real>(block, s->slots);
    if (bytes > s->shared_most)
        return wl_fail(WL_NO_MACHINE,
                       "joins that keep %u vectors alive: found %zu bytes of shared memory; expected %zu", s->slots,
                       s->shared_most, bytes);
    const peeling_tables on = peeling_tables_of(s);
    fill<real><<<dim3(on.tables + 1, s->task.rates), BLOCK>>>(s->task, on);
    WL_LAUNCHED();
    WL_CUDA(cudaFuncSetAttribute(columns<real, K>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const unsigned blocks = peeling_blocks(s->task.patterns, (size_t)block.lanes * K);
    columns<real, K><<<blocks, block.lanes * block.rows, bytes>>>(s->task, on, block);
    WL_LAUNCHED();
    if (blocks == 1) return WL_OK;
    peeling_task task = s->task;
    task.block_total = on.total;
    peeling_sum_blocks_of<<<1, PEELING_SUM_BLOCK>>>(task, blocks);
    WL_LAUNCHED();
    return WL_OK;
}
static wl_status joins(peeling_state *s) {
    const layout block = layout_of(s);
    if (block.K == 1) return s->is_double ? launch_of<double, 1>(s, block) : launch_of<float, 1>(s, block);
    if (block.K == 2) return s->is_double ? launch_of<double, 2>(s, block) : launch_of<float, 2>(s, block);
    return launch_of<float, 4>(s, block);
}
static uint32_t padded(uint32_t) { return S; }
static const char *refuses(const wl_device *device, const peeling_input *in) {
    if (device->backend == WL_GPU && device->compute_capability < 80)
        return "asynchronous copies came with compute capability 8.0";
    if (in->model->states != S) return "for models of four states";
    return in->data.codes > 256 ? "for at most 256 different sets of states" : NULL;
}

/* No input: tools compute a tree once, or one after another, and to find its repeats takes the host longer than is gained. */
static const peeling_faster faster[] = {{}};

PEELING_STAGE(.idea = "columns that repeat in a subtree computed once, in tables", .source = "Warpladder",
              .limits = "models of 4 states", .padded = padded, .refuses = refuses, .faster = faster,
              .whole_trees_only = 1, .factors_within = 1, .matrices = PEELING_ON(peeling_matrices), .joins = joins,
              .totals_within = 1, .tables = tables, .own_bytes = peeling_tables_bytes)
