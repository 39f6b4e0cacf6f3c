#include "tools/align_reads/strand.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* The score of unrelated reads is estimated from so many reads, of large sets one in sixty-four: less than 2 % of the time. */
enum { SAMPLE_LEAST = 4, SAMPLE_MOST = 32, SAMPLE_OF = 64 };

/* --- Turning ----------------------------------------------------------------------------------------------------- */

/* A code of DNA is a set of the bits A, C, G and T. The complement has these bits in reverse order. */
static uint8_t complement_code(uint8_t code) {
    return (uint8_t)((code & 1) << 3 | (code & 2) << 1 | (code & 4) >> 1 | (code & 8) >> 3);
}

static char complement_letter(char letter) {
    static const char letters[] = "ACGTURYSWKMBDHVNacgturyswkmbdhvn",
                      complements[] = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";
    const char *found = strchr(letters, letter);
    return found ? complements[found - letters] : letter;
}

static void turn_codes(papara_alphabet alphabet, const uint8_t *from, uint32_t length, uint8_t *to) {
    for (uint32_t j = 0; j < length; j++) {
        const uint8_t code = from[length - 1 - j];
        to[j] = alphabet == PAPARA_DNA ? complement_code(code) : code;
    }
}

void papara_turn(papara_data *data, size_t r) {
    const int dna = data->alphabet == PAPARA_DNA;
    char *letters = data->sequences.items[r].letters;
    uint8_t *codes = data->codes + data->start[r];
    for (uint32_t i = 0, k = data->length[r]; i < k--; i++) {
        const char letter = letters[i];
        const uint8_t code = codes[i];
        letters[i] = dna ? complement_letter(letters[k]) : letters[k];
        letters[k] = dna ? complement_letter(letter) : letter;
        codes[i] = dna ? complement_code(codes[k]) : codes[k];
        codes[k] = dna ? complement_code(code) : code;
    }
}

/* --- Scoring ----------------------------------------------------------------------------------------------------- */

/* Adds up the summaries of two runs on the same devices. */
static void add_summary(papara_score_summary *sum, const papara_score_summary *more) {
    sum->cells += more->cells;
    sum->computed_cells += more->computed_cells;
    sum->seconds += more->seconds;
    sum->cpu_seconds += more->cpu_seconds;
    for (size_t w = 0; w < more->workers; w++) {
        size_t at = 0;
        while (at < sum->workers && strcmp(sum->worker[at].name, more->worker[w].name) != 0) at++;
        if (at == PAPARA_WORKERS_MOST) continue;
        if (at == sum->workers) sum->worker[sum->workers++] = (papara_worker_summary){.cells = 0};
        memcpy(sum->worker[at].name, more->worker[w].name, sizeof sum->worker[at].name);
        sum->worker[at].cells += more->worker[w].cells;
        sum->worker[at].seconds += more->worker[w].seconds;
    }
}

/* A read as it is in the data, or turned. */
typedef struct {
    size_t read;
    int turned;
} item;

/* All reads to place, as they are in the data, none turned. */
static int are_plain(const papara_align_request *request, const item *items, size_t count) {
    size_t first, end;
    papara_align_range(request, &first, &end);
    for (size_t i = 0; i < count; i++)
        if (items[i].turned || items[i].read != first + i) return 0;
    return count == end - first;
}

