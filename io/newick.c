/* One pass over the text with the node being read, `at`, as its only state: what recursion would remember is in the tree. */
#include "io/newick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "io/bytes.h"
#include "harness/base/memory.h"
#include "io/nexus.h"

#define EXPECTED "a tree in Newick format"
#define SHOWN 40   // bytes of a label in an error line
#define DIGITS 400 // bytes of an edge length: 1e-308 written out fits

typedef struct {
    const char *name; // of the file
    const char *next, *end;
    const char *line_begin;
    size_t line;
    wl_newick tree;
    char *labels;  // what the next label is written to
    uint32_t at;   // the node being read
    uint32_t open; // parentheses
} reader;

/* A node's parts that have been read already. */
typedef enum { NOTHING, CLOSED, LABELLED, MEASURED } part;

/* The formats are literals, so that the compiler checks them; `place` is in the line being read. */
#define REFUSE(r, place, format, ...)                                                                           \
    wl_fail(WL_BAD_INPUT, "%s:%zu:%zu: " format, (r)->name, (r)->line, (size_t)((place) - (r)->line_begin) + 1, \
            __VA_ARGS__)

static int is_white(int byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

/* White space is none here. */
static int is_control(int byte) { return byte == 0x7F || (byte < 0x20 && !is_white(byte)); }

/* What ends an unquoted label or a length. */
static int is_end(int byte) { return byte <= ' ' || byte == 0x7F || strchr("()[]:;,'", byte) != NULL; }

static const char *word_end(const reader *r) {
    const char *end = r->next;
    while (end < r->end && !is_end((unsigned char)*end)) end++;
    return end;
}

static int shown(size_t length) { return length < SHOWN ? (int)length : SHOWN; }

static wl_status refuse_control(const reader *r, const char *place) {
    char text[16];
    return REFUSE(r, place, "found %s; expected text", wl_bytes_show((unsigned char)*place, text));
}

static void end_line(reader *r) { // next is after it
    r->line++;
    r->line_begin = r->next;
}

static wl_status skip_comment(reader *r) {
    const reader start = *r;
    size_t depth = 0;
    do {
        if (r->next == r->end) return REFUSE(&start, start.next, "the comment is not closed; expected %s", "']'");
        if (is_control((unsigned char)*r->next)) return refuse_control(r, r->next);
        char byte = *r->next++;
        depth += byte == '[';
        depth -= byte == ']';
        if (byte == '\n') end_line(r);
    } while (depth > 0);
    return WL_OK;
}

/* To the next byte that says something; the text's end is one. */
static wl_status skip(reader *r) {
    while (r->next < r->end && (is_white((unsigned char)*r->next) || *r->next == '[')) {
        if (*r->next == '[') {
            WL_TRY(skip_comment(r));
        } else if (*r->next++ == '\n') {
            end_line(r);
        }
    }
    return r->next < r->end && is_control((unsigned char)*r->next) ? refuse_control(r, r->next) : WL_OK;
}

/* A node after `sibling`, or `parent`'s first child. */
static wl_status begin_node(reader *r, uint32_t parent, uint32_t sibling) {
    wl_newick *t = &r->tree;
    if (t->nodes == WL_NO_NODE)
        return REFUSE(r, r->next, "found more than %zu nodes; expected fewer", (size_t)WL_NO_NODE);
    uint32_t node = t->nodes++;
    if (sibling != WL_NO_NODE)
        t->next_sibling[sibling] = node;
    else if (parent != WL_NO_NODE)
        t->first_child[parent] = node;
    t->parent[node] = parent;
    t->first_child[node] = t->next_sibling[node] = WL_NO_NODE;
    t->length[node] = (double)NAN;
    t->label[node] = r->labels - 1; // the zero before: ""
    r->at = node;
    return WL_OK;
}

/* In single quotes, which are written twice within, or double ones, as some programs write. */
static wl_status read_quoted(reader *r) {
    const char *start = r->next++, quote = *start;
    for (;; r->next++) {
        if (r->next == r->end || *r->next == '\n' || *r->next == '\r')
            return REFUSE(r, start, "the quoted label is not closed in its line; expected a second %s",
                          quote == '"' ? "'\"'" : "\"'\"");
        if ((unsigned char)*r->next < 0x20 || *r->next == 0x7F) return refuse_control(r, r->next);
        if (*r->next == quote) {
            r->next++;
            if (r->next == r->end || *r->next != quote) break;
        }
        *r->labels++ = *r->next;
    }
    *r->labels++ = 0;
    return WL_OK;
}

/* At a byte that may begin a label. */
static wl_status read_label(reader *r) {
    r->tree.label[r->at] = r->labels;
    r->tree.line[r->at] = r->line;
    if (*r->next == '\'' || *r->next == '"') return read_quoted(r);
    size_t length = (size_t)(word_end(r) - r->next);
    memcpy(r->labels, r->next, length);
    r->labels[length] = 0;
    r->labels += length + 1;
    r->next += length;
    return WL_OK;
}

/* After the colon. */
static wl_status read_length(reader *r) {
    WL_TRY(skip(r));
    const char *begin = r->next;
    size_t length = (size_t)(word_end(r) - begin);
    char number[DIGITS + 1], text[16];
    if (begin == r->end) return REFUSE(r, begin, "the text ends behind ':'; expected %s", "an edge's length");
    if (length == 0)
        return REFUSE(r, begin, "found %s; expected an edge's length behind ':'",
                      wl_bytes_show((unsigned char)*begin, text));
    if (length > DIGITS)
        return REFUSE(r, begin, "found an edge's length of %zu characters; expected at most %d", length, DIGITS);
    memcpy(number, begin, length);
    number[length] = 0;
    const char *end;
    const double value = wl_decimal(number, &end);
    if (!isfinite(value) || *end)
        return REFUSE(r, begin, "found '%.*s'; expected an edge's length, a number such as 0.01 or 1e-2", shown(length),
                      number);
    r->tree.length[r->at] = value;
    r->next += length;
    return WL_OK;
}

static wl_status refuse_open(const reader *r) {
    char text[16];
    size_t from = r->tree.line[r->tree.parent[r->at]];
    if (r->next == r->end)
        return REFUSE(r, r->next, "the text ends with %u '(' open, the last since line %zu; expected ')'", r->open,
                      from);
    return REFUSE(r, r->next, "found %s with %u '(' open, the last since line %zu; expected ')'",
                  wl_bytes_show(*r->next, text), r->open, from);
}

/* PAML's "#1" or "$1", which sets a branch or a clade apart, may follow a label or a length. Moves on past it, or returns 0. */
static int skip_mark(reader *r) {
    const int quoted = r->end - r->next > 1 && *r->next == '\'' && strchr("#$", r->next[1]);
    const char *at = r->next + quoted;
    if (at == r->end || (*at != '#' && *at != '$')) return 0;
    const char *digits = ++at;
    while (at < r->end && ((*at >= '0' && *at <= '9') || *at == '.')) at++;
    if (at == digits || (quoted && (at == r->end || *at++ != '\''))) return 0;
    if (at < r->end && !is_end((unsigned char)*at)) return 0;
    r->next = at;
    return 1;
}

/* Nothing of the node has been read: it has children, or it is a tip and has a name. */
static wl_status read_begin(reader *r, part *had) {
    wl_newick *t = &r->tree;
    char text[16];
    t->line[r->at] = r->line;
    if (r->next < r->end && *r->next == '(') {
        r->next++;
        r->open++;
        return begin_node(r, r->at, WL_NO_NODE);
    }
    if (r->next == r->end && r->at == 0)
        return wl_fail(WL_BAD_INPUT, "%s: found no tree in the file; expected %s", r->name, EXPECTED);
    if (r->next == r->end) return refuse_open(r);
    if (*r->next != '\'' && is_end((unsigned char)*r->next))
        return REFUSE(r, r->next, "found %s; expected '(' or a tip's name",
                      wl_bytes_show((unsigned char)*r->next, text));
    const char *begin = r->next;
    WL_TRY(read_label(r));
    if (t->label[r->at][0] == 0) return REFUSE(r, begin, "found %s as a tip's name; expected a name", "''");
    t->tips++;
    *had = LABELLED;
    return WL_OK;
}

/* Found something that the part before it does not allow. */
static wl_status refuse_after(const reader *r, part had) {
    static const char *const expected[] = {
        [CLOSED] = "a label, ':', ',', ')' or ';'",
        [LABELLED] = "':', ',', ')' or ';' (a label with blanks or quotes in it has to stand in single quotes)",
        [MEASURED] = "',', ')' or ';'"};
    static const char *const after[] = {[CLOSED] = "')'", [LABELLED] = "a label", [MEASURED] = "an edge's length"};
    size_t length = (size_t)(word_end(r) - r->next);
    char text[16];
    if (r->next == r->end) return REFUSE(r, r->next, "the text ends; expected %s", "';'");
    if (length > 0)
        return REFUSE(r, r->next, "found '%.*s' after %s; expected %s", shown(length), r->next, after[had],
                      expected[had]);
    return REFUSE(r, r->next, "found %s after %s; expected %s", wl_bytes_show((unsigned char)*r->next, text),
                  after[had], expected[had]);
}

/* What follows a node's ')', label or length. */
static wl_status read_after(reader *r, part *had) {
    wl_newick *t = &r->tree;
    char byte = r->next < r->end ? *r->next : 0, text[16];
    if (byte == ':' && *had < MEASURED) {
        r->next++;
        *had = MEASURED;
        return read_length(r);
    }
    if (byte == ',' || byte == ')') {
        if (r->at == 0)
            return REFUSE(r, r->next, "found %s outside all parentheses; expected ';'", wl_bytes_show(byte, text));
        r->next++;
        *had = byte == ',' ? NOTHING : CLOSED;
        if (byte == ',') return begin_node(r, t->parent[r->at], r->at);
        r->open--;
        r->at = t->parent[r->at];
        return WL_OK;
    }
    if (r->at > 0 && (byte == ';' || r->next == r->end)) return refuse_open(r);
    if (*had >= LABELLED && skip_mark(r)) return WL_OK;
    if (*had != CLOSED || r->next == r->end || (byte != '\'' && is_end((unsigned char)byte)))
        return refuse_after(r, *had);
    *had = LABELLED;
    return read_label(r);
}

static wl_status read_tree(reader *r) {
    part had = NOTHING;
    wl_status status = begin_node(r, WL_NO_NODE, WL_NO_NODE);
    if (status == WL_OK) status = skip(r);
    while (status == WL_OK && !(r->next < r->end && *r->next == ';' && r->at == 0 && had != NOTHING)) {
        status = had == NOTHING ? read_begin(r, &had) : read_after(r, &had);
        if (status == WL_OK) status = skip(r);
    }
    if (status != WL_OK) return status;
    r->next++;
    return skip(r);
}

/* PAML's files begin with the numbers of tips and of trees. */
static wl_status skip_counts(reader *r) {
    WL_TRY(skip(r));
    reader ahead = *r;
    for (int k = 0; k < 2; k++) {
        const char *begin = ahead.next;
        while (ahead.next < ahead.end && *ahead.next >= '0' && *ahead.next <= '9') ahead.next++;
        if (ahead.next == begin) return WL_OK;
        WL_TRY(skip(&ahead));
    }
    if (ahead.next < ahead.end && *ahead.next == '(') *r = ahead;
    return WL_OK;
}

/* Of several trees the one of that number, from 1; the others before it are read as well. 0: the only one. */
static wl_status read_trees(reader *r, size_t number) {
    const char *labels = r->labels;
    WL_TRY(skip_counts(r));
    for (size_t k = 1;; k++) {
        wl_status status = read_tree(r);
        char text[16];
        if (status == WL_OK && number == 0 && r->next < r->end)
            return REFUSE(r, r->next, "found %s after the tree's ';'; expected one tree and no more",
                          wl_bytes_show((unsigned char)*r->next, text));
        if (status != WL_OK || number == 0 || k == number) return status;
        if (r->next == r->end)
            return wl_fail(WL_BAD_INPUT, "%s: found %zu tree%s in the file; expected at least %zu", r->name, k,
                           k == 1 ? "" : "s", number);
        r->tree.nodes = r->tree.tips = 0;
        r->labels = (char *)labels;
    }
}

/* Every node but the root is begun by a '(' or ','. Every label has a byte after it that is not part of it, for its zero. */
static int reserve(wl_newick *t, const char *text, size_t size) {
    size_t nodes = 1, room = 0;
    for (size_t i = 0; i < size; i++) nodes += text[i] == '(' || text[i] == ',';
    size_t node = 3 * sizeof *t->parent + sizeof *t->length + sizeof *t->label + sizeof *t->line;
    if (nodes > SIZE_MAX / 2 / node || !wl_memory_room(&room, nodes * node + size)) return 0;
    t->parent = malloc(nodes * sizeof *t->parent);
    t->first_child = malloc(nodes * sizeof *t->first_child);
    t->next_sibling = malloc(nodes * sizeof *t->next_sibling);
    t->length = malloc(nodes * sizeof *t->length);
    t->label = malloc(nodes * sizeof *t->label + size + 2); // the labels' text follows the pointers
    t->line = malloc(nodes * sizeof *t->line);
    if (t->label == NULL) return 0;
    t->label[0] = (char *)(t->label + nodes);
    t->label[0][0] = 0;
    return t->parent && t->first_child && t->next_sibling && t->length && t->line;
}

static wl_status parse(reader r, size_t number, wl_newick *tree) {
    const size_t size = (size_t)(r.end - r.next);
    wl_status status = WL_OK;
    if (!reserve(&r.tree, r.next, size)) {
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for a tree of %zu bytes", r.name, size);
    } else {
        r.labels = r.tree.label[0] + 1;
        status = read_trees(&r, number);
    }
    if (status == WL_OK)
        *tree = r.tree;
    else
        wl_newick_free(&r.tree);
    return status;
}

wl_status wl_newick_parse_part(const char *path, size_t line, size_t column, const char *text, size_t size,
                               wl_newick *tree) {
    const reader r = {.name = path, .next = text, .end = text + size, .line_begin = text - (column - 1), .line = line};
    return parse(r, 0, tree);
}

wl_status wl_newick_parse_number(const char *path, const char *text, size_t size, size_t number, wl_newick *tree) {
    if (wl_nexus_is(text, size)) return wl_nexus_tree(path, text, size, number, tree);
    const reader r = {.name = path, .next = text, .end = text + size, .line_begin = text, .line = 1};
    return parse(r, number, tree);
}

wl_status wl_newick_parse(const char *path, const char *text, size_t size, wl_newick *tree) {
    return wl_newick_parse_number(path, text, size, 0, tree);
}

void wl_newick_free(wl_newick *tree) {
    WL_FREE(tree->parent, tree->first_child, tree->next_sibling, tree->length, tree->label, tree->line);
    *tree = (wl_newick){0};
}
