/* From stage 07 on, the host cuts a query into bands of rows and spreads each band over the lanes of a warp. Scores are laid out
   so that no two lanes use the same bank of shared memory.

   A group of 8, 16 or 32 lanes holds a band. Lane l has `rows` rows of it and works one step after lane l - 1, from which a
   shuffle brings the last row:

     lane 0   rows 0 .. R-1      column  j      j+1    j+2
     lane 1   rows R .. 2R-1             j-1    j      j+1
     lane 2   rows 2R ..                 j-2    j-1    j

   H and F of a band's last row go to `edge` in global memory, from which the next band's lane 0 loads them. */
#ifndef SW_KIT_BANDS_H
#define SW_KIT_BANDS_H

#include "sw/kit/pieces.h"
#include "sw/kit/recompute.h"

enum { SW_PROFILE_CODES = SW_END + 1 };

/* The shape of a kernel: groups of `lanes` lanes, and `rows` rows per lane, an even number. */
typedef struct {
    int lanes, rows;
} sw_shape;

typedef struct {
    int shape;        // index into the stage's shapes
    size_t profile;   // where its scores begin, in words of sw_banded.profile
    int above, below; // is there a band above it, or below?
    unsigned turn;    // its counter in sw_banded.turn
} sw_band;

typedef struct {
    sw_pieces pieces; // what is scanned
    sw_state *s;      // the database in groups of one subject: words of one subject after another
    const sw_shape *shapes;
    sw_band *bands;       // host, [band_count], query by query
    size_t *first_band;   // host, [queries + 1]
    size_t profile_words; // of all bands
    uint32_t *profile;    // device, [band]: see sw_profile_word
    unsigned *turn;       // device, [band_count]: how many pairs a band's kernel has handed out
    uint4 *edge; // device, [word]: (H, F) of four columns of the row above a band, H in the lower half; NULL if no
                 // query has two bands
    size_t multiprocessors;
} sw_banded;

/* --- The profile ------------------------------------------------------------------------------------------------- */

/* Two rows' scores make a word, so a lane has W = rows / 2 words for each letter. A lane loads four words at a time, 16 bytes,
   and the 8 lanes that are served together have 128 consecutive bytes. The W % 4 words that are left follow.

     letter 0:  [W / 4][lanes][4 words]  then [lanes][W % 4 words]
     letter 1:  the same, and so on

   Each lane has its own rows, and so its own part. Whatever letters the lanes have, there is no bank conflict. */
static inline size_t sw_profile_word(size_t lanes, size_t W, int code, int lane, int word) {
    size_t whole = W / 4 * 4, letter = (size_t)code * lanes * W;
    if ((size_t)word < whole) return letter + word / 4 * lanes * 4 + lane * 4 + word % 4;
    return letter + whole * lanes + lane * (W - whole) + (word - whole);
}

static inline size_t sw_profile_words(const sw_shape *shape) {
    return (size_t)SW_PROFILE_CODES * shape->lanes * (shape->rows / 2);
}

static inline size_t sw_shape_rows(const sw_shape *shape) { return (size_t)shape->lanes * shape->rows; }

/* Fills the profile of a band that begins at row first_row of the query. `as_bits` makes a score a stage's 16-bit number. `none`
   is the score of rows after the query's end and of the letter SW_END, which must never be aligned. */
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
                profile[sw_profile_word(shape->lanes, shape->rows / 2, code, lane, word)] = both;
            }
}

/* --- Cutting queries into bands ---------------------------------------------------------------------------------- */

/* How fast a stage's kernels are, measured on an H200. `subjects`: how many a group computes at a time. `clocks`: a scheduler's
   clock cycles for a row of a warp. `column`: what a column costs a lane besides its rows, in rows (shuffles, letters, addresses
   and the loop). `launch`: the clock cycles that each kernel costs besides. */
typedef struct {
    int subjects;
    double clocks, column, launch;
} sw_pace;
static const sw_pace sw_pace_two_subjects = {2, 9.4, 6, 0};

/* The subjects that a device computes at a time with groups of `lanes` lanes. */
static inline size_t sw_at_a_time(const sw_pace *pace, int multiprocessors, int lanes) {
    enum { WARPS = 16 };
    return (size_t)pace->subjects * multiprocessors * WARPS * SW_WARP / lanes;
}

/* What a band costs a scan, in clock cycles. A multiprocessor has four schedulers, each with several warps in turn. A scan takes
   as long as all schedulers need for all columns, or as one group needs for the longest subject. While the device waits for
   that one, kernels of another host thread can use it (`search` has two per device), so this time counts a quarter. With a
   small database, wide groups with few rows are cheapest. */
