/* Queries so short that a lane has all their rows. Nothing goes from lane to lane or to global memory, and the lanes of a warp are
   always in the same column. So the words of a warp's subjects are interleaved, and one coalesced load brings the next four
   letters of all of them. A lane has two subjects and one query (stage 08), or one subject and two queries (stage 09). */
#ifndef SW_KIT_SHORT_H
#define SW_KIT_SHORT_H

#include "sw/kit/stream.h"

/* What a lane has at a time, and the scheduler's clock cycles for a row of a warp. */
typedef struct {
    int subjects, queries;
    double clocks;
} sw_short_form;
static const sw_short_form sw_short_two_subjects = {2, 1, 9.9}, sw_short_two_queries = {1, 2, 9.0};

/* The rows that the build has kernels for, and the index of the first that suffice. */
#define SW_SHORT_ROWS(X) X(4) X(6) X(8) X(10) X(12) X(14) X(16) X(20) X(24) X(28) X(32)
#define SW_SHORT_NUMBER(rows) rows,
static const int sw_short_rows[] = {SW_SHORT_ROWS(SW_SHORT_NUMBER)};
enum { SW_SHORT_MOST = 32, SW_SHORT_THREADS = 256, SW_SHORT_BLOCKS = 2 };
static inline int sw_short_index(uint32_t length) {
    int k = 0;
    while ((uint32_t)sw_short_rows[k] < length) k++;
    return k;
}

/* --- Kernels ------------------------------------------------------------------------------------------------------- */

/* Eight lanes load from shared memory together, so there each of the eight has its own copy of the profile, in its own banks. */
enum { SW_SHORT_COPIES = 8 };
typedef struct {
    const uint32_t *residues;    // [group][word][subjects of a group]
    const uint64_t *group_start; // [groups + 1], in words
    unsigned groups, subjects;
    const uint32_t *profile; // [SW_PROFILE_CODES][words], see SW_SHORT_WORDS
    unsigned *turn;          // groups handed out
    int gap_open, gap_extend;
    int *score[2]; // [subjects], of both queries, or of one
} sw_short_view;
typedef void (*sw_short_kernel)(sw_short_view);

/* Words of a profile for each letter: one for two rows of one query, or for one row of two. A lane loads four at a time. */
#define SW_SHORT_WORDS(queries, rows) (((queries) * (rows) / 2 + 3) / 4 * 4)

/* Copies the profile to shared memory: [SW_PROFILE_CODES][words / 4][SW_SHORT_COPIES][4]. Returns the thread's own copy. */
static __device__ __forceinline__ const uint32_t *sw_short_profile(const sw_short_view *v, int words,
                                                                   uint32_t *shared) {
    enum { FOUR = 4, PART = SW_SHORT_COPIES * FOUR };
    for (int k = threadIdx.x; k < SW_PROFILE_CODES * SW_SHORT_COPIES * words; k += SW_SHORT_THREADS)
        shared[k] = v->profile[k / PART * FOUR + k % FOUR];
    __syncthreads();
    return shared + threadIdx.x % SW_SHORT_COPIES * FOUR;
}

/* The warp's next group. */
static __device__ __forceinline__ unsigned sw_short_next(const sw_short_view *v) {
    const unsigned group = threadIdx.x % SW_WARP == 0 ? atomicAdd(v->turn, 1u) : 0;
    return __shfl_sync(~0u, group, 0);
}

/* --- The choice ---------------------------------------------------------------------------------------------------- */

/* A database's letters and longest subject, once it is cut for groups of `lanes` lanes. */
static inline sw_set sw_short_database(const sw_pace *pace, const sw_input *in, int multiprocessors, int lanes) {
    const sw_piece_size size = sw_choose_pieces(in, sw_at_a_time(pace, multiprocessors, lanes));
    const uint32_t piece = size.step + size.step / 2 + size.overlap;
    sw_set set = {.letters = in->database.letters, .longest = in->database.longest};
    if (size.step > 0 && set.longest > piece) set.longest = piece;
    return set;
}

static inline sw_pace sw_short_pace(const sw_short_form *form) { return (sw_pace){form->subjects, form->clocks, 1, 0}; }

/* What all kernels cost a scan, in clock cycles: see sw_shape_cost. If a lane has two queries, they are neighbours by length. */
static inline double sw_short_cost(const sw_short_form *form, const sw_input *in, int multiprocessors) {
    const sw_pace pace = sw_short_pace(form);
    const sw_set database = sw_short_database(&pace, in, multiprocessors, 1);
    size_t number[SW_SHORT_MOST + 1] = {}, taken = 0;
    double cost = 0;
    for (size_t q = 0; q < in->queries.count; q++) number[in->queries.length[q]]++;
    for (int length = SW_SHORT_MOST; length >= 0; length--)
        for (; number[length] > 0; number[length]--, taken++) {
            const sw_shape shape = {1, sw_short_rows[sw_short_index((uint32_t)length)]};
            if (taken % form->queries == 0) cost += sw_shape_cost(&pace, &shape, &database, multiprocessors);
        }
    return cost;
}

