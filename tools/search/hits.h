/* The best hits of one query, however many sequences there are: a heap of bounded size. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "tools/search/statistics/evalues.h"

typedef struct {
    int score;
    uint64_t order; // the subject's place in the database's input: the lower of two equal scores comes first
    size_t subject; // its index in the database's set
} sw_hit;

/* Several threads may add to one, each the scores of its own subjects. What is kept does not depend on the order in
   which they come: (score, order) ranks all hits, and no two are equal. */
typedef struct {
    pthread_mutex_t lock;
    sw_hit *items; // [count], a heap with the worst at its root
    size_t count;
    size_t most; // hits to keep, at least 1
    int least;   // lower scores are not kept
    /* Hits with an E-value above `evalue` are not kept either; statistics NULL: `least` says all. */
    const sw_statistics *statistics;
    const sw_space *space;
    double evalue;
} sw_hits;

void sw_hits_init(sw_hits *hits, size_t most, int least);
void sw_hits_free(sw_hits *hits);

/* Add subjects first .. first + count - 1. score, length [count]; order: of all the database's sequences. WL_NO_MACHINE
   when memory is short. */
wl_status sw_hits_add(sw_hits *hits, const int *score, const uint32_t *length, size_t first, size_t count,
                      const uint64_t *order);
/* Add a hit that sw_hits_add has kept elsewhere. */
wl_status sw_hits_add_one(sw_hits *hits, sw_hit hit);
