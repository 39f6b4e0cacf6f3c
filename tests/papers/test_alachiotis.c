/* reproduce alachiotis2012: the paper's tables follow from their own times. Simulated data have the dimensions asked for, and a pruned
   tree is the tree without the tips. A wrong result is seen wherever it is, and does not spoil the other results. The discussion's
   numbers are those of its points. The variants and their clock are made up, so that no test depends on this machine's speed. */
#include <math.h>

#include "tests/support/unit.h"
#include "papers/alachiotis2012/paper.h"
#include "tools/align_reads/align.h"
#include "papers/alachiotis2012/path.h"
#include "harness/bench/device.h"
#include "papara/reference.h"

#define CLOSE(actual, expected, tolerance) assert_true(fabs((actual) - (expected)) <= (tolerance))

static void read_tables(wl_paper *tables) {
    static const char *const names[] = {"alachiotis2012_table1", "alachiotis2012_table2", "alachiotis2012_table3"};
    for (int t = 0; t < 3; t++) assert_int_equal(wl_paper_read(names[t], &tables[t]), WL_OK);
}

/* ---- the paper ---- */

/* Half of the last digit that `text` has. */
static double rounding(const char *text) {
    const char *point = strchr(text, '.');
    return 0.5 * (point == NULL ? 1 : pow(10, -(double)strlen(point + 1)));
}

/* The printed ratio of two printed times: within what their digits leave open. */
static void check_ratio(const wl_paper *paper, size_t row, const char *over, const char *under, const char *ratio) {
    double a = wl_paper_number(paper, row, over), b = wl_paper_number(paper, row, under);
    double slack =
        a / b * (rounding(wl_paper_text(paper, row, over)) / a + rounding(wl_paper_text(paper, row, under)) / b);
    /* From the same times, Table 1 prints 1.55 and Table 2 prints 1.52. */
    CLOSE(a / b, wl_paper_number(paper, row, ratio),
          slack + 2 * rounding(wl_paper_text(paper, row, ratio)) + 0.018 * a / b);
}

TEST(the_tables_follow_from_their_times) {
    wl_paper tables[3];
    read_tables(tables);
    assert_int_equal(tables[0].rows, 7);
    assert_int_equal(tables[1].rows, 6);
    for (int t = 0; t < 2; t++) {
        const wl_paper *p = &tables[t];
        for (size_t row = 0; row < p->rows; row++) {
            double sites = t == 0 ? wl_paper_number(p, row, "sites") : wl_paper_header_number(p, "sites");
            double reads = t == 0 ? wl_paper_header_number(p, "reads") : wl_paper_number(p, row, "reads");
            double length = wl_paper_header_number(p, "read_length");
            double columns = 1e-9 * reads * wl_paper_header_number(p, "vectors") * length;
            /* Sequential and SSE as n x m; the GPU as the cells computed. 2.5 %: SSE at 5,000 sites (the tables' note). */
            CLOSE(columns * sites / wl_paper_number(p, row, "seq_s") / wl_paper_number(p, row, "seq_gcups"), 1, 0.025);
            CLOSE(columns * sites / wl_paper_number(p, row, "simd_s") / wl_paper_number(p, row, "simd_gcups"), 1,
                  0.025);
            CLOSE(columns * (sites - length + 1) / wl_paper_number(p, row, "gpu_s") /
                      wl_paper_number(p, row, "gpu_gcups"),
                  1, 0.015);
            check_ratio(p, row, "seq_s", "gpu_s", "gpu_over_seq");
            check_ratio(p, row, "simd_s", "gpu_s", "gpu_over_simd");
        }
    }
    for (size_t row = 0; row < tables[2].rows; row++)
        CLOSE(wl_paper_number(&tables[2], row, "gcups_cpu") + wl_paper_number(&tables[2], row, "gcups_gpu"),
              wl_paper_number(&tables[2], row, "gcups_all"), 0.011);
    /* "which is 4.4e14 cells": the mean read that the table derives. */
    size_t all = wl_paper_row(&tables[2], "dataset", "16S.B.ALL");
    double taxa = wl_paper_number(&tables[2], all, "taxa");
    double cells = (2 * taxa - 3) * wl_paper_number(&tables[2], all, "sites") *
                   wl_paper_number(&tables[2], all, "reads") * wl_paper_number(&tables[2], all, "mean");
    CLOSE(cells / (wl_paper_number(&tables[2], all, "t_scoring") * 1e9 * wl_paper_number(&tables[2], all, "gcups_all")),
          1, 0.005);
    for (int t = 0; t < 3; t++) wl_result_file_free(&tables[t]);
}

