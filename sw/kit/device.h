/* What all stages share around their kernels: sequences packed for coalesced loads, and the scores. */
#pragma once

#include <stdlib.h>

#include "harness/stage.h"
#include "sw/plan/layout.h"

/* The database on the device. Four residues make a word, and `lanes` subjects make a group. The words of a group are
   interleaved, so that the threads of a warp, each with its own subject, load neighbouring words:

     residues[group_start[g] + w * lanes + l] = residues 4w .. 4w + 3 of subject g * lanes + l

   SW_END fills the words of shorter subjects. It scores below zero with every letter, and only SW_END follows it, so an alignment
   that reaches it can only lose. */
typedef struct {
    const sw_input *input; // outlives the state
    const sw_set *plain;   // whose residues are packed: input->database, or the set that was cut (sw/plan/pieces.h)
    size_t queries, subjects, groups;
    uint32_t lanes;
    uint64_t *first_word; // host, [groups + 1]: a copy of group_start

    uint32_t *residues;      // device, [group][word][lanes]
    uint64_t *group_start;   // device, [groups + 1], in words
    uint8_t *query;          // device, all queries, laid out as in the set: query q is at sw_query(s, q)
    uint64_t *start;         // device, [subjects], in bytes of the set; for packing
    uint32_t *length;        // device, [subjects]
    int *matrix;             // device, [SW_CODES][SW_CODES]: [query's code][subject's code]
    int *score;              // device, [queries][subjects]
    void *work;              // device, for the stage's own use
    size_t work_bytes, room; // of `work`, and what it may have
    unsigned blocks;         // of a launch whose threads take one subject after another

    int most;                    // the largest score that this stage's numbers hold
    unsigned long long *flagged; // device; this and all below: see sw/kit/recompute.h
    uint64_t *query_start;       // device, [queries], in bytes
    uint32_t *query_length;      // device, [queries]
    int2 *edge;                  // device
    unsigned recompute_blocks;   // 0: no score can be above `most`
} sw_state;

/* Query q on the device, and its length. SW_END follows its end, up to a multiple of four. */
static inline const uint8_t *sw_query(const sw_state *s, size_t q) {
    return s->query + (s->input->queries.start[q] - s->input->queries.start[0]);
}
static inline int sw_query_length(const sw_state *s, size_t q) { return (int)s->input->queries.length[q]; }

/* Interleaves the words of the groups; one block per group. */
static __global__ void sw_pack(const uint32_t *plain,                  // four residues per word, laid out as in the set
                               const uint64_t *start, uint64_t origin, // [subjects], in bytes; that of plain[0]
                               const uint32_t *length, size_t subjects, uint32_t lanes, // [subjects]
                               const uint64_t *group_start, uint32_t *residues) { // [groups + 1]; [group][word][lanes]
    uint64_t first = group_start[blockIdx.x], words = group_start[blockIdx.x + 1] - first;
    for (uint64_t k = threadIdx.x; k < words; k += blockDim.x) {
        size_t subject = (size_t)blockIdx.x * lanes + k % lanes;
        uint64_t word = k / lanes;
        uint32_t four = SW_ENDS_WORD;
        if (subject < subjects && 4 * word < length[subject]) four = plain[(start[subject] - origin) / 4 + word];
        residues[first + k] = four;
    }
}

/* Packs the tool's copy of the residues on the device, or one of its own, which it frees again. */
static inline wl_status sw_pack_database(const sw_state *s) {
    const uint8_t *host = s->plain->residues + s->plain->start[0];
    wl_resident *kept = s->input->resident;
    const void *plain = NULL;
    uint8_t *own = NULL;
    if (kept != NULL) WL_TRY(wl_cuda_resident(kept, host, sw_set_bytes(s->plain), &plain));
    if (plain == NULL) {
        WL_TRY(wl_cuda_copy(&own, host, sw_set_bytes(s->plain)));
        kept = NULL, plain = own;
    }
    WL_KERNEL(sw_pack, (unsigned)s->groups, 256, 0, (const uint32_t *)plain, s->start, s->plain->start[0], s->length,
              s->subjects, s->lanes, s->group_start, s->residues);
    cudaStreamSynchronize(0); // before somebody else has its place; what it returns, WL_LAUNCHED sees
    wl_cuda_free(own);
    wl_cuda_leave(kept);
    WL_LAUNCHED();
    return WL_OK;
}

static inline void sw_release(void *state) {
    sw_state *s = (sw_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->residues, s->group_start, s->query, s->query_start, s->query_length, s->start, s->length,
                     s->matrix, s->score, s->work, s->flagged, s->edge);
    free(s->first_word);
    free(s);
}

static inline wl_status sw_collect(void *state, void *output, int poison) {
    sw_state *s = (sw_state *)state;
    return wl_cuda_take(output, s->score, sizeof(int) * s->queries * s->subjects, poison);
}

static inline wl_status sw_fill(sw_state *s) {
    const sw_set *queries = &s->input->queries, *database = &s->input->database;
    int matrix[SW_CODES * SW_CODES];
    for (int k = 0; k < SW_CODES * SW_CODES; k++) matrix[k] = s->input->scoring.matrix[k / SW_CODES][k % SW_CODES];
    WL_TRY(wl_cuda_copy(&s->matrix, matrix, sizeof matrix));
    WL_TRY(wl_cuda_output(&s->score, sizeof(int) * s->queries * s->subjects));
    if (s->queries == 0 || s->subjects == 0) return WL_OK;
    WL_TRY(wl_cuda_copy(&s->query, queries->residues + queries->start[0], sw_set_bytes(queries)));
    WL_TRY(wl_cuda_copy(&s->start, database->start, sizeof(uint64_t) * s->subjects));
    WL_TRY(wl_cuda_copy(&s->length, database->length, sizeof(uint32_t) * s->subjects));
    WL_TRY(wl_cuda_copy(&s->group_start, s->first_word, sizeof(uint64_t) * (s->groups + 1)));
    WL_TRY(wl_cuda_allocate(&s->residues, sizeof(uint32_t) * s->first_word[s->groups]));
    return sw_pack_database(s);
}

/* Makes the state: queries, matrix and packed database are on the device, and the result is poisoned. For `plain` and `most` see
   sw_state; INT32_MAX: the stage's numbers hold all scores. The stage allocates `work`. */
static inline wl_status sw_upload(const wl_device *device, const sw_input *in, const sw_set *plain, uint32_t lanes,
                                  int most, sw_state **state) {
    sw_state *s = (sw_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    const size_t taken = sw_upload_bytes(in, lanes);
    *s = (sw_state){.input = in, .plain = plain, .queries = in->queries.count, .subjects = in->database.count};
    s->first_word = sw_first_words(&in->database, lanes, &s->groups);
    s->lanes = lanes, s->most = most;
    s->room = device->memory_free > taken ? (device->memory_free - taken) / 2 : 0;
    const wl_status status = s->first_word ? sw_fill(s) : wl_fail(WL_NO_MACHINE, "not enough memory for groups");
    return wl_prepared(status, s, sw_release, (void **)state);
}
