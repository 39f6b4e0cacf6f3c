/* Files of trees. */
#include <stdlib.h>

#include "harness/base/memory.h"
#include "io/bytes.h"
#include "io/newick.h"
#include "io/nexus.h"

#define EXPECTED "a tree in Newick format"

static wl_status read_text(const char *path, wl_bytes **bytes, char **text, size_t *size) {
    WL_TRY(wl_bytes_open(path, EXPECTED, bytes));
    const wl_status status = wl_bytes_all(*bytes, text, size);
    if (status != WL_OK) wl_bytes_close(*bytes);
    return status;
}

wl_status wl_newick_read_number(const char *path, size_t number, wl_newick *tree) {
    wl_bytes *bytes;
    char *text;
    size_t size;
    WL_TRY(read_text(path, &bytes, &text, &size));
    const wl_status status = wl_newick_parse_number(wl_bytes_name(bytes), text, size, number, tree);
    free(text);
    wl_bytes_close(bytes);
    return status;
}

wl_status wl_newick_read(const char *path, wl_newick *tree) { return wl_newick_read_number(path, 0, tree); }

/* What follows the tree at `text`: after its ';', or the end. With `only_space` what follows white space and comments. */
static const char *after(const char *text, const char *end, int only_space) {
    size_t depth = 0;
    char quote = 0;
    for (; text < end; text++) {
        const int open = depth == 0 && !quote;
        if (only_space && open && *text > ' ' && *text != '[') return text;
        if (quote)
            quote = *text == quote || *text == '\n' ? 0 : quote;
        else if (open && (*text == '\'' || *text == '"'))
            quote = *text;
        else if (open && *text == ';')
            return text + 1;
        depth += !quote && *text == '[';
        depth -= depth > 0 && *text == ']';
    }
    return end;
}

static wl_status parse_all(const char *path, const char *text, size_t size, wl_newick **trees, size_t *count) {
    const char *line_begin = text, *end = text + size, *next;
    size_t line = 1;
    for (; *count == 0 || after(text, end, 1) < end; text = next) {
        next = after(text, end, 0);
        if (!WL_GROW(*trees, *count, 1)) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its trees", path);
        WL_TRY(wl_newick_parse_part(path, line, (size_t)(text - line_begin) + 1, text, (size_t)(next - text),
                                    &(*trees)[*count]));
        ++*count;
        for (const char *at = text; at < next; at++) {
            if (*at != '\n') continue;
            line++;
            line_begin = at + 1;
        }
    }
    return WL_OK;
}

wl_status wl_newick_read_all(const char *path, wl_newick **trees, size_t *count) {
    wl_bytes *bytes;
    char *text;
    size_t size;
    *trees = NULL;
    *count = 0;
    WL_TRY(read_text(path, &bytes, &text, &size));
    const char *name = wl_bytes_name(bytes);
    const wl_status status = wl_nexus_is(text, size) ? wl_nexus_trees(name, text, size, trees, count)
                                                     : parse_all(name, text, size, trees, count);
    free(text);
    wl_bytes_close(bytes);
    if (status != WL_OK) wl_newick_free_all(*trees, *count);
    return status;
}

void wl_newick_free_all(wl_newick *trees, size_t count) {
    for (size_t i = 0; i < count; i++) wl_newick_free(&trees[i]);
    free(trees);
}
