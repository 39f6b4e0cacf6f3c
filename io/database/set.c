#include "io/database/set.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

uint64_t sw_set_bytes(const sw_set *set) {
    return set->count == 0 ? 0 : set->start[set->count - 1] - set->start[0] + sw_pitch(set->length[set->count - 1]);
}

sw_set sw_set_part(const sw_set *set, size_t first, size_t count) {
    sw_set part = {
        .count = count, .length = set->length + first, .start = set->start + first, .residues = set->residues};
    for (size_t s = 0; s < count; s++) {
        part.letters += part.length[s];
        if (part.length[s] > part.longest) part.longest = part.length[s];
    }
    return part;
}

double sw_set_bases(const sw_set *set) {
    enum { LOOKED_AT = 1 << 20, LEAST = 30 };
    int is_base[256] = {0};
    size_t bases = 0, letters = 0;
    for (const char *c = "ACGTUN"; *c; c++) is_base[sw_code(SW_PROTEIN, *c)] = 1;
    for (size_t s = set->count; s-- > 0 && letters < LOOKED_AT;)
        for (uint32_t i = 0; i < set->length[s]; i++, letters++)
            bases += (size_t)is_base[set->residues[set->start[s] + i]];
    return letters < LEAST ? 0 : (double)bases / (double)letters;
}

