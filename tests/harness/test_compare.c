/* Result files compared: what is read, and the verdicts, worked out by hand and on times that are drawn. */
#include <math.h>
#include <sys/stat.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "harness/bench/compare.h"
#include "tests/support/folder.h"

#define CLOSE(actual, expected, tolerance) assert_true(fabs((actual) - (expected)) <= (tolerance))

static const char *write_file(const char *name, const char *text) {
    const char *path = in_folder(name);
    put(path, text);
    return path;
}

#define HEADS "problem\tvariant\tbackend\tdevice\tthreads\tcheck\tshape\tcache\tkernel_ms_median\tnoise\n"
#define ROW(variant, check, ms) \
    "\"lessons\"\t\"" variant "\"\t\"gpu\"\t\"H\"\t0\t\"" check "\"\t\"9x9\"\t\"cold\"\t" ms "\t0.001\n"

TEST(reads) {
    wl_comparison c = {.sides = 2};
    assert_int_equal(wl_compare_read(&c, 0,
                                     write_file("a.tsv", "# gpu: H\n# commit: one\n" HEADS ROW("a \"\"b\"\"", "ok", "2")
                                                             ROW("only", "ok", "1") ROW("bad", "ok", "1")
                                                                 ROW("sim", "ok", "NA") ROW("late", "ok", "1"))),
                     WL_OK);
    assert_int_equal(
        wl_compare_read(&c, 1,
                        write_file("b.tsv", "# gpu: H\r\n# commit: two\r\n" HEADS ROW("bad", "FAILED: 1 wrong", "NA")
                                                ROW("a \"\"b\"\"", "ok", "3") ROW("new", "ok", "1")
                                                    ROW("sim", "ok", "NA") ROW("late", "unsupported: x", "NA"))),
        WL_OK);
    assert_int_equal(c.count, 6);
    assert_string_equal(c.rows[0].variant, "a \"b\"");
    CLOSE(wl_compare_ratio(&c.rows[0].sides[0], &c.rows[0].sides[1]).median, 1.5, 1e-12);
    assert_string_equal(wl_compare_word(&c.rows[0].sides[0], &c.rows[0].sides[1]), "slower");
    assert_string_equal(wl_compare_word(&c.rows[1].sides[0], &c.rows[1].sides[1]), "only here");
    assert_string_equal(wl_compare_word(&c.rows[2].sides[0], &c.rows[2].sides[1]), "failed");
    assert_string_equal(wl_compare_word(&c.rows[3].sides[0], &c.rows[3].sides[1]), "not timed");
    assert_string_equal(wl_compare_word(&c.rows[4].sides[0], &c.rows[4].sides[1]), "not timed");
    assert_int_equal(wl_compare_judge(&c, 1), WL_CHECK_FAILED); // rows "bad" and "late" had a time
    assert_string_equal(wl_compare_word(&c.rows[5].sides[0], &c.rows[5].sides[1]), "only there");
    assert_string_equal(wl_compare_fact(&c, 1, "commit"), "two");
    assert_string_equal(wl_compare_fact(&c, 1, "gpu"), "H");
    assert_null(wl_compare_fact(&c, 0, "driver"));
    wl_compare_free(&c);
}

/* Only a difference that was found is worth a note about its noise. */
TEST(noise_is_noted) {
    for (int slower = 0; slower < 2; slower++) {
        wl_comparison c = {.sides = 2};
        const char *paths[2] = {in_folder("a.tsv"), in_folder("b.tsv")};
        for (int side = 0; side < 2; side++) {
            char text[600];
            snprintf(text, sizeof text,
                     HEADS "\"lessons\"\t\"a\"\t\"cpu\"\t\"X\"\t1\t\"ok\"\t\"9x9\"\t\"hot\"\t%d\t0.05\n",
                     1 + side * slower);
            put(paths[side], text);
            assert_int_equal(wl_compare_read(&c, (size_t)side, paths[side]), WL_OK);
        }
        char *said = NULL;
        size_t size;
        FILE *stream = open_memstream(&said, &size);
        wl_compare_note_machines(stream, &c, paths);
        fclose(stream);
        assert_int_equal(strstr(said, "note: the noise of a row with a difference is 5 %") != NULL, slower);
        free(said);
        wl_compare_free(&c);
    }
}

/* A folder's files, and those of its folders, are processes of one side. */
TEST(folders) {
    char side[300], path[400];
    snprintf(side, sizeof side, "%s/side", folder);
    assert_int_equal(mkdir(side, 0700), 0);
    for (int i = 1; i <= 3; i++) {
        snprintf(path, sizeof path, "%s/run%d", side, i);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "side/run%d/lessons.tsv", i);
        write_file(path, i == 1   ? HEADS ROW("a", "ok", "1")
                         : i == 2 ? HEADS ROW("a", "ok", "1.1")
                                  : HEADS ROW("a", "ok", "1.2"));
    }
    write_file("side/notes.txt", "not a table");
    wl_comparison c = {.sides = 1};
    assert_int_equal(wl_compare_read(&c, 0, side), WL_OK);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.rows[0].sides[0].count, 3);
    wl_compare_free(&c);
}

