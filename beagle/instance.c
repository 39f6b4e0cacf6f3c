/* Instances: made, found by number, ended. */
#include "beagle/instance.h"
#include "beagle/device.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static bg_instance **table; /* [table_count]; NULL: the number is free */
static size_t table_count;

static size_t rounded(size_t a, size_t b) { return (a + b - 1) / b * b; }

int bg_grow(void *array, size_t *room, size_t count, size_t item_bytes) {
    void **at = array;
    if (count <= *room) return BEAGLE_SUCCESS;
    const size_t more = count > *room * 2 ? count : *room * 2;
    void *grown = realloc(*at, more * item_bytes);
    if (grown == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    *at = grown;
    *room = more;
    return BEAGLE_SUCCESS;
}

void *bg_zeros(size_t bytes) {
    void *memory = aligned_alloc(CPU_LINE, rounded(bytes > 0 ? bytes : 1, CPU_LINE));
    return memory == NULL ? NULL : memset(memory, 0, rounded(bytes > 0 ? bytes : 1, CPU_LINE));
}

size_t bg_columns(const bg_instance *b) { return b->tile_count * b->tile; }

bg_instance *bg_enter(int number) {
    pthread_mutex_lock(&table_lock);
    bg_instance *b = number >= 0 && (size_t)number < table_count ? table[number] : NULL;
    pthread_mutex_unlock(&table_lock);
    if (b != NULL) pthread_mutex_lock(&b->lock);
    return b;
}

int bg_leave(bg_instance *b, int code) {
    pthread_mutex_unlock(&b->lock);
    return code;
}

/* ---- layout ---- */

/* Columns of a tile. With many states as in peeling/cpu_simd: a tile's partials stay in the second-level cache through all joins. With four
   they come from memory, where every node's are kept, and long rows come faster: BEAST's benchmark2 takes 1.64 ms an evaluation with 240
   columns, 1.08 with 480, 0.83 with 960, 0.81 with 1,920. */
enum { TILE = 96, TILE_FEW = 960, UNITS_A_THREAD = 4 };

/* Fewer floating-point operations per join and all its columns than this are one thread's: waking others takes longer. */
enum { SMALL_JOIN = 400000 };

int bg_lay_out(bg_instance *b) {
    /* As many tiles of the largest size as there have to be, or as give every thread several units of work; of the same size. */
    const size_t most = b->few ? TILE_FEW : TILE;
    const double operations = (double)(b->rates * b->patterns * b->states) * (double)(4 * b->states - 1);
    const size_t threads = operations < SMALL_JOIN ? 1 : (size_t)b->threads;
    size_t tiles = (b->patterns + most - 1) / most;
    if (threads > 1 && tiles * b->rates < threads * UNITS_A_THREAD)
        tiles = (threads * UNITS_A_THREAD + b->rates - 1) / b->rates;
    b->tile = rounded((b->patterns + tiles - 1) / tiles, CPU_STEP);
    free(b->tiles);
    free(b->column);
    b->tiles = malloc(sizeof *b->tiles * (b->patterns / b->tile + (size_t)b->partitions + 1));
    b->column = malloc(sizeof *b->column * (b->patterns + 1));
    if (b->tiles == NULL || b->column == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    b->tile_count = 0;
    size_t first = 0;
    for (int p = 0; p < b->partitions; p++) {
        bg_tile *tile = NULL;
        for (size_t c = 0; c < b->patterns; c++) {
            if (b->partition != NULL && b->partition[c] != p) continue;
            if (tile == NULL || tile->columns == b->tile) {
                tile = &b->tiles[b->tile_count++];
                *tile = (bg_tile){.first = first, .partition = p};
            }
            b->column[c] = (b->tile_count - 1) * b->tile + tile->columns++;
            first++;
        }
    }
    b->padded = b->few ? CPU_FEW : rounded(b->states, b->core->vector_bytes / b->number);
    b->row = rounded(b->states, b->core->vector_bytes / sizeof(double));
    b->matrix_bytes = rounded((b->few ? CPU_FEW_MATRIX : b->states * b->padded) * b->number, CPU_LINE);
    b->scale_at = rounded(b->tile * b->padded * b->number, CPU_LINE);
    b->exponent_at = b->scale_at + (b->few ? 0 : rounded(b->tile * b->number, CPU_LINE));
    b->vector_bytes = b->exponent_at + rounded(b->tile * sizeof(int32_t), CPU_LINE);
    const size_t product = 2 * rounded(b->states, CPU_STEP) * b->row * sizeof(double);
    const size_t join = (b->tile + 2 * PEELING_STATES_MOST) * CPU_LINE;
    b->vector_at = rounded(product > join ? product : join, CPU_LINE);
    b->scratch_bytes = b->vector_at + b->vector_bytes;
    free(b->scratch);
    b->scratch = bg_zeros(b->scratch_bytes * (size_t)b->threads);
    free(b->by_column);
    free(b->log_of_column);
    free(b->of_column);
    b->by_column = bg_zeros(3 * sizeof *b->by_column * bg_columns(b));
    b->log_of_column = bg_zeros(sizeof *b->log_of_column * bg_columns(b));
    b->of_column = bg_zeros(sizeof *b->of_column * bg_columns(b));
    return b->scratch == NULL || b->by_column == NULL || b->log_of_column == NULL || b->of_column == NULL
               ? BEAGLE_ERROR_OUT_OF_MEMORY
               : BEAGLE_SUCCESS;
}

static int make_identity(bg_instance *b) {
    double *one = bg_zeros(sizeof *one * b->states * b->row);
    b->identity = bg_zeros(b->matrix_bytes);
    if (one != NULL && b->identity != NULL) {
        for (size_t s = 0; s < b->states; s++) one[s * b->row + s] = 1;
        if (b->few)
            b->of->store_few(one, b->row, b->identity);
        else
            b->of->store(b->states, one, b->row, 0, b->identity);
    }
    free(one);
    return one == NULL || b->identity == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
}

/* ---- making and ending ---- */

static void rows_free(double **rows, size_t count) {
    for (size_t i = 0; rows != NULL && i < count; i++) free(rows[i]);
    free(rows);
}

static void instance_free(bg_instance *b) {
    if (b == NULL) return;
    bg_device_close(b->device);
    for (size_t i = 0; b->buffer != NULL && i < b->buffers; i++) {
        free(b->buffer[i].code);
        free(b->buffer[i].partials);
        free(b->buffer[i].taken);
    }
    for (size_t i = 0; b->eigen != NULL && i < b->eigens; i++) {
        free(b->eigen[i].left);
        free(b->eigen[i].right);
        free(b->eigen[i].value);
    }
    for (size_t i = 0; b->matrix != NULL && i < b->matrices; i++) {
        free(b->matrix[i].column);
        free(b->matrix[i].packed);
    }
    for (size_t i = 0; b->scale != NULL && i < b->scales; i++) free(b->scale[i]);
    rows_free(b->weight, b->eigens);
    rows_free(b->rate, b->eigens);
    rows_free(b->frequency, b->eigens);
    for (int i = 0; i < 3; i++) free(b->site[i]);
    void *rest[] = {b->tiles,       b->column,         b->partition, b->set,       b->buffer,    b->eigen,
                    b->matrix,      b->scale,          b->scratch,   b->sum,       b->exponent,  b->edges,
                    b->operations,  b->pattern_weight, b->identity,  b->by_column, b->of_column, b->log_of_column,
                    b->class_weight};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) free(rest[i]);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

static double **rows_of(size_t count, size_t length, double value) {
    double **rows = calloc(count + 1, sizeof *rows);
    for (size_t i = 0; rows != NULL && i < count; i++) {
        rows[i] = malloc(sizeof **rows * (length + 1));
        if (rows[i] == NULL) {
            rows_free(rows, count);
            return NULL;
        }
        for (size_t k = 0; k < length; k++) rows[i][k] = value;
    }
    return rows;
}

/* All that does not depend on the tiles. */
static int fill(bg_instance *b) {
    b->buffer = calloc(b->buffers + 1, sizeof *b->buffer);
    b->eigen = calloc(b->eigens + 1, sizeof *b->eigen);
    b->matrix = calloc(b->matrices + 1, sizeof *b->matrix);
    b->scale = calloc(b->scales + 1, sizeof *b->scale);
    b->set = malloc(sizeof *b->set * (b->states + 1));
    b->weight = rows_of(b->eigens, b->rates, 1.0 / (double)b->rates);
    b->rate = rows_of(b->eigens, b->rates, 1);
    b->frequency = rows_of(b->eigens, b->states, 1.0 / (double)b->states);
    b->pattern_weight = malloc(sizeof *b->pattern_weight * (b->patterns + 1));
    for (int i = 0; i < 3; i++) b->site[i] = calloc(b->patterns + 1, sizeof(double));
    if (b->buffer == NULL || b->eigen == NULL || b->matrix == NULL || b->scale == NULL || b->set == NULL ||
        b->weight == NULL || b->rate == NULL || b->frequency == NULL || b->pattern_weight == NULL ||
        b->site[0] == NULL || b->site[1] == NULL || b->site[2] == NULL)
        return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t s = 0; s < b->states; s++) b->set[s] = (uint64_t)1 << s;
    b->set[b->states] = ~(uint64_t)0 >> (64 - b->states);
    for (size_t c = 0; c < b->patterns; c++) b->pattern_weight[c] = 1;
    const int code = bg_lay_out(b);
    return code == BEAGLE_SUCCESS ? make_identity(b) : code;
}

/* The lowest free number. */
static int enter_table(bg_instance *b) {
    size_t number = 0;
    pthread_mutex_lock(&table_lock);
    while (number < table_count && table[number] != NULL) number++;
    if (number == table_count) {
        bg_instance **grown = realloc(table, sizeof *table * (table_count + 1));
        if (grown == NULL) {
            pthread_mutex_unlock(&table_lock);
            return BEAGLE_ERROR_OUT_OF_MEMORY;
        }
        table = grown;
        table_count++;
    }
    table[number] = b;
    pthread_mutex_unlock(&table_lock);
    return (int)number;
}

int beagleCreateInstance(int tipCount, int partialsBufferCount, int compactBufferCount, int stateCount,
                         int patternCount, int eigenBufferCount, int matrixBufferCount, int categoryCount,
                         int scaleBufferCount, int *resourceList, int resourceCount, long preferenceFlags,
                         long requirementFlags, BeagleInstanceDetails *returnInfo) {
    if (tipCount < 0 || partialsBufferCount < 0 || compactBufferCount < 0 || patternCount < 1 || eigenBufferCount < 0 ||
        matrixBufferCount < 0 || categoryCount < 1 || scaleBufferCount < 0 || stateCount < 2)
        return bg_refuse(BEAGLE_ERROR_OUT_OF_RANGE,
                         "found a negative count, or less than 2 states, 1 pattern or 1 category");
    if (stateCount > PEELING_STATES_MOST)
        return bg_refuse(BEAGLE_ERROR_NO_IMPLEMENTATION, "found %d states; expected at most %d", stateCount,
                         PEELING_STATES_MOST);
    const int resource = bg_choose(resourceList, resourceCount, preferenceFlags, requirementFlags);
    if (resource < 0) return resource;
    int code = BEAGLE_SUCCESS;
    const long flags = bg_flags(resource, preferenceFlags, requirementFlags, &code);
    if (code != BEAGLE_SUCCESS) return code;
    bg_instance *b = calloc(1, sizeof *b);
    if (b == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&b->lock, NULL);
    b->states = (size_t)stateCount;
    b->rates = (size_t)categoryCount;
    b->patterns = (size_t)patternCount;
    b->tips = (size_t)tipCount;
    b->buffers = (size_t)partialsBufferCount + (size_t)compactBufferCount;
    b->partials = (size_t)partialsBufferCount;
    b->resource = resource;
    b->eigens = (size_t)eigenBufferCount > 0 ? (size_t)eigenBufferCount : 1;
    b->matrices = (size_t)matrixBufferCount;
    b->scales = (size_t)scaleBufferCount;
    b->flags = flags;
    b->core = bg_core();
    b->number = flags & BEAGLE_FLAG_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    b->of = &b->core->precision[flags & BEAGLE_FLAG_PRECISION_SINGLE ? PEELING_SINGLE : PEELING_DOUBLE];
    b->few = b->states == CPU_FEW;
    b->threads = flags & BEAGLE_FLAG_THREADING_OPENMP ? wl_cpu_threads() : 1;
    b->partitions = 1;
    code = fill(b);
    if (code == BEAGLE_SUCCESS && resource > 0) code = bg_gpu_open(b, resource - 1);
    const int number = code == BEAGLE_SUCCESS ? enter_table(b) : code;
    if (number < 0) {
        instance_free(b);
        return bg_refuse(number, "not enough memory for %d patterns", patternCount);
    }
    if (returnInfo != NULL) bg_describe(resource, returnInfo);
    if (returnInfo != NULL) returnInfo->flags = flags;
    return number;
}

int beagleFinalizeInstance(int instance) {
    pthread_mutex_lock(&table_lock);
    bg_instance *b = instance >= 0 && (size_t)instance < table_count ? table[instance] : NULL;
    if (b != NULL) table[instance] = NULL;
    pthread_mutex_unlock(&table_lock);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    pthread_mutex_lock(&b->lock); /* a call under way ends first */
    pthread_mutex_unlock(&b->lock);
    instance_free(b);
    return BEAGLE_SUCCESS;
}

int beagleFinalize(void) {
    for (size_t i = 0; i < table_count; i++) beagleFinalizeInstance((int)i);
    pthread_mutex_lock(&table_lock);
    free(table);
    table = NULL;
    table_count = 0;
    pthread_mutex_unlock(&table_lock);
    return BEAGLE_SUCCESS;
}

int beagleSetCPUThreadCount(int instance, int threadCount) {
    if (threadCount < 1) return BEAGLE_ERROR_OUT_OF_RANGE;
    bg_instance *b = bg_enter(instance);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    unsigned char *scratch = bg_zeros(b->scratch_bytes * (size_t)threadCount);
    if (scratch == NULL) return bg_leave(b, BEAGLE_ERROR_OUT_OF_MEMORY);
    free(b->scratch);
    b->scratch = scratch;
    b->threads = threadCount;
    return bg_leave(b, BEAGLE_SUCCESS);
}
