/* The work that is left in the scoring phase: rectangles of reads x vectors, from which workers take blocks. */
#pragma once

#include "papara/problem.h"

/* --- Reads ------------------------------------------------------------------------------------------------------- */

/* The reads of a request, longest first and without gaps in memory. So neighbours have nearly the same length, which suits vectors and
   warps, and any stretch of them is a view. */
typedef struct {
    papara_reads reads;
    size_t *order; // [reads.count]: its number in the request; reads of equal length keep their order
    uint32_t *length;
    uint64_t *start;
    uint8_t *codes;
} papara_sorted_reads;

/* On success free with papara_sorted_reads_free. */
wl_status papara_sort_reads(const papara_reads *reads, papara_sorted_reads *sorted);
void papara_sorted_reads_free(papara_sorted_reads *sorted);
/* Reads first .. first + count - 1 of sorted ones. */
papara_reads papara_reads_part(const papara_reads *sorted, size_t first, size_t count);

/* --- Blocks ------------------------------------------------------------------------------------------------------ */

typedef struct {
    size_t first_read, reads; // of the sorted ones
    size_t first_vector, vectors;
} papara_block;

typedef struct {
    const papara_reads *reads;
    uint32_t sites;
    papara_block *rest; // [count]
    size_t count;
    double cells_left; // n x m, of work that is not taken
} papara_queue;

/* most_reads: per block, at least 1. On success free with papara_queue_free. `sorted` must outlive it. */
wl_status papara_queue_make(const papara_reads *sorted, size_t vectors, uint32_t sites, size_t most_reads,
                            papara_queue *queue);
void papara_queue_free(papara_queue *queue);

double papara_block_cells(const papara_queue *queue, const papara_block *block);

typedef enum {
    PAPARA_WIDE,  // all reads of a rectangle and many vectors, from the largest rectangle
    PAPARA_NARROW // some reads and as many vectors as a vector unit is wide, from the smallest rectangle
} papara_block_shape;

/* Vectors of a narrow block: 16-bit lanes of the widest registers. */
enum { PAPARA_NARROW_VECTORS = 32, PAPARA_WIDE_STEP = 64 };

/* Takes a block of about `cells` cells and at most `most_vectors` vectors. 1: taken; 0: nothing is left; -1: no memory. */
int papara_queue_take(papara_queue *queue, papara_block_shape shape, double cells, size_t most_vectors,
                      papara_block *block);
