#include "tools/align_reads/data.h"

#include <stdlib.h>
#include <string.h>

#include "tools/align_reads/bad_reads.h"
#include "papara/problem.h"
#include "harness/base/memory.h"
#include "harness/base/timings.h"
#include "harness/base/text.h"

static wl_status no_memory(const char *path) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory", wl_path_shown(path));
}

static void notice(papara_oddity *odd, const char *name, uint64_t letters) {
    if (letters == 0) return;
    if (odd->count++ == 0) odd->first = name;
    odd->letters += letters;
}

/* --- Letters ----------------------------------------------------------------------------------------------------- */

static wl_status refuse_letter(const papara_files *files, const char *path, size_t line, const char *what,
                               const char *name, unsigned char letter, size_t position) {
    char text[16];
    const char *expected = files->alphabet == PAPARA_DNA
                               ? "a nucleotide (IUPAC), '-', '.' or '?'; proteins need --protein"
                               : "an amino acid (IUPAC), '-', '.' or '?'";
    return wl_fail(WL_BAD_INPUT, "%s:%zu: %s '%.80s': found %s as letter %zu; expected %s", wl_path_shown(path), line,
                   what, name, wl_bytes_show(letter, text), position + 1, expected);
}

/* To some programs '.' is a gap, to others it repeats the first row's letter; in that case the first row has no '.'. RAxML refuses
   it, so it becomes '-'. as_first: the first row, if repeating may be meant; else NULL. */
static wl_status check_row(const papara_files *files, const wl_alignment_row *row, const wl_alignment_row *as_first,
                           size_t columns, papara_data *data) {
    const int unknown = papara_unknown(files->alphabet);
    uint64_t unusual = 0, gaps = 0, unknowns = 0;
    if (strpbrk(row->name, " \t"))
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: row '%.80s': has a blank in its name, where programs end names; expected none, as in "
                       "'taxon_a', here and in the tree",
                       wl_path_shown(files->reference), row->line, row->name);
    for (size_t c = 0; c < columns; c++) {
        unsigned char letter = (unsigned char)row->letters[c];
        int code = papara_code(files->alphabet, letter);
        if (code == PAPARA_NOT_A_LETTER)
            return refuse_letter(files, files->reference, row->line, "row", row->name, letter, c);
        gaps += code == PAPARA_GAP;
        unknowns += code == unknown;
        unusual += code == PAPARA_GAP && letter != '-';
        if (letter != '.') continue;
        if (as_first && papara_code(files->alphabet, (unsigned char)as_first->letters[c]) != PAPARA_GAP)
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: row '%.80s': found '.' as letter %zu, where the first row has '%c': a gap, or the "
                           "same? expected '-' or a letter",
                           wl_path_shown(files->reference), row->line, row->name, c + 1, as_first->letters[c]);
        row->letters[c] = '-';
    }
    notice(&data->unusual, row->name, unusual);
    notice(&data->without, row->name, gaps == columns ? gaps : 0);
    notice(&data->unknown, row->name, gaps < columns && gaps + unknowns == columns ? unknowns : 0);
    return WL_OK;
}

static int is_base(unsigned char letter) { return strchr("ACGTUNacgtun", letter) != NULL; }

/* Writes the codes of a read's letters to codes [sequence->length], and removes gaps from the sequence. */
static wl_status encode(const papara_files *files, wl_sequence *sequence, uint8_t *codes, uint64_t *bases,
                        papara_data *data) {
    size_t kept = 0;
    for (size_t k = 0; k < sequence->length; k++) {
        unsigned char letter = (unsigned char)sequence->letters[k];
        int code = papara_code(files->alphabet, letter);
        if (code == PAPARA_NOT_A_LETTER)
            return refuse_letter(files, files->reads, sequence->line, "read", sequence->name, letter, k);
        if (code == PAPARA_GAP) continue;
        *bases += (uint64_t)is_base(letter);
        codes[kept] = (uint8_t)code;
        sequence->letters[kept++] = (char)letter;
    }
    notice(&data->dropped, sequence->name, sequence->length - kept);
    sequence->letters[kept] = 0;
    sequence->length = kept;
    return WL_OK;
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

static wl_status take_reference(const papara_files *files, papara_data *data) {
    wl_status status = WL_OK;
    const wl_alignment *reference = &data->reference;
    if (reference->columns > PAPARA_SITES_MOST || reference->count > UINT32_MAX / 4)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu rows of %zu sites; expected at most %u rows of %u sites",
                       wl_path_shown(files->reference), reference->count, reference->columns, UINT32_MAX / 4,
                       PAPARA_SITES_MOST);
    if (!WL_ALLOCATE(WL_ARRAY(data->name, reference->count), WL_ARRAY(data->row, reference->count)))
        return no_memory(files->reference);
    const wl_alignment_row *as_first = strchr(reference->rows[0].letters, '.') ? NULL : &reference->rows[0];
    for (size_t i = 0; i < reference->count && status == WL_OK; i++) {
        data->name[i] = reference->rows[i].name;
        data->row[i] = reference->rows[i].letters;
        status = check_row(files, &reference->rows[i], as_first, reference->columns, data);
    }
    return status;
}

