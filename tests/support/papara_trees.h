/* Small trees for tests: taxa called A, B, C ..., random shapes, and the splits that edges are. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"
#include "tools/align_reads/tree/tree.h"

enum { LETTERS = 16 };
static const char *const letters[LETTERS] = {"A", "B", "C", "D", "E", "F", "G", "H",
                                             "I", "J", "K", "L", "M", "N", "O", "P"};

/* The taxa on b's side of the edge a - b, as bits, turned so that taxon 0 is on the other side. */
static inline uint32_t side(const papara_tree *tree, uint32_t a, uint32_t b) {
    if (b < tree->taxa) return (uint32_t)1 << b;
    uint32_t set = 0;
    for (int k = 0; k < 3; k++)
        if (tree->neighbour[b][k] != a) set |= side(tree, b, tree->neighbour[b][k]);
    return set;
}

static inline uint32_t split_of(const papara_tree *tree, uint32_t e) {
    uint32_t all = ((uint32_t)1 << tree->taxa) - 1, set = side(tree, tree->edge[e][0], tree->edge[e][1]);
    return set & 1 ? all & ~set : set;
}

/* A random tree of up to LETTERS taxa and four children a node, nodes with one child among them, into text [65536]. */
static inline void random_tree(wl_random *random, uint32_t taxa, char *text) {
    char *part[LETTERS], *joined[LETTERS];
    uint32_t parts = taxa;
    for (uint32_t t = 0; t < taxa; t++) part[t] = strdup(letters[t]);
    while (parts > 1 || wl_random_below(random, 3) == 0) {
        uint32_t most = parts < 4 ? parts : 4, take = 1 + wl_random_below(random, most), size = 8;
        for (uint32_t k = 0; k < take; k++) {
            uint32_t p = wl_random_below(random, parts);
            joined[k] = part[p];
            part[p] = part[--parts];
            size += (uint32_t)strlen(joined[k]) + 1;
        }
        char *next = calloc(size, 1);
        strcat(next, "(");
        for (uint32_t k = 0; k < take; k++) {
            if (k > 0) strcat(next, ",");
            strcat(next, joined[k]);
            free(joined[k]);
        }
        strcat(next, ")");
        part[parts++] = next;
    }
    sprintf(text, "%s;", part[0]);
    free(part[0]);
}