static inline double sw_shape_cost(const sw_pace *pace, const sw_shape *shape, const sw_set *database,
                                   int multiprocessors) {
    enum { SCHEDULERS = 4, WARPS_EACH = 4 };
    double all = (double)database->letters / pace->subjects * shape->lanes / SW_WARP / (SCHEDULERS * multiprocessors);
    double longest = (double)database->longest * WARPS_EACH;
    return pace->launch +
           pace->clocks * (shape->rows + pace->column) * (longest > all ? all + (longest - all) / 4 : all);
}

/* How to cut any query: into bands of the largest shape until SW_CUT_ROWS rows are left, and these in the cheapest way.
   The rows of all shapes are multiples of SW_CUT_UNIT. */
enum { SW_CUT_ROWS = 4096, SW_CUT_UNIT = 4, SW_SHAPES_MOST = 40 };
typedef struct {
    const sw_shape *shapes;
    int largest;
    int take[SW_CUT_ROWS / SW_CUT_UNIT + 1];    // [units]: the first band's shape, if so many rows are left
    double cost[SW_CUT_ROWS / SW_CUT_UNIT + 1]; // [units]: what all their bands cost
    double shape_cost[SW_SHAPES_MOST];          // [shapes]
} sw_cut;

static inline sw_cut sw_choose_bands(const sw_pace *pace, const sw_shape *shapes, int shape_count,
                                     const sw_set *database, int multiprocessors) {
    sw_cut cut = {.shapes = shapes};
    double *cost = cut.cost;
    for (int k = 0; k < shape_count; k++) {
        cut.shape_cost[k] = sw_shape_cost(pace, &shapes[k], database, multiprocessors);
        if (sw_shape_rows(&shapes[k]) > sw_shape_rows(&shapes[cut.largest])) cut.largest = k;
    }
    for (int units = 1; units <= SW_CUT_ROWS / SW_CUT_UNIT; units++)
        for (int k = 0; k < shape_count; k++) {
            int rest = units - (int)sw_shape_rows(&shapes[k]) / SW_CUT_UNIT;
            double all = cut.shape_cost[k] + cost[rest > 0 ? rest : 0];
            if (k == 0 || all < cost[units]) cost[units] = all, cut.take[units] = k;
        }
    return cut;
}

/* The first band's shape, if `rows` rows are left. */
static inline int sw_cut_first(const sw_cut *cut, size_t rows) {
    return rows > SW_CUT_ROWS ? cut->largest : cut->take[(rows + SW_CUT_UNIT - 1) / SW_CUT_UNIT];
}

/* What all bands of all queries cost. */
static inline double sw_cut_cost(const sw_cut *cut, const sw_set *queries) {
    const size_t largest = sw_shape_rows(&cut->shapes[cut->largest]);
    double cost = 0;
    for (size_t q = 0; q < queries->count; q++) {
        size_t left = queries->length[q];
        for (; left > SW_CUT_ROWS; left -= largest) cost += cut->shape_cost[cut->largest];
        cost += cut->cost[(left + SW_CUT_UNIT - 1) / SW_CUT_UNIT];
    }
    return cost;
}

/* Writes the bands of all queries to bands [*count] and first_band [queries + 1]; if `bands` is NULL, it only counts them.
   Returns the words of their profiles. */
