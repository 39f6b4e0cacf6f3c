/* Scores one block on one device, with the best variants that take it, and keeps each read's best. */
#pragma once

#include "harness/bench/pool.h"
#include "tools/align_reads/score/queue.h"
#include "tools/align_reads/score/score.h"

/* Memory of one worker. */
typedef struct {
    int fill_threads;    // for writing a block's vectors
    size_t most_vectors; // per block; becomes less if a variant refuses a block for its size
    int *scores;         // [scores_room]
    size_t scores_room;
    uint32_t *site; // [site_room]
    size_t site_room;
    papara_best *best; // [best_room], of the block's reads
    size_t best_room;
} papara_room;

void papara_room_free(papara_room *room);

/* Scores the block's reads, of `sorted`, with its vectors, and sets best [block->reads] in the worker's room. */
wl_status papara_block_run(wl_worker *worker, const papara_score_request *request, const papara_reads *sorted,
                           const papara_block *block);

papara_best papara_best_none(void);
/* Merges the two best of both. The result does not depend on the order of merging. No vector may be in both. */
void papara_best_merge(papara_best *best, const papara_best *more);
