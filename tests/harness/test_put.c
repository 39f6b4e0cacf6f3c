/* cli/put and io/json: whatever the text or number is, what is written is JSON, or a field of a table. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/json.h"

static void check_text(const char *text, const char *expected) {
    char *found = NULL;
    size_t size;
    FILE *stream = open_memstream(&found, &size);
    assert_non_null(stream);
    wl_put_text(stream, ", \"key\": ", text);
    assert_int_equal(fclose(stream), 0);
    const char *before = ", \"key\": ";
    assert_memory_equal(found, before, strlen(before));
    assert_string_equal(found + strlen(before), expected);
    free(found);
}

static void check_number(double number, const char *none, const char *expected) {
    char *found = NULL;
    size_t size;
    FILE *stream = open_memstream(&found, &size);
    assert_non_null(stream);
    wl_put_number(stream, "\t", number, none);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(found, expected);
    free(found);
}

TEST(texts) {
    check_text("", "\"\"");
    check_text("NVIDIA H200, 03_char4/4", "\"NVIDIA H200, 03_char4/4\"");
    check_text("a \"b\" \\ c", "\"a \\\"b\\\" \\\\ c\"");
    check_text("\t\n\r\x01\x1f\x7f", "\"\\u0009\\u000a\\u000d\\u0001\\u001f\\u007f\"");
}

/* Two, three and four bytes stay; a byte alone, an overlong form, a surrogate and a cut character do not. */
TEST(other_bytes) {
    check_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa7\xac", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa7\xac\"");
    check_text("\xe9t\xe9", "\"\\ufffdt\\ufffd\"");
    check_text("\xc0\x80", "\"\\ufffd\\ufffd\"");
    check_text("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    check_text("\xe2\x82", "\"\\ufffd\\ufffd\"");
    check_text("\xf5\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST(numbers) {
    check_number(0, "null", "\t0");
    check_number(-1.5, "null", "\t-1.5");
    check_number(1234567, "NA", "\t1.23457e+06");
    check_number(1.0 / 3, "NA", "\t0.333333");
    const double none[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        check_number(none[i], "null", "\tnull");
        check_number(none[i], "NA", "\tNA");
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
