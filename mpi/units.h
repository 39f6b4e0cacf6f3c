/* Units of a run: who computes which, and where what is computed waits for the others. On rank 0, used by its two threads. */
#ifndef MPI_UNITS_H
#define MPI_UNITS_H

#include <pthread.h>

#include "cli/parts.h"

typedef struct {
    const char *folder; /* where part files are kept; NULL: in memory */
    wl_part_key key;    /* of the run; part is not set */
    size_t count;

    pthread_mutex_t lock; /* of all below */
    unsigned char *taken; /* [count] */
    wl_part *parts;       /* [count], without a folder: those that are there */
    size_t next, missing; /* units before `next` are taken; units that are not computed yet */
} wl_units;

/* count 0: as many as the folder's part files of this run say, else `usual`. Units whose part files are there and whole are taken.
   The folder is made where it is missing. On success close with wl_units_close. */
wl_status wl_units_open(const char *folder, const wl_part_key *key, size_t count, size_t usual, wl_units *units);
void wl_units_close(wl_units *units);

/* The next unit that nobody has taken; 0: there is none. */
int wl_units_take(wl_units *units, size_t *unit);
/* A unit's part file, from malloc, which belongs to the units from now on. `from`: what error lines call it. */
wl_status wl_units_give(wl_units *units, size_t unit, const char *from, void *bytes, size_t size);
int wl_units_missing(wl_units *units);
/* All units, when none is missing. On success close with wl_part_set_close. */
wl_status wl_units_set(wl_units *units, wl_part_set *set);

#endif
