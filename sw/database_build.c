/* A database from FASTA: read in the file's order, then put together in the set's. */
#include <stdlib.h>
#include <string.h>

#include "io/memory.h"
#include "io/sequences.h"
#include "sw/database_format.h"

/* Bytes that grow. */
typedef struct {
    void *bytes;
    uint64_t used, capacity;
} pile;

/* What has been read so far, sequences in the file's order. */
typedef struct {
    const char *path;
    sw_alphabet alphabet;
    int8_t code[256];
    const sw_watch *watch;
    pile entries;  // of entry
    pile residues; // codes without ends
    pile text;     // of each sequence its name and comment, strings
    size_t room;
} gatherer;

typedef struct {
    uint64_t index, residues_at, text_at;
    uint32_t length, text_bytes;
} entry;

/* `more` bytes at the pile's end; NULL when memory is short. A large block grows by moving pages, without a copy. */
static void *pile_on(gatherer *g, pile *p, uint64_t more) {
    if (p->capacity - p->used < more) {
        uint64_t add = p->capacity / 4 > more ? p->capacity / 4 : more + 4096;
        void *grown = wl_memory_room(&g->room, add) ? realloc(p->bytes, p->capacity + add) : NULL;
        if (grown == NULL) return NULL;
        p->bytes = grown;
        p->capacity += add;
    }
    p->used += more;
    return (char *)p->bytes + p->used - more;
}

static wl_status no_memory(const gatherer *g) {
    return wl_fail(WL_NO_MACHINE,
                   "%s: not enough memory for a database of more than %llu sequences, %.1f GB of residues; expected "
                   "twice as much to be free",
                   g->path, (unsigned long long)(g->entries.used / sizeof(entry)), (double)g->residues.used / 1e9);
}

static wl_status gather(void *context, const wl_sequence *sequence) {
    enum { REPORT = 4096 };
    gatherer *g = context;
    size_t name = strlen(sequence->name) + 1, comment = strlen(sequence->comment) + 1;
    entry e = {.index = g->entries.used / sizeof(entry),
               .residues_at = g->residues.used,
               .text_at = g->text.used,
               .length = (uint32_t)sequence->length, // io/sequences reads none above 2^30, and no header above 2^24
               .text_bytes = (uint32_t)(name + comment)};
    entry *entries = pile_on(g, &g->entries, sizeof e);
    uint8_t *residues = entries ? pile_on(g, &g->residues, e.length) : NULL;
    char *text = residues ? pile_on(g, &g->text, e.text_bytes) : NULL;
    if (text == NULL) return no_memory(g);
    memcpy(entries, &e, sizeof e);
    memcpy(text, sequence->name, name);
    memcpy(text + name, sequence->comment, comment);
    if (g->watch && e.index % REPORT == 0) g->watch->report(g->watch->context, "reading", g->residues.used, 0);
    return sw_encode(g->path, sequence, g->alphabet, g->code, residues);
}

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

/* One block, laid out as a file would be, so that everything is aligned in it. */
static wl_status assemble(const gatherer *g, sw_database *database) {
    const entry *entries = g->entries.bytes;
    uint64_t count = g->entries.used / sizeof *entries, bytes = 0;
    for (uint64_t s = 0; s < count; s++) bytes += sw_pitch(entries[s].length);
    sw_database made = {.alphabet = g->alphabet, .text_bytes = g->text.used};
    made.set = (sw_set){.count = count, .letters = g->residues.used, .longest = entries[0].length};
    sw_wdb_header layout;
    sw_wdb_header_make(&made, bytes, &layout);
    char *memory = layout.file_bytes < wl_memory_available() ? aligned_alloc(SW_WDB_PAGE, layout.file_bytes) : NULL;
    if (memory == NULL) return no_memory(g);
    uint32_t *length = (uint32_t *)(memory + layout.section[SW_WDB_LENGTHS].offset);
    uint64_t *start = (uint64_t *)(memory + layout.section[SW_WDB_STARTS].offset);
    uint64_t *order = (uint64_t *)(memory + layout.section[SW_WDB_ORDER].offset);
    uint8_t *residues = (uint8_t *)(memory + layout.section[SW_WDB_RESIDUES].offset);
    uint64_t *name_at = (uint64_t *)(memory + layout.section[SW_WDB_NAMES].offset);
    char *text = memory + layout.section[SW_WDB_TEXT].offset;
    uint64_t residues_at = 0, text_at = 0;
    for (uint64_t s = 0; s < count; s++) {
        const entry *e = &entries[s];
        uint64_t pitch = sw_pitch(e->length);
        length[s] = e->length;
        start[s] = residues_at;
        order[s] = e->index;
        name_at[s] = text_at;
        memcpy(residues + residues_at, (const uint8_t *)g->residues.bytes + e->residues_at, e->length);
        memset(residues + residues_at + e->length, SW_END, pitch - e->length);
        memcpy(text + text_at, (const char *)g->text.bytes + e->text_at, e->text_bytes);
        residues_at += pitch;
        text_at += e->text_bytes;
    }
    made.set.length = length;
    made.set.start = start;
    made.set.residues = residues;
    made.order = order;
    made.name_at = name_at;
    made.text = text;
    made.memory = memory;
    *database = made;
    return WL_OK;
}

/* The last part of `path`, which file systems hold to 255 bytes, without what would steer a terminal. */
static void make_title(const char *path, char title[SW_TITLE]) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    memset(title, 0, SW_TITLE);
    for (size_t i = 0; i < SW_TITLE - 1 && name[i]; i++)
        title[i] = (unsigned char)name[i] < 0x20 || name[i] == 0x7F ? '?' : name[i];
}

wl_status sw_database_build(const char *path, sw_alphabet alphabet, const sw_watch *watch, sw_database *database) {
    wl_bytes *bytes;
    wl_status status = wl_bytes_open(path, "FASTA or FASTQ", &bytes);
    if (status != WL_OK) return status;
    gatherer g = {.path = wl_bytes_name(bytes), .alphabet = alphabet, .watch = watch};
    for (int letter = 0; letter < 256; letter++) g.code[letter] = (int8_t)sw_code(alphabet, letter);
    int first;
    status = wl_bytes_first(bytes, &first);
    if (status == WL_OK && first == (unsigned char)SW_WDB_MAGIC[0])
        status = wl_fail(WL_BAD_INPUT,
                         "%s: found what begins as a .wdb file, packed or in a pipe; expected FASTA or FASTQ, "
                         "or a .wdb file that can be mapped",
                         g.path);
    if (status == WL_OK) status = wl_sequences_each(bytes, gather, &g);
    wl_bytes_close(bytes);
    if (status == WL_OK) {
        if (watch) watch->report(watch->context, "sorting", g.residues.used, 0);
        qsort(g.entries.bytes, g.entries.used / sizeof(entry), sizeof(entry), compare_entries);
        status = assemble(&g, database);
    }
    if (status == WL_OK) make_title(g.path, database->title);
    free(g.entries.bytes);
    free(g.residues.bytes);
    free(g.text.bytes);
    return status;
}
