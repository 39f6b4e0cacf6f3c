#include "tools/likelihood/data/columns.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/bytes.h"
#include "tools/likelihood/data/patterns.h"

enum { NAME_SHOWN = 80, NUCLEOTIDE_SETS = 16, CODONS_OF_SETS = NUCLEOTIDE_SETS * NUCLEOTIDE_SETS * NUCLEOTIDE_SETS };

/* What is known while letters become codes. */
typedef struct {
    const char *path;
    const wl_alignment *alignment;
    peeling_columns *made;
    int threads;
    uint16_t *code;                    // [tips][columns]
    uint64_t *set;                     // [UINT16_MAX + 1]
    uint64_t full;                     // all states
    uint32_t states, width;            // width: letters of a column
    uint8_t nucleotides[256];          // sets as four bits; 0: no letter
    int32_t of_letter[256];            // code; -1: not asked for yet
    int32_t of_codon[CODONS_OF_SETS];  // [first][second][third]; -1: not asked for yet; -2: only stop codons
    uint64_t seen[3][NUCLEOTIDE_SETS]; // how often
    uint64_t *code_seen;               // [UINT16_MAX + 1]
} encoder;

/* --- Letters ----------------------------------------------------------------------------------------------------- */

/* Codes of sets are in the order in which they are met; letters with the same meaning have the same. */
static int32_t code_of_set(encoder *e, uint64_t set) {
    uint32_t codes = e->made->data.codes, c = (set & (set - 1)) == 0 ? 0 : e->states;
    while (c < codes && e->set[c] != set) c++;
    if (c == codes) e->set[e->made->data.codes++] = set; // at most one for each of CODONS_OF_SETS, and the states
    return (int32_t)c;
}

static wl_status refuse_letter(const encoder *e, const wl_alignment_row *row, size_t place) {
    static const char *const expected[] = {[PEELING_NUCLEOTIDES] = "a nucleotide (IUPAC)",
                                           [PEELING_AMINO_ACIDS] = "an amino acid (IUPAC)",
                                           [PEELING_CODONS] = "a nucleotide (IUPAC)"};
    char text[16];
    return wl_fail(WL_BAD_INPUT, "%s:%zu: row '%.*s': found %s as letter %zu; expected %s, '-', '.' or '?'",
                   wl_path_shown(e->path), row->line, NAME_SHOWN, row->name,
                   wl_bytes_show((unsigned char)row->letters[place], text), place + 1, expected[e->made->alphabet]);
}

/* '.' is missing data to some programs, and to others the first row's letter once more; the first row has none then. */
static wl_status check_points(const encoder *e) {
    const wl_alignment_row *first = &e->alignment->rows[0];
    if (strchr(first->letters, '.')) return WL_OK;
    for (size_t r = 1; r < e->alignment->count; r++) {
        const wl_alignment_row *row = &e->alignment->rows[r];
        for (const char *at = row->letters; (at = strchr(at, '.')) != NULL; at++)
            if (!strchr("-?", first->letters[at - row->letters]))
                return wl_fail(
                    WL_BAD_INPUT,
                    "%s:%zu: row '%.*s': found '.' as letter %zu, where the first row has '%c': missing, or the same? "
                    "expected '?' or a letter",
                    wl_path_shown(e->path), row->line, NAME_SHOWN, row->name, (size_t)(at - row->letters) + 1,
                    first->letters[at - row->letters]);
    }
    return WL_OK;
}

/* counts [256]: how often the row has each letter. Four tables, because equal letters that follow each other would wait for each other. */
static void count_letters(const char *letters, uint32_t columns, uint32_t *counts) {
    uint32_t part[4][256] = {{0}}, c = 0;
    for (; c + 4 <= columns; c += 4)
        for (uint32_t k = 0; k < 4; k++) part[k][(unsigned char)letters[c + k]]++;
    for (; c < columns; c++) part[0][(unsigned char)letters[c]]++;
    for (int letter = 0; letter < 256; letter++)
        counts[letter] = part[0][letter] + part[1][letter] + part[2][letter] + part[3][letter];
}

/* Gives the row's letters codes, in the order in which they are met, and counts them. */
static wl_status meet_letters(encoder *e, const wl_alignment_row *row, const uint32_t *counts, uint32_t *missing) {
    int unknown = 0;
    for (int letter = 0; letter < 256; letter++) unknown += counts[letter] > 0 && e->of_letter[letter] < 0;
    for (uint32_t c = 0; unknown > 0; c++) {
        int32_t *code = &e->of_letter[(unsigned char)row->letters[c]];
        if (*code >= 0) continue;
        const uint64_t set = peeling_character(e->made->alphabet, e->made->genetic_code, &row->letters[c]);
        if (set == 0) return refuse_letter(e, row, c);
        *code = code_of_set(e, set);
        unknown--;
    }
    for (int letter = 0; letter < 256; letter++) {
        if (counts[letter] == 0) continue;
        const int32_t code = e->of_letter[letter];
        e->code_seen[code] += counts[letter];
        if (e->set[code] == e->full) *missing += counts[letter];
        if (e->made->alphabet == PEELING_NUCLEOTIDES) e->seen[0][e->nucleotides[letter]] += counts[letter];
    }
    return WL_OK;
}

