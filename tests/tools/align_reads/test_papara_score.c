/* The scoring phase: each read's best and runner-up are what brute force finds, ties and all, whoever computed what,
   in whatever blocks.

   The scores come from variants of this file, which call the serial reference, refuse what they are told to and say
   they are CPU threads, GPUs' or the simulated device's: the engine knows no kernel, so its test needs none. The
   last test is with the program's own. The oracle scores all pairs with the reference in one go and searches them. */
#include <pthread.h>
#include <unistd.h>

#include "harness/base/random.h"
#include "papara/generate.h"
#include "papara/reference.h"
#include "tools/align_reads/score/score.h"
#include "tools/align_reads/score/queue.h"

#define TOOL_PROBLEM "papara"
#define TOOL_INPUT papara_input
#define TOOL_REFERENCE(in, output) papara_reference(in, 0, papara_slices(in), output)
#include "tests/support/tool_variants.h"

/* --- Variants ---------------------------------------------------------------------------------------------------- */

/* What the variants did since make(); several threads run them. */
static struct {
    pthread_mutex_t lock;
    size_t launches, most_pairs, most_reads, fewest_vectors, pairs, strict_pairs;
    size_t by_backend[WL_BACKENDS];
    unsigned pause; // microseconds a launch takes at least
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { PAIRS_MOST = 7, LENGTH_MOST = 20 };

static const char *takes_few(const wl_device *device, const void *input) {
    const papara_input *in = input;
    (void)device;
    return in->reads.count * in->vectors > PAIRS_MOST ? "at most 7 pairs" : NULL;
}

static const char *takes_short(const wl_device *device, const void *input) {
    const papara_input *in = input;
    (void)device;
    return in->reads.longest > LENGTH_MOST ? "at most 20 letters" : NULL;
}

static const char *takes_little(const wl_device *device, const void *input) {
    const papara_input *in = input;
    size_t needed = sizeof(int) * in->reads.count * in->vectors + sizeof(uint32_t) * in->vectors * in->sites;
    return needed > device->memory_free ? "it does not fit into device memory" : NULL;
}

/* As where another program has taken memory since `supports` was asked. */
static wl_status prepare_few(const wl_device *device, const void *input, void **state) {
    if (takes_few(device, input)) return wl_fail(WL_NO_MACHINE, "out of memory");
    return prepare(device, input, state);
}

static wl_status launch(void *state) {
    const state_of_test *s = state;
    size_t reads = s->input.reads.count, pairs = reads * s->input.vectors;
    pthread_mutex_lock(&seen.lock);
    seen.launches++;
    seen.pairs += pairs;
    seen.by_backend[s->backend] += pairs;
    if (pairs > seen.most_pairs) seen.most_pairs = pairs;
    if (reads > seen.most_reads) seen.most_reads = reads;
    if (s->input.vectors < seen.fewest_vectors) seen.fewest_vectors = s->input.vectors;
    pthread_mutex_unlock(&seen.lock);
    if (seen.pause) usleep(seen.pause);
    return WL_OK;
}

static wl_status launch_short(void *state) {
    const state_of_test *s = state;
    pthread_mutex_lock(&seen.lock);
    seen.strict_pairs += s->input.reads.count * s->input.vectors;
    pthread_mutex_unlock(&seen.lock);
    return launch(state);
}

/* Devices of known speed, that wait instead of working. */
#define SIM_RATE 3.2e8
#define CPU_RATE 4e7 // of a thread

static wl_status launch_paced(void *state) {
    const state_of_test *s = state;
    double cells = (double)s->input.reads.letters * (double)s->input.vectors * s->input.sites;
    usleep((useconds_t)(1e6 * cells / (s->backend == WL_SIM ? SIM_RATE : CPU_RATE)));
    return WL_OK;
}

static wl_status collect_nothing(void *state, void *output, int poison) {
    (void)poison;
    const state_of_test *s = state;
    memset(output, 0, sizeof(int) * s->input.reads.count * s->input.vectors);
    return WL_OK;
}

VARIANT(any, WL_CPU, "test_1_any", takes_all, prepare, launch, collect);
VARIANT(any_sim, WL_SIM, "test_1_any", takes_all, prepare, launch, collect);
VARIANT(few, WL_CPU, "test_2_few", takes_few, prepare, launch, collect);
VARIANT(brief, WL_CPU, "test_3_short", takes_short, prepare, launch_short, collect);
VARIANT(little, WL_SIM, "test_4_little", takes_little, prepare, launch, collect);
VARIANT(surprised, WL_CPU, "test_5_surprised", takes_all, prepare_few, launch, collect);
VARIANT(broken, WL_SIM, "test_7_broken", takes_all, prepare, launch_badly, collect);
VARIANT(paced, WL_CPU, "test_9_paced", takes_all, prepare, launch_paced, collect_nothing);
VARIANT(paced_sim, WL_SIM, "test_9_paced", takes_all, prepare, launch_paced, collect_nothing);
VARIANT(none, WL_CPU, "test_8_none", takes_none, prepare, launch, collect);

/* --- A bench ----------------------------------------------------------------------------------------------------- */

typedef struct {
    papara_owned_input data;
    wl_device devices[2];
    papara_score_request request;
    papara_best *best, *expected; // [reads]
    papara_score_summary summary;
} bench;

static void fill(const void *context, size_t first, size_t count, uint32_t *site) {
    const papara_input *in = context;
    assert_true(first + count <= in->vectors);
    memcpy(site, in->site + first * in->sites, count * in->sites * sizeof *site);
}

/* All pairs in one go, searched in the order of the vectors. */
static void brute_force(bench *b) {
    const papara_input *in = &b->data.input;
    int *score = malloc(sizeof *score * (in->reads.count * in->vectors + 1));
    assert_non_null(score);
    papara_reference(in, 0, papara_slices(in), score);
    for (size_t r = 0; r < in->reads.count; r++) {
        const int *row = score + r * in->vectors;
        papara_best *e = &b->expected[r];
        *e = (papara_best){PAPARA_INFINITE, PAPARA_INFINITE, UINT32_MAX, UINT32_MAX};
        for (uint32_t v = 0; v < in->vectors; v++)
            if (e->vector == UINT32_MAX || row[v] < row[e->vector]) e->vector = v;
        for (uint32_t v = 0; v < in->vectors; v++)
            if (v != e->vector && (e->second_vector == UINT32_MAX || row[v] < row[e->second_vector]))
                e->second_vector = v;
        e->score = row[e->vector];
        if (e->second_vector != UINT32_MAX) e->second_score = row[e->second_vector];
    }
    free(score);
}

static void make(bench *b, papara_alphabet alphabet, papara_kind kind, size_t reads, size_t vectors, uint32_t sites,
                 uint32_t longest) {
    *b = (bench){0};
    papara_random_recipe recipe = {.seed = 7,
                                   .alphabet = alphabet,
                                   .kind = kind,
                                   .penalties = PAPARA_PENALTIES,
                                   .vectors = vectors,
                                   .reads = reads,
                                   .sites = sites,
                                   .read_length = (1 + longest) / 2,
                                   .shortest = 1,
                                   .longest = longest};
    assert_int_equal(papara_generate(&recipe, &b->data), WL_OK);
    const papara_input *in = &b->data.input;
    b->best = malloc(sizeof *b->best * (reads + 1));
    b->expected = malloc(sizeof *b->expected * (reads + 1));
    assert_true(b->best && b->expected);
    b->devices[0] =
        (wl_device){.backend = WL_CPU, .name = "test", .memory_free = (size_t)1 << 30, .multiprocessors = 2};
    b->devices[1] = (wl_device){.backend = WL_SIM, .name = "simulated", .memory_free = (size_t)1 << 30};
    b->request = (papara_score_request){.penalties = in->penalties,
                                        .states = in->states,
                                        .reads = in->reads,
                                        .vectors = in->vectors,
                                        .sites = in->sites,
                                        .fill = fill,
                                        .context = in,
                                        .devices = b->devices,
                                        .device_count = 1,
                                        .pattern = "papara/test_1_any"};
    memcpy(b->request.sets, in->sets, sizeof in->sets);
    brute_force(b);
    pthread_mutex_lock(&seen.lock);
    seen.launches = seen.most_pairs = seen.most_reads = seen.pairs = seen.strict_pairs = seen.pause = 0;
    memset(seen.by_backend, 0, sizeof seen.by_backend);
    seen.fewest_vectors = SIZE_MAX;
    pthread_mutex_unlock(&seen.lock);
}

static void unmake(bench *b) {
    papara_owned_input_free(&b->data);
    free(b->best);
    free(b->expected);
}

static void expect_brute_force(bench *b) {
    size_t reads = b->request.reads.count;
    memset(b->best, 0xA5, sizeof *b->best * reads);
    wl_status status = papara_score(&b->request, b->best, &b->summary);
    if (status != WL_OK) fail_msg("%s", wl_error());
    for (size_t r = 0; r < reads; r++) {
        const papara_best *is = &b->best[r], *should = &b->expected[r];
        if (is->score != should->score || is->vector != should->vector || is->second_score != should->second_score ||
            is->second_vector != should->second_vector)
            fail_msg("read %zu: found %d at %u and %d at %u, expected %d at %u and %d at %u", r, is->score, is->vector,
                     is->second_score, is->second_vector, should->score, should->vector, should->second_score,
                     should->second_vector);
    }
}

static void expect_failure(bench *b, wl_status status, const char *text) {
    assert_int_equal(papara_score(&b->request, b->best, &b->summary), status);
    if (strstr(wl_error(), text) == NULL) fail_msg("said '%s', expected '%s'", wl_error(), text);
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

/* Every kind of data, both alphabets, any number of threads; KIND_REPEAT has hundreds of equal scores. */
TEST(finds_what_brute_force_finds) {
    size_t ties = 0;
    for (int kind = 0; kind < PAPARA_KINDS; kind++) {
        for (int alphabet = PAPARA_DNA; alphabet <= PAPARA_PROTEIN; alphabet++) {
            bench b;
            make(&b, (papara_alphabet)alphabet, (papara_kind)kind, 41, 131, 37, 37);
            for (int threads = 1; threads <= 5; threads += 2) {
                b.request.threads = threads;
                expect_brute_force(&b);
                assert_int_equal(seen.pairs, 41 * 131);
                seen.pairs = 0;
            }
            for (size_t r = 0; r < 41; r++) ties += b.expected[r].score == b.expected[r].second_score;
            unmake(&b);
        }
    }
    assert_true(ties > 100);
}

/* Threads and another device at once; each gets some, nothing is done twice, and the sums are right. */
TEST(devices_share) {
    for (size_t most_reads = 0; most_reads <= 9; most_reads += 3) {
        bench b;
        make(&b, PAPARA_DNA, PAPARA_KIND_REPEAT, 60, 300, 30, 24);
        seen.pause = 500; // so that all get their turn
        b.request.device_count = 2;
        b.request.threads = 3;
        b.request.most_reads = most_reads;
        expect_brute_force(&b);
        assert_int_equal(seen.pairs, 60 * 300);
        assert_true(seen.by_backend[WL_CPU] > 0 && seen.by_backend[WL_SIM] > 0);
        if (most_reads > 0) assert_true(seen.most_reads <= most_reads);
        assert_int_equal(b.summary.workers, 2);
        double letters = (double)b.request.reads.letters, sum = b.summary.worker[0].cells + b.summary.worker[1].cells;
        assert_true(b.summary.cells == letters * 300 * 30 && sum == b.summary.cells);
        assert_true(b.summary.computed_cells > 0 && b.summary.computed_cells < b.summary.cells);
        assert_true(b.summary.seconds > 0 && b.summary.cpu_seconds > 0);
        assert_string_equal(b.summary.worker[0].name, "3 CPU threads (test_1_any)");
        assert_string_equal(b.summary.worker[1].name, "simulated (test_1_any)");
        unmake(&b);
    }
}

/* A variant that takes small parts only gets small parts, all of them; so does one that finds out too late. */
TEST(halves_what_is_too_large) {
    static const char *const patterns[] = {"papara/test_1* papara/test_2*", "papara/test_5*"};
    for (int p = 0; p < 2; p++) {
        bench b;
        make(&b, PAPARA_DNA, PAPARA_KIND_CUT, 23, 70, 30, 24);
        b.request.pattern = patterns[p];
        expect_brute_force(&b);
        assert_int_equal(seen.pairs, 23 * 70);
        assert_true(seen.most_pairs <= PAIRS_MOST);
        unmake(&b);
    }
}

/* Reads that a variant refuses go to the stage below, and only those. */
TEST(hands_on_what_is_too_long) {
    bench b;
    make(&b, PAPARA_DNA, PAPARA_KIND_CUT, 40, 64, 40, 40);
    b.request.pattern = "papara/test_1* papara/test_3*";
    expect_brute_force(&b);
    size_t brief_reads = 0;
    for (size_t r = 0; r < 40; r++) brief_reads += b.request.reads.length[r] <= LENGTH_MOST;
    assert_true(brief_reads > 5 && brief_reads < 35);
    assert_int_equal(seen.strict_pairs, brief_reads * 64);
    assert_int_equal(seen.pairs, 40 * 64);
    b.request.pattern = "papara/test_3*";
    expect_failure(&b, WL_NO_MACHINE, "no variant of papara takes a read of");
    unmake(&b);
}

/* Little memory: vectors pass through in blocks that fit; less than one pair's is said to be too little. */
TEST(little_memory) {
    bench b;
    make(&b, PAPARA_DNA, PAPARA_KIND_CUT, 30, 200, 50, 24);
    b.request.devices = &b.devices[1];
    b.request.pattern = "papara/test_4*";
    b.devices[1].memory_free = 4096;
    expect_brute_force(&b);
    assert_true(seen.launches >= 200 * 50 * 4 / 4096);
    b.devices[1].memory_free = 100;
    expect_failure(&b, WL_NO_MACHINE, "test_4_little: it does not fit into device memory");
    unmake(&b);
}

/* One worker's failure ends all, with its own line. */
TEST(failures_are_passed_on) {
    bench b;
    make(&b, PAPARA_DNA, PAPARA_KIND_CUT, 30, 500, 30, 24);
    seen.pause = 1000;
    b.request.device_count = 2;
    b.request.most_reads = 1;
    b.request.pattern = "papara/test_1_any papara/test_7*";
    expect_failure(&b, WL_CHECK_FAILED, "kernel.cu:7: an illegal memory access was encountered");
    assert_true(seen.pairs < 30 * 500);
    b.request.device_count = 1;
    b.request.pattern = "papara/test_8*";
    expect_failure(&b, WL_NO_MACHINE, "no day for it");
    b.request.pattern = "papara/nothing";
    expect_failure(&b, WL_BAD_USAGE, "option --variant: 'papara/nothing' is no stage of papara for the backend cpu");
    unmake(&b);
}

/* Devices whose speeds nobody has told them finish together: together they are as fast as their sum, nearly. */
TEST(all_finish_together) {
    bench b;
    make(&b, PAPARA_DNA, PAPARA_KIND_CUT, 100, 500, 200, 60);
    b.request.pattern = "papara/test_9*";
    b.request.device_count = 2;
    b.request.threads = 2;
    assert_int_equal(papara_score(&b.request, b.best, &b.summary), WL_OK);
    double ideal = b.summary.cells / (SIM_RATE + 2 * CPU_RATE);
    assert_true(ideal > 0.5);
    assert_true(b.summary.seconds > ideal && b.summary.seconds < 1.3 * ideal);
    assert_true(b.summary.cpu_seconds < 0.3 * b.summary.seconds); // threads that wait sleep
    unmake(&b);
}

/* Nothing to do is done at once; one vector has no runner-up; one read of one letter. */
TEST(small_ones) {
    static const size_t shapes[][2] = {{0, 5}, {1, 1}, {5, 1}, {1, 2}, {1, 33}, {33, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        bench b;
        make(&b, PAPARA_DNA, PAPARA_KIND_CUT, shapes[i][0], shapes[i][1], 8, 8);
        expect_brute_force(&b);
        if (shapes[i][1] == 1 && shapes[i][0] > 0) assert_int_equal(b.best[0].second_vector, UINT32_MAX);
        unmake(&b);
    }
}

/* Blocks of both shapes, taken in any order and size, are the whole, each pair once. */
TEST(blocks_tile) {
    enum { READS = 37, VECTORS = 300, SITES = 20 };
    bench b;
    make(&b, PAPARA_DNA, PAPARA_KIND_CUT, READS, VECTORS, SITES, 20);
    papara_sorted_reads sorted;
    assert_int_equal(papara_sort_reads(&b.request.reads, &sorted), WL_OK);
    wl_random random = wl_random_stream(3, 0);
    for (size_t most_reads = 1; most_reads <= READS + 5; most_reads += 9) {
        unsigned char taken[READS][VECTORS] = {{0}};
        papara_queue queue;
        papara_block block;
        assert_int_equal(papara_queue_make(&sorted.reads, VECTORS, SITES, most_reads, &queue), WL_OK);
        double all = queue.cells_left;
        int wide;
        while (wide = (int)wl_random_below(&random, 2),
               papara_queue_take(&queue, wide ? PAPARA_WIDE : PAPARA_NARROW, wl_random_below(&random, 200000),
                                 1 + wl_random_below(&random, 100), &block) == 1) {
            assert_true(block.reads > 0 && block.reads <= most_reads && block.vectors > 0);
            all -= papara_block_cells(&queue, &block);
            for (size_t r = block.first_read; r < block.first_read + block.reads; r++)
                for (size_t v = block.first_vector; v < block.first_vector + block.vectors; v++)
                    assert_int_equal(taken[r][v]++, 0);
        }
        for (size_t r = 0; r < READS; r++)
            for (size_t v = 0; v < VECTORS; v++) assert_int_equal(taken[r][v], 1);
        assert_true(all == 0 && queue.cells_left == 0);
        papara_queue_free(&queue);
    }
    papara_sorted_reads_free(&sorted);
    unmake(&b);
}

/* Progress goes from 0 to 1 and never back. */
static double last_done;
static void watch(void *user, double done, double seconds) {
    *(int *)user += 1;
    assert_true(done >= last_done && done <= 1.0000001 && seconds >= 0);
    last_done = done;
}

TEST(tells_how_far_it_is) {
    bench b;
    int calls = 0;
    make(&b, PAPARA_DNA, PAPARA_KIND_CUT, 20, 640, 20, 20);
    b.request.most_reads = 1;
    b.request.threads = 1;
    b.request.progress = watch;
    b.request.user = &calls;
    seen.pause = 3000; // longer than a tick altogether
    last_done = 0;
    expect_brute_force(&b);
    assert_true(calls > 1 && last_done > 0);
    unmake(&b);
}

/* The program's own variants: CPU threads and the simulated device, alone and together, with protein, too. */
TEST(own_variants_agree) {
    for (int alphabet = PAPARA_DNA; alphabet <= PAPARA_PROTEIN; alphabet++) {
        bench b;
        make(&b, (papara_alphabet)alphabet, PAPARA_KIND_GAPS, 12, 70, 60, 50);
        static const char *const requests[] = {"cpu", "sim"};
        for (int which = 0; which < 3; which++) {
            wl_device_list devices;
            assert_int_equal(wl_devices_select(requests[which > 0], &devices), WL_OK);
            b.request.devices = devices.items + (which == 1);
            b.request.device_count = which == 2 ? 2 : 1;
            b.request.pattern = "papara/[0-9]* papara/cpu*";
            expect_brute_force(&b);
        }
        unmake(&b);
    }
}

int main(void) {
    static const wl_variant *const own[] = {&any,       &any_sim, &few,   &brief,     &little,
                                            &surprised, &broken,  &paced, &paced_sim, &none};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) wl_register(own[i]);
    return run_all_tests(NULL, NULL);
}