/* ---- simulated data ---- */

static const papara_recipe small = {.alphabet = PAPARA_DNA,
                                    .taxa = 24,
                                    .sites = 600,
                                    .reads = 3000,
                                    .shortest = 29,
                                    .longest = 483,
                                    .depth = 0.15,
                                    .indels = 0.02,
                                    .error = 0.01,
                                    .indel_error = 0.001,
                                    .seed = 3};

TEST(reads_have_the_mean_and_the_range) {
    alachiotis_path path;
    assert_int_equal(alachiotis_path_open(&small, 167, NULL, &path), WL_OK);
    assert_int_equal(path.tree.edges, 2 * small.taxa - 3);
    assert_int_equal(path.reads.count, small.reads);
    uint32_t shortest = UINT32_MAX;
    uint64_t letters = 0;
    for (size_t r = 0; r < path.reads.count; r++) {
        assert_in_range(path.reads.length[r], 1, small.longest + 10); // an error may add a letter
        if (path.reads.length[r] < shortest) shortest = path.reads.length[r];
        letters += path.reads.length[r];
        assert_int_equal(strlen(path.data.read[path.simulated[r]]), path.reads.length[r]);
    }
    assert_int_equal(letters, path.reads.letters);
    CLOSE((double)letters / 3000, 167, 8); // three standard errors are 7
    assert_in_range(shortest, 29, 31);
    assert_true(path.reads.longest > 440);
    alachiotis_path_free(&path);
}

/* ---- a tree without some of its tips ---- */

static uint32_t depth_of(const wl_newick *tree, uint32_t node) {
    uint32_t depth = 0;
    for (; tree->parent[node] != WL_NO_NODE; node = tree->parent[node]) depth++;
    return depth;
}

static uint32_t ancestor(const wl_newick *tree, uint32_t a, uint32_t b) {
    uint32_t da = depth_of(tree, a), db = depth_of(tree, b);
    for (; da > db; da--) a = tree->parent[a];
    for (; db > da; db--) b = tree->parent[b];
    for (; a != b; b = tree->parent[b]) a = tree->parent[a];
    return a;
}

static uint32_t tip(const wl_newick *tree, const char *name) {
    uint32_t node = 0;
    while (tree->first_child[node] != WL_NO_NODE || strcmp(tree->label[node], name) != 0) node++;
    return node;
}

static double to_root(const wl_newick *tree, uint32_t node) {
    double sum = 0;
    for (; tree->parent[node] != WL_NO_NODE; node = tree->parent[node]) sum += tree->length[node];
    return sum;
}

/* Distances between tips are the tree: they must stay what they were. */
TEST(a_pruned_tree_keeps_its_distances) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        papara_recipe recipe = small;
        uint8_t kept[24];
        size_t count = 0;
        recipe.seed = seed;
        recipe.reads = 60;
        for (uint32_t t = 0; t < recipe.taxa; t++) count += kept[t] = (t * 7 + seed) % 3 != 0;
        alachiotis_path path;
        wl_newick whole;
        assert_int_equal(alachiotis_path_open(&recipe, 0, kept, &path), WL_OK);
        assert_int_equal(path.taxa, count);
        assert_int_equal(path.newick.tips, count);
        assert_int_equal(path.tree.edges, 2 * count - 3);
        for (size_t r = 0; r < path.reads.count; r++) assert_false(kept[path.data.source[path.simulated[r]]]);
        assert_true(path.reads.count > 0 && path.reads.count < recipe.reads);
        assert_int_equal(wl_newick_parse("whole", path.data.newick, strlen(path.data.newick), &whole), WL_OK);
        for (uint32_t i = 0; i < path.taxa; i++) {
            for (uint32_t j = 0; j < i; j++) {
                const wl_newick *trees[] = {&whole, &path.newick};
                double distance[2];
                for (int t = 0; t < 2; t++) {
                    uint32_t a = tip(trees[t], path.row[path.taxa + i]), b = tip(trees[t], path.row[path.taxa + j]);
                    distance[t] =
                        to_root(trees[t], a) + to_root(trees[t], b) - 2 * to_root(trees[t], ancestor(trees[t], a, b));
                }
                CLOSE(distance[0], distance[1], 1e-6);
            }
        }
        wl_newick_free(&whole);
        alachiotis_path_free(&path);
    }
}

