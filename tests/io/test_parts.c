/* cli/parts: which device a process takes among those that share a machine, and which line merge gives the tool. */
#include "tests/support/unit.h"
#include "cli/commands.h"
#include "cli/parts.h"

/* Process `gpu` of a run with --device `given` (NULL: not given) takes `expected`. */
static void check_device(int gpu, int only_merges, const char *given, const char *expected) {
    wl_parts_driver driver = {.gpu = gpu, .only_merges = only_merges};
    char name[] = "warpladder align-reads", option[] = "--device", *value = strdup(given ? given : ""), text[64];
    char *words[] = {name, option, value, NULL};
    wl_args args;
    int finished;
    assert_int_equal(wl_args_read(wl_command_named("align-reads"), given ? 3 : 1, words, &args, &finished), WL_OK);
    assert_false(finished);
    wl_parts_drive(&driver);
    assert_string_equal(wl_parts_device(&args, text), expected);
    wl_parts_drive(NULL);
    assert_string_equal(wl_parts_device(&args, text), given ? given : "auto");
    wl_args_free(&args);
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
    check_device(-1, 0, "gpu:3,5", "gpu:3,5"); // alone on its machine
    check_device(-1, 1, "gpu:3,5", "cpu");     // a merge computes nothing
}

/* What a part of these fields makes of merge's line, which has `words` [count]: the line as it is shown, in the given order. */
static wl_status read_line(const wl_part_field *fields, size_t field_count, char **words, int count, wl_args *own,
                           wl_args *args) {
    wl_part part = {.name = (char *)"x.part", .fields = (wl_part_field *)fields, .field_count = field_count};
    int finished;
    assert_int_equal(wl_args_read(wl_command_named("merge"), count, words, own, &finished), WL_OK);
    assert_false(finished);
    return wl_parts_line(&part, wl_command_named("align-reads"), own, args);
}

enum { WORDS = 7 };
static char program[] = "warpladder merge", input[] = "x.part", o[] = "-o", output[] = "o ut", table[] = "--table",
            to[] = "t", quiet[] = "-q";

/* The options and inputs are the part's; outputs, threads and whether it is quiet are merge's. Words are shown, whatever they are. */
TEST(lines) {
    const wl_part_field fields[] = {{WL_PART_OPTION, "tree", "--jplace"}, {WL_PART_OPTION, "split", ""},
                                    {WL_PART_OUTPUT, "table", ""},        {WL_PART_SHOWN, "", "--tree"},
                                    {WL_PART_SHOWN, "", "--jplace"},      {WL_PART_SHOWN, "output", ""},
                                    {WL_PART_SHOWN, "", "--left-out=`x`"}};
    char *words[] = {program, input, o, output, table, to, quiet};
    wl_args own, line;
    assert_int_equal(read_line(fields, sizeof fields / sizeof *fields, words, WORDS, &own, &line), WL_OK);
    assert_string_equal(wl_argument(&line.own, "tree"), "--jplace");
    assert_true(wl_argument_given(&line.own, "split"));
    assert_string_equal(wl_argument(&line.own, "output"), "o ut");
    assert_string_equal(wl_argument(&line.own, "table"), "t");
    assert_null(wl_argument(&line.own, "jplace"));
    assert_null(wl_argument(&line.own, "left-out"));
    assert_true(line.quiet);
    assert_string_equal(line.text, "warpladder align-reads --tree --jplace -o 'o ut' '--left-out=`x`'");
    wl_args_free(&line);
    wl_args_free(&own);
}

/* An output, what belongs to the machine, another part, and what nobody knows. */
TEST(refused) {
    static const char *const names[] = {"output",  "table",  "jplace",  "left-out", "numbered-tree", "device", "part",
                                        "threads", "memory", "restart", "",         "tree-",         "quiet"};
    char *words[] = {program, input};
    wl_args own, line;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const wl_part_field field = {WL_PART_OPTION, names[i], "victim"};
        assert_int_equal(read_line(&field, 1, words, 2, &own, &line), WL_BAD_INPUT);
        assert_non_null(strstr(wl_error(), "x.part: has a value for --"));
        wl_args_free(&own);
    }
    const wl_part_field word = {WL_PART_INPUT, "", "-o"};
    assert_int_equal(read_line(&word, 1, words, 2, &own, &line), WL_BAD_INPUT);
    assert_string_equal(wl_error(),
                        "x.part: has 1 inputs without an option, and align-reads takes 0; expected a whole part file");
    wl_args_free(&own);
}

int main(void) { return run_all_tests(NULL, NULL); }
