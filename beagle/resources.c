/* What this library runs on, and what an instance on it may be asked for. */
#include <stdio.h>

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
    VECTORS = BEAGLE_FLAG_VECTOR_NONE | BEAGLE_FLAG_VECTOR_SSE | BEAGLE_FLAG_VECTOR_AVX,
};

static const cpu_core *bg_core(void) {
    const char *title, *why = NULL;
    return cpu_core_choose(&title, &why);
}

/* ---- flags ---- */

/* The core's vectors: SSE2 where it is the portable one. */
static long vector_flag(void) {
    const cpu_core *core = bg_core();
    return core != NULL && core->vector_bytes > 16 ? BEAGLE_FLAG_VECTOR_AVX : BEAGLE_FLAG_VECTOR_SSE;
}

/* Chooses between two flags that exclude each other: the required one, else the preferred one, else the first. */
static long one_of(long first, long second, long preferences, long requirements) {
    const long both = first | second;
    const long asked = (requirements & both) != 0 ? requirements & both : preferences & both;
    return asked == second ? second : first;
}

/* An instance that requires shorter vectors than this CPU has, or none, is computed by portable C. */
const cpu_core *bg_core_of(long flags) {
    return flags & (vector_flag() | BEAGLE_FLAG_PROCESSOR_GPU) ? bg_core() : &cpu_core_portable;
}

/* What an instance always is, and what it may be asked to be. */
static long always(int resource) { return resource == 0 ? ALWAYS_CPU : ALWAYS_GPU; }
static long supported(int resource) {
    const long here = BEAGLE_FLAG_VECTOR_NONE | BEAGLE_FLAG_VECTOR_SSE | vector_flag();
    return always(resource) | EITHER | (resource == 0 ? THREADS | here : 0);
}

long bg_flags(int resource, long preferences, long requirements, int *code) {
    const long vectors = requirements & VECTORS;
    const long missing = (vectors & (vectors - 1)) != 0 ? vectors : requirements & ~supported(resource);
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
    if (resource == 0) flags |= vectors != 0 ? vectors : vector_flag();
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
enum { NAME = 128, DESCRIPTION = 256 };
static struct { char name[NAME], description[DESCRIPTION], implementation[DESCRIPTION]; } texts[BG_RESOURCES_MOST];
static BeagleResource list[BG_RESOURCES_MOST];
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
    for (int d = 0; d < devices && resources.length < BG_RESOURCES_MOST; d++, resources.length++) {
        bg_device_name(d, texts[d + 1].name, NAME, texts[d + 1].description, DESCRIPTION);
        snprintf(texts[d + 1].implementation, DESCRIPTION,
                 "exponents of their own for all partials; work is queued, a level of the tree in a launch");
    }
    for (int r = 0; r < resources.length; r++)
        list[r] = (BeagleResource){texts[r].name, texts[r].description, supported(r), always(r)};
}

BeagleResourceList *bg_resources(void) {
    pthread_once(&described, describe_all);
    return &resources;
}

void bg_describe(int resource, BeagleInstanceDetails *details) {
    bg_resources();
    *details = (BeagleInstanceDetails){.resourceNumber = resource,
                                       .resourceName = texts[resource].name,
                                       .implName = resource == 0 ? cpu_name : gpu_name,
                                       .implDescription = texts[resource].implementation};
}

/* The first in the client's order that can do what it requires, among them one with the processor that it prefers. */
int bg_choose(const int *wanted, int count, long preferences, long requirements) {
    const int is_listed = wanted != NULL && count > 0;
    if (!is_listed && ((preferences | requirements) & ~(long)ALWAYS_CPU & PROCESSORS) == 0)
        return 0; // no driver is woken
    const int all = bg_resources()->length;
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
