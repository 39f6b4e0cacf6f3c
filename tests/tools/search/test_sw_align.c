/* Alignments with their paths, against a second implementation of the rule in tools/search/align/align.c that keeps all matrices, tries
   everything, and is as plain as can be; and their scores against the reference. */
#include <sys/resource.h>

#include "tests/support/unit.h"
#include "io/database/alphabet.h"
#include "harness/base/random.h"
#include "tools/search/align/align.h"
#include "sw/reference.h"

enum { MOST = 64 };
static const int64_t never = INT64_MIN / 4;

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

static int reference_score(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject,
                           uint32_t n) {
    const uint64_t start = 0;
    sw_input input = {
        .scoring = *scoring,
        .queries = {.count = 1, .length = &m, .start = &start, .residues = query, .letters = m, .longest = m},
        .database = {.count = 1, .length = &n, .start = &start, .residues = subject, .letters = n, .longest = n}};
    int score;
    sw_reference(&input, 0, sw_slices(&input), &score);
    return score;
}

/* --- The plain implementation ------------------------------------------------------------------------------------ */

/* The three matrices of a pair, from a corner (local = 0) or local. Backwards: residue k is the last but k. */
typedef struct {
    int64_t H[MOST + 1][MOST + 1], E[MOST + 1][MOST + 1], F[MOST + 1][MOST + 1];
    const sw_scoring *scoring;
    const uint8_t *query, *subject;
    int m, n, backwards;
} matrices;

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t pair_score(const matrices *x, int i, int j) {
    if (x->backwards) return x->scoring->matrix[x->query[x->m - i]][x->subject[x->n - j]];
    return x->scoring->matrix[x->query[i - 1]][x->subject[j - 1]];
}

static void fill(matrices *x, int local) {
    const int64_t open = x->scoring->gap_open, extend = x->scoring->gap_extend;
    for (int i = 0; i <= x->m; i++)
        for (int j = 0; j <= x->n; j++) {
            x->E[i][j] = j == 0 ? never : most(x->E[i][j - 1] - extend, x->H[i][j - 1] - open);
            x->F[i][j] = i == 0 ? never : most(x->F[i - 1][j] - extend, x->H[i - 1][j] - open);
            int64_t pair = i == 0 || j == 0 ? never : x->H[i - 1][j - 1] + pair_score(x, i, j);
            x->H[i][j] = most(pair, most(x->E[i][j], x->F[i][j]));
            if ((i == 0 && j == 0) || (local && x->H[i][j] < 0)) x->H[i][j] = 0;
        }
}

/* The path to (m, n), followed back: pairs first, then 'I', then 'D'; going on before opening. Last column first. */
static void follow(const matrices *x, char *path) {
    const int64_t open = x->scoring->gap_open, extend = x->scoring->gap_extend;
    int i = x->m, j = x->n;
    char state = 'H';
    while (i > 0 || j > 0) {
        if (state == 'H') {
            if (i > 0 && j > 0 && x->H[i][j] == x->H[i - 1][j - 1] + pair_score(x, i, j)) {
                *path++ = 'M';
                i--;
                j--;
                continue;
            }
            state = x->H[i][j] == x->F[i][j] ? 'I' : 'D';
        }
        *path++ = state;
        if (state == 'I') {
            if (x->F[i][j] != x->F[i - 1][j] - extend) {
                assert_true(x->F[i][j] == x->H[i - 1][j] - open);
                state = 'H';
            }
            i--;
        } else {
            if (x->E[i][j] != x->E[i][j - 1] - extend) {
                assert_true(x->E[i][j] == x->H[i][j - 1] - open);
                state = 'H';
            }
            j--;
        }
    }
    *path = '\0';
}

static void turn_round(char *text) {
    for (size_t i = 0, n = strlen(text); i < n / 2; i++) {
        char c = text[i];
        text[i] = text[n - 1 - i];
        text[n - 1 - i] = c;
    }
}

