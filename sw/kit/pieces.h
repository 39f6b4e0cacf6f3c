/* Long subjects are cut into pieces that overlap, so that a subject of 35,000 residues, or a chromosome, keeps more than one group
   of lanes busy.

     subject  ==============================================
     pieces   --------------------
                            --------------------              each begins `step` letters after the one before it, and goes on
                                          -----------------   `overlap` letters into the next

   The score stays exact, because an alignment with a positive score covers at most `overlap` letters of the subject. Each of the
   query's m residues is aligned with at most one letter and adds at most the best score of its row. Every other letter costs
   at least gap_extend, since gap_open, the cost of a gap's first letter, is never less. So the best alignment lies within one
   piece, and the best score of the pieces is the subject's. */
#ifndef SW_KIT_PIECES_H
#define SW_KIT_PIECES_H

#include "sw/kit/device.h"

typedef struct {
    uint32_t step, overlap; // step 0: nothing is cut
} sw_piece_size;

/* A stage's input, cut. A kernel takes the pieces for subjects. */
typedef struct {
    sw_input input; // its database is the pieces, longest first; if nothing is cut, the stage's own database
    size_t subjects;
    void *memory;         // host, for the database's arrays
    uint32_t *subject_of; // device, [pieces]; NULL if nothing is cut
    int *score;           // device, [queries][subjects]; likewise
} sw_pieces;

/* The most letters of a subject that an alignment with a positive score can cover; UINT32_MAX: any number. */
static inline uint32_t sw_longest_span(const sw_input *in) {
    const sw_scoring *scoring = &in->scoring;
    uint64_t longest = 0;
    int best[SW_CODES];
    if (scoring->gap_extend < 1) return UINT32_MAX;
    for (int a = 0; a < SW_CODES; a++) {
        best[a] = 0;
        for (int b = 0; b < SW_LETTERS; b++)
            if (scoring->matrix[a][b] > best[a]) best[a] = scoring->matrix[a][b];
    }
    for (size_t q = 0; q < in->queries.count; q++) {
        const uint8_t *query = in->queries.residues + in->queries.start[q];
        int64_t most = scoring->gap_extend - scoring->gap_open; // what a first gap costs besides its letters
        for (uint32_t i = 0; i < in->queries.length[q]; i++) most += best[query[i]];
        const uint64_t span = in->queries.length[q] + (most > 0 ? (uint64_t)most / (uint64_t)scoring->gap_extend : 0);
        if (span > longest) longest = span;
    }
    return longest < UINT32_MAX ? (uint32_t)longest : UINT32_MAX;
}

/* How to cut if a device computes `at_a_time` subjects at a time. A piece is at most half of each one's share of the letters, but
   at least four times the overlap. */
static inline sw_piece_size sw_choose_pieces(const sw_input *in, size_t at_a_time) {
    enum { OVERLAPS = 4, WORD = 4 };
    const uint64_t least = 256;
    const uint64_t fair = in->database.letters / (2 * at_a_time);
    const sw_piece_size none = {0, 0};
    uint64_t step = fair > least ? fair : least;
    if (in->database.longest <= step + step / 2) return none;
    const uint64_t overlap = sw_longest_span(in);
    if (step < OVERLAPS * overlap) step = OVERLAPS * overlap;
    if (in->database.longest <= step + step / 2 + overlap) return none;
    return (sw_piece_size){(uint32_t)((step + WORD - 1) / WORD * WORD), (uint32_t)overlap};
}

/* The step, a multiple of four letters, with which the pieces of a subject are equally long; `length` if it stays whole. */
static inline uint32_t sw_piece_step(const sw_piece_size *size, uint32_t length) {
    if (size->step == 0 || length <= size->step + size->step / 2 + size->overlap) return length;
    const uint32_t letters = length - size->overlap, pieces = (letters + size->step - 1) / size->step;
    return ((letters + pieces - 1) / pieces + 3) / 4 * 4;
}

static inline size_t sw_piece_count(const sw_piece_size *size, uint32_t length) {
    const uint32_t step = sw_piece_step(size, length);
    return step == length ? 1 : (length - size->overlap + step - 1) / step;
}

/* Count, letters and longest of the pieces, without making them, as a set without residues; *words: of all pieces, four letters
   each. That suffices to compute a stage's memory. */
static inline sw_set sw_measure_pieces(const sw_piece_size *size, const sw_set *database, uint64_t *words) {
    sw_set all = {};
    *words = 0;
    if (size->step == 0) { // nothing is cut
        for (size_t s = 0; s < database->count; s++) *words += ((uint64_t)database->length[s] + 3) / 4;
        all.count = database->count;
        all.letters = database->letters;
        all.longest = database->longest;
        return all;
    }
    for (size_t s = 0; s < database->count; s++) {
        const uint32_t length = database->length[s], step = sw_piece_step(size, length);
        const size_t pieces = sw_piece_count(size, length);
        const uint32_t each = pieces > 1 ? step + size->overlap : length;
        all.count += pieces;
        all.letters += (uint64_t)pieces * each;
        *words += (uint64_t)pieces * (((uint64_t)each + 3) / 4);
        if (each > all.longest) all.longest = each;
    }
    return all;
}

