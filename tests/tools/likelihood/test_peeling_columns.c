/* Alignments as patterns: every column's letters are found again in its pattern, each pattern once and in order; frequencies are the
   counts that columns.h promises; what does not fit is refused by name and place. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "tools/likelihood/data/columns.h"
#include "tools/likelihood/data/patterns.h"

/* The state of a codon. */
static int codon_state(const char *letters) {
    return __builtin_ctzll(peeling_character(PEELING_CODONS, PEELING_CODE_STANDARD, letters));
}

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

enum { ROWS_MOST = 8 };

/* Rows called A, B, C .. in lines 1, 2, 3 .. */
typedef struct {
    wl_alignment_row rows[ROWS_MOST];
    wl_alignment alignment;
} made;

static const char *const row_names[ROWS_MOST] = {"A", "B", "C", "D", "E", "F", "G", "H"};

static const wl_alignment *rows(made *m, size_t count, const char *const *letters) {
    for (size_t r = 0; r < count; r++) m->rows[r] = (wl_alignment_row){(char *)row_names[r], (char *)letters[r], r + 1};
    m->alignment = (wl_alignment){.rows = m->rows, .count = count, .columns = strlen(letters[0])};
    return &m->alignment;
}

static void check_columns(const peeling_columns *c, const wl_alignment *alignment) {
    const peeling_data *data = &c->data;
    const size_t width = c->alphabet == PEELING_CODONS ? 3 : 1;
    uint32_t next = 0;
    double columns = 0;
    assert_int_equal(data->tips, alignment->count);
    assert_int_equal(c->columns + c->stop_column, alignment->columns / width);
    for (uint32_t p = 0; p < data->patterns; p++) columns += data->weight[p];
    assert_true(columns == c->columns);
    for (uint32_t k = 0; k < c->columns; k++) {
        const uint32_t p = c->pattern_of[k];
        assert_true(p <= next && p < data->patterns); // in the order of their first columns
        next += p == next;
        for (uint32_t t = 0; t < data->tips; t++) {
            const uint16_t code = data->code[(size_t)t * data->patterns + p];
            assert_true(code < data->codes);
            assert_true(data->set[code] ==
                        peeling_character(c->alphabet, c->genetic_code, alignment->rows[t].letters + width * k));
        }
    }
    assert_int_equal(next, data->patterns);
    for (uint32_t p = 0; p < data->patterns; p++) // no two alike
        for (uint32_t q = 0; q < p; q++) {
            uint32_t differ = 0;
            for (uint32_t t = 0; t < data->tips; t++)
                differ += data->code[(size_t)t * data->patterns + p] != data->code[(size_t)t * data->patterns + q];
            assert_true(differ > 0);
        }
    for (uint32_t x = 0; x < data->codes; x++) { // a meaning, a code; states are their own
        assert_true(data->set[x] != 0);
        for (uint32_t y = 0; y < x; y++) assert_true(data->set[x] != data->set[y]);
    }
}

TEST(random_columns) {
    static const struct {
        peeling_alphabet alphabet;
        peeling_genetic_code code;
        const char *letters;
    } kinds[] = {{PEELING_NUCLEOTIDES, 0, "ACGTacgtUuRYSWKMBDHVNn-?"},
                 {PEELING_NUCLEOTIDES, 0, "AC"},
                 {PEELING_AMINO_ACIDS, 0, "ARNDCQEGHILKMFPSTWYVXBZ-?v"},
                 {PEELING_CODONS, PEELING_CODE_STANDARD, "ACGTaccgCCGG-NYR"},
                 {PEELING_CODONS, PEELING_CODE_VERTEBRATE_MITOCHONDRIAL, "CTct"}};
    wl_random random = wl_random_stream(2, 0);
    for (int round = 0; round < 100; round++) {
        const size_t kind = (size_t)round % 5, count = 2 + wl_random_below(&random, ROWS_MOST - 2);
        const size_t width = kinds[kind].alphabet == PEELING_CODONS ? 3 : 1,
                     columns = wl_random_below(&random, 300) + 1;
        char text[ROWS_MOST][1024];
        const char *letters[ROWS_MOST];
        for (size_t r = 0; r < count; r++) {
            for (size_t k = 0; k < columns; k++) {
                char *at = text[r] + width * k;
                do {
                    for (size_t i = 0; i < width; i++)
                        at[i] = kinds[kind].letters[wl_random_below(&random, (uint32_t)strlen(kinds[kind].letters))];
                } while (peeling_character(kinds[kind].alphabet, kinds[kind].code, at) == 0);
            }
            text[r][width * columns] = 0;
            letters[r] = text[r];
        }
        made m;
        peeling_columns c;
        const wl_alignment *alignment = rows(&m, count, letters);
        check(peeling_columns_make("a.fasta", alignment, kinds[kind].alphabet, kinds[kind].code, 0, &c));
        check_columns(&c, alignment);
        peeling_columns_free(&c);
    }
}

