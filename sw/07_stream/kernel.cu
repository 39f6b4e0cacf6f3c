/* 07_stream: subjects follow one another through the lanes, and lanes take work as they need it.

   Idea: a lane that has finished its last column need not wait for the others: it begins the next subjects, a step after the lane
   before it did. A group of lanes draws pairs of subjects from a counter, the longest first, so that one of 35,000
   residues keeps its group busy and nobody else waiting.
   Changed: no steps without work between pairs. Groups of 8, 16 or 32 lanes with 2 to 32 rows each: a query is cut into
   the bands that leave the fewest rows empty (sw/bands.h). Four columns a step, so that letters come in words.
   Should do: with 360 residues a subject, 06 wastes 8 % at the ends, and 464 rows of 512 are used; here, 1 % and 464 of 480.
   Did: see README.md.
   See: warpladder run sw/07* */
#include "sw/bands.h"

enum { THREADS = 256, BLOCKS_A_MULTIPROCESSOR = 2, COLUMNS = 4 };

/* What a kernel needs to know of its band. */
typedef struct {
    const uint32_t *residues;   // [word], four residues each
    const uint64_t *first_word; // [subjects + 1]
    unsigned subjects;
    const uint32_t *profile; // see sw/bands.h
    uint4 *edge;             // [word]
    int above, below;        // whether H and F come from `edge`, and whether they go there
    unsigned *turn;          // pairs of subjects handed out
    int gap_open, gap_extend;
    int *score; // [subjects]
} band_view;

/* Two subjects that a group works on, words from x and y on. The first is the longer. */
typedef struct {
    uint32_t x, y;
    int pair, words_x, words_y;
} subjects_pair;

