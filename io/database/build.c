/* A database from FASTA: read in the file's order, then put together in the set's.

   What has been read is kept in piles by length. They are emptied from the longest to the shortest and given back, so
   that where lengths vary there is never much more than one copy of everything. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/fasta.h"
#include "io/database/format.h"

/* Bytes that grow. */
typedef struct {
    void *bytes;
    uint64_t used, capacity;
} pile;

enum { EIGHTHS = 8, PILES = 31 * EIGHTHS /* eight for each power of two up to 2^30 */ };

typedef struct {
    const char *path;
    sw_alphabet alphabet;
    int8_t code[256];
    int strips_gaps;
    const sw_watch *watch;
    wl_left_out *left_out;
    uint64_t letters, text_bytes; // so far
    pile entries;                 // of entry
    pile of_length[PILES];        // of each sequence its name and comment, strings, and its codes without ends
    size_t room;
} gatherer;

typedef struct {
    uint64_t index, at; // at: in its pile
    uint32_t length, text_bytes;
} entry;

/* Longer sequences have the same pile or a later one. */
static int pile_of(uint32_t length) {
    int power = 31 - __builtin_clz(length);
    uint32_t eighth = (uint32_t)(((uint64_t)length * EIGHTHS) >> power) - EIGHTHS;
    return power * EIGHTHS + (int)eighth;
}

/* `more` bytes at the pile's end; NULL when memory is short. Large blocks, which a pile is from the beginning, grow by
   moving pages, without a copy, and go back to the system when freed. */
static void *pile_on(gatherer *g, pile *p, uint64_t more) {
    enum { LARGE = 1 << 18 };
    if (p->capacity - p->used < more) {
        uint64_t add = p->capacity / 4 + more + LARGE;
        void *grown = wl_memory_room(&g->room, add) ? realloc(p->bytes, p->capacity + add) : NULL;
        if (grown == NULL) return NULL;
        p->bytes = grown;
        p->capacity += add;
    }
    p->used += more;
    return (char *)p->bytes + p->used - more;
}

static void pile_free(pile *p) {
    free(p->bytes);
    *p = (pile){0};
}

static wl_status no_memory(const gatherer *g) {
    return wl_fail(WL_NO_MACHINE,
                   "%s: not enough memory for a database of %llu sequences or more; expected over %.1f GB to be free",
                   g->path, (unsigned long long)(g->entries.used / sizeof(entry)),
                   (double)(g->letters + g->text_bytes) / 1e9);
}

static wl_status gather(void *context, const wl_sequence *given) {
    gatherer *g = context;
    wl_sequence own = *given, *sequence = &own;
    int kept;
    WL_TRY(sw_examine(g->path, sequence, g->alphabet, g->code, g->strips_gaps, g->left_out, &kept));
    if (!kept) return WL_OK;
    size_t name = strlen(sequence->name) + 1, comment = strlen(sequence->comment) + 1;
    /* io/fasta reads no sequence above 2^30 and no header above 2^24. */
    entry e = {.index = g->entries.used / sizeof(entry),
               .length = (uint32_t)sequence->length,
               .text_bytes = (uint32_t)(name + comment)};
    pile *p = &g->of_length[pile_of(e.length)];
    e.at = p->used;
    g->letters += e.length;
    g->text_bytes += e.text_bytes;
    entry *entries = pile_on(g, &g->entries, sizeof e);
    char *text = entries ? pile_on(g, p, (uint64_t)e.text_bytes + e.length) : NULL;
    if (text == NULL) return no_memory(g);
    memcpy(entries, &e, sizeof e);
    memcpy(text, sequence->name, name);
    memcpy(text + name, sequence->comment, comment);
    if (g->watch) g->watch->report(g->watch->context, "reading", g->letters, 0);
    return sw_encode(g->path, sequence, g->alphabet, g->code, (uint8_t *)text + e.text_bytes);
}

