/* Options of several values: which texts are sweeps, and the combinations in order. */
#include "tests/support/unit.h"
#include "harness/bench/sweep.h"

static const wl_option options[] = {{"read-length", "N", "100", "a number"},
                                    {"share", "X", "0.5", "a number"},
                                    {"lengths", "N,N,...", NULL, "a list"},
                                    {"kind", "KIND:cut random", "cut", "a word"},
                                    {"input", "FILE", NULL, "a file"},
                                    {"flag", NULL, NULL, "nothing"},
                                    {0}};

/* "1 2 3": the values that `name` has, one combination after the other. */
static const char *values(const char *text, const char *name) {
    static char all[4096];
    wl_arguments given;
    wl_sweep sweep;
    size_t used = 0;
    assert_int_equal(wl_arguments_parse(options, text, &given), WL_OK);
    all[0] = 0;
    if (wl_sweep_begin(&given, &sweep) != WL_OK)
        snprintf(all, sizeof all, "%s", wl_error());
    else
        while (wl_sweep_next(&sweep))
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? " " : "",
                                     wl_argument(&sweep.point, name));
    wl_sweep_free(&sweep);
    free(given.values);
    return all;
}

TEST(ranges) {
    assert_string_equal(values("--read-length 100:100000:x10", "read-length"), "100 1000 10000 100000");
    assert_string_equal(values("--read-length 10:100:x3", "read-length"), "10 30 90");
    assert_string_equal(values("--read-length 10:30:+10", "read-length"), "10 20 30");
    assert_string_equal(values("--read-length 10:1000:5", "read-length"), "10 258 505 753 1000");
    assert_string_equal(values("--read-length 1:3:9", "read-length"), "1 2 3");
    assert_string_equal(values("--share 0.1:0.7:+0.2", "share"), "0.1 0.3 0.5 0.7");
    assert_string_equal(values("--share 0:0.5:3", "share"), "0 0.25 0.5");
    assert_string_equal(values("--read-length 1000000000:4000000000:x2", "read-length"),
                        "1000000000 2000000000 4000000000");
    assert_non_null(strstr(values("--read-length 1:2:1", "read-length"), "'1:2:1'; expected FROM:TO:N"));
    assert_non_null(strstr(values("--read-length 0:8:x2", "read-length"), "'0:8:x2'"));
    assert_non_null(strstr(values("--read-length 1:20000:+1", "read-length"), "more than 10000 values"));
}

TEST(lists) {
    assert_string_equal(values("--read-length 7,5,-6", "read-length"), "7 5 -6");
    assert_string_equal(values("--kind cut,random", "kind"), "cut random");
    assert_string_equal(values("--lengths 3,4", "lengths"), "3,4"); // its own list
    assert_string_equal(values("--lengths 3:4:2", "lengths"), "3 4");
    assert_string_equal(values("--input 1:9:x2", "input"), "1:9:x2");
    assert_string_equal(values("--read-length a,b", "read-length"), "a,b"); // for the option to refuse
    assert_string_equal(values("--kind GTR{1,2}", "kind"), "GTR{1,2}");
    assert_string_equal(values("--flag", "read-length"), "100");
    assert_non_null(strstr(values("--kind cut,,random", "kind"), "with one ',' between them"));
}

TEST(combinations) {
    wl_arguments given;
    wl_sweep sweep;
    wl_row row = {.samples = 1};
    const char *text = "--kind cut,random --read-length 5:10:x2";
    assert_string_equal(values(text, "read-length"), "5 5 10 10");
    assert_string_equal(values(text, "kind"), "cut random cut random");
    assert_int_equal(wl_arguments_parse(options, text, &given), WL_OK);
    assert_int_equal(wl_sweep_begin(&given, &sweep), WL_OK);
    assert_int_equal(sweep.points, 4);
    assert_true(wl_sweep_next(&sweep) && wl_sweep_next(&sweep));
    wl_sweep_label(&sweep, &row);
    assert_int_equal(row.axis_count, 2);
    assert_string_equal(row.axes[0].name, "read_length");
    assert_string_equal(row.axes[0].text, "5");
    assert_true(row.axes[0].is_number && !row.axes[1].is_number);
    assert_string_equal(row.axes[1].text, "random");
    wl_sweep_free(&sweep);
    free(given.values);
}

TEST(too_many) {
    static const wl_option five[] = {{"a", "N", NULL, ""}, {"b", "N", NULL, ""}, {"c", "N", NULL, ""},
                                     {"d", "N", NULL, ""}, {"e", "N", NULL, ""}, {0}};
    wl_arguments given;
    wl_sweep sweep;
    assert_int_equal(wl_arguments_parse(five, "--a 1,2 --b 1,2 --c 1,2 --d 1,2 --e 1,2", &given), WL_OK);
    assert_int_equal(wl_sweep_begin(&given, &sweep), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "--e: found one more option of several values"));
    wl_sweep_free(&sweep);
    free(given.values);
    assert_int_equal(wl_arguments_parse(five, "--a 1:200:+1 --b 1:200:+1", &given), WL_OK);
    assert_int_equal(wl_sweep_begin(&given, &sweep), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "40000 combinations"));
    wl_sweep_free(&sweep);
    free(given.values);
}

int main(void) { return run_all_tests(NULL, NULL); }
