/* Alignments with their columns: against a second implementation of trace.h's rule that keeps both matrices and is as plain as
   can be, whatever the memory; their scores against the reference; and what an alignment costs against every path there is. */
#include <sys/resource.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "papara/generate.h"
#include "papara/reference.h"
#include "tools/align_reads/trace.h"

enum { MOST = 150 }; // more than two of trace.c's blocks
#if defined __SANITIZE_ADDRESS__
enum { SHARE = 8 }; // of the rounds: they take ten times as long
#else
enum { SHARE = 1 };
#endif

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

static papara_penalties random_penalties(wl_random *random) {
    static const papara_penalties usual = PAPARA_PENALTIES;
    const uint32_t most = wl_random_below(random, 3) == 0 ? 1 + PAPARA_PENALTY_MOST : 6; // small ones tie more often
    papara_penalties p = {.mismatch = (int)wl_random_below(random, most),
                          .insertion = (int)wl_random_below(random, most),
                          .gap_open = (int)wl_random_below(random, most),
                          .cgap = (int)wl_random_below(random, most)};
    p.gap_extend = (int)wl_random_below(random, (uint32_t)p.gap_open + 1);
    return wl_random_below(random, 4) == 0 ? usual : p;
}

/* --- The plain implementation ------------------------------------------------------------------------------------ */

static int64_t S[MOST + 1][MOST + 2], D[MOST + 1][MOST + 2]; // [j][i]
static const int64_t infinite = INT64_MAX / 4;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t on_site(const papara_input *input, uint32_t A, uint8_t code) {
    return (A & input->sets[code] ? 0 : input->penalties.mismatch) + (A & PAPARA_CGAP ? input->penalties.cgap : 0);
}

static int64_t trace_plainly(const papara_input *input, const uint32_t *A, const uint8_t *B, uint32_t m,
                             int32_t *column) {
    const papara_penalties *p = &input->penalties;
    const uint32_t n = input->sites;
    for (uint32_t j = 0; j <= m; j++)
        for (uint32_t i = 0; i <= n; i++) {
            S[j][i] = j == 0 && i <= n - m ? 0 : infinite;
            D[j][i] = infinite;
            if (j == 0 || i < j || i > j + n - m) continue;
            int64_t open = A[i - 1] & PAPARA_CGAP ? 0 : p->gap_open,
                    extend = A[i - 1] & PAPARA_CGAP ? 0 : p->gap_extend;
            if (i > j) D[j][i] = least(S[j][i - 1] + open, D[j][i - 1] + extend);
            int64_t diagonal = S[j - 1][i - 1] + on_site(input, A[i - 1], B[j - 1]);
            S[j][i] = least(diagonal, least(D[j][i], S[j - 1][i] + p->insertion));
        }
    uint32_t i = m, j = m;
    for (uint32_t k = m; k <= n; k++)
        if (S[m][k] < S[m][i]) i = k;
    const int64_t score = S[m][i];
    while (j > 0) {
        if (S[j][i] == S[j - 1][i - 1] + on_site(input, A[i - 1], B[j - 1])) {
            i--;
            j--;
            column[j] = (int32_t)i;
        } else if (S[j][i] == D[j][i]) {
            int64_t open;
            do {
                open = A[i - 1] & PAPARA_CGAP ? 0 : p->gap_open;
                i--;
            } while (D[j][i + 1] != S[j][i] + open);
        } else {
            assert_true(S[j][i] == S[j - 1][i] + p->insertion);
            column[--j] = -1;
        }
    }
    return score;
}

/* --- Whole inputs ------------------------------------------------------------------------------------------------ */

static int compared; // pairs

