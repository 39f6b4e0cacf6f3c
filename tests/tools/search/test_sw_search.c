/* The search engine: what it reports is what brute force finds, whatever
   devices, batches and blocks it is cut into.

   The scores come from variants of this file, which call the serial reference
   and refuse what they are told to: the engine knows no kernel, so its test
   needs none. The oracle scores every pair with the reference and sorts. */
#include <math.h>
#include <unistd.h>

#include "harness/base/random.h"
#include "sw/reference.h"
#include "tools/search/search.h"
#include "tools/search/device.h"

#define TOOL_PROBLEM "sw"
#define TOOL_INPUT sw_input
#define TOOL_REFERENCE(in, output) sw_reference(in, 0, sw_slices(in), output)
#include "tests/support/tool_variants.h"

/* --- Variants ----------------------------------------------------------------------------------------------------- */

/* What the variants did since reset(); several threads may run one. */
static struct {
    pthread_mutex_t lock;
    size_t launches, most_pairs;
    uint32_t longest;
    size_t by_device[2];
    unsigned pause; // microseconds a launch takes at least
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { PAIRS_MOST = 7, LENGTH_MOST = 60 };

static const char *takes_few(const wl_device *device, const void *input) {
    const sw_input *in = input;
    (void)device;
    return in->queries.count * in->database.count > PAIRS_MOST ? "at most 7 pairs" : NULL;
}

static const char *takes_short(const wl_device *device, const void *input) {
    const sw_input *in = input;
    (void)device;
    return in->queries.longest > LENGTH_MOST || in->database.longest > LENGTH_MOST ? "at most 60 letters" : NULL;
}

static const char *takes_little(const wl_device *device, const void *input) {
    const sw_input *in = input;
    size_t needed =
        sw_set_bytes(&in->database) + sw_set_bytes(&in->queries) + sizeof(int) * in->queries.count * in->database.count;
    return needed > device->memory_free ? "it does not fit into device memory" : NULL;
}

/* As where another program has taken memory since `supports` was asked. */
static wl_status prepare_few(const wl_device *device, const void *input, void **state) {
    if (takes_few(device, input)) return wl_fail(WL_NO_MACHINE, "out of memory");
    return prepare(device, input, state);
}

static wl_status launch(void *state) {
    const state_of_test *s = state;
    size_t pairs = s->input.queries.count * s->input.database.count;
    pthread_mutex_lock(&seen.lock);
    seen.launches++;
    seen.by_device[s->ordinal]++;
    if (pairs > seen.most_pairs) seen.most_pairs = pairs;
    if (s->input.queries.longest > seen.longest) seen.longest = s->input.queries.longest;
    if (s->input.database.longest > seen.longest) seen.longest = s->input.database.longest;
    pthread_mutex_unlock(&seen.lock);
    if (seen.pause) usleep(seen.pause);
    return WL_OK;
}

/* As a kernel would be that counts every score from 40 on twice in a hundred
 * times one too high. */
static wl_status collect_wrong(void *state, void *output, int poison) {
    (void)poison;
    const state_of_test *s = state;
    int *score = output;
    collect(state, output, poison);
    for (size_t i = 0; i < s->input.queries.count * s->input.database.count; i++)
        if (score[i] >= 30 && score[i] % 10 == 0) score[i]++;
    return WL_OK;
}

VARIANT(any, WL_CPU, "test_1_any", takes_all, prepare, launch, collect);
VARIANT(few, WL_CPU, "test_2_few", takes_few, prepare, launch, collect);
VARIANT(brief, WL_CPU, "test_3_short", takes_short, prepare, launch, collect);
VARIANT(little, WL_CPU, "test_4_little", takes_little, prepare, launch, collect);
VARIANT(surprised, WL_CPU, "test_5_surprised", takes_all, prepare_few, launch, collect);
VARIANT(wrong, WL_CPU, "test_6_wrong", takes_all, prepare, launch, collect_wrong);
VARIANT(broken, WL_CPU, "test_7_broken", takes_all, prepare, launch_badly, collect);
/* For single pairs, as sw/10_one_pair is. */
static int is_pair(const wl_device *device, const void *input) {
    const sw_input *in = input;
    (void)device;
    return in->queries.count == 1 && in->database.count == 1;
}
static const wl_variant lone = {.problem = "sw",
                                .name = "test_9_lone",
                                .idea = "a test's",
                                .source = "tests/tools/search/test_sw_search.c",
                                .backend = WL_CPU,
                                .faster = is_pair,
                                .prepare = prepare,
                                .launch = launch,
                                .collect = collect,
                                .release = free};

VARIANT(none, WL_CPU, "test_8_none", takes_none, prepare, launch, collect);

/* --- Sequences ---------------------------------------------------------------------------------------------------- */

typedef struct {
    sw_scoring scoring;
    sw_statistics statistics;
    sw_database database;
    sw_owned_set queries;
    sw_search_request request;
    wl_device devices[2];
} bench;

/* A file of `count` sequences named prefix0, prefix1 ...; every third one
 * repeats an earlier one, so that scores tie. */
static void write_sequences(char *path, const char *prefix, size_t count, const char *letters, uint32_t longest,
                            uint64_t seed) {
    wl_random random = wl_random_stream(seed, 0);
    char(*texts)[512] = calloc(count, sizeof *texts);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && texts != NULL && longest < sizeof *texts);
    FILE *file = fdopen(descriptor, "w");
    for (size_t s = 0; s < count; s++) {
        if (s % 3 == 2) {
            strcpy(texts[s], texts[wl_random_below(&random, (uint32_t)s)]);
        } else {
            uint32_t length = 1 + wl_random_below(&random, longest);
            for (uint32_t i = 0; i < length; i++)
                texts[s][i] = letters[wl_random_below(&random, (uint32_t)strlen(letters))];
        }
        fprintf(file, ">%s%zu what %s%zu is\n%s\n", prefix, s, prefix, s, texts[s]);
    }
    fclose(file);
    free(texts);
}

