/* NEXUS: TREES blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "io/nexus.h"

/* "1" stands for "Homo_sapiens". */
typedef struct {
    char *key, *name; // one block, key
} pair;

typedef struct {
    pair *items; // [count]
    size_t count;
} dictionary;

typedef struct {
    wl_nexus_reader *r;
    dictionary taxa, translate; // of TAXLABELS the keys are the numbers, from 1, in order
    size_t wanted, seen;        // trees; wanted 0: the only one
    wl_newick *tree;
    wl_newick **all; // and where all trees go, or NULL
    size_t *count;
} reader;

static void clear(dictionary *d) {
    for (size_t i = 0; i < d->count; i++) free(d->items[i].key);
    free(d->items);
    *d = (dictionary){0};
}

static wl_status add(const wl_nexus_reader *r, dictionary *d, const wl_nexus_word *key, const wl_nexus_word *name) {
    char *block = WL_GROW(d->items, d->count, 1) ? malloc(key->length + name->length + 2) : NULL;
    if (block == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its names", r->path);
    char *second = block + wl_nexus_copy(key, block) + 1;
    wl_nexus_copy(name, second);
    d->items[d->count++] = (pair){block, second};
    return WL_OK;
}

static int by_key(const void *left, const void *right) {
    return strcmp(((const pair *)left)->key, ((const pair *)right)->key);
}

static int by_name(const void *left, const void *right) {
    return strcmp((*(pair *const *)left)->name, (*(pair *const *)right)->name);
}

/* --- Names ------------------------------------------------------------------------------------------------------- */

static wl_status read_labels(reader *t) {
    for (;;) {
        wl_nexus_word word;
        wl_status status = wl_nexus_next(t->r, ";,", &word);
        if (status != WL_OK || wl_nexus_says(&word, ";")) return status;
        if (wl_nexus_says(&word, ",")) continue; // which some writers put there
        if (word.length == 0) return WL_NEXUS_REFUSE(t->r, &word, "found %s in TAXLABELS; expected a name", "''");
        char number[24];
        snprintf(number, sizeof number, "%zu", t->taxa.count + 1);
        const wl_nexus_word key = {.text = number, .length = strlen(number)};
        WL_TRY(add(t->r, &t->taxa, &key, &word));
    }
}

static wl_status read_translate(reader *t) {
    clear(&t->translate);
    for (;;) {
        wl_nexus_word key, name, after;
        wl_status status = wl_nexus_next(t->r, ";,", &key);
        if (status != WL_OK) return status;
        if (wl_nexus_says(&key, ";")) break; // after a last ','
        status = wl_nexus_next(t->r, ";,", &name);
        if (status != WL_OK) return status;
        if (wl_nexus_says(&name, ";") || wl_nexus_says(&name, ",") || wl_nexus_says(&key, ",") || name.length == 0)
            return WL_NEXUS_REFUSE(t->r, &name, "found '%.*s' in TRANSLATE; expected pairs of a label and a name",
                                   WL_NEXUS_TEXT(&name));
        status = add(t->r, &t->translate, &key, &name);
        if (status == WL_OK) status = wl_nexus_next(t->r, ";,", &after);
        if (status != WL_OK) return status;
        if (wl_nexus_says(&after, ";")) break;
        if (!wl_nexus_says(&after, ","))
            return WL_NEXUS_REFUSE(t->r, &after, "found '%.*s' in TRANSLATE after '%.*s'; expected ',' or ';'",
                                   WL_NEXUS_TEXT(&after), WL_NEXUS_TEXT(&name));
    }
    if (t->translate.count > 0) qsort(t->translate.items, t->translate.count, sizeof *t->translate.items, by_key);
    return WL_OK;
}

/* names [taxa.count]: TAXLABELS by name. */
static const char *name_of(const reader *t, pair *const *names, const char *label) {
    const pair key = {(char *)label, (char *)label}, *at = &key;
    const pair *found =
        t->translate.count == 0 ? NULL : bsearch(&key, t->translate.items, t->translate.count, sizeof key, by_key);
    if (found) return found->name;
    if (t->translate.count > 0 || t->taxa.count == 0) return label;
    if (bsearch(&at, names, t->taxa.count, sizeof at, by_name)) return label;
    char *end;
    const unsigned long number = label[0] >= '1' && label[0] <= '9' ? strtoul(label, &end, 10) : 0;
    return number > 0 && *end == 0 && number <= t->taxa.count ? t->taxa.items[number - 1].name : label;
}

/* Only tips: numbers at inner nodes are support values. */
static wl_status translate_tips(const reader *t, wl_newick *tree) {
    pair **names = malloc((t->taxa.count + 1) * sizeof *names);
    char **labels = NULL;
    size_t size = 0;
    if (names) {
        for (size_t i = 0; i < t->taxa.count; i++) names[i] = &t->taxa.items[i];
        if (t->taxa.count > 0) qsort(names, t->taxa.count, sizeof *names, by_name);
        for (uint32_t v = 0; v < tree->nodes; v++) {
            const int is_tip = tree->first_child[v] == WL_NO_NODE;
            size += strlen(is_tip ? name_of(t, names, tree->label[v]) : tree->label[v]) + 1;
        }
        labels = malloc(tree->nodes * sizeof *labels + size); // as wl_newick has it: the text after the pointers
    }
    if (labels == NULL) {
        free(names);
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for the names of %u tips", t->r->path, tree->tips);
    }
    char *text = (char *)(labels + tree->nodes);
    for (uint32_t v = 0; v < tree->nodes; v++) {
        const int is_tip = tree->first_child[v] == WL_NO_NODE;
        labels[v] = text;
        text = stpcpy(text, is_tip ? name_of(t, names, tree->label[v]) : tree->label[v]) + 1;
    }
    WL_FREE(names, tree->label);
    tree->label = labels;
    return WL_OK;
}

/* --- Trees ------------------------------------------------------------------------------------------------------- */

/* "* name = [&R] (...)", of a TREE command. */
static wl_status read_tree(reader *t) {
    wl_nexus_reader *r = t->r;
    wl_nexus_word name, equals;
    wl_status status = wl_nexus_next(r, "=;", &name);
    if (status == WL_OK && wl_nexus_says(&name, "*")) status = wl_nexus_next(r, "=;", &name); // the default tree
    if (status != WL_OK) return status;
    status = wl_nexus_next(r, "=;", &equals);
    if (status == WL_OK && !wl_nexus_says(&equals, "="))
        return WL_NEXUS_REFUSE(r, &equals, "found '%.*s' after TREE %.*s; expected '=' and a tree",
                               WL_NEXUS_TEXT(&equals), WL_NEXUS_TEXT(&name));
    if (status != WL_OK) return status;
    const wl_nexus_word begin = wl_nexus_here(r);
    const char *stop = begin.text;
    status = wl_nexus_end_command(r, &stop);
    if (status != WL_OK) return status;
    t->seen++;
    if (t->all) {
        if (!WL_GROW(*t->all, *t->count, 1))
            return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its trees", r->path);
        t->tree = &(*t->all)[*t->count];
    } else if (t->wanted == 0 && t->seen > 1) {
        return WL_NEXUS_REFUSE(r, &name, "found a second tree, '%.*s'; expected one tree and no more",
                               WL_NEXUS_TEXT(&name));
    } else if (t->seen != (t->wanted ? t->wanted : 1)) {
        return WL_OK;
    }
    status =
        wl_newick_parse_part(r->path, begin.line, begin.column, begin.text, (size_t)(stop + 1 - begin.text), t->tree);
    if (status == WL_OK && t->all) ++*t->count;
    return status == WL_OK ? translate_tips(t, t->tree) : status;
}

static wl_status read_block(reader *t, const wl_nexus_word *name) {
    const int of_trees = wl_nexus_says(name, "TREES"), of_taxa = wl_nexus_says(name, "TAXA");
    if (!of_trees && !of_taxa) return wl_nexus_skip_block(t->r);
    for (int ended = 0;;) {
        wl_nexus_word command;
        wl_status status = wl_nexus_next_command(t->r, &command, &ended);
        if (status != WL_OK || ended) return status;
        if (of_trees && (wl_nexus_says(&command, "TREE") || wl_nexus_says(&command, "UTREE")))
            status = read_tree(t);
        else if (of_trees && wl_nexus_says(&command, "TRANSLATE"))
            status = read_translate(t);
        else if (of_taxa && t->taxa.count == 0 && wl_nexus_says(&command, "TAXLABELS"))
            status = read_labels(t);
        else
            status = wl_nexus_end_command(t->r, NULL);
        if (status != WL_OK || (t->wanted > 0 && t->seen == t->wanted)) return status;
    }
}

static wl_status read_all(reader *t, const char *path, const char *text, size_t size) {
    wl_nexus_reader r;
    wl_nexus_word name = {.length = 1};
    t->r = &r;
    wl_status status = wl_nexus_open(&r, path, text, size);
    while (status == WL_OK && !(t->wanted > 0 && t->seen == t->wanted)) {
        status = wl_nexus_next_block(&r, &name);
        if (status != WL_OK || name.length == 0) break;
        status = read_block(t, &name);
        clear(&t->translate);
    }
    const size_t least = t->wanted > 0 ? t->wanted : 1;
    if (status == WL_OK && t->seen < least)
        status = wl_fail(WL_BAD_INPUT, "%s: found %zu tree%s in the file's TREES blocks; expected at least %zu", path,
                         t->seen, t->seen == 1 ? "" : "s", least);
    clear(&t->translate);
    clear(&t->taxa);
    return status;
}

wl_status wl_nexus_tree(const char *path, const char *text, size_t size, size_t number, wl_newick *tree) {
    wl_newick made = {0};
    reader t = {.wanted = number, .tree = &made};
    const wl_status status = read_all(&t, path, text, size);
    if (status == WL_OK)
        *tree = made;
    else
        wl_newick_free(&made);
    return status;
}

wl_status wl_nexus_trees(const char *path, const char *text, size_t size, wl_newick **trees, size_t *count) {
    reader t = {.all = trees, .count = count};
    return read_all(&t, path, text, size);
}
