/* reproduce: the paper table says what the paper says, and the audit's arithmetic follows from it and from what was
   measured. The measurements are made up; no test depends on this machine's speed. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "papers/common/reproduce.h"

#define CLOSE(actual, expected, tolerance) assert_true(fabs((actual) - (expected)) <= (tolerance))

/* ---- the table ---- */

static double ms(const wl_paper *paper, const char *variant) {
    return wl_paper_number(paper, wl_paper_row(paper, "variant", variant), "ms");
}

TEST(the_table_is_the_papers) {
    wl_paper paper;
    assert_int_equal(wl_paper_read("payne2010_figure4", &paper), WL_OK);
    assert_int_equal(paper.rows, 6);
    /* Section 6, and the factors it states, each within what rounding to two digits explains but the first: 20.96 is
       printed as 20. */
    static const struct {
        const char *variant;
        double ms, stated, computed;
    } said[] = {{"01_naive", 2140, 20, 20.965},
                {"02_coalesced", 1766, 25, 25.405},
                {"03_char4", 1784, NAN, 25.149},
                {"04_registers", 683, 65, 65.688},
                {"05_shared", 26, 1700, 1725.58}};
    CLOSE(ms(&paper, "serial"), 44865, 0);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        double speedup = wl_paper_number(&paper, wl_paper_row(&paper, "variant", said[i].variant), "speedup");
        CLOSE(ms(&paper, said[i].variant), said[i].ms, 0);
        CLOSE(ms(&paper, "serial") / ms(&paper, said[i].variant), said[i].computed, 5e-3);
        assert_true(isnan(said[i].stated) ? isnan(speedup) : speedup == said[i].stated);
        if (isfinite(speedup)) assert_true(fabs(said[i].computed / speedup - 1) < 0.05);
    }
    CLOSE(wl_paper_header_number(&paper, "instances"), 112, 0);
    CLOSE(wl_paper_header_number(&paper, "attributes"), 512, 0);
    CLOSE(wl_paper_header_number(&paper, "datasets"), 25, 0);
    CLOSE(wl_paper_header_number(&paper, "threads_per_block"), 128, 0);
    assert_null(wl_paper_header(&paper, "no such key"));
    assert_null(wl_paper_text(&paper, 0, "no such column"));
    assert_true(isnan(wl_paper_number(&paper, 99, "ms")));
    wl_result_file_free(&paper);
}

/* A paper table with these contents; what reading it says, in a static line. */
static const char *reading(const char *contents) {
    static char said[512];
    char folder[] = "/tmp/warpladder-paper-XXXXXX", plots[64], papers[64], file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(plots, sizeof plots, "%s/plots", folder);
    snprintf(papers, sizeof papers, "%s/plots/papers", folder);
    snprintf(file, sizeof file, "%s/plots/papers/x.tsv", folder);
    assert_true(mkdir(plots, 0700) == 0 && mkdir(papers, 0700) == 0);
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    fputs(contents, stream);
    fclose(stream);
    setenv("WL_DATA", folder, 1);
    wl_paper paper;
    wl_status status = wl_paper_read("x", &paper);
    unsetenv("WL_DATA");
    if (status == WL_OK)
        wl_result_file_free(&paper);
    else
        assert_int_equal(status, WL_BAD_INPUT);
    snprintf(said, sizeof said, "%s", status == WL_OK ? "ok" : strstr(wl_error(), file) + strlen(file));
    assert_true(unlink(file) == 0 && rmdir(papers) == 0 && rmdir(plots) == 0 && rmdir(folder) == 0);
    return said;
}

TEST(broken_tables_are_refused) {
    assert_string_equal(reading("# a: b\nx\ty\n1\tNA\n"), "ok");
    assert_string_equal(reading("x\ty\n1\t2"), "ok");
    assert_string_equal(reading(""), ": found no columns; expected a result file, tab-separated values");
    assert_string_equal(reading("# a: b\nx\ty\n"), ": found no rows; expected a paper table");
    assert_string_equal(reading("# a: b\nx\ty\n1\t2\n1\n"),
                        ":4: found 1 fields; expected 2, as many as there are names of columns");
    wl_paper paper;
    assert_int_equal(wl_paper_read("no_such_table", &paper), WL_BAD_INPUT);
}

/* ---- the audit ---- */

