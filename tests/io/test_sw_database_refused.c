/* io/database: files that are no database, or a damaged or a hostile one. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <omp.h>

#include "tests/support/unit.h"
#include "io/database/database.h"
#include "tests/support/corpus.h"
#include "tests/support/wdb.h"

enum { SIZE = 7 * WDB_PAGE };
static uint8_t tiny[SIZE]; // tests/corpus/wdb/tiny.wdb: lengths 5 3 3 1, in the input third, first, fourth and second

/* --- What is refused, and how it is said -------------------------------------------------------------------------- */

/* What a search would read of a database. */
static wl_status describe(const char *path, corpus_text *description) {
    sw_database database;
    wl_status status = sw_database_open(path, SW_PROTEIN, &database);
    if (status != WL_OK) return status;
    fprintf(description->stream, "%zu of %llu letters:", database.set.count, (unsigned long long)database.set.letters);
    for (size_t s = 0; s < database.set.count; s++) {
        fprintf(description->stream, " %llu ", (unsigned long long)database.order[s]);
        corpus_put(description, sw_database_name(&database, s));
        fputc(' ', description->stream);
        for (uint32_t k = 0; k < database.set.length[s]; k++)
            fputc(sw_letter(SW_PROTEIN, database.set.residues[database.set.start[s] + k]), description->stream);
    }
    sw_database_close(&database);
    return WL_OK;
}

TEST(corpus) { corpus_check("wdb", describe); }

static void refused(const char *path, const char *error) {
    sw_database database;
    assert_int_equal(sw_database_open(path, SW_PROTEIN, &database), WL_BAD_INPUT);
    assert_string_equal(wl_error(), error);
}

TEST(no_files) {
    refused("/nowhere/a.wdb",
            "/nowhere/a.wdb: cannot open: No such file or directory; expected a .wdb file, FASTA or FASTQ");
    refused("/tmp", "/tmp: is a directory; expected a .wdb file, FASTA or FASTQ");
    refused("/dev/null", "/dev/null: the file is empty; expected FASTA or FASTQ");
    char path[] = "/tmp/wl-test-XXXXXX", expected[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(expected, sizeof expected, "%s: the file is empty; expected a .wdb file, FASTA or FASTQ", path);
    refused(path, expected);
    assert_int_equal(fchmod(file, 0), 0);
    close(file);
    snprintf(expected, sizeof expected, "%s: cannot open: Permission denied; expected a .wdb file, FASTA or FASTQ",
             path);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2); // root may read anything
        sw_database database;
        wl_status status = sw_database_open(path, SW_PROTEIN, &database);
        _exit(status == WL_BAD_INPUT && strcmp(wl_error(), expected) == 0 ? 0 : 1);
    }
    int result;
    waitpid(child, &result, 0);
    unlink(path);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

/* A FIFO gives FASTA; a .wdb file through one is refused, not waited for or read as text. */
TEST(fifo) {
    char folder[] = "/tmp/wl-test-XXXXXX", path[64], expected[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
            FILE *file = fopen(path, "w");
            if (i == 0)
                fputs(">a\nMKV\n", file);
            else
                fwrite(tiny, 1, SIZE, file);
            fclose(file);
            _exit(0);
        }
        sw_database database;
        wl_status status = sw_database_open(path, SW_PROTEIN, &database);
        wait(NULL);
        if (i == 0) {
            assert_int_equal(status, WL_OK);
            assert_string_equal(sw_database_name(&database, 0), "a");
            sw_database_close(&database);
        } else {
            assert_int_equal(status, WL_BAD_INPUT);
            snprintf(expected, sizeof expected,
                     "%s: found what begins as a .wdb file; expected FASTA or FASTQ (a search's --db takes a .wdb file "
                     "that is neither packed nor in a pipe)",
                     path);
            assert_string_equal(wl_error(), expected);
        }
    }
    unlink(path);
    rmdir(folder);
}

/* --- Damage ------------------------------------------------------------------------------------------------------ */

/* The first `size` of `bytes` as a file, opened. */
static wl_status open_bytes(const uint8_t *bytes, size_t size, sw_alphabet alphabet) {
    static int file = -1;
    char path[64];
    if (file < 0) file = (int)syscall(SYS_memfd_create, "wdb", 0u);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, bytes, size, 0), size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sw_database database;
    wl_status status = sw_database_open(path, alphabet, &database);
    if (status == WL_OK)
        sw_database_close(&database);
    else
        corpus_check_error(path);
    return status;
}

