/* cli/parts: which device a process takes among those that share a machine, and which words merge gives the tool. */
#include "tests/support/unit.h"
#include "cli/commands.h"
#include "cli/parts.h"

/* Process `gpu` of a run with --device `given` (NULL: not given) takes `expected`. */
static void check_device(int gpu, int only_merges, const char *given, const char *expected) {
    wl_parts_driver driver = {.gpu = gpu, .only_merges = only_merges};
    char name[] = "warpladder align-reads", option[] = "--device", *value = strdup(given ? given : ""), text[64];
    char *words[] = {name, option, value, NULL};
    wl_line line;
    int finished;
    assert_int_equal(wl_line_read(wl_command_named("align-reads"), given ? 3 : 1, words, &line, &finished), WL_OK);
    assert_false(finished);
    wl_parts_drive(&driver);
    assert_string_equal(wl_parts_device(&line, text), expected);
    wl_parts_drive(NULL);
    assert_string_equal(wl_parts_device(&line, text), given ? given : "auto");
    wl_line_free(&line);
    free(value);
}

TEST(devices) {
    check_device(0, 0, "gpu:3,5,11", "gpu:3");
    check_device(1, 0, "gpu:3,5,11", "gpu:5");
    check_device(2, 0, "gpu:3,5,11", "gpu:11");
    check_device(7, 0, "gpu:3,5,11", "gpu:5");
    check_device(4, 0, "gpu:2", "gpu:2");
    check_device(3, 0, "hybrid:0,6", "hybrid:6");
    check_device(3, 0, "hybrid:sim", "hybrid:sim");
    check_device(3, 0, "cpu", "cpu");
    check_device(3, 0, "sim", "sim");
    check_device(-1, 0, "gpu:3,5", "gpu:3,5"); /* alone on its machine */
    check_device(-1, 1, "gpu:3,5", "cpu");     /* a merge computes nothing */
}

static void check_words(size_t count, const char **given, const char *output, const char *expected) {
    const wl_part part = {.words = given, .word_count = count};
    char found[256] = "";
    int words;
    char **made = wl_parts_words(&part, "program", output, &words);
    assert_non_null(made);
    for (int i = 0; i < words; i++) strcat(strcat(found, i ? " " : ""), made[i]);
    assert_string_equal(found, expected);
    assert_null(made[words]);
    free(made);
}

#define WORDS(...) \
    sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]) { __VA_ARGS__ }

/* The output takes the place of the part's, however that was spelled. */
TEST(words) {
    check_words(WORDS("in", "-o", "x.part", "--csv"), "out", "program in -o out --csv");
    check_words(WORDS("in", "-ox.part", "--csv"), "out", "program in -o out --csv");
    check_words(WORDS("in", "--output=x.part", "--csv"), "out", "program in -o out --csv");
    check_words(WORDS("in", "--out", "x.part", "--csv"), "out", "program in -o out --csv");
    check_words(WORDS("in", "-o", "x", "--csv", "-o", "y"), "out", "program in -o out --csv");
    check_words(WORDS("in", "-o", "x.part", "--csv"), NULL, "program in --csv");
    check_words(WORDS("in", "--csv"), "out", "program in --csv -o out");
}

int main(void) { return run_all_tests(NULL, NULL); }