static void make(bench *b, sw_alphabet alphabet, size_t queries, size_t subjects) {
    const char *letters = alphabet == SW_PROTEIN ? "ARNDCQEGHILKMFPSTWYV" : "ACGT";
    char query_path[] = "/tmp/test_sw_search_XXXXXX", database_path[] = "/tmp/test_sw_search_XXXXXX";
    wl_sequences sequences;
    *b = (bench){0};
    if (alphabet == SW_PROTEIN)
        assert_int_equal(sw_scoring_named("BLOSUM62", &b->scoring), WL_OK);
    else
        assert_int_equal(sw_scoring_nucleotide(2, -3, &b->scoring), WL_OK);
    b->statistics = sw_statistics_of(&b->scoring);
    write_sequences(query_path, "q", queries, letters, 70, 1);
    write_sequences(database_path, "s", subjects, letters, 100, 2);
    assert_int_equal(wl_sequences_read(query_path, &sequences), WL_OK);
    assert_int_equal(sw_set_encode(query_path, &sequences, alphabet, 0, &b->queries), WL_OK);
    wl_sequences_free(&sequences);
    assert_int_equal(sw_database_open(database_path, alphabet, &b->database), WL_OK);
    unlink(query_path);
    unlink(database_path);
    for (int d = 0; d < 2; d++)
        b->devices[d] = (wl_device){.backend = WL_CPU, .ordinal = d, .name = "test", .memory_free = (size_t)1 << 30};
    b->request = (sw_search_request){.scoring = &b->scoring,
                                     .statistics = &b->statistics,
                                     .database = &b->database,
                                     .queries = &b->queries,
                                     .strands = SW_PLUS,
                                     .most_hits = 500,
                                     .least_score = 1,
                                     .evalue = 10,
                                     .devices = b->devices,
                                     .device_count = 1,
                                     .pattern = "sw/test_1_any"};
    pthread_mutex_lock(&seen.lock);
    seen.launches = seen.most_pairs = seen.longest = seen.by_device[0] = seen.by_device[1] = seen.pause = 0;
    pthread_mutex_unlock(&seen.lock);
}

static void unmake(bench *b) {
    sw_database_close(&b->database);
    sw_owned_set_free(&b->queries);
}

/* The report as text, which the caller frees; NULL and *status when the search
 * fails. */
static char *search(const bench *b, const char *format, wl_status *status, sw_search_summary *summary) {
    char *text = NULL;
    size_t size = 0;
    sw_report *report;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(sw_report_open(format, stream, &b->scoring, &b->statistics, &b->database, &report), WL_OK);
    *status = sw_search(&b->request, report, stream, summary);
    sw_report_close(report);
    fclose(stream);
    if (*status == WL_OK) return text;
    free(text);
    return NULL;
}

