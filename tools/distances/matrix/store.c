#include "tools/distances/matrix/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/memory.h"

enum { PAGE = 4096 };
#define FLUSH_BYTES ((size_t)256 << 20)
#define FLUSH_SECONDS 1.0

/* The file's first bytes, in the byte order of the machine that wrote them; `order` tells. */
typedef struct {
    char magic[16];
    uint32_t version, order;
    distances_store_key key;
} header;

static const char magic[16] = "warpladder dist";
enum { VERSION = 1, ORDER = 0x01020304 };

struct distances_store {
    char *path;
    int descriptor;
    distances_store_key key;
    uint64_t *marks; // [tiles]

    pthread_mutex_t lock; // of all below
    size_t *waiting;      // [waiting_count] of [tiles]: put, not yet marked
    size_t waiting_count, waiting_bytes;
    int flushing;
    double flushed;
};

/* --- Where things are -------------------------------------------------------------------------------------------- */

static uint64_t mark_offset(size_t tile) { return PAGE + sizeof(uint64_t) * tile; }

static uint64_t tile_offset(const distances_store_key *key, size_t tile) {
    return (mark_offset(key->tiles) + PAGE - 1) / PAGE * PAGE + key->tile_bytes * tile;
}

/* What no other file has there by chance. */
static uint64_t mark(const distances_store_key *key, size_t tile) {
    return (key->hash ^ (tile + 1) * 0x9E3779B97F4A7C15u) | 1;
}

/* --- Bytes ------------------------------------------------------------------------------------------------------- */

static wl_status fail_writing(const char *path, int error) {
    int full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return wl_fail(WL_NO_MACHINE, "%s: cannot write: %s%s", path, strerror(error),
                   full ? "; it keeps what is finished: make room and repeat the command to continue" : "");
}

static wl_status write_at(const distances_store *store, const void *bytes, size_t count, uint64_t offset) {
    for (const unsigned char *at = bytes; count > 0;) {
        ssize_t written = pwrite(store->descriptor, at, count, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail_writing(store->path, written < 0 ? errno : EIO);
        at += written;
        count -= (size_t)written;
        offset += (uint64_t)written;
    }
    return WL_OK;
}

/* How many bytes there were, at most `count`; -1: errno. */
static ssize_t read_at(int descriptor, void *into, size_t count, uint64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t read = pread(descriptor, (unsigned char *)into + done, count - done, (off_t)(offset + done));
        if (read < 0 && errno == EINTR) continue;
        if (read < 0) return -1;
        if (read == 0) break;
        done += (size_t)read;
    }
    return (ssize_t)done;
}

static wl_status read_all(const char *path, int descriptor, void *into, size_t count, uint64_t offset) {
    ssize_t read = read_at(descriptor, into, count, offset);
    if (read < 0) return wl_fail(WL_NO_MACHINE, "%s: cannot read: %s", path, strerror(errno));
    if ((size_t)read < count)
        return wl_fail(WL_BAD_INPUT, "%s: ends after %llu bytes, within a tile; expected a whole store: remove it",
                       path, (unsigned long long)(offset + (uint64_t)read));
    return WL_OK;
}

/* --- Header ------------------------------------------------------------------------------------------------------ */

int distances_store_exists(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0;
}

static wl_status read_header(const char *path, int descriptor, header *head, int *empty) {
    ssize_t read = read_at(descriptor, head, sizeof *head, 0);
    if (read < 0) return wl_fail(WL_NO_MACHINE, "%s: cannot read: %s", path, strerror(errno));
    *empty = read == 0;
    if (*empty) return WL_OK;
    if ((size_t)read < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: is no store of distances; expected one, or no file there", path);
    if (head->version != VERSION || head->order != ORDER)
        return wl_fail(WL_BAD_INPUT,
                       "%s: is a store of another version or another kind of machine; expected version %d: remove it",
                       path, VERSION);
    return WL_OK;
}

wl_status distances_store_look(const char *path, distances_store_key *key, int *empty) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return wl_fail(WL_BAD_USAGE, "%s: cannot open: %s; expected a file of this program or none", path,
                       strerror(errno));
    header head;
    wl_status status = read_header(path, descriptor, &head, empty);
    close(descriptor);
    if (status == WL_OK && !*empty) *key = head.key;
    return status;
}

