/* Further alignments of a pair against the rule written out: one after another the best of what is left, all matrices kept, whether it is
   reported or not. Sequences are of the kinds in which most of what is left lies within a better alignment: repeats, against themselves,
   against a changed copy with other ends, and against a part; and unrelated ones. Also: the pairs that sw/core bars. */
#include "tests/support/unit.h"

#include "harness/base/memory.h"
#include "harness/base/random.h"
#include "sw/core/pair.h"
#include "tools/search/align/align.h"

enum { MOST = 90, LIST = MOST * MOST };
static const int never = INT32_MIN / 4;

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

/* --- The rule ----------------------------------------------------------------------------------------------------- */

static char barred[MOST][MOST];
static int H[MOST + 1][MOST + 1], E[MOST + 1][MOST + 1], F[MOST + 1][MOST + 1];

typedef struct {
    const sw_scoring *scoring;
    const uint8_t *query, *subject;
    int m, n;
} pair;

static int larger(int a, int b) { return a > b ? a : b; }

/* Rows and columns from (i0, j0) on; local, or from that corner; `step` -1: backwards. */
static void fill(const pair *p, int i0, int j0, int rows, int columns, int step, int local) {
    const int open = p->scoring->gap_open, extend = p->scoring->gap_extend;
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            E[i][j] = j == 0 ? never : larger(E[i][j - 1] - extend, H[i][j - 1] - open);
            F[i][j] = i == 0 ? never : larger(F[i - 1][j] - extend, H[i - 1][j] - open);
            const int q = i0 + step * (i - 1), s = j0 + step * (j - 1);
            const int value = i == 0 || j == 0 || barred[q][s]
                                  ? never
                                  : H[i - 1][j - 1] + p->scoring->matrix[p->query[q]][p->subject[s]];
            H[i][j] = larger(value, larger(E[i][j], F[i][j]));
            if ((i == 0 && j == 0) || (local && H[i][j] < 0)) H[i][j] = 0;
        }
}

static int is_pair(const pair *p, int i, int j, int q, int s) {
    return i > 0 && j > 0 && !barred[q][s] &&
           H[i][j] == H[i - 1][j - 1] + p->scoring->matrix[p->query[q]][p->subject[s]];
}

/* The path of an alignment whose ranges are known, and its pairs are barred. */
static void follow(const pair *p, sw_alignment *a) {
    const int extend = p->scoring->gap_extend, i0 = (int)a->query_first, j0 = (int)a->subject_first;
    int i = (int)a->query_last + 1 - i0, j = (int)a->subject_last + 1 - j0, in = 'M';
    fill(p, i0, j0, i, j, 1, 0);
    char *to = a->operations = calloc(1, (size_t)i + (size_t)j + 1);
    while (i > 0 || j > 0) {
        if (in == 'M' && !is_pair(p, i, j, i0 + i - 1, j0 + j - 1)) in = H[i][j] == F[i][j] ? 'I' : 'D';
        *to++ = (char)in;
        if (in == 'M') {
            i--, j--;
        } else if (in == 'I') {
            in = i > 1 && F[i][j] == F[i - 1][j] - extend ? 'I' : 'M';
            i--;
        } else {
            in = j > 1 && E[i][j] == E[i][j - 1] - extend ? 'D' : 'M';
            j--;
        }
    }
    for (char *from = a->operations; from < --to; from++) {
        const char c = *from;
        *from = *to;
        *to = c;
    }
}

static void bar(const sw_alignment *a) {
    uint32_t q = a->query_first, s = a->subject_first;
    for (const char *step = a->operations; *step; step++) {
        if (*step == 'M') barred[q][s] = 1;
        q += *step != 'D';
        s += *step != 'I';
    }
}

static int lies_within(const sw_alignment *a, const sw_alignment *b) {
    return a->query_first >= b->query_first && a->query_last <= b->query_last && a->subject_first >= b->subject_first &&
           a->subject_last <= b->subject_last;
}

/* The best of what is left; its score is 0 if there is none. */
static sw_alignment next(const pair *p) {
    sw_alignment a = {0};
    int rows = 0, columns = 0;
    fill(p, 0, 0, p->m, p->n, 1, 1);
    for (int j = 1; j <= p->n; j++)
        for (int i = 1; i <= p->m; i++)
            if (H[i][j] > a.score) {
                a.score = H[i][j];
                rows = i;
                columns = j;
            }
    if (a.score == 0) return a;
    a.query_last = (uint32_t)rows - 1;
    a.subject_last = (uint32_t)columns - 1;
    fill(p, rows - 1, columns - 1, rows, columns, -1, 0);
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++)
            if (H[i][j] == a.score) {
                a.query_first = (uint32_t)(rows - i);
                a.subject_first = (uint32_t)(columns - j);
                follow(p, &a);
                return a;
            }
    fail_msg("no beginning");
    return a;
}

