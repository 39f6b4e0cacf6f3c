/* io/fasta and io/bytes: the corpus, what is no plain file, sizes across the buffers' ends, and memory running out. */
#include "tests/support/corpus.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "io/fasta.h"

static wl_status describe(const char *path, corpus_text *description) {
    wl_sequences sequences;
    wl_status status = wl_sequences_read(path, &sequences);
    if (status != WL_OK) return status;
    for (size_t i = 0; i < sequences.count; i++) {
        const wl_sequence *s = &sequences.items[i];
        assert_int_equal(strlen(s->letters), s->length);
        fprintf(description->stream, "%s%zu:", i ? "; " : "", s->line);
        corpus_put(description, s->name);
        if (*s->comment) fputs(" (", description->stream);
        corpus_put(description, s->comment);
        fprintf(description->stream, "%s %s", *s->comment ? ")" : "", s->letters);
    }
    wl_sequences_free(&sequences);
    return WL_OK;
}

TEST(corpus) { corpus_check("sequences", describe); }

/* --- What is no plain file --------------------------------------------------------------------------------------- */

static void refused(const char *path, wl_status code, const char *error) {
    wl_sequences sequences;
    assert_int_equal(wl_sequences_read(path, &sequences), code);
    assert_string_equal(wl_error(), error);
}

TEST(no_files) {
    refused("/nowhere/a.fasta", WL_BAD_INPUT,
            "/nowhere/a.fasta: cannot open: No such file or directory; expected FASTA or FASTQ");
    refused("/tmp", WL_BAD_INPUT, "/tmp: is a directory; expected FASTA or FASTQ");
    refused("", WL_BAD_INPUT, ": cannot open: No such file or directory; expected FASTA or FASTQ");
    refused("/dev/null", WL_BAD_INPUT, "/dev/null: the file is empty; expected FASTA or FASTQ");
    refused("/dev/zero", WL_BAD_INPUT,
            "/dev/zero:1:1: found byte 0x00 before the first header; expected '>' (FASTA) or '@' (FASTQ) where a line "
            "begins");
    refused("/nowhere/\033[2J", WL_BAD_INPUT,
            "/nowhere/\\x1B[2J: cannot open: No such file or directory; expected FASTA or FASTQ");
}

TEST(no_permission) {
    char path[] = "/tmp/wl-test-XXXXXX", expected[128];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(fchmod(file, 0), 0);
    close(file);
    snprintf(expected, sizeof expected, "%s: cannot open: Permission denied; expected FASTA or FASTQ", path);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2); // root may read anything
        wl_sequences sequences;
        wl_status status = wl_sequences_read(path, &sequences);
        _exit(status == WL_BAD_INPUT && strcmp(wl_error(), expected) == 0 ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    unlink(path);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) == 2) skip();
    assert_int_equal(WEXITSTATUS(result), 0);
}

