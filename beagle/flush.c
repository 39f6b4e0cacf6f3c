/* What waits, done: matrices, and then tile by tile through all operations. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "beagle/instance.h"

/* ---- one thread or all ----

   Waking the others takes a microsecond or two where their cores are idle, and a thousand times that where somebody else runs there. So
   small work is tried both ways, now and then, and done in the way that took less. Results do not depend on it. */

static const double LARGE_WORK = 2e9; // floating-point operations, a tenth of a second: all threads
static const double TINY_WORK = 1e5;  // one thread
static const double TRIAL_NS = 1e7;   // half a trial ends then, too, but not with its first flush
enum { TRIAL = BG_TRIAL, SLOW = 3, LEAST_WAIT = 500, MOST_WAIT = 32000 };

static int is_measured(const bg_instance *b, double work) {
    return b->threads > 1 && work >= TINY_WORK && work < LARGE_WORK;
}

/* Trials: first TRIAL flushes by one thread, then as many by all. */
static int threads_for(bg_instance *b, double work) {
    if (!is_measured(b, work)) return work < TINY_WORK ? 1 : b->threads;
    if (b->pace.left == 0) {
        b->pace.left = 2 * TRIAL + (b->pace.wait < LEAST_WAIT ? LEAST_WAIT : b->pace.wait);
        b->pace.wait = b->pace.left - 2 * TRIAL;
        b->pace.one = b->pace.all = INFINITY;
        b->pace.spent = b->pace.samples = 0;
    }
    const unsigned rest = b->pace.wait;
    if (b->pace.left > rest + TRIAL) return 1;
    if (b->pace.left > rest) return b->threads;
    return b->pace.use_all ? b->threads : 1;
}

static int by_size(const void *a, const void *b) {
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* What a flush of a half takes: the median. The least would be that of a lucky one, in which nothing had to be woken. */
static void note_trial(bg_instance *b, double each, int threads, double ns) {
    const unsigned end = b->pace.wait + (threads > 1 ? 0 : TRIAL);
    b->pace.sample[b->pace.samples++] = each;
    b->pace.spent += ns;
    if (b->pace.spent > TRIAL_NS && b->pace.samples > 1) b->pace.left = end;
    if (b->pace.left != end) return;
    qsort(b->pace.sample, b->pace.samples, sizeof *b->pace.sample, by_size);
    *(threads > 1 ? &b->pace.all : &b->pace.one) = b->pace.sample[b->pace.samples / 2];
    b->pace.spent = b->pace.samples = 0;
}

static void note_time(bg_instance *b, double work, int threads, double ns) {
    const double each = ns / work;
    const int is_trial = b->pace.left > b->pace.wait;
    b->pace.left--;
    if (is_trial) note_trial(b, each, threads, ns);
    /* A trial ends early where all threads take far longer; and what was chosen is given up where it has become so. Not for once: threads
       that sleep have to be woken first. */
    b->pace.slow = threads > 1 && each > 4 * b->pace.one ? b->pace.slow + 1 : 0;
    if (b->pace.slow == SLOW) {
        b->pace.slow = b->pace.samples = 0;
        b->pace.use_all = 0;
        b->pace.wait = b->pace.wait * 2 < MOST_WAIT ? b->pace.wait * 2 : MOST_WAIT;
        b->pace.left = b->pace.wait;
    } else if (is_trial && b->pace.left == b->pace.wait) {
        b->pace.use_all = b->pace.all < 0.9 * b->pace.one;
        if (b->pace.use_all) b->pace.wait = b->pace.left = LEAST_WAIT;
    }
}

static double now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return 1e9 * (double)at.tv_sec + (double)at.tv_nsec;
}

static unsigned char *scratch_of(const bg_instance *b) {
#ifdef _OPENMP
    return b->scratch + (size_t)omp_get_thread_num() * b->scratch_bytes;
#else
    return b->scratch;
#endif
}

/* ---- one unit of work ---- */

static int is_of(const bg_instance *b, int partition, size_t tile) {
    return partition == BEAGLE_OP_NONE || b->tiles[tile].partition == partition;
}

/* All operations of one tile and rate class, and its share of the sums; or, where there are factors to note, of all rate classes, whose
   largest they are. */
