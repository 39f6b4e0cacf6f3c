/* Sequences that have been read. */
#include <stdlib.h>

#include "harness/base/text.h"
#include "io/sequences.h"

#define NAME_SHOWN 40 /* bytes of a name in an error line */

wl_status wl_sequence_strip(const char *path, wl_sequence *sequence) {
    size_t kept = 0;
    for (size_t i = 0; i < sequence->length; i++)
        if (sequence->letters[i] != '-' && sequence->letters[i] != '.')
            sequence->letters[kept++] = sequence->letters[i];
    sequence->letters[kept] = 0;
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
