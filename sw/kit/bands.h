/* Stages 07 and 08: a query cut into bands of rows, each band spread over the lanes of a warp, and the bands' scores laid out
   so that no two lanes ever want the same bank of shared memory.

   A group of 8, 16 or 32 lanes holds a band; lane l has `rows` rows of it, and works a step behind lane l - 1, whose last row
   it is handed by a shuffle:

     lane 0   rows 0 .. R-1      column  j      j+1    j+2
     lane 1   rows R .. 2R-1             j-1    j      j+1
     lane 2   rows 2R ..                 j-2    j-1    j

   Behind a band's last row, H and F go to `edge` in global memory, from where the next band's lane 0 takes them. */
#ifndef SW_BANDS_H
#define SW_BANDS_H

#include "sw/kit/recompute.h"

enum { SW_PROFILE_CODES = SW_END + 1 };

/* A kernel of one shape: groups of `lanes` lanes, `rows` rows a lane, an even number. */
typedef struct {
    int lanes, rows;
} sw_shape;

typedef struct {
    int shape;        // index into the stage's shapes
    size_t profile;   // where its scores begin, in words of sw_banded.profile
    int above, below; // whether bands lie there
    unsigned turn;    // its counter in sw_banded.turn
} sw_band;

typedef struct {
    sw_state *s; // the database in groups of one subject: plain words, one subject behind the other
    const sw_shape *shapes;
    sw_band *bands;       // host, [band_count], query by query
    size_t *first_band;   // host, [queries + 1]
    size_t profile_words; // of all bands
    uint32_t *profile;    // device, [band]: see sw_profile_word
    unsigned *turn;       // device, [band_count]: what a band's kernel has handed out
    uint4 *edge; // device, [word]: of the row above a band four columns' (H, F), H in the lower half; NULL when
                 // no query has two bands
    size_t multiprocessors;
} sw_banded;

/* --- The profile ------------------------------------------------------------------------------------------------- */

/* Two rows' scores make a word; a lane has W = rows / 2 of them for each letter. Words are read four at a time: 16 bytes a
   lane, and the 8 lanes that are served together have 128 consecutive bytes. What is left of W lies behind, two at a time
   or one.

     letter 0:  [W / 4][lanes][4 words]  then [lanes][W % 4 words]
     letter 1:  the same, and so on

   Lanes read rows of their own, and so parts of their own: whatever letters they have, there is no bank conflict. */
static inline size_t sw_profile_word(const sw_shape *shape, int code, int lane, int word) {
    size_t W = (size_t)shape->rows / 2, whole = W / 4 * 4, lanes = (size_t)shape->lanes;
    size_t letter = (size_t)code * lanes * W;
    if ((size_t)word < whole) return letter + word / 4 * lanes * 4 + lane * 4 + word % 4;
    return letter + whole * lanes + lane * (W - whole) + (word - whole);
}

static inline size_t sw_profile_words(const sw_shape *shape) {
    return (size_t)SW_PROFILE_CODES * shape->lanes * (shape->rows / 2);
}

static inline size_t sw_shape_rows(const sw_shape *shape) { return (size_t)shape->lanes * shape->rows; }

/* Scores of band rows first_row .. of the query as 16-bit numbers; `as_bits` says how a stage writes a score, or the
   score of what must never be aligned (none). Rows behind the query's end and the letter SW_END are such. */
static inline void sw_fill_profile(const sw_scoring *scoring, const uint8_t *query, size_t m, size_t first_row,
                                   const sw_shape *shape, uint16_t (*as_bits)(int score), uint16_t none,
                                   uint32_t *profile) {
    for (int code = 0; code < SW_PROFILE_CODES; code++)
        for (int lane = 0; lane < shape->lanes; lane++)
            for (int word = 0; word < shape->rows / 2; word++) {
                uint32_t both = 0;
                for (int k = 1; k >= 0; k--) {
                    size_t row = first_row + (size_t)lane * shape->rows + 2 * word + k;
                    int real = row < m && code < SW_END;
                    both = both << 16 | (real ? as_bits(scoring->matrix[query[row]][code]) : none);
                }
                profile[sw_profile_word(shape, code, lane, word)] = both;
            }
}

/* --- Cutting queries into bands ---------------------------------------------------------------------------------- */

/* What a band costs a scan, in rows of a warp. A column costs each lane its rows and about as much as six more, whatever they
   are: shuffles, letters, addresses and the loop (measured on an H200). A multiprocessor has four schedulers and each
   of them several warps, in turn: a scan takes as long as all columns take all of them, or as the longest subject
   takes the group that has it. While the device waits for that one, it is idle only as far as no other thread's kernels
   are there (`search` has two threads a device): such time counts a quarter. A small database is for wide groups with
   few rows. */
