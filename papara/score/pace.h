/* How large blocks of the scoring phase are: so that devices of any speed finish together, by the rates measured so
   far. */
#ifndef PAPARA_SCORE_PACE_H
#define PAPARA_SCORE_PACE_H

#include "papara/score/score.h"

#define PAPARA_SCORES_MOST ((size_t)1 << 25) // of a block: 128 MB come back from the device

/* How fast the workers of a device are. */
typedef struct {
    const wl_device *device;
    size_t workers;
    double cells, busy; // done, and the workers' seconds for it, added up
    double last;        // seconds from the beginning until the last block was done
} papara_pace;

/* Cells of the next block for one of the workers of `pace`, of cells_left that nobody has taken. paces [count]: all devices'. */
double papara_block_wanted(const papara_pace *paces, size_t count, const papara_pace *pace, double cells_left);

/* Reads of a launch, at least 1: as many as there are, unless then a GPU's block of few vectors would be too long or
   too large for its memory. */
size_t papara_reads_of_a_launch(const papara_score_request *request);

/* Vectors of a block, with so many reads of a launch, at least 1. `memory`: of the device that the worker may use.
   What a variant needs beside vectors and scores it knows better: it may refuse, and the block is halved. */
size_t papara_vectors_of_a_launch(const papara_score_request *request, wl_backend backend, size_t memory, size_t reads);
#endif
