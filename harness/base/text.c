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