/* A score that is not its alignment's cost is told, with the read. */
TEST(a_wrong_score_is_told) {
    papara_recipe recipe = small;
    recipe.reads = 20;
    recipe.longest = 60;
    alachiotis_path path;
    assert_int_equal(alachiotis_path_open(&recipe, 0, NULL, &path), WL_OK);
    papara_score_request request = alachiotis_path_request(&path, 20, NULL, 0);
    papara_best best[20];
    uint32_t *site = malloc(sizeof *site * recipe.sites);
    for (size_t r = 0; r < 20; r++) { // by the reference, on a vector of its own
        papara_input input = {.penalties = request.penalties,
                              .states = request.states,
                              .reads = {.count = 1,
                                        .length = request.reads.length + r,
                                        .start = request.reads.start + r,
                                        .codes = request.reads.codes,
                                        .letters = request.reads.length[r],
                                        .longest = request.reads.length[r]},
                              .vectors = 1,
                              .sites = recipe.sites,
                              .site = site};
        memcpy(input.sets, request.sets, sizeof input.sets);
        best[r] = (papara_best){.vector = (uint32_t)r};
        request.fill(request.context, r, 1, site);
        papara_reference(&input, 0, papara_slices(&input), &best[r].score);
    }
    const papara_alignment alignment = {.scored = &request, .best = best};
    assert_int_equal(papara_align_scored(&alignment, NULL), WL_OK);
    best[13].score++;
    assert_int_equal(papara_align_scored(&alignment, NULL), WL_CHECK_FAILED);
    assert_non_null(strstr(wl_error(), "read 13: "));
    assert_non_null(strstr(wl_error(), " on edge 13,"));
    free(site);
    alachiotis_path_free(&path);
}

/* ---- lines of a table ---- */

typedef struct {
    const papara_input *input;
    int line;
} fake_state;

static int wrong_line; // whose last score is wrong; -1: none

static wl_status prepare_line(int line, const void *input, void **state) {
    fake_state *s = malloc(sizeof *s);
    *s = (fake_state){input, line};
    *state = s;
    return WL_OK;
}
static wl_status prepare_simd(const wl_device *device, const void *input, void **state) {
    (void)device;
    return prepare_line(ALACHIOTIS_SIMD, input, state);
}
static wl_status prepare_paper(const wl_device *device, const void *input, void **state) {
    (void)device;
    return prepare_line(ALACHIOTIS_PAPER, input, state);
}
static wl_status prepare_last(const wl_device *device, const void *input, void **state) {
    (void)device;
    return prepare_line(ALACHIOTIS_LAST, input, state);
}
static wl_status launch(void *state) {
    (void)state;
    return WL_OK;
}
static wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    const fake_state *s = state;
    const papara_input *in = s->input;
    papara_reference(in, 0, papara_slices(in), output);
    ((int *)output)[in->reads.count * in->vectors - 1] += s->line == wrong_line;
    return WL_OK;
}
#define FAKE(title, own)                                                                                             \
    {                                                                                                                \
        .problem = "papara", .name = title, .backend = WL_CPU, .prepare = own, .launch = launch, .collect = collect, \
        .release = free                                                                                              \
    }
static const wl_variant fakes[ALACHIOTIS_LINES] = {[ALACHIOTIS_SIMD] = FAKE("simd", prepare_simd),
                                                   [ALACHIOTIS_PAPER] = FAKE("05_paper", prepare_paper),
                                                   [ALACHIOTIS_LAST] = FAKE("09_last", prepare_last)};

/* Every launch takes two seconds. */
static double fake_now(void *context) {
    (void)context;
    return wl_now();
}
static wl_status fake_time(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    (void)context;
    (void)device;
    (void)cold;
    *timing = (wl_timing){2, NAN};
    return timed.run(timed.argument);
}
static const wl_clockwork clockwork = {.now = fake_now, .time = fake_time};

static const char table_text[] = "# reads: 100\n# vectors: 5\n# read_length: 20\nsites\tseq_s\n50\t1\n90\t2\n";

