/* Smith-Waterman's stages on the simulated device, whichever the build has: in as little memory as they say they need, with
   bands of every width, and at the very ends of 32 and 16 bits and of half precision. (The shapes of `check` are the problem's;
   these need a device, or scores, of their own.) */
#include "tests/support/unit.h"
#include "harness/bench/check.h"
#include "harness/bench/device.h"
#include "io/database/set.h"
#include "sim/sim.h"
#include "sw/plan/narrow.h"
#include "sw/problem.h"
#include "sw/scoring/scoring.h"
#include "tests/support/inputs.h"

/* Call `test` with each stage; how many there were. */
static size_t each_stage(void (*test)(const wl_variant *stage, const sw_input *in, const int *expected),
                         const sw_input *in, const int *expected) {
    size_t count, tested = 0;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (variants[v]->backend == WL_SIM && strcmp(variants[v]->problem, "sw") == 0) {
            test(variants[v], in, expected);
            tested++;
        }
    return tested;
}

/* score [queries][subjects] of `stage`, `rounds` times from one state, each time all of it. */
static void expect_scores(const wl_variant *stage, const wl_device *device, const sw_input *in, const int *expected,
                          int rounds) {
    size_t pairs = in->queries.count * in->database.count;
    int *score = malloc(sizeof *score * pairs);
    void *state = NULL;
    assert_non_null(score);
    if (stage->prepare(device, in, &state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
    for (int round = 0; round < rounds; round++) {
        memset(score, WL_POISON_BYTE, sizeof *score * pairs);
        if (stage->launch(state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
        if (stage->collect(state, score, 0) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
        for (size_t pair = 0; pair < pairs; pair++)
            if (score[pair] != expected[pair])
                fail_msg("%s, launch %d: query %zu, subject %zu: expected %d, found %d", stage->name, round + 1,
                         pair / in->database.count, pair % in->database.count, expected[pair], score[pair]);
    }
    stage->release(state);
    free(score);
}

/* The least memory with which the stage accepts the input. Less is refused in words. */
static size_t least_memory(const wl_variant *stage, const sw_input *in) {
    wl_device device = simulated();
    size_t refused = 0, accepted = device.memory_free;
    assert_null(stage->supports(&device, in));
    while (accepted - refused > 1) {
        device.memory_free = refused + (accepted - refused) / 2;
        if (stage->supports(&device, in))
            refused = device.memory_free;
        else
            accepted = device.memory_free;
    }
    device.memory_free = refused;
    const char *why = stage->supports(&device, in);
    assert_non_null(why);
    assert_true(strlen(why) > 20);
    return accepted;
}

/* It is enough: what does not fit at once is done in stretches. More than 256 subjects, a block of stages 01 to 05, are for these. */
static void in_least_memory(const wl_variant *stage, const sw_input *in, const int *expected) {
    if (in->database.count > 256 && strcmp(stage->name, "06") >= 0) return;
    wl_device device = simulated();
    device.memory_free = least_memory(stage, in);
    expect_scores(stage, &device, in, expected, 1);
}

/* `crossed`: row of the only query at whose both sides half of the only subject is; all other rows match nothing. */
static void try_in_least_memory(const char *options, size_t crossed) {
    wl_inputs inputs;
    const sw_input *in = make_inputs("sw", options, 3, &inputs);
    if (crossed > 0) {
        uint8_t *query = (uint8_t *)in->queries.residues + in->queries.start[0];
        const uint8_t letter = in->database.residues[in->database.start[0]];
        memset(query, letter ^ 1, in->queries.length[0]);
        memset(query + crossed - in->database.length[0] / 2, letter, in->database.length[0]);
    }
    const int *expected = expected_of(&inputs);
    /* The last query with the first and longest subject is for 32 bits. */
    assert_true(expected[(in->queries.count - 1) * in->database.count] > INT16_MAX);
    assert_true(each_stage(in_least_memory, in, expected) >= 5);
    wl_inputs_free(&inputs);
}

TEST(stages_do_with_the_memory_they_ask_for) {
    /* Many subjects and few; then more rows than a block recomputes at once. */
    const char *const subjects[] = {"300", "40"};
    for (size_t i = 0; i < 2; i++) {
        char options[160];
        snprintf(options, sizeof options,
                 "--subjects %s --subject-length 3 --outlier 260 --query-lengths 13,260 --nucleotide "
                 "--kind repeat --match 127",
                 subjects[i]);
        try_in_least_memory(options, 0);
    }
    try_in_least_memory("--subjects 1 --subject-length 260 --query-lengths 2180 --nucleotide --kind repeat --match 127",
                        SW_RECOMPUTE_THREADS * SW_RECOMPUTE_ROWS);
}

/* --- The stages that have a kernel for each shape of a band ------------------------------------------------------- */

enum { SHAPES = 4 + 4 + 3 };

/* Kernels that have been launched, each once: "stream<8, 22>". */
static char seen[256][sizeof((wl_sim_launch *)0)->kernel];
static size_t seen_count;

static size_t see(const wl_sim_launch *launches, size_t count) {
    size_t shapes = 0;
    for (size_t l = 0; l < count; l++) {
        size_t k = 0;
        while (k < seen_count && strcmp(seen[k], launches[l].kernel) != 0) k++;
        assert_true(k < sizeof seen / sizeof *seen);
        if (k == seen_count) snprintf(seen[seen_count++], sizeof *seen, "%s", launches[l].kernel);
    }
    for (size_t k = 0; k < seen_count; k++) shapes += strchr(seen[k], '<') != NULL;
    return shapes;
}

/* A small device: a scan takes as long as all its cells do, not as the longest subject does, and so a query's rows decide. */
static size_t shapes_seen, stages_seen, launched, taken_up;
static int two_queries; // those that have two queries in a register, or those that have two subjects
static void on_one_multiprocessor(const wl_variant *stage, const sw_input *in, const int *expected) {
    if (strcmp(stage->name, "07") < 0 || strcmp(stage->name, "10") >= 0 ||
        (strcmp(stage->name, "09") >= 0) != two_queries)
        return;
    stages_seen++;
    wl_device device = simulated();
    device.multiprocessors = 1;
    wl_sim_forget();
    expect_scores(stage, &device, in, expected, 1);
    size_t count;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    shapes_seen = see(launches, count);
    launched = taken_up = 0;
    for (size_t l = 0; l < count; l++) {
        launched += strchr(launches[l].kernel, '<') != NULL;
        taken_up += strstr(launches[l].kernel, "take_up") != NULL;
    }
}

static void try_on_one_multiprocessor(const char *options) {
    wl_inputs inputs;
    const sw_input *in = make_inputs("sw", options, 3, &inputs);
    const int *expected = expected_of(&inputs);
    stages_seen = 0;
    each_stage(on_one_multiprocessor, in, expected);
    wl_inputs_free(&inputs);
}

/* The queries fill 8, 16 and 32 lanes with so many rows each, except for the last row. After its four-word pieces, a lane's
   share of a profile may have 0 to 3 words, and all four numbers occur. The number of subjects is such that no two narrow bands
   are as cheap as a wide one. The last call has three narrow bands, so that the middle one has others above and below. */
TEST(kernels_of_all_widths_are_right) {
    try_on_one_multiprocessor("--kind related --subjects 66 --subject-length 4 --query-lengths "
                              "143,159,175,191,287,319,351,383");
    try_on_one_multiprocessor("--kind related --subjects 34 --subject-length 4 --query-lengths 575,639,703");
    assert_true(stages_seen >= 2);
    assert_int_equal(shapes_seen, SHAPES * stages_seen);
    try_on_one_multiprocessor("--kind related --subjects 131 --subject-length 9 --query-lengths 603");
}

/* --- Two queries in a register -------------------------------------------------------------------------------------- */

/* Pairs of queries as long as a shape's rows, or shorter by one. Few rows are for lanes that have all of them, here because two
   longer queries keep the short ones from kernels of their own. The wide groups with many rows are for databases of few
   sequences, and `check` has such. */
TEST(pairs_of_queries_share_bands) {
    two_queries = 1;
    seen_count = 0;
    try_on_one_multiprocessor("--kind related --subjects 131 --subject-length 8 --query-lengths "
                              "4,3,8,7,12,11,16,15,20,20,24,23,28,28,32,31,288,287");
    assert_int_equal(stages_seen, 1);
    assert_int_equal(shapes_seen, 9);
    assert_int_equal(launched, 9);
    try_on_one_multiprocessor("--kind related --subjects 67 --subject-length 8 --query-lengths "
                              "96,95,128,127,160,160,192,191,224,223,256,255,288,287,320,319");
    assert_int_equal(shapes_seen, 16);
    assert_int_equal(launched, 8);
    two_queries = 0;
}

/* Of three, one is cut, and its last rows come when the other two have ended; one query, and one that is longer than all others, leave
   halves empty; many of all lengths go on beside one another. */
TEST(queries_on_two_tracks_are_right) {
    two_queries = 1;
    try_on_one_multiprocessor("--kind related --subjects 100 --subject-length 60 --query-lengths 400,400,400");
    assert_int_equal(taken_up, 1);
    try_on_one_multiprocessor("--kind related --subjects 33 --subject-length 12 --query-lengths 333");
    try_on_one_multiprocessor("--kind related --subjects 33 --longest 60 --query-lengths 70,1300,33,129,5");
    try_on_one_multiprocessor("--kind related --subjects 33 --longest 60 --query-lengths "
                              "1,2,3,5,8,13,21,34,55,89,144,233,377,610,700,640,31,33,65");
    two_queries = 0;
}

/* --- Queries so short that a lane has all rows --------------------------------------------------------------------- */

#define ALL_SHORT "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32"

/* All lengths, for which there are 11 kernels; gap costs without constants; a subject in pieces; scores above 2,047. */
TEST(short_queries_have_kernels_of_their_own) {
    enum { KERNELS = 11, LENGTHS = 32 };
    for (two_queries = 0; two_queries < 2; two_queries++) {
        const size_t others = two_queries ? 0 : 1; // stage 07's
        seen_count = 0;
        try_on_one_multiprocessor("--kind related --subjects 400 --subject-length 8 --query-lengths " ALL_SHORT);
        assert_int_equal(shapes_seen, KERNELS + others);
        assert_int_equal(launched, two_queries ? LENGTHS / 2 : LENGTHS);
        try_on_one_multiprocessor(
            "--kind gaps --subjects 400 --longest 50 --query-lengths 7,18,31 --gap-open 5 --gap-extend 2");
        assert_int_equal(shapes_seen, KERNELS + others + (two_queries ? 2 : 3));
        try_on_one_multiprocessor(
            "--kind related --subjects 200 --subject-length 3 --outlier 3000 --query-lengths 5,3,4");
        try_on_one_multiprocessor("--kind repeat --subjects 300 --subject-length 32 --query-lengths 32,31 --nucleotide "
                                  "--match 127");
    }
    two_queries = 0;
}

/* What `search` goes by: two queries that are about equally long, short ones too. */
static void choose_by_queries(const char *options, int two_are_faster) {
    wl_inputs inputs;
    const sw_input *in = make_inputs("sw", options, 3, &inputs);
    size_t count, asked = 0;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device device = simulated();
    device.multiprocessors = 1;
    for (size_t v = 0; v < count; v++) {
        if (variants[v]->backend != WL_SIM || strcmp(variants[v]->problem, "sw") != 0) continue;
        if (strcmp(variants[v]->name, "10") >= 0) continue;
        const int is_two = strcmp(variants[v]->name, "09") >= 0;
        if (wl_variant_is_faster(variants[v], &device, in) != (!is_two || two_are_faster))
            fail_msg("%s: %s", options, variants[v]->name);
        asked += is_two;
    }
    assert_int_equal(asked, 1);
    wl_inputs_free(&inputs);
}

TEST(one_long_query_is_for_two_subjects) {
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 400,420", 1);
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 300,310,320", 1);
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 400", 0);
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 20,700", 0);
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 12", 0);
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 12,11", 1);
    choose_by_queries("--subjects 3000 --longest 60 --query-lengths 30,6", 0);
}

/* --- Subjects in pieces --------------------------------------------------------------------------------------------- */

static void in_pieces(const wl_variant *stage, const sw_input *in, const int *expected) {
    if (strcmp(stage->name, "07") < 0 || strcmp(stage->name, "10") >= 0) return;
    wl_device device = simulated();
    wl_sim_forget();
    expect_scores(stage, &device, in, expected, 2);
    size_t count, joined = 0;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t l = 0; l < count; l++) joined += strstr(launches[l].kernel, "best_of_pieces") != NULL;
    assert_int_equal(joined, 2);
    stages_seen++;
}

/* The query is 16 W. Each subject has 8 W, 60 P and another 8 W, and before them more P than the previous subject has. So wherever a piece
   ends, it ends within the alignment in some subjects. The score is 16 x 11 less 11 + 60 for the gap; without the gap it would be 88. */
TEST(alignments_are_whole_where_pieces_meet) {
    enum { SUBJECTS = 24, LENGTH = 2600, HALF = 8, GAP = 60, APART = 6, SCORE = 16 * 11 - 11 - GAP };
    uint32_t lengths[SUBJECTS], m = 2 * HALF;
    int expected[SUBJECTS];
    for (int s = 0; s < SUBJECTS; s++) lengths[s] = LENGTH, expected[s] = SCORE;
    sw_owned_set queries, database;
    assert_int_equal(sw_set_allocate(1, &m, &queries), WL_OK);
    assert_int_equal(sw_set_allocate(SUBJECTS, lengths, &database), WL_OK);
    const int W = sw_code(SW_PROTEIN, 'W'), P = sw_code(SW_PROTEIN, 'P');
    memset((uint8_t *)queries.set.residues, W, m);
    for (int s = 0; s < SUBJECTS; s++) {
        uint8_t *subject = (uint8_t *)database.set.residues + database.set.start[s];
        memset(subject, P, LENGTH);
        for (int at = APART * s; at + 2 * HALF + GAP <= LENGTH; at += SUBJECTS * APART) {
            memset(subject + at, W, HALF);
            memset(subject + at + HALF + GAP, W, HALF);
        }
    }
    sw_input in = {.queries = queries.set, .database = database.set};
    assert_int_equal(sw_scoring_named("BLOSUM62", &in.scoring), WL_OK);
    stages_seen = 0;
    each_stage(in_pieces, &in, expected);
    assert_int_equal(stages_seen, 3);
    sw_owned_set_free(&queries);
    sw_owned_set_free(&database);
}

/* Queries of several bands, scores of more than 16 bits, subjects of all lengths. */
TEST(pieces_of_all_lengths_are_right) {
    static const char *const options[] = {
        "--kind gaps --subjects 9 --subject-length 70 --outlier 9000 --query-lengths 40,41",
        "--kind related --subjects 5 --subject-length 3 --outlier 6000 --query-lengths 330 --nucleotide --match 127 "
        "--gap-open 300 --gap-extend 100",
    };
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        wl_inputs inputs;
        const sw_input *in = make_inputs("sw", options[k], 3, &inputs);
        const int *expected = expected_of(&inputs);
        stages_seen = 0;
        each_stage(in_pieces, in, expected);
        assert_int_equal(stages_seen, 3);
        wl_inputs_free(&inputs);
    }
}

/* --- One pair on the whole device ------------------------------------------------------------------------------------- */

static const wl_variant *one_pair(void) { return variant_named(WL_SIM, "sw", "10*"); }

/* Runs stage 10 twice from one state; returns how often its kernel was launched. Writes its rows per lane to *rows. */
static size_t run_one_pair(const char *options, int multiprocessors, int in_little_memory, int *rows) {
    wl_inputs inputs;
    const sw_input *in = make_inputs("sw", options, 3, &inputs);
    const int *expected = expected_of(&inputs);
    wl_device device = simulated();
    device.multiprocessors = multiprocessors;
    if (in_little_memory) device.memory_free = least_memory(one_pair(), in);
    assert_null(one_pair()->supports(&device, in));
    wl_sim_forget();
    expect_scores(one_pair(), &device, in, expected, 2);
    size_t count, launched = 0;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t l = 0; l < count; l++) launched += sscanf(launches[l].kernel, "one_pair<%d", rows) == 1;
    wl_inputs_free(&inputs);
    return launched;
}

/* Queries or subjects are the rows; the last band is full, or has one row, or all but one. */
TEST(bands_of_one_pair_follow_each_other) {
    static const char *const options[] = {
        "--kind related --subjects 2 --subject-length 300 --query-lengths 512,513,639",
        "--kind gaps --subjects 2 --subject-length 1100 --query-lengths 3,77",
        "--kind related --subjects 3 --subject-length 500 --query-lengths 1537,512 --nucleotide",
        "--kind related --subjects 1 --subject-length 170 --query-lengths 170",
        "--kind repeat --subjects 1 --subject-length 1300 --query-lengths 1281 --nucleotide --match 127",
    };
    int seen_rows = 0;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        for (int multiprocessors = 1; multiprocessors <= 132; multiprocessors += 131) {
            int rows = 0;
            assert_int_equal(run_one_pair(options[k], multiprocessors, 0, &rows), 2);
            seen_rows |= rows;
        }
    assert_int_equal(seen_rows, 4 | 8 | 16);
}

/* If the edges do not fit at once, a launch has some of the subjects, with some of the queries. */
TEST(edges_of_many_pairs_are_made_in_turn) {
    static const char options[] = "--kind related --subjects 5 --subject-length 400 --query-lengths 600,550,40,700";
    int rows;
    assert_int_equal(run_one_pair(options, 132, 0, &rows), 2);
    assert_true(run_one_pair(options, 132, 1, &rows) > 4);
}

/* Long subjects are for stage 10, the others for the stages before it. */
static void expect_share(const char *options, size_t least, size_t most) {
    wl_inputs inputs;
    wl_device device = simulated();
    device.multiprocessors = 132;
    const sw_input *in = make_inputs("sw", options, 3, &inputs);
    const size_t found = one_pair()->share(&device, in);
    if (found < least || found > most)
        fail_msg("%s: expected %zu to %zu subjects, found %zu", options, least, most, found);
    assert_int_equal(one_pair()->faster(&device, in), found == in->database.count);
    wl_inputs_free(&inputs);
}

TEST(long_subjects_are_for_stage_10) {
    expect_share("--subjects 1 --subject-length 100000 --query-lengths 35000", 1, 1);
    expect_share("--subjects 1 --subject-length 50000 --query-lengths 400,420,500,380", 1, 1);
    expect_share("--subjects 8 --subject-length 50 --query-lengths 144", 0, 0);
    expect_share("--subjects 30000 --subject-length 300 --query-lengths 300", 0, 0);
    expect_share("--subjects 20000 --subject-length 300 --outlier 100000 --query-lengths 20000", 1, 1000);
    /* Proteins, whose longest would save a little; a chromosome, which is cut into pieces. */
    expect_share("--subjects 60000 --query-lengths 144,189,222,375,464,567,657,729,850,1000,1500,2005,2504,3005,3564,"
                 "4061,4548,4743,5147,5478",
                 0, 0);
    expect_share("--subjects 60000 --query-lengths 464", 0, 0);
    expect_share("--subjects 1 --subject-length 3000000 --query-lengths 464,1000", 0, 0);
}

/* --- Scores ------------------------------------------------------------------------------------------------------- */

static void with_all_memory(const wl_variant *stage, const sw_input *in, const int *expected) {
    wl_device device = simulated();
    expect_scores(stage, &device, in, expected, 2);
}

/* Subject k is `many` A and `few` + k C, the query as the longest of them. A with A scores 127 and C with C 1, so their
   score is 127 many + few + k, by hand: it passes `limit` in steps of one. */
static void pass_in_steps_of_one(uint32_t many, uint32_t few, int limit) {
    enum { STEPS = 7, A = 0, C = 1 };
    uint32_t lengths[STEPS];
    int expected[STEPS];
    for (uint32_t s = 0; s < STEPS; s++) {
        lengths[s] = many + few + STEPS - 1 - s;
        expected[s] = (int)(127 * many + few + STEPS - 1 - s);
    }
    assert_true(expected[0] > limit && expected[STEPS - 1] < limit);
    sw_owned_set queries, database;
    assert_int_equal(sw_set_allocate(1, lengths, &queries), WL_OK);
    assert_int_equal(sw_set_allocate(STEPS, lengths, &database), WL_OK);
    for (int s = 0; s < STEPS; s++)
        for (uint32_t j = 0; j < lengths[s]; j++)
            ((uint8_t *)database.set.residues)[database.set.start[s] + j] = j < many ? A : C;
    memcpy((uint8_t *)queries.set.residues, database.set.residues, lengths[0]);
    sw_input in = {.queries = queries.set, .database = database.set};
    assert_int_equal(sw_scoring_nucleotide(127, -127, &in.scoring), WL_OK);
    in.scoring.matrix[C][C] = 1;
    assert_true(each_stage(with_all_memory, &in, expected) >= 5);
    sw_owned_set_free(&queries);
    sw_owned_set_free(&database);
}

TEST(scores_are_exact_where_narrow_numbers_end) {
    pass_in_steps_of_one(16, 12, 2047);
    pass_in_steps_of_one(257, 0, INT16_MAX - 127); // above it, a stage of 16 bits has the pair computed again
    pass_in_steps_of_one(258, 0, INT16_MAX);
}

/* The longest pair whose score fits into 32 bits is for every variant, on the CPU too; a letter more is for none. */
TEST(scores_beyond_32_bits_are_refused) {
    enum { MATCH = 127, MOST = (INT32_MAX - SW_GAP_MOST - SW_SCORE_MOST) / MATCH };
    size_t count, asked = 0;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device device = simulated();
    device.memory_free = (size_t)1 << 50;
    uint8_t *letters = calloc(MOST + 2, 1);
    assert_non_null(letters);
    for (size_t v = 0; v < count; v++) {
        if (strcmp(variants[v]->problem, "sw") != 0 || variants[v]->supports == NULL) continue;
        for (uint32_t more = 0; more < 2; more++) {
            const uint32_t length = MOST + more;
            const uint64_t start = 0;
            const sw_set set = {.count = 1,
                                .length = &length,
                                .start = &start,
                                .residues = letters,
                                .letters = length,
                                .longest = length};
            sw_input in = {.queries = set, .database = set};
            assert_int_equal(sw_scoring_nucleotide(MATCH, -1, &in.scoring), WL_OK);
            const char *why = variants[v]->supports(&device, &in);
            if ((why != NULL) != (more > 0))
                fail_msg("%s, %u letters: %s", variants[v]->name, length, why ? why : "ok");
            if (why) assert_non_null(strstr(why, "32 bits"));
        }
        asked++;
    }
    free(letters);
    assert_true(asked >= 9);
}

/* --- The database that stays on the device ------------------------------------------------------------------------ */

/* Letters that are changed after the first scan show who copies the database again. */
static void stays_on_the_device(const wl_variant *stage, const sw_input *in, const int *expected) {
    const wl_device device = simulated();
    wl_resident resident = {.lock = PTHREAD_MUTEX_INITIALIZER};
    sw_input kept = *in;
    const size_t bytes = sw_set_bytes(&in->database);
    uint8_t *residues = (uint8_t *)in->database.residues + in->database.start[0];
    uint8_t *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, residues, bytes);
    kept.resident = &resident;
    expect_scores(stage, &device, &kept, expected, 1);
    assert_ptr_equal(resident.host, residues);
    assert_int_equal(resident.bytes, bytes);
    assert_int_equal(resident.users, 0);
    memset(residues, 0, bytes);
    void *memory = resident.memory;
    expect_scores(stage, &device, &kept, expected, 1);
    assert_ptr_equal(resident.memory, memory);
    memcpy(residues, copy, bytes);
    /* Another stretch of the database takes its place, unless the first one is in use. */
    kept.database = sw_set_part(&in->database, 1, in->database.count - 1);
    kept.queries = sw_set_part(&in->queries, 0, 1);
    for (resident.users = 1; resident.users >= 0; resident.users--) {
        expect_scores(stage, &device, &kept, expected + 1, 1);
        assert_int_equal(resident.host == residues, resident.users);
    }
    resident.release(resident.memory);
    free(copy);
}

TEST(the_database_is_copied_once) {
    wl_inputs inputs;
    const sw_input *in =
        make_inputs("sw", "--subjects 70 --subject-length 30 --outlier 300 --query-lengths 20,45", 3, &inputs);
    const int *expected = expected_of(&inputs);
    assert_true(each_stage(stays_on_the_device, in, expected) >= 5);
    wl_inputs_free(&inputs);
}

int main(void) { return run_all_tests(NULL, NULL); }
