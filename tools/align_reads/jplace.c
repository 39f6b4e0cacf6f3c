/* Placements in the format of Matsen et al., "A format for phylogenetic placements", PLoS ONE 7 (2012) e31009, version 3. */
#include <math.h>
#include <stdlib.h>

#include "harness/base/json.h"
#include "tools/align_reads/write.h"

/* The middle of the edge. The ancestral sequence there was compared with the read. */
static double middle_of(const papara_data *data, uint32_t e) {
    const double length = data->newick.length[data->tree.file_node[e]];
    return isfinite(length) && length > 0 ? length / 2 : 0;
}

static wl_status write_tree(FILE *stream, const papara_data *data) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) papara_tree_write_numbered(memory, &data->newick, &data->tree);
    if (!memory || fclose(memory) != 0 || size == 0) {
        free(text);
        return wl_fail(WL_NO_MACHINE, "not enough memory to write a tree of %u nodes", data->newick.nodes);
    }
    text[size - 1] = 0; // no line end
    wl_put_text(stream, "{\n  \"version\": 3,\n  \"tree\": ", text);
    free(text);
    return WL_OK;
}

wl_status papara_write_jplace(FILE *stream, const papara_data *data, const papara_aligned *aligned,
                              const char *invocation) {
    WL_TRY(write_tree(stream, data));
    /* gappa requires the first five fields, in EPA-ng's order. `parsimony` is the format's name for such a score. */
    fputs(
        ",\n  \"fields\": [\"edge_num\", \"likelihood\", \"like_weight_ratio\", \"distal_length\", \"pendant_length\", "
        "\"parsimony\"],\n"
        "  \"placements\": [",
        stream);
    for (size_t r = 0; r < data->reads.count && !ferror(stream); r++) {
        const papara_best *best = &aligned->best[r];
        fprintf(stream, "%s\n    {\"p\": [[%u, 0, 1, %.10g, 0, %d]], \"n\": [", r == 0 ? "" : ",",
                papara_tree_edge_number(&data->tree, best->vector), middle_of(data, best->vector), best->score);
        wl_json_text(stream, data->sequences.items[r].name);
        fputs("]}", stream);
    }
    wl_put_text(stream,
                "\n  ],\n  \"metadata\": {\"software\": \"warpladder align-reads\", \"invocation\": ", invocation);
    fputs(",\n    \"note\": \"one placement per read, by parsimony: likelihood is 0, like_weight_ratio is 1, lengths "
          "are no "
          "estimates\"}\n}\n",
          stream);
    return WL_OK;
}
