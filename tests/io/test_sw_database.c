/* io/database: what a database holds, the file's format, and files that cannot be written. What is refused:
   test_sw_database_refused.c. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <omp.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "io/database/database.h"
#include "tests/support/folder.h"
#include "tests/support/wdb.h"

#define GOLDEN WL_SOURCE_DIR "/tests/corpus/wdb/"

static void write_database(const char *path, const sw_database *database) {
    wl_outfile file;
    uint64_t bytes;
    struct stat found;
    assert_int_equal(wl_outfile_open(path, &file), WL_OK);
    assert_int_equal(sw_database_write(&file, database, NULL, &bytes), WL_OK);
    assert_int_equal(wl_outfile_commit(&file), WL_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_size, bytes);
    assert_int_equal(sw_database_letters_about(path), database->set.letters);
}

/* --- What a database holds --------------------------------------------------------------------------------------- */

/* `database` is what io/database/set.c, the other way from FASTA to codes, makes of the same file. */
static void assert_is(const sw_database *database, const char *fasta, sw_alphabet alphabet) {
    wl_sequences sequences;
    sw_owned_set owned;
    assert_int_equal(wl_sequences_read(fasta, &sequences), WL_OK);
    assert_int_equal(sw_set_encode(fasta, &sequences, alphabet, 1, &owned), WL_OK);
    const sw_set *set = &database->set, *expected = &owned.set;
    assert_int_equal(database->alphabet, alphabet);
    assert_int_equal(set->count, sequences.count);
    assert_int_equal(set->letters, expected->letters);
    assert_int_equal(set->longest, expected->longest);
    assert_memory_equal(set->length, expected->length, set->count * sizeof *set->length);
    assert_memory_equal(set->start, expected->start, set->count * sizeof *set->start);
    assert_memory_equal(set->residues, expected->residues, sw_set_bytes(set));
    for (size_t s = 0; s < set->count; s++) {
        const wl_sequence *sequence = &sequences.items[database->order[s]];
        assert_int_equal(database->order[s], owned.order[s]);
        assert_string_equal(sw_database_name(database, s), sequence->name);
        assert_string_equal(sw_database_comment(database, s), sequence->comment);
    }
    const char *slash = strrchr(fasta, '/');
    assert_string_equal(database->title, slash ? slash + 1 : fasta);
    sw_owned_set_free(&owned);
    wl_sequences_free(&sequences);
}

/* From FASTA, and through a file: the same. */
static void check_file(const char *fasta, sw_alphabet alphabet) {
    sw_database database;
    assert_int_equal(sw_database_open(fasta, alphabet, &database), WL_OK);
    assert_int_equal(database.mapped, 0);
    assert_is(&database, fasta, alphabet);
    write_database(in_folder("out.wdb"), &database);
    sw_database_close(&database);
    assert_int_equal(sw_database_open(in_folder("out.wdb"), alphabet, &database), WL_OK);
    assert_true(database.mapped > 0);
    assert_is(&database, fasta, alphabet);
    sw_database_close(&database);
}

TEST(corpus_files) {
    static const char *const proteins[] = {"good.fasta", "good.fasta.gz", "members.fasta.gz", "odd_names.fasta",
                                           "one.fasta",  "good.fastq",    "crlf.fastq"};
    for (size_t i = 0; i < sizeof proteins / sizeof *proteins; i++) {
        char path[512];
        snprintf(path, sizeof path, WL_SOURCE_DIR "/tests/corpus/sequences/%s", proteins[i]);
        check_file(path, SW_PROTEIN);
        check_file(path, SW_NUCLEOTIDE); // ACGTN are letters of both
    }
    check_file(WL_SOURCE_DIR "/tests/corpus/sequences/rna.fasta", SW_NUCLEOTIDE);
}

/* Enough sequences for several pages of every section and several chunks of a checksum; many of one length, whose order
   counts; lengths around the multiples of SW_ALIGN. */
TEST(random_sequences) {
    wl_random random = wl_random_stream(2010, 9);
    for (size_t count = 1; count <= 20000; count = count * 27 + 1) {
        FILE *file = fopen(in_folder("in.fasta"), "w");
        assert_non_null(file);
        for (size_t i = 0; i < count; i++) {
            fprintf(file, ">same%u rest %zu\n", wl_random_below(&random, 100), i);
            uint32_t length = 1 + wl_random_below(&random, i % 100 ? 20 : 20000);
            for (uint32_t k = 0; k < length; k++) fputc(SW_PROTEIN_LETTERS[wl_random_below(&random, SW_LETTERS)], file);
            fputc('\n', file);
        }
        assert_int_equal(fclose(file), 0);
        check_file(in_folder("in.fasta"), SW_PROTEIN);
    }
}

