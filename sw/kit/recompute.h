/* Computes scores that are too large for 16 bits again in 32 bits, for any stage with narrow numbers.

   A stage's kernel hands every score to sw_put, which lists the pairs whose score is above `most`. After the stage's last
   kernel, sw_recompute launches one that computes the listed pairs; the host does not look at the list. A block takes one
   pair after another. Such pairs are few and may be long, so all threads of a block work on one pair.

     rows of the query                   step 5: thread t is in column 5 - t
     thread 0  . . . . . X               a thread's bottom row is the next one's top row, a step later:
     thread 1  . . . . X                 H and F go through shared memory
     thread 2  . . . X
     thread 3  . . X                     after SW_RECOMPUTE_THREADS * ROWS rows: `edge`, in global memory */
#pragma once

#include "sw/kit/device.h"
#include "sw/plan/narrow.h"

/* flagged[0]: number of pairs; flagged[1]: how many of them blocks have taken; flagged[2 + k]: query * subjects + subject. */
enum { SW_FOUND, SW_TAKEN, SW_FIRST_PAIR };

/* Stores a pair's score, and lists the pair if its score is above `most`: such a score may be wrong, one below cannot. */
static __device__ __forceinline__ void sw_put(int score, int most, size_t pair,
                                              int *scores, // [queries][subjects]
                                              unsigned long long *flagged) {
    scores[pair] = score;
    if (score > most) flagged[SW_FIRST_PAIR + atomicAdd(&flagged[SW_FOUND], 1ull)] = pair;
}

/* The best score in this thread's cells of query [m] and a subject of n residues, word[0], word[lanes], ... */
static __device__ __forceinline__ int sw_recompute_pair(const uint8_t *query, // [m]
                                                        int m, const uint32_t *word, uint32_t lanes, int n,
                                                        const int *matrix, // shared, [SW_CODES][SW_CODES]
                                                        int gap_open, int gap_extend,
                                                        int2 (*handed)[SW_RECOMPUTE_THREADS], // shared, [2][threads]
                                                        int2 *edge) {                         // [n] or unused
    const int thread = threadIdx.x, band_rows = SW_RECOMPUTE_THREADS * SW_RECOMPUTE_ROWS;
    int best = 0;
    for (int band = 0; band < m; band += band_rows) {
        int threads = (min(m - band, band_rows) + SW_RECOMPUTE_ROWS - 1) / SW_RECOMPUTE_ROWS;
        int row[SW_RECOMPUTE_ROWS], H[SW_RECOMPUTE_ROWS], E[SW_RECOMPUTE_ROWS], upper_left = 0;
#pragma unroll
        for (int r = 0; r < SW_RECOMPUTE_ROWS; r++) {
            int i = band + thread * SW_RECOMPUTE_ROWS + r;
            row[r] = (i < m ? query[i] : SW_END) * SW_CODES;
            H[r] = E[r] = 0; // E may begin at 0: a value of at most 0 never changes H
        }
        for (int step = 0; step < n + threads - 1; step++) {
            int j = step - thread;
            if (thread < threads && j >= 0 && j < n) {
                int2 above = make_int2(0, 0);
                if (thread > 0)
                    above = handed[(step + 1) % 2][thread - 1];
                else if (band > 0)
                    above = edge[j];
                int code = word[(size_t)(j / 4) * lanes] >> 8 * (j % 4) & (SW_CODES - 1);
                int diagonal = upper_left, up = above.x, F = above.y;
                upper_left = up;
#pragma unroll
                for (int r = 0; r < SW_RECOMPUTE_ROWS; r++) {
                    E[r] = max(E[r] - gap_extend, H[r] - gap_open);
                    F = max(F - gap_extend, up - gap_open);
                    up = max(max(0, diagonal + matrix[row[r] + code]), max(E[r], F));
                    diagonal = H[r];
                    H[r] = up;
                    best = max(best, up);
                }
                handed[step % 2][thread] = make_int2(up, F);
                if (thread == threads - 1 && band + band_rows < m) edge[j] = make_int2(up, F);
            }
            __syncthreads();
        }
    }
    return best;
}