static char *searched(const bench *b, const char *format) {
    wl_status status;
    sw_search_summary summary;
    char *text = search(b, format, &status, &summary);
    if (status != WL_OK) fail_msg("%s", wl_error());
    return text;
}

/* --- The oracle --------------------------------------------------------------------------------------------------- */

typedef struct {
    int score;
    uint64_t order;
    size_t subject;
} scored;

static int ranked(const void *left, const void *right) {
    const scored *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* The complement of the reverse, by letters and not by the engine's codes. */
static void reverse(const uint8_t *from, uint32_t length, uint8_t *to) {
    for (uint32_t i = 0; i < length; i++) {
        char letter = sw_letter(SW_NUCLEOTIDE, from[length - 1 - i]);
        letter = letter == 'A' ? 'T' : letter == 'C' ? 'G' : letter == 'G' ? 'C' : 'A';
        to[i] = (uint8_t)sw_code(SW_NUCLEOTIDE, letter);
    }
}

/* Scores of query q's strand with all subjects. */
static void score_all(const bench *b, size_t q, int strand, int *score) {
    const sw_set *queries = &b->queries.set;
    uint32_t length = queries->length[q];
    sw_owned_set copy;
    assert_int_equal(sw_set_allocate(1, &length, &copy), WL_OK);
    uint8_t *residues = (uint8_t *)copy.set.residues;
    if (strand > 0)
        memcpy(residues, queries->residues + queries->start[q], length);
    else
        reverse(queries->residues + queries->start[q], length, residues);
    sw_input input = {.scoring = b->scoring, .queries = copy.set, .database = b->database.set};
    sw_reference(&input, 0, sw_slices(&input), score);
    sw_owned_set_free(&copy);
}

/* What "qseqid sseqid score" should say. */
static char *expected(const bench *b) {
    char *text = NULL;
    size_t size = 0, subjects = b->database.set.count;
    FILE *stream = open_memstream(&text, &size);
    int *plus = calloc(subjects, sizeof *plus), *minus = calloc(subjects, sizeof *minus);
    scored *all = calloc(subjects, sizeof *all);
    assert_true(stream && plus && minus && all);
    for (size_t q = 0; q < b->queries.set.count; q++) {
        sw_space space = sw_space_of(&b->statistics, b->queries.set.length[q], b->database.set.letters, subjects);
        if (b->request.strands & SW_PLUS) score_all(b, q, 1, plus);
        if (b->request.strands & SW_MINUS) score_all(b, q, -1, minus);
        for (size_t s = 0; s < subjects; s++)
            all[s] = (scored){plus[s] > minus[s] ? plus[s] : minus[s], b->database.order[s], s};
        qsort(all, subjects, sizeof *all, ranked);
        size_t found = 0;
        for (size_t i = 0; i < subjects && found < b->request.most_hits && all[i].score >= b->request.least_score;
             i++) {
            uint32_t length = b->database.set.length[all[i].subject];
            if (sw_evalue(&b->statistics, &space, length, all[i].score) > b->request.evalue) continue;
            found++;
            fprintf(stream, "q%zu\ts%llu\t%d\n", q, (unsigned long long)all[i].order, all[i].score);
        }
    }
    fclose(stream);
    free(plus);
    free(minus);
    free(all);
    return text;
}

#define COLUMNS "qseqid sseqid score"

static void expect_equal(char *actual, char *wanted) {
    assert_string_equal(actual, wanted);
    free(actual);
    free(wanted);
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

/* Scores, their order with many ties, and the three ways of leaving hits out,
 * against brute force. */
TEST(finds_what_brute_force_finds) {
    bench b;
    make(&b, SW_PROTEIN, 10, 150);
    b.request.evalue = 1e9; // everything
    char *all = searched(&b, COLUMNS);
    assert_non_null(strstr(all, "q9\t")); // or the comparison would be of nothing
    expect_equal(all, expected(&b));
    for (size_t most = 1; most <= 40; most += 13) {
        b.request.most_hits = most; // cuts through ties
        expect_equal(searched(&b, COLUMNS), expected(&b));
    }
    b.request.least_score = 33;
    expect_equal(searched(&b, COLUMNS), expected(&b));
    b.request.least_score = 1;
    b.request.most_hits = 500;
    for (double evalue = 1e-3; evalue < 1e4; evalue *= 100) {
        b.request.evalue = evalue;
        expect_equal(searched(&b, COLUMNS), expected(&b));
    }
    unmake(&b);
}

/* With E-values that depend on the subject's length a higher score may be left out and a lower one found. */
TEST(finds_by_pair_what_brute_force_finds) {
    bench b;
    make(&b, SW_PROTEIN, 10, 150);
    for (double evalue = 1e-4; evalue < 1e4; evalue *= 7)
        for (size_t most = 1; most <= 500; most *= 8) {
            b.request.evalue = evalue;
            b.request.most_hits = most;
            b.statistics.by_pair = 0;
            char *without = searched(&b, COLUMNS);
            b.statistics.by_pair = 1;
            char *with = searched(&b, COLUMNS);
            if (most > 100 && evalue > 0.1) assert_string_not_equal(with, without);
            free(without);
            expect_equal(with, expected(&b));
        }
    unmake(&b);
}

/* Each subject once, with the better strand's score; ties between strands and
 * between subjects. */
TEST(merges_strands) {
    bench b;
    make(&b, SW_NUCLEOTIDE, 8, 90);
    b.request.evalue = 1e9;
    for (int strands = SW_PLUS; strands <= (SW_PLUS | SW_MINUS); strands++) {
        b.request.strands = strands;
        for (size_t most = 3; most <= 500; most *= 6) {
            b.request.most_hits = most;
            expect_equal(searched(&b, COLUMNS), expected(&b));
        }
    }
    unmake(&b);
}

/* However the work is cut and by whom it is done, every format has the same
 * bytes. */
TEST(cuts_change_nothing) {
    static const char *const formats[] = {"pairwise", "tabular", "commented", "json", COLUMNS};
    for (int alphabet = SW_PROTEIN; alphabet <= SW_NUCLEOTIDE; alphabet++) {
        bench b;
        make(&b, (sw_alphabet)alphabet, 9, 40);
        b.request.evalue = 1e9;
        b.request.most_hits = 7;
        if (alphabet == SW_NUCLEOTIDE) b.request.strands = SW_PLUS | SW_MINUS;
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            b.request.device_count = 1;
            b.request.most_queries = b.request.most_letters = 0;
            b.request.most_batches = 0;
            b.request.threads = 0;
            char *whole = searched(&b, formats[f]);
            assert_true(strlen(whole) > 500);
            for (size_t queries = 1; queries <= 4; queries += 3) {
                for (size_t letters = 1; letters <= 1000; letters *= 1000) { // 1: blocks of one sequence
                    b.request.device_count = 1 + queries % 2;
                    b.request.threads = 1 + (int)(letters % 2);
                    b.request.most_batches = 1 + (letters > 1); // with two, a GPU's way, devices pass on to the second
                    b.request.most_queries = queries;
                    b.request.most_letters = letters;
                    char *cut = searched(&b, formats[f]);
                    assert_string_equal(cut, whole);
                    free(cut);
                }
            }
            free(whole);
        }
        unmake(&b);
    }
}

TEST(devices_share) {
    bench b;
    make(&b, SW_PROTEIN, 4, 60);
    b.request.device_count = 2;
    b.request.most_letters = 1;
    seen.pause = 1000; // so that both get their turn
    sw_search_summary summary;
    wl_status status;
    free(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_OK);
    assert_int_equal(seen.launches, 60); // one batch, blocks of one
    assert_true(seen.by_device[0] > 0 && seen.by_device[1] > 0);
    assert_string_equal(summary.devices, "2 x test (test_1_any)");
    assert_true(summary.cells == (double)b.queries.set.letters * (double)b.database.set.letters);
    unmake(&b);
}

/* A variant that takes only small parts gets only small parts, and it gets all of them. The next variant gets nothing. */
TEST(halves_what_is_too_large) {
    static const char *const patterns[] = {"sw/test_1* sw/test_2*", "sw/test_5*"};
    for (int p = 0; p < 2; p++) {
        bench b;
        make(&b, SW_PROTEIN, 5, 40);
        b.request.pattern = patterns[p];
        expect_equal(searched(&b, COLUMNS), expected(&b));
        assert_true(seen.most_pairs <= PAIRS_MOST && seen.launches >= 5 * 40 / PAIRS_MOST);
        unmake(&b);
    }
}

/* Only the pairs that a variant refuses go to the next one: the short ones stay together. */
TEST(hands_on_what_is_too_long) {
    bench b;
    make(&b, SW_PROTEIN, 5, 40);
    b.request.pattern = "sw/test_1* sw/test_3*";
    expect_equal(searched(&b, COLUMNS), expected(&b));
    assert_true(seen.longest > LENGTH_MOST); // somebody did the long ones
    assert_true(seen.launches < 5 * 40 / 2); // and not pair by pair
    unmake(&b);
}

/* A stage that is faster for one pair of a block, but not for all of it, does not cut it into pairs. */
TEST(whole_blocks_choose_their_stage) {
    bench b;
    make(&b, SW_PROTEIN, 4, 60);
    b.request.pattern = "sw/test_1_any sw/test_9_lone";
    sw_search_summary summary;
    wl_status status;
    free(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_OK);
    assert_int_equal(seen.launches, 1);
    assert_string_equal(summary.devices, "test (test_1_any)");
    unmake(&b);
}

/* --memory: the database passes through in blocks that fit; one that cannot fit
 * is said to. */
TEST(streams_through_little_memory) {
    bench b;
    make(&b, SW_PROTEIN, 3, 120);
    b.request.pattern = "sw/test_4*";
    b.request.memory = 4096;
    expect_equal(searched(&b, COLUMNS), expected(&b));
    assert_true(seen.launches >= sw_set_bytes(&b.database.set) / 4096);
    b.request.memory = 100;
    wl_status status;
    sw_search_summary summary;
    assert_null(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "test_4_little: it does not fit into device memory"));
    unmake(&b);
}