/* One block holds everything, largest alignment first: residues, start, order, names, comments, qualities, lengths, texts. */
static wl_status allocate(size_t count, const uint32_t *lengths, size_t text_bytes, sw_owned_set *owned, char **text) {
    enum { CACHE_LINE = 64 };
    uint64_t residues = 0;
    for (size_t s = 0; s < count; s++) residues += sw_pitch(lengths[s]);
    uint64_t room = (residues + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    size_t each = sizeof(uint64_t) + sizeof(size_t) + 3 * sizeof(char *) + sizeof(uint32_t);
    uint64_t bytes = (room + count * each + text_bytes + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    unsigned char *memory = bytes < wl_memory_available() ? aligned_alloc(CACHE_LINE, bytes) : NULL;
    if (!memory)
        return wl_fail(WL_NO_MACHINE, "%zu sequences need %.1f GB of memory; %.1f GB are free", count,
                       (double)bytes / 1e9, (double)wl_memory_available() / 1e9);

    uint64_t *start = (uint64_t *)(memory + room);
    size_t *order = (size_t *)(start + count);
    char **name = (char **)(order + count), **comment = name + count, **quality = comment + count;
    uint32_t *length = (uint32_t *)(quality + count);
    *owned = (sw_owned_set){.set = {.count = count, .length = length, .start = start, .residues = memory},
                            .memory = memory,
                            .order = order,
                            .name = name,
                            .comment = comment,
                            .quality = quality};
    *text = (char *)(length + count);
    static char nothing[1];
    uint64_t at = 0;
    for (size_t s = 0; s < count; s++) {
        start[s] = at;
        length[s] = lengths[s];
        order[s] = s;
        name[s] = comment[s] = nothing;
        quality[s] = NULL;
        owned->set.letters += lengths[s];
        if (lengths[s] > owned->set.longest) owned->set.longest = lengths[s];
        at += sw_pitch(lengths[s]);
        memset(memory + start[s] + lengths[s], SW_END, at - start[s] - lengths[s]);
    }
    return WL_OK;
}

wl_status sw_set_allocate(size_t count, const uint32_t *lengths, sw_owned_set *owned) {
    char *text;
    return allocate(count, lengths, 0, owned, &text);
}

void sw_owned_set_free(sw_owned_set *owned) {
    free(owned->memory);
    *owned = (sw_owned_set){0};
}

/* --- Encoding ---------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t index;
    uint32_t length;
} entry;

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

const char *sw_letters_expected(sw_alphabet alphabet) {
    return alphabet == SW_PROTEIN ? "amino acids, one of " SW_PROTEIN_LETTERS
                                  : "nucleotides, one of " SW_NUCLEOTIDE_LETTERS "U";
}

wl_status sw_encode(const char *path, const wl_sequence *sequence, sw_alphabet alphabet, const int8_t code[256],
                    uint8_t *residues) {
    for (size_t k = 0; k < sequence->length; k++) {
        int letter = (unsigned char)sequence->letters[k];
        if (code[letter] < 0) {
            char shown[16];
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found %s at position %zu of sequence '%.40s'; expected %s%s", path,
                           sequence->line, wl_bytes_show(letter, shown), k + 1, sequence->name,
                           sw_letters_expected(alphabet),
                           letter == '-' || letter == '.' ? " (--strip-gaps leaves out '-' and '.')"
                           : alphabet == SW_NUCLEOTIDE && toupper(letter) == 'X' ? " (N is any of them)"
                                                                                 : "");
        }
        if (residues) residues[k] = (uint8_t)code[letter];
    }
    return WL_OK;
}

wl_status sw_examine(const char *path, wl_sequence *sequence, sw_alphabet alphabet, const int8_t code[256],
                     int strips_gaps, wl_left_out *left_out, int *kept) {
    wl_record_fault fault = WL_RECORD_ODD;
    wl_status status = WL_OK;
    if (strips_gaps || (left_out && left_out->faults)) {
        int8_t allowed[256];
        memcpy(allowed, code, sizeof allowed);
        if (strips_gaps) allowed['-'] = allowed['.'] = 0;
        status = sw_encode(path, sequence, alphabet, allowed, NULL); // while positions are the file's
    }
    if (status == WL_OK && strips_gaps) {
        fault = WL_RECORD_EMPTY;
        status = wl_sequence_strip(path, sequence);
    }
    *kept = status == WL_OK;
    return *kept || wl_leave_out(left_out, fault, sequence->line) ? WL_OK : status;
}

static char *copied(char **text, const char *string) {
    size_t bytes = strlen(string) + 1;
    char *copy = memcpy(*text, string, bytes);
    *text += bytes;
    return copy;
}

wl_status sw_set_encode(const char *path, const wl_sequences *sequences, sw_alphabet alphabet, int longest_first,
                        sw_owned_set *owned) {
    size_t count = sequences->count, text_bytes = 0;
    entry *entries = malloc((count + 1) * sizeof *entries);
    uint32_t *lengths = malloc((count + 1) * sizeof *lengths);
    wl_status status = WL_OK;
    if (!entries || !lengths) status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu sequences", path, count);
    for (size_t s = 0; status == WL_OK && s < count; s++) {
        const wl_sequence *sequence = &sequences->items[s];
        entries[s] = (entry){s, (uint32_t)sequence->length}; // io/fasta reads none above 2^30
        text_bytes += strlen(sequence->name) + strlen(sequence->comment) + 2;
        if (sequence->quality) text_bytes += sequence->length + 1;
    }
    char *text = NULL;
    if (status == WL_OK) {
        if (longest_first) qsort(entries, count, sizeof *entries, compare_entries);
        for (size_t s = 0; s < count; s++) lengths[s] = entries[s].length;
        status = allocate(count, lengths, text_bytes, owned, &text);
    }
    int8_t code[256];
    for (int letter = 0; letter < 256; letter++) code[letter] = (int8_t)sw_code(alphabet, letter);
    size_t done = 0;
    for (; status == WL_OK && done < count; done++) {
        const wl_sequence *sequence = &sequences->items[entries[done].index];
        owned->order[done] = entries[done].index;
        owned->name[done] = copied(&text, sequence->name);
        owned->comment[done] = copied(&text, sequence->comment);
        if (sequence->quality) owned->quality[done] = copied(&text, sequence->quality);
        status = sw_encode(path, sequence, alphabet, code, (uint8_t *)owned->set.residues + owned->set.start[done]);
        if (status != WL_OK) sw_owned_set_free(owned);
    }
    WL_FREE(entries, lengths);
    return status;
}