/* What the paper's run would look like with these mean times; 0: not measured. */
static char *audit_of(double O0_ms, double O3_ms, double simd_ms, double shared_ms) {
    static const wl_variant shared = {.problem = "lessons", .name = "05_shared", .backend = WL_GPU};
    wl_reproduced r = {.problem = wl_problem_named("lessons"), .work = 112.0 * 112 * 512, .serials = 2, .count = 4};
    wl_reproduced_row rows[4] = {{.kind = WL_ROW_SERIAL, .method = "serial CPU, -O0", .mean_ms = O0_ms},
                                 {.kind = WL_ROW_SERIAL, .method = "serial CPU, -O3", .mean_ms = O3_ms},
                                 {.kind = WL_ROW_BEST_CPU, .method = "best CPU", .mean_ms = simd_ms},
                                 {.kind = WL_ROW_STAGE, .method = "shared", .mean_ms = shared_ms}};
    for (int i = 0; i < 4; i++)
        if (rows[i].mean_ms == 0) rows[i].mean_ms = NAN;
    rows[3].variant = &shared;
    rows[3].total_ms = 10 * shared_ms;
    rows[3].over_serial[0].median = O0_ms / shared_ms;
    rows[3].over_serial[1].median = O3_ms / shared_ms;
    rows[3].over_best_cpu.median = simd_ms / shared_ms;
    r.rows = rows;
    assert_int_equal(wl_paper_read("payne2010_figure4", &r.paper), WL_OK);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    const wl_reproduction *payne2010 = wl_reproductions();
    while (payne2010 != NULL && strcmp(payne2010->name, "payne2010") != 0) payne2010 = payne2010->next;
    assert_non_null(payne2010);
    ((const wl_stage_table *)payne2010->plan)->audit(stream, &r);
    fclose(stream);
    wl_result_file_free(&r.paper);
    return text;
}

#define SAYS(text, words) \
    if (strstr(text, words) == NULL) fail_msg("'%s' is not in:\n%s", words, text)

TEST(the_audit_does_its_sums) {
    /* 44,865 ms / 6,422,528 = 6,985.6 ns = 18,581.7 cycles of 2.66 GHz. */
    char *text = audit_of(22.4325, 4.4865, 0.1, 0.02);
    SAYS(text, "112 x 112 x 512 = 6,422,528 comparisons in 44,865 ms on a CPU of 2.66 GHz");
    SAYS(text, "6,986 ns or 18,582 cycles");
    SAYS(text, "44.9 ms, is 6.99 ns or 18.6 cycles");
    SAYS(text,
         "3.49 ns per comparison (-O0), 0.699 ns per comparison (-O3)."); // a 2,000th and a 10,000th of the paper's
    SAYS(text, "2,000 to 10,000 times that; a thousandth of it, 2 to 10 times");
    SAYS(text, "a thousand times too large");
    SAYS(text, "44.9 ms / 26 ms = 1.73, not 1,700");
    SAYS(text, "1,122 times as fast as serial CPU, -O0");
    SAYS(text, "224 times as fast as serial CPU, -O3");
    SAYS(text, "5 times as fast as the best CPU code");
    SAYS(text, "0.2 ms, not 0.02 ms");
    free(text);
}

/* Other programs make the serial code take up to five times as long: 16.4 ns per comparison here, without optimisation. */
TEST(the_audit_says_the_same_on_a_busy_machine) {
    char *busy = audit_of(105.3, 18.7, 0.1, 0.02);
    SAYS(busy, "16.4 ns per comparison (-O0)");
    SAYS(busy, "from 0.14 to 140 ns per comparison support the thousandth");
    SAYS(busy, "a thousand times too large");
    free(busy);
}

TEST(the_audit_claims_no_more_than_it_knows) {
    /* A machine on which the code really takes that long. */
    char *slow = audit_of(44865, 20000, 100, 20);
    SAYS(slow, "do not show");
    assert_null(strstr(slow, "a thousand times too large"));
    free(slow);
    /* One that is too fast for even a thousandth to be believed. */
    char *fast = audit_of(0.4, 0.3, 0.1, 0.02);
    SAYS(fast, "do not show");
    free(fast);
    /* No GPU, and no CPU time either. */
    char *no_gpu = audit_of(22, 4, 0.1, 0), *nothing = audit_of(0, 0, 0, 0);
    SAYS(no_gpu, "Measuring the factor here needs a GPU");
    SAYS(no_gpu, "a thousand times too large");
    SAYS(nothing, "6,986 ns");
    assert_null(strstr(nothing, "Here, the same serial loop"));
    free(no_gpu);
    free(nothing);
}

/* ---- rows from samples ---- */

static wl_status nowhere(void *s, size_t first, size_t count) {
    (void)s, (void)first, (void)count;
    return WL_OK;
}

