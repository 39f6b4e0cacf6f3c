/* Names: what a layout can hold, and how it holds them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "tools/distances/write/internal.h"

void distances_names_note(char *const *names, size_t count, const distances_layout *layout, FILE *notes) {
    const char *first = NULL;
    size_t found = 0;
    for (size_t i = 0; layout->output == DISTANCES_PHYLIP && i < count; i++)
        if (strlen(names[i]) > DISTANCES_PHYLIP_NAME && found++ == 0) first = names[i];
    if (found == 0) return;
    fprintf(notes,
            "%zu name%s longer than the %d characters that PHYLIP's own programs read (others read more; --layout "
            "phylip-strict refuses them); the first is '",
            found, found == 1 ? " is" : "s are", DISTANCES_PHYLIP_NAME);
    wl_put_plain(notes, first, strlen(first));
    fputs("'\n", notes);
}

/* What PHYLIP's own programs read as a name: ten columns, whose blanks count but at the end. They write names into trees. */
static wl_status check_strict(const char *name, size_t number) {
    const size_t length = strlen(name), clean = strcspn(name, "\t\n\v\f\r()[]:;,");
    if (length > DISTANCES_PHYLIP_NAME)
        return wl_fail(
            WL_BAD_INPUT,
            "instance %zu: the name '%.200s' has %zu characters; expected at most %d in strict PHYLIP: other "
            "names, or --layout phylip for programs that read longer ones",
            number, name, length, DISTANCES_PHYLIP_NAME);
    if (clean == length && strspn(name, " ") < length) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "instance %zu: the name '%.200s' has %s; expected none in strict PHYLIP: other names",
                   number, name, clean < length ? "a tab, bracket, colon, semicolon or comma" : "no letters");
}

/* In PHYLIP a blank ends a name; elsewhere only what ends a cell does. */
wl_status distances_names_check(char *const *names, size_t count, const distances_layout *layout) {
    int phylip = layout->output == DISTANCES_PHYLIP;
    if (layout->output == DISTANCES_NUMPY) return WL_OK;
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i];
        if (layout->output == DISTANCES_PHYLIP_STRICT) {
            WL_TRY(check_strict(name, i + 1));
            continue;
        }
        size_t clean = strcspn(name, phylip ? " \t\n\v\f\r" : "\t\n\r");
        if (name[clean] == 0 && (*name || !phylip)) continue;
        return wl_fail(WL_BAD_INPUT, "instance %zu: the name '%.200s' has %s; expected none in %s", i + 1, name,
                       *name == 0 ? "no letters"
                       : phylip   ? "white space"
                                  : "a tab or a line end",
                       !phylip                                ? "a table"
                       : strlen(name) > DISTANCES_PHYLIP_NAME ? "PHYLIP: another format, or other names"
                                                              : "PHYLIP: another format, or --layout phylip-strict");
    }
    return WL_OK;
}

static char *quoted(const char *name) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return NULL;
    wl_put_csv(stream, name, 0);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

char **distances_names_quoted(char *const *names, size_t count) {
    char **copies = calloc(count, sizeof *copies);
    for (size_t i = 0; copies && i < count; i++)
        if ((copies[i] = quoted(names[i])) == NULL) {
            distances_names_free(copies, count);
            return NULL;
        }
    return copies;
}

void distances_names_free(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}
