/* One block of the scoring phase on one device, by the best variants that take it, reduced to each read's best. */
#ifndef PAPARA_SCORE_BLOCK_H
#define PAPARA_SCORE_BLOCK_H

#include "papara/score/score.h"
#include "papara/score/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PAPARA_CANDIDATES = 64 };

/* What a host thread needs for its device. */
typedef struct {
    wl_device device;                                // memory_free: what this thread's blocks may take of it
    const wl_variant *candidates[PAPARA_CANDIDATES]; // [candidate_count], best first
    size_t candidate_count;
    int fill_threads;       // that write a block's vectors
    size_t most_vectors;    // of a block; becomes less when a variant refuses one for its size
    const wl_variant *used; // the first that ran; NULL: none yet
    int *scores;            // [scores_room]
    size_t scores_room;
    uint32_t *site; // [site_room]
    size_t site_room;
} papara_runner;

/* Find the device's variants that match `pattern` (NULL: all but serial ones and libraries), the highest stage
   first. None: WL_NO_MACHINE, or WL_BAD_USAGE where there is a pattern. */
wl_status papara_runner_open(const wl_device *device, const char *pattern, papara_runner *runner);
void papara_runner_close(papara_runner *runner);

/* Score block's reads, of `sorted`, with its vectors, and set best [block->reads]. On the calling thread, which has
   made the device its own (wl_device_use). */
wl_status papara_runner_run(papara_runner *runner, const papara_score_request *request, const papara_reads *sorted,
                            const papara_block *block, papara_best *best);

papara_best papara_best_none(void);
/* The two best of both: whatever the order in which blocks are merged, the result is the same. No vector may be in
   both. */
void papara_best_merge(papara_best *best, const papara_best *more);

#ifdef __cplusplus
}
#endif
#endif
