/* Databases: a set of sequences sorted by length and packed as kernels read it, with names. Made from FASTA in memory,
   or once and for all as a file (.wdb, by `warpladder makedb`) that a search maps and starts: docs/wdb.md. */
#pragma once

#include "io/bytes.h"
#include "harness/base/mapped.h"
#include "harness/base/outfile.h"
#include "io/database/set.h"

enum { SW_TITLE = 256 };

typedef struct {
    sw_alphabet alphabet;
    sw_set set; // longest first, equal lengths in the input's order; start[0] is 0
    /* Of sequence s: where it stood in the input, which is "database order" in reports, and its header line. */
    const uint64_t *order;   // [count], a permutation of 0 .. count - 1
    const uint64_t *name_at; // [count]: text + name_at[s] is its name, a string; then comes the header's rest
    const char *text;        // [text_bytes]
    uint64_t text_bytes;
    char title[SW_TITLE]; // the input's file name without folders, printable
    void *memory;         // what all of these are in
    size_t mapped;        // bytes of it that are a mapped file; 0: it is from malloc
    wl_mapped *file;      // that file
} sw_database;

/* How far a long job is: called now and then, by one thread. `of` is 0 where the end is not known. */
typedef struct {
    void (*report)(void *context, const char *what, uint64_t done, uint64_t of);
    void *context;
} sw_watch;

/* How sequences are read. */
typedef struct {
    sw_alphabet alphabet;
    int strips_gaps;       // leaves out '-' and '.', which are refused else
    const sw_watch *watch; // or NULL
    wl_left_out *left_out; // records that are left out, with letters of another alphabet, too; NULL: all are refused
} sw_reading;

/* Open `path`: a .wdb file (told by its first bytes), mapped; or FASTA or FASTQ, plain or gzip, "-"
   for standard input, made into a database in memory (sw_database_build).

   A .wdb file is verified whole: 205 M residues take about 0.1 s on one core. First come its
   checksums, and then the layout, which kernels trust: a checksum only proves that the file is as
   somebody wrote it. Truncated, damaged, hostile, foreign, of a newer version or of another
   alphabet: WL_BAD_INPUT with the reason. Names, comments and title are text without control
   characters (in comments tabs and control-A, as in FASTA).
   Close with sw_database_close; on failure there is nothing to close. */
wl_status sw_database_open_as(const char *path, const sw_reading *reading, sw_database *database);
static inline wl_status sw_database_open(const char *path, sw_alphabet alphabet, sw_database *database) {
    return sw_database_open_as(path, &(sw_reading){.alphabet = alphabet}, database);
}
/* The sequences of several databases, as one. Blanks separate the names, unless a file has all of it as its name. Each is looked for as
   it is and with .wdb after it, here and then in `folders`, which ':' separates; NULL: there are none. */
wl_status sw_databases_open(const char *names, const char *folders, const sw_reading *reading, sw_database *database);
/* Whether sw_database_open would map it, which takes no time, as far as its first bytes tell. */
int sw_database_is_mapped(const char *path);
/* The letters of the file's sequences, or a few more: those in a .wdb file's header, which is not verified, or the bytes of a file of
   text. UINT64_MAX where it is no ordinary file. */
uint64_t sw_database_letters_about(const char *path);
void sw_database_close(sw_database *database);

static inline const char *sw_database_name(const sw_database *database, size_t sequence) {
    return database->text + database->name_at[sequence];
}
/* The rest of the header line, "" when there is none. */
const char *sw_database_comment(const sw_database *database, size_t sequence);

/* A database in memory from FASTA or FASTQ. WL_NO_MACHINE when it does not fit; on the way it takes about a tenth more
   than in the end, where lengths vary as proteins' do, and twice as much where all are equal. `watch` may be NULL. */
wl_status sw_database_build_as(const char *path, const sw_reading *reading, sw_database *database);
static inline wl_status sw_database_build(const char *path, sw_alphabet alphabet, const sw_watch *watch,
                                          sw_database *database) {
    return sw_database_build_as(path, &(sw_reading){.alphabet = alphabet, .watch = watch}, database);
}

/* One of the sequences of several, in the order given. */
wl_status sw_database_join(const char *title, const sw_database *parts, size_t count, sw_database *database);

/* The same from sequences in memory, at least one, which need not stay; `title` is also what error lines call them. */
wl_status sw_database_make(const char *title, const wl_sequences *sequences, sw_alphabet alphabet,
                           sw_database *database);

/* WL_BAD_INPUT where `path` is no file and names a database of makeblastdb's, which has a format of its own. */
wl_status sw_database_refuse_blast(const char *path);

/* For readers of sequences: WL_BAD_INPUT when a .wdb file begins here. Nothing is read that a reader would miss. */
wl_status sw_database_refuse(wl_bytes *bytes);

/* Write the database as a .wdb file into `file`, which the caller has opened and commits or discards. *bytes, unless
   NULL, is its size. `watch` may be NULL. */
wl_status sw_database_write(wl_outfile *file, const sw_database *database, const sw_watch *watch, uint64_t *bytes);