/* --- Comparing ---------------------------------------------------------------------------------------------------- */

static struct { size_t pairs, reported, within; } seen;

static void compare(const pair *p, int least, size_t most) {
    sw_alignment first, *others, all[LIST];
    size_t count, found = 1, reported = 0;
    check(sw_align(p->scoring, p->query, (uint32_t)p->m, p->subject, (uint32_t)p->n, &first));
    if (first.score == 0) {
        sw_alignment_free(&first);
        return;
    }
    check(sw_align_others(p->scoring, p->query, (uint32_t)p->m, p->subject, (uint32_t)p->n, &first, least, most,
                          &others, &count));
    memset(barred, 0, sizeof barred);
    all[0] = first;
    bar(&first);
    while (reported < most && found < LIST) {
        sw_alignment a = next(p);
        if (a.score < least || a.score < 1) {
            sw_alignment_free(&a);
            break;
        }
        int within = 0;
        for (size_t k = 0; k < found; k++) within |= lies_within(&a, &all[k]);
        bar(&a);
        if (!within) {
            if (reported >= count || others[reported].score != a.score ||
                strcmp(others[reported].operations, a.operations) != 0 ||
                others[reported].query_first != a.query_first || others[reported].subject_first != a.subject_first)
                fail_msg(
                    "%d x %d, least %d, further alignment %zu of %zu: score %d, %u, %u, %s; expected %d, %u, %u, %s",
                    p->m, p->n, least, reported, count, reported < count ? others[reported].score : 0,
                    reported < count ? others[reported].query_first : 0,
                    reported < count ? others[reported].subject_first : 0,
                    reported < count ? others[reported].operations : "-", a.score, a.query_first, a.subject_first,
                    a.operations);
            reported++;
        }
        seen.within += (size_t)within;
        sw_alignment_free(&a);
        all[found++] = a;
    }
    assert_int_equal(reported, count);
    seen.pairs++;
    seen.reported += reported;
    for (size_t k = 0; k < count; k++) sw_alignment_free(&others[k]);
    free(others);
    sw_alignment_free(&first);
}

static uint32_t repeats(wl_random *random, uint32_t letters, uint32_t change, uint8_t *to) {
    const uint32_t unit = 3 + wl_random_below(random, 14), length = 20 + wl_random_below(random, MOST - 20);
    for (uint32_t i = 0; i < length; i++)
        to[i] =
            i < unit || wl_random_below(random, change) == 0 ? (uint8_t)wl_random_below(random, letters) : to[i - unit];
    return length;
}

/* A copy with changes, without some of its ends and with others. */
static uint32_t copied(wl_random *random, uint32_t letters, uint32_t change, const uint8_t *from, uint32_t m,
                       uint8_t *to) {
    uint32_t n = 0, begin = wl_random_below(random, 6), end = m - wl_random_below(random, 6);
    for (uint32_t more = wl_random_below(random, 8); more > 0; more--)
        to[n++] = (uint8_t)wl_random_below(random, letters);
    for (uint32_t i = begin; i < end && n < MOST; i++) {
        const uint32_t what = wl_random_below(random, change);
        if (what == 0) continue;
        to[n++] = what == 1 ? (uint8_t)wl_random_below(random, letters) : from[i];
    }
    for (uint32_t more = wl_random_below(random, 8); more > 0 && n < MOST; more--)
        to[n++] = (uint8_t)wl_random_below(random, letters);
    return n;
}

