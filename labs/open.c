/* Finds the lab for a name or for a kernel. */
#define _GNU_SOURCE /* asprintf */
#include <stdlib.h>
#include <string.h>

#include "labs/lab.h"

wl_status wl_lab_open(const char *name, const wl_lab_choice *choice, wl_lab *lab) {
    char *folder;
    if (name[0] == '/')
        folder = strdup(name); /* of a run of our own */
    else
        WL_TRY(wl_lab_find(name, &folder));
    wl_status status = wl_lab_read(folder, wl_lab_seed(choice->seed), lab);
    free(folder);
    if (status == WL_OK && choice->visible_only) wl_lab_drop_hidden(lab);
    if (status == WL_OK && choice->only) status = wl_lab_keep(lab, choice->only);
    if (status != WL_OK) wl_lab_free(lab);
    return status;
}

void wl_lab_read_mark(const char *kernel, char **name, char **seed) {
    const char *slash = strrchr(kernel, '/');
    char *path, *text = NULL;
    *name = *seed = NULL;
    if (asprintf(&path, "%.*slab", slash ? (int)(slash + 1 - kernel) : 0, kernel) < 0) return;
    if (wl_text_read(path, &text) == WL_OK && sscanf(text, "%m[A-Za-z0-9_] %ms", name, seed) < 1) *name = NULL;
    free(text);
    free(path);
}
