/* .wdb files taken apart by the offsets in docs/wdb.md, not by the program's own structs: what tests and the fuzz
   target change in them, and then make the checksums right again. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum {
    WDB_PAGE = 4096,
    WDB_VERSION = 8,
    WDB_ALPHABET = 12,
    WDB_ALPHABET_LETTERS = 16,
    WDB_FILE_BYTES = 48,
    WDB_COUNT = 56,
    WDB_LETTERS = 64,
    WDB_LONGEST = 72,
    WDB_TABLE = 80,
    WDB_TITLE = 224,
    WDB_ZEROS = 480,
    WDB_HEADER_CRC = 4092,
    WDB_SECTIONS = 6,
};
enum { WDB_OF_LENGTHS, WDB_OF_STARTS, WDB_OF_ORDER, WDB_OF_RESIDUES, WDB_OF_NAMES, WDB_OF_TEXT };

static inline uint32_t wdb_get32(const uint8_t *file, size_t at) {
    uint32_t value;
    memcpy(&value, file + at, sizeof value);
    return value;
}
static inline uint64_t wdb_get64(const uint8_t *file, size_t at) {
    uint64_t value;
    memcpy(&value, file + at, sizeof value);
    return value;
}
static inline void wdb_put32(uint8_t *file, size_t at, uint32_t value) { memcpy(file + at, &value, sizeof value); }
static inline void wdb_put64(uint8_t *file, size_t at, uint64_t value) { memcpy(file + at, &value, sizeof value); }

/* Where the header has a section's offset; its bytes are 8 later, its checksum 16. */
static inline size_t wdb_entry(int section) { return WDB_TABLE + 24 * (size_t)section; }
static inline uint64_t wdb_offset(const uint8_t *file, int section) { return wdb_get64(file, wdb_entry(section)); }
static inline uint64_t wdb_bytes(const uint8_t *file, int section) { return wdb_get64(file, wdb_entry(section) + 8); }

/* Make every checksum right that can be: of sections that are inside the file, and of the header. */
static inline void wdb_seal(uint8_t *file, size_t size) {
    if (size < WDB_PAGE) return;
    for (int i = 0; i < WDB_SECTIONS; i++) {
        uint64_t offset = wdb_offset(file, i), bytes = wdb_bytes(file, i);
        if (offset > size || bytes > size - offset) continue;
        uint64_t padded = (bytes + WDB_PAGE - 1) / WDB_PAGE * WDB_PAGE;
        if (padded > size - offset) padded = size - offset;
        wdb_put32(file, wdb_entry(i) + 16, (uint32_t)crc32(0, file + offset, (uInt)padded));
    }
    wdb_put32(file, WDB_HEADER_CRC, (uint32_t)crc32(0, file, WDB_HEADER_CRC));
}
