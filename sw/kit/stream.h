/* From stage 07 on: what a band's kernel needs to know, how a group of lanes gets subjects, and the launches. The kernels of
   the stages differ only in how they compute a cell. */
#ifndef SW_KIT_STREAM_H
#define SW_KIT_STREAM_H

#include "sw/kit/bands.h"

enum { SW_STREAM_THREADS = 256 };

/* What a kernel needs to know of its band. */
typedef struct {
    const uint32_t *residues;   // [word], four residues each
    const uint64_t *first_word; // [subjects + 1]
    unsigned subjects;
    const uint32_t *profile; // see sw/kit/bands.h
    uint4 *edge;             // [word]
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

/* --- Kernels by shape -------------------------------------------------------------------------------------------- */

/* The shapes (lanes, rows) that the build has. Each is its own kernel, with unrolled loops and its rows in registers. */
// clang-format off
#define SW_SHAPES(X)                                                                                     \
    X(8, 4) X(8, 8) X(8, 12) X(8, 16) X(8, 18) X(8, 20) X(8, 22) X(8, 24) X(8, 26) X(8, 28) X(8, 30) X(8, 32) \
    X(16, 18) X(16, 20) X(16, 22) X(16, 24) X(16, 26) X(16, 28) X(16, 30) X(16, 32)                      \
    X(32, 8) X(32, 12) X(32, 16) X(32, 18) X(32, 20) X(32, 22) X(32, 24) X(32, 26) X(32, 28) X(32, 30) X(32, 32)
// clang-format on
#define SW_SHAPE(lanes, rows) {lanes, rows},
static const sw_shape sw_shapes[] = {SW_SHAPES(SW_SHAPE)};
enum { SW_SHAPE_COUNT = sizeof sw_shapes / sizeof *sw_shapes };

typedef void (*sw_band_kernel)(sw_band_view);

/* Shared memory of a block: a band's profile, and for each group a ring of as many pairs as it has lanes. */
static inline size_t sw_stream_shared(const sw_shape *shape) {
    return sizeof(uint32_t) * sw_profile_words(shape) + sizeof(sw_two_subjects) * SW_STREAM_THREADS;
}

/* A stage's 16-bit numbers. */
typedef struct {
    int (*most)(const sw_input *in); // the largest score that they hold
    uint16_t (*as_bits)(int score);  // a score, and the score of what must never be aligned: see sw_fill_profile
    uint16_t none;
} sw_numbers;

static inline const char *sw_stream_supports(const wl_device *device, const void *input) {
    enum { VOLTA = 70 };
    if (device->compute_capability < VOLTA)
        return "a block needs 61 KB of shared memory, which devices have from compute capability 7.0 on";
    return sw_banded_supports(device, (const sw_input *)input, sw_shapes, SW_SHAPE_COUNT);
}

template <const sw_numbers &NUMBERS>
static wl_status sw_stream_prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    return sw_banded_prepare(device, in, sw_shapes, SW_SHAPE_COUNT, NUMBERS.most(in), NUMBERS.as_bits, NUMBERS.none,
                             state);
}

template <const sw_numbers &NUMBERS>
static const wl_variant sw_stream_defaults = {
    .source = "Warpladder",
    .supports = sw_stream_supports,
    .prepare = sw_stream_prepare<NUMBERS>,
    .collect = sw_banded_collect,
    .release = sw_banded_release,
    .cost = sw_cost_dpx,
};
#define SW_STREAM_STAGE(numbers, ...) WL_STAGE(&sw_stream_defaults<numbers>, __VA_ARGS__)

/* --- Launches ---------------------------------------------------------------------------------------------------- */

/* As many blocks as the device can run at once. They stay until all pairs are done. */
template <typename KERNEL>
static inline wl_status sw_resident_blocks(size_t multiprocessors, KERNEL kernel, int threads, size_t shared,
                                           size_t *blocks) {
    int each = 1;
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    WL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared));
    *blocks = (size_t)each * multiprocessors;
    return WL_OK;
}

static inline wl_status sw_stream_band(const sw_banded *b, size_t query, const sw_band *band, sw_band_kernel kernel,
                                       int gap_open, int gap_extend) {
    const sw_state *s = b->s;
    const sw_shape *shape = &sw_shapes[band->shape];
    const size_t groups = SW_STREAM_THREADS / shape->lanes, shared = sw_stream_shared(shape);
    size_t blocks = 0, wanted = (s->subjects + 2 * groups - 1) / (2 * groups);
    WL_TRY(sw_resident_blocks(b->multiprocessors, kernel, SW_STREAM_THREADS, shared, &blocks));
    const sw_band_view view = {.residues = s->residues,
                               .first_word = s->group_start,
                               .subjects = (unsigned)s->subjects,
                               .profile = b->profile + band->profile,
                               .edge = b->edge,
                               .above = band->above,
                               .below = band->below,
                               .turn = b->turn + band->turn,
                               .gap_open = gap_open,
                               .gap_extend = gap_extend,
                               .score = s->score + query * s->subjects};
    WL_LAUNCH(kernel, (unsigned)(blocks < wanted ? blocks : wanted), SW_STREAM_THREADS, shared, view);
    return WL_OK;
}

/* Launches one kernel per band of all queries, from kernels[SW_SHAPE_COUNT] by its shape; then scores too large, in 32 bits. */
static inline wl_status sw_stream(sw_banded *b, const sw_band_kernel *kernels, int gap_open, int gap_extend) {
    if (b->s->subjects == 0 || b->s->queries == 0) return WL_OK;
    WL_TRY(sw_banded_clear(b->s, b->turn, b->first_band[b->s->queries]));
    for (size_t q = 0; q < b->s->queries; q++)
        for (size_t k = b->first_band[q]; k < b->first_band[q + 1]; k++)
            WL_TRY(sw_stream_band(b, q, &b->bands[k], kernels[b->bands[k].shape], gap_open, gap_extend));
    return sw_banded_finish(&b->pieces, b->s, b->multiprocessors);
}

#endif
