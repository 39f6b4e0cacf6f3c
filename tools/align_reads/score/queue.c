#include "tools/align_reads/score/queue.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* --- Reads ------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t length;
    size_t index;
} ranked;

static int longest_first(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->length != b->length) return a->length > b->length ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void papara_sorted_reads_free(papara_sorted_reads *sorted) {
    WL_FREE(sorted->order, sorted->length, sorted->start, sorted->codes);
    *sorted = (papara_sorted_reads){0};
}

wl_status papara_sort_reads(const papara_reads *reads, papara_sorted_reads *sorted) {
    size_t count = reads->count;
    ranked *rank;
    *sorted = (papara_sorted_reads){0};
    if (!WL_ALLOCATE(WL_ARRAY(rank, count), WL_ARRAY(sorted->order, count), WL_ARRAY(sorted->length, count),
                     WL_ARRAY(sorted->start, count), WL_ARRAY(sorted->codes, reads->letters)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu reads of %llu letters", count,
                       (unsigned long long)reads->letters);
    for (size_t r = 0; r < count; r++) rank[r] = (ranked){reads->length[r], r};
    qsort(rank, count, sizeof *rank, longest_first);
    uint64_t letters = 0;
    for (size_t r = 0; r < count; r++) {
        sorted->order[r] = rank[r].index;
        sorted->length[r] = rank[r].length;
        sorted->start[r] = letters;
        memcpy(sorted->codes + letters, reads->codes + reads->start[rank[r].index], rank[r].length);
        letters += rank[r].length;
    }
    free(rank);
    sorted->reads = (papara_reads){.count = count,
                                   .length = sorted->length,
                                   .start = sorted->start,
                                   .codes = sorted->codes,
                                   .letters = letters,
                                   .longest = count > 0 ? sorted->length[0] : 0};
    return WL_OK;
}

static uint64_t letters_between(const papara_reads *sorted, size_t first, size_t count) {
    if (count == 0) return 0;
    size_t last = first + count - 1;
    return sorted->start[last] + sorted->length[last] - sorted->start[first];
}

papara_reads papara_reads_part(const papara_reads *sorted, size_t first, size_t count) {
    return (papara_reads){.count = count,
                          .length = sorted->length + first,
                          .start = sorted->start + first,
                          .codes = sorted->codes,
                          .letters = letters_between(sorted, first, count),
                          .longest = count > 0 ? sorted->length[first] : 0};
}

/* --- Blocks ------------------------------------------------------------------------------------------------------ */

double papara_block_cells(const papara_queue *queue, const papara_block *block) {
    return (double)letters_between(queue->reads, block->first_read, block->reads) * queue->sites *
           (double)block->vectors;
}

/* Puts the rest of a rectangle back. */
static int put(papara_queue *queue, papara_block rest) {
    if (rest.reads == 0 || rest.vectors == 0) return 1;
    if (!WL_GROW(queue->rest, queue->count, 1)) return 0;
    queue->rest[queue->count++] = rest;
    return 1;
}

wl_status papara_queue_make(const papara_reads *sorted, size_t vectors, uint32_t sites, size_t most_reads,
                            papara_queue *queue) {
    *queue = (papara_queue){.reads = sorted, .sites = sites};
    size_t chunks = (sorted->count + most_reads - 1) / most_reads;
    for (size_t c = 0; c < chunks; c++) { // of nearly equal counts, instead of a short one at the end
        size_t first = sorted->count / chunks * c + (c < sorted->count % chunks ? c : sorted->count % chunks);
        papara_block whole = {first, sorted->count / chunks + (c < sorted->count % chunks), 0, vectors};
        if (!put(queue, whole)) {
            papara_queue_free(queue);
            return wl_fail(WL_NO_MACHINE, "not enough memory for the blocks of %zu reads", sorted->count);
        }
        queue->cells_left += papara_block_cells(queue, &whole);
    }
    return WL_OK;
}

void papara_queue_free(papara_queue *queue) {
    free(queue->rest);
    *queue = (papara_queue){0};
}

/* The rectangle from which a block of this shape is taken. GPUs take from the largest one. CPU threads continue with one that another
   thread has begun, so there are never many rectangles. */
static size_t choose(const papara_queue *queue, papara_block_shape shape) {
    size_t chosen = 0;
    double best = 0;
    for (size_t i = 0; i < queue->count; i++) {
        double cells = papara_block_cells(queue, &queue->rest[i]);
        if (i > 0 && (shape == PAPARA_WIDE ? cells <= best : cells >= best)) continue;
        chosen = i;
        best = cells;
    }
    return chosen;
}

static size_t wide_vectors(const papara_queue *queue, const papara_block *from, double cells) {
    double each = papara_block_cells(queue, from) / (double)from->vectors, wanted = cells / each;
    if (wanted >= (double)from->vectors) return from->vectors;
    size_t steps = (size_t)(wanted / PAPARA_WIDE_STEP + 0.5);
    return (steps > 0 ? steps : 1) * PAPARA_WIDE_STEP;
}

/* The largest count of reads within `cells`, at least 1. */
static size_t narrow_reads(const papara_queue *queue, const papara_block *from, size_t vectors, double cells) {
    size_t low = 1, high = from->reads;
    while (low < high) {
        papara_block some = {from->first_read, low + (high - low + 1) / 2, 0, vectors};
        if (papara_block_cells(queue, &some) <= cells)
            low = some.reads;
        else
            high = some.reads - 1;
    }
    return low;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

int papara_queue_take(papara_queue *queue, papara_block_shape shape, double cells, size_t most_vectors,
                      papara_block *block) {
    if (queue->count == 0) return 0;
    size_t chosen = choose(queue, shape);
    papara_block from = queue->rest[chosen];
    queue->rest[chosen] = queue->rest[--queue->count];
    papara_block taken = from;
    if (shape == PAPARA_WIDE) {
        taken.vectors = least(wide_vectors(queue, &from, cells), least(from.vectors, most_vectors));
    } else {
        taken.vectors = least(PAPARA_NARROW_VECTORS, least(from.vectors, most_vectors));
        taken.reads = narrow_reads(queue, &from, taken.vectors, cells);
    }
    papara_block beside = {taken.first_read + taken.reads, from.reads - taken.reads, taken.first_vector, taken.vectors};
    papara_block behind = {from.first_read, from.reads, taken.first_vector + taken.vectors,
                           from.vectors - taken.vectors};
    if (!put(queue, behind) || !put(queue, beside)) return -1;
    queue->cells_left -= papara_block_cells(queue, &taken);
    *block = taken;
    return 1;
}