static wl_status compare(const char *path, const distances_store_key *found, const distances_store_key *expected) {
    if (found->count != expected->count || found->sites != expected->sites)
        return wl_fail(WL_BAD_INPUT,
                       "%s: is a store of %llu x %llu sites; expected %llu x %llu: remove it or name another", path,
                       (unsigned long long)found->count, (unsigned long long)found->sites,
                       (unsigned long long)expected->count, (unsigned long long)expected->sites);
    if (found->hash != expected->hash)
        return wl_fail(WL_BAD_INPUT, "%s: is a store of other data or names; remove it or name another", path);
    if (memcmp(found, expected, sizeof *found) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: is a store of other options; expected the same, or remove it or name another",
                       path);
    return WL_OK;
}

/* --- Opening ----------------------------------------------------------------------------------------------------- */

static int is_under_its_name(const distances_store *store) {
    struct stat here, there;
    return fstat(store->descriptor, &here) == 0 && stat(store->path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

/* The file, made where there is none, locked, and still under its name: the run that had it before may have removed it. */
static wl_status open_locked(distances_store *store) {
    for (;;) {
        struct stat here;
        store->descriptor = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (store->descriptor < 0)
            return wl_fail(errno == ENOSPC || errno == EDQUOT ? WL_NO_MACHINE : WL_BAD_USAGE,
                           "%s: cannot open: %s; expected a path that can be written", store->path, strerror(errno));
        if (flock(store->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return wl_fail(WL_NO_MACHINE, "%s: another run is using it; expected it to be free", store->path);
        /* Other errors: some cluster file systems have no locks, and are used with one run all the same. */
        if (fstat(store->descriptor, &here) != 0 || !S_ISREG(here.st_mode))
            return wl_fail(WL_BAD_USAGE, "%s: is no regular file; expected a path that can be written", store->path);
        if (is_under_its_name(store)) return WL_OK;
        close(store->descriptor);
    }
}

/* All of the room at once, where the file system can: a run should not find out after an hour. */
static wl_status reserve(const distances_store *store, uint64_t bytes) {
    if (fallocate(store->descriptor, 0, 0, (off_t)bytes) == 0) return WL_OK;
    if ((errno == EOPNOTSUPP || errno == ENOSYS) && ftruncate(store->descriptor, (off_t)bytes) == 0) return WL_OK;
    const int error = errno;
    char size[WL_MEMORY_TEXT];
    return wl_fail(WL_NO_MACHINE, "%s: cannot make a file of %s for the distances: %s", store->path,
                   wl_memory_show((double)bytes, size), strerror(error));
}

static wl_status write_header(const distances_store *store) {
    header head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.version = VERSION;
    head.order = ORDER;
    head.key = store->key;
    wl_status status = write_at(store, &head, sizeof head, 0);
    if (status == WL_OK && fsync(store->descriptor) != 0) status = fail_writing(store->path, errno);
    return status;
}

/* What was there when it was opened. A file that is too short for its tiles has none yet, or is a bad copy. */
static wl_status read_marks(distances_store *store, uint64_t size, uint64_t whole) {
    const distances_store_key *key = &store->key;
    if (read_at(store->descriptor, store->marks, sizeof *store->marks * key->tiles, PAGE) < 0)
        return wl_fail(WL_NO_MACHINE, "%s: cannot read: %s", store->path, strerror(errno));
    for (size_t tile = 0; size < whole && tile < key->tiles; tile++)
        if (distances_store_has(store, tile))
            return wl_fail(WL_BAD_INPUT, "%s: ends after %llu bytes; expected a whole store, of %llu: remove it",
                           store->path, (unsigned long long)size, (unsigned long long)whole);
    return WL_OK;
}

/* The header comes first: a file that was left at any moment is empty or says what it is of. */
static wl_status open_store(distances_store *store) {
    WL_TRY(open_locked(store));
    header head;
    int empty = 0;
    struct stat found = {0};
    wl_status status = read_header(store->path, store->descriptor, &head, &empty);
    if (status == WL_OK) status = empty ? write_header(store) : compare(store->path, &head.key, &store->key);
    if (status == WL_OK && fstat(store->descriptor, &found) != 0)
        status = wl_fail(WL_NO_MACHINE, "%s: cannot read: %s", store->path, strerror(errno));
    uint64_t size = (uint64_t)found.st_size, whole = tile_offset(&store->key, store->key.tiles);
    if (status == WL_OK) status = read_marks(store, size, whole);
    if (status == WL_OK && size < whole) status = reserve(store, whole);
    if (status != WL_OK && empty) unlink(store->path); // there is nothing in it
    return status;
}

wl_status distances_store_open(const char *path, const distances_store_key *key, distances_store **result) {
    distances_store *store = calloc(1, sizeof *store);
    if (store == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory to open it", path);
    store->descriptor = -1;
    store->key = *key;
    store->path = strdup(path);
    store->marks = calloc(key->tiles, sizeof *store->marks);
    store->waiting = calloc(key->tiles, sizeof *store->waiting);
    store->flushed = wl_now();
    pthread_mutex_init(&store->lock, NULL);
    wl_status status = store->path && store->marks && store->waiting
                           ? open_store(store)
                           : wl_fail(WL_NO_MACHINE, "%s: not enough memory to open it", path);
    if (status == WL_OK)
        *result = store;
    else
        distances_store_close(store, 0);
    return status;
}

void distances_store_close(distances_store *store, int remove) {
    if (store == NULL) return;
    if (remove && is_under_its_name(store)) unlink(store->path); // before the lock goes
    if (store->descriptor >= 0) close(store->descriptor);
    pthread_mutex_destroy(&store->lock);
    WL_FREE(store->path, store->marks, store->waiting, store);
}

wl_status distances_store_remove(const char *path) {
    distances_store store = {.path = (char *)path, .descriptor = -1};
    header head;
    int empty;
    wl_status status = open_locked(&store);
    if (status == WL_OK) status = read_header(path, store.descriptor, &head, &empty);
    if (status == WL_OK && unlink(path) != 0)
        status = wl_fail(WL_BAD_USAGE, "%s: cannot be removed: %s", path, strerror(errno));
    if (store.descriptor >= 0) close(store.descriptor);
    return status;
}

/* --- Tiles ------------------------------------------------------------------------------------------------------- */

int distances_store_has(const distances_store *store, size_t tile) {
    return store->marks[tile] == mark(&store->key, tile);
}

/* Under the lock, which is given up meanwhile. The tiles put so far, and no later ones, are on the disk when their marks are
   written. */
static wl_status flush(distances_store *store) {
    size_t count = store->waiting_count;
    size_t *tiles = malloc((count + 1) * sizeof *tiles);
    if (tiles == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory to write to it", store->path);
    memcpy(tiles, store->waiting, count * sizeof *tiles);
    store->waiting_count = store->waiting_bytes = 0;
    store->flushing = 1;
    pthread_mutex_unlock(&store->lock);
    wl_status status = fdatasync(store->descriptor) == 0 ? WL_OK : fail_writing(store->path, errno);
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        uint64_t value = mark(&store->key, tiles[i]);
        status = write_at(store, &value, sizeof value, mark_offset(tiles[i]));
    }
    pthread_mutex_lock(&store->lock);
    store->flushing = 0;
    store->flushed = wl_now();
    free(tiles);
    return status;
}

wl_status distances_store_put(distances_store *store, size_t tile, const void *distance, size_t distance_bytes,
                              const void *compared, size_t compared_bytes) {
    uint64_t offset = tile_offset(&store->key, tile);
    wl_status status = write_at(store, distance, distance_bytes, offset);
    if (status == WL_OK && compared_bytes > 0)
        status = write_at(store, compared, compared_bytes, offset + distance_bytes);
    if (status != WL_OK) return status;
    pthread_mutex_lock(&store->lock);
    store->waiting[store->waiting_count++] = tile;
    store->waiting_bytes += distance_bytes + compared_bytes;
    int due = store->waiting_bytes >= FLUSH_BYTES || wl_now() - store->flushed >= FLUSH_SECONDS;
    if (due && !store->flushing) status = flush(store);
    pthread_mutex_unlock(&store->lock);
    return status;
}

wl_status distances_store_flush(distances_store *store) {
    pthread_mutex_lock(&store->lock);
    wl_status status = store->waiting_count > 0 ? flush(store) : WL_OK;
    pthread_mutex_unlock(&store->lock);
    return status;
}

wl_status distances_store_get(const distances_store *store, size_t tile, size_t offset, size_t bytes, void *into) {
    return read_all(store->path, store->descriptor, into, bytes, tile_offset(&store->key, tile) + offset);
}
