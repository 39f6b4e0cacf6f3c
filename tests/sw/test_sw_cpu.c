/* Compares sw/cpu_simd, on every instruction set of this machine, with the serial reference. Some hundred thousand random
   pairs have random matrices and gap costs, including extreme ones. Other tests have scores at and around what 8 and 16 bits
   hold, queries longer than a band, and subjects of very unequal lengths. */
#include "tests/support/unit.h"
#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/bench/variant.h"
#include "io/database/set.h"
#include "sw/problem.h"
#include "sw/reference.h"
#include "tests/support/cpu_variant.h"

static const char *const isas[] = {"portable", "sse41", "avx2", "avx512bw", "avx512vbmi", "avx512amd", "avx512"};
#define PORTABLE 1u // sets of instruction sets: bit i is isas[i]
#define ALL 0xFFFFFFFFu

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

typedef struct {
    sw_owned_set queries, database;
    sw_input input;
} made_input;

static uint8_t *residues_of(const sw_owned_set *owned, size_t s) {
    return (uint8_t *)owned->set.residues + owned->set.start[s];
}

static int longer_first(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Sets of these lengths, every residue 0. The lengths of the database are sorted. */
static made_input make(size_t queries, const uint32_t *query_length, size_t subjects, uint32_t *subject_length) {
    made_input made = {0};
    qsort(subject_length, subjects, sizeof *subject_length, longer_first);
    assert_int_equal(sw_set_allocate(queries, query_length, &made.queries), WL_OK);
    assert_int_equal(sw_set_allocate(subjects, subject_length, &made.database), WL_OK);
    for (size_t s = 0; s < queries; s++) memset(residues_of(&made.queries, s), 0, query_length[s]);
    for (size_t s = 0; s < subjects; s++) memset(residues_of(&made.database, s), 0, subject_length[s]);
    made.input.queries = made.queries.set;
    made.input.database = made.database.set;
    return made;
}

static void unmake(made_input *made) {
    sw_owned_set_free(&made->queries);
    sw_owned_set_free(&made->database);
}

static int between(wl_random *random, int low, int high) {
    return low + (int)wl_random_below(random, (uint32_t)(high - low + 1));
}

static void finish_scoring(sw_scoring *scoring) {
    scoring->highest = -SW_SCORE_MOST;
    scoring->lowest = SW_SCORE_MOST;
    for (int q = 0; q < SW_CODES; q++) {
        for (int c = 0; c < SW_CODES; c++) {
            int8_t *score = &scoring->matrix[q][c];
            if (q >= SW_LETTERS || c >= SW_LETTERS) {
                *score = -SW_SCORE_MOST;
            } else {
                if (*score > scoring->highest) scoring->highest = *score;
                if (*score < scoring->lowest) scoring->lowest = *score;
            }
        }
    }
}

/* Each score drawn for itself, so matrices are not symmetric. equal: what is added on the diagonal, to make alignments of
   some length. */
static void random_matrix(wl_random *random, int low, int high, int equal, sw_scoring *scoring) {
    for (int q = 0; q < SW_LETTERS; q++)
        for (int c = 0; c < SW_LETTERS; c++) {
            int score = between(random, low, high) + (q == c ? equal : 0);
            scoring->matrix[q][c] = (int8_t)(score > SW_SCORE_MOST ? SW_SCORE_MOST : score);
        }
    finish_scoring(scoring);
}

/* Scores `match` for equal letters, `mismatch` for others. */
static sw_scoring two_scores(int match, int mismatch, int open, int extend) {
    sw_scoring scoring = {.gap_open = open, .gap_extend = extend};
    for (int q = 0; q < SW_LETTERS; q++)
        for (int c = 0; c < SW_LETTERS; c++) scoring.matrix[q][c] = (int8_t)(q == c ? match : mismatch);
    finish_scoring(&scoring);
    return scoring;
}

/* Letters of the first `letters` codes; or, for a subject that is related, a query's with substitutions and gaps. */
static void random_residues(wl_random *random, uint32_t letters, uint8_t *residues, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) residues[i] = (uint8_t)wl_random_below(random, letters);
}