static __device__ subjects_pair fetch(const band_view *v) {
    const unsigned n = atomicAdd(v->turn, 1u), first = 2 * n, second = 2 * n + 1;
    subjects_pair p = {0, 0, -1, 0, 0};
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

/* LANES lanes a group, ROWS rows a lane. */
template <int LANES, int ROWS>
static __global__ void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR) stream(band_view v) {
    enum { W = ROWS / 2, WHOLE = W / 4, LEFT = W % 4, LETTER = LANES * W, RING = 2 * LANES };
    extern __shared__ __align__(16) uint32_t profile[]; // [SW_PROFILE_CODES][LETTER], then a ring of pairs a group
    const int lane = threadIdx.x % LANES;
    for (int k = threadIdx.x; k < SW_PROFILE_CODES * LETTER; k += THREADS) profile[k] = v.profile[k];
    __syncthreads();
    subjects_pair *ring = (subjects_pair *)(profile + SW_PROFILE_CODES * LETTER) + threadIdx.x / LANES * RING;
    const uint32_t *own = profile + lane * 4, *own_left = profile + WHOLE * LANES * 4 + lane * LEFT;

    const uint32_t open = (uint32_t)v.gap_open * 0x10001u;
    const uint32_t minus_extend = (uint32_t)(0x10000 - v.gap_extend) % 0x10000u * 0x10001u;

    uint32_t H[ROWS], E[ROWS]; // H of column j - 1, E of column j; one subject's in the lower halves
    uint32_t best = 0, upper_left = 0, H_last[COLUMNS] = {0, 0, 0, 0}, F_last[COLUMNS] = {0, 0, 0, 0};
    subjects_pair now = {0, 0, -1, lane, 0}; // lane l begins l steps behind lane 0
    uint32_t x = SW_ENDS_WORD, y = SW_ENDS_WORD;
    int taken = 0, over = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;

    for (;;) {
        if (now.words_x == 0 && !over) { // this lane's subjects have ended: the next ones, which lane 0 chooses
            if (now.pair >= 0) {
                const int best_x = best & 0xffff, best_y = best >> 16;
                if (best_x > 0) atomicMax(&v.score[2 * now.pair], best_x);
                if (best_y > 0) atomicMax(&v.score[2 * now.pair + 1], best_y);
            }
            subjects_pair *slot = &ring[taken++ % RING];
            if (lane == 0) *slot = fetch(&v);
            now = *slot;
            x = now.words_x > 0 ? v.residues[now.x] : SW_ENDS_WORD;
            y = now.words_y > 0 ? v.residues[now.y] : SW_ENDS_WORD;
            over = now.pair < 0;
            best = upper_left = 0;
#pragma unroll
            for (int r = 0; r < ROWS; r++) H[r] = E[r] = 0;
        }
        if (__all_sync(~0u, over)) break;
        // The next words, in time for the next step.
        const uint32_t next_x = now.pair >= 0 && now.words_x > 1 ? v.residues[now.x + 1] : SW_ENDS_WORD;
        const uint32_t next_y = now.words_y > 1 ? v.residues[now.y + 1] : SW_ENDS_WORD;

        uint32_t H_above[COLUMNS], F_above[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            H_above[c] = __shfl_up_sync(~0u, H_last[c], 1, LANES);
            F_above[c] = __shfl_up_sync(~0u, F_last[c], 1, LANES);
            if (lane == 0) H_above[c] = F_above[c] = 0;
        }
        if (v.above && lane == 0) {
            const uint4 zero = make_uint4(0, 0, 0, 0);
            const uint4 a = now.words_x > 0 ? v.edge[now.x] : zero, b = now.words_y > 0 ? v.edge[now.y] : zero;
            const uint32_t of_x[COLUMNS] = {a.x, a.y, a.z, a.w}, of_y[COLUMNS] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                H_above[c] = __byte_perm(of_x[c], of_y[c], 0x5410);
                F_above[c] = __byte_perm(of_x[c], of_y[c], 0x7632);
            }
        }

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const int at_x = (x >> 8 * c & 0xff) * LETTER, at_y = (y >> 8 * c & 0xff) * LETTER;
            uint32_t F = F_above[c], diagonal = upper_left, of_x[4], of_y[4];
            upper_left = H_above[c];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (r % 8 == 0 && r / 8 < WHOLE) { // eight rows' scores of either subject's letter
                    const uint4 a = *(const uint4 *)(own + r / 8 * LANES * 4 + at_x);
                    const uint4 b = *(const uint4 *)(own + r / 8 * LANES * 4 + at_y);
                    of_x[0] = a.x, of_x[1] = a.y, of_x[2] = a.z, of_x[3] = a.w;
                    of_y[0] = b.x, of_y[1] = b.y, of_y[2] = b.z, of_y[3] = b.w;
                } else if (r % 8 == 0) {
#pragma unroll
                    for (int k = 0; k < LEFT; k++) of_x[k] = own_left[at_x + k], of_y[k] = own_left[at_y + k];
                }
                // Both subjects' scores of row r: a half of either word.
                const uint32_t A = __byte_perm(of_x[r % 8 / 2], of_y[r % 8 / 2], r % 2 == 0 ? 0x5410 : 0x7632);
                const uint32_t matched = __vadd2(diagonal, A);
                diagonal = H[r];
                H[r] = __vimax3_s16x2_relu(matched, E[r], F);
                const uint32_t opened = __vsub2(H[r], open);
                E[r] = __viaddmax_s16x2_relu(E[r], minus_extend, opened);
                F = __viaddmax_s16x2_relu(F, minus_extend, opened);
                if (r % 2 == 1) best = __vimax3_s16x2(best, H[r - 1], H[r]);
            }
            H_last[c] = H[ROWS - 1];
            F_last[c] = F;
        }

        if (v.below && lane == LANES - 1) {
            uint32_t of_x[COLUMNS], of_y[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                of_x[c] = __byte_perm(H_last[c], F_last[c], 0x5410);
                of_y[c] = __byte_perm(H_last[c], F_last[c], 0x7632);
            }
            if (now.pair >= 0) v.edge[now.x] = make_uint4(of_x[0], of_x[1], of_x[2], of_x[3]);
            if (now.words_y > 0) v.edge[now.y] = make_uint4(of_y[0], of_y[1], of_y[2], of_y[3]);
        }
        if (!over) now.x++, now.words_x--;
        if (now.words_y > 0) now.y++, now.words_y--;
        x = next_x;
        y = next_y;
        __syncwarp(); // what lane 0 puts into the ring in the next step, nobody reads in this one
    }
}

/* The shapes that the build has. Each is a kernel of its own, its loops unrolled and its rows in registers. */
#define SHAPES(X)                                                                                                    \
    X(8, 4)                                                                                                          \
    X(8, 8)                                                                                                          \
    X(8, 12)                                                                                                         \
    X(8, 16)                                                                                                         \
    X(8, 18)                                                                                                         \
    X(8, 20) X(8, 22) X(8, 24) X(8, 26) X(8, 28) X(8, 30) X(8, 32) X(16, 18) X(16, 20) X(16, 22) X(16, 24) X(16, 26) \
        X(16, 28) X(16, 30) X(16, 32) X(32, 8) X(32, 12) X(32, 16) X(32, 18) X(32, 20) X(32, 22) X(32, 24) X(32, 26) \
            X(32, 28) X(32, 30) X(32, 32)
