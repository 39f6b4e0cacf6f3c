/* Compares sw/core, on every instruction set of this machine, with the recurrence written out: the score and the ends of random and related
   pairs. Their lengths are around multiples of the lanes and bands. There are one thread or several, and the score is known or not. Some
   scores are beyond 8 bits, beyond 16 bits and, with a base, beyond the lanes' own range. */
#include "tests/support/unit.h"
#include "harness/base/cpu.h"
#include "harness/base/random.h"
#include "sw/core/pair.h"

static const struct {
    const char *name;
    wl_cpu_isa isa;
} isas[] = {{"portable", WL_ISA_PORTABLE}, {"sse41", WL_ISA_SSE41},           {"avx2", WL_ISA_AVX2},
            {"avx512bw", WL_ISA_AVX512BW}, {"avx512vbmi", WL_ISA_AVX512VBMI}, {"avx512amd", WL_ISA_AVX512AMD},
            {"avx512", WL_ISA_AVX512VBMI}}; // one of these two

static int between(wl_random *random, int low, int high) {
    return low + (int)wl_random_below(random, (uint32_t)(high - low + 1));
}

/* --- What is expected --------------------------------------------------------------------------------------------- */

/* The score, and both ends that can be asked for: [0] the least subject position, [1] the least query position. */
typedef struct {
    int score;
    uint32_t query[2], subject[2];
} expectation;

static int larger(int a, int b) { return a > b ? a : b; }

static void expect(const sw_pair *p, expectation *e) {
    int *H = calloc((size_t)p->n + 1, sizeof *H),
        *F = calloc((size_t)p->n + 1, sizeof *F); // F below 0 is no better than 0
    assert_non_null(H);
    assert_non_null(F);
    *e = (expectation){0};
    for (uint32_t i = 1; i <= p->m; i++) {
        int diagonal = 0, E = 0;
        for (uint32_t j = 1; j <= p->n; j++) {
            E = larger(E - p->scoring->gap_extend, H[j - 1] - p->scoring->gap_open);
            F[j] = larger(F[j] - p->scoring->gap_extend, H[j] - p->scoring->gap_open);
            const int pair = diagonal + p->scoring->matrix[p->query[i - 1]][p->subject[j - 1]];
            diagonal = H[j];
            H[j] = larger(larger(pair, 0), larger(E, F[j]));
            if (H[j] > e->score) *e = (expectation){H[j], {i, i}, {j, j}};
            if (H[j] == e->score && j < e->subject[0]) {
                e->query[0] = i;
                e->subject[0] = j;
            }
        }
    }
    free(H);
    free(F);
}

/* --- What is found ------------------------------------------------------------------------------------------------ */

static void find(const sw_pair *pair, const expectation *e, int known, const char *isa) {
    static const sw_which_end ends[] = {SW_LEAST_SUBJECT, SW_LEAST_QUERY, SW_ANY_END};
    for (size_t k = 0; k < COUNT(ends); k++) {
        sw_pair p = *pair;
        sw_pair_best best;
        p.end = ends[k];
        p.score = known ? e->score : 0;
        p.bits = k == 2 && !known && p.m % 3 == 0 ? 8 : 0;
        assert_int_equal(sw_pair_find(&p, &best), WL_OK);
        const uint32_t query = p.end == SW_ANY_END ? 0 : e->query[k], subject = p.end == SW_ANY_END ? 0 : e->subject[k];
        if (best.score == e->score && best.query == query && best.subject == subject) continue;
        fail_msg("%s, %u x %u, gaps %d, %d, threads %d, end %zu, known %d: %d at %u, %u; expected %d at %u, %u", isa,
                 p.m, p.n, p.scoring->gap_open, p.scoring->gap_extend, p.threads, k, known, best.score, best.query,
                 best.subject, e->score, query, subject);
    }
}

static void every_isa(sw_pair *pair) {
    expectation e;
    expect(pair, &e);
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (!wl_cpu_has(isas[i].isa)) continue;
        setenv("WL_CPU_ISA", isas[i].name, 1);
        sw_pair_best best;
        if (sw_pair_find(pair, &best) != WL_OK && strstr(wl_error(), "this build") != NULL) continue; // a sanitizer's
        find(pair, &e, 0, isas[i].name);
        if (e.score > 0) find(pair, &e, 1, isas[i].name);
    }
    unsetenv("WL_CPU_ISA");
}

