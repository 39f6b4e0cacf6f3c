#include "harness/bench/sources.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "sw/05_two_in_one 3f9c01b2d4e5a678" of every variant; the build defines them anew each time (cmake/commit.cmake). */
static const char *const hashes[] = {
#ifdef WL_SOURCES
    WL_SOURCES
#endif
        NULL};
static char noted[sizeof hashes / sizeof *hashes];

void wl_sources_note(const char *problem, const char *variant) {
    char name[128];
    const int length = snprintf(name, sizeof name, "%s/%s ", problem, variant);
    for (size_t i = 0; hashes[i] != NULL; i++)
        if (strncmp(hashes[i], name, (size_t)length) == 0) noted[i] = 1;
}

char *wl_sources_noted(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return NULL;
    for (size_t i = 0; hashes[i] != NULL; i++)
        if (noted[i]) fprintf(stream, "%s%s", ftell(stream) > 0 ? ", " : "", hashes[i]);
    fclose(stream);
    if (text != NULL && *text == 0) {
        free(text);
        return NULL;
    }
    return text;
}
