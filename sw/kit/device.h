/* What all stages share on the host and around their kernels: sequences packed for coalesced loads, and the scores.
   sw/kit/recompute.h deals with scores that do not fit into 16 bits. */
#ifndef SW_KIT_DEVICE_H
#define SW_KIT_DEVICE_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/memory.h"
#include "io/database/set.h"
#include "sw/limits.h"
#include "sw/problem.h"

#define SW_WARP 32
#define SW_ENDS_WORD (SW_END * 0x01010101u) // four SW_END

/* The database on the device. Four residues make a word, and `lanes` subjects make a group. The words of a group are
   interleaved, so that the threads of a warp, each with its own subject, load neighbouring words:

     residues[group_start[g] + w * lanes + l] = residues 4w .. 4w + 3 of subject g * lanes + l

   Each subject takes as many words as the group's longest, which is its first. SW_END fills the rest. It scores below zero
   with every letter, and only SW_END follows it, so an alignment that reaches it can only lose. */
typedef struct {
    const sw_input *input; // outlives the state
    const sw_set
        *plain; // the set whose residues are packed: input->database, or the set that was cut (sw/kit/pieces.h)
    size_t queries, subjects, groups;
    uint32_t lanes;
    uint64_t *first_word; // host, [groups + 1]: a copy of group_start

    uint32_t *residues;     // device, [group][word][lanes]
    uint64_t *group_start;  // device, [groups + 1], in words
    uint8_t *query;         // device, all queries, laid out as in the set: query q is at sw_query(s, q)
    uint64_t *query_start;  // device, [queries], in bytes
    uint32_t *query_length; // device, [queries]
    uint32_t *length;       // device, [subjects]
    int *matrix;            // device, [SW_CODES][SW_CODES]: [query's code][subject's code]
    int *score;             // device, [queries][subjects]
    void *work;             // device, for the stage's own use
    size_t work_bytes;
    unsigned blocks; // of a launch whose threads take one subject after another
    size_t room;     // bytes of device memory that `work` may take

    int most;                    // the largest score that this stage's numbers hold
    unsigned long long *flagged; // device, see sw/kit/recompute.h
    int2 *edge;                  // device, see sw/kit/recompute.h
    unsigned recompute_blocks;   // 0: no score can be above `most`
} sw_state;

/* Query q on the device, and its length. SW_END follows its end, up to a multiple of four. */
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

/* Interleaves the words of the groups; one block per group. */
static __global__ void sw_pack(const uint32_t *plain,  // four residues per word, laid out as in the set
                               const uint64_t *start,  // [subjects], in bytes
                               uint64_t origin,        // of plain[0]
                               const uint32_t *length, // [subjects]
                               size_t subjects, uint32_t lanes,
                               const uint64_t *group_start, // [groups + 1]
                               uint32_t *residues) {        // [group][word][lanes]
    uint64_t first = group_start[blockIdx.x], words = group_start[blockIdx.x + 1] - first;
    for (uint64_t k = threadIdx.x; k < words; k += blockDim.x) {
        size_t subject = (size_t)blockIdx.x * lanes + k % lanes;
        uint64_t word = k / lanes;
        uint32_t four = SW_ENDS_WORD;
        if (subject < subjects && 4 * word < length[subject]) four = plain[(start[subject] - origin) / 4 + word];
        residues[first + k] = four;
    }
}

/* The database's residues as the set has them, on the device. */
typedef struct {
    const void *residues;
    uint8_t *own;      // whose they are: the caller's, or
    wl_resident *kept; // the tool's
} sw_plain;

static inline wl_status sw_take_plain(wl_resident *kept, const sw_set *set, sw_plain *plain) {
    const uint8_t *host = set->residues + set->start[0];
    const size_t bytes = sw_set_bytes(set);
    *plain = (sw_plain){};
    if (kept != NULL) WL_TRY(wl_cuda_resident(kept, host, bytes, &plain->residues));
    if (plain->residues != NULL) {
        plain->kept = kept;
        return WL_OK;
    }
    const wl_status status = wl_cuda_copy(&plain->own, host, bytes);
    plain->residues = plain->own;
    return status;
}

static inline void sw_leave_plain(const sw_plain *plain) {
    wl_cuda_free(plain->own);
    wl_cuda_leave(plain->kept);
}

/* Starts are needed only for as long as residues are packed; they are the caller's to free. */
static inline wl_status sw_pack_plain(sw_state *s, const sw_set *database, const sw_plain *plain, uint64_t **starts) {
    WL_TRY(wl_cuda_copy(starts, database->start, sizeof(uint64_t) * s->subjects));
    WL_TRY(wl_cuda_copy(&s->length, database->length, sizeof(uint32_t) * s->subjects));
    WL_TRY(wl_cuda_copy(&s->group_start, s->first_word, sizeof(uint64_t) * (s->groups + 1)));
    WL_TRY(wl_cuda_allocate(&s->residues, sizeof(uint32_t) * s->first_word[s->groups]));
    WL_LAUNCH(sw_pack, (unsigned)s->groups, 256, 0, (const uint32_t *)plain->residues, (const uint64_t *)*starts,
              s->plain->start[0], s->length, s->subjects, s->lanes, s->group_start, s->residues);
    WL_CUDA(cudaStreamSynchronize(0));
    return WL_OK;
}

