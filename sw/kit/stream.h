/* Stages 07 and 08: what a band's kernel needs to know, how a group of lanes gets subjects, and the launches. The kernels of
   both stages differ only in how they compute a cell. */
#pragma once

#include "sw/kit/blocks.h"
#include "sw/kit/scan.h"
#include "sw/plan/bands.h"

enum { SW_STREAM_THREADS = 256 };

/* What a kernel needs to know of its band. */
typedef struct {
    const uint32_t *residues;   // [word], four residues each
    const uint64_t *first_word; // [subjects + 1]
    unsigned subjects;
    const uint32_t *profile; // see sw/plan/bands.h
    uint4 *edge;             // [word]: (H, F) of four columns of the row above a band, H in the lower half
    int above, below;        // do H and F come from `edge`, and do they go there?
    unsigned *turn;          // pairs of subjects handed out
    int gap_open, gap_extend;
    int *score; // [subjects]
} sw_band_view;

/* The two subjects of a group: number 2 * pair, with words_x words from word x on, and the next, which is at most as long.
   pair < 0: no subjects are left. */
typedef struct {
    uint32_t x, y;
    int pair, words_x, words_y;
} sw_two_subjects;

static __device__ inline sw_two_subjects sw_fetch(const sw_band_view *v) {
    const unsigned n = atomicAdd(v->turn, 1u), first = 2 * n, second = 2 * n + 1;
    sw_two_subjects p = {0, 0, -1, 0, 0};
    if (first < v->subjects) {
        p.pair = (int)n;
        p.x = (uint32_t)v->first_word[first];
        p.words_x = (int)(v->first_word[first + 1] - v->first_word[first]);
    }
    if (second < v->subjects) {
        p.y = (uint32_t)v->first_word[second];
        p.words_y = (int)(v->first_word[second + 1] - v->first_word[second]);
    }
    return p;
}

typedef void (*sw_band_kernel)(sw_band_view);

static inline wl_status sw_stream_band(const sw_scan *scan, size_t k, sw_band_kernel kernel, int gap_open,
                                       int gap_extend) {
    const sw_state *s = scan->s;
    const sw_band *band = (const sw_band *)scan->plan.launches + k;
    const sw_shape *shape = &sw_shapes[band->shape];
    const size_t groups = SW_STREAM_THREADS / shape->lanes;
    // A band's profile, and for each group a ring of as many pairs as it has lanes.
    const size_t shared = sizeof(uint32_t) * sw_profile_words(shape) + sizeof(sw_two_subjects) * SW_STREAM_THREADS;
    size_t blocks = 0, wanted = (s->subjects + 2 * groups - 1) / (2 * groups);
    WL_TRY(sw_resident_blocks(scan->multiprocessors, kernel, SW_STREAM_THREADS, shared, &blocks));
    const sw_band_view view = {.residues = s->residues,
                               .first_word = s->group_start,
                               .subjects = (unsigned)s->subjects,
                               .profile = scan->profile + band->profile,
                               .edge = scan->edge,
                               .above = band->above,
                               .below = band->below,
                               .turn = scan->turn + k,
                               .gap_open = gap_open,
                               .gap_extend = gap_extend,
                               .score = s->score + band->query * s->subjects};
    WL_LAUNCH(kernel, (unsigned)(blocks < wanted ? blocks : wanted), SW_STREAM_THREADS, shared, view);
    return WL_OK;
}

/* Launches one kernel per band of all queries, from kernels [shape]; then scores too large, in 32 bits. */
static inline wl_status sw_stream(const sw_scan *scan, const sw_band_kernel *kernels, int gap_open, int gap_extend) {
    const sw_band *bands = (const sw_band *)scan->plan.launches;
    if (scan->s->subjects == 0 || scan->s->queries == 0) return WL_OK;
    WL_TRY(sw_scan_clear(scan));
    for (size_t k = 0; k < scan->plan.kernels; k++)
        WL_TRY(sw_stream_band(scan, k, kernels[bands[k].shape], gap_open, gap_extend));
    return sw_scan_finish(scan);
}
