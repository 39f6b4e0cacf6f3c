/* How fast the resources are: a client of this library itself. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "beagle/instance.h"

static double now_ms(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return 1e3 * (double)at.tv_sec + 1e-6 * (double)at.tv_nsec;
}

typedef struct {
    int tips, states, patterns, categories;
    long preferences, requirements;
    int resource;
} bench_size;

/* All states change into each other at one rate: eigenvalue 0 of the vector of ones, S / (1 - S) of e_i - e_0. */
static int set_model(int instance, const bench_size *size) {
    const size_t S = (size_t)size->states;
    double *E = calloc(2 * S * S + 2 * S, sizeof *E), *inverse = E == NULL ? NULL : E + S * S,
           *value = E == NULL ? NULL : E + 2 * S * S;
    if (E == NULL) return BEAGLE_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < S; i++) {
        E[i * S] = 1;
        inverse[i] = 1 / (double)S;
        if (i == 0) continue;
        value[i] = -(double)S / ((double)S - 1);
        E[i * S + i] = 1;
        E[i] = -1;
        for (size_t j = 0; j < S; j++) inverse[i * S + j] = (j == i) - 1 / (double)S;
    }
    const int code = beagleSetEigenDecomposition(instance, 0, E, inverse, value);
    free(E);
    return code;
}

static int evaluate(int instance, const bench_size *size, int round) {
    const int edges = 2 * size->tips - 2, zero = 0, none = BEAGLE_OP_NONE;
    int *index = malloc(sizeof *index * (size_t)edges);
    double *length = malloc(sizeof *length * (size_t)edges), total;
    BeagleOperation *operation = malloc(sizeof *operation * (size_t)size->tips);
    int code = index == NULL || length == NULL || operation == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
    for (int i = 0; code == BEAGLE_SUCCESS && i < edges; i++) {
        index[i] = i;
        length[i] = 0.01 + 0.001 * (round % 7) + 0.0001 * i;
    }
    for (int i = 0; code == BEAGLE_SUCCESS && i < size->tips - 1; i++)
        operation[i] = (BeagleOperation){size->tips + i, none, none, 2 * i, 2 * i, 2 * i + 1, 2 * i + 1};
    if (code == BEAGLE_SUCCESS) code = beagleUpdateTransitionMatrices(instance, 0, index, NULL, NULL, length, edges);
    if (code == BEAGLE_SUCCESS) code = beagleUpdatePartials(instance, operation, size->tips - 1, none);
    const int root = 2 * size->tips - 2;
    if (code == BEAGLE_SUCCESS)
        code = beagleCalculateRootLogLikelihoods(instance, &root, &zero, &zero, &none, 1, &total);
    free(index);
    free(length);
    free(operation);
    return code;
}

static int by_size(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }

/* Milliseconds per evaluation of a balanced tree: the median of at least 5, and of 50 ms of them. */
static int time_resource(const bench_size *size, BeagleBenchmarkedResource *result) {
    BeagleInstanceDetails details;
    int resource = size->resource;
    const int instance = beagleCreateInstance(size->tips, size->tips - 1, size->tips, size->states, size->patterns, 1,
                                              2 * size->tips - 2, size->categories, 0, &resource, 1, size->preferences,
                                              size->requirements, &details);
    if (instance < 0) return instance;
    enum { MOST = 200, LEAST = 5, WARM = 25 };
    double sample[MOST], all = 0;
    int *state = malloc(sizeof *state * (size_t)size->patterns), count = 0,
        code = state == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
    uint32_t random = 2009;
    for (int tip = 0; code == BEAGLE_SUCCESS && tip < size->tips; tip++) {
        for (int c = 0; c < size->patterns; c++) {
            random = random * 1664525u + 1013904223u;
            state[c] = (int)((random >> 16) % (uint32_t)size->states);
        }
        code = beagleSetTipStates(instance, tip, state);
    }
    if (code == BEAGLE_SUCCESS) code = set_model(instance, size);
    /* First until an instance has found out whether threads pay (flush.c). */
    for (const double begin = now_ms();
         code == BEAGLE_SUCCESS && count < WARM && (count < LEAST || now_ms() < begin + 100); count++)
        code = evaluate(instance, size, count);
    count = 0;
    while (code == BEAGLE_SUCCESS && count < MOST && (count < LEAST || all < 50)) {
        const double begin = now_ms();
        code = evaluate(instance, size, count + 1);
        all += sample[count++] = now_ms() - begin;
    }
    beagleFinalizeInstance(instance);
    free(state);
    if (code != BEAGLE_SUCCESS) return code;
    qsort(sample, (size_t)count, sizeof *sample, by_size);
    result->benchmarkResult = sample[count / 2];
    result->benchedFlags = details.flags;
    result->implName = details.implName;
    return BEAGLE_SUCCESS;
}

