#include "harness/base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static wl_status make(char **path) {
    if (*path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    if (mkdtemp(*path) != NULL) return WL_OK;
    wl_fail(WL_NO_MACHINE, "%s: no folder for temporary files: %s", *path, strerror(errno));
    free(*path);
    *path = NULL;
    return WL_NO_MACHINE;
}

wl_status wl_temporary_folder(char **path) {
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] == 0) parent = "/tmp";
    if (asprintf(path, "%s/warpladder-XXXXXX", parent) < 0) *path = NULL;
    return make(path);
}

wl_status wl_folder_beside(const char *file, char **path) {
    const char *slash = strrchr(file, '/');
    if (asprintf(path, "%.*s.warpladder-XXXXXX", slash ? (int)(slash - file) + 1 : 0, file) < 0) *path = NULL;
    return make(path);
}

int wl_make_folders(char *path) {
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (slash == path) continue;
        *slash = 0;
        struct stat found;
        int error = stat(path, &found) == 0 ? 0 : mkdir(path, 0777) == 0 ? 0 : errno;
        *slash = '/';
        if (error != 0 && error != EEXIST) return error;
    }
    return 0;
}

char *wl_cache_path(const char *name) {
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (folder && *folder == '/')
        length = asprintf(&path, "%s/warpladder/%s", folder, name);
    else if (home && *home)
        length = asprintf(&path, "%s/.cache/warpladder/%s", home, name);
    return length < 0 ? NULL : path;
}

/* Deletes what is in the folder `from`. Folders that are not empty are moved to the folder `up`, if it is another one, and counted. So no
   path gets too long, however deep they are. */
static size_t empty_folder(int from, int up, size_t *moved) {
    char name[32];
    size_t left = 0;
    DIR *folder = fdopendir(from);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(from, entry->d_name, 0) == 0 || unlinkat(from, entry->d_name, AT_REMOVEDIR) == 0) continue;
        left++;
        if (up < 0) continue;
        do snprintf(name, sizeof name, ".%zu", ++*moved);
        while (faccessat(up, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        renameat(from, entry->d_name, up, name);
    }
    if (folder != NULL) closedir(folder);
    return left;
}

/* Empties each folder that is left in `path`. Returns how many there were. */
static size_t empty_those_in(const char *path, size_t *moved) {
    struct dirent **entries;
    size_t folders = 0;
    const int up = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
              count = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            fchmodat(up, name, 0700, 0);
            const int inner = openat(up, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) empty_folder(inner, up, moved);
            folders += inner >= 0 && unlinkat(up, name, AT_REMOVEDIR) == 0;
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    if (up >= 0) close(up);
    return folders;
}

void wl_remove_folder(const char *path) {
    size_t moved = 0;
    const int top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top >= 0) empty_folder(top, -1, &moved);
    while (empty_those_in(path, &moved) > 0) {
    }
    rmdir(path);
}