/* --- Inputs ------------------------------------------------------------------------------------------------------- */

static void finish_scoring(sw_scoring *scoring) {
    scoring->highest = scoring->lowest = scoring->matrix[0][0];
    for (int q = 0; q < SW_CODES; q++)
        for (int s = 0; s < SW_CODES; s++) {
            int8_t *score = &scoring->matrix[q][s];
            if (q >= SW_LETTERS || s >= SW_LETTERS) {
                *score = -SW_SCORE_MOST;
                continue;
            }
            if (*score > scoring->highest) scoring->highest = *score;
            if (*score < scoring->lowest) scoring->lowest = *score;
        }
}

/* Not symmetric; `equal` on top for equal letters. */
static sw_scoring random_scoring(wl_random *random, int low, int high, int equal, int open, int extend) {
    sw_scoring scoring = {.gap_open = open, .gap_extend = extend};
    for (int q = 0; q < SW_LETTERS; q++)
        for (int s = 0; s < SW_LETTERS; s++)
            scoring.matrix[q][s] = (int8_t)(between(random, low, high) + (q == s ? equal : 0));
    finish_scoring(&scoring);
    return scoring;
}

static uint8_t *random_letters(wl_random *random, uint32_t letters, uint32_t length) {
    uint8_t *residues = malloc((size_t)length + 1);
    assert_non_null(residues);
    for (uint32_t i = 0; i < length; i++) residues[i] = (uint8_t)wl_random_below(random, letters);
    return residues;
}

/* `from` with substitutions and gaps, from a place in it on. */
static uint8_t *related_letters(wl_random *random, const uint8_t *from, uint32_t m, uint32_t letters, uint32_t length) {
    uint8_t *residues = random_letters(random, letters, length);
    uint32_t at = wl_random_below(random, m), to = wl_random_below(random, length);
    for (; at < m && to < length; to++) {
        if (wl_random_below(random, 30) == 0) at += wl_random_below(random, 40);
        if (wl_random_below(random, 30) == 0) to += wl_random_below(random, 40);
        if (at < m && to < length && wl_random_below(random, 10) != 0) residues[to] = from[at];
        at++;
    }
    return residues;
}

static void try_pair(wl_random *random, const sw_scoring *scoring, uint32_t letters, uint32_t m, uint32_t n,
                     int threads) {
    uint8_t *query = random_letters(random, letters, m);
    uint8_t *subject = wl_random_below(random, 3) == 0 ? random_letters(random, letters, n)
                                                       : related_letters(random, query, m, letters, n);
    sw_pair pair = {.scoring = scoring, .query = query, .m = m, .subject = subject, .n = n, .threads = threads};
    every_isa(&pair);
    free(query);
    free(subject);
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

static const int gap_costs[][2] = {{12, 1}, {7, 2},   {1, 1},    {0, 0},   {5, 0},
                                   {3, 3},  {40, 40}, {100, 28}, {127, 1}, {10000, 10000}};

TEST(random_pairs) {
    enum { PAIRS = 500 };
    static const int lengths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 257};
    static const int scores[][3] = {{-4, 3, 6},   {-1, 1, 0},  {-127, 127, 0},       {-60, 79, 0},
                                    {-10, -1, 0}, {-3, -3, 5}, {-128 + 1, -100, 200}};
    wl_random random = wl_random_stream(21, 1);
    for (int k = 0; k < PAIRS; k++) {
        const int *range = scores[wl_random_below(&random, COUNT(scores))];
        const int *gap = gap_costs[wl_random_below(&random, COUNT(gap_costs))];
        const sw_scoring scoring = random_scoring(&random, range[0], range[1], range[2], gap[0], gap[1]);
        const uint32_t m = (uint32_t)lengths[wl_random_below(&random, COUNT(lengths))],
                       n = k % 2 ? (uint32_t)between(&random, 1, 300)
                                 : (uint32_t)lengths[wl_random_below(&random, COUNT(lengths))];
        const uint32_t letters = k % 3 == 0 ? 2 : k % 3 == 1 ? 4 : SW_LETTERS;
        try_pair(&random, &scoring, letters, k % 4 < 2 ? m : n, k % 4 < 2 ? n : m, 1 + k % 3);
    }
}

