/* The stub: the solution without the regions that nbgrader's marks enclose. */
#define _GNU_SOURCE /* getline */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "labs/lab.h"

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

/* The end of the comment that a file begins with, and of the line; the text itself where there is none. */
static const char *after_comment(const char *text) {
    const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text, "*/") : NULL;
    if (end == NULL) return text;
    end += 2;
    return *end == '\n' ? end + 1 : end;
}

wl_status wl_lab_stub(const wl_lab *lab, const char *text, char **stub) {
    size_t size, regions = 0;
    int within = 0;
    FILE *out = open_memstream(stub, &size);
    if (out == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the stub");
    fprintf(out, "/* Lab %s: %s. README.md says what is to be done, ./check what is missing. */\n", lab->name,
            lab->title);
    for (const char *line = after_comment(text); *line;) {
        const size_t length = strcspn(line, "\n");
        const char *begin = memmem(line, length, "BEGIN SOLUTION", 14), *end = memmem(line, length, "END SOLUTION", 12);
        if (begin && !within) {
            const char *says = begin + 14;
            const size_t words = (size_t)(line + length - says);
            fprintf(out, "%.*s// YOUR CODE%.*s\n", (int)strspn(line, " \t"), line, (int)words, says);
            within = 1;
            regions++;
        } else if (end && within) {
            within = 0;
        } else if (begin || end) {
            within = -1;
            break;
        } else if (!within) {
            fprintf(out, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
    if (fclose(out) != 0) return wl_fail(WL_NO_MACHINE, "no memory for the stub");
    if (within == 0 && regions > 0) return WL_OK;
    free(*stub);
    *stub = NULL;
    return wl_fail(WL_BAD_INPUT,
                   "%s/%s/kernel.cu: found BEGIN SOLUTION and END SOLUTION that do not pair; expected regions",
                   lab->problem, lab->stage);
}
