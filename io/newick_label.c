/* Labels of trees: how they are written, and what people may have meant by them. */
#include <ctype.h>
#include <string.h>

#include "io/newick.h"

static int needs_quotes(const char *label) {
    for (const unsigned char *c = (const unsigned char *)label; *c; c++)
        if (*c <= ' ' || *c == 0x7F || strchr("()[]{}:;,'\"", *c)) return 1;
    return 0;
}

static int as_one_case(char c) { return c == ' ' ? '_' : tolower((unsigned char)c); }

int wl_newick_is_spelt_like(const char *label, const char *name) {
    for (; *label && *name; label++, name++)
        if (as_one_case(*label) != as_one_case(*name)) return 0;
    return *name == 0 && (*label == 0 || *label == ' ');
}

void wl_newick_write_label(FILE *stream, const char *label) {
    if (!needs_quotes(label)) {
        fputs(label, stream);
        return;
    }
    putc('\'', stream);
    for (; *label; label++) {
        if (*label == '\'') putc('\'', stream);
        putc(*label, stream);
    }
    putc('\'', stream);
}
