/* Two passes over the tree make all directed vectors, as in Fitch's and Sankoff's algorithms. The first pass goes from the tips to the
   top and computes each node as its parent sees it. The second pass goes from the top to the tips and computes each parent as its child
   sees it. A virtual root is the join of an edge's two vectors. The nodes' numbers give the order, so there is no recursion and no limit
   to the depth.

   Threads take stretches of sites, because sites are independent. Nodes are not: in a ladder of 100,000 nodes no two could be computed at
   the same time. */
#include "tools/align_reads/tree/ancestors.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "tools/align_reads/tree/ancestors_join.h"
#include "papara/problem.h"

struct papara_ancestors {
    const papara_tree *tree;
    papara_alphabet alphabet;
    uint32_t sites;
    size_t pitch, bytes; // sites of a vector, padded to whole cache lines; bytes per site
    /* [nodes][pitch]: the node seen from its parent, and its parent seen from it. The top has none. */
    uint8_t *down, *up;
};

enum { LINE = 64, STRETCH = 512 }; // bytes; sites: a few lines per vector, and work for many threads

static uint8_t *vector_of(const papara_ancestors *a, uint8_t *vectors, uint32_t node, uint32_t site) {
    return vectors + (node * a->pitch + site) * a->bytes;
}

/* Sites site .. site + count - 1 of *to: the join of x and y. by_tip: one of the two is a tip. */
static void join(const papara_ancestors *a, int by_tip, uint8_t *to, const uint8_t *x, const uint8_t *y,
                 uint32_t count) {
    if (a->alphabet == PAPARA_DNA)
        papara_join_dna(by_tip, to, x, y, count);
    else
        papara_join_protein(by_tip, (uint32_t *)to, (const uint32_t *)x, (const uint32_t *)y, count);
}

static int is_tip(const papara_ancestors *a, uint32_t node) { return node < a->tree->taxa; }

static void encode_tips(const papara_ancestors *a, const char *const *rows, const uint32_t *of_letter, uint32_t first,
                        uint32_t count) {
    for (uint32_t t = 0; t < a->tree->taxa; t++) {
        uint8_t *to = vector_of(a, a->down, t, first);
        const unsigned char *letters = (const unsigned char *)rows[t] + first;
        if (a->alphabet == PAPARA_DNA)
            for (uint32_t s = 0; s < count; s++) to[s] = (uint8_t)of_letter[letters[s]];
        else
            for (uint32_t s = 0; s < count; s++) ((uint32_t *)to)[s] = of_letter[letters[s]];
    }
}

/* The vector of `node` as one of its neighbours sees it: the join of the two others, each itself seen from `node`. */
static void join_others(const papara_ancestors *a, uint32_t node, int but, uint8_t *to, uint32_t first,
                        uint32_t count) {
    const uint32_t *neighbour = a->tree->neighbour[node];
    const uint8_t *seen[2];
    int n = 0, by_tip = 0;
    for (int k = 0; k < 3; k++) {
        if (k == but) continue;
        int upwards = k == 0 && node != a->tree->taxa;
        seen[n++] = upwards ? vector_of(a, a->up, node, first) : vector_of(a, a->down, neighbour[k], first);
        by_tip |= is_tip(a, neighbour[k]);
    }
    join(a, by_tip, to, seen[0], seen[1], count);
}

static void both_passes(const papara_ancestors *a, uint32_t first, uint32_t count) {
    const papara_tree *tree = a->tree;
    const uint32_t top = tree->taxa;
    for (uint32_t v = tree->nodes - 1; v > top; v--)
        join_others(a, v, 0, vector_of(a, a->down, v, first), first, count);
    for (uint32_t v = top; v < tree->nodes; v++)
        for (int k = v == top ? 0 : 1; k < 3; k++)
            join_others(a, v, k, vector_of(a, a->up, tree->neighbour[v][k], first), first, count);
}

/* A letter of a tip as a site: its states, or all states and the gap. */
static void letters_of(papara_alphabet alphabet, uint32_t of_letter[256]) {
    uint32_t sets[PAPARA_CODES];
    papara_sets(alphabet, sets);
    const uint32_t gapped = alphabet == PAPARA_DNA ? PAPARA_DNA_GAPPED : PAPARA_PROTEIN_GAPPED;
    for (int letter = 0; letter < 256; letter++) {
        int code = papara_code(alphabet, (unsigned char)letter);
        of_letter[letter] = code >= 0 ? sets[code] : papara_all_states(alphabet) | gapped;
    }
}

wl_status papara_ancestors_make(const papara_tree *tree, papara_alphabet alphabet, const char *const *rows,
                                uint32_t sites, int threads, papara_ancestors **ancestors) {
    *ancestors = NULL;
    papara_ancestors *a = calloc(1, sizeof *a);
    if (a) {
        *a = (papara_ancestors){.tree = tree, .alphabet = alphabet, .sites = sites};
        a->bytes = alphabet == PAPARA_DNA ? sizeof(uint8_t) : sizeof(uint32_t);
        a->pitch = ((size_t)sites + LINE - 1) / LINE * LINE;
        double bytes = 2. * tree->nodes * (double)a->pitch * (double)a->bytes;
        size_t since = 0;
        if (bytes < 0x1p62 && wl_memory_room(&since, (size_t)bytes)) {
            a->down = aligned_alloc(LINE, (size_t)bytes / 2);
            a->up = aligned_alloc(LINE, (size_t)bytes / 2);
        }
    }
    if (a == NULL || a->down == NULL || a->up == NULL) {
        papara_ancestors_free(a);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the ancestral state vectors of %u nodes and %u sites",
                       tree->nodes, sites);
    }
    uint32_t of_letter[256];
    letters_of(alphabet, of_letter);
#pragma omp parallel for schedule(dynamic) num_threads(threads > 0 ? threads : omp_get_max_threads())
    for (uint32_t first = 0; first < sites; first += STRETCH) {
        uint32_t count = sites - first < STRETCH ? sites - first : STRETCH;
        encode_tips(a, rows, of_letter, first, count);
        both_passes(a, first, count);
    }
    *ancestors = a;
    return WL_OK;
}

void papara_ancestors_free(papara_ancestors *ancestors) {
    if (ancestors == NULL) return;
    WL_FREE(ancestors->down, ancestors->up, ancestors);
}

void papara_ancestors_fill(const void *context, size_t first, size_t count, uint32_t *site) {
    const papara_ancestors *a = context;
    const papara_tree *tree = a->tree;
    for (size_t e = first; e < first + count; e++, site += a->sites) {
        uint32_t upper = tree->edge[e][0], lower = tree->edge[e][1];
        /* The file's upper node is the parent here too, except for the edge of a removed root. */
        uint32_t child = lower != tree->taxa && tree->neighbour[lower][0] == upper ? lower : upper;
        const uint8_t *x = vector_of(a, a->down, child, 0), *y = vector_of(a, a->up, child, 0);
        int by_tip = is_tip(a, child); // parents are none
        if (a->alphabet == PAPARA_DNA)
            papara_root_dna(by_tip, site, x, y, a->sites);
        else
            papara_root_protein(by_tip, site, (const uint32_t *)x, (const uint32_t *)y, a->sites);
    }
}
