#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

#include "tools/align_reads/tree/tree.h"

/* With as few digits as are needed to read the same number back. */
static void write_length(FILE *stream, double length) {
    char text[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, length);
        if (strtod(text, NULL) == length) break;
    }
    fprintf(stream, ":%s", text);
}

/* number: NULL, or of each node the number of the edge above it. */
static void write_node(FILE *stream, const wl_newick *newick, const uint32_t *number, uint32_t v) {
    wl_newick_write_label(stream, newick->label[v]);
    if (!isnan(newick->length[v])) write_length(stream, newick->length[v]);
    if (number && v != 0) fprintf(stream, "{%u}", number[v]);
}

/* `v` or the first of its siblings after it that stays; WL_NO_NODE: none. stays [nodes]; NULL: all do. */
static uint32_t staying(const wl_newick *newick, const uint8_t *stays, uint32_t v) {
    while (v != WL_NO_NODE && stays && !stays[v]) v = newick->next_sibling[v];
    return v;
}

static void write_nodes(FILE *stream, const wl_newick *newick, const uint32_t *number, const uint8_t *stays) {
    for (uint32_t v = 0;;) {
        if (newick->first_child[v] != WL_NO_NODE) {
            putc('(', stream);
            v = staying(newick, stays, newick->first_child[v]);
            continue;
        }
        write_node(stream, newick, number, v);
        uint32_t next = WL_NO_NODE;
        while (v != 0 && (next = staying(newick, stays, newick->next_sibling[v])) == WL_NO_NODE) {
            v = newick->parent[v];
            putc(')', stream);
            write_node(stream, newick, number, v);
        }
        if (v == 0) break;
        putc(',', stream);
        v = next;
    }
    fputs(";\n", stream);
}

void papara_tree_write_numbered(FILE *stream, const wl_newick *newick, const papara_tree *tree) {
    write_nodes(stream, newick, tree->number, NULL);
}

wl_status papara_tree_prune(const char *path, const wl_newick *newick, const char *const *names, uint32_t count,
                            wl_newick *pruned) {
    char *text = NULL;
    size_t size;
    uint8_t *stays = calloc(newick->nodes, 1);
    FILE *stream = open_memstream(&text, &size);
    for (uint32_t v = newick->nodes; stays && v-- > 0;) { // children before their parents
        if (newick->first_child[v] == WL_NO_NODE)
            for (uint32_t t = 0; t < count && !stays[v]; t++) stays[v] = strcmp(names[t], newick->label[v]) == 0;
        if (stays[v] && newick->parent[v] != WL_NO_NODE) stays[newick->parent[v]] = 1;
    }
    wl_status status = WL_OK;
    if (stays && stream && stays[0])
        write_nodes(stream, newick, NULL, stays);
    else if (stays && stream)
        status = wl_fail(WL_BAD_INPUT, "%s: found none of %u tips; expected one at least", path, count);
    if (!stays || !stream || ferror(stream))
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u nodes", newick->nodes);
    if (stream && fclose(stream) != 0) status = wl_fail(WL_NO_MACHINE, "not enough memory for a tree");
    if (status == WL_OK) status = wl_newick_parse(path, text, size, pruned);
    WL_FREE(stays, text);
    return status;
}
