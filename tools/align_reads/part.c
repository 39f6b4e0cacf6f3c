#include "tools/align_reads/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/memory.h"
#include "tools/align_reads/strand.h"

/* A read in a part's file; its columns follow. */
typedef struct {
    papara_best best;
    uint32_t turned, length;
} part_read;

/* The first part's estimate of unrelated scores: the record after the last read's. */
typedef struct {
    double chance;
    uint64_t tried, fit_turned;
} kept_chance;

/* The first read of part `part`: parts have nearly as many letters each. */
static size_t first_of(const papara_data *data, size_t part, size_t parts) {
    uint64_t letters = 0;
    size_t r = 0;
    while (r < data->reads.count && (unsigned __int128)letters * parts < (unsigned __int128)data->reads.letters * part)
        letters += data->length[r++];
    return part == parts ? data->reads.count : r;
}

/* --- Computing --------------------------------------------------------------------------------------------------- */

/* The same data with reads of its own, which may be turned around. */
static wl_status copy_reads(const papara_data *from, papara_data *copy, char **letters) {
    const size_t count = from->sequences.count;
    size_t bytes = 0;
    *copy = *from;
    for (size_t r = 0; r < count; r++) bytes += (size_t)from->length[r] + 1;
    if (!WL_ALLOCATE(WL_ARRAY(copy->codes, from->letters), WL_ARRAY(copy->sequences.items, count),
                     WL_ARRAY(*letters, bytes)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", count);
    memcpy(copy->codes, from->codes, from->letters);
    copy->reads.codes = copy->codes;
    char *at = *letters;
    for (size_t r = 0; r < count; r++) {
        copy->sequences.items[r] = from->sequences.items[r];
        copy->sequences.items[r].letters = at;
        memcpy(at, from->sequences.items[r].letters, from->length[r]);
        at += from->length[r];
        *at++ = 0;
    }
    return WL_OK;
}

static wl_status put_read(const papara_data *data, const papara_aligned *aligned, size_t r, unsigned char *room,
                          wl_part_writer *writer) {
    const part_read read = {aligned->best[r], aligned->turned[r], data->length[r]};
    const size_t columns = data->length[r] * sizeof *aligned->column;
    memcpy(room, &read, sizeof read);
    memcpy(room + sizeof read, aligned->column + data->start[r], columns);
    return wl_part_put(writer, r, room, sizeof read + columns);
}

static wl_status put_reads(const papara_data *data, const papara_aligned *aligned, const wl_part_range *range) {
    unsigned char *room = malloc(sizeof(part_read) + data->reads.longest * sizeof *aligned->column);
    if (room == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a read's columns");
    wl_status status = WL_OK;
    for (size_t i = 0; i < range->count; i++) {
        const size_t end = first_of(data, range->first + i + 1, range->parts);
        for (size_t r = first_of(data, range->first + i, range->parts); r < end && status == WL_OK; r++)
            status = put_read(data, aligned, r, room, &range->writers[i]);
    }
    free(room);
    return status;
}

wl_status papara_align_parts(const papara_align_request *request, const wl_part_range *range,
                             papara_score_summary *summary, size_t *reads) {
    const size_t first = first_of(request->data, range->first, range->parts);
    const size_t end = first_of(request->data, range->first + range->count, range->parts);
    const int is_first = range->first == 0;
    *reads = end - first;
    *summary = (papara_score_summary){0};
    if (first == end) return WL_OK;
    papara_data data;
    papara_aligned aligned;
    char *letters;
    papara_align_request some = *request;
    if (request->data->ancestors == NULL)
        WL_TRY(papara_data_ancestors(request->data, request->threads, &request->data->ancestors));
    WL_TRY(copy_reads(request->data, &data, &letters));
    some.data = &data;
    some.first_read = first;
    some.reads = end - first;
    some.judge = request->judge && is_first && request->strand != PAPARA_BOTH;
    wl_status status = papara_align(&some, &aligned);
    if (status == WL_OK) {
        const kept_chance chance = {aligned.chance, aligned.tried, aligned.fit_turned};
        status = put_reads(&data, &aligned, range);
        if (status == WL_OK && is_first)
            status = wl_part_put(&range->writers[0], data.reads.count, &chance, sizeof chance);
        *summary = aligned.scoring;
        papara_aligned_free(&aligned);
    }
    WL_FREE(data.codes, data.sequences.items, letters);
    return status;
}

/* --- Merging ----------------------------------------------------------------------------------------------------- */

/* Letters with a site go from left to right. */
static int are_columns(const int32_t *column, uint32_t length, size_t sites) {
    int64_t last = -1;
    for (uint32_t j = 0; j < length; j++) {
        if (column[j] < 0) continue;
        if (column[j] <= last || (size_t)column[j] >= sites) return 0;
        last = column[j];
    }
    return 1;
}

static wl_status take_read(papara_data *data, const wl_part_set *set, size_t part, size_t r, papara_aligned *aligned) {
    const wl_part_record *record;
    WL_TRY(wl_part_set_record(set, part, r, &record));
    const uint32_t length = data->length[r], edges = data->tree.edges;
    int32_t *column = aligned->column + data->start[r];
    part_read read;
    if (record->size != sizeof read + length * sizeof *column) return wl_part_set_refuse(set, part, r);
    memcpy(&read, record->bytes, sizeof read);
    memcpy(column, record->bytes + sizeof read, length * sizeof *column);
    const int is_edge = read.best.second_vector < edges || read.best.second_vector == UINT32_MAX;
    if (read.length != length || read.turned > 1 || read.best.vector >= edges || !is_edge ||
        !are_columns(column, length, data->reference.columns))
        return wl_part_set_refuse(set, part, r);
    aligned->best[r] = read.best;
    aligned->turned[r] = (uint8_t)read.turned;
    return WL_OK;
}

static wl_status take_all(papara_data *data, const wl_part_set *set, papara_aligned *aligned) {
    for (size_t part = 0; part < set->count; part++) {
        const size_t end = first_of(data, part + 1, set->count);
        for (size_t r = first_of(data, part, set->count); r < end; r++) WL_TRY(take_read(data, set, part, r, aligned));
    }
    const wl_part_record *record = wl_part_find(&set->items[0], data->reads.count);
    kept_chance chance = {0};
    if (record && record->size == sizeof chance) memcpy(&chance, record->bytes, sizeof chance);
    aligned->chance = chance.chance;
    aligned->tried = chance.tried;
    aligned->fit_turned = chance.fit_turned;
    for (size_t r = 0; r < data->reads.count; r++)
        if (aligned->turned[r]) papara_turn(data, r);
    return WL_OK;
}

wl_status papara_align_merge(papara_data *data, const wl_part_set *set, papara_aligned *aligned) {
    *aligned = (papara_aligned){0};
    if (!WL_ALLOCATE(WL_ARRAY(aligned->best, data->reads.count), WL_ARRAY(aligned->column, data->letters),
                     WL_ZEROS(aligned->turned, data->reads.count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the columns of %llu letters",
                       (unsigned long long)data->letters);
    const wl_status status = take_all(data, set, aligned);
    if (status != WL_OK) papara_aligned_free(aligned);
    return status;
}

/* --- Which run it is --------------------------------------------------------------------------------------------- */

static uint64_t hash_sequence(uint64_t hash, const wl_sequence *sequence) {
    return wl_hash_join(wl_hash_join(hash, wl_hash_text(sequence->name)), wl_hash_text(sequence->letters));
}

wl_status papara_data_hash(const papara_data *data, uint64_t *hash) {
    char *tree = NULL;
    size_t size;
    FILE *stream = open_memstream(&tree, &size);
    if (stream) papara_tree_write_numbered(stream, &data->newick, &data->tree);
    if (stream == NULL || fclose(stream) != 0) {
        free(tree);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the tree");
    }
    *hash = wl_hash_join(wl_hash_bytes(tree, size), data->alphabet);
    free(tree);
    for (size_t i = 0; i < data->reference.count; i++) {
        *hash = wl_hash_join(*hash, wl_hash_text(data->name[i]));
        *hash = wl_hash_join(*hash, wl_hash_bytes(data->row[i], data->reference.columns));
    }
    for (size_t r = 0; r < data->sequences.count; r++) *hash = hash_sequence(*hash, &data->sequences.items[r]);
    for (size_t i = 0; i < data->left_count; i++) *hash = hash_sequence(*hash, &data->left[i].sequence);
    return WL_OK;
}