static void compare_pair(const papara_input *input, const uint32_t *A, const uint8_t *B, uint32_t m, int reference) {
    static const size_t memories[] = {PAPARA_TRACE_MEMORY, 0, 100, 400, 1500};
    int32_t plain[MOST], column[MOST];
    assert_int_equal(trace_plainly(input, A, B, m, plain), reference);
    const int most[] = {PAPARA_INFINITE, reference, reference + compared % 7};
    int score = -1;
    for (size_t k = 0; k < sizeof memories / sizeof *memories; k++) {
        if (k > 0 && compared % 3) break;
        for (size_t b = 0; b < sizeof most / sizeof *most; b++) {
            memset(column, 0x7F, sizeof column);
            check(papara_trace_within(input, A, B, m, most[b], memories[k], column, &score));
            assert_int_equal(score, reference);
            assert_memory_equal(column, plain, m * sizeof *column);
        }
    }
    if (reference > 0) {
        int32_t unwritten[MOST];
        memset(unwritten, 0x7F, sizeof unwritten);
        check(papara_trace(input, A, B, m, reference - 1, unwritten, &score));
        assert_int_equal(score, PAPARA_INFINITE);
        for (uint32_t j = 0; j < m; j++) assert_int_equal(unwritten[j], 0x7F7F7F7F);
    }
    assert_int_equal(papara_alignment_cost(input, A, B, m, column), reference);
    compared++;
}

static void compare(const papara_input *input) {
    int *score = malloc(input->reads.count * input->vectors * sizeof *score);
    papara_reference(input, 0, papara_slices(input), score);
    for (size_t r = 0; r < input->reads.count; r++)
        for (size_t v = 0; v < input->vectors; v++)
            compare_pair(input, input->site + v * input->sites, input->reads.codes + input->reads.start[r],
                         input->reads.length[r], score[r * input->vectors + v]);
    free(score);
}

/* Every kind of data, both alphabets, penalties of all sizes, from reads of one letter to reads as long as the reference:
   columns are the plain implementation's, and cost what the reference says. */
TEST(columns_are_the_rule_s) {
    wl_random random = wl_random_stream(1, 0);
    compared = 0;
    for (int round = 0; round < 500 / SHARE; round++)
        for (int kind = 0; kind < PAPARA_KINDS; kind++) {
            uint32_t sites = 1 + wl_random_below(&random, round % 10 ? 24 : MOST);
            uint32_t lengths[5] = {1, sites, sites > 1 ? sites - 1 : 1};
            for (int k = 3; k < 5; k++) lengths[k] = 1 + wl_random_below(&random, sites);
            papara_random_recipe recipe = {.seed = wl_random_next(&random),
                                           .alphabet = round % 4 ? PAPARA_DNA : PAPARA_PROTEIN,
                                           .kind = (papara_kind)kind,
                                           .penalties = random_penalties(&random),
                                           .vectors = 7,
                                           .reads = 5,
                                           .sites = sites,
                                           .lengths = lengths,
                                           .length_count = 5,
                                           .read_length = 1,
                                           .shortest = 1,
                                           .longest = sites};
            papara_owned_input made;
            check(papara_generate(&recipe, &made));
            compare(&made.input);
            papara_owned_input_free(&made);
        }
    assert_true(compared > 100000 / SHARE);
}

/* --- Every path -------------------------------------------------------------------------------------------------- */

enum { FEW_SITES = 6, FEW_LETTERS = 5, PATTERNS = 16807 /* (FEW_SITES + 1) to the power FEW_LETTERS */ };

static int64_t pattern_cost[PATTERNS];

typedef struct {
    const papara_input *input;
    const uint32_t *A;
    const uint8_t *B;
    uint32_t n, m;
} pair;

static int exists(const pair *p, uint32_t i, uint32_t j) { return i >= j && i <= j + p->n - p->m; }

