/* Sequences that a caller gives, as the readers of files give them: checked and copied. */
#include "library/sequences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST ((size_t)1 << 30) // of a sequence in a file, too
enum { NAME_SHOWN = 80 };

static wl_status check_name(const char *what, size_t number, const char *name) {
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < 0x20 || *c == 0x7F)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found the control character 0x%02X in a name; expected text", what,
                           number, *c);
    if (*name == 0) return wl_fail(WL_BAD_INPUT, "%s:%zu: found an empty name; expected one", what, number);
    return WL_OK;
}

static wl_status check_letters(const char *what, size_t number, const warpladder_sequence *given) {
    if (given->letters == NULL || given->length == 0 || given->length > LONGEST)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu letters; expected 1 to 2^30", what, number,
                       given->letters ? given->length : 0);
    for (size_t k = 0; k < given->length; k++) {
        char shown[16];
        if (!wl_sequence_has((unsigned char)given->letters[k]))
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found %s at position %zu; expected a letter, '-', '.', '*' or '?'",
                           what, number, wl_bytes_show((unsigned char)given->letters[k], shown), k + 1);
    }
    return WL_OK;
}

/* In one block, as wl_sequences_free frees it: letters, name, comment. */
static wl_status copy(const char *what, size_t number, const warpladder_sequence *given, wl_sequence *made) {
    char numbered[24];
    const char *name = given->name;
    if (name == NULL) {
        snprintf(numbered, sizeof numbered, "%zu", number);
        name = numbered;
    }
    WL_TRY(check_name(what, number, name));
    WL_TRY(check_letters(what, number, given));
    const size_t name_bytes = strlen(name) + 1;
    char *block = malloc(given->length + 1 + name_bytes + 1);
    if (block == NULL) return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory", what, number);
    *made = (wl_sequence){.letters = block,
                          .name = block + given->length + 1,
                          .comment = block + given->length + 1 + name_bytes,
                          .length = given->length,
                          .line = number};
    memcpy(made->letters, given->letters, given->length);
    made->letters[given->length] = 0;
    memcpy(made->name, name, name_bytes);
    made->comment[0] = 0;
    return WL_OK;
}

wl_status library_sequences(const char *what, const warpladder_sequence *given, size_t count, wl_sequences *sequences) {
    *sequences = (wl_sequences){NULL, 0};
    if (given == NULL) return wl_fail(WL_BAD_USAGE, "%s: found NULL; expected an array", what);
    if (count == 0) return wl_fail(WL_BAD_INPUT, "%s: found none; expected at least one", what);
    sequences->items = calloc(count, sizeof *sequences->items);
    if (sequences->items == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu", what, count);
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        status = copy(what, i + 1, &given[i], &sequences->items[i]);
        sequences->count += status == WL_OK;
    }
    if (status != WL_OK) wl_sequences_free(sequences);
    return status;
}

/* --- Alignments -------------------------------------------------------------------------------------------------- */

static int by_name(const void *left, const void *right) {
    const wl_alignment_row *const *a = left, *const *b = right;
    const int order = strcmp((*a)->name, (*b)->name);
    return order ? order : ((*a)->line > (*b)->line) - ((*a)->line < (*b)->line);
}

static wl_status refuse_equal_names(const char *what, const wl_alignment *alignment) {
    const wl_alignment_row **sorted = malloc(alignment->count * sizeof *sorted);
    if (sorted == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory", what);
    for (size_t i = 0; i < alignment->count; i++) sorted[i] = &alignment->rows[i];
    qsort(sorted, alignment->count, sizeof *sorted, by_name);
    wl_status status = WL_OK;
    for (size_t i = 1; i < alignment->count && status == WL_OK; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            status = wl_fail(WL_BAD_INPUT,
                             "%s:%zu: found the name '%.*s' again, which row %zu has; expected names that differ", what,
                             sorted[i]->line, NAME_SHOWN, sorted[i]->name, sorted[i - 1]->line);
    free(sorted);
    return status;
}

wl_status library_alignment(const char *what, const warpladder_sequence *given, size_t count, wl_alignment *alignment) {
    wl_sequences sequences;
    *alignment = (wl_alignment){0};
    WL_TRY(library_sequences(what, given, count, &sequences));
    wl_status status = wl_sequences_require_equal_lengths(what, &sequences);
    if (status == WL_OK) {
        alignment->rows = malloc(count * sizeof *alignment->rows);
        if (alignment->rows == NULL) status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu", what, count);
    }
    if (status != WL_OK) {
        wl_sequences_free(&sequences);
        return status;
    }
    alignment->count = count;
    alignment->columns = sequences.items[0].length;
    for (size_t i = 0; i < count; i++)
        alignment->rows[i] = (wl_alignment_row){sequences.items[i].name, sequences.items[i].letters, i + 1};
    free(sequences.items); // whose letters are the alignment's now
    status = refuse_equal_names(what, alignment);
    if (status != WL_OK) wl_alignment_free(alignment);
    return status;
}
