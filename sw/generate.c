#include "sw/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"

/* Streams of the seed: every sequence draws from its own, so that threads need no order among them. */
enum { QUERY_STREAMS = 0, LENGTH_STREAMS = 1, RESIDUE_STREAMS = 2 };

static wl_random stream_of(const sw_recipe *recipe, int streams, size_t sequence) {
    return wl_random_stream(recipe->seed, ((uint64_t)streams << 40) + sequence);
}

/* --- Residues ---------------------------------------------------------------------------------------------------- */

/* Frequencies of the amino acids, in the order of our codes, in hundred-thousandths: Robinson & Robinson 1991 (PNAS 88:
   8880), the background that BLAST's statistics rest on. They add up to 100,000. */
enum { AMINO_ACIDS = 20, WHOLE = 100000 };
static const int robinson[AMINO_ACIDS] = {7805, 5129, 4487, 5364, 1925, 4264, 6295, 7377, 2199, 5142,
                                          9019, 5744, 2243, 3856, 5203, 7120, 5841, 1330, 3216, 6441};

/* Walker's alias method: column c stands for itself below its threshold and for another letter above. */
typedef struct {
    uint32_t columns;
    uint32_t threshold[AMINO_ACIDS + SW_LETTERS]; // in 2^-32 of a column
    uint8_t other[AMINO_ACIDS + SW_LETTERS];
} alias_table;

static alias_table uniform(uint32_t letters) {
    alias_table table = {.columns = letters};
    for (uint32_t c = 0; c < letters; c++) {
        table.other[c] = (uint8_t)c;
        table.threshold[c] = UINT32_MAX;
    }
    return table;
}

static alias_table amino_acids(void) {
    alias_table table = uniform(AMINO_ACIDS);
    int64_t left[AMINO_ACIDS]; // in units of which a column holds WHOLE
    char full[AMINO_ACIDS] = {0};
    for (int c = 0; c < AMINO_ACIDS; c++) left[c] = (int64_t)robinson[c] * AMINO_ACIDS;
    for (int filled = 0; filled < AMINO_ACIDS; filled++) { // the scarcest column is topped up from the fullest
        int low = -1, high = -1;
        for (int c = 0; c < AMINO_ACIDS; c++) {
            if (full[c]) continue;
            if (low < 0 || left[c] < left[low]) low = c;
            if (high < 0 || left[c] > left[high]) high = c;
        }
        full[low] = 1;
        if (left[low] == WHOLE) continue; // it needs no other; uniform has set it so
        table.threshold[low] = (uint32_t)(((uint64_t)left[low] << 32) / WHOLE);
        table.other[low] = (uint8_t)high;
        left[high] -= WHOLE - left[low];
    }
    return table;
}

static alias_table background(const sw_recipe *recipe) {
    if (recipe->kind == SW_KIND_LETTERS)
        return uniform(recipe->alphabet == SW_PROTEIN ? SW_LETTERS : sizeof SW_NUCLEOTIDE_LETTERS - 1);
    return recipe->alphabet == SW_PROTEIN ? amino_acids() : uniform(4);
}

static uint8_t draw(const alias_table *table, wl_random *random) {
    uint64_t bits = wl_random_next(random);
    uint32_t column = (uint32_t)(((bits >> 32) * table->columns) >> 32);
    return (uint32_t)bits < table->threshold[column] ? (uint8_t)column : table->other[column];
}

static void fill_random(const alias_table *table, wl_random *random, uint32_t length, uint8_t *residues) {
    for (uint32_t k = 0; k < length; k++) residues[k] = draw(table, random);
}

/* --- Relatives --------------------------------------------------------------------------------------------------- */

/* How a copy differs, in thousandths a residue, and the mean length of an insertion or deletion. */
typedef struct {
    uint32_t substitution, gap, gap_mean;
} divergence;

static uint32_t gap_length(const divergence *d, wl_random *random) {
    uint32_t length = 1;
    while (wl_random_below(random, d->gap_mean) > 0) length++;
    return length;
}

/* A walk through the query, from its start or from anywhere, round and round until the subject is full. */
static void fill_related(const divergence *d, const alias_table *table, wl_random *random, const uint8_t *query,
                         uint32_t m, uint32_t length, uint8_t *residues) {
    uint32_t at = wl_random_below(random, 2) ? 0 : wl_random_below(random, m);
    uint32_t inserting = 0;
    for (uint32_t k = 0; k < length; k++) {
        if (inserting == 0 && wl_random_below(random, 1000) < d->gap) {
            uint32_t gap = gap_length(d, random);
            if (wl_random_below(random, 2))
                inserting = gap;
            else
                at = (uint32_t)(((uint64_t)at + gap) % m);
        }
        if (inserting > 0) {
            inserting--;
            residues[k] = draw(table, random);
        } else {
            residues[k] = wl_random_below(random, 1000) < d->substitution ? draw(table, random) : query[at];
            at = at + 1 == m ? 0 : at + 1;
        }
    }
}

/* --- Lengths ----------------------------------------------------------------------------------------------------- */

/* Lognormal by Marsaglia's polar method. Rounding leaves no room for the last bits in which C libraries differ. */
static uint32_t drawn_length(const sw_recipe *recipe, size_t sequence) {
    static const double median = 295, sigma = 0.63; // Swiss-Prot's
    wl_random random = stream_of(recipe, LENGTH_STREAMS, sequence);
    for (;;) {
        double u = 2 * wl_random_unit(&random) - 1, v = 2 * wl_random_unit(&random) - 1, s = u * u + v * v;
        if (s >= 1 || s == 0) continue;
        double length = floor(median * exp(sigma * u * sqrt(-2 * log(s) / s)) + 0.5);
        if (length >= 1 && length <= recipe->longest) return (uint32_t)length;
    }
}

