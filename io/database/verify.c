/* Is a mapped file a .wdb file, whole, and what the format promises? Nothing here trusts a number that has not been
   compared with the file's size: whoever wrote the file can have made the checksums right. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/database/format.h"

#define AGAIN "make it again with 'warpladder makedb'"

typedef struct {
    const char *path;
    const char *file; // [header->file_bytes]
    const sw_wdb_header *header;
    sw_database *database;
} verifier;

static const char *alphabet_name(uint32_t alphabet) { return alphabet == 0 ? "proteins" : "nucleotides"; }

/* --- The header -------------------------------------------------------------------------------------------------- */

/* A file of this version, with a header as it was written, and all of it. */
static wl_status verify_whole(const char *path, const sw_wdb_header *header, uint64_t file_bytes) {
    if (file_bytes < sizeof *header)
        return wl_fail(WL_BAD_INPUT,
                       "%s: the file ends in its header, after %" PRIu64 " bytes: it is truncated; expected "
                       "a whole .wdb file",
                       path, file_bytes);
    if (header->version > SW_WDB_VERSION)
        return wl_fail(WL_BAD_INPUT,
                       "%s: a .wdb file of version %" PRIu32 ", from a newer warpladder; expected version %d", path,
                       header->version, SW_WDB_VERSION);
    if (header->version < SW_WDB_VERSION)
        return wl_fail(WL_BAD_INPUT, "%s: a .wdb file of version %" PRIu32 "; expected version %d: " AGAIN, path,
                       header->version, SW_WDB_VERSION);
    uint32_t crc = sw_wdb_header_crc(header);
    if (crc != header->crc)
        return wl_fail(WL_BAD_INPUT,
                       "%s: the header is damaged: found checksum %08" PRIX32 ", expected %08" PRIX32 "; " AGAIN, path,
                       crc, header->crc);
    if (header->file_bytes != file_bytes)
        return wl_fail(WL_BAD_INPUT,
                       "%s: the file has %" PRIu64 " bytes: it is %s; expected %" PRIu64 "; copy it again or " AGAIN,
                       path, file_bytes, file_bytes < header->file_bytes ? "truncated" : "followed by something else",
                       header->file_bytes);
    return WL_OK;
}

/* What a title, names and comments may not have: it would steer a terminal or break a table. */
static int is_control(char byte) { return (unsigned char)byte < 0x20 || byte == 0x7F; }

static wl_status verify_title(const verifier *v) {
    const char *title = v->header->title;
    size_t length = strnlen(title, SW_TITLE);
    int wrong = length == SW_TITLE;
    for (size_t i = 0; i < length; i++) wrong |= is_control(title[i]);
    for (size_t i = length; i < SW_TITLE; i++) wrong |= title[i] != 0;
    if (wrong) return wl_fail(WL_BAD_INPUT, "%s: the title is not text ended by zeros; expected that; " AGAIN, v->path);
    return WL_OK;
}

/* The numbers that everything follows from, then everything that must follow. */
static wl_status verify_header(const verifier *v, sw_alphabet alphabet) {
    const sw_wdb_header *h = v->header;
    if (h->alphabet > 1)
        return wl_fail(WL_BAD_INPUT, "%s: found alphabet %" PRIu32 "; expected 0 (proteins) or 1 (nucleotides)",
                       v->path, h->alphabet);
    uint32_t wanted = alphabet == SW_PROTEIN ? 0 : 1;
    if (h->alphabet != wanted)
        return wl_fail(WL_BAD_INPUT, "%s: a database of %s; expected %s", v->path, alphabet_name(h->alphabet),
                       alphabet_name(wanted));
    uint64_t residues = h->section[SW_WDB_RESIDUES].bytes, text = h->section[SW_WDB_TEXT].bytes;
    if (h->count == 0 || h->count > h->file_bytes / sizeof(uint32_t) || residues > h->file_bytes ||
        text > h->file_bytes)
        return wl_fail(WL_BAD_INPUT, "%s: found %" PRIu64 " sequences in %" PRIu64 " bytes; expected what fits; " AGAIN,
                       v->path, h->count, h->file_bytes);
    sw_wdb_header expected;
    sw_database shape = {.alphabet = alphabet,
                         .set = {.count = h->count, .letters = h->letters, .longest = h->longest},
                         .text_bytes = text};
    sw_wdb_header_make(&shape, residues, &expected);
    WL_TRY(verify_title(v));
    memcpy(expected.title, h->title, SW_TITLE);
    for (int i = 0; i < SW_WDB_SECTIONS; i++) {
        const sw_wdb_section *e = &expected.section[i], *f = &h->section[i];
        if (f->offset != e->offset || f->bytes != e->bytes)
            return wl_fail(WL_BAD_INPUT,
                           "%s: found %" PRIu64 " bytes of %s at byte %" PRIu64 "; expected %" PRIu64
                           " at byte %" PRIu64 "; " AGAIN,
                           v->path, f->bytes, sw_wdb_section_name(i), f->offset, e->bytes, e->offset);
        expected.section[i].crc = f->crc;
    }
    expected.crc = h->crc;
    if (memcmp(&expected, h, sizeof expected) != 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s: the header's letters, sizes or zeros are not those of version %d; expected them to "
                       "be; " AGAIN,
                       v->path, SW_WDB_VERSION);
    return WL_OK;
}