/* Longest first, equal lengths in the file's order, in which they come: a radix sort keeps it. WL_NO_MACHINE: no memory. */
static wl_status sort_entries(gatherer *g) {
    enum { BITS = 10, DIGITS = 1 << BITS, PASSES = 3 /* lengths are below 2^30 or equal to it */ };
    const size_t count = g->entries.used / sizeof(entry);
    entry *from = g->entries.bytes, *to = wl_memory_get(&g->room, g->entries.used);
    if (to == NULL) return no_memory(g);
    for (int pass = 0; pass < PASSES; pass++) {
        size_t at[DIGITS] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) at[DIGITS - 1 - ((from[i].length - 1) >> (BITS * pass)) % DIGITS]++;
        for (size_t d = 0; d < DIGITS; d++) {
            const size_t here = at[d];
            at[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[at[DIGITS - 1 - ((from[i].length - 1) >> (BITS * pass)) % DIGITS]++] = from[i];
        entry *sorted = to;
        to = from;
        from = sorted;
    }
    g->entries = (pile){.bytes = from, .used = g->entries.used, .capacity = g->entries.used};
    free(to);
    return WL_OK;
}

/* One block laid out as a file is, so that everything is aligned in it. It takes memory as it is written to. */
static char *allocate(const gatherer *g, const sw_wdb_header *layout) {
    uint64_t gathered = 0, largest = 0;
    for (int i = 0; i < PILES; i++) {
        gathered += g->of_length[i].used;
        if (g->of_length[i].used > largest) largest = g->of_length[i].used;
    }
    uint64_t more = layout->file_bytes - gathered + largest;
    return more < wl_memory_available() ? aligned_alloc(SW_WDB_PAGE, layout->file_bytes) : NULL;
}

/* Empties the piles. */
static wl_status assemble(gatherer *g, sw_database *database) {
    const entry *entries = g->entries.bytes;
    uint64_t count = g->entries.used / sizeof *entries, residue_bytes = 0;
    for (uint64_t s = 0; s < count; s++) residue_bytes += sw_pitch(entries[s].length);
    sw_database made = {.alphabet = g->alphabet, .text_bytes = g->text_bytes};
    made.set = (sw_set){.count = count, .letters = g->letters, .longest = entries[0].length};
    sw_wdb_header layout;
    sw_wdb_header_make(&made, residue_bytes, &layout);
    char *memory = allocate(g, &layout);
    if (memory == NULL) return no_memory(g);
    uint32_t *length = (uint32_t *)(memory + layout.section[SW_WDB_LENGTHS].offset);
    uint64_t *start = (uint64_t *)(memory + layout.section[SW_WDB_STARTS].offset);
    uint64_t *order = (uint64_t *)(memory + layout.section[SW_WDB_ORDER].offset);
    uint8_t *residues = (uint8_t *)(memory + layout.section[SW_WDB_RESIDUES].offset);
    uint64_t *name_at = (uint64_t *)(memory + layout.section[SW_WDB_NAMES].offset);
    char *text = memory + layout.section[SW_WDB_TEXT].offset;
    uint64_t residues_at = 0, text_at = 0;
    for (uint64_t s = 0; s < count; s++) {
        length[s] = entries[s].length;
        start[s] = residues_at;
        order[s] = entries[s].index;
        name_at[s] = text_at;
        residues_at += sw_pitch(entries[s].length);
        text_at += entries[s].text_bytes;
    }
    for (uint64_t first = 0, end; first < count; first = end) { // a pile, by all threads: most of the time is new pages
        pile *p = &g->of_length[pile_of(entries[first].length)];
        for (end = first; end < count && &g->of_length[pile_of(entries[end].length)] == p;) end++;
#pragma omp parallel for
        for (uint64_t s = first; s < end; s++) {
            const entry *e = &entries[s];
            const char *from = (const char *)p->bytes + e->at;
            memcpy(text + name_at[s], from, e->text_bytes);
            memcpy(residues + start[s], from + e->text_bytes, e->length);
            memset(residues + start[s] + e->length, SW_END, sw_pitch(e->length) - e->length);
        }
        pile_free(p);
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
    memcpy(title, name, strnlen(name, SW_TITLE - 1));
    wl_text_calm(title, strlen(title), "", '?');
}

wl_status sw_database_refuse(wl_bytes *bytes) {
    int first;
    wl_status status = wl_bytes_first(bytes, &first);
    if (status != WL_OK || first != (unsigned char)SW_WDB_MAGIC[0]) return status;
    return wl_fail(
        WL_BAD_INPUT,
        "%s: found what begins as a .wdb file; expected FASTA or FASTQ (a search's --db takes a .wdb file that "
        "is neither packed nor in a pipe)",
        wl_bytes_name(bytes));
}

static gatherer begin(const char *path, const sw_reading *reading) {
    gatherer g = {.path = path,
                  .alphabet = reading->alphabet,
                  .strips_gaps = reading->strips_gaps,
                  .watch = reading->watch,
                  .left_out = reading->left_out};
    for (int letter = 0; letter < 256; letter++) g.code[letter] = (int8_t)sw_code(g.alphabet, letter);
    return g;
}

/* When all are gathered, or gathering has failed with `status`. */
static wl_status end(gatherer *g, wl_status status, sw_database *database) {
    if (status == WL_OK) {
        if (g->watch) g->watch->report(g->watch->context, "sorting", 0, 0);
        status = sort_entries(g);
        if (status == WL_OK) status = assemble(g, database);
    }
    if (status == WL_OK) make_title(g->path, database->title);
    pile_free(&g->entries);
    for (int i = 0; i < PILES; i++) pile_free(&g->of_length[i]);
    return status;
}

wl_status sw_database_build_as(const char *path, const sw_reading *reading, sw_database *database) {
    wl_bytes *bytes;
    WL_TRY(wl_bytes_open(path, "FASTA or FASTQ", &bytes));
    gatherer g = begin(wl_bytes_name(bytes), reading);
    wl_bytes_leave_out(bytes, reading->left_out);
    wl_bytes_expect_letters(bytes, sw_letters_expected(reading->alphabet));
    wl_status status = sw_database_refuse(bytes);
    if (status == WL_OK) status = wl_sequences_each(bytes, gather, &g);
    if (status == WL_OK && g.entries.used == 0) status = wl_refuse_all_left_out(g.path, reading->left_out);
    wl_bytes_close(bytes);
    return end(&g, status, database);
}

wl_status sw_database_make(const char *title, const wl_sequences *sequences, sw_alphabet alphabet,
                           sw_database *database) {
    gatherer g = begin(title, &(sw_reading){.alphabet = alphabet});
    wl_status status = WL_OK;
    for (size_t i = 0; i < sequences->count && status == WL_OK; i++) status = gather(&g, &sequences->items[i]);
    return end(&g, status, database);
}

/* All sequences of a database, in its input's order. */
static wl_status gather_all(gatherer *g, const sw_database *from) {
    const size_t count = from->set.count;
    size_t *at; // [count]: where the input's have come to
    char *letters;
    if (!WL_ALLOCATE(WL_ARRAY(at, count), WL_ARRAY(letters, (size_t)from->set.longest + 1))) return no_memory(g);
    for (size_t s = 0; s < count; s++) at[from->order[s]] = s;
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        const uint8_t *residues = from->set.residues + from->set.start[at[i]];
        const char *name = sw_database_name(from, at[i]);
        const uint32_t length = from->set.length[at[i]];
        for (uint32_t k = 0; k < length; k++) letters[k] = sw_letter(g->alphabet, residues[k]);
        letters[length] = 0;
        status = gather(g, &(wl_sequence){.name = (char *)name,
                                          .comment = (char *)sw_database_comment(from, at[i]),
                                          .letters = letters,
                                          .length = length});
    }
    WL_FREE(at, letters);
    return status;
}

wl_status sw_database_join(const char *title, const sw_database *parts, size_t count, sw_database *database) {
    gatherer g = begin(title, &(sw_reading){.alphabet = parts->alphabet});
    wl_status status = WL_OK;
    for (size_t p = 0; p < count && status == WL_OK; p++) status = gather_all(&g, &parts[p]);
    return end(&g, status, database);
}
