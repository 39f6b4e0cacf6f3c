/* Chunks of a run: who computes which, and where what is computed waits for the others. On rank 0, used by its two threads. */
#pragma once

#include <pthread.h>

#include "cli/parts.h"

typedef struct {
    const char *folder; // where part files are kept; NULL: in memory
    wl_part_key key;    // of the run; part is not set
    size_t count;

    size_t takers; // processes that take chunks; 0: they take one at a time

    pthread_mutex_t lock; // of all below
    unsigned char *taken; // [count]
    wl_part *parts;       // [count], without a folder: those that are there
    size_t next, missing; // chunks before `next` are taken; chunks that are not computed yet
    size_t turns, each;   // of this round: takes that are left, and chunks for each of them
} wl_chunks;

enum { WL_CHUNKS_A_TAKER = 8 };

/* count 0: as many as the folder's part files of this run say, else WL_CHUNKS_A_TAKER for each of `takers`. Chunks whose part files are
   there and whole are taken. The folder is made where it is missing. On success close with wl_chunks_close. */
wl_status wl_chunks_open(const char *folder, const wl_part_key *key, size_t count, size_t takers, wl_chunks *chunks);
void wl_chunks_close(wl_chunks *chunks);

/* The next chunks that nobody has taken, `count` from `first` on; 0: there are none. Where nobody has said how many chunks there are,
   and they are kept in memory, most of the work goes out in the first round, and all takers finish together in the last. */
size_t wl_chunks_take(wl_chunks *chunks, size_t *first);
/* A chunk's part file, from malloc, which belongs to the chunks from now on. `from`: what error lines call it. */
wl_status wl_chunks_give(wl_chunks *chunks, size_t chunk, const char *from, void *bytes, size_t size);
int wl_chunks_missing(wl_chunks *chunks);
/* All chunks, when none is missing. On success close with wl_part_set_close. */
wl_status wl_chunks_set(wl_chunks *chunks, wl_part_set *set);