static inline double sw_shape_cost(const sw_shape *shape, const sw_set *database, int multiprocessors) {
    enum { SCHEDULERS = 4, WARPS_EACH = 4, COLUMN = 6, SUBJECTS = 2 };
    double all = (double)database->letters / SUBJECTS * shape->lanes / SW_WARP / (SCHEDULERS * multiprocessors);
    double longest = (double)database->longest * WARPS_EACH;
    return (shape->rows + COLUMN) * (longest > all ? all + (longest - all) / 4 : all);
}

/* How to cut any query: into bands of the largest shape until SW_CUT_ROWS rows are left, those in the cheapest way there is.
   Every shape's rows are a multiple of SW_CUT_UNIT. */
enum { SW_CUT_ROWS = 4096, SW_CUT_UNIT = 8 };
typedef struct {
    const sw_shape *shapes;
    int largest;
    int take[SW_CUT_ROWS / SW_CUT_UNIT + 1]; // [units]: the shape of the first band of so many rows
} sw_cut;

static inline sw_cut sw_choose_bands(const sw_shape *shapes, int shape_count, const sw_set *database,
                                     int multiprocessors) {
    sw_cut cut = {.shapes = shapes};
    double cost[SW_CUT_ROWS / SW_CUT_UNIT + 1] = {0}; // of a query of so many units
    for (int k = 1; k < shape_count; k++)
        if (sw_shape_rows(&shapes[k]) > sw_shape_rows(&shapes[cut.largest])) cut.largest = k;
    for (int units = 1; units <= SW_CUT_ROWS / SW_CUT_UNIT; units++)
        for (int k = 0; k < shape_count; k++) {
            int rest = units - (int)sw_shape_rows(&shapes[k]) / SW_CUT_UNIT;
            double all = sw_shape_cost(&shapes[k], database, multiprocessors) + cost[rest > 0 ? rest : 0];
            if (k == 0 || all < cost[units]) cost[units] = all, cut.take[units] = k;
        }
    return cut;
}

/* Bands of all queries into bands [*count] and first_band [queries + 1], or, where `bands` is NULL, only how many there are.
   Returns the words of their profiles. */
static inline size_t sw_cut_queries(const sw_cut *cut, const sw_set *queries, sw_band *bands, size_t *first_band,
                                    size_t *count) {
    size_t n = 0, profile = 0;
    for (size_t q = 0; q < queries->count; q++) {
        if (bands != NULL) first_band[q] = n;
        for (size_t left = queries->length[q], rows; left > 0; left -= rows < left ? rows : left, n++) {
            const int k = left > SW_CUT_ROWS ? cut->largest : cut->take[(left + SW_CUT_UNIT - 1) / SW_CUT_UNIT];
            rows = sw_shape_rows(&cut->shapes[k]);
            if (bands != NULL)
                bands[n] = (sw_band){.shape = k,
                                     .profile = profile,
                                     .above = left < queries->length[q],
                                     .below = rows < left,
                                     .turn = (unsigned)n};
            profile += sw_profile_words(&cut->shapes[k]);
        }
    }
    if (bands != NULL) first_band[queries->count] = n;
    *count = n;
    return profile;
}