TEST(refuses) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", ": found no columns; expected a result file"},
        {"# gpu: H\n", ": found no columns; expected a result file"},
        {"a\tb\nc\td\n", ":1: found no column 'problem'"},
        {HEADS "\"lessons\"\t\"a\"\n", ":2: found 2 fields; expected "},
        {HEADS ROW("a", "ok", "fast"), ":2: found 'fast' for kernel_ms_median; expected a number or NA"},
        {HEADS ROW("a", "ok", ""), ":2: found '' for kernel_ms_median"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_comparison c = {.sides = 1};
        assert_int_equal(wl_compare_read(&c, 0, write_file("x.tsv", cases[i].text)), WL_BAD_INPUT);
        if (strstr(wl_error(), cases[i].says) == NULL) fail_msg("%s: no '%s'", wl_error(), cases[i].says);
        wl_compare_free(&c);
    }
    wl_comparison c = {.sides = 1};
    assert_int_equal(wl_compare_read(&c, 0, "/nowhere/x.tsv"), WL_BAD_INPUT);
    wl_compare_free(&c);
}

/* ---- verdicts ---- */

static wl_side side_of(const double *ms, size_t count, double noise) {
    return (wl_side){.ms = (double *)ms, .count = count, .noise = noise};
}

/* Worked out by hand: means of the logarithms 0 and log 1.1; squares around them 2 * 0.01^2 of either side, so s = 0.01 * sqrt(2)
   with two degrees of freedom, for which t is 4.302653. */
TEST(interval_of_two_processes) {
    const double a[] = {exp(-0.01), exp(0.01)}, b[] = {1.1 * exp(-0.01), 1.1 * exp(0.01)};
    const wl_side first = side_of(a, 2, NAN), other = side_of(b, 2, NAN);
    const wl_ratio ratio = wl_compare_ratio(&first, &other);
    const double half = 4.302653 * 0.01 * sqrt(2);
    CLOSE(ratio.median, 1.1, 1e-12);
    CLOSE(ratio.low, 1.1 * exp(-half), 1e-4);
    CLOSE(ratio.high, 1.1 * exp(half), 1e-4);
    assert_string_equal(wl_compare_word(&first, &other), "slower");
    assert_string_equal(wl_compare_word(&other, &first), "faster");
}

TEST(of_one_process) {
    const double one = 1, less = 1.04, more = 1.045;
    wl_side first = side_of(&one, 1, 0.0001), other = side_of(&less, 1, 0.0001);
    assert_string_equal(wl_compare_word(&first, &other), "same"); // it may be the process
    other = side_of(&more, 1, 0.0001);
    assert_string_equal(wl_compare_word(&first, &other), "slower");
    other.noise = 0.05;
    assert_string_equal(wl_compare_word(&first, &other), "same");
}

/* Each side has five processes, with a deviation of 0.3 % between processes. If both sides run the same code, at most 5 % of rows may be
   told apart, and sides within the least interval never are. A kernel that is 4 % slower is found each time. */
TEST(chance) {
    enum { ROWS = 2000, PROCESSES = 5 };
    wl_random random = wl_random_stream(20, 0);
    int told = 0, found = 0;
    for (int row = 0; row < ROWS; row++) {
        double a[PROCESSES], b[PROCESSES], slow[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            double sum[2] = {0};
            for (int k = 0; k < 24; k++) sum[k % 2] += wl_random_unit(&random) - 0.5; // about normal, deviation 1
            a[i] = exp(0.003 * sum[0]);
            b[i] = exp(0.003 * sum[1]);
            slow[i] = 1.04 * b[i];
        }
        const wl_side first = side_of(a, PROCESSES, 0), same = side_of(b, PROCESSES, 0),
                      slower = side_of(slow, PROCESSES, 0);
        told += strcmp(wl_compare_word(&first, &same), "same") != 0;
        found += strcmp(wl_compare_word(&first, &slower), "slower") == 0;
    }
    assert_true(told < ROWS * 0.05);
    assert_int_equal(found, ROWS);
}

/* On an H200 some kernels have two speeds, 2.4 % apart, and each process gets one of them (lesson 11 in results/compare_h200.tsv). Two
   processes of a side often get the same one: that is not enough to tell sides apart, nor to hide a kernel 4 % slower of one speed. */
TEST(two_speeds) {
    enum { ROWS = 1000, PROCESSES = 2 };
    wl_random random = wl_random_stream(21, 0);
    for (int row = 0; row < ROWS; row++) {
        double a[PROCESSES], b[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            a[i] = wl_random_unit(&random) < 0.3 ? 1 : 1.024;
            b[i] = wl_random_unit(&random) < 0.3 ? 1 : 1.024;
        }
        const wl_side first = side_of(a, PROCESSES, 0), other = side_of(b, PROCESSES, 0);
        assert_string_equal(wl_compare_word(&first, &other), "same");
        const double slow[PROCESSES] = {1.04 * a[0], 1.04 * a[1]};
        const wl_side slower = side_of(slow, PROCESSES, 0);
        if (a[0] == a[1]) assert_string_equal(wl_compare_word(&first, &slower), "slower");
    }
}

int main(void) { return run_all_tests(make_folder, remove_folder); }
