#define _GNU_SOURCE /* asprintf */
#include "mpi/units.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/base/outfile.h"

static char *path_of(const wl_units *units, size_t unit) {
    char *path;
    return asprintf(&path, "%s/%zu-of-%zu.part", units->folder, unit + 1, units->count) < 0 ? NULL : path;
}

/* As many as part files of this run say, that are there from before; 0: there is none. */
static size_t count_before(const char *folder, const wl_part_key *key) {
    DIR *directory = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; directory && count == 0 && (entry = readdir(directory)) != NULL;) {
        wl_part_key of = *key;
        char *path;
        int end = 0;
        if (sscanf(entry->d_name, "%" SCNu64 "-of-%" SCNu64 ".part%n", &of.part, &of.parts, &end) != 2 || end == 0 ||
            entry->d_name[end] != 0 || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            continue;
        if (wl_part_is_there(path, &of)) count = of.parts;
        free(path);
    }
    if (directory) closedir(directory);
    return count;
}

static wl_status find_finished(wl_units *units) {
    for (size_t unit = 0; unit < units->count; unit++) {
        wl_part_key key = units->key;
        char *path = path_of(units, unit);
        if (path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
        key.part = unit + 1;
        units->taken[unit] = (unsigned char)wl_part_is_there(path, &key);
        units->missing -= units->taken[unit];
        free(path);
    }
    return WL_OK;
}

wl_status wl_units_open(const char *folder, const wl_part_key *key, size_t count, size_t usual, wl_units *units) {
    *units = (wl_units){.folder = folder, .key = *key};
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return wl_fail(WL_BAD_USAGE, "option --work: %s: cannot make the folder: %s; expected one that can be written",
                       folder, strerror(errno));
    if (count == 0 && folder) count = count_before(folder, key);
    units->count = units->missing = count > 0 ? count : usual;
    units->key.parts = units->count;
    if (!WL_ALLOCATE(WL_ZEROS(units->taken, units->count), WL_ZEROS(units->parts, units->count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu units", units->count);
    pthread_mutex_init(&units->lock, NULL);
    const wl_status status = folder ? find_finished(units) : WL_OK;
    if (status != WL_OK) wl_units_close(units);
    return status;
}

void wl_units_close(wl_units *units) {
    for (size_t unit = 0; units->parts && unit < units->count; unit++) wl_part_close(&units->parts[unit]);
    WL_FREE(units->taken, units->parts);
    pthread_mutex_destroy(&units->lock);
}

int wl_units_take(wl_units *units, size_t *unit) {
    pthread_mutex_lock(&units->lock);
    while (units->next < units->count && units->taken[units->next]) units->next++;
    const int found = units->next < units->count;
    if (found) {
        *unit = units->next;
        units->taken[units->next++] = 1;
    }
    pthread_mutex_unlock(&units->lock);
    return found;
}

int wl_units_missing(wl_units *units) {
    pthread_mutex_lock(&units->lock);
    const int missing = units->missing > 0;
    pthread_mutex_unlock(&units->lock);
    return missing;
}

static wl_status write_file(const char *path, const void *bytes, size_t size) {
    wl_outfile file;
    if (path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    WL_TRY(wl_outfile_open(path, &file));
    fwrite(bytes, 1, size, file.stream);
    return wl_outfile_commit(&file); /* which sees a failure */
}

wl_status wl_units_give(wl_units *units, size_t unit, const char *from, void *bytes, size_t size) {
    wl_status status;
    if (units->folder) {
        char *path = path_of(units, unit);
        status = write_file(path, bytes, size);
        WL_FREE(path, bytes);
    } else {
        status = wl_part_take(from, bytes, size, &units->parts[unit]);
    }
    pthread_mutex_lock(&units->lock);
    units->missing -= status == WL_OK;
    pthread_mutex_unlock(&units->lock);
    return status;
}

wl_status wl_units_set(wl_units *units, wl_part_set *set) {
    wl_part *parts = units->parts;
    wl_status status = WL_OK;
    units->parts = NULL; /* the set's from now on */
    for (size_t unit = 0; units->folder && unit < units->count && status == WL_OK; unit++) {
        char *path = path_of(units, unit);
        status = path ? wl_part_open(path, &parts[unit]) : wl_fail(WL_NO_MACHINE, "no memory for a path");
        free(path);
    }
    if (status == WL_OK) return wl_part_set_make(parts, units->count, set);
    *set = (wl_part_set){parts, units->count};
    wl_part_set_close(set);
    return status;
}
