#include "tools/align_reads/bad_reads.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/names.h"

static wl_status no_memory(const char *path) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory", wl_path_shown(path));
}

static const char *plural(size_t count, const char *one, const char *many) { return count == 1 ? one : many; }

/* --- Lengths ----------------------------------------------------------------------------------------------------- */

static size_t most_letters(const papara_data *data) {
    const size_t sites = data->reference.columns;
    return sites < PAPARA_READ_MOST ? sites : PAPARA_READ_MOST;
}

static void mark_lengths(const papara_data *data, uint8_t *reason) {
    for (size_t r = 0; r < data->sequences.count; r++) {
        if (data->sequences.items[r].length == 0) reason[r] = PAPARA_LEFT_EMPTY;
        if (data->sequences.items[r].length > most_letters(data)) reason[r] = PAPARA_LEFT_LONG;
    }
}

/* --- Nothing but N ----------------------------------------------------------------------------------------------- */

static void mark_unknown(const papara_files *files, const papara_data *data, uint8_t *reason) {
    const int unknown = papara_unknown(files->alphabet);
    for (size_t r = 0; r < data->sequences.count; r++) {
        const uint8_t *code = data->codes + data->start[r];
        uint32_t same = 0;
        while (same < data->length[r] && code[same] == unknown) same++;
        if (same > 0 && same == data->length[r]) reason[r] = PAPARA_LEFT_UNKNOWN;
    }
}

/* --- Names ------------------------------------------------------------------------------------------------------- */

/* Marks every sequence whose name an earlier one has. The reader has already checked that rows differ. other [reads]: the row that has the
   name, or rows + the number of the read that has it. Reads that have a reason already are not looked at. */
static wl_status mark_names(const papara_files *files, const papara_data *data, uint8_t *reason, size_t *other) {
    const size_t rows = data->reference.count; // which come first
    size_t count = rows, first = 0;
    wl_name *all = malloc((rows + data->sequences.count) * sizeof *all);
    if (all == NULL) return no_memory(files->reads);
    for (size_t i = 0; i < rows; i++) all[i] = (wl_name){data->name[i], i};
    for (size_t r = 0; r < data->sequences.count; r++)
        if (reason[r] == PAPARA_LEFT_NOT) all[count++] = (wl_name){data->sequences.items[r].name, rows + r};
    wl_names_sort(all, count);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(all[i].text, all[first].text) != 0) {
            first = i;
            continue;
        }
        reason[all[i].index - rows] = all[first].index < rows ? PAPARA_LEFT_ROW_NAME : PAPARA_LEFT_READ_NAME;
        other[all[i].index - rows] = all[first].index;
    }
    free(all);
    return WL_OK;
}

/* --- Refused ----------------------------------------------------------------------------------------------------- */

/* The first read with this reason; NULL: none. */
static const wl_sequence *first_with(const papara_data *data, const uint8_t *reason, papara_left_reason which,
                                     size_t *count) {
    const wl_sequence *first = NULL;
    *count = 0;
    for (size_t r = data->sequences.count; r-- > 0;) {
        if (reason[r] != which) continue;
        first = &data->sequences.items[r];
        ++*count;
    }
    return first;
}

static wl_status refuse_lengths(const papara_files *files, const papara_data *data, const uint8_t *reason) {
    size_t empty, longer;
    const wl_sequence *first_empty = first_with(data, reason, PAPARA_LEFT_EMPTY, &empty);
    const wl_sequence *first_longer = first_with(data, reason, PAPARA_LEFT_LONG, &longer);
    if (empty > 0)
        return wl_fail(
            WL_BAD_INPUT,
            "%s:%zu: read '%.80s': found no letters, or only gaps; expected at least one letter (%zu such %s)",
            wl_path_shown(files->reads), first_empty->line, first_empty->name, empty, plural(empty, "read", "reads"));
    size_t unknown;
    const wl_sequence *first_unknown = first_with(data, reason, PAPARA_LEFT_UNKNOWN, &unknown);
    if (unknown > 0 && files->wants_all_reads)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: read '%.80s': found nothing but %c; expected at least one other letter",
                       wl_path_shown(files->reads), first_unknown->line, first_unknown->name,
                       files->alphabet == PAPARA_DNA ? 'N' : 'X');
    if (longer == 0) return WL_OK;
    return wl_fail(
        WL_BAD_INPUT, "%s:%zu: read '%.80s': found %zu letters; expected at most %zu, %s (%zu %s longer)",
        wl_path_shown(files->reads), first_longer->line, first_longer->name, first_longer->length, most_letters(data),
        most_letters(data) == data->reference.columns ? "the reference's sites" : "the longest read that is accepted",
        longer, plural(longer, "read is", "reads are"));
}

