/* How much memory there is, so that a reader says "not enough memory" before the kernel kills the program. */
#pragma once

#include <stddef.h>

/* Bytes this process can still get and use without swapping: the least of what the machine, the process's control
   group (containers) and its address-space limit leave. SIZE_MAX when none of them can be read. */
size_t wl_memory_available(void);

/* What the control groups of this process leave: a batch system limits a job's own group, not the root. Of both versions, by
   /proc/self/cgroup. root: "", or a folder that is taken for the root of the file system. SIZE_MAX: there is no limit. */
size_t wl_memory_group_available(const char *root);

/* Bytes of memory in all. */
size_t wl_memory_total(void);

/* Memory at a multiple of 64 bytes, which free() frees; large pieces in large pages, of which there are fewer to fault in and to look up.
   NULL where there is none. */
void *wl_memory_large(size_t bytes);

/* Whether `more` bytes fit beside what is in use, with a margin. `*since` starts at zero and sums up small requests, so
   that the machine is asked once every 64 MiB only. Linux grants memory it does not have and kills who then uses it:
   a NULL from malloc is no protection against a gzip file that unpacks without end, this is. */
int wl_memory_room(size_t *since, size_t more);

/* "1 byte", "640 bytes", "12.5 KB", "3.2 GB" (powers of 1000), into `text`. Returns `text`. */
enum { WL_MEMORY_TEXT = 32 };
const char *wl_memory_show(double bytes, char text[WL_MEMORY_TEXT]);

/* malloc, if wl_memory_room has it. */
void *wl_memory_get(size_t *since, size_t bytes);

/* Makes room for `count` items of `item_bytes` in *block, a pointer to them, of which there are *capacity: half as many more until it is
   enough. 0, and nothing is changed, where wl_memory_room has none. */
int wl_memory_grow(size_t *since, void *block, size_t *capacity, size_t count, size_t item_bytes);

/* Room for `more` items after the `count` of an array that grows item by item: true, or false and the array is as before. Its capacity
   is always the next power of two, so that nobody has to keep it: start with NULL and 0, and allocate it in no other way. Large
   arrays grow only if wl_memory_room has the memory.

       if (!WL_GROW(rows, count, 1)) return wl_fail(...);
       rows[count++] = row; */
#define WL_GROW(pointer, count, more) wl_memory_double(&(pointer), (count), (more), sizeof *(pointer))
int wl_memory_double(void *pointer, size_t count, size_t more, size_t item_bytes);

/* Memory for several arrays that are used together, each from an allocation of its own: true, and each pointer is set; else false, and
   all are NULL. An array of nothing is one like others.

       if (!WL_ALLOCATE(WL_ARRAY(length, count), WL_ARRAY(start, count))) return wl_fail(...);
       ...
       WL_FREE(length, start); */
#define WL_ALLOCATE(...) \
    wl_memory_get_all((const wl_wanted[]){__VA_ARGS__}, sizeof((const wl_wanted[]){__VA_ARGS__}) / sizeof(wl_wanted))
#define WL_ARRAY(pointer, count) \
    { &(pointer), (count), sizeof *(pointer), 0 }
#define WL_ZEROS(pointer, count) \
    { &(pointer), (count), sizeof *(pointer), 1 }

typedef struct {
    void *pointer; // to the pointer
    size_t count, bytes;
    int zeros;
} wl_wanted;

int wl_memory_get_all(const wl_wanted *wanted, size_t count);

/* Free several; each may be NULL. */
#define WL_FREE(...) \
    wl_memory_free_all((const void *const[]){__VA_ARGS__}, sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
void wl_memory_free_all(const void *const *memory, size_t count);
