/* An alignment's letters from a file of any kind, or from elsewhere. */
#include <stdlib.h>

#include "tools/distances/read/formats.h"
#include "tools/distances/read/letters.h"

/* PHYLIP and NEXUS: no row can be understood before the last has been seen. */
static wl_status each_row(distances_letters *r, wl_bytes *bytes, wl_alignment_format format) {
    wl_alignment alignment;
    WL_TRY(wl_alignment_read_bytes(bytes, format, &alignment));
    const size_t taken = alignment.count * (alignment.columns + sizeof *alignment.rows);
    static char comment[] = "";
    if (alignment.letters != WL_LETTERS_UNSAID) r->said = alignment.letters;
    wl_status status = alignment.columns <= DISTANCES_SITES_MOST
                           ? WL_OK
                           : wl_fail(WL_BAD_INPUT, "%s: found %zu columns; expected at most %llu", r->rows->file,
                                     alignment.columns, (unsigned long long)DISTANCES_SITES_MOST);
    if (status == WL_OK) status = distances_rows_memory(r->rows, taken);
    const int counted = status == WL_OK;
    for (size_t i = 0; i < alignment.count && status == WL_OK; i++) {
        const wl_alignment_row *row = &alignment.rows[i];
        status = distances_letters_take(
            r, &(wl_sequence){row->name, comment, row->letters, alignment.columns, row->line, NULL});
    }
    if (counted) distances_rows_return(r->rows, taken);
    wl_alignment_free(&alignment);
    return status;
}

/* By all processors, into rows of its own, whose notes count only if it succeeds. --memory is kept by reading one by one. */
static int read_plain_file(distances_rows *rows, wl_bytes *bytes) {
    uint64_t size;
    const int file = wl_bytes_plain_file(bytes, &size);
    if (file < 0 || rows->reading->memory > 0) return 0;
    char *notes = NULL;
    size_t length = 0;
    distances_rows own = {.file = rows->file, .reading = rows->reading, .place = "line"};
    FILE *stream = rows->notes ? open_memstream(&notes, &length) : NULL;
    own.notes = stream;
    distances_letters r = distances_letters_begin(&own);
    int done = distances_letters_of_file(&r, file, size);
    done = distances_letters_end(&r, done ? WL_OK : WL_BAD_INPUT) == WL_OK && done;
    if (stream) fclose(stream);
    if (done) {
        if (notes) fwrite(notes, 1, length, rows->notes);
        own.notes = rows->notes;
        *rows = own;
    } else {
        distances_rows_drop(&own);
    }
    free(notes);
    return done;
}

/* PHYLIP is relaxed or, where that does not fit, strict. */
static wl_status phylip_or_nexus(wl_bytes *bytes, distances_format format, wl_alignment_format *kind) {
    int first;
    WL_TRY(wl_bytes_first(bytes, &first));
    *kind = format == DISTANCES_NEXUS                ? WL_ALIGNMENT_NEXUS
            : format == DISTANCES_PHYLIP_STRICT_FILE ? WL_ALIGNMENT_PHYLIP_STRICT
            : first >= '0' && first <= '9'           ? WL_ALIGNMENT_AUTO
                                                     : WL_ALIGNMENT_PHYLIP;
    return WL_OK;
}

static wl_status read_source(distances_letters *r, const distances_source *source) {
    wl_alignment_format kind;
    if (source->format == DISTANCES_FASTA) return wl_sequences_each(source->bytes, distances_letters_take, r);
    WL_TRY(phylip_or_nexus(source->bytes, source->format, &kind));
    return each_row(r, source->bytes, kind);
}

wl_status distances_read_letters(distances_rows *rows, const distances_source *sources, size_t count) {
    if (count == 1 && sources->format == DISTANCES_FASTA && read_plain_file(rows, sources->bytes)) return WL_OK;
    distances_letters r = distances_letters_begin(rows);
    rows->place = "line";
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        if (i > 0) distances_rows_split(rows, r.decided ? rows->data.count : r.first_count, sources[i].bytes);
        status = read_source(&r, &sources[i]);
    }
    return distances_letters_end(&r, status);
}

wl_status distances_take_letters(distances_rows *rows, distances_letters_source *each, void *source) {
    distances_letters r = distances_letters_begin(rows);
    return distances_letters_end(&r, each(source, distances_letters_take, &r));
}