/* No minimum of parts: a path's cost is added up along it. `pattern` has a digit for each letter: its site, or 0. */
static void walk(const pair *p, uint32_t i, uint32_t j, int in_gap, int64_t cost, int pattern) {
    const papara_penalties *q = &p->input->penalties;
    if (j == p->m) pattern_cost[pattern] = least(pattern_cost[pattern], cost);
    if (j < p->m && i < p->n && exists(p, i + 1, j + 1))
        walk(p, i + 1, j + 1, 0, cost + on_site(p->input, p->A[i], p->B[j]), pattern * (FEW_SITES + 1) + (int)i + 1);
    if (j < p->m && exists(p, i, j + 1)) walk(p, i, j + 1, 0, cost + q->insertion, pattern * (FEW_SITES + 1));
    if (j > 0 && i < p->n && exists(p, i + 1, j)) {
        int64_t skip = p->A[i] & PAPARA_CGAP ? 0 : in_gap ? q->gap_extend : q->gap_open;
        walk(p, i + 1, j, 1, cost + skip, pattern);
    }
}

/* papara_alignment_cost for every way to set columns, good alignments and bad: the least of all paths that have these columns,
   and -1 where no path has. */
TEST(costs_are_the_least_of_all_paths) {
    wl_random random = wl_random_stream(2, 0);
    size_t alignments = 0, refused = 0;
    for (int round = 0; round < 300 / SHARE; round++) {
        uint32_t A[FEW_SITES], n = 1 + wl_random_below(&random, FEW_SITES);
        uint32_t m = 1 + wl_random_below(&random, n < FEW_LETTERS ? n : FEW_LETTERS);
        uint8_t B[FEW_LETTERS];
        papara_input input = {.penalties = random_penalties(&random), .states = 4, .sites = n};
        papara_sets(PAPARA_DNA, input.sets);
        const uint32_t gaps = wl_random_below(&random, 4);
        for (uint32_t i = 0; i < n; i++)
            A[i] = (1 + wl_random_below(&random, 15)) | (wl_random_below(&random, 3) < gaps ? PAPARA_CGAP : 0);
        for (uint32_t j = 0; j < m; j++) B[j] = (uint8_t)(1 + wl_random_below(&random, 15));
        const pair p = {&input, A, B, n, m};
        int patterns = 1;
        for (uint32_t j = 0; j < m; j++) patterns *= FEW_SITES + 1;
        for (int k = 0; k < patterns; k++) pattern_cost[k] = infinite;
        for (uint32_t i = 0; i <= n - m; i++) walk(&p, i, 0, 0, 0, 0);
        for (int k = 0; k < patterns; k++) {
            int32_t column[FEW_LETTERS];
            for (int j = (int)m - 1, rest = k; j >= 0; j--, rest /= FEW_SITES + 1)
                column[j] = rest % (FEW_SITES + 1) - 1;
            int64_t cost = papara_alignment_cost(&input, A, B, m, column);
            if (cost != (pattern_cost[k] == infinite ? -1 : pattern_cost[k]))
                fail_msg("round %d, pattern %d: cost %lld; expected %lld", round, k, (long long)cost,
                         (long long)pattern_cost[k]);
            alignments += cost >= 0;
            refused += cost < 0;
        }
    }
    assert_true(alignments > 3000 / SHARE && refused > 10000 / SHARE);
}

/* --- By hand ----------------------------------------------------------------------------------------------------- */

/* Sites as letters, lower case: with CGAP. The read's columns are expected as digits, '.' for an inserted letter. */
static void expect(const char *sites, const char *read, const char *columns, int expected) {
    static const papara_penalties usual = PAPARA_PENALTIES;
    papara_input input = {.penalties = usual, .states = 4, .sites = (uint32_t)strlen(sites)};
    papara_sets(PAPARA_DNA, input.sets);
    uint32_t A[MOST], m = (uint32_t)strlen(read);
    uint8_t B[MOST];
    int32_t column[MOST];
    int score;
    for (uint32_t i = 0; i < input.sites; i++)
        A[i] = input.sets[papara_code(PAPARA_DNA, (unsigned char)sites[i])] | (sites[i] >= 'a' ? PAPARA_CGAP : 0);
    for (uint32_t j = 0; j < m; j++) B[j] = (uint8_t)papara_code(PAPARA_DNA, (unsigned char)read[j]);
    check(papara_trace(&input, A, B, m, PAPARA_INFINITE, column, &score));
    char found[MOST + 1] = "";
    for (uint32_t j = 0; j < m; j++) found[j] = (char)(column[j] < 0 ? '.' : '0' + column[j]);
    assert_string_equal(found, columns);
    assert_int_equal(score, expected);
    assert_int_equal(papara_alignment_cost(&input, A, B, m, column), expected);
}

