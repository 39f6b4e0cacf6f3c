/* harness/base/outroom: room for a large file. Where the file system of /tmp is not one of those that it is for, most is skipped. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "harness/base/outroom.h"

enum { MEGABYTE = 1 << 20, ROOM = 24 * MEGABYTE };
static char path[32]; // of each test's file

static int setup(void **state) {
    (void)state;
    strcpy(path, "/tmp/wl-outroom-XXXXXX");
    const int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int teardown(void **state) {
    (void)state;
    return unlink(path);
}

static struct stat found(void) {
    struct stat now;
    assert_int_equal(stat(path, &now), 0);
    return now;
}

/* Asks for room for ROOM letters in a stream that already has "head", then writes `count` letters and "tail". */
static void writes(size_t count) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs("head", stream);
    if (!wl_outroom_begin(stream, ROOM)) {
        fclose(stream);
        skip();
    }
    assert_int_equal(found().st_size, 4);
    assert_true(found().st_blocks >= ROOM / 512);
    char *letters = malloc(count + 1);
    for (size_t i = 0; i < count; i++) letters[i] = (char)('a' + i % 23);
    for (size_t at = 0; at < count; at += MEGABYTE)
        fwrite(letters + at, 1, count - at < MEGABYTE ? count - at : MEGABYTE, stream);
    wl_outroom_end(stream);
    fputs("tail", stream);
    assert_int_equal(fclose(stream), 0);
    const size_t size = 4 + count + 4;
    assert_int_equal(found().st_size, size);
    assert_true((size_t)found().st_blocks * 512 < size + 2 * MEGABYTE); // other room has been given back
    char *read = malloc(size);
    FILE *again = fopen(path, "r");
    assert_int_equal(fread(read, 1, size, again), size);
    fclose(again);
    assert_memory_equal(read, "head", 4);
    assert_memory_equal(read + 4, letters, count);
    assert_memory_equal(read + 4 + count, "tail", 4);
    free(letters);
    free(read);
}

TEST(all_of_it) { writes(ROOM); }
TEST(more) { writes(ROOM + 3 * MEGABYTE + 1); }
TEST(a_part) { writes(5 * MEGABYTE + 3); }
TEST(nothing) { writes(0); }

TEST(what_gets_none) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    FILE *pipe_end = fdopen(ends[1], "w"), *appended = fopen(path, "a");
    assert_false(wl_outroom_begin(pipe_end, ROOM));
    assert_false(wl_outroom_begin(appended, ROOM));
    fclose(pipe_end);
    fclose(appended);
    close(ends[0]);
    /* What stands after the place that is written to would be cut off. */
    FILE *stream = fopen(path, "w+");
    fputs("kept", stream);
    rewind(stream);
    assert_false(wl_outroom_begin(stream, ROOM));
    fclose(stream);
    assert_int_equal(found().st_size, 4);
}

TEST(a_limit) {
    struct rlimit before, little;
    FILE *stream = fopen(path, "w");
    fputs("head", stream);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = MEGABYTE;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    const int has_room = wl_outroom_begin(stream, ROOM);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(has_room);
    fclose(stream);
    assert_int_equal(found().st_size, 4);
    assert_true(found().st_blocks * 512 < MEGABYTE);
}

int main(void) { return run_each_test(setup, teardown); }