/* --- The sections ------------------------------------------------------------------------------------------------ */

static wl_status verify_checksums(const verifier *v) {
    for (int i = 0; i < SW_WDB_SECTIONS; i++) {
        const sw_wdb_section *section = &v->header->section[i];
        uint32_t crc;
        WL_TRY(sw_wdb_crc(v->file + section->offset, sw_wdb_padded(section->bytes), &crc));
        if (crc != section->crc)
            return wl_fail(WL_BAD_INPUT,
                           "%s: the section '%s' is damaged: found checksum %08" PRIX32 ", expected %08" PRIX32
                           "; " AGAIN,
                           v->path, sw_wdb_section_name(i), crc, section->crc);
    }
    return WL_OK;
}

/* The zeros between sections: with them every file there can be has been written by sw_database_write. */
static wl_status verify_zeros(const verifier *v) {
    for (int i = 0; i < SW_WDB_SECTIONS; i++) {
        const sw_wdb_section *section = &v->header->section[i];
        for (uint64_t k = section->bytes; k < sw_wdb_padded(section->bytes); k++)
            if (v->file[section->offset + k] != 0)
                return wl_fail(WL_BAD_INPUT, "%s: found something after the %s; expected zeros; " AGAIN, v->path,
                               sw_wdb_section_name(i));
    }
    return WL_OK;
}

/* Content that right checksums go with: no accident, but a program that writes something else. */
static wl_status refuse(const verifier *v, uint64_t sequence, const char *what, const char *expected) {
    return wl_fail(WL_BAD_INPUT, "%s: sequence %" PRIu64 " of the file: %s; expected %s; " AGAIN, v->path, sequence,
                   what, expected);
}

/* All below are loops over sequences by all processors, after which `bad` is the first wrong sequence, or count. */

static wl_status verify_lengths(const verifier *v) {
    const sw_wdb_header *h = v->header;
    const sw_set *set = &v->database->set;
    uint64_t residue_bytes = h->section[SW_WDB_RESIDUES].bytes, count = set->count, bad = count, letters = 0;
#pragma omp parallel for reduction(min : bad) reduction(+ : letters)
    for (uint64_t s = 0; s < count; s++) {
        uint32_t length = set->length[s];
        letters += length;
        if (length == 0 || length > SW_LENGTH_MOST || (s > 0 && set->length[s - 1] < length)) bad = s < bad ? s : bad;
    }
    if (bad < count)
        return refuse(v, bad, "its length is 0, above 2^30, or above that of the one before", "lengths, descending");
    if (letters != h->letters || set->length[0] != h->longest)
        return wl_fail(WL_BAD_INPUT,
                       "%s: found %" PRIu64 " letters, %" PRIu32 " in the longest sequence; expected %" PRIu64
                       " and %" PRIu32 "; " AGAIN,
                       v->path, letters, set->length[0], h->letters, h->longest);
        /* Each start from the one before; going up, none of the sums has wrapped around. */
#pragma omp parallel for reduction(min : bad)
    for (uint64_t s = 0; s < count; s++) {
        uint64_t end = set->start[s] + sw_pitch(set->length[s]),
                 next = s + 1 < count ? set->start[s + 1] : residue_bytes;
        if (end != next || end <= set->start[s] || (s == 0 && set->start[s] != 0)) bad = s < bad ? s : bad;
    }
    if (bad < count)
        return refuse(v, bad, "it does not reach to where the next begins", "sequences one behind the other");
    return WL_OK;
}