TEST(long_title) {
    char name[256] = "", title[SW_TITLE];
    for (int i = 0; i < 23; i++) strcat(name, "caf\303\251 \tx\001\033y"); // 253 bytes; a file system takes 255
    put(in_folder(name), ">a\nAC\n");
    sw_database database;
    assert_int_equal(sw_database_open(in_folder(name), SW_PROTEIN, &database), WL_OK);
    for (size_t i = 0; i <= strlen(name); i++) title[i] = name[i] > 0 && name[i] < 0x20 ? '?' : name[i];
    assert_string_equal(database.title, title);
    write_database(in_folder("out.wdb"), &database); // which refuses no title that was made here
    sw_database_close(&database);
    assert_int_equal(sw_database_open(in_folder("out.wdb"), SW_PROTEIN, &database), WL_OK);
    assert_string_equal(database.title, title);
    sw_database_close(&database);
}

/* A letter that is none is refused where it is, as by sw_set_encode. */
TEST(unknown_letters) {
    sw_database database;
    char expected[256];
    put(in_folder("in.fasta"), ">a\nMKV\n>b\nMK\nL-V\n");
    for (int i = 0; i < 2; i++) {
        wl_status status = i == 0 ? sw_database_open(in_folder("in.fasta"), SW_PROTEIN, &database)
                                  : sw_database_build(in_folder("in.fasta"), SW_PROTEIN, NULL, &database);
        assert_int_equal(status, WL_BAD_INPUT);
        snprintf(expected, sizeof expected, "%s:3: found '-' at position 4 of sequence 'b'", in_folder("in.fasta"));
        assert_memory_equal(wl_error(), expected, strlen(expected));
    }
    assert_int_equal(sw_database_open(in_folder("in.fasta"), SW_NUCLEOTIDE, &database), WL_BAD_INPUT);
    snprintf(expected, sizeof expected, "%s:1: found 'M' at position 1", in_folder("in.fasta"));
    put(in_folder("in.fasta"), ">a\nACGE\n");
    assert_int_equal(sw_database_open(in_folder("in.fasta"), SW_NUCLEOTIDE, &database), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), ":1: found 'E' at position 4 of sequence 'a'"));
}

/* --- The format -------------------------------------------------------------------------------------------------- */

static size_t read_file(const char *path, uint8_t *bytes, size_t most) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, most, file);
    fclose(file);
    return count;
}

/* tiny.wdb was written by the first program of version 1 and has been looked at byte by byte with docs/wdb.md beside it.
   When this fails the format has changed, and its version must. */
TEST(golden) {
    static const char *const names[] = {"tiny", "tiny_nucleotide"};
    static uint8_t expected[1 << 16], found[1 << 16];
    for (int i = 0; i < 2; i++) {
        char fasta[512], wdb[512];
        sw_database database;
        snprintf(fasta, sizeof fasta, GOLDEN "%s.fasta", names[i]);
        snprintf(wdb, sizeof wdb, GOLDEN "%s.wdb", names[i]);
        sw_alphabet alphabet = i == 0 ? SW_PROTEIN : SW_NUCLEOTIDE;
        assert_int_equal(sw_database_open(wdb, alphabet, &database), WL_OK);
        assert_is(&database, fasta, alphabet);
        sw_database_close(&database);
        assert_int_equal(sw_database_build(fasta, alphabet, NULL, &database), WL_OK);
        write_database(in_folder("out.wdb"), &database);
        sw_database_close(&database);
        size_t size = read_file(wdb, expected, sizeof expected);
        assert_int_equal(read_file(in_folder("out.wdb"), found, sizeof found), size);
        assert_memory_equal(found, expected, size);
    }
}

