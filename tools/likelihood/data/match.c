#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

#include "tools/likelihood/data/columns.h"
#include "harness/base/text.h"
#include "io/names.h"

enum { NAME_SHOWN = 100 };

/* As strcmp, of names with '_' for ' '. */
static int compare_blanks(const char *x, const char *y) {
    for (; *x && (*x == ' ' ? '_' : *x) == (*y == ' ' ? '_' : *y); x++, y++) continue;
    const unsigned char a = *x == ' ' ? '_' : (unsigned char)*x, b = *y == ' ' ? '_' : (unsigned char)*y;
    return (a > b) - (a < b);
}

static int by_name_blanks(const void *left, const void *right) {
    return compare_blanks(((const wl_name *)left)->text, ((const wl_name *)right)->text);
}

/* Rows by name, twice. */
typedef struct {
    uint32_t count;
    wl_name *exact, *blanks;
} names;

static uint32_t find_name(const names *n, const char *name) {
    const wl_name key = {name, 0}, *found = wl_names_find(n->exact, n->count, name);
    if (found) return (uint32_t)found->index;
    found = bsearch(&key, n->blanks, n->count, sizeof key, by_name_blanks);
    if (found == NULL) return WL_NO_NODE;
    /* "a b" and "a_b" may both be there, and then nobody knows. */
    if (found > n->blanks && by_name_blanks(found - 1, found) == 0) return WL_NO_NODE;
    if (found + 1 < n->blanks + n->count && by_name_blanks(found, found + 1) == 0) return WL_NO_NODE;
    return (uint32_t)found->index;
}

/* PAML reads "A#1" as A in the branches that it calls 1. */
static uint32_t find(const names *n, const char *name) {
    const size_t length = strcspn(name, "#$"), rest = length + strspn(name + length, "#$0123456789.");
    uint32_t found = find_name(n, name);
    if (found != WL_NO_NODE || length == 0 || name[length] == '\0' || name[rest] != '\0') return found;
    char *bare = strndup(name, length);
    if (bare) found = find_name(n, bare);
    free(bare);
    return found;
}

static wl_status refuse_missing(const char *path, const wl_newick *newick, uint32_t first, uint32_t missing,
                                const char *alignment_path, const wl_alignment *alignment) {
    const char *name = newick->label[first];
    const char *like = NULL;
    for (size_t r = 0; r < alignment->count && like == NULL; r++)
        if (wl_newick_is_spelt_like(name, alignment->rows[r].name)) like = alignment->rows[r].name;
    return wl_fail(
        WL_BAD_INPUT,
        "%s:%zu: found %u tip%s of the tree that %s lacks, the first '%.*s'; expected a row for every tip%s%.*s%s%s",
        wl_path_shown(path), newick->line[first], missing, missing == 1 ? "" : "s", wl_path_shown(alignment_path),
        NAME_SHOWN, name, like ? " (it has '" : "", NAME_SHOWN, like ? like : "", like ? "')" : "",
        like ? "" : ", or --prune to leave such tips out");
}

/* node_of [rows]: the tip that has it. */
static wl_status match(const char *path, const wl_newick *newick, const char *alignment_path,
                       const wl_alignment *alignment, const names *n, uint32_t *tip_of, uint32_t *node_of) {
    uint32_t missing = 0, first = 0;
    for (uint32_t r = 0; r < n->count; r++) node_of[r] = WL_NO_NODE;
    for (uint32_t v = 0; v < newick->nodes; v++) {
        tip_of[v] = WL_NO_NODE;
        if (newick->first_child[v] != WL_NO_NODE) continue;
        const uint32_t row = find(n, newick->label[v]);
        if (row == WL_NO_NODE) {
            if (missing++ == 0) first = v;
            continue;
        }
        if (node_of[row] != WL_NO_NODE)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found the tip '%.*s' again, after line %zu; expected every name once",
                           wl_path_shown(path), newick->line[v], NAME_SHOWN, newick->label[v],
                           newick->line[node_of[row]]);
        tip_of[v] = row;
        node_of[row] = v;
    }
    if (missing > 0) return refuse_missing(path, newick, first, missing, alignment_path, alignment);
    for (uint32_t r = 0; r < n->count; r++)
        if (node_of[r] == WL_NO_NODE && missing++ == 0) first = r;
    if (missing > 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: found %u row%s that the tree in %s lacks, the first '%.*s'; expected a tip for every "
                       "row",
                       wl_path_shown(alignment_path), alignment->rows[first].line, missing, missing == 1 ? "" : "s",
                       wl_path_shown(path), NAME_SHOWN, alignment->rows[first].name);
    return WL_OK;
}

