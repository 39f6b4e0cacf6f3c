/* harness/base/text: what anybody has written is shown without what a terminal obeys, and a spreadsheet computes none of it. */
#include "tests/support/unit.h"

#include "harness/base/error.h"
#include "harness/base/json.h"
#include "harness/base/text.h"

typedef void writer(FILE *stream, const char *text);

static void shown(FILE *stream, const char *text) { wl_put_shown(stream, text, "\n"); }
static void printed(FILE *stream, const char *text) { wl_print(stream, "<%s>", text); }
static void plain(FILE *stream, const char *text) { wl_put_plain(stream, text, strlen(text)); }
static void csv(FILE *stream, const char *text) { wl_put_csv(stream, text, 0); }

static void check(writer *write, const char *text, const char *expected) {
    char *found = NULL;
    size_t size;
    FILE *stream = open_memstream(&found, &size);
    assert_non_null(stream);
    write(stream, text);
    fclose(stream);
    assert_string_equal(found, expected);
    free(found);
}

/* C0, DEL, C1 as UTF-8 and as a single byte; letters of other alphabets, and bytes of Latin-1 that no terminal obeys, stay. */
TEST(control_characters) {
    check(shown, "a\033[2Jb\n\x7F", "a\\x1B[2Jb\n\\x7F");
    check(shown,
          "\xC2\x9B"
          "31m \x9B"
          "31m \xC2\x80\xC2\x9F\xC2\xA0",
          "\\xC2\\x9B31m \\x9B31m \\xC2\\x80\\xC2\\x9F\xC2\xA0");
    check(shown, "\xC3\x9B \xE2\x80\x9B \xF0\x9F\x9B\x90 \xE9", "\xC3\x9B \xE2\x80\x9B \xF0\x9F\x9B\x90 \xE9");
    check(shown, "\xC2", "\xC2");
    check(printed, "\033]0;x\007%s\t\n", "<\\x1B]0;x\\x07%s\t\n>");
    check(plain,
          "a\tb\nc\xC2\x9B"
          "d\x9B",
          "a b c d ");
    check(wl_json_text, "\033\xC2\x9B\x7F\xC3\x9B", "\"\\u001b\\u009b\\u007f\xC3\x9B\"");
    wl_fail(WL_BAD_INPUT, "%s", "\033\xC2\x9B\x9B\xC3\x9B");
    assert_string_equal(wl_error(), "\\x1B\\xC2\\x9B\\x9B\xC3\x9B");
}

static void check_calm(const char *text, const char *kept, const char *expected) {
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    wl_text_calm(copy, strlen(copy), kept, '_');
    assert_string_equal(copy, expected);
}

/* At every place of a word of eight bytes. */
TEST(in_place) {
    check_calm("\033a\tb\x7F\n\xC2\x9B\x9B", "\n\t", "_a\tb_\n___");
    check_calm("\033a\tb\x7F\n\xC2\x9B\x9B", "", "_a_b_____");
    check_calm("\033a\tb\x7F\n\xC2\x9B\x9B", NULL, "\033a\tb\x7F\n___");
    for (int before = 0; before < 20; before++)
        for (int after = 0; after < 20; after++) {
            char text[64], expected[64];
            snprintf(text, sizeof text, "%.*s\xC2\x9B\xC3\x9B%.*s", before, "abcdefghijklmnopqrst", after,
                     "ABCDEFGHIJKLMNOPQRST");
            snprintf(expected, sizeof expected, "%.*s__\xC3\x9B%.*s", before, "abcdefghijklmnopqrst", after,
                     "ABCDEFGHIJKLMNOPQRST");
            check_calm(text, NULL, expected);
        }
}

/* Quotes only where they are needed, and an apostrophe where a spreadsheet would compute. Numbers are no formulas. */
TEST(fields_of_csv) {
    static const char *const cases[][2] = {{"a b", "a b"},
                                           {"", ""},
                                           {"a,b", "\"a,b\""},
                                           {"a\"b", "\"a\"\"b\""},
                                           {"=1+2", "\"'=1+2\""},
                                           {"+A1", "\"'+A1\""},
                                           {"-A1", "\"'-A1\""},
                                           {"-1-2", "\"'-1-2\""},
                                           {"@SUM(A1)", "\"'@SUM(A1)\""},
                                           {"=cmd|' /C x'!A0", "\"'=cmd|' /C x'!A0\""},
                                           {"\t=1", "\"'\\x09=1\""},
                                           {"\r=1", "\"'\\x0D=1\""},
                                           {"-1.5e-7", "-1.5e-7"},
                                           {"+3", "+3"},
                                           {"-", "\"'-\""},
                                           {"-inf", "\"'-inf\""},
                                           {"-0x1p3", "\"'-0x1p3\""},
                                           {"a=b", "a=b"},
                                           {"a\nb", "\"a\\x0Ab\""},
                                           {"a\xC2\x9B", "a\\xC2\\x9B"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(csv, cases[i][0], cases[i][1]);
}

int main(void) { return run_all_tests(NULL, NULL); }
