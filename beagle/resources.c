/* What this library runs on, how fast that is, and what an instance on it may be asked for. */
#define _GNU_SOURCE /* asprintf */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "beagle/instance.h"
#include "harness/base/cpu.h"

char bg_resource_name[] = "CPU (Warpladder)";
char bg_implementation_name[] = "Warpladder-CPU";
char bg_implementation_description[128];
static char resource_description[128];

enum {
    ALWAYS = BEAGLE_FLAG_COMPUTATION_SYNCH | BEAGLE_FLAG_PROCESSOR_CPU | BEAGLE_FLAG_FRAMEWORK_CPU,
    SUPPORTED = ALWAYS | BEAGLE_FLAG_PRECISION_SINGLE | BEAGLE_FLAG_PRECISION_DOUBLE | BEAGLE_FLAG_EIGEN_REAL |
                BEAGLE_FLAG_EIGEN_COMPLEX | BEAGLE_FLAG_SCALING_MANUAL | BEAGLE_FLAG_SCALING_AUTO |
                BEAGLE_FLAG_SCALING_ALWAYS | BEAGLE_FLAG_SCALING_DYNAMIC | BEAGLE_FLAG_SCALERS_RAW |
                BEAGLE_FLAG_SCALERS_LOG | BEAGLE_FLAG_INVEVEC_STANDARD | BEAGLE_FLAG_INVEVEC_TRANSPOSED |
                BEAGLE_FLAG_THREADING_OPENMP | BEAGLE_FLAG_THREADING_NONE,
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

long bg_flags(long preferences, long requirements, int *code) {
    const long missing = requirements & ~(SUPPORTED | vector_flag());
    if (missing != 0) {
        const long processors = BEAGLE_FLAG_PROCESSOR_GPU | BEAGLE_FLAG_PROCESSOR_FPGA | BEAGLE_FLAG_PROCESSOR_CELL |
                                BEAGLE_FLAG_PROCESSOR_PHI | BEAGLE_FLAG_PROCESSOR_OTHER | BEAGLE_FLAG_FRAMEWORK_CUDA |
                                BEAGLE_FLAG_FRAMEWORK_OPENCL;
        *code = bg_refuse(missing & processors ? BEAGLE_ERROR_NO_RESOURCE : BEAGLE_ERROR_NO_IMPLEMENTATION,
                          "required flags 0x%lx are not offered", (unsigned long)missing);
        return 0;
    }
    long flags = ALWAYS | vector_flag();
    flags |= one_of(BEAGLE_FLAG_PRECISION_DOUBLE, BEAGLE_FLAG_PRECISION_SINGLE, preferences, requirements);
    flags |= one_of(BEAGLE_FLAG_EIGEN_REAL, BEAGLE_FLAG_EIGEN_COMPLEX, preferences, requirements);
    flags |= one_of(BEAGLE_FLAG_INVEVEC_STANDARD, BEAGLE_FLAG_INVEVEC_TRANSPOSED, preferences, requirements);
    flags |= one_of(BEAGLE_FLAG_SCALERS_RAW, BEAGLE_FLAG_SCALERS_LOG, preferences, requirements);
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

static BeagleResource resource = {bg_resource_name, resource_description, 0, ALWAYS};
static BeagleResourceList resources = {&resource, 1};

__attribute__((constructor)) static void describe(void) {
    const char *title = "none", *why = NULL;
    cpu_core_choose(&title, &why);
    snprintf(resource_description, sizeof resource_description, "%d threads, %s", wl_cpu_threads(), title);
    snprintf(bg_implementation_description, sizeof bg_implementation_description,
             "exponents of their own for all partials; work is queued and done tile by tile, %s", title);
    resource.supportFlags = SUPPORTED | vector_flag();
}

BeagleResourceList *beagleGetResourceList(void) { return &resources; }

/* ---- the benchmark ---- */

static double now_ms(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return 1e3 * (double)at.tv_sec + 1e-6 * (double)at.tv_nsec;
}

typedef struct {
    int tips, states, patterns, categories;
    long preferences, requirements;
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
    const int instance = beagleCreateInstance(size->tips, size->tips - 1, size->tips, size->states, size->patterns, 1,
                                              2 * size->tips - 2, size->categories, 0, NULL, 0, size->preferences,
                                              size->requirements, &details);
    if (instance < 0) return instance;
    enum { MOST = 200, LEAST = 5 };
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
    if (code == BEAGLE_SUCCESS) code = evaluate(instance, size, 0); /* a warm-up */
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

BeagleBenchmarkedResourceList *beagleGetBenchmarkedResourceList(int tipCount, int compactBufferCount, int stateCount,
                                                                int patternCount, int categoryCount, int *resourceList,
                                                                int resourceCount, long preferenceFlags,
                                                                long requirementFlags, int eigenModelCount,
                                                                int partitionCount, int calculateDerivatives,
                                                                long benchmarkFlags) {
    (void)compactBufferCount, (void)eigenModelCount, (void)partitionCount, (void)calculateDerivatives,
        (void)benchmarkFlags;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        bench_size size;
        BeagleBenchmarkedResource result;
        BeagleBenchmarkedResourceList list;
    } * cached[64]; /* what clients were given stays; a 65th size is timed again and again, into the last one */
    static size_t count;
    int listed = resourceList == NULL || resourceCount <= 0;
    for (int i = 0; resourceList != NULL && i < resourceCount; i++) listed |= resourceList[i] == 0;
    if (!listed || tipCount < 2 || patternCount < 1 || categoryCount < 1) return NULL;
    bench_size size;
    memset(&size, 0, sizeof size); /* compared by bytes */
    size.tips = tipCount;
    size.states = stateCount;
    size.patterns = patternCount;
    size.categories = categoryCount;
    size.preferences = preferenceFlags;
    size.requirements = requirementFlags;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < count && memcmp(&cached[i]->size, &size, sizeof size) != 0) i++;
    if (i == count) {
        if (count == sizeof cached / sizeof *cached) i = count - 1;
        if (i == count && (cached[i] = calloc(1, sizeof *cached[i])) != NULL) count++;
        if (cached[i] == NULL) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        BeagleBenchmarkedResource *result = &cached[i]->result;
        cached[i]->size = size;
        *result = (BeagleBenchmarkedResource){.name = bg_resource_name,
                                              .description = resource_description,
                                              .supportFlags = resource.supportFlags,
                                              .requiredFlags = resource.requiredFlags,
                                              .implName = bg_implementation_name,
                                              .performanceRatio = 1};
        result->returnCode = time_resource(&size, result);
        cached[i]->list = (BeagleBenchmarkedResourceList){result, 1};
    }
    pthread_mutex_unlock(&lock);
    return &cached[i]->list;
}