/* Scores items [count] together, to best [count]. */
static wl_status score_items(const papara_align_request *request, const papara_score_request *scoring,
                             const item *items, size_t count, papara_best *best, papara_score_summary *summary) {
    const papara_data *data = request->data;
    papara_score_summary found = {0};
    papara_score_request request_all = *scoring;
    if (count == 0) return WL_OK;
    if (are_plain(request, items, count)) {
        request_all.reads = papara_align_reads(request);
        WL_TRY(papara_score(&request_all, best, &found));
        add_summary(summary, &found);
        return WL_OK;
    }
    uint32_t *length;
    uint64_t *start, letters = 0;
    uint8_t *codes;
    for (size_t i = 0; i < count; i++) letters += data->length[items[i].read];
    if (!WL_ALLOCATE(WL_ARRAY(length, count), WL_ARRAY(start, count), WL_ARRAY(codes, letters)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", count);
    request_all.reads =
        (papara_reads){.count = count, .length = length, .start = start, .codes = codes, .letters = letters};
    letters = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = data->codes + data->start[items[i].read];
        length[i] = data->length[items[i].read];
        start[i] = letters;
        if (items[i].turned)
            turn_codes(data->alphabet, from, length[i], codes + letters);
        else
            memcpy(codes + letters, from, length[i]);
        letters += length[i];
        if (length[i] > request_all.reads.longest) request_all.reads.longest = length[i];
    }
    const wl_status status = papara_score(&request_all, best, &found);
    if (status == WL_OK) add_summary(summary, &found);
    WL_FREE(length, start, codes);
    return status;
}

/* Scores all reads to place and the reads also [count] as they are, to aligned->best, and the latter also turned, to other [count]. All
   together. */
static wl_status score_reads(const papara_align_request *request, const papara_score_request *scoring,
                             const size_t *also, size_t count, papara_best *other, papara_aligned *aligned) {
    size_t first, end, items = 0;
    papara_align_range(request, &first, &end);
    item *wanted;
    papara_best *best;
    if (!WL_ALLOCATE(WL_ARRAY(wanted, end - first + 2 * count), WL_ARRAY(best, end - first + 2 * count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", end - first);
    for (size_t r = first; r < end; r++) wanted[items++] = (item){r, 0};
    for (size_t i = 0; i < count; i++)
        if (also[i] < first || also[i] >= end) wanted[items++] = (item){also[i], 0};
    const size_t plain = items;
    for (size_t i = 0; i < count; i++) wanted[items++] = (item){also[i], 1};
    const wl_status status = score_items(request, scoring, wanted, items, best, &aligned->scoring);
    for (size_t i = 0; status == WL_OK && i < plain; i++) aligned->best[wanted[i].read] = best[i];
    if (status == WL_OK) memcpy(other, best + plain, count * sizeof *other);
    WL_FREE(wanted, best);
    return status;
}

/* --- What chance gives ------------------------------------------------------------------------------------------- */

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* At most one of a read and its reverse is related to the tree, so the worse score is an unrelated one. Takes the median of these
   scores per letter. */
static wl_status find_chance(const papara_data *data, const size_t *also, size_t count, const papara_best *other,
                             papara_aligned *aligned) {
    double *worse = malloc(count * sizeof *worse);
    if (worse == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", count);
    for (size_t i = 0; i < count; i++) {
        const int own = aligned->best[also[i]].score, turned = other[i].score;
        worse[i] = (double)(own > turned ? own : turned) / data->length[also[i]];
        aligned->fit_turned += turned < own;
    }
    aligned->tried = count;
    qsort(worse, count, sizeof *worse, by_value);
    aligned->chance = worse[count / 2];
    free(worse);
    return WL_OK;
}

static void take_better(papara_data *data, const size_t *also, size_t count, const papara_best *other,
                        papara_aligned *aligned) {
    for (size_t i = 0; i < count; i++) {
        const size_t r = also[i];
        if (other[i].score >= aligned->best[r].score) continue;
        aligned->best[r] = other[i];
        aligned->turned[r] = 1;
        papara_turn(data, r);
    }
}

/* Tries the other strand for reads that fit no better than unrelated ones. also [reads], other [reads]: memory. */
static wl_status try_others(const papara_align_request *request, const papara_score_request *scoring, size_t *also,
                            papara_best *other, papara_aligned *aligned) {
    size_t first, end, count = 0;
    papara_align_range(request, &first, &end);
    for (size_t r = first; r < end; r++)
        if (papara_out_of_line(request->data, aligned, r)) also[count++] = r;
    item *items = malloc((count + 1) * sizeof *items);
    if (items == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", count);
    for (size_t i = 0; i < count; i++) items[i] = (item){also[i], 1};
    const wl_status status = score_items(request, scoring, items, count, other, &aligned->scoring);
    free(items);
    if (status == WL_OK) take_better(request->data, also, count, other, aligned);
    return status;
}

wl_status papara_score_strands(const papara_align_request *request, const papara_score_request *scoring,
                               papara_aligned *aligned) {
    papara_data *data = request->data;
    const size_t reads = data->reads.count;
    const int is_auto = request->strand == PAPARA_AUTO && reads > SAMPLE_MOST;
    const int both = request->strand == PAPARA_BOTH || (request->strand == PAPARA_AUTO && !is_auto);
    size_t sample = reads / SAMPLE_OF, *also, first, end;
    papara_best *other;
    papara_align_range(request, &first, &end);
    if (sample < SAMPLE_LEAST) sample = SAMPLE_LEAST;
    if (sample > SAMPLE_MOST) sample = SAMPLE_MOST;
    if (sample > reads || !(request->judge || is_auto)) sample = 0; // a sample of too few reads means nothing
    if (both) sample = end - first;
    if (!WL_ALLOCATE(WL_ARRAY(also, reads), WL_ARRAY(other, reads)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", reads);
    for (size_t i = 0; i < sample; i++)
        also[i] = both ? first + i : (size_t)((double)i * (double)reads / (double)sample);
    for (size_t r = 0; r < reads && request->strand == PAPARA_MINUS; r++) {
        aligned->turned[r] = 1;
        papara_turn(data, r);
    }
    wl_status status = score_reads(request, scoring, also, sample, other, aligned);
    if (status == WL_OK && sample > 0) status = find_chance(data, also, sample, other, aligned);
    if (status == WL_OK && both) take_better(data, also, sample, other, aligned);
    if (status == WL_OK && request->strand == PAPARA_AUTO) status = try_others(request, scoring, also, other, aligned);
    WL_FREE(also, other);
    return status;
}
