/* Error lines: one line whatever is in them, the right code, a line for each thread. */
#include <pthread.h>

#include "tests/support/unit.h"
#include "harness/base/error.h"

TEST(code_and_text) {
    assert_int_equal(wl_fail(WL_BAD_INPUT, "%s:%d: found %s", "a.fa", 3, "x"), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "a.fa:3: found x");
    assert_int_equal(wl_fail(WL_NO_MACHINE, "again: %s", wl_error()), WL_NO_MACHINE); // its own text as argument
    assert_string_equal(wl_error(), "again: a.fa:3: found x");
}

TEST(control_bytes) {
    wl_fail(WL_BAD_INPUT, "%s", "a\nb\tc\x1b[31m\x7f\r");
    assert_string_equal(wl_error(), "a\\x0Ab\\x09c\\x1B[31m\\x7F\\x0D");
}

TEST(utf8_stays) {
    wl_fail(WL_BAD_INPUT, "%s", "Größe \xE2\x82\xAC \xF0\x9F\xA7\xAC");
    assert_string_equal(wl_error(), "Größe \xE2\x82\xAC \xF0\x9F\xA7\xAC");
}

TEST(broken_utf8) {
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"\xC3", "\\xC3"},                            // cut off
        {"\xC3(", "\\xC3("},                          // no continuation
        {"\xC0\xAF", "\\xC0\\xAF"},                   // overlong '/'
        {"\xE0\x80\xAF", "\\xE0\\x80\\xAF"},          // overlong
        {"\xED\xA0\x80", "\\xED\\xA0\\x80"},          // surrogate
        {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"}, // above U+10FFFF
        {"\xC2\x9B", "\\xC2\\x9B"},                   // U+009B: begins a terminal's control sequence
        {"\xFF\xFE", "\\xFF\\xFE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_fail(WL_BAD_INPUT, "%s", cases[i].in);
        assert_string_equal(wl_error(), cases[i].out);
    }
}

TEST(long_lines) {
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    wl_fail(WL_BAD_INPUT, "%s", text);
    assert_int_equal(strlen(wl_error()), 1023);
    memset(text, '\n', sizeof text - 1); // four bytes each, never a part of one
    wl_fail(WL_BAD_INPUT, "%s", text);
    assert_int_equal(strlen(wl_error()) % 4, 0);
    assert_true(strlen(wl_error()) <= 1023);
}

static void *other_thread(void *unused) {
    (void)unused;
    assert_string_equal(wl_error(), "");
    wl_fail(WL_NO_MACHINE, "theirs");
    return NULL;
}

TEST(one_line_a_thread) {
    pthread_t thread;
    wl_fail(WL_BAD_USAGE, "mine");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(wl_error(), "mine");
}

typedef struct {
    wl_saved_error *kept;
    size_t at;
} failing;

static void *fail_at(void *of) {
    const failing *f = of;
    for (size_t at = f->at; at < 4000; at += 4) { // falling within a thread: the last one's place is the lowest
        const size_t place = 4000 + f->at - at;
        wl_save_error(f->kept, place, place % 3 == 0 ? WL_OK : wl_fail(WL_BAD_INPUT, "failure %zu", place));
    }
    return NULL;
}

/* Of failures of several threads that of the lowest place, with its own line; of those at one place the first. */
TEST(first_failure) {
    wl_saved_error kept = {0};
    failing of[4];
    pthread_t threads[4];
    wl_save_error(&kept, 0, WL_OK);
    assert_int_equal(wl_saved_error_again(&kept), WL_OK);
    for (size_t t = 0; t < 4; t++) {
        of[t] = (failing){&kept, t};
        assert_int_equal(pthread_create(&threads[t], NULL, fail_at, &of[t]), 0);
    }
    for (size_t t = 0; t < 4; t++) pthread_join(threads[t], NULL);
    wl_save_error(&kept, 4, wl_fail(WL_NO_MACHINE, "at the same place, but later"));
    wl_fail(WL_BAD_USAGE, "another");
    assert_int_equal(wl_saved_error_again(&kept), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "failure 4");
}

int main(void) { return run_all_tests(NULL, NULL); }