enum { ROWS_LEAST = 64, ROWS_MOST = 8192 }; // that are counted together

/* counts [end - first][256]. Threads count letters and write codes, each of its rows. */
static wl_status encode_letters(encoder *e, uint32_t first, uint32_t end, uint32_t (*counts)[256], uint32_t *missing) {
    const uint32_t columns = e->made->columns;
    const int threads = (uint64_t)(end - first) * columns < PEELING_LETTERS_SHARED ? 1 : e->threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t r = first; r < end; r++) count_letters(e->alignment->rows[r].letters, columns, counts[r - first]);
    for (uint32_t r = first; r < end; r++)
        WL_TRY(meet_letters(e, &e->alignment->rows[r], counts[r - first], &missing[r - first]));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t r = first; r < end; r++) {
        const unsigned char *letters = (const unsigned char *)e->alignment->rows[r].letters;
        uint16_t *code = e->code + (size_t)r * columns;
        for (uint32_t c = 0; c < columns; c++) code[c] = (uint16_t)e->of_letter[letters[c]];
    }
    return WL_OK;
}

/* The sets of a codon's letters as an index, or -1 and which of them is none. */
static int32_t codon_of(const encoder *e, const char *letters, uint32_t *wrong) {
    int32_t index = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint8_t set = e->nucleotides[(unsigned char)letters[k]];
        if (set == 0) {
            *wrong = k;
            return -1;
        }
        index = index * NUCLEOTIDE_SETS + set;
    }
    return index;
}

static wl_status refuse_stop(const encoder *e, const wl_alignment_row *row, uint32_t codon) {
    const int number = peeling_code_number(e->made->genetic_code);
    char which[16] = "";
    if (number > 2) snprintf(which, sizeof which, " %d", number);
    return wl_fail(WL_BAD_INPUT,
                   "%s:%zu: row '%.*s': found the stop codon %.3s as codon %u, nucleotides %u to %u; expected sense "
                   "codons of %s code%s, or '---' there",
                   wl_path_shown(e->path), row->line, NAME_SHOWN, row->name, row->letters + 3 * codon, codon + 1,
                   3 * codon + 1, 3 * codon + 3,
                   number > 2    ? "NCBI's"
                   : number == 1 ? "the standard"
                                 : "the vertebrate mitochondrial",
                   which);
}

static wl_status encode_codons(encoder *e, const wl_alignment_row *row, uint16_t *code, uint32_t *missing) {
    enum { STOP = -2 };
    for (uint32_t c = 0; c < e->made->columns; c++) {
        const char *letters = row->letters + 3 * (size_t)c;
        uint32_t wrong;
        const int32_t index = codon_of(e, letters, &wrong);
        if (index < 0) return refuse_letter(e, row, 3 * (size_t)c + wrong);
        int32_t found = e->of_codon[index];
        if (found == -1) {
            const uint64_t set = peeling_character(PEELING_CODONS, e->made->genetic_code, letters);
            found = e->of_codon[index] = set == 0 ? STOP : code_of_set(e, set);
        }
        if (found == STOP) return refuse_stop(e, row, c);
        code[c] = (uint16_t)found;
        e->code_seen[found]++;
        *missing += e->set[found] == e->full;
        for (uint32_t k = 0; k < 3; k++) e->seen[k][e->nucleotides[(unsigned char)letters[k]]]++;
    }
    return WL_OK;
}

/* Whole genes end with a stop codon, of which no codon model has a state. Where the last codon of every row is one, or
   missing, it is left out. */
static int ends_with_stop(const encoder *e) {
    const size_t last = e->alignment->columns - 3;
    uint32_t stops = 0, wrong;
    for (size_t r = 0; r < e->alignment->count; r++) {
        const char *letters = e->alignment->rows[r].letters + last;
        if (codon_of(e, letters, &wrong) < 0) return 0; // which is refused later
        const uint64_t set = peeling_character(PEELING_CODONS, e->made->genetic_code, letters);
        stops += set == 0;
        if (set != 0 && set != e->full) return 0;
    }
    return stops > 0;
}

/* Most nucleotides' codes are amino acids', too: what is read as the wrong ones gives a number. */
static wl_status check_letters(const encoder *e) {
    const wl_alignment_letters said = e->alignment->letters;
    const int acids = e->made->alphabet == PEELING_AMINO_ACIDS;
    if (said == WL_LETTERS_UNSAID || (said == WL_LETTERS_AMINO_ACIDS) == acids) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: found the data type of %s; expected %s, which the model is of",
                   wl_path_shown(e->path), acids ? "nucleotides" : "proteins",
                   acids ? "PROTEIN" : "DNA, RNA or NUCLEOTIDE");
}

