/* What the stages share on the host side and around their kernels: sequences packed for coalesced reads, the scores, and their
   release. Scores that do not fit into 16 bits are the business of sw/kit/recompute.h. */
#ifndef SW_DEVICE_H
#define SW_DEVICE_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/memory.h"
#include "sw/problem.h"

/* A launch in a header: the tool that rewrites <<<...>>> for the simulated device reads kernel.cu only. */
#ifdef WL_SIMULATED
#define SW_LAUNCH_SHARED(kernel, grid, block, bytes, ...) \
    wl_sim_launch(wl_sim_shape(grid, block, bytes), kernel, __VA_ARGS__)
#else
#define SW_LAUNCH_SHARED(kernel, grid, block, bytes, ...) kernel<<<grid, block, bytes>>>(__VA_ARGS__)
#endif
#define SW_LAUNCH(kernel, grid, block, ...) SW_LAUNCH_SHARED(kernel, grid, block, 0, __VA_ARGS__)

#define SW_WARP 32
#define SW_ENDS_WORD (SW_END * 0x01010101u) // four SW_END

/* The database on the device. Four residues make a word; `lanes` subjects make a group, and the words of a group are
   interleaved, so that the threads of a warp, each with a subject of its own, read neighbouring words:

     residues[group_start[g] + w * lanes + l] = residues 4w .. 4w + 3 of subject g * lanes + l

   Every subject of a group takes as many words as the group's first and longest; what is behind its end is SW_END. It
   scores below zero with everything, and nothing else follows it: an alignment that reaches it only loses. */
typedef struct {
    const sw_input *input; // outlives the state
    size_t queries, subjects, groups;
    uint32_t lanes;
    uint64_t *first_word; // host, [groups + 1]: the same as group_start

    uint32_t *residues;     // device, [group][word][lanes]
    uint64_t *group_start;  // device, [groups + 1], in words
    uint8_t *query;         // device, all queries as the set has them: query q is at sw_query(s, q)
    uint64_t *query_start;  // device, [queries], in bytes
    uint32_t *query_length; // device, [queries]
    uint32_t *length;       // device, [subjects]
    int *matrix;            // device, [SW_CODES][SW_CODES]: [query's code][subject's code]
    int *score;             // device, [queries][subjects]
    void *work;             // device, the stage's own
    size_t work_bytes;
    unsigned blocks; // of a launch that goes round the subjects
    size_t room;     // bytes of device memory that `work` may take

    int most;                    // the largest score that this stage's numbers hold
    unsigned long long *flagged; // device, see sw/kit/recompute.h
    int2 *edge;                  // device, see sw/kit/recompute.h
    unsigned recompute_blocks;   // 0: no score can be above `most`
} sw_state;

/* Query q on the device, and its length. What is behind its end is SW_END, up to a multiple of four. */
static inline const uint8_t *sw_query(const sw_state *s, size_t q) {
    const sw_set *queries = &s->input->queries;
    return s->query + (queries->start[q] - queries->start[0]);
}
static inline int sw_query_length(const sw_state *s, size_t q) { return (int)s->input->queries.length[q]; }

/* --- Packing the database ---------------------------------------------------------------------------------------- */

static inline size_t sw_groups(const sw_set *database, uint32_t lanes) { return (database->count + lanes - 1) / lanes; }

/* Words of group g: its first subject is its longest. */
static inline uint64_t sw_group_words(const sw_set *database, uint32_t lanes, size_t g) {
    return ((uint64_t)database->length[g * lanes] + 3) / 4 * lanes;
}

/* One block a group. */
static __global__ void sw_pack(const uint32_t *plain,  // four residues a word, as the set has them
                               const uint64_t *start,  // [subjects], in bytes
                               const uint32_t *length, // [subjects]
                               size_t subjects, uint32_t lanes,
                               const uint64_t *group_start, // [groups + 1]
                               uint32_t *residues) {        // [group][word][lanes]
    uint64_t first = group_start[blockIdx.x], words = group_start[blockIdx.x + 1] - first;
    for (uint64_t k = threadIdx.x; k < words; k += blockDim.x) {
        size_t subject = (size_t)blockIdx.x * lanes + k % lanes;
        uint64_t word = k / lanes;
        uint32_t four = SW_ENDS_WORD;
        if (subject < subjects && 4 * word < length[subject]) four = plain[(start[subject] - start[0]) / 4 + word];
        residues[first + k] = four;
    }
}

/* In the order of the thread's own stream: `search` has two threads a GPU, and neither must wait for the other's kernels,
   as cudaMalloc and cudaFree do. What a thread allocates, it frees. */
static inline cudaError_t sw_allocate(void **to, size_t bytes) { return cudaMallocAsync(to, bytes ? bytes : 1, 0); }
static inline void sw_free(void *device) {
    if (device != NULL) cudaFreeAsync(device, 0);
}

static inline wl_status sw_copy(void **to, const void *from, size_t bytes) {
    WL_CUDA(sw_allocate(to, bytes));
    if (bytes) WL_CUDA(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice));
    return WL_OK;
}