/* The column of the path where the anchor is. Every stretch of pairs is tried, then every window of the best. */
static int anchor_column(const matrices *x, const char *path, int *query, int *subject) {
    int columns = (int)strlen(path), q[2 * MOST], s[2 * MOST], first = 0, length = 0;
    int64_t best = 0;
    for (int c = 0, i = 0, j = 0; c < columns; c++) {
        q[c] = i;
        s[c] = j;
        i += path[c] != 'D';
        j += path[c] != 'I';
    }
    for (int end = 0; end < columns; end++) { // the first to reach the best score, and of those the shortest
        int64_t sum = 0;
        for (int begin = end; begin >= 0 && path[begin] == 'M'; begin--) {
            sum += x->scoring->matrix[x->query[q[begin]]][x->subject[s[begin]]];
            if (sum <= best) continue;
            best = sum;
            first = begin;
            length = end - begin + 1;
        }
    }
    int at = first + length / 2;
    if (length > 11) {
        int64_t best_window = never;
        for (int begin = first; begin + 11 <= first + length; begin++) {
            int64_t sum = 0;
            for (int c = begin; c < begin + 11; c++) sum += x->scoring->matrix[x->query[q[c]]][x->subject[s[c]]];
            if (sum > best_window) {
                best_window = sum;
                at = sum > 0 ? begin + 5 : first;
            }
        }
    }
    *query = q[at];
    *subject = s[at];
    return at;
}

static void align_plainly(const sw_scoring *scoring, const uint8_t *query, int m, const uint8_t *subject, int n,
                          sw_alignment *a, char *path) {
    static matrices x;
    x = (matrices){.scoring = scoring, .query = query, .subject = subject, .m = m, .n = n};
    fill(&x, 1);
    *a = (sw_alignment){0};
    *path = '\0';
    int end_i = 0, end_j = 0;
    for (int j = 1; j <= n; j++)
        for (int i = 1; i <= m; i++)
            if (x.H[i][j] > a->score) {
                a->score = (int)x.H[i][j];
                end_i = i;
                end_j = j;
            }
    if (a->score == 0) return;
    x.m = end_i;
    x.n = end_j;
    x.backwards = 1;
    fill(&x, 0);
    int rows = 0, columns = 0;
    for (int i = end_i; i >= 1; i--)
        for (int j = end_j; j >= 1; j--)
            if (x.H[i][j] == a->score) {
                rows = i;
                columns = j;
            }
    a->query_first = (uint32_t)(end_i - rows);
    a->query_last = (uint32_t)end_i - 1;
    a->subject_first = (uint32_t)(end_j - columns);
    a->subject_last = (uint32_t)end_j - 1;
    x.query = query + a->query_first;
    x.subject = subject + a->subject_first;
    x.m = rows;
    x.n = columns;
    x.backwards = 0;
    fill(&x, 0);
    assert_int_equal(x.H[rows][columns], a->score);
    char whole[2 * MOST + 1], before[2 * MOST + 1];
    follow(&x, whole);
    turn_round(whole);
    int anchor_i, anchor_j, column = anchor_column(&x, whole, &anchor_i, &anchor_j);
    x.m = anchor_i + 1;
    x.n = anchor_j + 1;
    x.backwards = 1;
    fill(&x, 0);
    follow(&x, before);
    sprintf(path, "%s%s", before, whole + column + 1);
    a->columns = (uint32_t)strlen(path);
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

static void compare(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n) {
    sw_alignment plain, whole, halved;
    char path[2 * MOST + 1];
    align_plainly(scoring, query, (int)m, subject, (int)n, &plain, path);
    check(sw_align(scoring, query, m, subject, n, &whole));
    assert_int_equal(whole.score, plain.score);
    assert_int_equal(whole.score, reference_score(scoring, query, m, subject, n));
    assert_int_equal(whole.query_first, plain.query_first);
    assert_int_equal(whole.query_last, plain.query_last);
    assert_int_equal(whole.subject_first, plain.subject_first);
    assert_int_equal(whole.subject_last, plain.subject_last);
    assert_string_equal(whole.operations, path);
    assert_int_equal(whole.columns, plain.columns);
    check(sw_align_with(scoring, query, m, subject, n, 1, &halved));
    assert_string_equal(halved.operations, path);
    assert_int_equal(halved.query_first, plain.query_first);
    assert_int_equal(halved.subject_first, plain.subject_first);
    sw_alignment_free(&whole);
    sw_alignment_free(&halved);
}

/* A subject that is now and then the query's, so that alignments are long and gapped. */
static uint32_t derive(wl_random *random, const uint8_t *query, uint32_t m, uint32_t letters, uint8_t *subject) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m && n < MOST; i++) {
        if (wl_random_below(random, 8) == 0) continue;
        while (n < MOST - 1 && wl_random_below(random, 8) == 0)
            subject[n++] = (uint8_t)wl_random_below(random, letters);
        subject[n++] = wl_random_below(random, 4) == 0 ? (uint8_t)wl_random_below(random, letters) : query[i];
    }
    if (n == 0) subject[n++] = 0;
    return n;
}

/* Every matrix, gaps that are free, cheap, usual, dear and impossible, alphabets of one letter (ties everywhere) to
   all of them: coordinates and path are the plain implementation's, whether boxes are halved down to rows or traced
   whole. */
