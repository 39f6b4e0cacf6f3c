/* io/newick: the corpus with every error line, and trees made here, so known, written in many ways and read back the same.
   tests/io/oracles has other people's readers to compare with. */
#include "tests/support/corpus.h"

#include <math.h>
#include <time.h>

#include "harness/base/random.h"
#include "io/newick.h"

/* "3 nodes, 2 tips: 1:; 1:A<0 0.5; 1:B<0": of each node its line, label, parent and length. */
static wl_status describe(const char *path, corpus_text *description) {
    wl_newick tree;
    wl_status status = wl_newick_read(path, &tree);
    if (status != WL_OK) return status;
    FILE *out = description->stream;
    fprintf(out, "%u nodes, %u tips:", tree.nodes, tree.tips);
    for (uint32_t i = 0; i < tree.nodes; i++) {
        fprintf(out, "%s%zu:", i ? "; " : " ", tree.line[i]);
        corpus_put(description, tree.label[i]);
        if (i) fprintf(out, "<%u", tree.parent[i]);
        if (!isnan(tree.length[i])) fprintf(out, " %g", tree.length[i]);
    }
    wl_newick_free(&tree);
    return WL_OK;
}

TEST(corpus) { corpus_check("newick", describe); }

TEST(no_files) {
    wl_newick tree;
    assert_int_equal(wl_newick_read("/nowhere/a.nwk", &tree), WL_BAD_INPUT);
    assert_string_equal(wl_error(),
                        "/nowhere/a.nwk: cannot open: No such file or directory; expected a tree in Newick format");
    assert_int_equal(wl_newick_read("/tmp", &tree), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "/tmp: is a directory; expected a tree in Newick format");
}

/* Links among nodes agree with one another, and nodes are in the order promised. */
static void check_links(const wl_newick *t) {
    uint32_t tips = 0, linked = 1;
    assert_int_equal(t->parent[0], WL_NO_NODE);
    assert_int_equal(t->next_sibling[0], WL_NO_NODE);
    for (uint32_t i = 0; i < t->nodes; i++) {
        if (t->first_child[i] == WL_NO_NODE) {
            tips++;
            assert_true(t->label[i][0] != 0);
        } else {
            assert_int_equal(t->first_child[i], i + 1); // the text goes on with it
        }
        uint32_t before = i;
        for (uint32_t child = t->first_child[i]; child != WL_NO_NODE; child = t->next_sibling[child]) {
            assert_true(child > before && child < t->nodes);
            assert_int_equal(t->parent[child], i);
            before = child;
            linked++;
        }
    }
    assert_int_equal(tips, t->tips);
    assert_int_equal(linked, t->nodes);
}

/* --- Deep and wide ----------------------------------------------------------------------------------------------- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `times` times `open`, then "x" and as often `close`, and ";". */
static void parse_made(const char *open, const char *middle, const char *close, size_t times, wl_newick *tree) {
    corpus_text text = {0};
    corpus_open(&text);
    for (size_t i = 0; i < times; i++) fputs(open, text.stream);
    fputs(middle, text.stream);
    for (size_t i = 0; i < times; i++) fputs(close, text.stream);
    fputc(';', text.stream);
    corpus_close(&text);
    double begin = seconds();
    assert_int_equal(wl_newick_parse("made", text.text, text.length, tree), WL_OK);
    assert_true(seconds() - begin < 2); // some tens of milliseconds; quadratic time would be minutes
    free(text.text);
    check_links(tree);
    wl_newick_free(tree);
}

/* No depth is too deep: a million levels of recursion would end the program. */
TEST(deep_and_wide) {
    wl_newick tree;
    parse_made("(", "x", ",a)", 1000000, &tree);
    parse_made("(a,", "x", ")", 1000000, &tree);
    parse_made("(", "x", ")", 1000000, &tree);
    parse_made("((a,b):1,", "x", ")z:1e-3", 300000, &tree);
}

/* A star, and a comment as deep. */
TEST(wide) {
    corpus_text text = {0};
    corpus_open(&text);
    size_t tips = 1000000;
    for (size_t i = 0; i < tips; i++) fprintf(text.stream, "%ct%zu:%zu", i ? ',' : '(', i, i);
    fputc(')', text.stream);
    for (size_t i = 0; i < tips; i++) fputc('[', text.stream);
    for (size_t i = 0; i < tips; i++) fputc(']', text.stream);
    fputc(';', text.stream);
    corpus_close(&text);
    wl_newick tree;
    assert_int_equal(wl_newick_parse("made", text.text, text.length, &tree), WL_OK);
    free(text.text);
    assert_int_equal(tree.tips, tips);
    assert_int_equal(tree.nodes, tips + 1);
    check_links(&tree);
    char name[32];
    for (size_t i = 0; i < tips; i += 997) {
        snprintf(name, sizeof name, "t%zu", i);
        assert_string_equal(tree.label[i + 1], name);
        assert_true(tree.length[i + 1] == (double)i);
    }
    wl_newick_free(&tree);
}

/* --- Random trees ------------------------------------------------------------------------------------------------ */

#define MOST 200

/* What is written, in the order in which it is: node 0 is the root. */
typedef struct {
    uint32_t nodes, parent[MOST];
    int tip[MOST], has_length[MOST];
    double length[MOST];
    char label[MOST][16];
} known;