/* A wrong score in what is reported does not get out as an answer. */
TEST(wrong_kernel_is_found_out) {
    bench b;
    make(&b, SW_PROTEIN, 20, 200);
    b.request.pattern = "sw/test_6*";
    wl_status status;
    sw_search_summary summary;
    assert_null(search(&b, "tabular", &status, &summary));
    assert_int_equal(status, WL_CHECK_FAILED);
    assert_non_null(strstr(wl_error(), "the scan found score"));
    unmake(&b);
}

TEST(failures_are_passed_on) {
    bench b;
    make(&b, SW_PROTEIN, 3, 30);
    wl_status status;
    sw_search_summary summary;
    b.request.device_count = 2;
    b.request.most_queries = 1;
    b.request.pattern = "sw/test_7*";
    assert_null(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_CHECK_FAILED);
    assert_string_equal(wl_error(), "kernel.cu:7: an illegal memory access was encountered");
    b.request.pattern = "sw/test_8*";
    assert_null(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "no day for it"));
    b.request.pattern = "sw/nothing";
    assert_null(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_BAD_USAGE);
    unmake(&b);
}

/* Queries that have arrived, and then something wrong: with two batches under way, too, all of them are reported before it is said. */
TEST(arriving_queries_come_before_a_wrong_one) {
    bench b;
    wl_status status;
    sw_search_summary summary, wanted;
    int ends[2];
    make(&b, SW_PROTEIN, 3, 30);
    b.request.evalue = 1e9;
    b.request.most_queries = 1;
    b.request.most_batches = 2;
    free(search(&b, COLUMNS, &status, &wanted));
    assert_int_equal(status, WL_OK);
    assert_int_equal(pipe(ends), 0);
    const sw_set *queries = &b.queries.set;
    for (size_t q = 0; q < queries->count; q++) {
        dprintf(ends[1], ">q%zu\n", q);
        for (uint32_t i = 0; i < queries->length[q]; i++)
            dprintf(ends[1], "%c", sw_letter(SW_PROTEIN, queries->residues[queries->start[q] + i]));
        dprintf(ends[1], "\n");
    }
    dprintf(ends[1], ">wrong\nMK1\n");
    close(ends[1]);
    const int before = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(sw_incoming_open(&(sw_query_reading){.alphabet = SW_PROTEIN}, &b.request.incoming), WL_OK);
    usleep(200000); // the '1' has been read when the first query is taken
    assert_null(search(&b, COLUMNS, &status, &summary));
    assert_int_equal(status, WL_BAD_INPUT);
    assert_string_equal(
        wl_error(),
        "standard input:8:3: found '1' in sequence 'wrong'; expected amino acids, one of " SW_PROTEIN_LETTERS);
    assert_int_equal(summary.hits, wanted.hits);
    sw_incoming_close(b.request.incoming);
    dup2(before, STDIN_FILENO);
    close(before);
    unmake(&b);
}