/* With short hashes different columns have the same again and again; the patterns are still those of a plain search. */
TEST(short_hashes) {
    enum { TIPS = 3, COLUMNS = 40 };
    wl_random random = wl_random_stream(3, 0);
    int collisions = 0;
    for (int round = 0; round < 2000; round++) {
        uint16_t code[TIPS * COLUMNS], kept[TIPS * COLUMNS];
        uint32_t of[COLUMNS], count = 0, first[COLUMNS];
        const uint32_t columns = wl_random_below(&random, COLUMNS + 1);
        for (uint32_t i = 0; i < TIPS * columns; i++) code[i] = kept[i] = (uint16_t)wl_random_below(&random, 2);
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t p = 0;
            for (; p < count; p++)
                if (kept[c] == kept[first[p]] && kept[columns + c] == kept[columns + first[p]] &&
                    kept[2 * columns + c] == kept[2 * columns + first[p]])
                    break;
            if (p == count) first[count++] = c;
            of[c] = p;
        }
        peeling_patterns found;
        check(peeling_patterns_make(code, TIPS, columns, 6, 1 + round % 2, &found));
        assert_int_equal(found.count, count);
        assert_memory_equal(found.of, of, columns * sizeof *of);
        double weights = 0;
        for (uint32_t p = 0; p < count; p++) {
            weights += found.weight[p];
            for (uint32_t t = 0; t < TIPS; t++) assert_int_equal(code[t * count + p], kept[t * columns + first[p]]);
        }
        assert_true(weights == columns);
        collisions += found.hashed - 1;
        free(found.of);
        free(found.weight);
    }
    assert_true(collisions > 100);
}

