/* Instances: made, found by number, ended. */
#include "beagle/instance.h"

#include <stdlib.h>

#include "beagle/device.h"
#include "harness/base/cpu.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static bg_instance **table; // [table_count]; NULL: the number is free
static size_t table_count;

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

/* ---- making and ending ---- */

static void rows_free(double **rows, size_t count) {
    for (size_t i = 0; rows != NULL && i < count; i++) free(rows[i]);
    free(rows);
}

static void instance_free(bg_instance *b) {
    if (b == NULL) return;
    bg_forget_theirs(b);
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
        free(b->eigen[i].given);
    }
    for (size_t i = 0; b->matrix != NULL && i < b->matrices; i++) {
        free(b->matrix[i].column);
        free(b->matrix[i].packed);
        free(b->matrix[i].power);
    }
    for (size_t i = 0; b->scale != NULL && i < b->scales; i++) free(b->scale[i]);
    rows_free(b->weight, b->eigens);
    rows_free(b->rate, b->eigens);
    rows_free(b->frequency, b->eigens);
    for (int i = 0; i < 3; i++) free(b->site[i]);
    void *rest[] = {b->tiles,        b->column,         b->partition, b->set,       b->buffer,    b->eigen,
                    b->matrix,       b->scale,          b->scratch,   b->sum,       b->exponent,  b->edges,
                    b->operations,   b->pattern_weight, b->identity,  b->by_column, b->of_column, b->log_of_column,
                    b->class_weight, b->scale_use};
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
    b->scale_use = calloc(b->scales + 1, sizeof *b->scale_use);
    b->set = malloc(sizeof *b->set * (b->layout.states + 1));
    b->weight = rows_of(b->eigens, b->rates, 1.0 / (double)b->rates);
    b->rate = rows_of(b->eigens, b->rates, 1);
    b->frequency = rows_of(b->eigens, b->layout.states, 1.0 / (double)b->states);
    for (size_t i = 0; b->frequency != NULL && i < b->eigens; i++)
        for (size_t s = b->states; s < b->layout.states; s++) b->frequency[i][s] = 0;
    b->pattern_weight = malloc(sizeof *b->pattern_weight * (b->patterns + 1));
    for (int i = 0; i < 3; i++) b->site[i] = calloc(b->patterns + 1, sizeof(double));
    if (b->buffer == NULL || b->eigen == NULL || b->matrix == NULL || b->scale == NULL || b->scale_use == NULL ||
        b->set == NULL || b->weight == NULL || b->rate == NULL || b->frequency == NULL || b->pattern_weight == NULL ||
        b->site[0] == NULL || b->site[1] == NULL || b->site[2] == NULL)
        return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t s = 0; s < b->layout.states; s++) b->set[s] = (uint64_t)1 << s;
    b->set[b->layout.states] = ~(uint64_t)0 >> (64 - b->layout.states);
    for (size_t c = 0; c < b->patterns; c++) b->pattern_weight[c] = 1;
    const int code = bg_lay_out(b);
    return code == BEAGLE_SUCCESS ? bg_make_identity(b) : code;
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

/* More states than this library computes. */
static int create_theirs(const bg_wish *wish, int resource, BeagleInstanceDetails *details) {
    bg_instance *b = calloc(1, sizeof *b);
    if (b == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&b->lock, NULL);
    b->resource = resource;
    b->is_handed = 1;
    const int code = bg_make_theirs(b, wish, "this library takes 64 states at most", details);
    const int number = code == BEAGLE_SUCCESS ? enter_table(b) : code;
    if (number < 0) instance_free(b);
    if (number >= 0) return number;
    return bg_refuse(number, "found %d states; expected at most %d, or an installed BEAGLE that takes more",
                     wish->states, PEELING_STATES_MOST);
}

/* BEAGLE's code for 2 and 3 states needs less for each branch, ours less for each pattern. On one core of an Intel Xeon both take the same with
   100 to 200 patterns of 2 states, and with 30 to 100 of 3. */
static const char *why_theirs(const bg_wish *wish, int resource) {
    if (resource == 0 && wish->states == 2 && wish->patterns < 200) return "2 states and few patterns are faster there";
    if (resource == 0 && wish->states == 3 && wish->patterns < 100) return "3 states and few patterns are faster there";
    return NULL;
}

int bg_create(const bg_wish *wish, BeagleInstanceDetails *details) {
    const int resource = bg_choose(wish->resources, wish->resource_count, wish->preferences, wish->requirements);
    if (resource < 0) return resource;
    if (wish->states > PEELING_STATES_MOST) return create_theirs(wish, resource, details);
    int code = BEAGLE_SUCCESS;
    const long flags = bg_flags(resource, wish->preferences, wish->requirements, &code);
    if (code != BEAGLE_SUCCESS) return code;
    bg_instance *b = calloc(1, sizeof *b);
    if (b == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&b->lock, NULL);
    b->rates = (size_t)wish->rates;
    b->patterns = (size_t)wish->patterns;
    b->tips = (size_t)wish->tips;
    b->buffers = (size_t)wish->partials + (size_t)wish->compact;
    b->partials = (size_t)wish->partials;
    b->resource = resource;
    b->eigens = wish->eigens > 0 ? (size_t)wish->eigens : 1;
    b->matrices = (size_t)wish->matrices;
    b->scales = (size_t)wish->scales;
    b->flags = flags;
    b->preferences = wish->preferences;
    b->requirements = wish->requirements;
    b->states = (size_t)wish->states;
    const size_t laid_out = b->states < CPU_FEW && resource == 0 ? CPU_FEW : b->states;
    b->layout = cpu_lay_out(bg_core_of(flags), bg_precision(b), laid_out, CPU_STEP);
    b->threads = flags & BEAGLE_FLAG_THREADING_OPENMP ? wl_cpu_threads() : 1;
    b->partitions = 1;
    code = fill(b);
    if (code == BEAGLE_SUCCESS && resource > 0) code = bg_gpu_open(b, resource - 1);
    const int number = code == BEAGLE_SUCCESS ? enter_table(b) : code;
    if (number < 0) {
        instance_free(b);
        return bg_refuse(number, "not enough memory for %d patterns", wish->patterns);
    }
    if (details != NULL) bg_describe(resource, details);
    if (details != NULL) details->flags = flags;
    const char *why = why_theirs(wish, resource);
    if (why != NULL) bg_prepare_theirs(b, why, details);
    return number;
}

int bg_end(int instance) {
    pthread_mutex_lock(&table_lock);
    bg_instance *b = instance >= 0 && (size_t)instance < table_count ? table[instance] : NULL;
    if (b != NULL) table[instance] = NULL;
    pthread_mutex_unlock(&table_lock);
    if (b == NULL) return BEAGLE_ERROR_UNINITIALIZED_INSTANCE;
    pthread_mutex_lock(&b->lock); // a call under way ends first
    pthread_mutex_unlock(&b->lock);
    instance_free(b);
    return BEAGLE_SUCCESS;
}

int bg_end_all(void) {
    for (size_t i = 0; i < table_count; i++) bg_end((int)i);
    pthread_mutex_lock(&table_lock);
    free(table);
    table = NULL;
    table_count = 0;
    pthread_mutex_unlock(&table_lock);
    return BEAGLE_SUCCESS;
}

int bg_set_threads(bg_instance *b, int threads) {
    unsigned char *scratch = bg_zeros(b->scratch_bytes * (size_t)threads);
    if (scratch == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    free(b->scratch);
    b->scratch = scratch;
    b->threads = threads;
    return BEAGLE_SUCCESS;
}
