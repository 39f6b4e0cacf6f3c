/* Part files by their names and folders. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "io/part.h"

int wl_part_is_there(const char *path, const wl_part_key *key) {
    wl_part part;
    if (access(path, R_OK) != 0 || wl_part_open(path, &part) != WL_OK) return 0;
    const wl_part_key *found = &part.key;
    const int same = strcmp(found->tool, key->tool) == 0 && found->options == key->options &&
                     found->inputs == key->inputs && found->part == key->part && found->parts == key->parts;
    wl_part_close(&part);
    return same;
}

typedef struct {
    wl_part *items;
    size_t count;
} part_list;

static wl_status add(part_list *list, const char *path) {
    wl_part part;
    WL_TRY(wl_part_open(path, &part));
    if (!WL_GROW(list->items, list->count, 1)) {
        wl_part_close(&part);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu part files", list->count);
    }
    list->items[list->count++] = part;
    return WL_OK;
}

/* All files of a folder whose names end in .part. */
static wl_status add_folder(part_list *list, const char *folder) {
    static const char end[] = ".part";
    const size_t before = list->count;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected a folder of part files", folder, strerror(errno));
    wl_status status = WL_OK;
    for (struct dirent *entry; status == WL_OK && (entry = readdir(directory)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        char *path;
        if (*entry->d_name == '.' || length < sizeof end || strcmp(entry->d_name + length + 1 - sizeof end, end) != 0)
            continue;
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            status = wl_fail(WL_NO_MACHINE, "no memory for a path");
        else
            status = add(list, path), free(path);
    }
    closedir(directory);
    if (status == WL_OK && list->count == before)
        status = wl_fail(WL_BAD_INPUT, "%s: found no file there that ends in .part; expected part files", folder);
    return status;
}

wl_status wl_part_set_open(const char *const *paths, size_t count, wl_part_set *set) {
    part_list list = {0};
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        struct stat found;
        const int is_folder = stat(paths[i], &found) == 0 && S_ISDIR(found.st_mode);
        status = is_folder ? add_folder(&list, paths[i]) : add(&list, paths[i]);
    }
    if (status == WL_OK) return wl_part_set_make(list.items, list.count, set);
    *set = (wl_part_set){list.items, list.count};
    wl_part_set_close(set);
    return status;
}