/* No byte of the file is without meaning: any one changed is noticed. */
TEST(every_byte_flipped) {
    static uint8_t changed[SIZE];
    memcpy(changed, tiny, SIZE);
    assert_int_equal(open_bytes(changed, SIZE, SW_PROTEIN), WL_OK);
    for (size_t i = 0; i < SIZE; i++) {
        changed[i] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(open_bytes(changed, SIZE, SW_PROTEIN), WL_BAD_INPUT);
        changed[i] = tiny[i];
    }
}

TEST(every_length) {
    static uint8_t longer[SIZE + WDB_PAGE];
    memcpy(longer, tiny, SIZE);
    for (size_t size = 1; size < SIZE; size++) {
        assert_int_equal(open_bytes(tiny, size, SW_PROTEIN), WL_BAD_INPUT);
        assert_non_null(strstr(wl_error(), "it is truncated; expected"));
    }
    assert_int_equal(open_bytes(longer, SIZE + 1, SW_PROTEIN), WL_BAD_INPUT);
    assert_int_equal(open_bytes(longer, SIZE + WDB_PAGE, SW_PROTEIN), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), "followed by something else"));
}

/* --- Right checksums, wrong content ------------------------------------------------------------------------------- */

static uint8_t hostile[SIZE];

/* Change `bytes` bytes at `at`, seal, and be refused with a line that says `why`. */
static void change(size_t at, const void *to, size_t bytes, const char *why) {
    memcpy(hostile, tiny, SIZE);
    memcpy(hostile + at, to, bytes);
    wdb_seal(hostile, SIZE);
    wl_status status = open_bytes(hostile, SIZE, SW_PROTEIN);
    if (status != WL_BAD_INPUT || strstr(wl_error(), why) == NULL)
        fail_msg("at %zu: status %d, said %s; expected %s", at, (int)status, wl_error(), why);
}
static void change32(size_t at, uint32_t to, const char *why) { change(at, &to, sizeof to, why); }
static void change64(size_t at, uint64_t to, const char *why) { change(at, &to, sizeof to, why); }

TEST(wrong_headers) {
    change32(WDB_VERSION, 2, "a .wdb file of version 2, from a newer warpladder; expected version 1");
    change32(WDB_VERSION, 0, "a .wdb file of version 0; expected version 1: make it again");
    change32(WDB_ALPHABET, 1, "a database of nucleotides; expected proteins");
    change32(WDB_ALPHABET, 7, "found alphabet 7; expected 0");
    change(WDB_ALPHABET_LETTERS, "RA", 2, "the header's letters, sizes or zeros");
    change64(WDB_FILE_BYTES, SIZE + 1, "it is truncated; expected 28673");
    const char *fits = " sequences in 28672 bytes; expected what fits";
    change64(WDB_COUNT, 0, fits);
    change64(WDB_COUNT, UINT64_MAX, fits);
    change64(WDB_COUNT, UINT64_MAX / 4 + 5, fits); // 4 times it wraps around to 16
    change64(WDB_COUNT, (UINT64_MAX >> 3) + 5, fits);
    change64(WDB_COUNT, 5, "found 16 bytes of lengths at byte 4096; expected 20");
    change64(WDB_LETTERS, 13, "found 12 letters, 5 in the longest sequence; expected 13 and 5");
    change32(WDB_LONGEST, 6, "found 12 letters, 5 in the longest sequence; expected 12 and 6");
    change32(WDB_LONGEST + 4, 7, "the header's letters, sizes or zeros");
    for (int i = 0; i < WDB_SECTIONS; i++) {
        size_t entry = wdb_entry(i);
        uint64_t offset = wdb_offset(tiny, i), bytes = wdb_bytes(tiny, i);
        change64(entry, offset + 8, "expected ");
        change64(entry, 0, "expected ");
        change64(entry, UINT64_MAX - 15, "expected ");
        change64(entry + 8, bytes + 1, "expected ");
        change64(entry + 8, 0, "expected ");
        change64(entry + 8, UINT64_MAX, "expected ");
        change64(entry + 8, bytes + WDB_PAGE, "expected ");
        change32(entry + 20, 1, "the header's letters, sizes or zeros");
    }
    char title[256];
    memset(title, 'x', sizeof title);
    const char *ended = "the title is not text ended by zeros";
    change(WDB_TITLE, title, sizeof title, ended);
    change(WDB_TITLE, "a\033[2J", 5, ended);
    change(WDB_TITLE, "a\0b", 3, ended);
    change(WDB_ZEROS, "x", 1, "the header's letters, sizes or zeros");
    change(WDB_HEADER_CRC - 1, "x", 1, "the header's letters, sizes or zeros");
    for (int i = 0; i < WDB_SECTIONS; i++)
        change(wdb_offset(tiny, i) + WDB_PAGE - 1, "x", 1, "expected zeros"); // after a section
}