static inline size_t sw_cut_queries(const sw_cut *cut, const sw_set *queries, sw_band *bands, size_t *first_band,
                                    size_t *count) {
    size_t n = 0, profile = 0;
    for (size_t q = 0; q < queries->count; q++) {
        if (bands != NULL) first_band[q] = n;
        for (size_t left = queries->length[q], rows; left > 0; left -= rows < left ? rows : left, n++) {
            const int k = sw_cut_first(cut, left);
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
    sw_release_pieces(&b->pieces);
    free(b);
}

static inline wl_status sw_banded_collect(void *state, void *output, int poison) {
    sw_banded *b = (sw_banded *)state;
    return sw_collect_pieces(&b->pieces, b->s, output, poison);
}

/* The sizes of a scan, known before anything is allocated. */
typedef struct {
    sw_piece_size size;
    sw_set database; // its pieces, without their residues
    uint64_t words;  // of the pieces, and so elements of `edge`
} sw_outline;

/* The outline if most groups have `lanes` lanes. */
static inline sw_outline sw_outline_of(const sw_pace *pace, const sw_input *in, int multiprocessors, int lanes) {
    sw_outline outline = {.size = sw_choose_pieces(in, sw_at_a_time(pace, multiprocessors, lanes))};
    outline.database = sw_measure_pieces(&outline.size, &in->database, &outline.words);
    return outline;
}

/* Device memory of a state with `profile` words of profiles, `kernels` kernels and `edges` edges, with one block's recomputation
   and with what allocations lose at their ends. */
static inline size_t sw_banded_bytes(const sw_input *in, const sw_outline *outline, size_t profile, size_t kernels,
                                     int edges) {
    enum { ENDS = 64 << 20 };
    size_t bytes = sw_upload_bytes_of(in, &outline->database, outline->words, outline->database.count);
    if (outline->size.step > 0)
        bytes += sizeof(uint32_t) * outline->database.count + sizeof(int) * in->queries.count * in->database.count;
    return bytes + sizeof(uint32_t) * profile + sizeof(unsigned) * kernels + sizeof(uint4) * outline->words * edges +
           sw_recompute_edge(in) + ENDS;
}

/* The same for bands of one query each. */
static inline size_t sw_banded_bytes_of(const sw_cut *cut, const sw_input *in, const sw_outline *outline) {
    size_t bands, profile = sw_cut_queries(cut, &in->queries, NULL, NULL, &bands);
    return sw_banded_bytes(in, outline, profile, bands, bands > in->queries.count);
}

enum { SW_BANDED_LANES = 16 }; // lanes of most groups

#define SW_BANDED_TOO_LARGE "the sequences, scores, profiles and edges of bands do not fit into device memory"

/* Why no device can take the input, or NULL. */
static inline const char *sw_refuse_banded(const sw_input *in, const sw_outline *outline) {
    if (outline->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    if (outline->words > UINT32_MAX) return "more than 16 billion residues; give them in parts";
    return NULL;
}

static inline const char *sw_banded_supports(const wl_device *device, const sw_input *in, const sw_shape *shapes,
                                             int shape_count) {
    const sw_pace *pace = &sw_pace_two_subjects;
    const sw_outline outline = sw_outline_of(pace, in, device->multiprocessors, SW_BANDED_LANES);
    if (sw_refuse_banded(in, &outline) != NULL) return sw_refuse_banded(in, &outline);
    const sw_cut cut = sw_choose_bands(pace, shapes, shape_count, &outline.database, device->multiprocessors);
    return sw_banded_bytes_of(&cut, in, &outline) > device->memory_free ? SW_BANDED_TOO_LARGE : NULL;
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

/* `most` is the largest score that the stage's numbers hold; for as_bits and none see sw_fill_profile. */
static inline wl_status sw_banded_prepare(const wl_device *device, const sw_input *in, const sw_shape *shapes,
                                          int shape_count, int most, uint16_t (*as_bits)(int score), uint16_t none,
                                          void **state) {
    sw_banded *b = (sw_banded *)calloc(1, sizeof *b);
    if (b == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    const sw_pace *pace = &sw_pace_two_subjects;
    const sw_outline outline = sw_outline_of(pace, in, device->multiprocessors, SW_BANDED_LANES);
    const sw_cut cut = sw_choose_bands(pace, shapes, shape_count, &outline.database, device->multiprocessors);
    const size_t bytes = sw_banded_bytes_of(&cut, in, &outline);
    b->shapes = shapes;
    b->multiprocessors = (size_t)device->multiprocessors;
    wl_status status = sw_make_pieces(in, &outline.size, &b->pieces);
    if (status == WL_OK) status = sw_upload(device, &b->pieces.input, &in->database, 1, most, &b->s);
    if (status == WL_OK) b->s->room = device->memory_free > bytes ? device->memory_free - bytes : 0;
    if (status == WL_OK) status = sw_banded_allocate(b, &cut, as_bits, none);
    if (status == WL_OK) status = sw_prepare_recompute(device, b->s);
    return wl_prepared(status, b, sw_banded_release, state);
}

/* --- Scores ------------------------------------------------------------------------------------------------------ */

/* Before a launch's first kernel: clears turn [kernels] and the scores, which bands collect by atomicMax. */
static inline wl_status sw_banded_clear(sw_state *s, unsigned *turn, size_t kernels) {
    WL_CUDA(cudaMemsetAsync(s->score, 0, sizeof(int) * s->queries * s->subjects));
    WL_CUDA(cudaMemsetAsync(turn, 0, sizeof *turn * (kernels + 1)));
    return sw_flag_none(s);
}

static __global__ void sw_flag_large(const int *score, size_t pairs, int most, // [pairs]
                                     unsigned long long *flagged) {
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < pairs; k += (size_t)gridDim.x * blockDim.x)
        if (score[k] > most) flagged[SW_FIRST_PAIR + atomicAdd(&flagged[SW_FOUND], 1ull)] = k;
}

/* After a launch's last kernel: computes scores above `most` again in 32 bits, then joins the scores of pieces. */
static inline wl_status sw_banded_finish(const sw_pieces *pieces, sw_state *s, size_t multiprocessors) {
    if (s->recompute_blocks > 0) {
        WL_LAUNCH(sw_flag_large, (unsigned)(8 * multiprocessors), 256, 0, s->score, s->queries * s->subjects, s->most,
                  s->flagged);
        WL_TRY(sw_recompute(s));
    }
    return sw_join_pieces(pieces, s, multiprocessors);
}

#endif