/* The plain residues and starts are needed only for as long as they are packed; plain[] is the caller's to free. */
static inline wl_status sw_pack_database(sw_state *s, const sw_set *database, void *plain[2]) {
    wl_status status = sw_copy(&plain[0], database->residues + database->start[0], sw_set_bytes(database));
    if (status == WL_OK) status = sw_copy(&plain[1], database->start, sizeof(uint64_t) * s->subjects);
    if (status == WL_OK) status = sw_copy((void **)&s->length, database->length, sizeof(uint32_t) * s->subjects);
    if (status == WL_OK) status = sw_copy((void **)&s->group_start, s->first_word, sizeof(uint64_t) * (s->groups + 1));
    if (status != WL_OK) return status;
    WL_CUDA(sw_allocate((void **)&s->residues, sizeof(uint32_t) * s->first_word[s->groups]));
    SW_LAUNCH(sw_pack, (unsigned)s->groups, 256, (const uint32_t *)plain[0], (const uint64_t *)plain[1], s->length,
              s->subjects, s->lanes, s->group_start, s->residues);
    WL_LAUNCHED();
    WL_CUDA(cudaStreamSynchronize(0));
    return WL_OK;
}

/* --- State ------------------------------------------------------------------------------------------------------- */

static inline void sw_release(void *state) {
    sw_state *s = (sw_state *)state;
    if (s == NULL) return;
    void *device[] = {s->residues, s->group_start, s->query, s->query_start, s->query_length, s->length,
                      s->matrix,   s->score,       s->work,  s->flagged,     s->edge};
    for (size_t i = 0; i < sizeof device / sizeof *device; i++) sw_free(device[i]);
    free(s->first_word);
    free(s);
}

/* score [queries][subjects] back to the host. */
static inline wl_status sw_collect(void *state, void *output, int poison) {
    sw_state *s = (sw_state *)state;
    return wl_cuda_take(output, s->score, sizeof(int) * s->queries * s->subjects, poison);
}

static inline wl_status sw_fill(sw_state *s) {
    const sw_input *in = s->input;
    int matrix[SW_CODES][SW_CODES];
    for (int a = 0; a < SW_CODES; a++)
        for (int b = 0; b < SW_CODES; b++) matrix[a][b] = in->scoring.matrix[a][b];
    wl_status status = sw_copy((void **)&s->matrix, matrix, sizeof matrix);
    WL_CUDA(sw_allocate((void **)&s->score, sizeof(int) * s->queries * s->subjects));
    WL_CUDA(cudaMemset(s->score, WL_POISON, sizeof(int) * s->queries * s->subjects));
    if (status != WL_OK || s->queries == 0 || s->subjects == 0) return status;
    const sw_set *queries = &in->queries;
    status = sw_copy((void **)&s->query, queries->residues + queries->start[0], sw_set_bytes(queries));
    if (status == WL_OK) status = sw_copy((void **)&s->query_start, queries->start, sizeof(uint64_t) * s->queries);
    if (status == WL_OK) status = sw_copy((void **)&s->query_length, queries->length, sizeof(uint32_t) * s->queries);
    void *plain[2] = {NULL, NULL};
    if (status == WL_OK) status = sw_pack_database(s, &in->database, plain);
    for (int i = 0; i < 2; i++) sw_free(plain[i]);
    return status;
}

/* Device memory that sw_upload takes, packing included; lists of pairs to recompute are counted as if each stage had them. */
static inline size_t sw_upload_bytes(const sw_input *in, uint32_t lanes) {
    size_t bytes = sw_set_bytes(&in->queries) + sw_set_bytes(&in->database), groups = sw_groups(&in->database, lanes);
    for (size_t g = 0; g < groups; g++) bytes += sizeof(uint32_t) * sw_group_words(&in->database, lanes, g);
    bytes += sizeof(uint64_t) * groups + in->queries.count * (sizeof(uint64_t) + sizeof(uint32_t));
    bytes += in->database.count * (sizeof(uint64_t) + sizeof(uint32_t)) + ((size_t)1 << 20);
    return bytes + in->queries.count * in->database.count * (sizeof(int) + sizeof(unsigned long long));
}

/* The state with queries, matrix and packed database on the device and a poisoned result. `most`: the largest score
   that the stage's numbers hold, INT_MAX where they hold all. `work` is left to the stage. */
static inline wl_status sw_upload(const wl_device *device, const sw_input *in, uint32_t lanes, int most,
                                  sw_state **state) {
    sw_state *s = (sw_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->input = in;
    s->queries = in->queries.count;
    s->subjects = in->database.count;
    s->lanes = lanes;
    s->most = most;
    s->groups = sw_groups(&in->database, lanes);
    size_t taken = sw_upload_bytes(in, lanes);
    s->room = device->memory_free > taken ? (device->memory_free - taken) / 2 : 0;
    s->first_word = (uint64_t *)malloc(sizeof(uint64_t) * (s->groups + 1));
    wl_status status = WL_OK;
    if (s->first_word == NULL) {
        status = wl_fail(WL_NO_MACHINE, "not enough memory for %zu groups of sequences", s->groups);
    } else {
        s->first_word[0] = 0;
        for (size_t g = 0; g < s->groups; g++)
            s->first_word[g + 1] = s->first_word[g] + sw_group_words(&in->database, lanes, g);
        status = sw_fill(s);
    }
    if (status != WL_OK) {
        sw_release(s);
        return status;
    }
    *state = s;
    return WL_OK;
}

#endif
