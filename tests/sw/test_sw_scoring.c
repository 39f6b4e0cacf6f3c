/* Scoring: matrices as NCBI publishes them, matrix files good and broken, nucleotides by BLAST's rule, the two ways of
   counting gaps, and letters. What blastp and blastn make of every pair of letters: tests/sw/oracles/. */
#include "tests/support/corpus.h"

#include "io/database/alphabet.h"
#include "sw/scoring/scoring.h"

static int pair(const sw_scoring *scoring, char a, char b) {
    return scoring->matrix[sw_code(scoring->alphabet, a)][sw_code(scoring->alphabet, b)];
}

static sw_scoring named(const char *name) {
    sw_scoring scoring;
    if (sw_scoring_named(name, &scoring) != WL_OK) fail_msg("%s: %s", name, wl_error());
    return scoring;
}

/* --- Letters ----------------------------------------------------------------------------------------------------- */

TEST(letters) {
    assert_int_equal(strlen(SW_PROTEIN_LETTERS), SW_LETTERS);
    for (int alphabet = 0; alphabet < 2; alphabet++) {
        const char *all = alphabet == SW_PROTEIN ? SW_PROTEIN_LETTERS : SW_NUCLEOTIDE_LETTERS;
        for (int code = 0; all[code]; code++) {
            assert_int_equal(sw_code((sw_alphabet)alphabet, all[code]), code);
            assert_int_equal(sw_code((sw_alphabet)alphabet, tolower(all[code])), code);
            assert_int_equal(sw_letter((sw_alphabet)alphabet, code), all[code]);
        }
        assert_int_equal(sw_letter((sw_alphabet)alphabet, SW_END), '?');
        assert_int_equal(sw_letter((sw_alphabet)alphabet, -1), '?');
        int known = 0;
        for (int byte = -1; byte <= 256; byte++) known += sw_code((sw_alphabet)alphabet, byte) >= 0;
        assert_int_equal(known, alphabet == SW_PROTEIN ? 2 * 26 + 1 : 2 * 16); // U beside T
    }
    assert_int_equal(sw_code(SW_NUCLEOTIDE, 'u'), sw_code(SW_NUCLEOTIDE, 'T'));
    assert_int_equal(sw_letter(SW_NUCLEOTIDE, 15), '?');
}

/* --- Matrices by name -------------------------------------------------------------------------------------------- */

/* BLAST's defaults, as `blastp -matrix NAME` prints them under "Gap Penalties". */
TEST(names_and_gaps) {
    static const struct {
        const char *name;
        int open, extend, highest, lowest;
    } known[] = {
        {"BLOSUM45", 14, 2, 15, -5}, {"BLOSUM50", 13, 2, 15, -5}, {"BLOSUM62", 11, 1, 11, -4},
        {"BLOSUM80", 10, 1, 11, -6}, {"BLOSUM90", 10, 1, 11, -6}, {"PAM30", 9, 1, 13, -17},
        {"PAM70", 10, 1, 13, -11},   {"PAM250", 14, 2, 17, -8},
    };
    size_t count = sizeof known / sizeof *known;
    for (size_t i = 0; i < count; i++) {
        sw_scoring scoring = named(known[i].name);
        assert_string_equal(sw_scoring_names()[i], known[i].name);
        assert_string_equal(scoring.name, known[i].name);
        assert_int_equal(scoring.gap_open, known[i].open + known[i].extend);
        assert_int_equal(scoring.gap_extend, known[i].extend);
        assert_int_equal(scoring.highest, known[i].highest);
        assert_int_equal(scoring.lowest, known[i].lowest);
        for (int a = 0; a < SW_CODES; a++)
            for (int b = 0; b < SW_CODES; b++) {
                assert_int_equal(scoring.matrix[a][b], scoring.matrix[b][a]);
                if (a >= SW_END || b >= SW_END) assert_int_equal(scoring.matrix[a][b], -SW_SCORE_MOST);
            }
    }
    assert_null(sw_scoring_names()[count]);
    assert_string_equal(named("blosum62").name, "BLOSUM62");
}

/* Numbers anybody can look up: Henikoff & Henikoff 1992, Figure 2, and the letters that matrices lack. */
TEST(known_numbers) {
    sw_scoring s = named("BLOSUM62");
    assert_int_equal(pair(&s, 'W', 'W'), 11);
    assert_int_equal(pair(&s, 'A', 'A'), 4);
    assert_int_equal(pair(&s, 'I', 'V'), 3);
    assert_int_equal(pair(&s, 'W', 'D'), -4);
    assert_int_equal(pair(&s, 'J', 'I'), 3);
    assert_int_equal(pair(&s, 'J', 'L'), 3);
    assert_int_equal(pair(&s, '*', '*'), 1);
    for (const char *c = SW_PROTEIN_LETTERS; *c; c++) {
        assert_int_equal(pair(&s, 'U', *c), pair(&s, 'C', *c));
        assert_int_equal(pair(&s, 'O', *c), pair(&s, 'X', *c));
    }
}