static __global__ void __launch_bounds__(SW_RECOMPUTE_THREADS)
    sw_recompute_pairs(const uint8_t *queries,       // [query_start]
                       const uint64_t *query_start,  // [queries], the first one's may not be 0
                       const uint32_t *query_length, // [queries]
                       const uint32_t *residues,     // [group][word][lanes]
                       const uint64_t *group_start,  // [groups + 1]
                       uint32_t lanes, size_t subjects,
                       const int *scores_of_letters, // [SW_CODES][SW_CODES]
                       int gap_open, int gap_extend, unsigned long long *flagged,
                       int2 *edges, // [blocks][longest] or unused
                       size_t longest,
                       int *scores) { // [queries][subjects]
    __shared__ int matrix[SW_CODES * SW_CODES];
    __shared__ int2 handed[2][SW_RECOMPUTE_THREADS];
    __shared__ unsigned long long turn;
    __shared__ int best;
    if (blockIdx.x >= flagged[SW_FOUND]) return; // mostly there is no pair, and no block has work
    for (int k = threadIdx.x; k < SW_CODES * SW_CODES; k += SW_RECOMPUTE_THREADS) matrix[k] = scores_of_letters[k];
    for (;;) {
        if (threadIdx.x == 0) {
            turn = atomicAdd(&flagged[SW_TAKEN], 1ull);
            best = 0;
        }
        __syncthreads();
        if (turn >= flagged[SW_FOUND]) return;
        size_t pair = flagged[SW_FIRST_PAIR + turn], q = pair / subjects, subject = pair % subjects;
        size_t group = subject / lanes;
        int columns = (int)((group_start[group + 1] - group_start[group]) / lanes * 4);
        int own = sw_recompute_pair(queries + (query_start[q] - query_start[0]), (int)query_length[q],
                                    residues + group_start[group] + subject % lanes, lanes, columns, matrix, gap_open,
                                    gap_extend, handed, edges + blockIdx.x * longest);
        atomicMax(&best, own);
        __syncthreads();
        if (threadIdx.x == 0) scores[pair] = best;
        __syncthreads();
    }
}

/* After sw_upload: allocates the list, and the rows between bands of long queries. */
static inline wl_status sw_prepare_recompute(const wl_device *device, sw_state *s) {
    const sw_set *queries = &s->input->queries;
    if (!sw_may_overflow(s->input, s->most)) return WL_OK;
    const size_t pairs = s->queries * s->subjects;
    const unsigned blocks = sw_recompute_blocks(device, s->input, s->room);
    WL_TRY(wl_cuda_allocate(&s->flagged, sizeof *s->flagged * (SW_FIRST_PAIR + pairs)));
    WL_TRY(wl_cuda_copy(&s->query_start, queries->start, sizeof(uint64_t) * s->queries));
    WL_TRY(wl_cuda_copy(&s->query_length, queries->length, sizeof(uint32_t) * s->queries));
    if (sw_recompute_edge(s->input) > 0) WL_TRY(wl_cuda_allocate(&s->edge, sw_recompute_edge(s->input) * blocks));
    s->recompute_blocks = blocks;
    return WL_OK;
}

/* Before the stage's first kernel of a launch. */
static inline wl_status sw_flag_none(sw_state *s) {
    if (s->recompute_blocks > 0) WL_CUDA(cudaMemsetAsync(s->flagged, 0, sizeof *s->flagged * SW_FIRST_PAIR));
    return WL_OK;
}

/* After the stage's last kernel of a launch. */
static inline wl_status sw_recompute(sw_state *s) {
    if (s->recompute_blocks == 0) return WL_OK;
    const sw_scoring *scoring = &s->input->scoring;
    WL_LAUNCH(sw_recompute_pairs, s->recompute_blocks, SW_RECOMPUTE_THREADS, 0, s->query, s->query_start,
              s->query_length, s->residues, s->group_start, s->lanes, s->subjects, s->matrix, scoring->gap_open,
              scoring->gap_extend, s->flagged, s->edge, sw_recompute_columns(s->input), s->score);
    return WL_OK;
}
