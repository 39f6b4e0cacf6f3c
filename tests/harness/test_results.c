/* Result files: what is written can be read back, whatever is in it. */
#include <math.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "harness/bench/measure.h"
#include "harness/bench/results.h"

static char path[64];

static int make_path(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/wl_test_results_%ld.tsv", (long)getpid());
    return 0;
}

static int remove_path(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

static wl_row sample_row(void) {
    wl_row row = {.threads = 2,
                  .datasets = 25,
                  .samples = 123,
                  .discarded = 4,
                  .kernel_ms = {0.0123456789, 0.012, 0.013, 0.0124, NAN},
                  .total_ms = {1.5, 1.5, 1.5, 1.5, 0},
                  .noise = 0.0031,
                  .work = 6422528,
                  .timed_share = 1,
                  .work_per_s = 5.2e11,
                  .limit_fraction = 0.42,
                  .speedup_serial = {1234.5678, 1200, 1300},
                  .speedup_best_cpu = {12, NAN, NAN},
                  .speedup_previous = {NAN, NAN, NAN},
                  .clock = INFINITY};
    strcpy(row.problem, "lessons");
    strcpy(row.name, "03_char4");
    strcpy(row.backend, "gpu");
    strcpy(row.device, "NVIDIA \"H200\"\t\\ and\nmore");
    row.verdict.state = WL_PASSED;
    strcpy(row.shape, "112x512");
    strcpy(row.cache, "cold");
    strcpy(row.stop_reason, "stable");
    strcpy(row.limit, "int32");
    return row;
}

/* One field from `*at`, unquoted; `*at` moves past the tab that follows. */
static void next_field(char **at, char *text) {
    char *from = *at;
    if (*from == '"') {
        for (from++; *from != '"' || *++from == '"'; from++) { // a quote within is there twice
            assert_true((unsigned char)*from >= ' ');
            *text++ = *from;
        }
    } else {
        while (*from && *from != '\t' && *from != '\n') *text++ = *from++;
    }
    *text = 0;
    assert_true(*from == '\t' || *from == '\n');
    *at = from + 1;
}

/* The field of `name` in the file that is written of the row. */
static void field_of(const wl_row *row, const char *name, char text[512]) {
    char names[8192], values[8192], *name_at = names, *value_at = values, found[512];
    assert_int_equal(wl_results_write(path, "x", 1, row, 1), WL_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    do assert_non_null(fgets(names, sizeof names, file));
    while (names[0] == '#');
    assert_non_null(fgets(values, sizeof values, file));
    fclose(file);
    do {
        if (!*name_at) fail_msg("no column %s", name);
        next_field(&name_at, found);
        next_field(&value_at, text);
    } while (strcmp(found, name) != 0);
}

static void expect_text(const wl_row *row, const char *name, const char *expected) {
    char text[512];
    field_of(row, name, text);
    assert_string_equal(text, expected);
}

TEST(fields) {
    wl_row row = sample_row();
    expect_text(&row, "variant", "03_char4");
    expect_text(&row, "instruction_set", "NA"); // empty
    expect_text(&row, "threads", "2");
    expect_text(&row, "kernel_ms_median", "0.0123457");
    expect_text(&row, "kernel_ms_sd", "NA");
    expect_text(&row, "speedup_serial", "1234.57");
    expect_text(&row, "speedup_serial_high", "1300");
    expect_text(&row, "speedup_best_cpu_low", "NA");
    expect_text(&row, "speedup_previous", "NA");
    expect_text(&row, "clock", "NA"); // infinity is no measurement either
}

/* The columns that other programs rely on, by name. */
TEST(promised_columns) {
    static const char *const names[] = {
        "problem",
        "variant",
        "backend",
        "device",
        "check",
        "shape",
        "samples",
        "discarded",
        "stop_reason",
        "kernel_ms_median",
        "kernel_ms_q1",
        "kernel_ms_q3",
        "kernel_ms_mean",
        "kernel_ms_sd",
        "total_ms_median",
        "work",
        "work_per_s",
        "limit_fraction",
        "speedup_serial",
        "speedup_serial_low",
        "timed_share",
        "noise",
        "speedup_best_cpu",
        "speedup_previous",
        "instruction_set",
        "checked_by",
        "done_share",
        "bytes",
        "operations",
        "rate",
        "rate_per_s",
        "bandwidth",
        "joules",
        "watts",
        "work_per_joule",
    };
    wl_row row = sample_row();
    char text[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) field_of(&row, names[i], text);
}

TEST(round_trip) {
    wl_row rows[2] = {sample_row(), sample_row()};
    char line[8192], text[512];
    int headers = 0, commands = 0, seeds = 0;
    strcpy(rows[1].name, "04_registers");
    assert_int_equal(wl_results_write(path, "warpladder run 'a\nb'", 42, rows, 2), WL_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && line[0] == '#') {
        headers++;
        assert_non_null(strstr(line, ": "));
        commands += strcmp(line, "# command: warpladder run 'a b'\n") == 0;
        seeds += strcmp(line, "# seed: 42\n") == 0;
    }
    assert_true(headers > 8);
    assert_int_equal(commands, 1);
    assert_int_equal(seeds, 1);
    int columns = 0;
    for (char *at = line; *at; columns++) next_field(&at, text);
    assert_true(columns > 30);
    for (int r = 0; r < 2; r++) {
        assert_non_null(fgets(line, sizeof line, file));
        char *at = line;
        for (int c = 0; c < columns; c++) {
            next_field(&at, text);
            if (c == 0) assert_string_equal(text, rows[r].problem);
            if (c == 1) assert_string_equal(text, rows[r].name);
            if (c == 3) assert_string_equal(text, "NVIDIA \"H200\" \\ and more"); // a tab and a line's end are blanks
        }
        assert_int_equal(*at, 0); // one line per row, and nothing after the last field
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

TEST(not_written_is_said) {
    wl_row row = sample_row();
    assert_int_not_equal(wl_results_write("/proc/no/such/file.tsv", "x", 1, &row, 1), WL_OK);
    assert_non_null(strstr(wl_error(), "/proc/no/such/file.tsv"));
}

static char *print(void (*printer)(FILE *, const wl_row *, size_t), const wl_row *rows, size_t count) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    printer(stream, rows, count);
    fclose(stream);
    return text;
}

TEST(table_fits) {
    wl_row rows[3] = {sample_row(), sample_row(), sample_row()};
    wl_verdict_set(&rows[1].verdict, WL_CHECK_FAILED, "%s", "3 wrong, first (0,1): expected 3, actual 4");
    strcpy(rows[2].shape, "1x1");
    rows[2].kernel_ms.median = 123456;
    rows[2].work_per_s = 1.234e15;
    rows[2].speedup_serial.median = 9999999;
    strcpy(rows[2].stop_reason, "time");
    char *text = print(wl_results_print, rows, 3);
    for (char *line = strtok(strdup(text), "\n"); line; line = strtok(NULL, "\n"))
        if (line[0] != ' ') assert_true(strlen(line) <= 120);
    assert_non_null(strstr(text, "12.35 us"));
    assert_non_null(strstr(text, "123.5 s"));
    assert_non_null(strstr(text, "520.0 G"));
    assert_non_null(strstr(text, "42% int32"));
    assert_non_null(strstr(text, "    FAILED: 3 wrong, first (0,1): expected 3, actual 4\n"));
    assert_non_null(strstr(text, "0.31%*")); // not stable
    assert_non_null(strstr(text, "discarded"));
    free(text);
}

/* CPU times scatter: a speedup over them has two digits, or is its interval if that is wide. */
TEST(speedups_over_cpu_code_have_two_digits) {
    wl_row rows[2] = {sample_row(), sample_row()};
    rows[0].speedup_serial = (wl_ratio){853.4, 851, 855};
    rows[0].speedup_best_cpu = (wl_ratio){1.04, 1.03, 1.05};
    rows[1].speedup_serial = (wl_ratio){51.6, 45.2, 57.7};
    rows[1].speedup_best_cpu = (wl_ratio){0.1234, NAN, NAN};
    char *text = print(wl_results_print, rows, 2);
    assert_non_null(strstr(text, " 850 "));
    assert_non_null(strstr(text, " 1.0\n"));
    assert_non_null(strstr(text, " 45 to 58 "));
    assert_non_null(strstr(text, " 0.12\n"));
    assert_null(strstr(text, "853"));
    free(text);
}

static int occurrences(const char *text, const char *words) {
    int count = 0;
    while ((text = strstr(text, words)) != NULL) {
        text++;
        count++;
    }
    return count;
}

/* A reader of the table learns when less than everything was compared with the reference, once for all rows alike. */
TEST(what_checked_is_said) {
    wl_row rows[3] = {sample_row(), sample_row(), sample_row()};
    for (int i = 0; i < 3; i++) strcpy(rows[i].verdict.checked_by, "reference");
    char *text = print(wl_results_print, rows, 3);
    assert_null(strstr(text, "Checked by"));
    free(text);
    for (int i = 1; i < 3; i++) strcpy(rows[i].verdict.checked_by, "reference on 3 of 9 slices, fast on all");
    expect_text(&rows[2], "checked_by", "reference on 3 of 9 slices, fast on all");
    text = print(wl_results_print, rows, 3);
    assert_int_equal(occurrences(text, "Checked by the reference on 3 of 9 slices, fast on all.\n"), 1);
    assert_int_equal(occurrences(text, "Checked by"), 1);
    free(text);
}

/* Where a paper counts more work than has to be done, the table says so. */
TEST(what_is_done_is_said) {
    wl_row row = sample_row();
    row.done_share = 1;
    char *text = print(wl_results_print, &row, 1);
    assert_null(strstr(text, "must be computed"));
    free(text);
    row.done_share = 0.98;
    expect_text(&row, "done_share", "0.98");
    text = print(wl_results_print, &row, 1);
    assert_int_equal(occurrences(text, "Only 98% of the counted comparisons must be computed.\n"), 1);
    free(text);
}

static void json_rows(FILE *stream, const wl_row *rows, size_t count) {
    wl_results_print_json(stream, "warpladder run", 1, rows, count);
}

TEST(json) {
    wl_row row = sample_row();
    char *text = print(json_rows, &row, 1);
    assert_non_null(strstr(text, "\"device\": \"NVIDIA \\\"H200\\\"\\u0009\\\\ and\\u000amore\""));
    assert_non_null(strstr(text, "\"kernel_ms_median\": 0.0123457,"));
    assert_non_null(strstr(text, "\"speedup_previous\": null"));
    assert_non_null(strstr(text, "\"instruction_set\": null"));
    assert_null(strstr(text, "nan"));
    free(text);
}

TEST(status_of_rows) {
    wl_row rows[] = {sample_row(), sample_row()};
    assert_int_equal(wl_rows_status(rows, 0), WL_OK);
    wl_verdict_set(&rows[0].verdict, WL_OK, "%s", "");
    wl_verdict_set(&rows[1].verdict, WL_NO_MACHINE, "%s", "no GPU");
    assert_int_equal(wl_rows_status(rows, 2), WL_OK);
    assert_int_equal(wl_rows_status(rows + 1, 1), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "unsupported: no GPU"));
    wl_verdict_set(&rows[0].verdict, WL_CHECK_FAILED, "%s", "3 wrong");
    assert_int_equal(wl_rows_status(rows, 2), WL_CHECK_FAILED);
    assert_non_null(strstr(wl_error(), "FAILED: 3 wrong"));
}

int main(void) { return run_all_tests(make_path, remove_path); }
