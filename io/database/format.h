/* What is where in a .wdb file: docs/wdb.md, as C. */
#pragma once

#include "io/database/database.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "A .wdb file is little-endian and read in place; this machine is not"
#endif

/* As PNG's: a byte that is no text, and line ends that a transfer as text would change. */
#define SW_WDB_MAGIC "\x89WDB\r\n\x1A\n"
enum {
    SW_WDB_MAGIC_BYTES = 8,
    SW_WDB_MARK_BYTES = 4 /* before the line ends */,
    SW_WDB_VERSION = 1,
    SW_WDB_PAGE = 4096
};

/* In the file's order, each from a page's first byte on. */
enum { SW_WDB_LENGTHS, SW_WDB_STARTS, SW_WDB_ORDER, SW_WDB_RESIDUES, SW_WDB_NAMES, SW_WDB_TEXT, SW_WDB_SECTIONS };

typedef struct {
    uint64_t offset; // in the file
    uint64_t bytes;  // without the zeros after it, which reach to the next page
    uint32_t crc;    // zlib's crc32 of the bytes and the zeros
    uint32_t zero;
} sw_wdb_section;

typedef struct {
    char magic[SW_WDB_MAGIC_BYTES];
    uint32_t version;
    uint32_t alphabet;         // 0 protein, 1 nucleotide
    char alphabet_letters[32]; // in the order of their codes, then zeros
    uint64_t file_bytes;
    uint64_t count;   // of sequences, at least 1
    uint64_t letters; // of all sequences
    uint32_t longest;
    uint32_t section_count;
    sw_wdb_section section[SW_WDB_SECTIONS];
    char title[SW_TITLE];
    unsigned char zeros[3612];
    uint32_t crc; // of the 4092 bytes before
} sw_wdb_header;

_Static_assert(sizeof(sw_wdb_header) == SW_WDB_PAGE, "the header is a page");
_Static_assert(sizeof(SW_PROTEIN_LETTERS) <= 32 && sizeof(SW_NUCLEOTIDE_LETTERS) <= 32, "letters fit the header");

static inline uint64_t sw_wdb_padded(uint64_t bytes) { return (bytes + SW_WDB_PAGE - 1) / SW_WDB_PAGE * SW_WDB_PAGE; }

static inline const char *sw_wdb_section_name(int section) {
    static const char *const names[] = {"lengths", "starts", "order", "residues", "names", "text"};
    return names[section];
}

/* A header without checksums: everything follows from a few numbers of the database's. No array is looked at. */
void sw_wdb_header_make(const sw_database *database, uint64_t residue_bytes, sw_wdb_header *header);
uint32_t sw_wdb_header_crc(const sw_wdb_header *header);

/* crc32 of `bytes` bytes, by all processors. WL_NO_MACHINE when memory is short. */
wl_status sw_wdb_crc(const void *memory, uint64_t bytes, uint32_t *crc);

/* The database that a mapped file of file_bytes bytes holds, verified whole: header, checksums, content. */
wl_status sw_wdb_verify(const char *path, const void *file, uint64_t file_bytes, sw_alphabet alphabet,
                        sw_database *database);