/* The files in Debian's ncbi-data, read by our reader, give what the program knows by name. */
TEST(as_ncbi_publishes_them) {
    if (access("/usr/share/ncbi/data/BLOSUM62", R_OK) != 0) skip();
    for (const char *const *name = sw_scoring_names(); *name; name++) {
        char path[64];
        snprintf(path, sizeof path, "/usr/share/ncbi/data/%s", *name);
        sw_scoring known = named(*name), read = named(path);
        assert_memory_equal(known.matrix, read.matrix, sizeof known.matrix);
        assert_string_equal(read.name, *name);
        assert_int_equal(read.gap_open, 12); // a file's gaps are 11 + k
        assert_int_equal(read.gap_extend, 1);
    }
}

/* --- Matrix files ------------------------------------------------------------------------------------------------ */

static wl_status describe(const char *path, corpus_text *description) {
    static const char *const pairs[] = {"AA", "AR", "RA", "CA", "CU", "OU", "XX", "WW", "**"};
    sw_scoring s;
    wl_status status = sw_scoring_named(path, &s);
    if (status != WL_OK) return status;
    fprintf(description->stream, "%s %d to %d:", s.name, s.lowest, s.highest);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        fprintf(description->stream, " %s %d", pairs[i], pair(&s, pairs[i][0], pairs[i][1]));
    return WL_OK;
}

TEST(corpus) { corpus_check("matrix", describe); }

TEST(no_matrix) {
    sw_scoring scoring;
    assert_int_equal(sw_scoring_named("BLOSUM63", &scoring), WL_BAD_USAGE);
    assert_string_equal(wl_error(), "'BLOSUM63' is neither a matrix nor a file; expected BLOSUM45, BLOSUM50, BLOSUM62, "
                                    "BLOSUM80, BLOSUM90, PAM30, PAM70, PAM250, or a matrix file in NCBI's format");
    assert_int_equal(sw_scoring_named("", &scoring), WL_BAD_USAGE);
    assert_int_equal(sw_scoring_named("/tmp", &scoring), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "/tmp: is a directory; expected a substitution matrix in NCBI's format");
}

/* --- Nucleotides ------------------------------------------------------------------------------------------------- */

TEST(nucleotides) {
    sw_scoring s;
    assert_int_equal(sw_scoring_nucleotide(2, -3, &s), WL_OK);
    assert_string_equal(s.name, "+2/-3");
    assert_int_equal(s.gap_open, 7);
    assert_int_equal(s.gap_extend, 2);
    assert_int_equal(pair(&s, 'A', 'A'), 2);
    assert_int_equal(pair(&s, 'A', 'C'), -3);
    assert_int_equal(pair(&s, 'A', 'R'), -1); // (2 - 3) / 2 = -0.5, away from zero
    assert_int_equal(pair(&s, 'A', 'Y'), -3); // no base in common
    assert_int_equal(pair(&s, 'A', 'V'), -1); // (2 - 6) / 3 = -1.33
    assert_int_equal(pair(&s, 'A', 'N'), -2); // (2 - 9) / 4 = -1.75
    assert_int_equal(pair(&s, 'N', 'N'), -2);
    assert_int_equal(s.highest, 2);
    assert_int_equal(s.lowest, -3);
    for (int a = 0; a < 15; a++)
        for (int b = 0; b < 15; b++) assert_int_equal(s.matrix[a][b], s.matrix[b][a]);
    assert_int_equal(s.matrix[SW_END][0], -SW_SCORE_MOST);
    assert_int_equal(sw_scoring_nucleotide(127, -127, &s), WL_OK);
    assert_int_equal(pair(&s, 'A', 'A'), 127);
    static const int bad[][2] = {{0, -3}, {128, -3}, {2, 0}, {2, 3}, {2, -128}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sw_scoring_nucleotide(bad[i][0], bad[i][1], &s), WL_BAD_USAGE);
}

/* --- Gaps -------------------------------------------------------------------------------------------------------- */

TEST(gaps) {
    sw_scoring s = named("BLOSUM62");
    assert_int_equal(sw_scoring_gaps(5, 3, &s), WL_OK); // BLAST: a gap of k costs 5 + 3 k
    assert_int_equal(s.gap_open, 8);                    // the paper: the first residue 8
    assert_int_equal(s.gap_extend, 3);                  // and each further one 3
    assert_int_equal(sw_scoring_gaps(0, 0, &s), WL_OK);
    assert_int_equal(sw_scoring_gaps(SW_GAP_MOST, 0, &s), WL_OK);
    assert_int_equal(sw_scoring_gaps(0, SW_GAP_MOST, &s), WL_OK);
    static const int bad[][2] = {{-1, 0}, {0, -1}, {SW_GAP_MOST, 1}, {0, SW_GAP_MOST + 1}, {INT32_MAX, INT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sw_scoring_gaps(bad[i][0], bad[i][1], &s), WL_BAD_USAGE);
    assert_int_equal(s.gap_extend, SW_GAP_MOST); // left as it was
}

int main(void) { return run_all_tests(NULL, NULL); }
