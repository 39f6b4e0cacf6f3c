#include "sw/plan/pieces.h"

#include <stdlib.h>

#include "sw/plan/cut.h"

/* The most letters of a subject that an alignment with a positive score can cover; UINT32_MAX: any number. */
static uint32_t longest_span(const sw_input *in) {
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

sw_piece_size sw_choose_pieces(const sw_input *in, size_t at_a_time) {
    enum { OVERLAPS = 4, WORD = 4 };
    const uint64_t least = 256;
    const uint64_t fair = in->database.letters / (2 * at_a_time);
    const sw_piece_size none = {0, 0};
    uint64_t step = fair > least ? fair : least;
    if (in->database.longest <= step + step / 2) return none;
    const uint64_t overlap = longest_span(in);
    if (step < OVERLAPS * overlap) step = OVERLAPS * overlap;
    if (in->database.longest <= step + step / 2 + overlap) return none;
    return (sw_piece_size){(uint32_t)((step + WORD - 1) / WORD * WORD), (uint32_t)overlap};
}

/* The step, a multiple of four letters, with which the pieces of a subject are equally long; `length` if it stays whole. */
static uint32_t piece_step(const sw_piece_size *size, uint32_t length) {
    if (size->step == 0 || length <= size->step + size->step / 2 + size->overlap) return length;
    const uint32_t letters = length - size->overlap, pieces = (letters + size->step - 1) / size->step;
    return ((letters + pieces - 1) / pieces + 3) / 4 * 4;
}

static size_t piece_count(const sw_piece_size *size, uint32_t length) {
    const uint32_t step = piece_step(size, length);
    return step == length ? 1 : (length - size->overlap + step - 1) / step;
}

sw_set sw_measure_pieces(const sw_piece_size *size, const sw_set *database, uint64_t *words) {
    sw_set all = {0};
    *words = 0;
    if (size->step == 0) { // nothing is cut
        for (size_t s = 0; s < database->count; s++) *words += ((uint64_t)database->length[s] + 3) / 4;
        all.count = database->count;
        all.letters = database->letters;
        all.longest = database->longest;
        return all;
    }
    for (size_t s = 0; s < database->count; s++) {
        const uint32_t length = database->length[s], step = piece_step(size, length);
        const size_t pieces = piece_count(size, length);
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
} one_piece;

static int longer_piece(const void *left, const void *right) {
    const one_piece *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->start > b->start) - (a->start < b->start);
}

/* The pieces of the first `cut` subjects, longest first. Returns how many there are. */
static size_t cut_subjects(const sw_piece_size *size, const sw_set *database, size_t cut, one_piece *pieces) {
    size_t count = 0;
    for (size_t s = 0; s < cut; s++) {
        const uint32_t length = database->length[s], step = piece_step(size, length);
        for (size_t k = 0; k < piece_count(size, length); k++) {
            const uint32_t left = length - (uint32_t)k * step, most = step + size->overlap;
            pieces[count++] =
                (one_piece){database->start[s] + (uint64_t)k * step, left < most ? left : most, (uint32_t)s};
        }
    }
    qsort(pieces, count, sizeof *pieces, longer_piece);
    return count;
}

/* Writes pieces and whole subjects, longest first, to the arrays of a set. */
static void merge_pieces(const sw_set *database, size_t cut, const one_piece *pieces, size_t count, uint64_t *start,
                         uint32_t *length, uint32_t *subject_of) {
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

wl_status sw_make_pieces(const sw_input *in, const sw_piece_size *size, sw_pieces *result) {
    const sw_set *database = &in->database;
    *result = (sw_pieces){.input = *in, .subjects = database->count};
    if (size->step == 0) return WL_OK;
    uint64_t words;
    size_t cut = 0, cut_pieces = 0;
    sw_set *set = &result->input.database;
    for (; cut < database->count && piece_count(size, database->length[cut]) > 1; cut++)
        cut_pieces += piece_count(size, database->length[cut]);
    *set = sw_measure_pieces(size, database, &words);
    set->residues = database->residues;
    const size_t each = sizeof(uint64_t) + 2 * sizeof(uint32_t);
    result->memory = malloc(set->count * each);
    one_piece *pieces = malloc(cut_pieces * sizeof *pieces);
    wl_status status = WL_OK;
    if (result->memory == NULL || pieces == NULL) {
        status = wl_fail(WL_NO_MACHINE, "not enough memory for %zu pieces of sequences", set->count);
    } else {
        uint64_t *start = result->memory;
        uint32_t *length = (uint32_t *)(start + set->count), *subject_of = length + set->count;
        const size_t count = cut_subjects(size, database, cut, pieces);
        merge_pieces(database, cut, pieces, count, start, length, subject_of);
        set->start = start;
        set->length = length;
        result->subject_of = subject_of;
    }
    free(pieces);
    return status;
}

void sw_free_pieces(sw_pieces *pieces) { free(pieces->memory); }

void sw_free_plan(sw_scan_plan *plan) {
    free(plan->launches);
    free(plan->profile);
}
