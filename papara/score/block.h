/* One block of the scoring phase on one device, by the best variants that take it, reduced to each read's best. */
#ifndef PAPARA_SCORE_BLOCK_H
#define PAPARA_SCORE_BLOCK_H

#include "harness/bench/crew.h"
#include "papara/score/queue.h"
#include "papara/score/score.h"

/* A worker's own. */
typedef struct {
    int fill_threads;    // that write a block's vectors
    size_t most_vectors; // of a block; becomes less when a variant refuses one for its size
    int *scores;         // [scores_room]
    size_t scores_room;
    uint32_t *site; // [site_room]
    size_t site_room;
    papara_best *best; // [best_room], of the block's reads
    size_t best_room;
} papara_room;

void papara_room_free(papara_room *room);

/* Score block's reads, of `sorted`, with its vectors, and set best [block->reads] of the worker's room. */
wl_status papara_block_run(wl_worker *worker, const papara_score_request *request, const papara_reads *sorted,
                           const papara_block *block);

papara_best papara_best_none(void);
/* The two best of both: whatever the order in which blocks are merged, the result is the same. No vector may be in
   both. */
void papara_best_merge(papara_best *best, const papara_best *more);
#endif
