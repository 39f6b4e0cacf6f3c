#define _GNU_SOURCE /* open_memstream */
#include "report/markdown.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "harness/base/memory.h"

enum { OPTIONS = CMARK_OPT_UNSAFE }; /* so that comments stay comments; tagfilter takes what runs */

/* The parser, whose extensions rendering needs, and the document; 0: no memory. */
typedef struct {
    cmark_parser *parser;
    cmark_node *root;
} document;

static int parse(const char *text, size_t length, document *d) {
    static const char *const extensions[] = {"table", "autolink", "strikethrough", "tagfilter"};
    cmark_gfm_core_extensions_ensure_registered();
    *d = (document){.parser = cmark_parser_new(OPTIONS)};
    for (size_t i = 0; d->parser != NULL && i < sizeof extensions / sizeof *extensions; i++)
        cmark_parser_attach_syntax_extension(d->parser, cmark_find_syntax_extension(extensions[i]));
    if (d->parser == NULL) return 0;
    cmark_parser_feed(d->parser, text, length);
    d->root = cmark_parser_finish(d->parser);
    return d->root != NULL;
}

static void free_document(document *d) {
    if (d->root != NULL) cmark_node_free(d->root);
    if (d->parser != NULL) cmark_parser_free(d->parser);
}

/* --- Plain text ---------------------------------------------------------------------------------------------------- */

/* The words of a node and of all in it. */
static void put_words(FILE *stream, cmark_node *node) {
    cmark_iter *iter = cmark_iter_new(node);
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *at = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(at);
        const char *literal = cmark_node_get_literal(at);
        if (event != CMARK_EVENT_ENTER) continue;
        if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK || type == CMARK_NODE_PARAGRAPH ||
            type == CMARK_NODE_ITEM || strcmp(cmark_node_get_type_string(at), "table_cell") == 0)
            fputc(' ', stream);
        if ((type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK) && literal != NULL)
            fputs(literal, stream);
    }
    cmark_iter_free(iter);
}

static char *words_of(cmark_node *node) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return NULL;
    put_words(stream, node);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

/* "Ligowski & Rudnicki" is ligowski--rudnicki; the second of a page gets -1, the third -2. */
typedef struct {
    char **names;
    size_t count, room, since;
} names;

static char *name_of(const char *title, names *used) {
    char *plain = malloc(strlen(title) + 1), *name = NULL, *to = plain;
    if (plain == NULL) return NULL;
    for (const char *at = title; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (isalnum(c) || c == '-' || c == '_' || c >= 128) *to++ = (char)tolower(c);
        if (c == ' ') *to++ = '-';
    }
    *to = 0;
    size_t same = 0;
    for (size_t i = 0; i < used->count; i++) same += strcmp(used->names[i], plain) == 0;
    if (wl_memory_grow(&used->since, &used->names, &used->room, used->count + 1, sizeof *used->names) &&
        asprintf(&name, same == 0 ? "%s" : "%s-%zu", plain, same) >= 0)
        used->names[used->count++] = plain;
    else
        free(plain);
    return name;
}

static void free_names(names *used) {
    for (size_t i = 0; i < used->count; i++) free(used->names[i]);
    free(used->names);
}

/* --- HTML ---------------------------------------------------------------------------------------------------------- */

static int name_heading(cmark_node *heading, names *used) {
    char *title = words_of(heading), *name = title == NULL ? NULL : name_of(title, used), *html = NULL;
    cmark_node *mark = cmark_node_new(CMARK_NODE_HTML_INLINE);
    const int done = name != NULL && mark != NULL && asprintf(&html, "<span id=\"%s\"></span>", name) >= 0 &&
                     cmark_node_set_literal(mark, html) && cmark_node_prepend_child(heading, mark);
    WL_FREE(title, name, html);
    return done;
}

/* Give a link its address, or put its words in its place. */
static int address_link(cmark_node *link, markdown_address *address, void *context) {
    char *url = address(context, cmark_node_get_url(link));
    if (url != NULL) {
        const int done = cmark_node_set_url(link, url);
        free(url);
        return done;
    }
    for (cmark_node *child; (child = cmark_node_first_child(link)) != NULL;)
        if (!cmark_node_insert_before(link, child)) return 0;
    cmark_node_free(link);
    return 1;
}

/* All headings, or all links and pictures: gathered before any of them is changed. The caller frees *found. */
static size_t gather(cmark_node *root, int is_heading, cmark_node ***found) {
    size_t count = 0, room = 0, since = 0;
    cmark_iter *iter = cmark_iter_new(root);
    *found = NULL;
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(node);
        const int wanted =
            is_heading ? type == CMARK_NODE_HEADING : type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE;
        if (event != CMARK_EVENT_ENTER || !wanted) continue;
        if (!wl_memory_grow(&since, found, &room, count + 1, sizeof **found)) break;
        (*found)[count++] = node;
    }
    cmark_iter_free(iter);
    return count;
}

char *markdown_html(const char *text, size_t length, markdown_address *address, void *context) {
    document d;
    names used = {0};
    cmark_node **nodes = NULL;
    char *html = NULL;
    int done = parse(text, length, &d);
    size_t count = done ? gather(d.root, 1, &nodes) : 0;
    for (size_t i = 0; i < count; i++) done = name_heading(nodes[i], &used) && done;
    free(nodes);
    nodes = NULL;
    count = done ? gather(d.root, 0, &nodes) : 0;
    for (size_t i = count; i-- > 0;) done = address_link(nodes[i], address, context) && done; /* inner ones first */
    free(nodes);
    if (done) html = cmark_render_html(d.root, OPTIONS, cmark_parser_get_syntax_extensions(d.parser));
    free_document(&d);
    free_names(&used);
    return html;
}

char *markdown_title(const char *text) {
    document d;
    cmark_node **nodes = NULL;
    char *title = NULL;
    if (parse(text, strlen(text), &d) && gather(d.root, 1, &nodes) > 0) title = words_of(nodes[0]);
    free(nodes);
    free_document(&d);
    return title;
}

int markdown_sections(const char *text, markdown_section *take, void *context) {
    document d;
    names used = {0};
    int done = parse(text, strlen(text), &d);
    for (cmark_node *node = done ? cmark_node_first_child(d.root) : NULL; node != NULL && done;) {
        char *title = NULL, *name = NULL, *body = NULL;
        size_t size;
        FILE *stream = open_memstream(&body, &size);
        if (cmark_node_get_type(node) == CMARK_NODE_HEADING) {
            title = words_of(node);
            name = title == NULL ? NULL : name_of(title, &used);
            node = cmark_node_next(node);
        }
        for (; stream != NULL && node != NULL && cmark_node_get_type(node) != CMARK_NODE_HEADING;
             node = cmark_node_next(node))
            put_words(stream, node);
        done = stream != NULL && fclose(stream) == 0;
        if (done) take(context, name == NULL ? "" : name, title == NULL ? "" : title, body);
        WL_FREE(title, name, body);
    }
    free_document(&d);
    free_names(&used);
    return done;
}