TEST(paths_are_the_rule_s) {
    static const int gaps[][2] = {{0, 0}, {0, 1}, {1, 0}, {2, 1}, {11, 1}, {5, 2}, {0, 10000}, {9999, 1}};
    wl_random random = wl_random_stream(1, 0);
    for (const char *const *name = sw_scoring_names(); *name; name++) {
        sw_scoring scoring;
        check(sw_scoring_named(*name, &scoring));
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
            check(sw_scoring_gaps(gaps[g][0], gaps[g][1], &scoring));
            for (int round = 0; round < 60; round++) {
                static const uint32_t alphabets[] = {1, 2, 4, SW_LETTERS};
                uint32_t letters = alphabets[round % 4], m = 1 + wl_random_below(&random, MOST), n;
                uint8_t query[MOST], subject[MOST];
                for (uint32_t i = 0; i < m; i++) query[i] = (uint8_t)wl_random_below(&random, letters);
                if (round % 3 > 0) {
                    n = derive(&random, query, m, letters, subject);
                } else {
                    n = 1 + wl_random_below(&random, MOST);
                    for (uint32_t j = 0; j < n; j++) subject[j] = (uint8_t)wl_random_below(&random, letters);
                }
                compare(&scoring, query, m, subject, n);
            }
        }
    }
}

/* --- Further alignments ------------------------------------------------------------------------------------------ */

/* The best score where no barred pair may be, cell by cell. */
static int best_without(const sw_scoring *scoring, const uint8_t *query, uint32_t m, const uint8_t *subject, uint32_t n,
                        char barred[MOST][MOST]) {
    static int64_t H[MOST + 1][MOST + 1], E[MOST + 1][MOST + 1], F[MOST + 1][MOST + 1];
    int64_t best = 0;
    for (uint32_t i = 0; i <= m; i++)
        for (uint32_t j = 0; j <= n; j++) {
            H[i][j] = 0;
            E[i][j] = F[i][j] = never;
            if (i == 0 || j == 0) continue;
            E[i][j] = most(E[i][j - 1] - scoring->gap_extend, H[i][j - 1] - scoring->gap_open);
            F[i][j] = most(F[i - 1][j] - scoring->gap_extend, H[i - 1][j] - scoring->gap_open);
            if (!barred[i - 1][j - 1])
                H[i][j] = most(0, H[i - 1][j - 1] + scoring->matrix[query[i - 1]][subject[j - 1]]);
            H[i][j] = most(H[i][j], most(E[i][j], F[i][j]));
            best = most(best, H[i][j]);
        }
    return (int)best;
}

/* Bars the alignment's pairs, none of which may be barred already, and returns what it scores. */
static int bar(const sw_scoring *scoring, const uint8_t *query, const uint8_t *subject, const sw_alignment *a,
               char barred[MOST][MOST]) {
    uint32_t q = a->query_first, s = a->subject_first;
    int score = 0;
    for (const char *step = a->operations, *last = "M"; *step; last = step++) {
        if (*step == 'M') {
            assert_false(barred[q][s]);
            barred[q][s] = 1;
            score += scoring->matrix[query[q]][subject[s]];
        } else {
            score -= *step == *last ? scoring->gap_extend : scoring->gap_open;
        }
        q += *step != 'D';
        s += *step != 'I';
    }
    assert_int_equal(q, a->query_last + 1);
    assert_int_equal(s, a->subject_last + 1);
    return score;
}

static int lies_within(const sw_alignment *a, const sw_alignment *b) {
    return a->query_first >= b->query_first && a->query_last <= b->query_last && a->subject_first >= b->subject_first &&
           a->subject_last <= b->subject_last;
}

/* Each scores what is best without the pairs of those before it. One that is left out, because it lies within a better one, cannot be seen
   from here: scores may be lower after it, never higher. */
