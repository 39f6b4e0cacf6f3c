#include "io/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "io/names.h"
#include "io/nexus.h"
#include "io/phylip.h"
#include "io/fasta.h"

#define EXPECTED "an alignment in FASTA, PHYLIP or NEXUS format"
#define SHOWN 40 // bytes of a name in an error line

/* Names the first row that has a name of an earlier one. */
static wl_status require_names_once(const char *path, const wl_alignment *a) {
    size_t room = 0;
    wl_name *names = wl_memory_get(&room, a->count * sizeof *names);
    if (names == NULL)
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for an alignment of %zu rows", path, a->count);
    for (size_t i = 0; i < a->count; i++) names[i] = (wl_name){a->rows[i].name, i};
    wl_names_sort(names, a->count);
    size_t again, first = 0;
    const size_t repeated = wl_names_repeated(names, a->count, &again, &first);
    free(names);
    if (repeated == 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s:%zu: found the name '%.*s' again; expected one row of that name (line %zu has it)",
                   path, a->rows[again].line, SHOWN, a->rows[again].name, a->rows[first].line);
}

static wl_status read_fasta(wl_bytes *bytes, wl_alignment *alignment) {
    wl_sequences sequences;
    WL_TRY(wl_sequences_read_bytes(bytes, &sequences));
    wl_status status = wl_sequences_require_equal_lengths(wl_bytes_name(bytes), &sequences);
    size_t room = 0;
    wl_alignment_row *rows = status == WL_OK ? wl_memory_get(&room, sequences.count * sizeof *rows) : NULL;
    if (status == WL_OK && rows == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for an alignment of %zu rows", wl_bytes_name(bytes),
                         sequences.count);
    if (status != WL_OK) {
        wl_sequences_free(&sequences);
        return status;
    }
    for (size_t i = 0; i < sequences.count; i++) {
        const wl_sequence *sequence = &sequences.items[i];
        rows[i] = (wl_alignment_row){sequence->name, sequence->letters, sequence->line};
    }
    *alignment = (wl_alignment){.rows = rows, .count = sequences.count, .columns = sequences.items[0].length};
    free(sequences.items); // each one's text is a block of its own, `letters`, which the row has now
    return WL_OK;
}

static wl_status read_text(wl_bytes *bytes, wl_alignment_format format, wl_alignment *alignment) {
    char *text;
    size_t size;
    WL_TRY(wl_bytes_all(bytes, &text, &size));
    wl_status status = format == WL_ALIGNMENT_NEXUS
                           ? wl_nexus_alignment(wl_bytes_name(bytes), text, size, alignment)
                           : wl_phylip_read(wl_bytes_name(bytes), text, size, format, alignment);
    free(text);
    return status;
}

static wl_status read_any(wl_bytes *bytes, wl_alignment_format format, wl_alignment *alignment) {
    int first;
    char text[16];
    WL_TRY(wl_bytes_first(bytes, &first));
    if (first < 0 && format != WL_ALIGNMENT_FASTA)
        return wl_fail(WL_BAD_INPUT, "%s: found nothing in the file; expected %s", wl_bytes_name(bytes), EXPECTED);
    if (format == WL_ALIGNMENT_FASTA || (format == WL_ALIGNMENT_AUTO && (first == '>' || first == '@')))
        return read_fasta(bytes, alignment);
    if (format == WL_ALIGNMENT_AUTO && first == '#') format = WL_ALIGNMENT_NEXUS;
    if (format == WL_ALIGNMENT_AUTO && !(first >= '0' && first <= '9') && first != '-' && first != '+')
        return wl_fail(WL_BAD_INPUT,
                       "%s: found %s at the beginning; expected '>' (FASTA), the number of rows (PHYLIP) or #NEXUS",
                       wl_bytes_name(bytes), wl_bytes_show(first, text));
    return read_text(bytes, format, alignment);
}

wl_status wl_alignment_read_bytes(wl_bytes *bytes, wl_alignment_format format, wl_alignment *alignment) {
    wl_alignment read = {0};
    wl_status status = read_any(bytes, format, &read);
    if (status == WL_BAD_INPUT) status = wl_bytes_diagnose(bytes);
    if (status == WL_OK)
        *alignment = read;
    else
        wl_alignment_free(&read);
    return status;
}

wl_status wl_alignment_read(const char *path, wl_alignment_format format, wl_alignment *alignment) {
    wl_bytes *bytes;
    WL_TRY(wl_bytes_open(path, EXPECTED, &bytes));
    wl_alignment read = {0};
    wl_status status = wl_alignment_read_bytes(bytes, format, &read);
    if (status == WL_OK) status = require_names_once(wl_bytes_name(bytes), &read);
    wl_bytes_close(bytes);
    if (status == WL_OK)
        *alignment = read;
    else
        wl_alignment_free(&read);
    return status;
}

void wl_alignment_free(wl_alignment *alignment) {
    if (alignment->rows)
        for (size_t i = 0; i < alignment->count; i++) free(alignment->rows[i].letters);
    free(alignment->rows);
    *alignment = (wl_alignment){0};
}

void wl_alignment_write_header(FILE *stream, wl_alignment_format format, size_t count, size_t columns) {
    if (format != WL_ALIGNMENT_FASTA) fprintf(stream, "%zu %zu\n", count, columns);
}

void wl_alignment_write_row(FILE *stream, wl_alignment_format format, const char *name, const char *letters,
                            size_t columns) {
    if (format == WL_ALIGNMENT_FASTA) fputc('>', stream);
    fputs(name, stream);
    fputc(format == WL_ALIGNMENT_FASTA ? '\n' : ' ', stream);
    fwrite(letters, 1, columns, stream);
    fputc('\n', stream);
}
