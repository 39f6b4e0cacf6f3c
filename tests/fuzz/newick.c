/* io/newick: what is accepted must be a tree whose links agree, in the order promised, and come back the same when it is
   written and read again. */
#include "io/newick.h"

#include <math.h>

#include "tests/fuzz/target.h"

static void require_tree(const wl_newick *t) {
    uint32_t tips = 0, linked = 1;
    REQUIRE(t->nodes > 0 && t->parent[0] == WL_NO_NODE && t->next_sibling[0] == WL_NO_NODE);
    for (uint32_t i = 0; i < t->nodes; i++) {
        uint32_t child = t->first_child[i];
        REQUIRE(!isinf(t->length[i]) && t->line[i] > 0);
        for (const char *c = t->label[i]; *c; c++) REQUIRE(!iscntrl((unsigned char)*c));
        REQUIRE(child == WL_NO_NODE ? t->label[i][0] != 0 : child == i + 1);
        tips += child == WL_NO_NODE;
        for (uint32_t before = i; child != WL_NO_NODE; before = child, child = t->next_sibling[child], linked++)
            REQUIRE(child > before && child < t->nodes && t->parent[child] == i);
    }
    REQUIRE(tips == t->tips && linked == t->nodes);
}

/* What follows a node's children. */
static void put_end(FILE *out, const wl_newick *t, uint32_t node) {
    if (t->label[node][0]) {
        fputs(" '", out);
        for (const char *c = t->label[node]; *c; c++) fputs(*c == '\'' ? "''" : (char[]){*c, 0}, out);
        fputs("'[a[b]]", out);
    }
    if (!isnan(t->length[node])) fprintf(out, ":\n%.17g", t->length[node]);
}

static void put_tree(FILE *out, const wl_newick *t) {
    uint32_t node = 0;
    while (node != WL_NO_NODE) {
        if (t->first_child[node] != WL_NO_NODE) {
            fputc('(', out);
            node = t->first_child[node];
            continue;
        }
        put_end(out, t, node);
        while (node != WL_NO_NODE && t->next_sibling[node] == WL_NO_NODE) {
            node = t->parent[node];
            if (node == WL_NO_NODE) break;
            fputc(')', out);
            put_end(out, t, node);
        }
        if (node == WL_NO_NODE) break;
        fputc(',', out);
        node = t->next_sibling[node];
    }
    fputs(";\n", out);
}

static void require_same(const wl_newick *a, const wl_newick *b) {
    REQUIRE(a->nodes == b->nodes && a->tips == b->tips);
    for (uint32_t i = 0; i < a->nodes; i++) {
        REQUIRE(a->parent[i] == b->parent[i] && a->first_child[i] == b->first_child[i]);
        REQUIRE(a->next_sibling[i] == b->next_sibling[i] && strcmp(a->label[i], b->label[i]) == 0);
        REQUIRE(a->length[i] == b->length[i] || (isnan(a->length[i]) && isnan(b->length[i])));
    }
}

static void require_same_when_written(const wl_newick *tree) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    put_tree(out, tree);
    fclose(out);
    wl_newick again;
    REQUIRE(wl_newick_parse("written", text, size, &again) == WL_OK);
    require_same(tree, &again);
    wl_newick_free(&again);
    free(text);
}

static wl_status try(const uint8_t *data, size_t size) {
    wl_newick tree;
    const char *path = fuzz_file(data, size);
    wl_status status = wl_newick_read(path, &tree);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return status;
    }
    require_tree(&tree);
    require_same_when_written(&tree);
    wl_newick_free(&tree);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wl_status status = try(data, size);
    if (fuzz_also_packed(data, size)) {
        unsigned char *packed;
        size_t packed_size = fuzz_pack(data, size, &packed);
        REQUIRE(try(packed, packed_size) == status);
        free(packed);
    }
    /* From memory that ends where the text does, without a zero after it. */
    wl_newick tree;
    wl_status parsed = wl_newick_parse("memory", (const char *)data, size, &tree);
    if (parsed == WL_OK) {
        require_tree(&tree); /* which a file's first bytes may have made something else than text */
        wl_newick_free(&tree);
    } else {
        fuzz_require_refusal(parsed, "memory");
    }
    return 0;
}