static wl_status count_columns(encoder *e) {
    const wl_alignment *alignment = e->alignment;
    const size_t columns = alignment->columns / e->width;
    if (alignment->columns % e->width != 0)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu columns; expected a multiple of three, for codons",
                       wl_path_shown(e->path), alignment->columns);
    if (columns >= UINT32_MAX / 3 || alignment->count >= UINT32_MAX / 2)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu rows and %zu columns; expected fewer than 2^31 and 2^30",
                       wl_path_shown(e->path), alignment->count, columns);
    e->made->tips = (uint32_t)alignment->count;
    e->made->stop_column = e->made->alphabet == PEELING_CODONS && ends_with_stop(e);
    e->made->columns = (uint32_t)columns - e->made->stop_column;
    return WL_OK;
}

/* No letter is but a nucleotide, and nine in ten are certain. Amino acids have the letters of ambiguous nucleotides, too, but no protein has
   so many of A, C, G, T and N. */
static int all_nucleotides(const wl_alignment *alignment) {
    size_t known = 0, ambiguous = 0;
    for (size_t r = 0; r < alignment->count; r++)
        for (const char *at = alignment->rows[r].letters; *at; at++) {
            if (strchr("-?.", *at)) continue;
            if (strchr("RYKMSWBDHVrykmswbdhv", *at))
                ambiguous++;
            else if (!strchr("ACGTUNacgtun", *at))
                return 0;
            known++;
        }
    return known > 10 * ambiguous;
}

static void note_gap_row(peeling_columns *made, uint32_t row, uint32_t missing) {
    if (made->columns > 0 && missing == made->columns && made->gap_rows++ == 0) made->first_gap_row = row;
}

static wl_status encode_rows_of_letters(encoder *e) {
    peeling_columns *made = e->made;
    uint32_t rows = made->columns > 0 ? PEELING_LETTERS_SHARED / made->columns + 1 : ROWS_MOST, *missing,
             (*counts)[256];
    rows = rows < ROWS_LEAST ? ROWS_LEAST : rows > ROWS_MOST ? ROWS_MOST : rows;
    rows = rows < made->tips ? rows : made->tips;
    if (!WL_ALLOCATE(WL_ARRAY(missing, rows), WL_ARRAY(counts, rows)))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its letters", wl_path_shown(e->path));
    wl_status status = WL_OK;
    for (uint32_t first = 0, count; first < made->tips && status == WL_OK; first += count) {
        count = made->tips - first < rows ? made->tips - first : rows;
        memset(missing, 0, count * sizeof *missing);
        status = encode_letters(e, first, first + count, counts, missing);
        for (uint32_t r = 0; r < count; r++) note_gap_row(made, first + r, missing[r]);
    }
    WL_FREE(counts, missing);
    return status;
}

static wl_status encode_rows_of_codons(encoder *e) {
    wl_status status = WL_OK;
    for (uint32_t r = 0; r < e->made->tips && status == WL_OK; r++) {
        uint32_t missing = 0;
        status = encode_codons(e, &e->alignment->rows[r], e->code + (size_t)r * e->made->columns, &missing);
        note_gap_row(e->made, r, missing);
    }
    return status;
}

static wl_status encode(encoder *e) {
    peeling_columns *made = e->made;
    made->like_nucleotides = made->alphabet == PEELING_AMINO_ACIDS && all_nucleotides(e->alignment);
    WL_TRY(check_points(e));
    return made->alphabet == PEELING_CODONS ? encode_rows_of_codons(e) : encode_rows_of_letters(e);
}

/* --- Patterns ---------------------------------------------------------------------------------------------------- */

static wl_status make_patterns(encoder *e) {
    peeling_columns *made = e->made;
    peeling_patterns patterns;
    if (peeling_patterns_make(e->code, made->tips, made->columns, PEELING_HASH_BITS, e->threads, &patterns) != WL_OK)
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its columns", wl_path_shown(e->path));
    made->data.patterns = patterns.count;
    made->data.weight = patterns.weight;
    made->pattern_of = patterns.of;
    return WL_OK;
}

/* --- Counts ------------------------------------------------------------------------------------------------------ */

/* What was seen of a set, over its members; missing data says nothing. */
static void share_out(uint64_t set, uint64_t full, uint64_t seen, double *counts) {
    if (set == full || seen == 0) return;
    const double each = (double)seen / __builtin_popcountll(set);
    for (; set; set &= set - 1) counts[__builtin_ctzll(set)] += each;
}

