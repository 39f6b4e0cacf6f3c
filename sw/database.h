/* Database files (.wdb): a set of sequences sorted by length and packed as kernels read them, so that a search maps the
   file and starts. Made by `warpladder makedb`. The format is described in docs/wdb.md. */
#ifndef SW_DATABASE_H
#define SW_DATABASE_H

#include "sw/set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    sw_alphabet alphabet;
    sw_set set; // longest first
    /* Of sequence s of the set: where it stood in the input, which is "database order" in reports, its name, and the rest of its
       header line. */
    const uint64_t *order;                                          // [count], a permutation of 0 .. count - 1
    const char *(*name)(const void *database, size_t sequence);     // use sw_database_name
    const char *(*comment)(const void *database, size_t sequence);  // use sw_database_comment
    void *memory;
    char title[256]; // the input's file name
} sw_database;

/* Open `path`: a .wdb file (told by its first bytes), mapped; or FASTA or FASTQ, plain or gzip, encoded into memory as
   `alphabet`. A .wdb file of another alphabet, truncated, damaged (every section has a checksum, and all are verified unless
   trust is set), foreign or of a newer version: WL_BAD_INPUT with the reason. Close with sw_database_close. */
wl_status sw_database_open(const char *path, sw_alphabet alphabet, int trust, sw_database *database);
void sw_database_close(sw_database *database);
const char *sw_database_name(const sw_database *database, size_t sequence);
const char *sw_database_comment(const sw_database *database, size_t sequence);

/* Write `owned` (longest first) as the file `path`, whole or not at all. */
wl_status sw_database_write(const char *path, sw_alphabet alphabet, const char *title, const sw_owned_set *owned);

#ifdef __cplusplus
}
#endif
#endif
