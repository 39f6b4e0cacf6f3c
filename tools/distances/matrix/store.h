/* Tiles on disk: a header, one mark per tile, the tiles. A tile's mark is written when its data have reached the disk. So every marked
   tile is whole, even in a file that is left after a killed run, a full disk or a power failure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

/* What has to be the same for a store to be taken up again. */
typedef struct {
    uint64_t hash; // of the data, see distances_data_hash
    uint64_t count, sites;
    uint32_t stored, keep_compared; // distances_stored; whether compared sites are kept beside the distances
    uint64_t side;                  // of a tile
    uint64_t tiles, tile_bytes;     // how many, and from one to the next
} distances_store_key;

typedef struct distances_store distances_store;

/* Is there a store, or anything, at this path? */
int distances_store_exists(const char *path);
/* Read what a store is of. WL_BAD_INPUT where the file is no store. `*empty`: it has no header yet. */
wl_status distances_store_look(const char *path, distances_store_key *key, int *empty);

/* Delete the store at this path. WL_BAD_INPUT where the file is no store, WL_NO_MACHINE while another run has it open. */
wl_status distances_store_remove(const char *path);

/* Open or make the store of `key`, and keep other runs out of it. A store of another key, or a file that is none, is WL_BAD_INPUT;
   one that another run has open, or too little room on the disk, is WL_NO_MACHINE. On success close with
   distances_store_close. */
wl_status distances_store_open(const char *path, const distances_store_key *key, distances_store **store);
/* remove: and delete the file, unless another one is under its name by now. */
void distances_store_close(distances_store *store, int remove);

int distances_store_has(const distances_store *store, size_t tile);
/* Keep a tile: distance_bytes, and right after them compared_bytes. Any thread. A full disk is WL_NO_MACHINE. Marks are written
   together about every second. */
wl_status distances_store_put(distances_store *store, size_t tile, const void *distance, size_t distance_bytes,
                              const void *compared, size_t compared_bytes);
/* Write the marks of all tiles put so far. */
wl_status distances_store_flush(distances_store *store);
/* Bytes offset .. offset + bytes - 1 of a tile. Any thread. */
wl_status distances_store_get(const distances_store *store, size_t tile, size_t offset, size_t bytes, void *into);