/* Rows that are counted in several steps, by one thread and by three: each letter keeps its meaning, and the first wrong one is named. */
TEST(many_rows) {
    static const struct { size_t rows, columns; } sizes[] = {{100, 180000}, {8200, 20}, {1, 5000}};
    static const char known[] = "ACGTacgtRYn-";
    wl_random random = wl_random_stream(4, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t count = sizes[i].rows, columns = sizes[i].columns;
        char *text = malloc(count * (columns + 1));
        wl_alignment_row *row = malloc(count * sizeof *row);
        assert_true(text && row);
        for (size_t r = 0; r < count; r++) {
            char *letters = text + r * (columns + 1);
            for (size_t c = 0; c < columns; c++)
                letters[c] = known[wl_random_below(&random, c % 2 ? sizeof known - 1 : 1 + (uint32_t)(r % 50 == 0))];
            letters[columns] = 0;
            row[r] = (wl_alignment_row){(char *)"A", letters, r + 1};
        }
        const wl_alignment alignment = {.rows = row, .count = count, .columns = columns};
        peeling_columns one, three, wrong;
        check(peeling_columns_make("a.fasta", &alignment, PEELING_NUCLEOTIDES, 0, 1, &one));
        check(peeling_columns_make("a.fasta", &alignment, PEELING_NUCLEOTIDES, 0, 3, &three));
        const uint32_t patterns = one.data.patterns;
        assert_int_equal(three.data.patterns, patterns);
        assert_memory_equal(one.data.code, three.data.code, count * patterns * sizeof *one.data.code);
        assert_memory_equal(one.data.weight, three.data.weight, patterns * sizeof *one.data.weight);
        assert_memory_equal(one.pattern_of, three.pattern_of, columns * sizeof *one.pattern_of);
        assert_memory_equal(one.counts, three.counts, 16 * sizeof *one.counts);
        assert_int_equal(one.gap_rows, three.gap_rows);
        uint32_t gaps = 0, different = 0;
        for (size_t r = 0; r < count; r++) {
            gaps += strspn(row[r].letters, "n-") == columns;
            for (size_t c = 0; c < columns; c++)
                different += three.data.set[three.data.code[r * patterns + three.pattern_of[c]]] !=
                             peeling_character(PEELING_NUCLEOTIDES, 0, row[r].letters + c);
        }
        assert_int_equal(three.gap_rows, gaps);
        assert_int_equal(different, 0);
        peeling_columns_free(&one);
        peeling_columns_free(&three);
        const size_t at = count * 9 / 10; // in the last rows that are counted together
        row[count - 1].letters[0] = row[at].letters[columns - 1] = '!';
        char line[128];
        snprintf(line, sizeof line, "a.fasta:%zu: row 'A': found '!' as letter %zu; ", at + 1,
                 at + 1 == count ? 1 : columns);
        assert_int_equal(peeling_columns_make("a.fasta", &alignment, PEELING_NUCLEOTIDES, 0, 3, &wrong), WL_BAD_INPUT);
        assert_memory_equal(wl_error(), line, strlen(line));
        free(row);
        free(text);
    }
}

TEST(known_patterns) {
    static const char *const letters[] = {"ACAaRN-T", "CGCcYn?A"};
    made m;
    peeling_columns c;
    check(peeling_columns_make("a.fasta", rows(&m, 2, letters), PEELING_NUCLEOTIDES, 0, 0, &c));
    static const uint32_t pattern_of[] = {0, 1, 0, 0, 2, 3, 3, 4};
    assert_int_equal(c.data.patterns, 5);
    assert_memory_equal(c.pattern_of, pattern_of, sizeof pattern_of);
    assert_true(c.data.weight[0] == 3 && c.data.weight[3] == 2);
    assert_int_equal(c.data.codes, 4 + 3); // AG, CT and missing
    assert_int_equal(c.gap_rows, 0);
    peeling_columns_free(&c);

    static const char *const gaps[] = {"ACGT", "-?N-"};
    check(peeling_columns_make("a.fasta", rows(&m, 2, gaps), PEELING_NUCLEOTIDES, 0, 0, &c));
    assert_int_equal(c.gap_rows, 1);
    assert_int_equal(c.first_gap_row, 1);
    peeling_columns_free(&c);
}

/* --- Codons ------------------------------------------------------------------------------------------------------ */

static wl_status make_codons(const char *first, const char *second, peeling_genetic_code code, peeling_columns *c) {
    made m;
    const char *const letters[] = {first, second};
    return peeling_columns_make("a.fasta", rows(&m, 2, letters), PEELING_CODONS, code, 0, c);
}

