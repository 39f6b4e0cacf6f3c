/* From stage 07 on: a scan's state, and what is done before its kernels and after them. */
#pragma once

#include "sw/kit/recompute.h"
#include "sw/plan/pieces.h"

typedef struct {
    sw_scan_plan plan;
    sw_pieces pieces;     // what is scanned
    sw_state *s;          // the pieces, on the device
    uint32_t *subject_of; // device, [pieces]; NULL if nothing is cut
    int *score;           // device, [queries][subjects]: the best of the pieces; likewise
    uint32_t *profile;    // device: a copy of the plan's
    unsigned *turn;       // device, [kernel]: how much work it has handed out
    uint4 *edge; // device, [edges * (words + 1)]: rows between bands, laid out by the stage; NULL: there are none
    size_t multiprocessors;
} sw_scan;

static inline void sw_scan_release(void *state) {
    sw_scan *scan = (sw_scan *)state;
    if (scan == NULL) return;
    wl_cuda_free_all(scan->subject_of, scan->score, scan->profile, scan->turn, scan->edge);
    sw_free_plan(&scan->plan);
    sw_release(scan->s);
    sw_free_pieces(&scan->pieces);
    free(scan);
}

static inline wl_status sw_scan_collect(void *state, void *output, int poison) {
    const sw_scan *scan = (const sw_scan *)state;
    if (scan->score == NULL) return sw_collect(scan->s, output, poison);
    return wl_cuda_take(output, scan->score, sizeof(int) * scan->s->queries * scan->pieces.subjects, poison);
}

static inline wl_status sw_scan_fill(const wl_device *device, const sw_input *in, sw_scan *scan) {
    const sw_scan_plan *plan = &scan->plan;
    const sw_pieces *pieces = &scan->pieces;
    WL_TRY(sw_make_pieces(in, &plan->size, &scan->pieces));
    if (pieces->subject_of != NULL) {
        WL_TRY(wl_cuda_copy(&scan->subject_of, pieces->subject_of, sizeof(uint32_t) * pieces->input.database.count));
        WL_TRY(wl_cuda_output(&scan->score, sizeof(int) * in->queries.count * in->database.count));
    }
    WL_TRY(sw_upload(device, &pieces->input, &in->database, plan->lanes, plan->most, &scan->s));
    scan->s->room = device->memory_free > plan->device_bytes ? device->memory_free - plan->device_bytes : 0;
    WL_TRY(wl_cuda_copy(&scan->profile, plan->profile, sizeof *scan->profile * plan->profile_words));
    WL_TRY(wl_cuda_allocate(&scan->turn, sizeof *scan->turn * (plan->kernels + 1)));
    const size_t edge = sizeof *scan->edge * (size_t)plan->edges * (scan->s->first_word[scan->s->groups] + 1);
    if (edge > 0) WL_TRY(wl_cuda_allocate(&scan->edge, edge));
    return sw_prepare_recompute(device, scan->s);
}

/* The end of a `prepare`. status: of making the plan, which belongs to the state then. */
static inline wl_status sw_scan_prepare(wl_status status, const wl_device *device, const sw_input *in,
                                        sw_scan_plan *plan, void **state) {
    if (status != WL_OK) return status;
    sw_scan *scan = (sw_scan *)calloc(1, sizeof *scan);
    if (scan == NULL) {
        sw_free_plan(plan);
        return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    }
    scan->plan = *plan;
    scan->multiprocessors = (size_t)device->multiprocessors;
    return wl_prepared(sw_scan_fill(device, in, scan), scan, sw_scan_release, state);
}

/* Before a launch's first kernel: clears the counters, and the scores, which bands collect by atomicMax. */
static inline wl_status sw_scan_clear(const sw_scan *scan) {
    sw_state *s = scan->s;
    WL_CUDA(cudaMemsetAsync(s->score, 0, sizeof(int) * s->queries * s->subjects));
    WL_CUDA(cudaMemsetAsync(scan->turn, 0, sizeof *scan->turn * (scan->plan.kernels + 1)));
    return sw_flag_none(s);
}

static __global__ void sw_flag_large(const int *score, size_t pairs, int most, // [pairs]
                                     unsigned long long *flagged) {
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < pairs; k += (size_t)gridDim.x * blockDim.x)
        if (score[k] > most) flagged[SW_FIRST_PAIR + atomicAdd(&flagged[SW_FOUND], 1ull)] = k;
}

static __global__ void sw_best_of_pieces(const int *of_pieces,       // [queries][pieces]
                                         const uint32_t *subject_of, // [pieces]
                                         size_t pieces, size_t subjects, size_t queries,
                                         int *score) { // [queries][subjects], 0
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < pieces * queries;
         k += (size_t)gridDim.x * blockDim.x)
        if (of_pieces[k] > 0) atomicMax(&score[k / pieces * subjects + subject_of[k % pieces]], of_pieces[k]);
}

/* After a launch's last kernel: computes scores above `most` again in 32 bits, then makes the subjects' scores of those of the pieces. */
static inline wl_status sw_scan_finish(const sw_scan *scan) {
    sw_state *s = scan->s;
    const unsigned blocks = (unsigned)(8 * scan->multiprocessors);
    const size_t subjects = scan->pieces.subjects;
    if (s->recompute_blocks > 0) {
        WL_LAUNCH(sw_flag_large, blocks, 256, 0, s->score, s->queries * s->subjects, s->most, s->flagged);
        WL_TRY(sw_recompute(s));
    }
    if (scan->score == NULL) return WL_OK;
    WL_CUDA(cudaMemsetAsync(scan->score, 0, sizeof(int) * s->queries * subjects));
    WL_LAUNCH(sw_best_of_pieces, blocks, 256, 0, s->score, scan->subject_of, s->subjects, subjects, s->queries,
              scan->score);
    return WL_OK;
}