static wl_status make_tree(const papara_files *files, papara_data *data) {
    return papara_tree_make(wl_path_shown(files->tree), &data->newick, wl_path_shown(files->reference), data->name,
                            (uint32_t)data->reference.count, &data->tree);
}

static wl_status take_reads(const papara_files *files, papara_data *data) {
    wl_status status = WL_OK;
    size_t count = data->sequences.count;
    uint64_t letters = 0, bases = 0, longest = 0;
    for (size_t r = 0; r < count; r++) letters += data->sequences.items[r].length;
    if (!WL_ALLOCATE(WL_ARRAY(data->length, count), WL_ARRAY(data->start, count), WL_ARRAY(data->codes, letters)))
        return no_memory(files->reads);
    letters = 0;
    for (size_t r = 0; r < count && status == WL_OK; r++) {
        wl_sequence *read = &data->sequences.items[r];
        status = encode(files, read, data->codes + letters, &bases, data);
        data->start[r] = letters;
        data->length[r] = (uint32_t)read->length; // at most 2^30
        letters += read->length;
        if (read->length > longest) longest = read->length;
    }
    data->reads = (papara_reads){.count = count,
                                 .length = data->length,
                                 .start = data->start,
                                 .codes = data->codes,
                                 .letters = letters,
                                 .longest = (uint32_t)longest};
    data->letters = letters;
    data->bases = letters > 0 ? (double)bases / (double)letters : 0;
    return status == WL_OK ? papara_bad_reads(files, data) : status;
}

wl_status papara_data_read(const papara_files *files, papara_data *data) {
    *data = (papara_data){.alphabet = files->alphabet};
    wl_status status = wl_alignment_read(files->reference, files->reference_format, &data->reference);
    if (status == WL_OK) status = take_reference(files, data);
    if (status == WL_OK) status = wl_newick_read(files->tree, &data->newick);
    if (status == WL_OK) status = make_tree(files, data);
    if (status == WL_OK)
        status = files->skip_bad_reads ? wl_sequences_read_with_empty(files->reads, &data->sequences)
                                       : wl_sequences_read(files->reads, &data->sequences);
    if (status == WL_OK) status = take_reads(files, data);
    if (status != WL_OK) papara_data_free(data);
    return status;
}

wl_status papara_data_make(const papara_files *files, wl_alignment reference, wl_newick newick, wl_sequences reads,
                           papara_data *data) {
    *data = (papara_data){.alphabet = files->alphabet, .reference = reference, .newick = newick, .sequences = reads};
    wl_status status = take_reference(files, data);
    if (status == WL_OK) status = make_tree(files, data);
    if (status == WL_OK) status = take_reads(files, data);
    if (status != WL_OK) papara_data_free(data);
    return status;
}

wl_status papara_data_ancestors(const papara_data *data, int threads, papara_ancestors **ancestors) {
    const double packed = wl_timings_now();
    const wl_status status = papara_ancestors_make(&data->tree, data->alphabet, data->row,
                                                   (uint32_t)data->reference.columns, threads, ancestors);
    wl_timings_since(WL_PHASE_PACK, packed, 0);
    return status;
}

void papara_data_free(papara_data *data) {
    papara_ancestors_free(data->ancestors);
    papara_tree_free(&data->tree);
    wl_newick_free(&data->newick);
    wl_alignment_free(&data->reference);
    wl_sequences_free(&data->sequences);
    for (size_t i = 0; i < data->left_count; i++) free(data->left[i].sequence.letters);
    WL_FREE(data->name, data->row, data->length, data->start, data->codes, data->left, data->pair_names);
    *data = (papara_data){0};
}