TEST(codons) {
    peeling_columns c;
    const peeling_genetic_code standard = PEELING_CODE_STANDARD, mitochondrial = PEELING_CODE_VERTEBRATE_MITOCHONDRIAL;
    check(make_codons("ATGTGA", "ATGTGG", mitochondrial, &c)); // TGA is tryptophan there
    assert_int_equal(c.columns, 2);
    peeling_columns_free(&c);
    check(make_codons("ATGTAA", "ATG---", standard, &c));
    assert_int_equal(c.columns, 1);
    assert_int_equal(c.stop_column, 1);
    peeling_columns_free(&c);
    check(make_codons("ATGtar", "ATGTGA", standard, &c)); // TAA or TAG
    assert_int_equal(c.stop_column, 1);
    peeling_columns_free(&c);
    check(make_codons("ATG---", "ATG---", standard, &c)); // only missing: a column as others
    assert_int_equal(c.columns, 2);
    assert_int_equal(c.stop_column, 0);
    peeling_columns_free(&c);

    static const struct {
        const char *first, *second;
        peeling_genetic_code code;
        const char *expected;
    } refused[] = {
        {"ATGTAACCC", "ATGCCCCCC", PEELING_CODE_STANDARD,
         "a.fasta:1: row 'A': found the stop codon TAA as codon 2, nucleotides 4 to 6; expected sense codons of the "
         "standard code, or '---' there"},
        {"ATGTAC", "ATGTAA", PEELING_CODE_STANDARD,
         "a.fasta:2: row 'B': found the stop codon TAA as codon 2, nucleotides 4 to 6; expected sense codons of the "
         "standard code, or '---' there"},
        {"AGAATG", "ATGATG", PEELING_CODE_VERTEBRATE_MITOCHONDRIAL,
         "a.fasta:1: row 'A': found the stop codon AGA as codon 1, nucleotides 1 to 3; expected sense codons of the "
         "vertebrate mitochondrial code, or '---' there"},
        {"ATGAT", "ATGAT", PEELING_CODE_STANDARD, "a.fasta: found 5 columns; expected a multiple of three, for codons"},
        {"ATGACC", "ATGAJC", PEELING_CODE_STANDARD,
         "a.fasta:2: row 'B': found 'J' as letter 5; expected a nucleotide (IUPAC), '-', '.' or '?'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(make_codons(refused[i].first, refused[i].second, refused[i].code, &c), WL_BAD_INPUT);
        assert_string_equal(wl_error(), refused[i].expected);
    }
}

/* '.' is missing, or the first row's letter: where that would make a difference nobody guesses. */
TEST(points) {
    made m;
    peeling_columns c;
    static const char *const same[] = {"ACGT", "A..T"}, *const missing[] = {"AC.T", "A.GT"},
                             *const no_letter[] = {"A-?T", "A..T"};
    assert_int_equal(peeling_columns_make("a.fasta", rows(&m, 2, same), PEELING_NUCLEOTIDES, 0, 0, &c), WL_BAD_INPUT);
    assert_string_equal(wl_error(),
                        "a.fasta:2: row 'B': found '.' as letter 2, where the first row has 'C': missing, or the same? "
                        "expected '?' or a letter");
    check(peeling_columns_make("a.fasta", rows(&m, 2, missing), PEELING_NUCLEOTIDES, 0, 0, &c));
    peeling_columns_free(&c);
    check(peeling_columns_make("a.fasta", rows(&m, 2, no_letter), PEELING_NUCLEOTIDES, 0, 0, &c));
    peeling_columns_free(&c);
}

/* --- Frequencies ------------------------------------------------------------------------------------------------- */

TEST(frequencies) {
    made m;
    peeling_columns c;
    peeling_settings settings = peeling_settings_of(PEELING_GTR);
    static const char *const letters[] = {"AACGRN-", "CCCTT?A"}; // A 3 1/2, C 4, G 1 1/2, T 2
    check(peeling_columns_make("a.fasta", rows(&m, 2, letters), PEELING_NUCLEOTIDES, 0, 0, &c));
    peeling_columns_frequencies(&c, &settings);
    static const double expected[] = {3.5 / 11, 4.0 / 11, 1.5 / 11, 2.0 / 11};
    for (int s = 0; s < 4; s++) assert_true(fabs(settings.frequency[s] - expected[s]) < 1e-15);
    peeling_columns_free(&c);

    /* ATG ATA CC- / TTG CTR ---: positions A2 C2 T1; T4 C1; G2 A1 and R, which is half of either. */
    settings = peeling_settings_of(PEELING_GY94);
    check(make_codons("ATGATACC-", "TTGCTR---", PEELING_CODE_STANDARD, &c));
    static const double at[3][4] = {{2, 2, 0, 1}, {0, 1, 0, 4}, {1.5, 0, 2.5, 0}};
    for (int all = 0; all < 2; all++) {
        double sum = 0, of[3][4], by_hand[64];
        settings.frequencies = all ? PEELING_F1X4 : PEELING_F3X4;
        peeling_columns_frequencies(&c, &settings);
        for (int k = 0; k < 3; k++)
            for (int b = 0; b < 4; b++)
                of[k][b] = all ? (at[0][b] + at[1][b] + at[2][b]) / 14 : at[k][b] / (k < 2 ? 5 : 4);
        for (int s = 0; s < 61; s++) {
            char codon[4];
            peeling_codon_letters(PEELING_CODE_STANDARD, s, codon);
            by_hand[s] = 1;
            for (int k = 0; k < 3; k++) by_hand[s] *= of[k][strchr("ACGT", codon[k]) - "ACGT"];
            sum += by_hand[s];
        }
        for (int s = 0; s < 61; s++) assert_true(fabs(settings.frequency[s] - by_hand[s] / sum) < 1e-15);
    }
    settings.frequencies = PEELING_OBSERVED; // ATG, ATA, TTG 1; CC- a quarter of each CCN; CTR half of CTA, CTG
    peeling_columns_frequencies(&c, &settings);
    assert_true(fabs(settings.frequency[codon_state("ATG")] - 0.2) < 1e-15);
    assert_true(fabs(settings.frequency[codon_state("CCT")] - 0.05) < 1e-15);
    assert_true(fabs(settings.frequency[codon_state("CTA")] - 0.1) < 1e-15);
    peeling_columns_free(&c);
}

/* --- Names ------------------------------------------------------------------------------------------------------- */

static wl_status match(const char *tree, size_t count, const char *const *names, uint32_t *tip_of) {
    wl_alignment_row items[ROWS_MOST];
    for (size_t r = 0; r < count; r++) items[r] = (wl_alignment_row){(char *)names[r], "A", r + 1};
    const wl_alignment alignment = {.rows = items, .count = count, .columns = 1};
    wl_newick newick;
    check(wl_newick_parse("t.nwk", tree, strlen(tree), &newick));
    wl_status status = peeling_columns_match("t.nwk", &newick, "a.fasta", &alignment, tip_of);
    wl_newick_free(&newick);
    return status;
}

TEST(names) {
    uint32_t tip_of[16];
    static const char *const three[] = {"x", "Homo sapiens", "Pan_p"}, *const both[] = {"a b", "a_b", "c"};
    check(match("('Pan p',(Homo_sapiens,x));", 3, three, tip_of));
    static const uint32_t expected[] = {WL_NO_NODE, 2, WL_NO_NODE, 1, 0};
    assert_memory_equal(tip_of, expected, sizeof expected);
    check(match("(a_b,('a b',c));", 3, both, tip_of)); // equal ones come first
    assert_int_equal(tip_of[1], 1);
    assert_int_equal(tip_of[3], 0);

    static const struct {
        const char *tree;
        size_t count;
        const char *expected;
    } refused[] = {
        {"(x,\n(y,z),Pan_p);", 3,
         "t.nwk:2: found 2 tips of the tree that a.fasta lacks, the first 'y'; expected a row for every tip, or "
         "--prune to leave such tips out"},
        {"(x,Pan_p);", 3,
         "a.fasta:2: found 1 row that the tree in t.nwk lacks, the first 'Homo sapiens'; expected a tip for every row"},
        {"(x,\nPan_p,\nx,y);", 3, "t.nwk:3: found the tip 'x' again, after line 1; expected every name once"},
        {"('Pan p',\nPan_p,x);", 3, "t.nwk:2: found the tip 'Pan_p' again, after line 1; expected every name once"},
        {"x;", 1, "t.nwk:1: found a tree of 1 tip; expected at least 2"},
        {"(X,Homo_sapiens,Pan_p);", 3,
         "t.nwk:1: found 1 tip of the tree that a.fasta lacks, the first 'X'; expected a row for every tip (it has "
         "'x')"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(match(refused[i].tree, refused[i].count, three, tip_of), WL_BAD_INPUT);
        assert_string_equal(wl_error(), refused[i].expected);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