TEST(others_are_the_rule_s) {
    static const int gaps[][2] = {{11, 1}, {2, 1}, {0, 1}, {5, 2}, {0, 0}, {30, 3}};
    wl_random random = wl_random_stream(35, 0);
    sw_scoring scoring;
    for (int round = 0; round < 1000; round++) {
        const uint32_t letters = round % 3 == 0 ? 4 : 20, change = 4 + wl_random_below(&random, 40);
        uint8_t query[MOST], subject[MOST];
        if (letters == 4)
            check(sw_scoring_nucleotide(2, -3, &scoring));
        else
            check(sw_scoring_named("BLOSUM62", &scoring));
        check(sw_scoring_gaps(gaps[round / 3 % 6][0], gaps[round / 3 % 6][1], &scoring));
        const uint32_t m = repeats(&random, letters, change, query);
        uint32_t n = m;
        if (round % 5 == 0)
            memcpy(subject, query, m);
        else if (round % 5 == 1)
            n = repeats(&random, letters, change, subject);
        else
            n = copied(&random, letters, 3 + wl_random_below(&random, 60), query, m, subject);
        const pair p = {&scoring, query, subject, (int)m, (int)n}, turned = {&scoring, subject, query, (int)n, (int)m};
        const int least = 1 + (int)wl_random_below(&random, 40);
        compare(&p, least, 1 + wl_random_below(&random, 12));
        compare(&turned, least, LIST);
    }

    assert_true(seen.reported > 600 && seen.within > 600);
}

/* Longer sequences than are filled in by one band or in one round, and all instruction sets' lanes. */
TEST(barred_pairs) {
    wl_random random = wl_random_stream(36, 0);
    sw_scoring scoring;
    check(sw_scoring_named("BLOSUM62", &scoring));
    for (int round = 0; round < 40; round++) {
        enum { LONG = 3000 };
        static uint8_t query[LONG], subject[LONG];
        static uint32_t column[2][LONG];
        const uint32_t m = 1 + wl_random_below(&random, LONG), n = 1 + wl_random_below(&random, LONG);
        for (uint32_t i = 0; i < m; i++) query[i] = (uint8_t)wl_random_below(&random, 20);
        for (uint32_t j = 0; j < n; j++)
            subject[j] = j < m && wl_random_below(&random, 9) ? query[j] : (uint8_t)wl_random_below(&random, 20);
        const uint32_t first = wl_random_below(&random, m), rows = m - first;
        for (uint32_t k = 0; k < rows; k++) {
            column[0][k] = first + k < n && wl_random_below(&random, 7) ? first + k + 1 : 0;
            column[1][k] = first + k + 2 < n ? first + k + 3 : 0;
        }
        const sw_path paths[] = {{first, rows, column[0]}, {first, rows, column[1]}};
        const sw_barred bars = {paths, 2, 0, 0, 0};
        const int backwards = round % 2;
        int best = 0;
        uint32_t best_query = 0, best_subject = 0;
        int *above = calloc((size_t)n + 1, sizeof *above), *down = calloc((size_t)n + 1, sizeof *down);
        for (uint32_t i = 1; i <= m; i++) {
            int diagonal = 0, across = 0;
            for (uint32_t j = 1; j <= n; j++) {
                const uint32_t q = backwards ? m - i : i - 1, s = backwards ? n - j : j - 1;
                const int is_barred = q >= first && (column[0][q - first] == s + 1 || column[1][q - first] == s + 1);
                across = larger(across - scoring.gap_extend, above[j - 1] - scoring.gap_open);
                down[j] = larger(down[j] - scoring.gap_extend, above[j] - scoring.gap_open);
                const int value = is_barred ? 0 : diagonal + scoring.matrix[query[q]][subject[s]];
                diagonal = above[j];
                above[j] = larger(larger(value, 0), larger(across, down[j]));
                if (above[j] > best || (above[j] == best && j < best_subject)) {
                    best = above[j];
                    best_query = i;
                    best_subject = j;
                }
            }
        }
        WL_FREE(above, down);
        uint8_t *reversed_query = sw_reversed(query, m), *reversed_subject = sw_reversed(subject, n);
        const sw_barred back = {paths, 2, m - 1, n - 1, 1};
        const sw_pair one = {.scoring = &scoring,
                             .query = backwards ? reversed_query : query,
                             .subject = backwards ? reversed_subject : subject,
                             .m = m,
                             .n = n,
                             .end = SW_LEAST_SUBJECT,
                             .threads = 1 + round % 3,
                             .barred = backwards ? &back : &bars};
        static const char *const isas[] = {"portable", "sse41", "avx2", "avx512"};
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            setenv("WL_CPU_ISA", isas[i], 1);
            sw_pair_best got;
            if (sw_pair_find(&one, &got) != WL_OK) continue; // not here
            assert_int_equal(got.score, best);
            assert_int_equal(got.query, best_query);
            assert_int_equal(got.subject, best_subject);
        }
        unsetenv("WL_CPU_ISA");
        WL_FREE(reversed_query, reversed_subject);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