/* Stretch or shrink all alike, then make up for the rounding a letter at a time: the shape stays, the sum is exact. */
static void fit_letters(const sw_recipe *recipe, uint32_t *lengths) {
    uint64_t sum = 0, fitted = 0;
    for (size_t s = 0; s < recipe->subjects; s++) sum += lengths[s];
    double factor = (double)recipe->letters / (double)sum;
    for (size_t s = 0; s < recipe->subjects; s++) {
        double length = floor(factor * lengths[s] + 0.5);
        lengths[s] = length < 1 ? 1 : length > recipe->longest ? recipe->longest : (uint32_t)length;
        fitted += lengths[s];
    }
    for (size_t s = 0; fitted != recipe->letters; s = s + 1 == recipe->subjects ? 0 : s + 1) {
        if (fitted < recipe->letters && lengths[s] < recipe->longest) {
            lengths[s]++;
            fitted++;
        } else if (fitted > recipe->letters && lengths[s] > 1) {
            lengths[s]--;
            fitted--;
        }
    }
}

static int longer_first(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a < b) - (a > b);
}

static void choose_lengths(const sw_recipe *recipe, uint32_t *lengths) {
    uint32_t one = recipe->length > 0                  ? recipe->length
                   : recipe->kind == SW_KIND_IDENTICAL ? drawn_length(recipe, 0)
                                                       : 0;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < recipe->subjects; s++) lengths[s] = one > 0 ? one : drawn_length(recipe, s);
    if (recipe->letters > 0) fit_letters(recipe, lengths);
    if (recipe->outlier > 0 && recipe->subjects > 0) lengths[recipe->subjects / 2] = recipe->outlier;
    qsort(lengths, recipe->subjects, sizeof *lengths, longer_first);
}

/* --- Sequences --------------------------------------------------------------------------------------------------- */

static uint8_t unknown_letter(const sw_recipe *recipe) {
    return (uint8_t)sw_code(recipe->alphabet, recipe->alphabet == SW_PROTEIN ? 'X' : 'N');
}

/* Tryptophan scores highest with itself in every matrix we know. */
static uint8_t repeated_letter(const sw_recipe *recipe, size_t sequence) {
    size_t letters = recipe->alphabet == SW_PROTEIN ? SW_LETTERS : sizeof SW_NUCLEOTIDE_LETTERS - 1;
    if (sequence % 2 == 0) return (uint8_t)sw_code(recipe->alphabet, recipe->alphabet == SW_PROTEIN ? 'W' : 'A');
    return (uint8_t)(sequence / 2 % letters);
}

wl_status sw_generate_queries(const sw_recipe *recipe, size_t count, const uint32_t *lengths, sw_owned_set *queries) {
    WL_TRY(sw_set_allocate(count, lengths, queries));
    const alias_table table = background(recipe);
    for (size_t q = 0; q < count; q++) {
        uint8_t *residues = (uint8_t *)queries->set.residues + queries->set.start[q];
        wl_random random = stream_of(recipe, QUERY_STREAMS, q);
        if (recipe->kind == SW_KIND_REPEAT)
            memset(residues, repeated_letter(recipe, 0), lengths[q]);
        else if (recipe->kind == SW_KIND_UNKNOWN)
            memset(residues, unknown_letter(recipe), lengths[q]);
        else
            fill_random(&table, &random, lengths[q], residues);
    }
    return WL_OK;
}

static void fill_subject(const sw_recipe *recipe, const alias_table *table, const sw_set *queries, size_t sequence,
                         uint32_t length, uint8_t *residues) {
    static const divergence related = {300, 20, 3}, gappy = {50, 40, 25};
    wl_random random = stream_of(recipe, RESIDUE_STREAMS, recipe->kind == SW_KIND_IDENTICAL ? 0 : sequence);
    size_t q = queries->count > 0 ? sequence % queries->count : 0;
    switch (recipe->kind) {
        case SW_KIND_RELATED:
        case SW_KIND_GAPS:
            fill_related(recipe->kind == SW_KIND_GAPS ? &gappy : &related, table, &random,
                         queries->residues + queries->start[q], queries->length[q], length, residues);
            break;
        case SW_KIND_REPEAT:
            memset(residues, repeated_letter(recipe, sequence), length);
            break;
        case SW_KIND_UNKNOWN:
            memset(residues, unknown_letter(recipe), length);
            break;
        default:
            fill_random(table, &random, length, residues);
    }
}

wl_status sw_generate_database(const sw_recipe *recipe, const sw_set *queries, sw_owned_set *database) {
    uint64_t most = (uint64_t)recipe->subjects * recipe->longest;
    if (recipe->letters > 0 && (recipe->letters < recipe->subjects || recipe->letters > most))
        return wl_fail(WL_BAD_USAGE, "found %llu letters for %zu sequences of 1 to %u; expected %zu to %llu",
                       (unsigned long long)recipe->letters, recipe->subjects, recipe->longest, recipe->subjects,
                       (unsigned long long)most);
    uint32_t *lengths = malloc(sizeof *lengths * (recipe->subjects + 1));
    if (!lengths) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu subjects", recipe->subjects);
    choose_lengths(recipe, lengths);
    wl_status status = sw_set_allocate(recipe->subjects, lengths, database);
    free(lengths);
    if (status != WL_OK) return status;
    const alias_table table = background(recipe);
    const sw_set *set = &database->set;
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t s = 0; s < set->count; s++)
        fill_subject(recipe, &table, queries, s, set->length[s], (uint8_t *)set->residues + set->start[s]);
    return WL_OK;
}
