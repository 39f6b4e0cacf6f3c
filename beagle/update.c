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

static const double LARGE_WORK = 2e9; /* floating-point operations, a tenth of a second: all threads */
static const double TINY_WORK = 1e5;  /* one thread */
static const double TRIAL_NS = 1e7;   /* half a trial ends then, too, but not with its first flush */
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

/* ---- joins ---- */

void bg_child(const bg_instance *b, cpu_child *child, int buffer, const void *matrix, double missing, size_t rate,
              size_t tile) {
    const bg_buffer *at = &b->buffer[buffer];
    *child = (cpu_child){.matrix = matrix, .missing = missing - 1};
    if (at->code != NULL) {
        child->code = (const unsigned char *)at->code + tile * b->tile * (b->few ? sizeof(uint8_t) : sizeof(uint16_t));
        return;
    }
    const unsigned char *from = bg_partials(b, buffer, rate, tile);
    child->partials = from;
    child->scale = from + b->scale_at;
    child->exponent = (const int32_t *)(from + b->exponent_at);
}

void bg_join(const bg_instance *b, const cpu_child child[2], unsigned char *to, size_t tile, void *scratch) {
    const cpu_join job = {.states = b->states,
                          .padded = b->padded,
                          .columns = b->tiles[tile].columns,
                          .stride = b->tile,
                          .set = b->set,
                          .child = {child[0], child[1]},
                          .partials = to,
                          .scale = to + b->scale_at,
                          .exponent = (int32_t *)(to + b->exponent_at),
                          .scratch = scratch};
    (b->few ? b->of->join_few : b->of->join)(&job);
}

