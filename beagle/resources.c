/* What this library runs on, how fast that is, and what an instance on it may be asked for. */
#define _GNU_SOURCE /* asprintf */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "beagle/device.h"
#include "beagle/instance.h"
#include "harness/base/cpu.h"

enum {
    ALWAYS_CPU = BEAGLE_FLAG_COMPUTATION_SYNCH | BEAGLE_FLAG_PROCESSOR_CPU | BEAGLE_FLAG_FRAMEWORK_CPU,
    ALWAYS_GPU = BEAGLE_FLAG_COMPUTATION_SYNCH | BEAGLE_FLAG_PROCESSOR_GPU | BEAGLE_FLAG_FRAMEWORK_CUDA |
                 BEAGLE_FLAG_VECTOR_NONE,
    PROCESSORS = BEAGLE_FLAG_PROCESSOR_CPU | BEAGLE_FLAG_PROCESSOR_GPU | BEAGLE_FLAG_PROCESSOR_FPGA |
                 BEAGLE_FLAG_PROCESSOR_CELL | BEAGLE_FLAG_PROCESSOR_PHI | BEAGLE_FLAG_PROCESSOR_OTHER |
                 BEAGLE_FLAG_FRAMEWORK_CPU | BEAGLE_FLAG_FRAMEWORK_CUDA | BEAGLE_FLAG_FRAMEWORK_OPENCL,
    EITHER = BEAGLE_FLAG_PRECISION_SINGLE | BEAGLE_FLAG_PRECISION_DOUBLE | BEAGLE_FLAG_EIGEN_REAL |
             BEAGLE_FLAG_EIGEN_COMPLEX | BEAGLE_FLAG_SCALING_MANUAL | BEAGLE_FLAG_SCALING_AUTO |
             BEAGLE_FLAG_SCALING_ALWAYS | BEAGLE_FLAG_SCALING_DYNAMIC | BEAGLE_FLAG_SCALERS_RAW |
             BEAGLE_FLAG_SCALERS_LOG | BEAGLE_FLAG_INVEVEC_STANDARD | BEAGLE_FLAG_INVEVEC_TRANSPOSED,
    THREADS = BEAGLE_FLAG_THREADING_OPENMP | BEAGLE_FLAG_THREADING_NONE,
};

const char *beagleGetVersion(void) { return "3.1.2"; } /* the interface's; clients read it */

const char *beagleGetCitation(void) {
    return "Suchard MA, Rambaut A (2009) Many-core algorithms for statistical phylogenetics. Bioinformatics "
           "25:1370-1376\n"
           "Ayres DL et al. (2019) BEAGLE 3: improved performance, scaling, and usability for a high-performance "
           "computing\n"
           "library for statistical phylogenetics. Systematic Biology 68:1052-1061 (the interface)\n"
           "computed by Warpladder's peeling kernels\n";
}

const cpu_core *bg_core(void) {
    const char *title, *why = NULL;
    return cpu_core_choose(&title, &why);
}

int bg_refuse(int code, const char *format, ...) {
    if (getenv("WARPLADDER_BEAGLE_VERBOSE") == NULL) return code;
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0) fprintf(stderr, "warpladder beagle: refused: %s\n", text);
    va_end(arguments);
    free(text);
    return code;
}

/* ---- flags ---- */

/* The core's vectors: SSE2 where it is the portable one. */
static long vector_flag(void) {
    const cpu_core *core = bg_core();
    return core != NULL && core->vector_bytes > 16 ? BEAGLE_FLAG_VECTOR_AVX : BEAGLE_FLAG_VECTOR_SSE;
}

/* Of two that exclude each other: the required one, the preferred one, else the first. */
static long one_of(long first, long second, long preferences, long requirements) {
    const long both = first | second;
    const long asked = (requirements & both) != 0 ? requirements & both : preferences & both;
    return asked == second ? second : first;
}

/* What an instance always is, and what it may be asked to be. */
static long always(int resource) { return resource == 0 ? ALWAYS_CPU | vector_flag() : ALWAYS_GPU; }
static long supported(int resource) { return always(resource) | EITHER | (resource == 0 ? THREADS : 0); }

long bg_flags(int resource, long preferences, long requirements, int *code) {
    const long missing = requirements & ~supported(resource);
    if (missing != 0) {
        *code = bg_refuse(missing & PROCESSORS ? BEAGLE_ERROR_NO_RESOURCE : BEAGLE_ERROR_NO_IMPLEMENTATION,
                          "required flags 0x%lx are not offered", (unsigned long)missing);
        return 0;
    }
    long flags = always(resource);
    flags |= one_of(BEAGLE_FLAG_PRECISION_DOUBLE, BEAGLE_FLAG_PRECISION_SINGLE, preferences, requirements);
    flags |= one_of(BEAGLE_FLAG_EIGEN_REAL, BEAGLE_FLAG_EIGEN_COMPLEX, preferences, requirements);
    flags |= one_of(BEAGLE_FLAG_INVEVEC_STANDARD, BEAGLE_FLAG_INVEVEC_TRANSPOSED, preferences, requirements);
    flags |= one_of(BEAGLE_FLAG_SCALERS_RAW, BEAGLE_FLAG_SCALERS_LOG, preferences, requirements);
    if (resource == 0)
        flags |= one_of(BEAGLE_FLAG_THREADING_OPENMP, BEAGLE_FLAG_THREADING_NONE, preferences, requirements);
    const long scaling[] = {BEAGLE_FLAG_SCALING_AUTO, BEAGLE_FLAG_SCALING_ALWAYS, BEAGLE_FLAG_SCALING_DYNAMIC,
                            BEAGLE_FLAG_SCALING_MANUAL};
    long kind = BEAGLE_FLAG_SCALING_MANUAL;
    for (int i = 0; i < 4; i++)
        if (preferences & scaling[i]) kind = scaling[i];
    for (int i = 0; i < 4; i++)
        if (requirements & scaling[i]) kind = scaling[i];
    *code = BEAGLE_SUCCESS;
    return flags | kind;
}