/* A reader that went away ends the search; who closes the stream finds out why.
 */
TEST(full_stream_ends_it) {
    bench b;
    make(&b, SW_PROTEIN, 50, 50);
    b.request.most_queries = 1;
    FILE *stream = fopen("/dev/full", "w");
    if (stream == NULL) skip();
    setvbuf(stream, NULL, _IONBF, 0);
    sw_report *report;
    sw_search_summary summary;
    assert_int_equal(sw_report_open("tabular", stream, &b.scoring, &b.statistics, &b.database, &report), WL_OK);
    assert_int_equal(sw_search(&b.request, report, stream, &summary), WL_OK);
    assert_true(ferror(stream) && seen.launches < 50);
    sw_report_close(report);
    fclose(stream);
    unmake(&b);
}

/* Progress goes from 0 to 1 and never back. */
static double last_done;
static void watch(void *context, double done, double seconds) {
    *(int *)context += 1;
    assert_true(done >= last_done && done <= 1.0000001 && seconds >= 0);
    last_done = done;
}

TEST(tells_how_far_it_is) {
    bench b;
    int calls = 0;
    make(&b, SW_PROTEIN, 4, 250);
    b.request.most_letters = 1;
    seen.pause = 3000; // longer than a tick altogether
    b.request.progress = watch;
    b.request.context = &calls;
    last_done = 0;
    free(searched(&b, COLUMNS));
    assert_true(calls > 0 && last_done > 0);
    unmake(&b);
}