void bg_operate(const bg_instance *b, const bg_operation *operation, size_t rate, size_t tile, void *scratch) {
    cpu_child child[2];
    for (int i = 0; i < 2; i++) {
        const bg_matrix *matrix = &b->matrix[operation->matrix[i]];
        bg_child(b, &child[i], operation->child[i], matrix->packed + rate * b->matrix_bytes, matrix->missing, rate,
                 tile);
    }
    bg_join(b, child, bg_partials(b, operation->to, rate, tile), tile, scratch);
}

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
    const double S = (double)b->states, join = (double)b->rates * (double)b->patterns * S * (4 * S - 1);
    const double work = (double)b->operation_count * join + (double)b->edge_count * (double)b->rates * 2 * S * S * S;
    const int threads = threads_for(b, work);
    const double begin = is_measured(b, work) ? now_ns() : 0;
    int tells = 0;
    for (size_t i = 0; i < b->operation_count; i++) tells |= b->operations[i].tells;
    const size_t edges = b->edge_count * b->rates, units = tells ? b->tile_count : b->rates * b->tile_count;
    if (threads == 1) { /* without OpenMP's bookkeeping: 1 of 25 us */
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

/* ---- what clients call ---- */

static int is_made(const bg_instance *b, int matrix) {
    return matrix >= 0 && (size_t)matrix < b->matrices && b->matrix[matrix].packed != NULL;
}

/* An index that there is, or none. With automatic scaling none is asked for. */
static int is_scale_or_none(bg_instance *b, int *scale) {
    if (b->flags & (BEAGLE_FLAG_SCALING_AUTO | BEAGLE_FLAG_SCALING_ALWAYS)) *scale = BEAGLE_OP_NONE;
    return *scale < 0 || ((size_t)*scale < b->scales && bg_scale_wanted(b, *scale) == BEAGLE_SUCCESS);
}

int bg_queue(bg_instance *b, const bg_operation *operation) {
    const int code = bg_grow(&b->operations, &b->operation_room, b->operation_count + 1, sizeof *b->operations);
    if (code == BEAGLE_SUCCESS) b->operations[b->operation_count++] = *operation;
    return code;
}

static int queue_operation(bg_instance *b, bg_operation o) {
    if (o.to < 0 || (size_t)o.to >= b->buffers || o.to == o.child[0] || o.to == o.child[1] ||
        o.partition >= b->partitions || !bg_is_full(b, o.child[0]) || !bg_is_full(b, o.child[1]) ||
        !is_made(b, o.matrix[0]) || !is_made(b, o.matrix[1]) || !is_scale_or_none(b, &o.write) ||
        !is_scale_or_none(b, &o.read) || !is_scale_or_none(b, &o.sum))
        return BEAGLE_ERROR_OUT_OF_RANGE;
    bg_buffer *to = &b->buffer[o.to];
    int code = BEAGLE_SUCCESS;
    /* Operations that wait may read these states or, on a GPU, partials that have yet to be copied there. */
    const int is_only_here = b->device != NULL && to->partials != NULL && !to->on_device;
    if (to->code != NULL || to->waits || is_only_here) code = bg_flush(b, NULL);
    if (code == BEAGLE_SUCCESS) code = b->device != NULL ? bg_gpu_wanted(b, o.to) : bg_partials_wanted(b, o.to);
    for (int i = 0; i < 2 && code == BEAGLE_SUCCESS && b->device == NULL; i++) {
        if (b->matrix[o.matrix[i]].is_packed) continue;
        if (b->matrix[o.matrix[i]].waits) code = bg_flush(b, NULL);
        bg_pack(b, o.matrix[i]);
    }
    o.tells = o.write >= 0 || o.read >= 0 || b->buffer[o.child[0]].is_taken || b->buffer[o.child[1]].is_taken;
    /* What was taken before is still read: by operations that wait, or in the columns of other partitions. */
    if (to->is_taken && (b->operation_count > 0 || o.partition >= 0)) o.tells = 1;
    if (o.tells && to->taken == NULL && b->device == NULL) {
        to->taken = bg_zeros(sizeof *to->taken * bg_columns(b));
        if (to->taken == NULL) code = BEAGLE_ERROR_OUT_OF_MEMORY;
    }
    if (code == BEAGLE_SUCCESS && o.tells && !to->is_taken && b->device == NULL)
        for (size_t c = 0; c < bg_columns(b); c++) to->taken[c] = 0;
    if (code == BEAGLE_SUCCESS) code = bg_queue(b, &o);
    if (code != BEAGLE_SUCCESS) return code;
    to->is_taken = o.tells;
    if (b->device != NULL) {
        free(to->code);
        to->code = NULL;
        to->on_device = to->is_stale = to->waits = 1;
    }
    return BEAGLE_SUCCESS;
}

int beagleUpdatePartials(const int instance, const BeagleOperation *operations, int operationCount,
                         int cumulativeScaleIndex) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    int code = BEAGLE_SUCCESS;
    for (int i = 0; code == BEAGLE_SUCCESS && i < operationCount; i++) {
        const BeagleOperation *o = &operations[i];
        code = queue_operation(b, (bg_operation){.to = o->destinationPartials,
                                                 .child = {o->child1Partials, o->child2Partials},
                                                 .matrix = {o->child1TransitionMatrix, o->child2TransitionMatrix},
                                                 .write = o->destinationScaleWrite,
                                                 .read = o->destinationScaleRead,
                                                 .sum = cumulativeScaleIndex,
                                                 .partition = BEAGLE_OP_NONE});
    }
    return bg_leave(b, code);
}

int beagleUpdatePartialsByPartition(const int instance, const BeagleOperationByPartition *operations,
                                    int operationCount) {
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    int code = BEAGLE_SUCCESS;
    for (int i = 0; code == BEAGLE_SUCCESS && i < operationCount; i++) {
        const BeagleOperationByPartition *o = &operations[i];
        if (o->partition < 0) code = BEAGLE_ERROR_OUT_OF_RANGE;
        if (code == BEAGLE_SUCCESS)
            code = queue_operation(b, (bg_operation){.to = o->destinationPartials,
                                                     .child = {o->child1Partials, o->child2Partials},
                                                     .matrix = {o->child1TransitionMatrix, o->child2TransitionMatrix},
                                                     .write = o->destinationScaleWrite,
                                                     .read = o->destinationScaleRead,
                                                     .sum = o->cumulativeScaleIndex,
                                                     .partition = o->partition});
    }
    return bg_leave(b, code);
}

int beagleWaitForPartials(const int instance, const int *destinationPartials, int destinationPartialsCount) {
    (void)destinationPartials;
    (void)destinationPartialsCount;
    bg_instance *b = bg_enter(instance);
    return b == NULL ? BEAGLE_ERROR_UNINITIALIZED_INSTANCE : bg_leave(b, bg_flush(b, NULL));
}