/* Reports the first such read of the file. */
static wl_status refuse_equal_names(const papara_files *files, const papara_data *data, const uint8_t *reason,
                                    const size_t *other) {
    const size_t rows = data->reference.count;
    for (size_t r = 0; r < data->sequences.count; r++) {
        const wl_sequence *read = &data->sequences.items[r];
        if (reason[r] == PAPARA_LEFT_ROW_NAME)
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: read '%.80s': has the name of the row in line %zu of %s; expected another name",
                           wl_path_shown(files->reads), read->line, read->name, data->reference.rows[other[r]].line,
                           wl_path_shown(files->reference));
        if (reason[r] == PAPARA_LEFT_READ_NAME)
            return wl_fail(
                WL_BAD_INPUT, "%s:%zu: read '%.80s': has the name of the read in line %zu; expected another name%s",
                wl_path_shown(files->reads), read->line, read->name, data->sequences.items[other[r] - rows].line,
                files->paired ? "" : ", or --paired for the two reads of a pair");
    }
    return WL_OK;
}

/* --- Left out ---------------------------------------------------------------------------------------------------- */

wl_status papara_leave_out(papara_data *data, const uint8_t *reason, const int *score) {
    const size_t count = data->sequences.count;
    size_t leaving = 0, kept = 0;
    for (size_t r = 0; r < count; r++) leaving += reason[r] != PAPARA_LEFT_NOT;
    if (leaving == 0) return WL_OK;
    if (!WL_GROW(data->left, data->left_count, leaving))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", leaving);
    for (size_t r = 0; r < count; r++) {
        if (reason[r] != PAPARA_LEFT_NOT) {
            data->left[data->left_count++] = (papara_left){.sequence = data->sequences.items[r],
                                                           .reason = (papara_left_reason)reason[r],
                                                           .score = score ? score[r] : 0};
            continue;
        }
        data->sequences.items[kept] = data->sequences.items[r];
        data->length[kept] = data->length[r];
        data->start[kept++] = data->start[r];
    }
    data->sequences.count = data->reads.count = kept;
    data->reads.letters = data->reads.longest = 0;
    for (size_t r = 0; r < kept; r++) {
        data->reads.letters += data->length[r];
        if (data->length[r] > data->reads.longest) data->reads.longest = data->length[r];
    }
    return WL_OK;
}

wl_status papara_bad_reads(const papara_files *files, papara_data *data) {
    uint8_t *reason;
    size_t *other, count = data->sequences.count;
    if (!WL_ALLOCATE(WL_ZEROS(reason, count), WL_ARRAY(other, count))) return no_memory(files->reads);
    mark_lengths(data, reason);
    mark_unknown(files, data, reason);
    wl_status status = files->skip_bad_reads ? WL_OK : refuse_lengths(files, data, reason);
    if (status == WL_OK && files->paired) status = papara_name_pairs(files, data);
    if (status == WL_OK) status = mark_names(files, data, reason, other);
    if (status == WL_OK && !files->skip_bad_reads) status = refuse_equal_names(files, data, reason, other);
    if (status == WL_OK) status = papara_leave_out(data, reason, NULL);
    if (status == WL_OK && data->sequences.count == 0)
        status = wl_fail(
            WL_BAD_INPUT,
            "%s: found no read that can be aligned; all %zu are empty or too long, have nothing but N or X, or have a "
            "name that is taken",
            wl_path_shown(files->reads), count);
    WL_FREE(reason, other);
    return status;
}