/* (36 letters and 40 for the query) x 200 M letters / (16 threads x 20 G cells per second). */
TEST(seconds_are_cells_over_rates) {
    sw_search_size size = {.letters = 36, .queries = 1, .strands = 1, .database_letters = 200000000, .threads = 16};
    assert_true(fabs(sw_search_seconds(&size, WL_ISA_AVX512VBMI) - 0.0475) < 1e-9);
    assert_true(fabs(sw_search_seconds(&size, WL_ISA_AVX2) - 0.095) < 1e-9);
    size.strands = 2;
    size.threads = 1;
    assert_true(fabs(sw_search_seconds(&size, WL_ISA_AVX512BW) - 1.52) < 1e-9);
    size.queries = 3; // of the same letters together
    assert_true(fabs(sw_search_seconds(&size, WL_ISA_AVX512BW) - 3.12) < 1e-9);
    size.database_letters = UINT64_MAX; // unknown
    assert_true(sw_search_seconds(&size, WL_ISA_AVX512BW) > 1e6);
    for (wl_cpu_isa isa = WL_ISA_PORTABLE; isa < WL_CPU_ISAS; isa++) assert_true(sw_search_seconds(&size, isa) > 0);
}

TEST(small_searches_are_short) {
    bench b;
    char path[] = "/tmp/warpladder-short-XXXXXX";
    make(&b, SW_PROTEIN, 1, 1);
    const int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, 1000) == 0);
    assert_int_equal(sw_database_letters_about(path), 1000);
    assert_true(sw_search_is_short(&b.request, path) && sw_queries_are_few(path));
    assert_int_equal(pwrite(file, "\x1F\x8B", 2, 0), 2); // packed
    assert_int_equal(sw_database_letters_about(path), 3000);
    assert_int_equal(ftruncate(file, (off_t)1 << 40), 0);
    assert_false(sw_search_is_short(&b.request, path) || sw_queries_are_few(path));
    close(file);
    unlink(path);
    assert_true(sw_database_letters_about(path) == UINT64_MAX && sw_database_letters_about("/dev/null") == UINT64_MAX);
    assert_false(sw_search_is_short(&b.request, "-") || sw_queries_are_few("-") || sw_queries_are_few(path));
    unmake(&b);
}

int main(void) {
    static const wl_variant *const own[] = {&any, &few, &brief, &little, &surprised, &wrong, &broken, &none, &lone};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) wl_register(own[i]);
    return run_all_tests(NULL, NULL);
}