static const wl_variant
    serial_O0 = {.problem = "lessons", .name = "serial_O0", .backend = WL_CPU, .launch_slices = nowhere},
    serial_O3 = {.problem = "lessons", .name = "serial_O3", .backend = WL_CPU, .launch_slices = nowhere},
    simd = {.problem = "lessons", .name = "cpu_simd", .backend = WL_CPU},
    shared = {.problem = "lessons", .name = "05_shared", .backend = WL_GPU};

enum { ROUNDS = 26 };

/* Rounds over two data sets, the second twice as slow; a discarded sample far off; enough rounds for an interval. The quartile and the
   median of all samples are not the rounds': a speedup and its interval are of the same rounds. */
static wl_measurement measured(const wl_variant *variant, double base, wl_sample *samples, double *rounds) {
    wl_measurement m = {.variant = variant, .samples = samples, .round_ms = rounds, .rounds = ROUNDS};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        rounds[i] = base * (1 + i % 2);
        samples[m.sample_count++] = (wl_sample){.ms = rounds[i], .round = i, .dataset = i % 2};
    }
    samples[m.sample_count++] = (wl_sample){.ms = 1e6, .round = ROUNDS - 1, .dataset = 1, .discarded = 1};
    m.row.verdict.state = WL_PASSED;
    m.row.kernel_ms.median = 1.6 * base;
    m.row.kernel_ms.lower_quartile = 0.5 * base;
    m.row.total_ms.median = 3 * base;
    return m;
}

TEST(rows_are_means_over_the_data_sets_medians) {
    wl_sample samples[4][ROUNDS + 1];
    double rounds[4][ROUNDS];
    wl_measurement items[4] = {
        measured(&serial_O3, 2, samples[0], rounds[0]), measured(&serial_O0, 8, samples[1], rounds[1]),
        measured(&simd, 0.5, samples[2], rounds[2]), measured(&shared, 0.25, samples[3], rounds[3])};
    wl_reproduced r = {
        .problem = wl_problem_named("lessons"), .work = 1e6, .measurements = {.items = items, .count = 4}};
    assert_int_equal(wl_paper_read("payne2010_figure4", &r.paper), WL_OK);
    assert_int_equal(wl_reproduced_fill(&r), WL_OK);
    assert_int_equal(r.serials, 2);
    assert_int_equal(r.count, 8); // two serial codes, the best CPU code, five stages

    const wl_reproduced_row *O3 = &r.rows[0], *O0 = &r.rows[1], *best = &r.rows[2], *last = &r.rows[7];
    assert_string_equal(O3->method, "serial CPU, -O3");
    assert_true(isnan(O3->paper_ms)); // the paper's time stands beside the slower one
    CLOSE(O0->paper_ms, 44865, 0);
    assert_int_equal(best->kind, WL_ROW_BEST_CPU);
    assert_string_equal(last->method, "shared");
    CLOSE(last->paper_ms, 26, 0);
    CLOSE(last->paper_speedup, 1700, 0);

    assert_int_equal(last->datasets, 2);
    CLOSE(last->mean_ms, 0.375, 1e-12); // of 0.25 and 0.5
    CLOSE(last->deviation_ms, 0.25 / sqrt(2), 1e-12);
    CLOSE(last->total_ms, 0.75, 1e-12);
    CLOSE(last->over_serial[0].median, 2 / (1.5 * 0.25), 1e-12);
    CLOSE(last->over_serial[1].median, 8 / (1.5 * 0.25), 1e-12);
    CLOSE(last->over_best_cpu.median, 0.5 / (1.5 * 0.25), 1e-12);
    assert_true(last->over_best_cpu.low <= last->over_best_cpu.median);
    assert_true(last->over_best_cpu.high >= last->over_best_cpu.median);
    CLOSE(O0->over_serial[0].median, 0.25, 1e-12);  // a CPU over a CPU: the rounds' ratios
    assert_true(isnan(best->over_best_cpu.median)); // over itself says nothing
    assert_null(r.rows[3].timed);                   // a stage nobody measured
    assert_true(isnan(r.rows[3].mean_ms));

    char *json = NULL;
    size_t size;
    FILE *stream = open_memstream(&json, &size);
    wl_reproduced_print_json(stream, &r);
    fclose(stream);
    SAYS(json, "\"method\": \"shared\", \"variant\": \"05_shared\", \"backend\": \"gpu\", \"check\": \"ok\", "
               "\"paper_ms\": 26");
    SAYS(json, "\"speedup_serial_O0\": 21.3333");
    SAYS(json, "\"kernel_ms_mean\": null");
    assert_null(strstr(json, "nan"));
    free(json);
    free(r.rows);
    wl_result_file_free(&r.paper);
}

int main(void) { return run_all_tests(NULL, NULL); }
