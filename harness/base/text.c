#include "harness/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

wl_status wl_text_read(const char *path, char **text) {
    FILE *file = fopen(path, "r");
    size_t room = 0;
    *text = NULL;
    if (file == NULL) return wl_fail(WL_BAD_INPUT, "%s: %s", path, strerror(errno));
    const ssize_t length = getdelim(text, &room, 0, file);
    const int failed = ferror(file) || (length < 0 && room == 0);
    fclose(file);
    if (!failed && length <= 0) **text = 0; /* an empty file */
    if (!failed && (length <= 0 || (*text)[length - 1] != 0)) return WL_OK;
    free(*text);
    *text = NULL;
    return failed ? wl_fail(WL_BAD_INPUT, "%s: cannot be read", path)
                  : wl_fail(WL_BAD_INPUT, "%s: found a byte 0; expected text", path);
}

char *wl_text_field(char **at) {
    char *field = *at, *tab = field + strcspn(field, "\t");
    *at = *tab ? tab + 1 : NULL;
    *tab = 0;
    const size_t length = strlen(field);
    if (length < 2 || field[0] != '"' || field[length - 1] != '"') return field;
    char *to = field;
    field[length - 1] = 0;
    for (const char *from = field + 1; *from; from++) { /* a quote within is there twice */
        if (from[0] == '"' && from[1] == '"') from++;
        *to++ = *from;
    }
    *to = 0;
    return field;
}

int wl_string_room(wl_string *text, size_t more) {
    size_t since = 0; /* a large text asks whether there is memory, each time that it grows */
    return wl_memory_grow(&since, &text->bytes, &text->room, text->length + more + 1, 1);
}

const char *wl_plural(size_t count) { return count == 1 ? "" : "s"; }

const char *wl_path_shown(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* --- Spelling ---------------------------------------------------------------------------------------------------- */

enum { WORD_MOST = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static int same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Letters that are wrong, missing or too many, and neighbours that have changed places. Of long words the first 63 letters count. */
static size_t spelling_distance(const char *a, const char *b) {
    const size_t m = strnlen(a, WORD_MOST - 1), n = strnlen(b, WORD_MOST - 1);
    size_t row[3][WORD_MOST], *above = row[0], *two_above = row[2], *here = row[1];
    for (size_t k = 0; k <= n; k++) above[k] = k;
    for (size_t i = 1; i <= m; i++) {
        here[0] = i;
        for (size_t k = 1; k <= n; k++) {
            here[k] = least(least(above[k], here[k - 1]) + 1, above[k - 1] + !same(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                here[k] = least(here[k], two_above[k - 2] + 1);
        }
        size_t *const oldest = two_above;
        two_above = above, above = here, here = oldest;
    }
    return above[n];
}

/* A third of the letters may be wrong, and one in any case; or the name begins with the word. */
int wl_is_closer(const char *word, const char *name, size_t *distance) {
    const size_t length = strlen(word);
    size_t found = spelling_distance(word, name);
    if (length > 2 && strncmp(word, name, length) == 0) found = 1;
    if (length < 2 || found > 1 + (length - 1) / 4 || found >= *distance) return 0;
    *distance = found;
    return 1;
}