static const char plain[] = "ABCxyz0189_-+./|\\\"#%&*<=>?@^`{}~!$\xC3\xA9";
static const char odd[] = "()[]:;,' "; // after which a label must be quoted

static void make_label(wl_random *random, char *label, int tip) {
    uint32_t length = wl_random_below(random, 8);
    if (tip) length++;
    int quoted = wl_random_below(random, 3) == 0;
    for (uint32_t i = 0; i < length; i++)
        label[i] = quoted && wl_random_below(random, 2) ? odd[wl_random_below(random, sizeof odd - 1)]
                                                        : plain[wl_random_below(random, sizeof plain - 1)];
    label[length] = 0;
}

/* Children of a node follow it and what is below its earlier children: a parent is one of the last node's ancestors or it. */
static void make_tree(wl_random *random, known *k) {
    k->nodes = 1 + wl_random_below(random, MOST);
    uint32_t climb = 1 + wl_random_below(random, 20); // deep ones and bushy ones
    for (uint32_t i = 0; i < k->nodes; i++) {
        k->tip[i] = 1;
        uint32_t parent = i ? i - 1 : WL_NO_NODE;
        while (i && parent != 0 && wl_random_below(random, climb) > 0) parent = k->parent[parent];
        k->parent[i] = parent;
        if (i) k->tip[parent] = 0;
    }
    for (uint32_t i = 0; i < k->nodes; i++) {
        make_label(random, k->label[i], k->tip[i]);
        k->has_length[i] = wl_random_below(random, 4) > 0;
        k->length[i] = (wl_random_unit(random) - 0.25) * pow(10, (double)wl_random_below(random, 40) - 20);
    }
}

/* Something that means nothing. */
static void put_filling(wl_random *random, FILE *out, int filled) {
    static const char *const fillings[] = {" ",    "\t", "\n", "\r\n", "[]", "[&&NHX:S=a,b;(']", "[a[b]\n[c[d]]]",
                                           "  \n "};
    while (filled && wl_random_below(random, 4) == 0)
        fputs(fillings[wl_random_below(random, sizeof fillings / sizeof *fillings)], out);
}

static void put_label(wl_random *random, FILE *out, const char *label, int filled) {
    if (label[0] == 0) return;
    if (strpbrk(label, odd) == NULL && label[0] != '"' && (!filled || wl_random_below(random, 4) > 0)) {
        fputs(label, out);
        return;
    }
    fputc('\'', out);
    for (; *label; label++) fputs(*label == '\'' ? "''" : (char[]){*label, 0}, out);
    fputc('\'', out);
}

/* Recursive, unlike the reader. Moves *node on to the first one that is not below it. */
static void put_node(wl_random *random, FILE *out, const known *k, uint32_t *node, int filled) {
    uint32_t at = (*node)++;
    put_filling(random, out, filled);
    if (!k->tip[at]) {
        for (int first = 1; *node < k->nodes && k->parent[*node] == at; first = 0) {
            fputc(first ? '(' : ',', out);
            put_node(random, out, k, node, filled);
            put_filling(random, out, filled);
        }
        fputc(')', out);
        put_filling(random, out, filled);
    }
    put_label(random, out, k->label[at], filled);
    put_filling(random, out, filled);
    if (!k->has_length[at]) return;
    fputc(':', out);
    put_filling(random, out, filled);
    fprintf(out, wl_random_below(random, 2) ? "%.17g" : "%+.17E", k->length[at]);
}

TEST(random_trees) {
    static known k;
    for (uint64_t i = 0; i < 3000; i++) {
        wl_random random = wl_random_stream(4, i);
        make_tree(&random, &k);
        corpus_text text = {0};
        corpus_open(&text);
        uint32_t node = 0;
        put_node(&random, text.stream, &k, &node, i % 3 > 0);
        assert_int_equal(node, k.nodes);
        fputs(";", text.stream);
        put_filling(&random, text.stream, i % 3 > 0);
        corpus_close(&text);
        wl_newick tree;
        if (wl_newick_parse("made", text.text, text.length, &tree) != WL_OK) fail_msg("%s\n%s", wl_error(), text.text);
        check_links(&tree);
        assert_int_equal(tree.nodes, k.nodes);
        assert_memory_equal(tree.parent, k.parent, k.nodes * sizeof *k.parent);
        for (uint32_t n = 0; n < k.nodes; n++) {
            assert_int_equal(tree.first_child[n] == WL_NO_NODE, k.tip[n]);
            assert_string_equal(tree.label[n], k.label[n]);
            if (k.has_length[n])
                assert_true(tree.length[n] == k.length[n]);
            else
                assert_true(isnan(tree.length[n]));
        }
        wl_newick_free(&tree);
        /* What is cut off anywhere before its ';' is refused, with a line. */
        size_t cut = wl_random_below(&random, (uint32_t)(strrchr(text.text, ';') - text.text));
        if (memchr(text.text, '[', text.length) == NULL && memchr(text.text, '\'', text.length) == NULL) {
            assert_int_equal(wl_newick_parse("made", text.text, cut, &tree), WL_BAD_INPUT);
            assert_int_equal(strncmp(wl_error(), "made:", 5), 0);
            assert_non_null(strstr(wl_error(), "expected"));
        }
        free(text.text);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