/* The offsets in docs/wdb.md, and that the values at them are the ones of tiny.fasta, worked out by hand. */
TEST(documented_offsets) {
    static uint8_t file[1 << 16];
    size_t size = read_file(GOLDEN "tiny.wdb", file, sizeof file);
    assert_int_equal(size, 7 * WDB_PAGE);
    assert_memory_equal(file, "\x89WDB\r\n\x1A\n", 8);
    assert_int_equal(wdb_get32(file, WDB_VERSION), 1);
    assert_int_equal(wdb_get32(file, WDB_ALPHABET), 0);
    assert_string_equal((char *)file + WDB_ALPHABET_LETTERS, "ARNDCQEGHILKMFPSTWYVBZXJUO*");
    assert_int_equal(wdb_get64(file, WDB_FILE_BYTES), size);
    assert_int_equal(wdb_get64(file, WDB_COUNT), 4);
    assert_int_equal(wdb_get64(file, WDB_LETTERS), 5 + 3 + 3 + 1);
    assert_int_equal(wdb_get32(file, WDB_LONGEST), 5);
    assert_string_equal((char *)file + WDB_TITLE, "tiny.fasta");
    static const uint64_t bytes[] = {4 * 4, 4 * 8, 4 * 8, 8 + 8 + 8 + 4, 4 * 8, 27};
    for (int i = 0; i < WDB_SECTIONS; i++) {
        assert_int_equal(wdb_offset(file, i), (i + 1) * WDB_PAGE);
        assert_int_equal(wdb_bytes(file, i), bytes[i]);
        assert_int_equal(wdb_get32(file, wdb_entry(i) + 16), crc32(0, file + (i + 1) * WDB_PAGE, WDB_PAGE));
    }
    assert_int_equal(wdb_get32(file, WDB_HEADER_CRC), crc32(0, file, WDB_HEADER_CRC));
    static const uint32_t lengths[] = {5, 3, 3, 1};
    static const uint64_t starts[] = {0, 8, 16, 24}, order[] = {2, 0, 3, 1}, names[] = {0, 7, 21, 24};
    assert_memory_equal(file + 1 * WDB_PAGE, lengths, sizeof lengths);
    assert_memory_equal(file + 2 * WDB_PAGE, starts, sizeof starts);
    assert_memory_equal(file + 3 * WDB_PAGE, order, sizeof order);
    assert_memory_equal(file + 4 * WDB_PAGE,
                        "\x0C\x0B\x13\x0A\x1A\x1B\x1B\x1B" /* MKVL* */ "\x00\x01\x02\x1B\x1B\x1B\x1B\x1B" // ARN
                        "\x14\x15\x16\x1B\x1B\x1B\x1B\x1B" /* BZX */ "\x11\x1B\x1B\x1B" /* w */,
                        28);
    assert_memory_equal(file + 5 * WDB_PAGE, names, sizeof names);
    assert_memory_equal(file + 6 * WDB_PAGE, "third\0\0first\0comment\0x\0\0w\0", 28);
}

/* --- Writing ----------------------------------------------------------------------------------------------------- */

/* A disk that gets full, at the first write or the last: nothing new under the name, and what was there stays. */
TEST(full_disk) {
    sw_database database;
    assert_int_equal(sw_database_open(GOLDEN "tiny.fasta", SW_PROTEIN, &database), WL_OK);
    static const rlim_t limits[] = {0, 5000, 7 * WDB_PAGE - 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        put(in_folder("out.wdb"), "old");
        pid_t child = fork();
        if (child == 0) {
            omp_set_num_threads(1); // OpenMP's others are not in the child
            struct rlimit limit = {limits[i], limits[i]};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            wl_outfile file;
            if (wl_outfile_open(in_folder("out.wdb"), &file) != WL_OK) _exit(2);
            wl_status status = sw_database_write(&file, &database, NULL, NULL);
            if (status == WL_OK) status = wl_outfile_commit(&file);
            wl_outfile_discard(&file);
            _exit(status == WL_NO_MACHINE && strstr(wl_error(), "cannot write") ? 0 : 3);
        }
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
        uint8_t kept[8];
        assert_int_equal(read_file(in_folder("out.wdb"), kept, sizeof kept), 3);
        assert_memory_equal(kept, "old", 3);
    }
    wl_outfile file;
    assert_int_equal(wl_outfile_open("/dev/full", &file), WL_OK);
    wl_status status = sw_database_write(&file, &database, NULL, NULL);
    if (status == WL_OK) status = wl_outfile_commit(&file);
    assert_int_equal(status, WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "No space left on device"));
    wl_outfile_discard(&file);
    sw_database_close(&database);
}

/* Too little memory is said, not found out by the kernel: a database is refused as its sequences are read. */
TEST(short_memory) {
#ifdef __SANITIZE_ADDRESS__
    skip(); // which takes address space for itself
#endif
    FILE *file = fopen(in_folder("in.fasta"), "w");
    assert_non_null(file);
    for (int i = 0; i < 200; i++) {
        static char line[1000001];
        memset(line, 'A', sizeof line - 1);
        fprintf(file, ">s%d\n%s\n", i, line);
    }
    assert_int_equal(fclose(file), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        unsigned long pages = 0;
        FILE *statm = fopen("/proc/self/statm", "r");
        if (statm == NULL || fscanf(statm, "%lu", &pages) != 1) _exit(2);
        fclose(statm);
        limit.rlim_cur = limit.rlim_max = pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)300 << 20);
        setrlimit(RLIMIT_AS, &limit);
        sw_database database;
        wl_status status = sw_database_open(in_folder("in.fasta"), SW_PROTEIN, &database);
        _exit(status == WL_NO_MACHINE && strstr(wl_error(), ": not enough memory for a database of") ? 0 : 3);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

int main(void) { return run_each_test(make_folder, remove_folder); }
