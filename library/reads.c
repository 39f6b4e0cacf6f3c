/* Reads aligned to a reference tree. */
#include <stdlib.h>
#include <string.h>

#include "library/sequences.h"
#include "library/session.h"
#include "tools/align_reads/write.h"
#include "harness/base/memory.h"

struct warpladder_alignment {
    warpladder_placement *placements; // [reads]
    size_t columns;
    char *letters; // [reference + reads][columns]
    char *tree;
};

static wl_status check(const warpladder_read_options *o) {
    const struct {
        const char *name;
        int value;
    } costs[] = {{"mismatch", o->mismatch},
                 {"insertion", o->insertion},
                 {"gap_open", o->gap_open},
                 {"gap_extend", o->gap_extend},
                 {"cgap", o->cgap}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].value < 0 || costs[i].value > PAPARA_PENALTY_MOST)
            return wl_fail(WL_BAD_USAGE, "%s: found %d; expected 0 to %d", costs[i].name, costs[i].value,
                           PAPARA_PENALTY_MOST);
    if (o->gap_open < o->gap_extend)
        return wl_fail(WL_BAD_USAGE, "gap_open: found %d; expected at least gap_extend, which is %d", o->gap_open,
                       o->gap_extend);
    return WL_OK;
}

/* What the caller gave, or what is wrong with it. */
static wl_status make_data(const warpladder_read_options *options, const warpladder_sequence *reference,
                           size_t reference_count, const char *newick, const warpladder_sequence *reads,
                           size_t reads_count, papara_data *data) {
    const papara_files names = {.tree = "tree",
                                .reference = "reference",
                                .reads = "reads",
                                .wants_all_reads = 1, // the caller's arrays have a place for each
                                .alphabet = options->protein ? PAPARA_PROTEIN : PAPARA_DNA};
    wl_alignment rows = {0};
    wl_newick tree = {0};
    wl_sequences sequences = {0};
    if (newick == NULL) return wl_fail(WL_BAD_USAGE, "tree: found NULL; expected a string");
    wl_status status = library_alignment(names.reference, reference, reference_count, &rows);
    if (status == WL_OK) status = wl_newick_parse(names.tree, newick, strlen(newick), &tree);
    if (status == WL_OK) status = library_sequences(names.reads, reads, reads_count, &sequences);
    if (status == WL_OK) return papara_data_make(&names, rows, tree, sequences, data);
    wl_alignment_free(&rows);
    wl_newick_free(&tree);
    return status;
}

static wl_status lay_out(const papara_data *data, const papara_aligned *aligned, int keep_insertions,
                         warpladder_alignment *made) {
    const size_t rows = data->reference.count + data->reads.count;
    papara_layout layout;
    WL_TRY(papara_layout_make(data, aligned, keep_insertions, &layout));
    made->columns = layout.columns;
    made->letters = malloc(rows * layout.columns + 1);
    for (size_t row = 0; made->letters && row < rows; row++)
        papara_layout_row(data, aligned, &layout, row, made->letters + row * layout.columns);
    papara_layout_free(&layout);
    return made->letters ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows", rows);
}

static wl_status number_tree(const papara_data *data, char **text) {
    size_t length;
    FILE *stream = open_memstream(text, &length);
    if (stream == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a tree");
    papara_tree_write_numbered(stream, &data->newick, &data->tree);
    if (fclose(stream) != 0 || *text == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a tree");
    return WL_OK;
}

static wl_status keep(const papara_data *data, const papara_aligned *aligned, int keep_insertions,
                      warpladder_alignment *made) {
    made->placements = malloc(data->reads.count * sizeof *made->placements);
    if (made->placements == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads", data->reads.count);
    for (size_t r = 0; r < data->reads.count; r++) {
        const papara_best *best = &aligned->best[r];
        made->placements[r] = (warpladder_placement){papara_tree_edge_number(&data->tree, best->vector),
                                                     papara_tree_edge_number(&data->tree, best->second_vector),
                                                     best->score, best->second_score};
    }
    WL_TRY(lay_out(data, aligned, keep_insertions, made));
    return number_tree(data, &made->tree);
}

static wl_status align(const warpladder *session, const warpladder_read_options *options, papara_data *data,
                       warpladder_alignment *made) {
    const papara_align_request request = {.data = data,
                                          .penalties = {.mismatch = options->mismatch,
                                                        .insertion = options->insertion,
                                                        .gap_open = options->gap_open,
                                                        .gap_extend = options->gap_extend,
                                                        .cgap = options->cgap},
                                          .devices = session->devices.items,
                                          .device_count = session->devices.count,
                                          .memory = session->memory,
                                          .threads = session->threads};
    papara_aligned aligned;
    WL_TRY(papara_align(&request, &aligned));
    const wl_status status = keep(data, &aligned, options->keep_insertions, made);
    papara_aligned_free(&aligned);
    return status;
}

LIBRARY_API warpladder_status warpladder_align_reads(warpladder *session, const warpladder_read_options *given,
                                                     const warpladder_sequence *reference, size_t reference_count,
                                                     const char *newick, const warpladder_sequence *reads,
                                                     size_t reads_count, warpladder_alignment **alignment) {
    warpladder_read_options options = WARPLADDER_READ_OPTIONS;
    papara_data data;
    *alignment = NULL;
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    wl_status status = library_options(given, &options);
    if (status == WL_OK) status = check(&options);
    if (status == WL_OK) status = make_data(&options, reference, reference_count, newick, reads, reads_count, &data);
    if (status != WL_OK) return library_end(session, status);
    warpladder_alignment *made = calloc(1, sizeof *made);
    status = made ? align(session, &options, &data, made) : wl_fail(WL_NO_MACHINE, "no memory for an alignment");
    papara_data_free(&data);
    if (status == WL_OK)
        *alignment = made;
    else
        warpladder_alignment_close(made);
    return library_end(session, status);
}

LIBRARY_API void warpladder_alignment_close(warpladder_alignment *alignment) {
    if (alignment == NULL) return;
    WL_FREE(alignment->placements, alignment->letters, alignment->tree, alignment);
}

LIBRARY_API const warpladder_placement *warpladder_alignment_placements(const warpladder_alignment *alignment) {
    return alignment->placements;
}
LIBRARY_API size_t warpladder_alignment_columns(const warpladder_alignment *alignment) { return alignment->columns; }
LIBRARY_API const char *warpladder_alignment_letters(const warpladder_alignment *alignment) {
    return alignment->letters;
}
LIBRARY_API const char *warpladder_alignment_tree(const warpladder_alignment *alignment) { return alignment->tree; }