/* On a CPU alone, or with what stands in for a GPU beside it. */
static void sweep_with(alachiotis_run *run, size_t gpus) {
    static const char path[] = "alachiotis_test.tsv";
    FILE *file = fopen(path, "w");
    fputs(table_text, file);
    fclose(file);
    *run = (alachiotis_run){
        .problem = wl_problem_named("papara"), .options = wl_measure_defaults(), .seed = 1, .quick = 1};
    run->cpu = (wl_device){.backend = WL_CPU, .multiprocessors = 4};
    run->gpus.items[0] = run->cpu;
    run->gpus.count = gpus;
    run->check_seconds = 60; // all pairs, however busy the machine is
    run->options.clockwork = &clockwork;
    run->options.least_samples = 3;
    run->options.most_seconds = 0.01; // of the real clock
    for (int l = ALACHIOTIS_SIMD; l < ALACHIOTIS_LINES; l++) run->lines[l] = (alachiotis_line){&fakes[l], &run->cpu};
    assert_int_equal(wl_result_file_read(path, &run->tables[0]), WL_OK);
    assert_int_equal(alachiotis_sweep(run, 1), WL_OK);
    remove(path);
}

static void sweep(alachiotis_run *run) {
    sweep_with(run, 0);
    assert_int_equal(run->count, 6);
}

static void sweep_free(alachiotis_run *run) {
    wl_result_file_free(&run->tables[0]);
    free(run->points);
}

TEST(a_wrong_line_fails_alone) {
    for (wrong_line = ALACHIOTIS_SIMD; wrong_line < ALACHIOTIS_LINES; wrong_line++) {
        alachiotis_run run;
        sweep(&run);
        for (size_t i = 0; i < run.count; i++) {
            const alachiotis_point *p = &run.points[i];
            if ((int)p->line == wrong_line) {
                assert_non_null(
                    strstr(wl_verdict_line(&p->verdict).text, "FAILED: 1 wrong, first score[read=99][vector=4]"));
                assert_true(isnan(p->gcups) && isnan(p->seconds));
            } else {
                assert_true(wl_passed(&p->verdict));
                assert_true(p->gcups > 0);
            }
        }
        sweep_free(&run);
    }
}

/* The first batch is measured whole. Two seconds are more than --quick gives a launch, so of the second the least part is measured, and its time is
   scaled. */
TEST(speeds_are_cells_over_seconds) {
    alachiotis_run run;
    wrong_line = -1;
    sweep(&run);
    for (size_t i = 0; i < run.count; i++) {
        const alachiotis_point *p = &run.points[i];
        double measured = p->gcups * 1e9 * 2;
        assert_int_equal(p->measured_reads, p->sites == 50 ? 100 : 64);
        /* Reads of 18 to 22 letters. */
        CLOSE(measured / (20.0 * (double)p->measured_reads * 5 * p->sites), 1, 0.05);
        CLOSE(p->seconds, 2 / p->share, 1e-9);
        CLOSE(p->share, p->sites == 50 ? 1 : 0.64, p->sites == 50 ? 1e-12 : 0.02);
        CLOSE(p->computed / p->gcups, (p->sites - 19.0) / p->sites, 0.05);
    }
    sweep_free(&run);
}

/* For each of the paper's launches, the GPU's lines also have a batch of more vectors. At first the speed is not known, and the batch has
   64 times as many vectors. Later it has fewer, because the speed is hundreds of thousands of cells per second. The CPU has the launch
   alone, and the batch's speed is compared with the CPU's. */
