/* io/database: what is accepted must be, byte for byte, what writing it again gives; everything else is refused.

   A mutation of a .wdb file would not come past the first checksum, and nearly all of the file is zeros. So the input
   may also be a file's parts: a byte of flags, then seven times a size (two bytes, little-endian) and that many bytes:
   the header's beginning and the six sections. They are put together into a file with the checksums right. */
#include "io/database/database.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "tests/fuzz/target.h"
#include "tests/support/wdb.h"

enum {
    PLACED = 1, /* the table says where the sections are and how long, and the file's size is right */
    NUCLEOTIDES = 2,
    CUT = 4, /* by a byte */
    MOST = 1 << 20
};

/* Everything a search may touch is there. */
static void walk(const sw_database *database) {
    const sw_set *set = &database->set;
    const size_t codes = strlen(database->alphabet == SW_PROTEIN ? SW_PROTEIN_LETTERS : SW_NUCLEOTIDE_LETTERS);
    uint64_t letters = 0, at = 0;
    char *seen = calloc(set->count, 1);
    REQUIRE(seen && set->count > 0 && set->longest == set->length[0]);
    for (size_t s = 0; s < set->count; s++) {
        REQUIRE(set->start[s] == at && set->length[s] > 0 && (s == 0 || set->length[s] <= set->length[s - 1]));
        for (uint64_t k = 0; k < sw_pitch(set->length[s]); k++) {
            uint8_t code = set->residues[at + k];
            REQUIRE(k < set->length[s] ? code < codes : code == SW_END);
        }
        at += sw_pitch(set->length[s]);
        letters += set->length[s];
        REQUIRE(database->order[s] < set->count && !seen[database->order[s]]);
        seen[database->order[s]] = 1;
        const char *name = sw_database_name(database, s), *comment = sw_database_comment(database, s);
        REQUIRE(*name && comment + strlen(comment) < database->text + database->text_bytes);
    }
    REQUIRE(letters == set->letters && strlen(database->title) < SW_TITLE);
    free(seen);
}

static void require_written_again(const sw_database *database, const uint8_t *file, size_t size) {
    char *again = NULL;
    size_t again_size = 0;
    uint64_t bytes;
    char path[] = "memory";
    wl_outfile out = {.stream = open_memstream(&again, &again_size), .path = path};
    REQUIRE(out.stream && sw_database_write(&out, database, NULL, &bytes) == WL_OK);
    REQUIRE(fclose(out.stream) == 0);
    REQUIRE(bytes == again_size);
    if (file) REQUIRE(again_size == size && memcmp(again, file, size) == 0);
    free(again);
}

static void try(const uint8_t *file, size_t size, sw_alphabet alphabet) {
    const char *path = fuzz_file(file, size);
    sw_database database;
    wl_status status = sw_database_open(path, alphabet, &database);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return;
    }
    walk(&database);
    require_written_again(&database, database.mapped > 0 ? file : NULL, size);
    sw_database_close(&database);
}

/* The next part of the input; what is missing at its end is empty. */
static size_t next_part(const uint8_t **data, size_t *size, const uint8_t **part) {
    size_t bytes = *size < 2 ? 0 : (*data)[0] + 256u * (*data)[1], head = *size < 2 ? *size : 2;
    if (bytes > *size - head) bytes = *size - head;
    *part = *data + head;
    *data += head + bytes;
    *size -= head + bytes;
    return bytes;
}

static void try_parts(const uint8_t *data, size_t size) {
    static uint8_t file[MOST];
    const uint8_t *part;
    uint8_t flags = *data;
    data++;
    size--;
    size_t bytes = next_part(&data, &size, &part), used = WDB_PAGE;
    memset(file, 0, WDB_PAGE);
    memcpy(file, part, bytes < WDB_HEADER_CRC ? bytes : WDB_HEADER_CRC);
    for (int i = 0; i < WDB_SECTIONS; i++) {
        bytes = next_part(&data, &size, &part);
        size_t padded = (bytes + WDB_PAGE - 1) / WDB_PAGE * WDB_PAGE;
        memset(file + used, 0, padded);
        memcpy(file + used, part, bytes);
        if (flags & PLACED) {
            wdb_put64(file, wdb_entry(i), used);
            wdb_put64(file, wdb_entry(i) + 8, bytes);
        }
        used += padded;
    }
    if (flags & PLACED) wdb_put64(file, WDB_FILE_BYTES, used);
    wdb_seal(file, used);
    try(file, flags & CUT ? used - 1 : used, flags & NUCLEOTIDES ? SW_NUCLEOTIDE : SW_PROTEIN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
#ifdef _OPENMP
    omp_set_num_threads(1);
#endif
    if (size == 0) return 0;
    int is_file = size >= 4 && memcmp(data, "\x89WDB", 4) == 0;
    if (!is_file) try_parts(data, size);
    try(data, size, SW_PROTEIN); /* FASTA too */
    if (is_file && size >= WDB_PAGE) {
        uint8_t *sealed = malloc(size);
        REQUIRE(sealed);
        memcpy(sealed, data, size);
        wdb_seal(sealed, size);
        try(sealed, size, SW_PROTEIN);
        free(sealed);
    }
    return 0;
}
