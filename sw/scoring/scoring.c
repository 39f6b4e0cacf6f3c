#include "sw/scoring/scoring.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "sw/scoring/file.h"

/* --- Gaps -------------------------------------------------------------------------------------------------------- */

wl_status sw_scoring_gaps(int open, int extend, sw_scoring *scoring) {
    if (extend < 0 || extend > SW_GAP_MOST)
        return wl_fail(WL_BAD_USAGE, "option --gap-extend: %d is out of range; expected 0 to %d", extend, SW_GAP_MOST);
    if (open < 0 || open > SW_GAP_MOST - extend)
        return wl_fail(WL_BAD_USAGE,
                       "option --gap-open: %d is out of range; expected 0 to %d, and with the extension at most %d",
                       open, SW_GAP_MOST - extend, SW_GAP_MOST);
    scoring->gap_open = open + extend;
    scoring->gap_extend = extend;
    return WL_OK;
}

/* --- Proteins ---------------------------------------------------------------------------------------------------- */

static void score_nothing(sw_alphabet alphabet, sw_scoring *scoring) {
    *scoring = (sw_scoring){.alphabet = alphabet};
    memset(scoring->matrix, -SW_SCORE_MOST, sizeof scoring->matrix);
}

static void note_range(sw_scoring *scoring) {
    size_t letters = strlen(scoring->alphabet == SW_PROTEIN ? SW_PROTEIN_LETTERS : SW_NUCLEOTIDE_LETTERS);
    scoring->highest = -SW_SCORE_MOST;
    scoring->lowest = SW_SCORE_MOST;
    for (size_t a = 0; a < letters; a++)
        for (size_t b = 0; b < letters; b++) {
            int score = scoring->matrix[a][b];
            if (score > scoring->highest) scoring->highest = score;
            if (score < scoring->lowest) scoring->lowest = score;
        }
}

/* Henikoff & Henikoff 1992 (BLOSUM), Dayhoff 1978 (PAM), with BLAST's default gap costs, counted as BLAST counts. The scores are those of
   the files in NCBI's toolkit (Debian's ncbi-data, /usr/share/ncbi/data) and of BLAST+ itself, with which tests compare them; the build
   compiles in the files of data/. */
static const struct {
    const char *name;
    int open, extend;
} published[] = {{"BLOSUM45", 14, 2}, {"BLOSUM50", 13, 2}, {"BLOSUM62", 11, 1}, {"BLOSUM80", 10, 1},
                 {"BLOSUM90", 10, 1}, {"PAM30", 9, 1},     {"PAM70", 10, 1},    {"PAM250", 14, 2}};
enum { PUBLISHED = sizeof published / sizeof *published };
extern const wl_named_text sw_published_matrices[];

static wl_status read_published(const char *name, sw_table *table) {
    const wl_named_text *matrix = sw_published_matrices;
    while (strcmp(matrix->name, name) != 0) matrix++;
    return sw_table_of_text(name, matrix->text, table);
}

/* Which letter of the table stands for a letter that it does not have; -1: none does. BLAST's files and tables know
   neither selenocysteine nor pyrrolysine, and BLAST scores them as cysteine and as unknown. */
static int stand_in(const char has[SW_LETTERS], int code) {
    int instead = sw_letter(SW_PROTEIN, code) == 'U' ? sw_code(SW_PROTEIN, 'C') : sw_code(SW_PROTEIN, 'X');
    if (has[code]) return code;
    if (has[instead]) return instead;
    return has[sw_code(SW_PROTEIN, 'X')] ? sw_code(SW_PROTEIN, 'X') : -1;
}

static void fill(const sw_table *table, sw_scoring *scoring) {
    int lowest = SW_SCORE_MOST;
    for (int a = 0; a < SW_LETTERS; a++)
        for (int b = 0; b < SW_LETTERS; b++)
            if (table->has_row[a] && table->has_column[b] && table->score[a][b] < lowest) lowest = table->score[a][b];
    for (int a = 0; a < SW_LETTERS; a++)
        for (int b = 0; b < SW_LETTERS; b++) {
            int row = stand_in(table->has_row, a), column = stand_in(table->has_column, b);
            scoring->matrix[a][b] = (int8_t)(row < 0 || column < 0 ? lowest : table->score[row][column]);
        }
    enum { AMINO_ACIDS = 20 }; // the first of SW_PROTEIN_LETTERS
    char *missing = scoring->missing;
    for (int a = 0; a < AMINO_ACIDS; a++)
        if (!table->has_row[a] || !table->has_column[a]) *missing++ = sw_letter(SW_PROTEIN, a);
    note_range(scoring);
}