/* Write `text` into a new process's end of a pipe, a byte at a time. */
static int slow_pipe(const char *text, size_t length) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (fork() == 0) {
        for (size_t i = 0; i < length; i++) {
            if (write(ends[1], text + i, 1) < 0) break;
            usleep(500); // so that the reader gets it alone
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

TEST(standard_input) {
    static const char text[] = "\xEF\xBB\xBF>a\nACGT\n>b\nACGTT\n";
    int before = dup(STDIN_FILENO), end = slow_pipe(text, sizeof text - 1);
    dup2(end, STDIN_FILENO);
    close(end);
    wl_sequences sequences;
    assert_int_equal(wl_sequences_read("-", &sequences), WL_OK);
    assert_int_equal(sequences.count, 2);
    assert_string_equal(sequences.items[1].letters, "ACGTT");
    assert_int_equal(wl_sequences_require_equal_lengths("-", &sequences), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "standard input:3: sequence 'b' has 5 letters; expected 4, as 'a' in line 1 has");
    wl_sequences_free(&sequences);

    end = slow_pipe(">a\nAC1", 6);
    dup2(end, STDIN_FILENO);
    close(end);
    refused("-", WL_BAD_INPUT,
            "standard input:2:3: found '1' in sequence 'a'; expected a letter, '-', '.', '*' or '?'");

    close(STDIN_FILENO);
    refused("-", WL_BAD_INPUT, "standard input: cannot open: Bad file descriptor; expected FASTA or FASTQ");
    dup2(before, STDIN_FILENO);
    close(before);
    while (wait(NULL) > 0) {
    }
}

TEST(fifo) {
    char folder[] = "/tmp/wl-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo.fasta", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    if (fork() == 0) {
        FILE *file = fopen(path, "w");
        fputs("@r\nACGT\n+\nIIII\n", file);
        fclose(file);
        _exit(0);
    }
    wl_sequences sequences;
    assert_int_equal(wl_sequences_read(path, &sequences), WL_OK);
    assert_string_equal(sequences.items[0].name, "r");
    wl_sequences_free(&sequences);
    wait(NULL);
    unlink(path);
    rmdir(folder);
}

/* --- Sizes ------------------------------------------------------------------------------------------------------- */

static void letters(char *text, size_t length, unsigned seed) {
    for (size_t i = 0; i < length; i++) text[i] = "ACGT"[(i * 7 + i / 11 + seed) % 4];
    text[length] = 0;
}

/* Sequences and names that end one before, at and after the ends of the reader's buffers, plain and packed. */
TEST(sizes) {
    static const size_t lengths[] = {1, 255, 256, 257, 65533, 65534, 65535, 65536, 65537, 131072, 1000003};
    const size_t count = sizeof lengths / sizeof *lengths;
    char *text = malloc(1000004);
    for (int variety = 0; variety < 4; variety++) { // plain or packed; one line or many
        char path[] = "/tmp/wl-test-XXXXXX";
        close(mkstemp(path));
        gzFile file = gzopen(path, variety & 1 ? "wb1" : "wbT");
        for (size_t i = 0; i < count; i++) {
            letters(text, lengths[i], (unsigned)i);
            gzprintf(file, ">name%zu ", i);
            if (lengths[i] < 100000) gzputs(file, text); // as a comment
            gzputc(file, '\n');
            size_t width = variety & 2 ? 61 : lengths[i];
            for (size_t k = 0; k < lengths[i]; k += width) {
                gzwrite(file, text + k, (unsigned)(lengths[i] - k < width ? lengths[i] - k : width));
                gzputc(file, '\n');
            }
        }
        assert_int_equal(gzclose(file), Z_OK);
        wl_sequences sequences;
        assert_int_equal(wl_sequences_read(path, &sequences), WL_OK);
        assert_int_equal(sequences.count, count);
        for (size_t i = 0; i < count; i++) {
            letters(text, lengths[i], (unsigned)i);
            assert_int_equal(sequences.items[i].length, lengths[i]);
            assert_string_equal(sequences.items[i].letters, text);
            assert_string_equal(sequences.items[i].comment, lengths[i] < 100000 ? text : "");
        }
        wl_sequences_free(&sequences);
        unlink(path);
    }
    free(text);
}

TEST(many_sequences) {
    char path[] = "/tmp/wl-test-XXXXXX", name[32];
    FILE *file = fdopen(mkstemp(path), "w");
    for (int i = 0; i < 200000; i++) fprintf(file, ">s%d\n%s\n", i, i % 2 ? "A" : "CG");
    fclose(file);
    wl_sequences sequences;
    assert_int_equal(wl_sequences_read(path, &sequences), WL_OK);
    assert_int_equal(sequences.count, 200000);
    for (int i = 0; i < 200000; i++) {
        snprintf(name, sizeof name, "s%d", i);
        assert_string_equal(sequences.items[i].name, name);
        assert_string_equal(sequences.items[i].letters, i % 2 ? "A" : "CG");
        assert_int_equal(sequences.items[i].line, 2 * i + 1);
    }
    wl_sequences_free(&sequences);
    unlink(path);
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* A file of a few hundred kilobytes that unpacks to one sequence of 512 MiB, in 256 MiB of address space. */
TEST(packed_bomb) {
    if (SANITIZED) skip(); // its shadow alone is larger than any limit
    char path[] = "/tmp/wl-test-XXXXXX";
    close(mkstemp(path));
    gzFile file = gzopen(path, "wb1");
    char *text = malloc(1 << 20);
    memset(text, 'A', 1 << 20);
    gzputs(file, ">bomb\n");
    for (int i = 0; i < 512; i++) gzwrite(file, text, 1 << 20);
    gzclose(file);
    free(text);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)256 << 20, (rlim_t)256 << 20};
        setrlimit(RLIMIT_AS, &limit);
        wl_sequences sequences;
        wl_status status = wl_sequences_read(path, &sequences);
        _exit(status == WL_NO_MACHINE && strstr(wl_error(), ":2: not enough memory") ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    unlink(path);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

/* --- Records that are left out ----------------------------------------------------------------------------------- */

/* `text` in a file, read with these faults left out: the names that are kept, or the error line; and what was left out. */
static void leaves_out(const char *text, unsigned faults, int may_leave_none, const char *names, const char *left) {
    char path[] = "/tmp/wl-test-XXXXXX", found[256] = "", said[WL_LEFT_OUT_TEXT];
    const int file = mkstemp(path);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    wl_left_out left_out = {.faults = faults, .may_leave_none = may_leave_none};
    wl_sequences sequences;
    wl_bytes *bytes;
    assert_int_equal(wl_bytes_open_or_empty(path, "FASTA", &bytes), WL_OK);
    wl_bytes_leave_out(bytes, &left_out);
    if (wl_sequences_read_bytes(bytes, &sequences) == WL_OK) {
        for (size_t i = 0; i < sequences.count; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s ", sequences.items[i].name);
        wl_sequences_free(&sequences);
    } else {
        snprintf(found, sizeof found, "%s", wl_error() + strlen(path));
    }
    wl_bytes_close(bytes);
    unlink(path);
    assert_string_equal(found, names);
    assert_string_equal(wl_left_out_show(&left_out, said), left);
}

TEST(left_out) {
    enum { ALL = WL_LEAVES_OUT_ALL, EMPTY = WL_LEAVES_OUT(WL_RECORD_EMPTY) };
    leaves_out(">a\nAC\n>b\n>c\nA\n", ALL, 0, "a c ",
               "1 record was left out: 1 without letters; the first is in line 3");
    leaves_out(
        ">a\n\n>\nAC\n> b c\nAC\n>d\nA1C\nGG\n>e\nA\x1B\n>f\x1B[2J\nAC\n>g\nA-C", ALL, 0, "g ",
        "6 records were left out: 1 without letters, 2 without a name, 3 with an unexpected letter; the first is in "
        "line 1");
    leaves_out(
        "@a\nAC\n+\nII\n@b\n\n+\n\n@c\nA1\n+\n@>\n@ d\nA\n+\nI\n@e\nT\n+\n!\n", ALL, 0, "a e ",
        "3 records were left out: 1 without letters, 1 without a name, 1 with an unexpected letter; the first is in "
        "line 5");
    leaves_out(">\n\n>a\nA\n", ALL, 0, "a ", "1 record was left out: 1 without a name; the first is in line 1");
    leaves_out(">a\n>b\nA1\n", EMPTY, 0, ":3:2: found '1' in sequence 'b'; expected a letter, '-', '.', '*' or '?'",
               "1 record was left out: 1 without letters; the first is in line 1");
    leaves_out(
        ">a\n>b\n", ALL, 0,
        ": found no sequence that can be used: 2 records were left out: 2 without letters; the first is in line 1",
        "2 records were left out: 2 without letters; the first is in line 1");
    leaves_out(">a\n>b\n", EMPTY, 1, "", "2 records were left out: 2 without letters; the first is in line 1");
    leaves_out("", EMPTY, 1, "", "");
    leaves_out("\n", EMPTY, 1, "", "");
    leaves_out("@a\nAC\n+\nI\n@b\nA\n+\nI\n", ALL, 0, ":4: 'a' has 2 letters but 1 qualities; expected as many", "");
}

int main(void) { return run_all_tests(NULL, NULL); }
