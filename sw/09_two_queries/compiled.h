/* Kernels of 09_two_queries for gap costs for which the build has no constants. NVRTC compiles them while the program runs, if it
   is installed (harness/gpu/compile.h). Otherwise, and on the simulated device, the build's kernels for any costs run. */
#ifndef SW_09_TWO_QUERIES_COMPILED_H
#define SW_09_TWO_QUERIES_COMPILED_H

#include "harness/gpu/compile.h"
#include "sw/09_two_queries/state.h"

#ifdef WL_SIMULATED

static void two_compile(two_state *) {}
static inline wl_status two_resident_blocks(size_t, const wl_compiled *, size_t, size_t *) { return WL_OK; }
static inline wl_status two_launch_compiled(const wl_compiled *, unsigned, size_t, void *) { return WL_OK; }

#else

#include <stdio.h>

#include "harness/base/thread.h"

extern "C" const char wl_source_sw_09_two_queries[]; // kernel.cu, made by the build

/* What kernel.cu needs from headers that it cannot include then, because NVRTC has none of CUDA's headers. */
#define TWO_NAMES                                                                                   \
    "typedef unsigned char uint8_t;\n"                                                              \
    "typedef unsigned short uint16_t;\n"                                                            \
    "typedef unsigned int uint32_t;\n"                                                              \
    "typedef unsigned long long uint64_t;\n"                                                        \
    "#define NULL 0\n"                                                                              \
    "enum { SW_PROFILE_CODES = %d, SW_TWO_THREADS = %d, SW_TRACKS = %d, SW_PROFILE_LANES = %d };\n" \
    "#define SW_ENDS_WORD %uu\n"                                                                    \
    "struct __half2 { uint32_t pair; };\n"                                                          \
    "static __device__ __forceinline__ __half2 __hadd2(__half2 a, __half2 b) {\n"                   \
    "    asm(\"add.f16x2 %%0, %%1, %%2;\" : \"=r\"(a.pair) : \"r\"(a.pair), \"r\"(b.pair));\n"      \
    "    return a;\n"                                                                               \
    "}\n"

/* The whole source, which the caller frees. NULL: there is not enough memory. */
static char *two_source(void) {
    char *source = NULL;
    const int length = asprintf(&source, TWO_NAMES "%s", (int)SW_PROFILE_CODES, (int)SW_TWO_THREADS, (int)SW_TRACKS,
                                (int)SW_PROFILE_LANES, (unsigned)SW_ENDS_WORD, wl_source_sw_09_two_queries);
    return length < 0 ? NULL : source;
}

/* Compiling a kernel takes half a second, so the scan must be long enough. */
static int two_is_worth_it(const sw_input *in) {
    const double cells = 2e12;
    return (double)in->queries.letters * (double)in->database.letters >= cells;
}

/* A kernel, and the host thread that compiles it. */
typedef struct {
    two_state *two;
    const char *source;
    int shape, ordinal, wanted, started;
    pthread_t thread;
} two_job;

static void *two_compile_one(void *argument) {
    const two_job *job = (const two_job *)argument;
    const sw_input *in = job->two->s->input;
    const two_costs costs = two_costs_of(&in->scoring);
    const sw_shape *shape = &two_shapes[job->shape];
    char name[64];
    snprintf(name, sizeof name, "two_queries<%d, %d, %d, %d>", shape->lanes, shape->rows, costs.open, costs.extend);
    if (cudaSetDevice(job->ordinal) == cudaSuccess)
        job->two->compiled[job->shape] = wl_compile(job->source, name, two_is_worth_it(in), NULL);
    return NULL;
}

/* Compiles the kernels that the plan launches. Those that cannot be compiled stay NULL. */
static void two_compile(two_state *two) {
    const two_costs costs = two_costs_of(&two->s->input->scoring);
    if (two_is_built_in(&costs) || !wl_compile_can(NULL)) return;
    char *source = two_source();
    two_job jobs[TWO_SHAPE_COUNT] = {};
    int ordinal = 0;
    if (source == NULL || cudaGetDevice(&ordinal) != cudaSuccess) return free(source);
    for (size_t k = 0; k < two->plan.count; k++) jobs[two->plan.kernels[k].shape].wanted = 1;
    for (int shape = 0; shape < TWO_SHAPE_COUNT; shape++) {
        two_job *job = &jobs[shape];
        if (!job->wanted) continue;
        job->two = two;
        job->source = source;
        job->shape = shape;
        job->ordinal = ordinal;
        job->started = wl_thread_start(&job->thread, two_compile_one, job);
        if (!job->started) two_compile_one(job); // there can be no more threads
    }
    for (int shape = 0; shape < TWO_SHAPE_COUNT; shape++)
        if (jobs[shape].started) pthread_join(jobs[shape].thread, NULL);
    free(source);
}

static inline wl_status two_resident_blocks(size_t multiprocessors, const wl_compiled *kernel, size_t shared,
                                            size_t *blocks) {
    int each = 0;
    WL_TRY(wl_compiled_occupancy(kernel, SW_TWO_THREADS, shared, &each));
    *blocks = (size_t)each * multiprocessors;
    return WL_OK;
}

static inline wl_status two_launch_compiled(const wl_compiled *kernel, unsigned blocks, size_t shared, void *view) {
    return wl_compiled_launch(kernel, blocks, SW_TWO_THREADS, shared, view);
}

#endif
#endif