static inline wl_status sw_plan_bands(const sw_cut *cut, sw_banded *b) {
    const sw_set *queries = &b->s->input->queries;
    size_t count;
    sw_cut_queries(cut, queries, NULL, NULL, &count);
    b->bands = (sw_band *)malloc(sizeof *b->bands * (count + 1));
    b->first_band = (size_t *)malloc(sizeof *b->first_band * (queries->count + 1));
    if (b->bands == NULL || b->first_band == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for the bands of %zu queries", queries->count);
    b->profile_words = sw_cut_queries(cut, queries, b->bands, b->first_band, &count);
    return WL_OK;
}

static inline wl_status sw_make_profile(sw_banded *b, uint16_t (*as_bits)(int score), uint16_t none) {
    const sw_input *in = b->s->input;
    uint32_t *profile = (uint32_t *)malloc(sizeof *profile * (b->profile_words + 1));
    if (profile == NULL)
        return wl_fail(WL_NO_MACHINE, "not enough memory for the profiles of %zu queries", b->s->queries);
    for (size_t q = 0; q < b->s->queries; q++) {
        size_t row = 0;
        for (size_t k = b->first_band[q]; k < b->first_band[q + 1]; k++) {
            const sw_shape *shape = &b->shapes[b->bands[k].shape];
            sw_fill_profile(&in->scoring, in->queries.residues + in->queries.start[q], in->queries.length[q], row,
                            shape, as_bits, none, profile + b->bands[k].profile);
            row += sw_shape_rows(shape);
        }
    }
    const wl_status status = wl_cuda_copy(&b->profile, profile, sizeof *profile * b->profile_words);
    free(profile);
    return status;
}

/* --- State ------------------------------------------------------------------------------------------------------- */

static inline void sw_banded_release(void *state) {
    sw_banded *b = (sw_banded *)state;
    if (b == NULL) return;
    wl_cuda_free_all(b->profile, b->turn, b->edge);
    free(b->bands);
    free(b->first_band);
    sw_release(b->s);
    free(b);
}

static inline wl_status sw_banded_collect(void *state, void *output, int poison) {
    return sw_collect(((sw_banded *)state)->s, output, poison);
}

/* Words of the database, and so elements of `edge`. */
static inline uint64_t sw_banded_words(const sw_set *database) {
    uint64_t words = 0;
    for (size_t s = 0; s < database->count; s++) words += sw_group_words(database, 1, s);
    return words;
}

/* Device memory that sw_banded_prepare takes, with one block's recomputation; what allocations lose at their ends comes
   on top. */
static inline size_t sw_banded_bytes(const sw_cut *cut, const sw_input *in) {
    enum { ENDS = 64 << 20 };
    size_t bands, profile = sw_cut_queries(cut, &in->queries, NULL, NULL, &bands);
    size_t edge = bands > in->queries.count ? sizeof(uint4) * sw_banded_words(&in->database) : 0;
    return sw_upload_bytes(in, 1) + sizeof(uint32_t) * profile + sizeof(unsigned) * bands + edge +
           sw_recompute_edge(in) + ENDS;
}

static inline const char *sw_banded_supports(const wl_device *device, const sw_input *in, const sw_shape *shapes,
                                             int shape_count) {
    if (in->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    if (sw_banded_words(&in->database) > UINT32_MAX) return "more than 16 billion residues; give them in parts";
    const sw_cut cut = sw_choose_bands(shapes, shape_count, &in->database, device->multiprocessors);
    if (sw_banded_bytes(&cut, in) > device->memory_free)
        return "the sequences, scores, profiles and edges of bands do not fit into device memory";
    return NULL;
}

static inline wl_status sw_banded_allocate(sw_banded *b, const sw_cut *cut, uint16_t (*as_bits)(int score),
                                           uint16_t none) {
    WL_TRY(sw_plan_bands(cut, b));
    WL_TRY(sw_make_profile(b, as_bits, none));
    size_t bands = b->first_band[b->s->queries];
    WL_TRY(wl_cuda_allocate(&b->turn, sizeof *b->turn * (bands + 1)));
    if (bands > b->s->queries)
        WL_TRY(wl_cuda_allocate(&b->edge, sizeof *b->edge * (b->s->first_word[b->s->groups] + 1)));
    return WL_OK;
}

/* `most`: the largest score the stage's numbers hold; as_bits and none: see sw_fill_profile. */
static inline wl_status sw_banded_prepare(const wl_device *device, const sw_input *in, const sw_shape *shapes,
                                          int shape_count, int most, uint16_t (*as_bits)(int score), uint16_t none,
                                          void **state) {
    sw_banded *b = (sw_banded *)calloc(1, sizeof *b);
    if (b == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    const sw_cut cut = sw_choose_bands(shapes, shape_count, &in->database, device->multiprocessors);
    const size_t bytes = sw_banded_bytes(&cut, in);
    b->shapes = shapes;
    b->multiprocessors = (size_t)device->multiprocessors;
    wl_status status = sw_upload(device, in, 1, most, &b->s);
    if (status == WL_OK) b->s->room = device->memory_free > bytes ? device->memory_free - bytes : 0;
    if (status == WL_OK) status = sw_banded_allocate(b, &cut, as_bits, none);
    if (status == WL_OK) status = sw_prepare_recompute(device, b->s);
    return wl_prepared(status, b, sw_banded_release, state);
}

/* --- Scores ------------------------------------------------------------------------------------------------------ */

/* Before a launch's first kernel: scores are gathered by atomicMax, band by band. */
static inline wl_status sw_banded_clear(sw_banded *b) {
    sw_state *s = b->s;
    WL_CUDA(cudaMemsetAsync(s->score, 0, sizeof(int) * s->queries * s->subjects));
    WL_CUDA(cudaMemsetAsync(b->turn, 0, sizeof *b->turn * (b->first_band[s->queries] + 1)));
    return sw_flag_none(s);
}

static __global__ void sw_flag_large(const int *score, size_t pairs, int most, // [pairs]
                                     unsigned long long *flagged) {
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < pairs; k += (size_t)gridDim.x * blockDim.x)
        if (score[k] > most) flagged[SW_FIRST_PAIR + atomicAdd(&flagged[SW_FOUND], 1ull)] = k;
}

/* Behind a launch's last kernel: scores above `most` again, in 32 bits. */
static inline wl_status sw_banded_finish(sw_banded *b) {
    sw_state *s = b->s;
    if (s->recompute_blocks == 0) return WL_OK;
    WL_LAUNCH(sw_flag_large, (unsigned)(8 * b->multiprocessors), 256, 0, s->score, s->queries * s->subjects, s->most,
              s->flagged);
    return sw_recompute(s);
}

#endif