static void related_residues(wl_random *random, const uint8_t *of, uint32_t of_length, uint32_t letters,
                             uint8_t *residues, uint32_t length) {
    uint32_t from = wl_random_below(random, of_length);
    for (uint32_t i = 0; i < length; i++) {
        if (wl_random_below(random, 20) == 0) from += wl_random_below(random, 8);
        const int copied = from < of_length && wl_random_below(random, 8) != 0;
        residues[i] = copied ? of[from] : (uint8_t)wl_random_below(random, letters);
        if (wl_random_below(random, 20) != 0) from++;
    }
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

static size_t pairs(const sw_input *in) { return in->queries.count * in->database.count; }

static void same(const void *input, const void *of_reference, const void *of_variant, const char *who) {
    const sw_input *in = input;
    const int *expected = of_reference, *actual = of_variant;
    for (size_t p = 0; p < pairs(in); p++) {
        if (expected[p] == actual[p]) continue;
        const size_t q = p / in->database.count, s = p % in->database.count;
        fail_msg("%s: query %zu of %u against subject %zu of %u, gaps %d and %d, scores %d to %d: %d, not %d", who, q,
                 in->queries.length[q], s, in->database.length[s], in->scoring.gap_open, in->scoring.gap_extend,
                 in->scoring.lowest, in->scoring.highest, actual[p], expected[p]);
    }
}

static const sw_input smallest = {.scoring = {.gap_open = 12, .gap_extend = 1, .highest = 11, .lowest = -4}};
static const cpu_trial trial = {"sw", isas, COUNT(isas), &smallest, same};

static void every_isa(const sw_input *in, int threads, unsigned which) {
    void *expected = reference_result(&trial, in);
    run_on_isas(&trial, in, threads, expected, which);
    free(expected);
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

TEST(instruction_sets) { check_isas(&trial); }

/* Costs of gaps around what 8 bits hold (G_open + G_ext <= 128, or no gap at all from 127 on), and the largest. */
static const int gaps[][2] = {{12, 1},
                              {11, 2},
                              {12, 1},
                              {1, 1},
                              {0, 0},
                              {1, 0},
                              {40, 0},
                              {64, 64},
                              {65, 64},
                              {127, 1},
                              {126, 2},
                              {126, 3},
                              {128, 0},
                              {128, 128},
                              {127, 127},
                              {300, 20},
                              {7, 7},
                              {100, 1},
                              {255, 1},
                              {256, 256},
                              {257, 1},
                              {SW_GAP_MOST, 0},
                              {SW_GAP_MOST, SW_GAP_MOST}};
/* Scores: lowest, highest, and what equal letters get on top. 79 is the highest for which 8 bits are tried. */
static const int scores[][3] = {{-4, 3, 8},      {-4, 3, 8},    {-1, 1, 0},    {-3, -3, 5},   {-127, 127, 0},
                                {-127, -1, 100}, {-20, -1, 99}, {-20, 5, 75},  {-20, 5, 74},  {-127, -127, 0},
                                {0, 0, 0},       {1, 3, 0},     {120, 127, 0}, {-127, 60, 0}, {-8, 0, 16}};

/* The random pairs: lengths 1 to 200, one to three threads, every kind of subject. */
TEST(random_pairs) {
#ifdef __SANITIZE_ADDRESS__ // takes some twenty times as long, and looks for something else
    enum { CASES = 80, LEAST = 5000 };
#else
    enum { CASES = 800, LEAST = 100000 };
#endif
    size_t tested = 0;
    for (int c = 0; c < CASES; c++) {
        wl_random random = wl_random_stream(20090513, (uint64_t)c);
        uint32_t query_length[3], subject_length[150];
        const size_t queries = (size_t)between(&random, 1, 3), subjects = (size_t)between(&random, 1, 150);
        const int most = c % 4 == 0 ? 200 : c % 4 == 1 ? 9 : 60;
        for (size_t q = 0; q < queries; q++) query_length[q] = (uint32_t)between(&random, 1, most);
        for (size_t s = 0; s < subjects; s++) subject_length[s] = (uint32_t)between(&random, 1, most);
        made_input made = make(queries, query_length, subjects, subject_length);
        const uint32_t letters = c % 5 == 0 ? 1 : c % 5 == 1 ? 3 : SW_LETTERS;
        for (size_t q = 0; q < queries; q++)
            random_residues(&random, letters, residues_of(&made.queries, q), query_length[q]);
        for (size_t s = 0; s < subjects; s++) {
            const size_t q = s % queries;
            if (wl_random_below(&random, 2))
                related_residues(&random, residues_of(&made.queries, q), query_length[q], letters,
                                 residues_of(&made.database, s), subject_length[s]);
            else
                random_residues(&random, letters, residues_of(&made.database, s), subject_length[s]);
        }
        const int *range = scores[wl_random_below(&random, COUNT(scores))];
        const int *gap = gaps[wl_random_below(&random, COUNT(gaps))];
        random_matrix(&random, range[0], range[1], range[2], &made.input.scoring);
        made.input.scoring.gap_open = gap[0];
        made.input.scoring.gap_extend = gap[1];
        every_isa(&made.input, 1 + c % 3, ALL);
        tested += pairs(&made.input);
        unmake(&made);
    }
    print_message("%zu pairs for each instruction set\n", tested);
    assert_true(tested > LEAST);
}

/* Identical sequences of every length in a range score length * match: each score at and around the last that a lane of 8, 16
   bits is believed, with every other lane busy with something else. */
TEST(scores_at_the_limits) {
    static const struct {
        int match, from, to;
    } ranges[] = {{1, 100, 135}, {2, 50, 70}, {11, 8, 14}, {79, 1, 4}, {80, 1, 4}, {127, 1, 3}, {127, 252, 262}};
    for (size_t r = 0; r < COUNT(ranges); r++) {
        const size_t count = (size_t)(ranges[r].to - ranges[r].from + 1);
        uint32_t query_length[] = {(uint32_t)ranges[r].to + 3}, subject_length[200];
        for (size_t s = 0; s < 2 * count; s++) subject_length[s] = (uint32_t)ranges[r].from + (uint32_t)(s / 2);
        made_input made = make(1, query_length, 2 * count, subject_length);
        for (size_t s = 1; s < 2 * count; s += 2) // one of each length does not match at all
            memset(residues_of(&made.database, s), 1, subject_length[s]);
        for (int open = 1; open <= 20000 && open <= SW_GAP_MOST; open *= 9) {
            made.input.scoring = two_scores(ranges[r].match, -3, open, 1);
            every_isa(&made.input, 1, ALL);
        }
        unmake(&made);
    }
}

/* Gaps that cost nearly all that 8 bits hold, and pay: a query's residues with one left out, or one more. With `open` more than
   it is, either part alone would be the best. */
TEST(gaps_at_the_limit) {
    for (int open = 90; open < 114; open += 4) {
        const uint32_t before = (uint32_t)open + 4, after = before + 3, length[] = {before + 1 + after};
        uint32_t lengths[] = {before + 2 + after, before + after};
        wl_random random = wl_random_stream(7, (uint64_t)open);
        made_input made = make(1, length, 2, lengths);
        uint8_t *query = residues_of(&made.queries, 0), *more = residues_of(&made.database, 0),
                *less = residues_of(&made.database, 1);
        random_residues(&random, 20, query, length[0]);
        memcpy(less, query, before);
        memcpy(less + before, query + before + 1, after);
        memcpy(more, query, before);
        more[before] = 21;
        memcpy(more + before + 1, query + before, after + 1);
        for (int extend = 0; extend < 3; extend++) {
            made.input.scoring = two_scores(1, -1, open, extend);
            int *expected = reference_result(&trial, &made.input);
            assert_true(expected[0] > (int)after && expected[1] > (int)after && expected[0] < 127);
            free(expected);
            every_isa(&made.input, 1, ALL);
        }
        unmake(&made);
    }
}

/* Queries have more rows than a band, or as many, or one less or one more. Subjects begin in lanes that others leave, in every
   band. Some scores beyond 8 and 16 bits add up over several bands; others arise in the last band alone. */
TEST(long_queries) {
    const uint32_t query_length[] = {4095, 4096, 4097, 8192, 9001};
    wl_random random = wl_random_stream(1, 2);
    for (size_t q = 0; q < COUNT(query_length); q++) {
        uint32_t subject_length[80];
        for (size_t s = 0; s < COUNT(subject_length); s++)
            subject_length[s] = s == 0 ? 5000 : s == 1 ? 3001 : (uint32_t)between(&random, 1, 60);
        made_input made = make(1, &query_length[q], COUNT(subject_length), subject_length);
        uint8_t *query = residues_of(&made.queries, 0);
        random_residues(&random, 20, query, query_length[q]);
        for (size_t s = 0; s < COUNT(subject_length); s++) {
            uint8_t *subject = residues_of(&made.database, s);
            if (s % 2 == 0) // the query's end, or as much of it as there is
                for (uint32_t i = 0; i < subject_length[s]; i++)
                    subject[i] =
                        query[(query_length[q] - 1 + i + query_length[q] - subject_length[s] % query_length[q] + 1) %
                              query_length[q]];
            else
                related_residues(&random, query, query_length[q], 20, subject, subject_length[s]);
        }
        made.input.scoring = two_scores(q % 2 ? 5 : 30, -4, 12, 1);
        every_isa(&made.input, 2, q == 2 || q == 4 ? ALL : ALL & ~PORTABLE);
        unmake(&made);
    }
}

/* 100,000 residues on either side, and lengths from one to that in one database. */
TEST(long_subjects) {
    const uint32_t short_query[] = {7}, long_query[] = {100000};
    uint32_t lengths[300] = {100000, 65536, 20000}, one[] = {61};
    for (size_t s = 3; s < COUNT(lengths); s++) lengths[s] = (uint32_t)s;
    wl_random random = wl_random_stream(3, 4);
    made_input made = make(1, short_query, COUNT(lengths), lengths);
    random_residues(&random, 20, residues_of(&made.queries, 0), 7);
    for (size_t s = 0; s < COUNT(lengths); s++)
        random_residues(&random, 20, residues_of(&made.database, s), lengths[s]);
    random_matrix(&random, -4, 3, 6, &made.input.scoring);
    made.input.scoring.gap_open = 5;
    made.input.scoring.gap_extend = 1;
    every_isa(&made.input, 2, ALL);
    unmake(&made);

    made = make(1, long_query, 1, one);
    random_residues(&random, 4, residues_of(&made.queries, 0), 100000);
    related_residues(&random, residues_of(&made.queries, 0) + 99000, 1000, 4, residues_of(&made.database, 0), 61);
    made.input.scoring = two_scores(5, -4, 10, 1);
    every_isa(&made.input, 2, ALL);
    unmake(&made);
}

/* Enough work for many units; more threads than units; all subjects of one length. */
TEST(many_threads) {
    static const int threads[] = {1, 2, 7, 33};
    static const uint32_t query_length[] = {30, 1, 75};
    enum { SUBJECTS = 9000 };
    uint32_t *lengths = malloc(sizeof *lengths * SUBJECTS);
    assert_non_null(lengths);
    for (size_t t = 0; t < COUNT(threads); t++) {
        wl_random random = wl_random_stream(5, t);
        for (size_t s = 0; s < SUBJECTS; s++) lengths[s] = t % 2 ? 17 : (uint32_t)between(&random, 1, 40);
        made_input made = make(COUNT(query_length), query_length, SUBJECTS, lengths);
        for (size_t q = 0; q < COUNT(query_length); q++)
            random_residues(&random, 20, residues_of(&made.queries, q), query_length[q]);
        for (size_t s = 0; s < SUBJECTS; s++)
            related_residues(&random, residues_of(&made.queries, 2), 75, 20, residues_of(&made.database, s),
                             lengths[s]);
        made.input.scoring = two_scores(6, -2, 7, 2);
        every_isa(&made.input, threads[t], t == 0 ? ALL : ALL & ~PORTABLE);
        unmake(&made);
    }
    free(lengths);
}

/* Nothing to do is done. */
TEST(empty_inputs) {
    uint32_t length[] = {5};
    for (int without = 0; without < 3; without++) {
        made_input made = make(without != 0, length, without != 1, length);
        made.input.scoring = two_scores(1, -1, 2, 1);
        every_isa(&made.input, 2, ALL);
        unmake(&made);
    }
}

TEST(states_are_apart) {
    made_input made[2];
    void *expected[2];
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t query_length[] = {50 + 20 * k};
        uint32_t lengths[90];
        for (uint32_t s = 0; s < COUNT(lengths); s++) lengths[s] = 20 + s;
        wl_random random = wl_random_stream(6, k);
        made[k] = make(1, query_length, COUNT(lengths), lengths);
        random_residues(&random, 4, residues_of(&made[k].queries, 0), query_length[0]);
        for (size_t s = 0; s < COUNT(lengths); s++)
            random_residues(&random, 4, residues_of(&made[k].database, s), lengths[s]);
        made[k].input.scoring = two_scores(5, -4, 10, 1);
        expected[k] = reference_result(&trial, &made[k].input);
    }
    check_two_states(&trial, (const void *[]){&made[0].input, &made[1].input}, expected);
    for (int k = 0; k < 2; k++) {
        free(expected[k]);
        unmake(&made[k]);
    }
}

TEST(refusals) {
    const wl_variant *variant = cpu_simd_of(&trial);
    wl_device device = cpu(1);
    uint32_t length[] = {3};
    made_input made = make(1, length, 1, length);
    made.input.scoring = two_scores(5, -4, 10, 1);
    check_refused_isa(&trial, &made.input);
    device.memory_free = 100; // bytes
    assert_non_null(strstr(variant->supports(&device, &made.input), "memory"));
    device.memory_free = 0;
    made.input.queries.longest = made.input.database.longest = SW_LENGTH_MOST; // 5 * 2^30 is no int
    assert_non_null(strstr(variant->supports(&device, &made.input), "32 bits"));
    unmake(&made);
}

int main(void) { return run_all_tests(NULL, NULL); }
