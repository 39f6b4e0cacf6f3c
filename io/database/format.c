#include "io/database/format.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void sw_wdb_header_make(const sw_database *database, uint64_t residue_bytes, sw_wdb_header *header) {
    const char *letters = database->alphabet == SW_PROTEIN ? SW_PROTEIN_LETTERS : SW_NUCLEOTIDE_LETTERS;
    uint64_t count = database->set.count;
    *header = (sw_wdb_header){.version = SW_WDB_VERSION,
                              .alphabet = database->alphabet == SW_PROTEIN ? 0 : 1,
                              .count = count,
                              .letters = database->set.letters,
                              .longest = database->set.longest,
                              .section_count = SW_WDB_SECTIONS};
    memcpy(header->magic, SW_WDB_MAGIC, SW_WDB_MAGIC_BYTES);
    memcpy(header->alphabet_letters, letters, strlen(letters));
    memcpy(header->title, database->title, strlen(database->title));
    const uint64_t bytes[SW_WDB_SECTIONS] = {
        [SW_WDB_LENGTHS] = count * sizeof(uint32_t), [SW_WDB_STARTS] = count * sizeof(uint64_t),
        [SW_WDB_ORDER] = count * sizeof(uint64_t),   [SW_WDB_RESIDUES] = residue_bytes,
        [SW_WDB_NAMES] = count * sizeof(uint64_t),   [SW_WDB_TEXT] = database->text_bytes,
    };
    uint64_t offset = SW_WDB_PAGE;
    for (int i = 0; i < SW_WDB_SECTIONS; i++) {
        header->section[i] = (sw_wdb_section){.offset = offset, .bytes = bytes[i]};
        offset += sw_wdb_padded(bytes[i]);
    }
    header->file_bytes = offset;
}

uint32_t sw_wdb_header_crc(const sw_wdb_header *header) {
    return (uint32_t)crc32(0, (const Bytef *)header, offsetof(sw_wdb_header, crc));
}

wl_status sw_wdb_crc(const void *memory, uint64_t bytes, uint32_t *crc) {
    enum { CHUNK = 1 << 20 };
    const Bytef *from = memory;
    uint64_t chunks = (bytes + CHUNK - 1) / CHUNK;
    uint32_t *of_chunk = malloc((chunks + 1) * sizeof *of_chunk);
    if (of_chunk == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu checksums", (size_t)chunks);
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t left = bytes - i * CHUNK;
        of_chunk[i] = (uint32_t)crc32(0, from + i * CHUNK, (uInt)(left < CHUNK ? left : CHUNK));
    }
    uLong all = 0;
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t left = bytes - i * CHUNK;
        all = crc32_combine(all, of_chunk[i], (z_off_t)(left < CHUNK ? left : CHUNK));
    }
    free(of_chunk);
    *crc = (uint32_t)all;
    return WL_OK;
}