TEST(a_gpu_has_a_batch_that_fills_it) {
    alachiotis_run run;
    wrong_line = -1;
    sweep_with(&run, 1);
    assert_int_equal(run.count, 10);
    assert_null(alachiotis_find(&run, 1, 50, 100, 1, ALACHIOTIS_SIMD));
    for (int line = ALACHIOTIS_PAPER; line <= ALACHIOTIS_LAST; line++) {
        const alachiotis_point *first = alachiotis_find(&run, 1, 50, 100, 1, (alachiotis_line_number)line);
        const alachiotis_point *second = alachiotis_find(&run, 1, 90, 100, 1, (alachiotis_line_number)line);
        const alachiotis_point *launch_alone = alachiotis_find(&run, 1, 50, 100, 0, (alachiotis_line_number)line);
        const alachiotis_point *simd = alachiotis_find(&run, 1, 50, 100, 0, ALACHIOTIS_SIMD);
        assert_non_null(first);
        assert_non_null(second);
        assert_true(wl_passed(&first->verdict));
        assert_int_equal(launch_alone->vectors, 5);
        assert_int_equal(first->vectors, 64 * 5);
        assert_in_range(second->vectors, 2 * 5, 32 * 5);
        /* As many times the vectors in the same two seconds, of as many reads as were measured. */
        CLOSE(alachiotis_speedup(first, simd), 64.0 * (double)first->measured_reads / 100, 1.5);
        assert_true(isnan(alachiotis_speedup(first, NULL)));
    }
    sweep_free(&run);
}

/* ---- what is said ---- */

static alachiotis_point said_point(alachiotis_line_number line, int is_filling, uint32_t sites, double gcups) {
    return (alachiotis_point){.table = 1,
                              .line = line,
                              .is_filling = is_filling,
                              .sites = sites,
                              .reads = 1250,
                              .vectors = is_filling ? 10240 : 320,
                              .gcups = gcups,
                              .limit_gcups = 2 * gcups,
                              .limit = "made up",
                              .verdict = {.state = WL_PASSED}};
}

TEST(the_discussion_says_what_was_measured) {
    alachiotis_run run = {.problem = wl_problem_named("papara")};
    read_tables(run.tables);
    run.cpu = (wl_device){.backend = WL_CPU, .multiprocessors = 16};
    for (int l = ALACHIOTIS_SIMD; l < ALACHIOTIS_LINES; l++) run.lines[l] = (alachiotis_line){&fakes[l], &run.cpu};
    alachiotis_point points[] = {
        said_point(ALACHIOTIS_SIMD, 0, 5000, 250),  said_point(ALACHIOTIS_SIMD, 0, 500000, 150),
        said_point(ALACHIOTIS_PAPER, 1, 5000, 750), said_point(ALACHIOTIS_LAST, 0, 5000, 1500),
        said_point(ALACHIOTIS_LAST, 1, 5000, 2500), said_point(ALACHIOTIS_LAST, 1, 500000, 2400)};
    run.points = points;
    run.count = sizeof points / sizeof *points;
    points[0].limit_gcups = 1000;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    alachiotis_print_discussion(stream, &run, "> ");
    fclose(stream);
    static const char *const wanted[] = {
        "> In the paper, the GPU was 1.55 times as fast as 4 cores: as fast as 6.2 cores.\n",
        "> The CPU here (simd): 250 GCUPS, 25 % of the 1000 that",
        "> That is 15.6 GCUPS for each of 16 threads",
        "> The GPU here (09_last): 2500 GCUPS, 50 % of the 5000 that",
        "> Here, the GPU is 10 times as fast as 16 threads: as fast as 160 threads.\n",
        "The GPU's limit is 5 times the CPU's",
        "(05_paper) on the same GPU is 3 times as fast",
        "320 vectors, does not fill this GPU: 1500 GCUPS, 6 times the CPU.\n",
        "the paper's SSE 0.12, its GPU 0.48",
        "simd 0.60 (to 500000 sites); here 09_last 0.96 (to 500000 sites)"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strstr(text, wanted[i]) == NULL) fail_msg("'%s' is not in\n%s", wanted[i], text);
    free(text);
    for (int t = 0; t < 3; t++) wl_result_file_free(&run.tables[t]);
}

TEST(the_hybrid_is_compared_with_its_parts) {
    alachiotis_system systems[] = {{.dataset = 1, .mode = ALACHIOTIS_HYBRID, .gcups = 2090},
                                   {.dataset = 1, .mode = ALACHIOTIS_GPUS, .gcups = 2000},
                                   {.dataset = 1, .mode = ALACHIOTIS_CPU, .gcups = 200}};
    alachiotis_run run = {.systems = systems, .system_count = 3};
    CLOSE(alachiotis_of_parts(&run, 1), 0.95, 1e-12);
    assert_true(isnan(alachiotis_of_parts(&run, 0)));
    run.system_count = 2;
    assert_true(isnan(alachiotis_of_parts(&run, 1)));
}

int main(void) { return run_all_tests(NULL, NULL); }