/* More rows than a band of any width has, one less and one more than several; and gaps across many lanes. */
TEST(bands) {
    static const uint32_t rows[] = {2047, 4096, 4097, 8191, 8193, 16500};
    wl_random random = wl_random_stream(21, 2);
    for (size_t k = 0; k < COUNT(rows); k++) {
        const int *gap = gap_costs[k % 4];
        const sw_scoring scoring = random_scoring(&random, -3, -3, k % 2 ? 5 : 60, gap[0], gap[1]);
        const uint32_t other = k % 2 ? 150 : 63;
        try_pair(&random, &scoring, 4, k % 3 ? rows[k] : other, k % 3 ? other : rows[k], 1 + (int)k % 3);
    }
}

/* Related pairs whose scores pass what 8 bits hold, what 16 bits hold, and there what a base can help with: 127 for each of 900 pairs
   of letters; and one with a gap that costs less than anything else. */
TEST(large_scores) {
    static const struct {
        int match, open, extend;
        uint32_t length;
    } cases[] = {{1, 2, 1, 300},   {2, 7, 2, 1500},   {30, 12, 1, 1300},     {127, 200, 3, 900},
                 {127, 1, 0, 700}, {14, 12, 1, 2600}, {100, 9000, 9000, 600}};
    wl_random random = wl_random_stream(21, 3);
    for (size_t k = 0; k < COUNT(cases); k++) {
        const sw_scoring scoring = random_scoring(&random, -3, -3, 0, cases[k].open, cases[k].extend);
        sw_scoring s = scoring;
        for (int c = 0; c < SW_LETTERS; c++) s.matrix[c][c] = (int8_t)cases[k].match;
        finish_scoring(&s);
        const uint32_t n = cases[k].length;
        uint8_t *query = random_letters(&random, 20, n), *subject = malloc(n);
        assert_non_null(subject);
        memcpy(subject, query, n);
        for (uint32_t j = 0; j < n; j += 1 + wl_random_below(&random, 90))
            subject[j] = (uint8_t)wl_random_below(&random, 20);
        sw_pair pair = {
            .scoring = &s, .query = query, .m = n, .subject = subject, .n = n - 5, .threads = 1 + (int)k % 2};
        every_isa(&pair);
        free(query);
        free(subject);
    }
}

/* A short motif again and again: many ends with the best score, of which one is asked for. */
TEST(equal_ends) {
    wl_random random = wl_random_stream(21, 4);
    for (int k = 0; k < 60; k++) {
        const sw_scoring scoring = random_scoring(&random, -9, -9, 11, 12, k % 2);
        const uint32_t m = (uint32_t)between(&random, 1, 400), n = (uint32_t)between(&random, 1, 400),
                       period = 1 + (uint32_t)k % 7;
        uint8_t *query = random_letters(&random, 20, m), *subject = random_letters(&random, 20, n);
        for (uint32_t i = 0; i < m; i++) query[i] = i % 9 < 4 ? (uint8_t)(i % 9) : query[i];
        for (uint32_t j = 0; j < n; j++) subject[j] = j % (9 + period) < 4 ? (uint8_t)(j % (9 + period)) : subject[j];
        sw_pair pair = {.scoring = &scoring, .query = query, .m = m, .subject = subject, .n = n, .threads = 2};
        every_isa(&pair);
        free(query);
        free(subject);
    }
}

TEST(refusals) {
    const sw_scoring scoring = {.gap_open = 2, .gap_extend = 1, .highest = 1};
    const uint8_t letters[1] = {0};
    sw_pair pair = {.scoring = &scoring, .query = letters, .m = 1, .subject = letters, .n = 0, .threads = 1};
    sw_pair_best best = {7, 7, 7};
    assert_int_equal(sw_pair_find(&pair, &best), WL_OK); // nothing against something
    assert_int_equal(best.score, 0);
    setenv("WL_CPU_ISA", "sse9", 1);
    assert_int_equal(sw_pair_find(&pair, &best), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "sse9"));
    unsetenv("WL_CPU_ISA");
}

int main(void) { return run_all_tests(NULL, NULL); }
