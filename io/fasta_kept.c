/* Sequences that have been read. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/fasta.h"

#define NAME_SHOWN 40 // bytes of a name in an error line

int wl_sequence_copy(const wl_sequence *from, size_t *since, wl_sequence *to) {
    const size_t letters = from->length + 1, name = strlen(from->name) + 1, comment = strlen(from->comment) + 1;
    const size_t quality = from->quality ? letters : 0;
    char *block = wl_memory_get(since, letters + name + comment + quality);
    if (block == NULL) return 0;
    *to = *from;
    to->letters = memcpy(block, from->letters, letters);
    to->name = memcpy(block + letters, from->name, name);
    to->comment = memcpy(block + letters + name, from->comment, comment);
    if (quality > 0) to->quality = memcpy(block + letters + name + comment, from->quality, quality);
    return 1;
}

wl_status wl_sequence_strip(const char *path, wl_sequence *sequence) {
    size_t kept = 0;
    for (size_t i = 0; i < sequence->length; i++)
        if (sequence->letters[i] != '-' && sequence->letters[i] != '.') {
            if (sequence->quality) sequence->quality[kept] = sequence->quality[i];
            sequence->letters[kept++] = sequence->letters[i];
        }
    sequence->letters[kept] = 0;
    if (sequence->quality) sequence->quality[kept] = 0;
    sequence->length = kept;
    if (kept > 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s:%zu: sequence '%.40s' has no letters but '-' and '.'; expected at least one", path,
                   sequence->line, sequence->name);
}

void wl_sequences_free(wl_sequences *sequences) {
    for (size_t i = 0; i < sequences->count; i++) free(sequences->items[i].letters);
    free(sequences->items);
    *sequences = (wl_sequences){NULL, 0};
}

wl_status wl_sequences_require_equal_lengths(const char *path, const wl_sequences *sequences) {
    const wl_sequence *first = sequences->items;
    for (size_t i = 1; i < sequences->count; i++) {
        const wl_sequence *sequence = &sequences->items[i];
        if (sequence->length != first->length)
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: sequence '%.*s' has %zu letters; expected %zu, as '%.*s' in line %zu has",
                           wl_path_shown(path), sequence->line, NAME_SHOWN, sequence->name, sequence->length,
                           first->length, NAME_SHOWN, first->name, first->line);
    }
    return WL_OK;
}