const char *const *sw_scoring_names(void) {
    static _Thread_local const char *names[16]; // threads may ask at the same time
    for (size_t i = 0; i < PUBLISHED; i++) names[i] = published[i].name;
    return names;
}

/* From a file, if there is one. */
static wl_status read_table(const char *path, sw_table *table) {
    char names[160] = "";
    size_t used = 0;
    if (strcmp(path, "-") == 0 || access(path, F_OK) == 0) return sw_table_read(path, table);
    for (const char *const *name = sw_scoring_names(); *name; name++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s, ", *name);
    return wl_fail(WL_BAD_USAGE,
                   "'%.200s' is neither a matrix nor a file; expected %sor a matrix file in NCBI's format", path,
                   names);
}

wl_status sw_scoring_named(const char *matrix, sw_scoring *scoring) {
    sw_table table = {0};
    sw_scoring made;
    score_nothing(SW_PROTEIN, &made);
    size_t known = 0;
    while (known < PUBLISHED && strcasecmp(published[known].name, matrix) != 0) known++;
    const int is_known = known < PUBLISHED;
    const char *slash = strrchr(matrix, '/'), *file = slash && slash[1] ? slash + 1 : matrix;
    WL_TRY(is_known ? read_published(published[known].name, &table) : read_table(matrix, &table));
    snprintf(made.name, sizeof made.name, "%.63s", is_known ? published[known].name : file);
    fill(&table, &made);
    sw_scoring_gaps(is_known ? published[known].open : 11, is_known ? published[known].extend : 1, &made);
    *scoring = made;
    return WL_OK;
}

/* --- Nucleotides ------------------------------------------------------------------------------------------------- */

/* IUPAC's letters in BLAST's order, and the set of bases each stands for (A 1, C 2, G 4, T 8). */
static const char blast_order[] = "ACGTRYMKWSBDHVN";
static const unsigned char base_set[] = {1, 2, 4, 8, 5, 10, 3, 12, 9, 6, 14, 13, 11, 7, 15};

/* BLAST's rule. d is the number of bases that one of the two letters stands for: the one that is later in BLAST's order.
   Letters that share a base score the mean of one match and d - 1 mismatches. This mean is rounded to the nearest whole
   number, and halves away from zero. Letters that share no base score a mismatch.
   Example: at +2/-3, A against N is (2 - 9) / 4 = -1.75, and scores -2. */
static int ambiguous(int i, int j, int match, int mismatch) {
    int later = i > j ? i : j;
    if ((base_set[i] & base_set[j]) == 0) return mismatch;
    int d = __builtin_popcount(base_set[later]), sum = match + (d - 1) * mismatch;
    return (2 * sum + (sum >= 0 ? d : -d)) / (2 * d);
}

wl_status sw_scoring_nucleotide(int match, int mismatch, sw_scoring *scoring) {
    if (match < 1 || match > SW_SCORE_MOST)
        return wl_fail(WL_BAD_USAGE, "option --match: %d is out of range; expected 1 to %d", match, SW_SCORE_MOST);
    if (mismatch > -1 || mismatch < -SW_SCORE_MOST)
        return wl_fail(WL_BAD_USAGE, "option --mismatch: %d is out of range; expected %d to -1", mismatch,
                       -SW_SCORE_MOST);
    score_nothing(SW_NUCLEOTIDE, scoring);
    snprintf(scoring->name, sizeof scoring->name, "+%d/%d", match, mismatch);
    for (int i = 0; blast_order[i]; i++)
        for (int j = 0; blast_order[j]; j++)
            scoring->matrix[sw_code(SW_NUCLEOTIDE, blast_order[i])][sw_code(SW_NUCLEOTIDE, blast_order[j])] =
                (int8_t)ambiguous(i, j, match, mismatch);
    note_range(scoring);
    return sw_scoring_gaps(5, 2, scoring);
}
