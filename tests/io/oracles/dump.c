/* What the readers of io/ make of a file, for compare.py: io_dump tree|fasta|phylip FILE. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/alignment.h"
#include "io/newick.h"

/* A node a line, in the file's order: its parent's number or -1, its length or nan, its label. */
static wl_status dump_tree(const char *path) {
    wl_newick tree;
    wl_status status = wl_newick_read(path, &tree);
    if (status != WL_OK) return status;
    for (uint32_t i = 0; i < tree.nodes; i++)
        printf("%ld\t%.17g\t%s\n", i ? (long)tree.parent[i] : -1L, tree.length[i], tree.label[i]);
    wl_newick_free(&tree);
    return WL_OK;
}

static wl_status dump_alignment(const char *path, wl_alignment_format format) {
    wl_alignment a;
    wl_status status = wl_alignment_read(path, WL_ALIGNMENT_AUTO, &a);
    if (status != WL_OK) return status;
    wl_alignment_write_header(stdout, format, a.count, a.columns);
    for (size_t i = 0; i < a.count; i++)
        wl_alignment_write_row(stdout, format, a.rows[i].name, a.rows[i].letters, a.columns);
    wl_alignment_free(&a);
    return WL_OK;
}

int main(int count, char **words) {
    if (count != 3) return WL_BAD_USAGE;
    wl_status status = strcmp(words[1], "tree") == 0    ? dump_tree(words[2])
                       : strcmp(words[1], "fasta") == 0 ? dump_alignment(words[2], WL_ALIGNMENT_FASTA)
                                                        : dump_alignment(words[2], WL_ALIGNMENT_PHYLIP);
    if (status != WL_OK) fprintf(stderr, "%s\n", wl_error());
    return (int)status;
}