/* A resource of this size, timed or known; NULL: no memory. What clients were given stays, so that past MOST sizes there is no room. */
static const BeagleBenchmarkedResource *bench(const bench_size *size) {
    enum { MOST = 64 * BG_RESOURCES_MOST };
    static struct {
        bench_size size;
        BeagleBenchmarkedResource result;
    } cached[MOST];
    static size_t count;
    size_t i = 0;
    while (i < count && memcmp(&cached[i].size, size, sizeof *size) != 0) i++;
    if (i < count) return &cached[i].result;
    if (count == MOST) i = MOST - 1; // the last is timed again and again
    cached[i].size = *size;
    const int r = size->resource;
    const BeagleResource *resource = &beagleGetResourceList()->list[r];
    BeagleInstanceDetails details;
    bg_describe(r, &details);
    cached[i].result = (BeagleBenchmarkedResource){.number = r,
                                                   .name = resource->name,
                                                   .description = resource->description,
                                                   .supportFlags = resource->supportFlags,
                                                   .requiredFlags = resource->requiredFlags,
                                                   .implName = details.implName};
    cached[i].result.returnCode = time_resource(size, &cached[i].result);
    count = i + 1;
    return &cached[i].result;
}

/* The fastest first; those that cannot are last. */
static int by_time(const void *a, const void *b) {
    const BeagleBenchmarkedResource *x = a, *y = b;
    if (x->returnCode != y->returnCode) return x->returnCode == BEAGLE_SUCCESS ? -1 : 1;
    return x->benchmarkResult < y->benchmarkResult ? -1 : x->benchmarkResult > y->benchmarkResult;
}

BeagleBenchmarkedResourceList *beagleGetBenchmarkedResourceList(int tipCount, int compactBufferCount, int stateCount,
                                                                int patternCount, int categoryCount, int *resourceList,
                                                                int resourceCount, long preferenceFlags,
                                                                long requirementFlags, int eigenModelCount,
                                                                int partitionCount, int calculateDerivatives,
                                                                long benchmarkFlags) {
    (void)compactBufferCount, (void)eigenModelCount, (void)partitionCount, (void)calculateDerivatives,
        (void)benchmarkFlags;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (tipCount < 2 || patternCount < 1 || categoryCount < 1) return NULL;
    const int all = beagleGetResourceList()->length, is_listed = resourceList != NULL && resourceCount > 0;
    struct {
        BeagleBenchmarkedResourceList list;
        BeagleBenchmarkedResource item[BG_RESOURCES_MOST];
    } *made = calloc(1, sizeof *made); // the client's, as BEAGLE has no call that frees it
    if (made == NULL) return NULL;
    made->list.list = made->item;
    pthread_mutex_lock(&lock);
    double first = 0;
    for (int i = 0; i < (is_listed ? resourceCount : all) && made->list.length < BG_RESOURCES_MOST; i++) {
        bench_size size;
        memset(&size, 0, sizeof size); // compared by bytes
        size.tips = tipCount;
        size.states = stateCount;
        size.patterns = patternCount;
        size.categories = categoryCount;
        size.preferences = preferenceFlags;
        size.requirements = requirementFlags;
        size.resource = is_listed ? resourceList[i] : i;
        if (size.resource < 0 || size.resource >= all) continue;
        BeagleBenchmarkedResource *item = &made->item[made->list.length++];
        *item = *bench(&size);
        if (first == 0) first = item->benchmarkResult;
        item->performanceRatio = item->benchmarkResult > 0 ? first / item->benchmarkResult : 0;
    }
    pthread_mutex_unlock(&lock);
    if (made->list.length == 0) {
        free(made);
        return NULL;
    }
    qsort(made->item, (size_t)made->list.length, sizeof *made->item, by_time);
    return &made->list;
}