static inline wl_status sw_pack_database(sw_state *s, const sw_set *database) {
    sw_plain plain;
    uint64_t *starts = NULL;
    wl_status status = sw_take_plain(s->input->resident, s->plain, &plain);
    if (status == WL_OK) status = sw_pack_plain(s, database, &plain, &starts);
    if (status != WL_OK) cudaStreamSynchronize(0); // before somebody else has its place
    wl_cuda_free(starts);
    sw_leave_plain(&plain);
    return status;
}

/* --- State ------------------------------------------------------------------------------------------------------- */

static inline void sw_release(void *state) {
    sw_state *s = (sw_state *)state;
    if (s == NULL) return;
    wl_cuda_free_all(s->residues, s->group_start, s->query, s->query_start, s->query_length, s->length, s->matrix,
                     s->score, s->work, s->flagged, s->edge);
    free(s->first_word);
    free(s);
}

/* Copies score [queries][subjects] to the host. */
static inline wl_status sw_collect(void *state, void *output, int poison) {
    sw_state *s = (sw_state *)state;
    return wl_cuda_take(output, s->score, sizeof(int) * s->queries * s->subjects, poison);
}

static inline wl_status sw_fill(sw_state *s) {
    const sw_input *in = s->input;
    int matrix[SW_CODES][SW_CODES];
    for (int a = 0; a < SW_CODES; a++)
        for (int b = 0; b < SW_CODES; b++) matrix[a][b] = in->scoring.matrix[a][b];
    WL_TRY(wl_cuda_copy(&s->matrix, matrix, sizeof matrix));
    WL_TRY(wl_cuda_output(&s->score, sizeof(int) * s->queries * s->subjects));
    if (s->queries == 0 || s->subjects == 0) return WL_OK;
    const sw_set *queries = &in->queries;
    WL_TRY(wl_cuda_copy(&s->query, queries->residues + queries->start[0], sw_set_bytes(queries)));
    WL_TRY(wl_cuda_copy(&s->query_start, queries->start, sizeof(uint64_t) * s->queries));
    WL_TRY(wl_cuda_copy(&s->query_length, queries->length, sizeof(uint32_t) * s->queries));
    return sw_pack_database(s, &in->database);
}

/* Device memory that sw_upload takes, with what packing needs and a list of pairs to recompute, even for stages without one. It
   uses only the database's count and letters; words and groups are those of the packed database. */
static inline size_t sw_upload_bytes_of(const sw_input *in, const sw_set *database, uint64_t words, size_t groups) {
    size_t bytes = sw_set_bytes(&in->queries) + database->letters + database->count * SW_PITCH_MORE;
    bytes += sizeof(uint32_t) * words + sizeof(uint64_t) * groups;
    bytes += in->queries.count * (sizeof(uint64_t) + sizeof(uint32_t));
    bytes += database->count * (sizeof(uint64_t) + sizeof(uint32_t)) + ((size_t)1 << 20);
    return bytes + in->queries.count * database->count * (sizeof(int) + sizeof(unsigned long long));
}

static inline size_t sw_upload_bytes(const sw_input *in, uint32_t lanes) {
    const size_t groups = sw_groups(&in->database, lanes);
    uint64_t words = 0;
    for (size_t g = 0; g < groups; g++) words += sw_group_words(&in->database, lanes, g);
    return sw_upload_bytes_of(in, &in->database, words, groups);
}

/* Makes the state: queries, matrix and packed database are on the device, and the result is poisoned. For `plain` and `most` see
   sw_state; INT_MAX: the stage's numbers hold all scores. The stage allocates `work`. */
static inline wl_status sw_upload(const wl_device *device, const sw_input *in, const sw_set *plain, uint32_t lanes,
                                  int most, sw_state **state) {
    sw_state *s = (sw_state *)calloc(1, sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    s->input = in;
    s->plain = plain;
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
    return wl_prepared(status, s, sw_release, (void **)state);
}

/* What no scan can avoid: loading the database's residues once per query and storing one score per pair; and the paper's eleven
   operations per cell, five additions and six maxima. */
static inline void sw_cost(const wl_device *, const void *input, wl_cost *cost) {
    const sw_input *in = (const sw_input *)input;
    enum { OPERATIONS_A_CELL = 11 };
    cost->bytes = (double)in->queries.count * ((double)in->database.letters + sizeof(int) * (double)in->database.count);
    cost->operations = OPERATIONS_A_CELL * (double)in->queries.letters * (double)in->database.letters;
    cost->rate = WL_RATE_INT32;
}

/* DPX instructions for two cells: one for H, one for E, one for F and half of one for the best. */
static inline void sw_cost_dpx(const wl_device *device, const void *input, wl_cost *cost) {
    const sw_input *in = (const sw_input *)input;
    sw_cost(device, input, cost);
    cost->operations = 3.5 / 2 * (double)in->queries.letters * (double)in->database.letters;
    cost->rate = WL_RATE_DPX16;
}

/* The largest score with which signed 16 bits are safe: the score of another residue can be added to it. */
static inline int sw_most_16_bits(const sw_input *in) {
    return INT16_MAX - (in->scoring.highest > 0 ? in->scoring.highest : 0);
}

#endif