/* Are all queries short, and does it take less time if each lane works alone? With few subjects most lanes would have none, and
   groups of eight lanes are faster. */
static inline int sw_is_short(const sw_short_form *form, const sw_pace *pace, const wl_device *device,
                              const sw_input *in) {
    enum { LANES = 8, ROWS = SW_SHORT_MOST / LANES };
    if (in->queries.longest > SW_SHORT_MOST) return 0;
    const sw_shape shape = {LANES, ROWS};
    const sw_set database = sw_short_database(pace, in, device->multiprocessors, LANES);
    const size_t kernels = (in->queries.count + form->queries - 1) / form->queries;
    return sw_short_cost(form, in, device->multiprocessors) <=
           kernels * sw_shape_cost(pace, &shape, &database, device->multiprocessors);
}

/* --- State --------------------------------------------------------------------------------------------------------- */

/* A kernel's launch: its queries, and where its profile begins. */
typedef struct {
    int index;       // into sw_short_rows
    size_t query[2]; // [queries]
    int queries;     // one or two
    size_t profile;  // in words
} sw_short_launch;

/* Begins as a stage's other state does, which is how sw_state_is_short knows it. */
typedef struct {
    sw_pieces pieces;
    sw_state *s; // the database in groups of as many subjects as a warp has
    const sw_short_form *form;
    sw_short_launch *launches; // host, [count]
    size_t count, profile_words;
    uint32_t *profile; // device, [launch]: see sw_short_view
    unsigned *turn;    // device, [launch]
    size_t multiprocessors;
} sw_short;

static inline int sw_state_is_short(const sw_state *s) { return s != NULL && s->lanes > 1; }

static inline sw_outline sw_short_outline(const sw_short_form *form, const wl_device *device, const sw_input *in) {
    const sw_pace pace = sw_short_pace(form);
    sw_outline outline = sw_outline_of(&pace, in, device->multiprocessors, 1);
    // A group's subjects take as many words as its longest one, which is at most as long as any in the group before.
    outline.words += (uint64_t)SW_WARP * form->subjects * (((uint64_t)outline.database.longest + 3) / 4);
    return outline;
}

/* No profile is larger than two queries' of 32 rows. */
static inline size_t sw_short_bytes(const sw_short_form *form, const sw_input *in, const sw_outline *outline) {
    const size_t words = SW_PROFILE_CODES * SW_SHORT_WORDS(form->queries, SW_SHORT_MOST);
    return sw_banded_bytes(in, outline, words * in->queries.count, in->queries.count, 0);
}

static inline const char *sw_short_supports(const sw_short_form *form, const wl_device *device, const sw_input *in) {
    const sw_outline outline = sw_short_outline(form, device, in);
    if (sw_refuse_banded(in, &outline) != NULL) return sw_refuse_banded(in, &outline);
    return sw_short_bytes(form, in, &outline) > device->memory_free ? SW_BANDED_TOO_LARGE : NULL;
}

static inline void sw_short_release(void *state) {
    sw_short *a = (sw_short *)state;
    if (a == NULL) return;
    wl_cuda_free_all(a->profile, a->turn);
    free(a->launches);
    sw_release(a->s);
    sw_release_pieces(&a->pieces);
    free(a);
}

