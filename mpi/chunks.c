#include "mpi/chunks.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/base/outfile.h"

static char *path_of(const wl_chunks *chunks, size_t chunk) {
    char *path;
    return asprintf(&path, "%s/%zu-of-%zu.part", chunks->folder, chunk + 1, chunks->count) < 0 ? NULL : path;
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

static wl_status find_finished(wl_chunks *chunks) {
    for (size_t chunk = 0; chunk < chunks->count; chunk++) {
        wl_part_key key = chunks->key;
        char *path = path_of(chunks, chunk);
        if (path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
        key.part = chunk + 1;
        chunks->taken[chunk] = (unsigned char)wl_part_is_there(path, &key);
        chunks->missing -= chunks->taken[chunk];
        free(path);
    }
    return WL_OK;
}

wl_status wl_chunks_open(const char *folder, const wl_part_key *key, size_t count, size_t takers, wl_chunks *chunks) {
    *chunks = (wl_chunks){.folder = folder, .key = *key, .takers = folder || count > 0 ? 0 : takers};
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return wl_fail(WL_BAD_USAGE, "option --work: %s: cannot make the folder: %s; expected one that can be written",
                       folder, strerror(errno));
    if (count == 0 && folder) count = count_before(folder, key);
    chunks->count = chunks->missing = count > 0 ? count : WL_CHUNKS_A_TAKER * takers;
    chunks->key.parts = chunks->count;
    if (!WL_ALLOCATE(WL_ZEROS(chunks->taken, chunks->count), WL_ZEROS(chunks->parts, chunks->count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu chunks", chunks->count);
    pthread_mutex_init(&chunks->lock, NULL);
    const wl_status status = folder ? find_finished(chunks) : WL_OK;
    if (status != WL_OK) wl_chunks_close(chunks);
    return status;
}

void wl_chunks_close(wl_chunks *chunks) {
    for (size_t chunk = 0; chunks->parts && chunk < chunks->count; chunk++) wl_part_close(&chunks->parts[chunk]);
    WL_FREE(chunks->taken, chunks->parts);
    pthread_mutex_destroy(&chunks->lock);
}

/* Each taker gets three quarters of its share of what is left: with 8 chunks for each, 6, then 1, then 1. What a tool does once for
   several chunks, as filling a GPU and waiting for its last block, it then does three times instead of eight. If one of two takers is half
   as fast as the other, by this rule it would end an eighth later than if both finished together. */
static size_t most_of_a_take(wl_chunks *chunks) {
    if (chunks->takers == 0) return 1;
    if (chunks->turns == 0) {
        chunks->turns = chunks->takers;
        chunks->each = 3 * (chunks->count - chunks->next) / (4 * chunks->takers);
        if (chunks->each == 0) chunks->each = 1;
    }
    chunks->turns--;
    return chunks->each;
}

size_t wl_chunks_take(wl_chunks *chunks, size_t *first) {
    pthread_mutex_lock(&chunks->lock);
    while (chunks->next < chunks->count && chunks->taken[chunks->next]) chunks->next++;
    *first = chunks->next;
    const size_t most = chunks->next < chunks->count ? most_of_a_take(chunks) : 0;
    while (chunks->next < chunks->count && chunks->next - *first < most && !chunks->taken[chunks->next])
        chunks->taken[chunks->next++] = 1;
    const size_t count = chunks->next - *first;
    pthread_mutex_unlock(&chunks->lock);
    return count;
}

int wl_chunks_missing(wl_chunks *chunks) {
    pthread_mutex_lock(&chunks->lock);
    const int missing = chunks->missing > 0;
    pthread_mutex_unlock(&chunks->lock);
    return missing;
}

static wl_status write_file(const char *path, const void *bytes, size_t size) {
    wl_outfile file;
    if (path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    WL_TRY(wl_outfile_open(path, &file));
    fwrite(bytes, 1, size, file.stream);
    return wl_outfile_commit(&file); // which sees a failure
}

wl_status wl_chunks_give(wl_chunks *chunks, size_t chunk, const char *from, void *bytes, size_t size) {
    wl_status status;
    if (chunks->folder) {
        char *path = path_of(chunks, chunk);
        status = write_file(path, bytes, size);
        WL_FREE(path, bytes);
    } else {
        status = wl_part_take(from, bytes, size, &chunks->parts[chunk]);
    }
    pthread_mutex_lock(&chunks->lock);
    chunks->missing -= status == WL_OK;
    pthread_mutex_unlock(&chunks->lock);
    return status;
}

wl_status wl_chunks_set(wl_chunks *chunks, wl_part_set *set) {
    wl_part *parts = chunks->parts;
    wl_status status = WL_OK;
    chunks->parts = NULL; // the set's from now on
    for (size_t chunk = 0; chunks->folder && chunk < chunks->count && status == WL_OK; chunk++) {
        char *path = path_of(chunks, chunk);
        status = path ? wl_part_open(path, &parts[chunk]) : wl_fail(WL_NO_MACHINE, "no memory for a path");
        free(path);
    }
    if (status == WL_OK) return wl_part_set_make(parts, chunks->count, set);
    *set = (wl_part_set){parts, chunks->count};
    wl_part_set_close(set);
    return status;
}