static wl_status verify_order(const verifier *v) {
    const uint32_t *length = v->database->set.length;
    const uint64_t *order = v->database->order;
    uint64_t count = v->database->set.count, bad = count;
    uint64_t *seen = calloc(count / 64 + 1, sizeof *seen);
    if (seen == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory to verify it", v->path);
#pragma omp parallel for reduction(min : bad)
    for (uint64_t s = 0; s < count; s++) {
        int wrong = order[s] >= count || (s > 0 && length[s - 1] == length[s] && order[s - 1] >= order[s]);
        if (!wrong) {
            uint64_t bit = (uint64_t)1 << order[s] % 64;
            wrong = (__atomic_fetch_or(&seen[order[s] / 64], bit, __ATOMIC_RELAXED) & bit) != 0;
        }
        if (wrong) bad = s < bad ? s : bad;
    }
    free(seen);
    if (bad < count)
        return refuse(v, bad,
                      "its place in the input is another's, beyond the last, or not behind that of an equally long one",
                      "each place once");
    return WL_OK;
}

static wl_status verify_residues(const verifier *v) {
    const sw_set *set = &v->database->set;
    const uint8_t *residues = set->residues;
    int codes = (int)strlen(v->header->alphabet_letters);
    uint64_t count = set->count, bad = count;
#pragma omp parallel for schedule(dynamic, 256) reduction(min : bad)
    for (uint64_t s = 0; s < count; s++) {
        uint64_t start = set->start[s], length = set->length[s], pitch = sw_pitch(length);
        uint8_t highest = 0;
        for (uint64_t k = 0; k < length; k++) highest = residues[start + k] > highest ? residues[start + k] : highest;
        int wrong = highest >= codes;
        for (uint64_t k = length; k < pitch; k++) wrong |= residues[start + k] != SW_END;
        if (wrong) bad = s < bad ? s : bad;
    }
    if (bad < count)
        return refuse(v, bad, "it has a code that is no letter's, or does not end with end codes",
                      "letters, then ends");
    return WL_OK;
}

/* Two strings and nothing else. */
static int is_header_line(const char *text, uint64_t bytes) {
    const char *end = text + bytes, *name_end = memchr(text, 0, bytes);
    if (name_end == NULL || name_end == text || memchr(name_end + 1, 0, (size_t)(end - name_end - 1)) != end - 1)
        return 0;
    int wrong = 0;
    for (const char *c = text; c < name_end; c++) wrong |= is_control(*c) || *c == ' ';
    for (const char *c = name_end + 1; c < end - 1; c++) wrong |= is_control(*c) && *c != '\t' && *c != 1;
    return !wrong;
}

static wl_status verify_text(const verifier *v) {
    const uint64_t *at = v->database->name_at;
    uint64_t text_bytes = v->database->text_bytes, count = v->database->set.count, bad = count;
#pragma omp parallel for schedule(dynamic, 256) reduction(min : bad)
    for (uint64_t s = 0; s < count; s++) {
        uint64_t end = s + 1 < count ? at[s + 1] : text_bytes;
        int placed = at[s] < end && end <= text_bytes && (s > 0 || at[s] == 0);
        if (!placed || !is_header_line(v->database->text + at[s], end - at[s])) bad = s < bad ? s : bad;
    }
    if (bad < count)
        return refuse(v, bad, "its name and comment are not two strings of text one behind the other", "that");
    return WL_OK;
}

wl_status sw_wdb_verify(const char *path, const void *file, uint64_t file_bytes, sw_alphabet alphabet,
                        sw_database *database) {
    verifier v = {.path = path, .file = file, .header = file, .database = database};
    wl_status status = verify_whole(path, v.header, file_bytes);
    if (status == WL_OK) status = verify_header(&v, alphabet);
    if (status != WL_OK) return status;
    const sw_wdb_header *h = v.header;
    *database = (sw_database){.alphabet = alphabet, .text_bytes = h->section[SW_WDB_TEXT].bytes};
    database->set = (sw_set){.count = h->count, .letters = h->letters, .longest = h->longest};
    database->set.length = (const uint32_t *)(v.file + h->section[SW_WDB_LENGTHS].offset);
    database->set.start = (const uint64_t *)(v.file + h->section[SW_WDB_STARTS].offset);
    database->order = (const uint64_t *)(v.file + h->section[SW_WDB_ORDER].offset);
    database->set.residues = (const uint8_t *)(v.file + h->section[SW_WDB_RESIDUES].offset);
    database->name_at = (const uint64_t *)(v.file + h->section[SW_WDB_NAMES].offset);
    database->text = v.file + h->section[SW_WDB_TEXT].offset;
    memcpy(database->title, h->title, SW_TITLE);
    status = verify_checksums(&v);
    if (status == WL_OK) status = verify_zeros(&v);
    if (status == WL_OK) status = verify_lengths(&v);
    if (status == WL_OK) status = verify_order(&v);
    if (status == WL_OK) status = verify_residues(&v);
    return status == WL_OK ? verify_text(&v) : status;
}
