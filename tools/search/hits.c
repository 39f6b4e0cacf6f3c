#include "tools/search/hits.h"

#include <stdlib.h>

#include "harness/base/memory.h"

void sw_hits_init(sw_hits *hits, size_t most, int least) {
    *hits = (sw_hits){.most = most, .least = least};
    pthread_mutex_init(&hits->lock, NULL);
}

void sw_hits_free(sw_hits *hits) {
    pthread_mutex_destroy(&hits->lock);
    free(hits->items);
    hits->items = NULL;
    hits->count = 0;
}

static int worse(const sw_hit *a, const sw_hit *b) {
    return a->score != b->score ? a->score < b->score : a->order > b->order;
}

/* Let `hit`, which belongs at `at` or above, rise towards the root. */
static void rise(sw_hit *items, size_t at, sw_hit hit) {
    for (; at > 0 && worse(&hit, &items[(at - 1) / 2]); at = (at - 1) / 2) items[at] = items[(at - 1) / 2];
    items[at] = hit;
}

/* Put `hit` in the root's place and let it sink. */
static void sink(sw_hit *items, size_t count, sw_hit hit) {
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && worse(&items[child + 1], &items[child])) child++;
        if (!worse(&items[child], &hit)) break;
        items[at] = items[child];
        at = child;
    }
    items[at] = hit;
}

static wl_status insert(sw_hits *hits, sw_hit hit) {
    if (hits->count == hits->most) {
        if (worse(&hits->items[0], &hit)) sink(hits->items, hits->count, hit);
        return WL_OK;
    }
    if (!WL_GROW(hits->items, hits->count, 1))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu hits of a query", hits->count + 1);
    rise(hits->items, hits->count++, hit);
    return WL_OK;
}

wl_status sw_hits_add(sw_hits *hits, const int *score, const uint32_t *length, size_t first, size_t count,
                      const uint64_t *order) {
    wl_status status = WL_OK;
    pthread_mutex_lock(&hits->lock);
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        /* Most subjects end here. An equal score goes on: its order may be lower. */
        if (score[i] < (hits->count == hits->most ? hits->items[0].score : hits->least)) continue;
        if (hits->statistics && sw_evalue(hits->statistics, hits->space, length[i], score[i]) > hits->evalue) continue;
        status = insert(hits, (sw_hit){score[i], order[first + i], first + i});
    }
    pthread_mutex_unlock(&hits->lock);
    return status;
}

wl_status sw_hits_add_one(sw_hits *hits, sw_hit hit) {
    pthread_mutex_lock(&hits->lock);
    const wl_status status = insert(hits, hit);
    pthread_mutex_unlock(&hits->lock);
    return status;
}