static void unit(bg_instance *b, const bg_request *request, int tells, size_t number, void *scratch) {
    const size_t tile = number % b->tile_count, first = number / b->tile_count, last = tells ? b->rates : first + 1;
    for (size_t i = 0; i < b->operation_count; i++) {
        if (!is_of(b, b->operations[i].partition, tile)) continue;
        for (size_t r = first; r < last; r++) bg_operate(b, &b->operations[i], r, tile, scratch);
        if (b->operations[i].tells) bg_note_scale(b, &b->operations[i], tile);
    }
    if (request == NULL || !is_of(b, request->partition, tile)) return;
    for (size_t r = first; r < last; r++) bg_sum_tile(b, request, r, tile, scratch);
}

/* One thread's rate classes: their matrices, and then all that reads those, so that no thread waits for another. What a thread has written
   is in its core's caches when it reads it. */
static void classes(bg_instance *b, const bg_request *request, size_t first, size_t last, void *scratch) {
    for (size_t e = 0; e < b->edge_count; e++)
        for (size_t r = first; r < last; r++) bg_make_matrices(b, &b->edges[e], r, scratch);
    for (size_t i = first * b->tile_count; i < last * b->tile_count; i++) unit(b, request, 0, i, scratch);
}

static void matrices(bg_instance *b, size_t number, void *scratch) {
    bg_make_matrices(b, &b->edges[number / b->rates], number % b->rates, scratch);
}

static int room_for_sums(bg_instance *b, const bg_request *request) {
    const size_t each = request->count * b->rates * bg_columns(b);
    int code = bg_grow(&b->sum, &b->sum_room, each * (1 + (size_t)request->derivatives), sizeof *b->sum);
    if (code == BEAGLE_SUCCESS)
        code = bg_grow(&b->class_weight, &b->class_room, request->count * b->rates, sizeof *b->class_weight);
    return code == BEAGLE_SUCCESS ? bg_grow(&b->exponent, &b->exponent_room, each, sizeof *b->exponent) : code;
}

/* All that waits has been done. */
static void forget(bg_instance *b) {
    for (size_t e = 0; e < b->edge_count; e++)
        for (int d = 0; d < 3; d++)
            if (b->edges[e].matrix[d] != BEAGLE_OP_NONE) b->matrix[b->edges[e].matrix[d]].waits = 0;
    b->edge_count = b->operation_count = 0;
}

int bg_flush(bg_instance *b, bg_request *request) {
    if (b->edge_count == 0 && b->operation_count == 0 && request == NULL) return BEAGLE_SUCCESS;
    if (b->device != NULL) {
        const int code = bg_gpu_flush(b, request);
        forget(b);
        if (code != BEAGLE_SUCCESS || request == NULL || request->is_done) return code;
    }
    if (request != NULL && room_for_sums(b, request) != BEAGLE_SUCCESS) return BEAGLE_ERROR_OUT_OF_MEMORY;
    const double S = (double)b->layout.states, join = (double)b->rates * (double)b->patterns * S * (4 * S - 1);
    const double work = (double)b->operation_count * join + (double)b->edge_count * (double)b->rates * 2 * S * S * S;
    const int threads = threads_for(b, work);
    const double begin = is_measured(b, work) ? now_ns() : 0;
    int tells = 0;
    for (size_t i = 0; i < b->operation_count; i++) tells |= b->operations[i].tells;
    const size_t edges = b->edge_count * b->rates, units = tells ? b->tile_count : b->rates * b->tile_count;
    if (threads == 1) { // without OpenMP's bookkeeping: 1 of 25 us
        for (size_t i = 0; i < edges; i++) matrices(b, i, b->scratch);
        for (size_t i = 0; i < units; i++) unit(b, request, tells, i, b->scratch);
    } else if (!tells && b->rates % (size_t)threads == 0) {
        const size_t each = b->rates / (size_t)threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (size_t t = 0; t < (size_t)threads; t++) classes(b, request, t * each, (t + 1) * each, scratch_of(b));
    } else {
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic)
            for (size_t i = 0; i < edges; i++) matrices(b, i, scratch_of(b));
#pragma omp for schedule(dynamic)
            for (size_t i = 0; i < units; i++) unit(b, request, tells, i, scratch_of(b));
        }
    }
    if (is_measured(b, work)) note_time(b, work, threads, now_ns() - begin);
    forget(b);
    return BEAGLE_SUCCESS;
}
