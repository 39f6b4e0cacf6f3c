/* A temporary folder for a test, or for a group of them. */
#pragma once

#include "tests/support/unit.h"

static char folder[32];

static inline int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/wl-test-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static inline int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+w %s && rm -r %s", folder, folder);
    return system(command);
}

/* A path in the folder; four may be in use at a time. */
static inline const char *in_folder(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}