typedef struct {
    uint64_t start;
    uint32_t length, subject;
} sw_piece;

static inline int sw_longer_piece(const void *left, const void *right) {
    const sw_piece *a = (const sw_piece *)left, *b = (const sw_piece *)right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->start > b->start) - (a->start < b->start);
}

/* The pieces of the first `cut` subjects, longest first. Returns how many there are. */
static inline size_t sw_cut_subjects(const sw_piece_size *size, const sw_set *database, size_t cut, sw_piece *pieces) {
    size_t count = 0;
    for (size_t s = 0; s < cut; s++) {
        const uint32_t length = database->length[s], step = sw_piece_step(size, length);
        for (size_t k = 0; k < sw_piece_count(size, length); k++) {
            const uint32_t left = length - (uint32_t)k * step, most = step + size->overlap;
            pieces[count++] =
                (sw_piece){database->start[s] + (uint64_t)k * step, left < most ? left : most, (uint32_t)s};
        }
    }
    qsort(pieces, count, sizeof *pieces, sw_longer_piece);
    return count;
}

/* Writes pieces and whole subjects, longest first, to the arrays of a set. */
static inline void sw_merge_pieces(const sw_set *database, size_t cut, const sw_piece *pieces, size_t count,
                                   uint64_t *start, uint32_t *length, uint32_t *subject_of) {
    size_t at = 0, p = 0, s = cut;
    while (p < count || s < database->count) {
        const int whole = p == count || (s < database->count && database->length[s] >= pieces[p].length);
        start[at] = whole ? database->start[s] : pieces[p].start;
        length[at] = whole ? database->length[s] : pieces[p].length;
        subject_of[at++] = whole ? (uint32_t)s : pieces[p].subject;
        if (whole)
            s++;
        else
            p++;
    }
}

static inline wl_status sw_make_pieces(const sw_input *in, const sw_piece_size *size, sw_pieces *result) {
    const sw_set *database = &in->database;
    *result = (sw_pieces){.input = *in, .subjects = database->count};
    if (size->step == 0) return WL_OK;
    uint64_t words;
    size_t cut = 0, cut_pieces = 0;
    sw_set *set = &result->input.database;
    for (; cut < database->count && sw_piece_count(size, database->length[cut]) > 1; cut++)
        cut_pieces += sw_piece_count(size, database->length[cut]);
    *set = sw_measure_pieces(size, database, &words);
    set->residues = database->residues;
    const size_t each = sizeof(uint64_t) + 2 * sizeof(uint32_t);
    result->memory = malloc(set->count * each);
    sw_piece *pieces = (sw_piece *)malloc(cut_pieces * sizeof *pieces);
    wl_status status = WL_OK;
    if (result->memory == NULL || pieces == NULL) {
        status = wl_fail(WL_NO_MACHINE, "not enough memory for %zu pieces of sequences", set->count);
    } else {
        uint64_t *start = (uint64_t *)result->memory;
        uint32_t *length = (uint32_t *)(start + set->count), *subject_of = length + set->count;
        const size_t count = sw_cut_subjects(size, database, cut, pieces);
        sw_merge_pieces(database, cut, pieces, count, start, length, subject_of);
        set->start = start;
        set->length = length;
        status = wl_cuda_copy(&result->subject_of, subject_of, sizeof *subject_of * set->count);
        if (status == WL_OK)
            status = wl_cuda_output(&result->score, sizeof(int) * in->queries.count * result->subjects);
    }
    free(pieces);
    return status;
}

static inline void sw_release_pieces(sw_pieces *pieces) {
    wl_cuda_free_all(pieces->subject_of, pieces->score);
    free(pieces->memory);
}

/* --- Scores ------------------------------------------------------------------------------------------------------ */

static __global__ void sw_best_of_pieces(const int *of_pieces,       // [queries][pieces]
                                         const uint32_t *subject_of, // [pieces]
                                         size_t pieces, size_t subjects, size_t queries,
                                         int *score) { // [queries][subjects], 0
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < pieces * queries;
         k += (size_t)gridDim.x * blockDim.x)
        if (of_pieces[k] > 0) atomicMax(&score[k / pieces * subjects + subject_of[k % pieces]], of_pieces[k]);
}

/* At a launch's end: makes the subjects' scores of those of the pieces. */
static inline wl_status sw_join_pieces(const sw_pieces *pieces, const sw_state *s, size_t multiprocessors) {
    if (pieces->score == NULL) return WL_OK;
    WL_CUDA(cudaMemsetAsync(pieces->score, 0, sizeof(int) * s->queries * pieces->subjects));
    WL_LAUNCH(sw_best_of_pieces, (unsigned)(8 * multiprocessors), 256, 0, s->score, pieces->subject_of, s->subjects,
              pieces->subjects, s->queries, pieces->score);
    return WL_OK;
}

static inline wl_status sw_collect_pieces(const sw_pieces *pieces, sw_state *s, void *output, int poison) {
    if (pieces->score == NULL) return sw_collect(s, output, poison);
    return wl_cuda_take(output, pieces->score, sizeof(int) * s->queries * pieces->subjects, poison);
}

#endif
