/* Finds the lab for a name or for a kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/grid.h"
#include "labs/lab.h"

wl_status wl_lab_open(const char *name, const wl_lab_choice *choice, wl_lab *lab) {
    char *folder;
    if (name[0] == '/')
        folder = strdup(name); // of a run of our own
    else
        WL_TRY(wl_lab_find(name, &folder));
    wl_status status = wl_lab_read(folder, wl_lab_seed(choice->seed), lab);
    free(folder);
    if (status == WL_OK && choice->visible_only) wl_lab_drop_hidden(lab);
    if (status == WL_OK && choice->only) status = wl_lab_keep(lab, choice->only);
    if (status != WL_OK) wl_lab_free(lab);
    return status;
}

wl_status wl_lab_read_plain(const char *path, size_t most, char **text) {
    struct stat found;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int plain = file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode);
    const int why = errno;
    if (file >= 0) close(file);
    *text = NULL;
    if (file < 0 && why != ELOOP) return wl_fail(WL_BAD_INPUT, "%s: %s", path, strerror(why));
    if (!plain) return wl_fail(WL_BAD_INPUT, "%s: expected a plain file", path);
    if ((size_t)found.st_size > most)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu bytes; expected at most %zu", path, (size_t)found.st_size, most);
    return wl_text_read(path, text);
}

void wl_lab_read_mark(const char *kernel, char **name, char **seed) {
    const char *slash = strrchr(kernel, '/');
    enum { MOST = 4096 };
    char *path, *text = NULL;
    *name = *seed = NULL;
    if (asprintf(&path, "%.*slab", slash ? (int)(slash + 1 - kernel) : 0, kernel) < 0) return;
    if (wl_lab_read_plain(path, MOST, &text) == WL_OK && sscanf(text, "%m[A-Za-z0-9_] %ms", name, seed) < 1)
        *name = NULL;
    free(text);
    free(path);
}

static void put_lab(wl_grid *grid, const wl_lab *lab) {
    wl_grid_row(grid);
    wl_grid_put(grid, "lab", "%s", lab->name);
    wl_grid_put(grid, "stage", "%s/%s", lab->problem, lab->stage);
    wl_grid_put(grid, "title", "%s", lab->title);
    wl_grid_put(grid, "points", "%g", wl_lab_points(lab));
}

wl_status wl_lab_list(FILE *out) {
    char **names;
    wl_grid grid = {.left = 3};
    wl_status status = wl_lab_names(&names);
    for (char **name = names; status == WL_OK && *name; name++) {
        wl_lab lab = {0};
        char *folder = NULL;
        status = wl_lab_find(*name, &folder);
        if (status == WL_OK) status = wl_lab_read(folder, 1, &lab);
        if (status == WL_OK) put_lab(&grid, &lab);
        wl_lab_free(&lab);
        free(folder);
    }
    wl_grid_print(out, &grid, "");
    return status;
}