TEST(examples_by_hand) {
    expect("ACGT", "ACGT", "0123", 0);
    expect("ACGTACGT", "ACGT", "0123", 0);         // of equals, the one that ends first
    expect("AACCTTGG", "AACCGG", "012367", 5);     // two sites skipped: 4 + 1
    expect("AACCttGG", "AACCGG", "012367", 0);     // with CGAP for nothing
    expect("AAcTCGG", "AATCGG", "013456", 0);      // as do these around one letter
    expect("TTAACCGGTT", "AACCTGG", "2345.67", 3); // an inserted letter
    expect("ccccACccc", "AC", "45", 0);
    expect("acgt", "ACGT", "0123", 12); // every letter on CGAP: 3 each, and no room for insertions
}

/* Longer than what the limit holds: 4,000 letters against 30,000 sites are computed in stretches. */
TEST(long_reads_are_traced_in_stretches) {
    const uint32_t length = 4000;
    papara_random_recipe recipe = {.seed = 3,
                                   .kind = PAPARA_KIND_GAPS,
                                   .penalties = PAPARA_PENALTIES,
                                   .vectors = 1,
                                   .reads = 1,
                                   .sites = 30000,
                                   .lengths = &length,
                                   .length_count = 1,
                                   .read_length = length,
                                   .shortest = length,
                                   .longest = length};
    papara_owned_input made;
    check(papara_generate(&recipe, &made));
    static int32_t whole[4000], parts[4000];
    int score, again, expected;
    const uint8_t *codes = made.input.reads.codes + made.input.reads.start[0];
    check(papara_trace(&made.input, made.input.site, codes, length, PAPARA_INFINITE, parts, &score));
    check(papara_trace_within(&made.input, made.input.site, codes, length, PAPARA_INFINITE, SIZE_MAX, whole, &again));
    papara_reference(&made.input, 0, papara_slices(&made.input), &expected);
    assert_int_equal(score, expected);
    assert_int_equal(again, expected);
    assert_memory_equal(whole, parts, sizeof whole);
    memset(parts, 0, sizeof parts);
    check(papara_trace(&made.input, made.input.site, codes, length, expected, parts, &score));
    assert_int_equal(score, expected);
    assert_memory_equal(whole, parts, sizeof whole);
    assert_int_equal(papara_alignment_cost(&made.input, made.input.site, codes, length, whole), expected);
    papara_owned_input_free(&made);
}

/* Short memory is said, in one line. */
TEST(no_memory) {
#if defined __SANITIZE_ADDRESS__
    skip(); // the sanitizer needs the address space
#else
    const uint32_t n = 40 << 20;
    uint32_t *site = malloc(n * sizeof *site);
    for (uint32_t i = 0; i < n; i++) site[i] = 15;
    papara_input input = {.penalties = PAPARA_PENALTIES, .states = 4, .sites = n};
    papara_sets(PAPARA_DNA, input.sets);
    static uint8_t codes[500];
    memset(codes, 1, sizeof codes);
    struct rlimit before, less;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    less = before;
    less.rlim_cur = (rlim_t)1 << 30;
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    int32_t column[500];
    int score;
    wl_status status = papara_trace(&input, site, codes, 500, PAPARA_INFINITE, column, &score);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, WL_NO_MACHINE);
    assert_string_equal(wl_error(), "not enough memory to align a read of 500 letters to 41943040 sites");
    free(site);
#endif
}

int main(void) { return run_all_tests(NULL, NULL); }