/* Longest queries first, so that those of a pair are about equally long. */
static inline wl_status sw_short_plan(sw_short *a) {
    const sw_set *queries = &a->s->input->queries;
    const size_t most = (queries->count + a->form->queries - 1) / a->form->queries;
    a->launches = (sw_short_launch *)calloc(most + 1, sizeof *a->launches);
    if (a->launches == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu queries", queries->count);
    for (int length = SW_SHORT_MOST; length >= 0; length--)
        for (size_t q = 0; q < queries->count; q++) {
            if (queries->length[q] != (uint32_t)length) continue;
            sw_short_launch *launch = &a->launches[a->count];
            if (launch->queries == 0) {
                launch->index = sw_short_index(queries->length[q]);
                launch->profile = a->profile_words;
                a->profile_words += SW_PROFILE_CODES * SW_SHORT_WORDS(a->form->queries, sw_short_rows[launch->index]);
            }
            launch->query[launch->queries++] = q;
            if (launch->queries == a->form->queries) a->count++;
        }
    if (a->launches[a->count].queries > 0) a->count++; // the last query is alone
    return WL_OK;
}

/* Half `half` of word `word` of a profile: row 2 word + half of the only query, or row `word` of query `half`. */
static inline uint16_t sw_short_score(const sw_short *a, const sw_short_launch *launch, int code, int word, int half,
                                      const sw_numbers *numbers) {
    const sw_input *in = a->s->input;
    const int of_two = a->form->queries > 1, row = of_two ? word : 2 * word + half;
    if (code >= SW_END || (of_two && half >= launch->queries)) return numbers->none;
    const size_t q = launch->query[of_two ? half : 0];
    if ((uint32_t)row >= in->queries.length[q]) return numbers->none;
    return numbers->as_bits(in->scoring.matrix[in->queries.residues[in->queries.start[q] + row]][code]);
}

static inline wl_status sw_short_make_profile(sw_short *a, const sw_numbers *numbers) {
    uint32_t *profile = (uint32_t *)malloc(sizeof *profile * (a->profile_words + 1));
    if (profile == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the profiles of %zu queries", a->count);
    for (size_t k = 0; k < a->count; k++) {
        const sw_short_launch *launch = &a->launches[k];
        const int words = SW_SHORT_WORDS(a->form->queries, sw_short_rows[launch->index]);
        for (int at = 0; at < SW_PROFILE_CODES * words; at++) {
            const uint32_t low = sw_short_score(a, launch, at / words, at % words, 0, numbers),
                           high = sw_short_score(a, launch, at / words, at % words, 1, numbers);
            profile[launch->profile + at] = high << 16 | low;
        }
    }
    const wl_status status = wl_cuda_copy(&a->profile, profile, sizeof *profile * a->profile_words);
    free(profile);
    return status;
}

static inline wl_status sw_short_prepare(const sw_short_form *form, const wl_device *device, const sw_input *in,
                                         const sw_numbers *numbers, void **state) {
    sw_short *a = (sw_short *)calloc(1, sizeof *a);
    if (a == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a state");
    const sw_outline outline = sw_short_outline(form, device, in);
    const size_t bytes = sw_short_bytes(form, in, &outline);
    a->form = form;
    a->multiprocessors = (size_t)device->multiprocessors;
    wl_status status = sw_make_pieces(in, &outline.size, &a->pieces);
    if (status == WL_OK)
        status = sw_upload(device, &a->pieces.input, &in->database, (uint32_t)(SW_WARP * form->subjects),
                           numbers->most(in), &a->s);
    if (status == WL_OK) a->s->room = device->memory_free > bytes ? device->memory_free - bytes : 0;
    if (status == WL_OK) status = sw_short_plan(a);
    if (status == WL_OK) status = sw_short_make_profile(a, numbers);
    if (status == WL_OK) status = wl_cuda_allocate(&a->turn, sizeof *a->turn * (a->count + 1));
    if (status == WL_OK) status = sw_prepare_recompute(device, a->s);
    return wl_prepared(status, a, sw_short_release, state);
}

/* --- Launches ------------------------------------------------------------------------------------------------------ */

/* Launches kernels[index] for each query, or pair of queries; then scores too large, in 32 bits. */
static inline wl_status sw_short_scan(const sw_short *a, const sw_short_kernel *kernels, int gap_open, int gap_extend) {
    sw_state *s = a->s;
    if (s->subjects == 0 || s->queries == 0) return WL_OK;
    WL_CUDA(cudaMemsetAsync(a->turn, 0, sizeof *a->turn * (a->count + 1)));
    WL_TRY(sw_flag_none(s));
    for (size_t k = 0; k < a->count; k++) {
        const sw_short_launch *launch = &a->launches[k];
        const size_t warps = SW_SHORT_THREADS / SW_WARP, wanted = (s->groups + warps - 1) / warps;
        // No more, even of the smallest kernels: with fewer subjects per warp, the longest ones would end last.
        const size_t blocks = SW_SHORT_BLOCKS * a->multiprocessors;
        sw_short_view view = {.residues = s->residues,
                              .group_start = s->group_start,
                              .groups = (unsigned)s->groups,
                              .subjects = (unsigned)s->subjects,
                              .profile = a->profile + launch->profile,
                              .turn = a->turn + k,
                              .gap_open = gap_open,
                              .gap_extend = gap_extend};
        for (int t = 0; t < launch->queries; t++) view.score[t] = s->score + launch->query[t] * s->subjects;
        WL_LAUNCH(kernels[launch->index], (unsigned)(blocks < wanted ? blocks : wanted), SW_SHORT_THREADS, 0, view);
    }
    return sw_banded_finish(&a->pieces, s, a->multiprocessors);
}

#endif