typedef void (*band_kernel)(band_view);
#define SHAPE(lanes, rows) {lanes, rows},
static const sw_shape shapes[] = {SHAPES(SHAPE)};
enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };
#define KERNEL(lanes, rows) stream<lanes, rows>,
static const band_kernel kernels[] = {SHAPES(KERNEL)};

static uint16_t as_integer(int score) { return (uint16_t)score; }
#define LOWEST_INTEGER 0x8000 // no sum with it is above zero, and none wraps around

static const char *supports(const wl_device *device, const void *input) {
    return sw_banded_supports(device, (const sw_input *)input);
}

static wl_status prepare(const wl_device *device, const void *input, void **state) {
    const sw_input *in = (const sw_input *)input;
    return sw_banded_prepare(device, in, shapes, SHAPE_COUNT,
                             INT16_MAX - (in->scoring.highest > 0 ? in->scoring.highest : 0), as_integer,
                             LOWEST_INTEGER, state);
}

/* As many blocks as fit on the device at once: they stay until all pairs are done. */
static wl_status resident_blocks(const sw_banded *b, band_kernel kernel, size_t shared, size_t *blocks) {
    int each = 1;
    WL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    WL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, THREADS, shared));
    *blocks = (size_t)each * b->multiprocessors;
    return WL_OK;
}

static wl_status launch_band(const sw_banded *b, const sw_band *band, size_t query) {
    const sw_state *s = b->s;
    const sw_scoring *scoring = &s->input->scoring;
    const sw_shape *shape = &shapes[band->shape];
    const band_kernel kernel = kernels[band->shape];
    const size_t groups = THREADS / shape->lanes, ring = sizeof(subjects_pair) * 2 * shape->lanes;
    const size_t shared = sizeof(uint32_t) * sw_profile_words(shape) + ring * groups;
    size_t blocks = 0, wanted = (s->subjects + 2 * groups - 1) / (2 * groups);
    wl_status status = resident_blocks(b, kernel, shared, &blocks);
    if (status != WL_OK) return status;
    const band_view view = {.residues = s->residues,
                            .first_word = s->group_start,
                            .subjects = (unsigned)s->subjects,
                            .profile = b->profile + band->profile,
                            .edge = b->edge,
                            .above = band->above,
                            .below = band->below,
                            .turn = b->turn + band->turn,
                            .gap_open = scoring->gap_open,
                            .gap_extend = scoring->gap_extend,
                            .score = s->score + query * s->subjects};
    kernel<<<(unsigned)(blocks < wanted ? blocks : wanted), THREADS, shared>>>(view);
    WL_LAUNCHED();
    return WL_OK;
}

static wl_status launch(void *state) {
    sw_banded *b = (sw_banded *)state;
    if (b->s->subjects == 0 || b->s->queries == 0) return WL_OK;
    wl_status status = sw_banded_clear(b);
    for (size_t q = 0; status == WL_OK && q < b->s->queries; q++)
        for (size_t k = b->first_band[q]; status == WL_OK && k < b->first_band[q + 1]; k++)
            status = launch_band(b, &b->bands[k], q);
    return status == WL_OK ? sw_banded_finish(b) : status;
}

/* DPX instructions, each for two cells: one for H, one for E, one for F, half of one for the best. */
static void cost(const wl_device *device, const void *input, wl_cost *cost) {
    (void)device;
    const sw_input *in = (const sw_input *)input;
    double cells = (double)in->queries.letters * (double)in->database.letters;
    cost->bytes = (double)in->queries.count * ((double)in->database.letters + sizeof(int) * (double)in->database.count);
    cost->operations = 3.5 / 2 * cells;
    cost->rate = WL_RATE_DPX16;
}

static const wl_variant stage = {
    .problem = "sw",
    .name = "07_stream",
    .idea = "subjects follow one another through the lanes; bands that fit the query",
    .source = "Warpladder",
    .backend = WL_DEVICE_BACKEND,
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
    .collect = sw_banded_collect,
    .release = sw_banded_release,
    .cost = cost,
};
WL_REGISTER(stage)