/* ---- lists ---- */

/* The CPU, then the GPUs. Looked for when a client asks for resources or for a GPU: a CUDA driver takes a tenth of a second to wake. */
enum { RESOURCES_MOST = 17, NAME = 128, DESCRIPTION = 256 };
static struct { char name[NAME], description[DESCRIPTION], implementation[DESCRIPTION]; } texts[RESOURCES_MOST];
static BeagleResource list[RESOURCES_MOST];
static BeagleResourceList resources = {list, 1};
static pthread_once_t described = PTHREAD_ONCE_INIT;
static char cpu_name[] = "Warpladder-CPU", gpu_name[] = "Warpladder-CUDA";

static void describe_all(void) {
    const char *title = "none", *why = NULL;
    cpu_core_choose(&title, &why);
    snprintf(texts[0].name, NAME, "CPU (Warpladder)");
    snprintf(texts[0].description, DESCRIPTION, "%d threads, %s", wl_cpu_threads(), title);
    snprintf(texts[0].implementation, DESCRIPTION,
             "exponents of their own for all partials; work is queued and done tile by tile, %s", title);
    const int devices = bg_device_count();
    for (int d = 0; d < devices && resources.length < RESOURCES_MOST; d++, resources.length++) {
        bg_device_name(d, texts[d + 1].name, NAME, texts[d + 1].description, DESCRIPTION);
        snprintf(texts[d + 1].implementation, DESCRIPTION,
                 "exponents of their own for all partials; work is queued, a level of the tree in a launch");
    }
    for (int r = 0; r < resources.length; r++)
        list[r] = (BeagleResource){texts[r].name, texts[r].description, supported(r), always(r)};
}

BeagleResourceList *beagleGetResourceList(void) {
    pthread_once(&described, describe_all);
    return &resources;
}

void bg_describe(int resource, BeagleInstanceDetails *details) {
    beagleGetResourceList();
    *details = (BeagleInstanceDetails){.resourceNumber = resource,
                                       .resourceName = texts[resource].name,
                                       .implName = resource == 0 ? cpu_name : gpu_name,
                                       .implDescription = texts[resource].implementation};
}

/* The first in the client's order that can do what it requires, among them one with the processor that it prefers. */
int bg_choose(const int *wanted, int count, long preferences, long requirements) {
    const int is_listed = wanted != NULL && count > 0;
    if (!is_listed && ((preferences | requirements) & ~(long)ALWAYS_CPU & PROCESSORS) == 0)
        return 0; /* no driver is woken */
    const int all = beagleGetResourceList()->length;
    int chosen = BEAGLE_ERROR_NO_RESOURCE;
    for (int i = 0; i < (is_listed ? count : all); i++) {
        const int resource = is_listed ? wanted[i] : i;
        if (resource < 0 || resource >= all) continue;
        const int is_able = (requirements & PROCESSORS & ~always(resource)) == 0;
        const int is_preferred = (preferences & PROCESSORS & always(resource)) != 0;
        if (is_able && (chosen < 0 || (is_preferred && (preferences & PROCESSORS & always(chosen)) == 0)))
            chosen = resource;
    }
    return chosen >= 0 ? chosen
                       : bg_refuse(chosen, "no resource of %d is what is required, flags 0x%lx", all,
                                   (unsigned long)requirements);
}

/* ---- the benchmark ---- */

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
    /* First until an instance has found out whether threads pay (update.c). */
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
    return BEAGLE_SUCCESS;
}

/* A resource of this size, timed or known; NULL: no memory. What clients were given stays, so that past MOST sizes there is no room. */
static const BeagleBenchmarkedResource *bench(const bench_size *size) {
    enum { MOST = 64 * RESOURCES_MOST };
    static struct {
        bench_size size;
        BeagleBenchmarkedResource result;
    } cached[MOST];
    static size_t count;
    size_t i = 0;
    while (i < count && memcmp(&cached[i].size, size, sizeof *size) != 0) i++;
    if (i < count) return &cached[i].result;
    if (count == MOST) i = MOST - 1; /* the last is timed again and again */
    cached[i].size = *size;
    const int r = size->resource;
    cached[i].result = (BeagleBenchmarkedResource){.number = r,
                                                   .name = texts[r].name,
                                                   .description = texts[r].description,
                                                   .supportFlags = supported(r),
                                                   .requiredFlags = always(r),
                                                   .implName = r == 0 ? cpu_name : gpu_name};
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
        BeagleBenchmarkedResource item[RESOURCES_MOST];
    } *made = calloc(1, sizeof *made); /* the client's, as BEAGLE has no call that frees it */
    if (made == NULL) return NULL;
    made->list.list = made->item;
    pthread_mutex_lock(&lock);
    double first = 0;
    for (int i = 0; i < (is_listed ? resourceCount : all) && made->list.length < RESOURCES_MOST; i++) {
        bench_size size;
        memset(&size, 0, sizeof size); /* compared by bytes */
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