TEST(others_are_the_best_of_the_rest) {
    static const int gaps[][2] = {{0, 0}, {0, 1}, {2, 1}, {11, 1}};
    wl_random random = wl_random_stream(2, 0);
    sw_scoring scoring;
    size_t compared = 0;
    check(sw_scoring_named("BLOSUM62", &scoring));
    for (int round = 0; round < 400; round++) {
        const uint32_t letters = round % 2 ? 4 : SW_LETTERS;
        uint8_t query[MOST], subject[MOST];
        uint32_t m = 1 + wl_random_below(&random, MOST);
        check(sw_scoring_gaps(gaps[round % 4][0], gaps[round % 4][1], &scoring));
        for (uint32_t i = 0; i < m; i++) query[i] = (uint8_t)wl_random_below(&random, letters);
        const uint32_t n = derive(&random, query, m, letters, subject);
        char barred[MOST][MOST] = {{0}};
        sw_alignment first, *others;
        size_t count;
        check(sw_align(&scoring, query, m, subject, n, &first));
        if (first.score > 0) {
            bar(&scoring, query, subject, &first, barred);
            check(sw_align_others(&scoring, query, m, subject, n, &first, 5, 8, &others, &count));
            int all_seen = 1;
            for (size_t k = 0; k < count; k++) {
                const int best = best_without(&scoring, query, m, subject, n, barred);
                assert_true(others[k].score <= best);
                if (others[k].score < best) all_seen = 0;
                compared += (size_t)all_seen;
                assert_int_equal(bar(&scoring, query, subject, &others[k], barred), others[k].score);
                assert_false(lies_within(&others[k], &first));
                for (size_t l = 0; l < k; l++) assert_false(lies_within(&others[k], &others[l]));
            }
            if (count < 8 && all_seen) // what is left is too low, or within another
                compared += best_without(&scoring, query, m, subject, n, barred) < 5;
            for (size_t k = 0; k < count; k++) sw_alignment_free(&others[k]);
            free(others);
        }
        sw_alignment_free(&first);
    }
    assert_true(compared > 200);
}

/* Nothing aligns: score 0, an empty path. */
TEST(nothing_aligns) {
    sw_scoring scoring;
    check(sw_scoring_nucleotide(2, -3, &scoring));
    const uint8_t query[] = {0, 0, 0}, subject[] = {1};
    sw_alignment a;
    check(sw_align(&scoring, query, 3, subject, 1, &a));
    assert_int_equal(a.score, 0);
    assert_int_equal(a.columns, 0);
    assert_string_equal(a.operations, "");
    sw_alignment_free(&a);
}

/* Counts along a path known by heart: W A C - E against W S C D E. */
TEST(counts) {
    sw_scoring scoring;
    check(sw_scoring_named("BLOSUM62", &scoring));
    check(sw_scoring_gaps(1, 1, &scoring));
    uint8_t query[16], subject[16];
    const char *q = "WACEWW", *s = "WSCDDEWW";
    for (int i = 0; q[i]; i++) query[i] = (uint8_t)sw_code(SW_PROTEIN, q[i]);
    for (int i = 0; s[i]; i++) subject[i] = (uint8_t)sw_code(SW_PROTEIN, s[i]);
    sw_alignment a;
    check(sw_align(&scoring, query, 6, subject, 8, &a));
    assert_int_equal(a.score, 11 + 1 + 9 - 3 + 5 + 11 + 11);
    assert_string_equal(a.operations, "MMMDDMMM");
    assert_int_equal(a.identities, 5);
    assert_int_equal(a.positives, 6);
    assert_int_equal(a.mismatches, 1);
    assert_int_equal(a.gap_openings, 1);
    assert_int_equal(a.gap_residues, 2);
    sw_alignment_free(&a);
}

/* Long sequences in memory that grows with their lengths: 100 million cells, of which a direct trace would keep every
   one in a byte, in less than half of that; and the score is the reference's. */
TEST(long_sequences) {
    enum { LONG = 10000 };
    sw_scoring scoring;
    check(sw_scoring_named("BLOSUM62", &scoring));
    wl_random random = wl_random_stream(2, 0);
    uint8_t *query = malloc(LONG), *subject = malloc(LONG);
    for (uint32_t i = 0; i < LONG; i++) query[i] = (uint8_t)wl_random_below(&random, 20);
    uint32_t n = 0;
    for (uint32_t i = 0; i < LONG && n < LONG; i++)
        if (wl_random_below(&random, 30) > 0)
            subject[n++] = wl_random_below(&random, 3) == 0 ? (uint8_t)wl_random_below(&random, 20) : query[i];
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    sw_alignment a;
    check(sw_align(&scoring, query, LONG, subject, n, &a));
    getrusage(RUSAGE_SELF, &after);
    assert_true(a.columns > LONG / 2);
#ifndef __SANITIZE_ADDRESS__                                    // which keeps what is freed
    assert_true(after.ru_maxrss - before.ru_maxrss < 48 << 10); // in kB
#endif
    assert_int_equal(a.score, reference_score(&scoring, query, LONG, subject, n));
    sw_alignment_free(&a);
    free(query);
    free(subject);
}

int main(void) { return run_all_tests(NULL, NULL); }
