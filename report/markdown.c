#include "report/markdown.h"

#include <stdlib.h>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "harness/base/memory.h"

enum { OPTIONS = CMARK_OPT_UNSAFE }; // so that comments stay comments; tagfilter takes what runs

/* All links and pictures, gathered before any of them is changed. The caller frees *found. */
static size_t find_links(cmark_node *root, cmark_node ***found) {
    size_t count = 0, room = 0, since = 0;
    cmark_iter *iter = cmark_iter_new(root);
    *found = NULL;
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(node);
        if (event != CMARK_EVENT_ENTER || (type != CMARK_NODE_LINK && type != CMARK_NODE_IMAGE)) continue;
        if (!wl_memory_grow(&since, found, &room, count + 1, sizeof **found)) break;
        (*found)[count++] = node;
    }
    cmark_iter_free(iter);
    return count;
}

static int put_words_in_place_of(cmark_node *link) {
    for (cmark_node *child; (child = cmark_node_first_child(link)) != NULL;)
        if (!cmark_node_insert_before(link, child)) return 0;
    cmark_node_free(link);
    return 1;
}

char *markdown_html(const char *text, size_t length) {
    static const char *const extensions[] = {"table", "autolink", "strikethrough", "tagfilter"};
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(OPTIONS);
    if (parser == NULL) return NULL;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(extensions[i]));
    cmark_parser_feed(parser, text, length);
    cmark_node *root = cmark_parser_finish(parser), **links;
    char *html = NULL;
    if (root != NULL) {
        size_t count = find_links(root, &links);
        int done = 1;
        while (done && count > 0) done = put_words_in_place_of(links[--count]); // inner ones first
        free(links);
        if (done) html = cmark_render_html(root, OPTIONS, cmark_parser_get_syntax_extensions(parser));
        cmark_node_free(root);
    }
    cmark_parser_free(parser);
    return html;
}
