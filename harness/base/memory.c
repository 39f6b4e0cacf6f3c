#include "harness/base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MARGIN ((size_t)64 << 20) // asked about in steps of, and left free

/* The number after `key` in a file of "key number" lines, or the file's only number for an empty key.
   SIZE_MAX when there is none ("max" in a control group's file means no limit). */
static size_t number_in(const char *path, const char *key) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return SIZE_MAX;
    char line[256];
    size_t number = SIZE_MAX, length = strlen(key);
    while (number == SIZE_MAX && fgets(line, sizeof line, file)) {
        unsigned long long value;
        if (strncmp(line, key, length) == 0 && sscanf(line + length, "%llu", &value) == 1) number = (size_t)value;
    }
    fclose(file);
    return number;
}

static size_t machine_available(void) {
    size_t kibibytes = number_in("/proc/meminfo", "MemAvailable:");
    return kibibytes == SIZE_MAX ? SIZE_MAX : kibibytes * 1024;
}

/* Where a version of control groups is mounted, and its files. */
typedef struct {
    const char *mount, *most, *used, *cached;
} group_files;

static const group_files version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                      "total_inactive_file "},
                         version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};

static size_t number_of_group(const char *root, const group_files *files, const char *group, const char *name,
                              const char *key) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s%s/%s", root, files->mount, group, name);
    return length < (int)sizeof path ? number_in(path, key) : SIZE_MAX;
}

/* What one group leaves. Cached file contents count as used there but go when memory is wanted. */
static size_t left_by(const char *root, const group_files *files, const char *group) {
    const size_t most = number_of_group(root, files, group, files->most, "");
    size_t used = number_of_group(root, files, group, files->used, "");
    const size_t cached = number_of_group(root, files, group, "memory.stat", files->cached);
    if (most == SIZE_MAX || used == SIZE_MAX) return SIZE_MAX;
    if (cached != SIZE_MAX) used -= cached < used ? cached : used;
    return used < most ? most - used : 0;
}

/* The least that a group and those above it leave. `group` is cut on the way up to the mount's root, which is the group itself inside
   most containers, whatever its path says. */
static size_t left_by_all(const char *root, const group_files *files, char *group) {
    size_t least = SIZE_MAX;
    for (;;) {
        const size_t left = left_by(root, files, group);
        if (left < least) least = left;
        char *slash = strrchr(group, '/');
        if (slash == NULL) return least;
        *slash = 0;
    }
}

static int lists_memory(const char *controllers) {
    for (const char *at = controllers; *at; at += at[strcspn(at, ",")] ? strcspn(at, ",") + 1 : strlen(at))
        if (strncmp(at, "memory", 6) == 0 && (at[6] == ',' || at[6] == 0)) return 1;
    return 0;
}

/* Lines of /proc/self/cgroup are "number:controllers:path"; of version 2 there is one, without controllers. */
size_t wl_memory_group_available(const char *root) {
    char path[PATH_MAX], line[PATH_MAX + 256];
    size_t least = SIZE_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL) continue;
        *group++ = 0;
        controllers++;
        if (*controllers && !lists_memory(controllers)) continue;
        const size_t left = left_by_all(root, *controllers ? &version_1 : &version_2, group);
        if (left < least) least = left;
    }
    if (file) fclose(file);
    return least;
}

static size_t address_space_available(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    size_t pages = number_in("/proc/self/statm", "");
    if (pages == SIZE_MAX) return SIZE_MAX;
    size_t used = pages * (size_t)sysconf(_SC_PAGESIZE);
    return used < limit.rlim_cur ? (size_t)limit.rlim_cur - used : 0;
}

size_t wl_memory_available(void) {
    size_t least = machine_available(), group = wl_memory_group_available(""), space = address_space_available();
    if (group < least) least = group;
    if (space < least) least = space;
    return least;
}

int wl_memory_room(size_t *since, size_t more) {
    if (more > SIZE_MAX - *since) return 0;
    *since += more;
    if (*since < MARGIN) return 1;
    *since = 0;
    size_t available = wl_memory_available();
    return available > MARGIN && more < available - MARGIN;
}

void *wl_memory_get(size_t *since, size_t bytes) { return wl_memory_room(since, bytes) ? malloc(bytes) : NULL; }

int wl_memory_grow(size_t *since, void *block, size_t *capacity, size_t count, size_t item_bytes) {
    size_t more = *capacity ? *capacity : 64;
    if (count <= *capacity) return 1;
    while (more < count) more += more / 2 + 1;
    if (more > SIZE_MAX / 2 / item_bytes || !wl_memory_room(since, more * item_bytes)) return 0;
    void *old, *larger;
    memcpy(&old, block, sizeof old);
    larger = realloc(old, more * item_bytes);
    if (larger == NULL) return 0;
    memcpy(block, &larger, sizeof larger);
    *capacity = more;
    return 1;
}

/* The items that an array of `count` has room for. */
static size_t room_of(size_t count) {
    size_t room = count > 0;
    while (room < count) room *= 2;
    return room;
}

int wl_memory_double(void *pointer, size_t count, size_t more, size_t item_bytes) {
    size_t bytes;
    void *items;
    if (more > SIZE_MAX / 2 - count || __builtin_mul_overflow(room_of(count + more), item_bytes, &bytes)) return 0;
    memcpy(&items, pointer, sizeof items); // whatever it points to
    if (room_of(count) == room_of(count + more)) return 1;
    if (bytes >= MARGIN && !wl_memory_room(&(size_t){0}, bytes)) return 0;
    items = realloc(items, bytes);
    if (items == NULL) return 0;
    memcpy(pointer, &items, sizeof items);
    return 1;
}

size_t wl_memory_total(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}

int wl_memory_get_all(const wl_wanted *wanted, size_t count) {
    int all = 1;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = 0;
        const int fits = !__builtin_mul_overflow(wanted[i].count, wanted[i].bytes, &bytes);
        void *memory = !fits ? NULL : wanted[i].zeros ? calloc(1, bytes + !bytes) : malloc(bytes + !bytes);
        memcpy(wanted[i].pointer, &memory, sizeof memory); // whatever it points to
        all &= memory != NULL;
    }
    for (size_t i = 0; i < count && !all; i++) {
        void *memory;
        memcpy(&memory, wanted[i].pointer, sizeof memory);
        free(memory);
        memset(wanted[i].pointer, 0, sizeof memory);
    }
    return all;
}

void wl_memory_free_all(const void *const *memory, size_t count) {
    for (size_t i = 0; i < count; i++) free((void *)memory[i]);
}

const char *wl_memory_show(double bytes, char text[WL_MEMORY_TEXT]) {
    static const char *const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    if (bytes < 1e4) { // all of them are told
        snprintf(text, WL_MEMORY_TEXT, "%.0f byte%s", bytes, bytes == 1 ? "" : "s");
        return text;
    }
    for (bytes /= 1000; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) bytes /= 1000;
    snprintf(text, WL_MEMORY_TEXT, "%.3g %s", bytes, units[unit]);
    return text;
}

void *wl_memory_large(size_t bytes) {
    const size_t line = 64, large_page = (size_t)2 << 20,
                 alignment = bytes >= 16 * large_page ? large_page : line; // rounded up by 6 % at most
    bytes = ((bytes ? bytes : 1) + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, bytes);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && alignment == large_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}
