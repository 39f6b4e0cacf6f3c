#define _GNU_SOURCE /* getdelim */
#include "harness/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