static wl_status count_states(encoder *e) {
    double *counts = e->made->counts = calloc(12 + e->states, sizeof *counts);
    if (counts == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %u numbers", 12 + e->states);
    for (int k = 0; k < 3; k++)
        for (uint64_t set = 1; set < NUCLEOTIDE_SETS; set++)
            share_out(set, NUCLEOTIDE_SETS - 1, e->seen[k][set], counts + 4 * (size_t)k);
    for (uint32_t c = 0; c < e->made->data.codes; c++) share_out(e->set[c], e->full, e->code_seen[c], counts + 12);
    return WL_OK;
}

static void scale(double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    for (int i = 0; i < count; i++) values[i] = sum > 0 ? values[i] / sum : 1.0 / count;
}

/* A codon's is the product of its letters'. */
static void from_positions(const peeling_columns *columns, peeling_settings *settings) {
    double of[3][4];
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 4; b++) of[k][b] = columns->counts[4 * k + b];
    for (int b = 0; b < 4 && settings->frequencies == PEELING_F1X4; b++)
        of[0][b] = of[1][b] = of[2][b] = of[0][b] + of[1][b] + of[2][b];
    for (int k = 0; k < 3; k++) scale(of[k], 4);
    peeling_codon_frequencies(settings, of);
}

void peeling_columns_frequencies(const peeling_columns *columns, peeling_settings *settings) {
    const int states = peeling_states_of(settings);
    double *frequency = settings->frequency;
    if (settings->frequencies == PEELING_OBSERVED)
        for (int s = 0; s < states; s++) frequency[s] = columns->counts[12 + s];
    else
        from_positions(columns, settings);
    scale(frequency, states);
}

int peeling_columns_may_be_constant(const peeling_columns *columns, uint32_t pattern) {
    const peeling_data *data = &columns->data;
    uint64_t set = ~(uint64_t)0;
    for (uint32_t t = 0; t < data->tips; t++) set &= data->set[data->code[(size_t)t * data->patterns + pattern]];
    return set != 0;
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static void prepare_tables(encoder *e) {
    const peeling_settings settings = {.kind = e->made->alphabet == PEELING_NUCLEOTIDES   ? PEELING_JC69
                                               : e->made->alphabet == PEELING_AMINO_ACIDS ? PEELING_POISSON
                                                                                          : PEELING_GY94,
                                       .code = e->made->genetic_code};
    e->states = (uint32_t)peeling_states_of(&settings);
    e->full = UINT64_MAX >> (64 - e->states);
    e->width = e->made->alphabet == PEELING_CODONS ? 3 : 1;
    for (int letter = 0; letter < 256; letter++) {
        const char text[2] = {(char)letter, 0};
        e->of_letter[letter] = -1;
        e->nucleotides[letter] = (uint8_t)peeling_character(PEELING_NUCLEOTIDES, e->made->genetic_code, text);
    }
    for (int index = 0; index < CODONS_OF_SETS; index++) e->of_codon[index] = -1;
    for (uint32_t s = 0; s < e->states; s++) e->set[s] = (uint64_t)1 << s;
    e->made->data.codes = e->states;
}

wl_status peeling_columns_make(const char *path, const wl_alignment *alignment, peeling_alphabet alphabet,
                               peeling_genetic_code code, int threads, peeling_columns *columns) {
    *columns = (peeling_columns){.alphabet = alphabet, .genetic_code = code};
    wl_status status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for its letters", wl_path_shown(path));
    encoder *e = calloc(1, sizeof *e);
    if (e == NULL) return status;
    *e = (encoder){
        .path = path, .alignment = alignment, .made = columns, .threads = threads > 0 ? threads : wl_cpu_threads()};
    e->set = malloc(((size_t)UINT16_MAX + 1) * sizeof *e->set);
    e->code_seen = calloc((size_t)UINT16_MAX + 1, sizeof *e->code_seen);
    columns->data.set = e->set;
    if (e->set && e->code_seen) {
        prepare_tables(e);
        status = check_letters(e);
        if (status == WL_OK) status = count_columns(e);
    }
    if (status == WL_OK) {
        e->code = malloc(((size_t)columns->tips * columns->columns + 1) * sizeof *e->code);
        columns->data.code = e->code;
        columns->data.tips = columns->tips;
        if (e->code == NULL)
            status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for %u rows of %u columns", wl_path_shown(path),
                             columns->tips, columns->columns);
    }
    if (status == WL_OK) status = encode(e);
    if (status == WL_OK) status = make_patterns(e);
    if (status == WL_OK) status = count_states(e);
    WL_FREE(e->code_seen, e);
    if (status != WL_OK) peeling_columns_free(columns);
    return status;
}

void peeling_columns_free(peeling_columns *columns) {
    WL_FREE(columns->data.weight, columns->data.code, columns->data.set, columns->pattern_of, columns->counts);
    *columns = (peeling_columns){0};
}