/* Before names are looked for: a tip that is there twice is that, whether or not there is a row for it. */
static wl_status require_tips_once(const char *path, const wl_newick *newick, wl_name *tips) {
    uint32_t count = 0;
    size_t again, before = 0;
    for (uint32_t v = 0; v < newick->nodes; v++)
        if (newick->first_child[v] == WL_NO_NODE) tips[count++] = (wl_name){newick->label[v], v};
    wl_names_sort(tips, count);
    if (wl_names_repeated(tips, count, &again, &before) == 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s:%zu: found the tip '%.*s' again, after line %zu; expected every name once",
                   wl_path_shown(path), newick->line[again], NAME_SHOWN, newick->label[again], newick->line[before]);
}

/* By the rows' names; free with free_names in any case. */
static wl_status sort_names(const wl_alignment *alignment, names *n) {
    const size_t count = alignment->count;
    *n = (names){.count = (uint32_t)count};
    if (!WL_ALLOCATE(WL_ARRAY(n->exact, count), WL_ARRAY(n->blanks, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the names of %zu rows", count);
    for (uint32_t r = 0; r < n->count; r++) n->exact[r] = n->blanks[r] = (wl_name){alignment->rows[r].name, r};
    wl_names_sort(n->exact, count);
    qsort(n->blanks, count, sizeof *n->blanks, by_name_blanks);
    return WL_OK;
}

static void free_names(names *n) { WL_FREE(n->exact, n->blanks); }

wl_status peeling_columns_match(const char *path, const wl_newick *newick, const char *alignment_path,
                                const wl_alignment *alignment, uint32_t *tip_of) {
    if (newick->tips < 2)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found a tree of %u tip%s; expected at least 2", wl_path_shown(path),
                       newick->line[0], newick->tips, newick->tips == 1 ? "" : "s");
    if (alignment->count >= WL_NO_NODE / 2)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu rows; expected fewer than 2^31", wl_path_shown(alignment_path),
                       alignment->count);
    names n;
    uint32_t *node_of = NULL;
    wl_name *tips = NULL;
    WL_TRY(sort_names(alignment, &n));
    if (!WL_ALLOCATE(WL_ARRAY(node_of, n.count), WL_ARRAY(tips, newick->tips))) {
        free_names(&n);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the names of %u rows", n.count);
    }
    wl_status status = require_tips_once(path, newick, tips);
    if (status == WL_OK) status = match(path, newick, alignment_path, alignment, &n, tip_of, node_of);
    WL_FREE(tips, node_of);
    free_names(&n);
    return status;
}

/* --- Tips without rows ------------------------------------------------------------------------------------------- */

/* place_of [nodes]: where a node goes that is kept, or WL_NO_NODE. Nodes stay in order: parents before their children. */
static void close_ranks(wl_newick *newick, const uint32_t *place_of, uint32_t *last_child) {
    uint32_t nodes = 0;
    for (uint32_t v = 0; v < newick->nodes; v++) {
        const uint32_t to = place_of[v];
        if (to == WL_NO_NODE) continue;
        const uint32_t parent = newick->parent[v] == WL_NO_NODE ? WL_NO_NODE : place_of[newick->parent[v]];
        newick->parent[to] = parent;
        newick->length[to] = newick->length[v];
        newick->label[to] = newick->label[v];
        newick->line[to] = newick->line[v];
        newick->first_child[to] = newick->next_sibling[to] = last_child[to] = WL_NO_NODE;
        nodes++;
        if (parent == WL_NO_NODE) continue;
        if (last_child[parent] == WL_NO_NODE)
            newick->first_child[parent] = to;
        else
            newick->next_sibling[last_child[parent]] = to;
        last_child[parent] = to;
    }
    newick->nodes = nodes;
}

wl_status peeling_columns_prune(wl_newick *newick, const wl_alignment *alignment, uint32_t *pruned) {
    names n;
    uint32_t *place_of = NULL, *last_child = NULL;
    WL_TRY(sort_names(alignment, &n));
    const int has_memory = WL_ALLOCATE(WL_ARRAY(place_of, newick->nodes), WL_ARRAY(last_child, newick->nodes));
    *pruned = 0;
    for (uint32_t v = 0; v < newick->nodes && has_memory; v++) place_of[v] = WL_NO_NODE;
    for (uint32_t v = newick->nodes; v-- > 0 && has_memory;) {
        const int is_tip = newick->first_child[v] == WL_NO_NODE;
        if (is_tip && find(&n, newick->label[v]) == WL_NO_NODE)
            ++*pruned;
        else if (is_tip)
            place_of[v] = 0;
        if (place_of[v] != WL_NO_NODE && newick->parent[v] != WL_NO_NODE) place_of[newick->parent[v]] = 0;
    }
    uint32_t kept = 0;
    for (uint32_t v = 0; v < newick->nodes && has_memory; v++)
        if (place_of[v] != WL_NO_NODE) place_of[v] = kept++;
    if (has_memory && kept > 0 && *pruned > 0) { // of a tree without any row nothing is left, and others say so
        close_ranks(newick, place_of, last_child);
        newick->tips -= *pruned;
    }
    WL_FREE(place_of, last_child);
    free_names(&n);
    return has_memory ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory for a tree of %u nodes", newick->nodes);
}