TEST(wrong_lengths) {
    size_t lengths = wdb_offset(tiny, WDB_OF_LENGTHS), starts = wdb_offset(tiny, WDB_OF_STARTS);
    change32(lengths + 12, 0, "sequence 3 of the file: its length is 0");
    change32(lengths, (1u << 30) + 1, "sequence 0 of the file: its length is 0, above 2^30");
    change32(lengths, UINT32_MAX, "sequence 0 of the file: its length is 0, above 2^30");
    change32(lengths + 8, 4, "sequence 2 of the file: its length is 0, above 2^30, or above that of the one before");
    const uint32_t longer[] = {9, 3, 3, 1}, sum[] = {4, 4, 3, 1};
    change(lengths, longer, sizeof longer, "found 16 letters, 9 in the longest");
    change(lengths, sum, sizeof sum, "found 12 letters, 4 in the longest");
    const char *reach = "it does not reach to where the next begins";
    change64(starts, 8, reach);
    change64(starts + 8, 0, reach);
    change64(starts + 16, UINT64_MAX - 7, reach);
    change64(starts + 24, 28, reach);
    change64(starts + 24, UINT64_MAX - 3, reach); // its end wraps around
}

TEST(wrong_orders) {
    size_t order = wdb_offset(tiny, WDB_OF_ORDER);
    change64(order, 4, "sequence 0 of the file: its place in the input");
    change64(order, UINT64_MAX, "sequence 0 of the file: its place in the input");
    change64(order, 3, "its place in the input is another's"); // twice 3, no 2
    const uint64_t swapped[] = {3, 0};                         // the two of length 3
    change(order + 8, swapped, sizeof swapped, "sequence 2 of the file: its place in the input");
}

TEST(wrong_residues) {
    size_t residues = wdb_offset(tiny, WDB_OF_RESIDUES);
    const char *code = "it has a code that is no letter's, or does not end with end codes";
    for (int byte = 0; byte < 28; byte++) {
        int is_end = tiny[residues + byte] == 27;
        uint8_t wrong[] = {is_end ? 26 : 27, 28, 255};
        for (size_t i = 0; i < sizeof wrong; i++) change(residues + byte, &wrong[i], 1, code);
    }
}

/* Code 15 is an amino acid and no nucleotide. */
TEST(wrong_nucleotides) {
    static uint8_t bytes[SIZE];
    FILE *file = fopen(CORPUS "wdb/tiny_nucleotide.wdb", "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, SIZE, file), SIZE);
    fclose(file);
    assert_int_equal(open_bytes(bytes, SIZE, SW_NUCLEOTIDE), WL_OK);
    bytes[wdb_offset(bytes, WDB_OF_RESIDUES) + 16 + 4] = 15;
    wdb_seal(bytes, SIZE);
    assert_int_equal(open_bytes(bytes, SIZE, SW_NUCLEOTIDE), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), "sequence 1 of the file: it has a code that is no letter's"));
}

TEST(wrong_text) {
    size_t names = wdb_offset(tiny, WDB_OF_NAMES), text = wdb_offset(tiny, WDB_OF_TEXT); // third..first.comment.x..w..
    const char *strings = "its name and comment are not two strings of text";
    change64(names, 1, strings);
    change64(names + 8, 0, strings);
    change64(names + 8, 8, strings);
    change64(names + 16, 7, strings);
    change64(names + 24, 27, strings);
    change64(names + 24, UINT64_MAX, strings);
    change(text, "", 1, strings);       // a name of no letter, and a third string
    change(text + 5, "x", 1, strings);  // one string
    change(text + 6, "x", 1, strings);  // no end
    change(text + 26, "x", 1, strings); // no end at the end of all
    change(text + 8, " ", 1, strings);  // a blank in a name
    change(text + 8, "\t", 1, strings); // and what steers terminals
    change(text + 8, "\033", 1, strings);
    change(text + 8, "\177", 1, strings);
    change(text + 15, "\033", 1, strings);
    change(text + 15, "\n", 1, strings);
    memcpy(hostile, tiny, SIZE);
    memcpy(hostile + text + 14, "\t\001 \303\251", 5); // what comments may have
    wdb_seal(hostile, SIZE);
    assert_int_equal(open_bytes(hostile, SIZE, SW_PROTEIN), WL_OK);
}

int main(void) {
    omp_set_num_threads(1); // 57,000 files of a few pages: threads would mostly wait for each other
    FILE *file = fopen(CORPUS "wdb/tiny.wdb", "rb");
    if (file == NULL || fread(tiny, 1, SIZE, file) != SIZE) return 2;
    fclose(file);
    return run_all_tests(NULL, NULL);
}
