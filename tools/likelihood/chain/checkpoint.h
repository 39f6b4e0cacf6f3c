/* What a chain needs to go on as if it had never ended: a part file (io/part.h) of one part, written whole or not at all. */
#pragma once

#include "io/part.h"
#include "tools/likelihood/chain/chain.h"

typedef struct {
    wl_part part; // the memory of all below
    const peeling_chain_state *state;
    const void *more; // [more_bytes], the caller's
    size_t more_bytes;
    int found;
} peeling_checkpoint;

/* The chain as it is now, and `more` [more_bytes] of the caller's. `key`: what the chain depends on; its tool is "chain". */
wl_status peeling_checkpoint_write(const char *path, const wl_part_key *key, const peeling_chain *chain,
                                   const void *more, size_t more_bytes);
/* WL_BAD_INPUT: the file is damaged, or of another chain. No file: WL_OK, and nothing is found. Close in any case. */
wl_status peeling_checkpoint_read(const char *path, const wl_part_key *key, size_t more_bytes,
                                  peeling_checkpoint *checkpoint);
wl_status peeling_checkpoint_restore(const peeling_checkpoint *checkpoint, peeling_chain *chain);
void peeling_checkpoint_close(peeling_checkpoint *checkpoint);
