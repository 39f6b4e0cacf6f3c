/* Databases by the names that scripts give BLAST. */
#define _GNU_SOURCE // asprintf
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "io/database/database.h"

/* FOLDER/NAME or FOLDER/NAME.wdb, for free(), where there is such a file; NULL: there is none. folder: the first `length` bytes. */
static char *in_folder(const char *folder, size_t length, const char *name) {
    static const char *const endings[] = {"", ".wdb"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path;
        if (asprintf(&path, "%.*s%s%s%s", (int)length, folder, length > 0 ? "/" : "", name, endings[i]) < 0)
            return NULL;
        if (access(path, F_OK) == 0) return path;
        free(path);
    }
    return NULL;
}

static char *find(const char *name, const char *folders) {
    char *path = in_folder("", 0, name);
    while (path == NULL && folders && *folders) {
        const size_t length = strcspn(folders, ":");
        if (length > 0) path = in_folder(folders, length, name);
        folders += length + (folders[length] != 0);
    }
    return path;
}

static wl_status open_one(const char *name, const char *folders, const sw_reading *reading, sw_database *database) {
    char *path = find(name, folders);
    const wl_status status = sw_database_open_as(path ? path : name, reading, database);
    free(path);
    return status;
}

static wl_status open_all(char *names, const char *folders, const sw_reading *reading, sw_database **parts,
                          size_t *count) {
    char *rest = NULL;
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        if (!WL_GROW(*parts, *count, 1)) return wl_fail(WL_NO_MACHINE, "no memory for %zu databases", *count + 1);
        WL_TRY(open_one(name, folders, reading, &(*parts)[*count]));
        ++*count;
    }
    return *count > 0 ? WL_OK : wl_fail(WL_BAD_INPUT, "found blanks only; expected the names of databases");
}

wl_status sw_databases_open(const char *names, const char *folders, const sw_reading *reading, sw_database *database) {
    char *copy = strdup(names);
    sw_database *parts = NULL;
    size_t count = 0;
    if (copy == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the names of databases");
    wl_status status = WL_OK;
    if (strchr(names, ' ') == NULL || access(names, F_OK) == 0)
        status = open_one(names, folders, reading, database);
    else
        status = open_all(copy, folders, reading, &parts, &count);
    if (status == WL_OK && count == 1) *database = parts[0];
    if (status == WL_OK && count > 1) status = sw_database_join(names, parts, count, database);
    for (size_t i = status == WL_OK && count == 1; i < count; i++) sw_database_close(&parts[i]);
    WL_FREE(parts, copy);
    return status;
}
