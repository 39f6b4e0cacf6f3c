#include "harness/bench/device.h"

#include <ctype.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/base/rapl.h"
#include "harness/base/thread.h"
#include "harness/base/timings.h"

static const char expected[] = "expected auto, cpu, sim, gpu or gpu:0,1";

static wl_device cpu(void) {
    wl_device device = {.backend = WL_CPU, .multiprocessors = wl_cpu_threads()};
    wl_cpu_model(device.name, sizeof device.name);
    device.memory_free = wl_memory_available();
    return device;
}

/* What a kernel may ask about its device is the same on every host: counters must not depend on where they were
   counted. Only the memory is the host's. */
static wl_device simulated(void) {
    wl_device device = {
        .backend = WL_SIM, .name = "simulated device", .compute_capability = 90, .multiprocessors = 132};
    device.memory_free = wl_memory_available();
    return device;
}

int wl_gpu_count(const char **reason) { return wl_gpu_devices(reason); }

wl_status wl_device_use(const wl_device *device) {
    return device->backend == WL_GPU ? wl_gpu_use(device->ordinal) : WL_OK;
}

wl_status wl_device_sleep_in_waits(const wl_device *device) {
    return device->backend == WL_GPU ? wl_gpu_sleep_in_waits(device->ordinal) : WL_OK;
}

wl_status wl_device_trim(const wl_device *device) {
    return device->backend == WL_GPU ? wl_gpu_trim(device->ordinal) : WL_OK;
}

/* Starts the GPUs whose ordinals are there, side by side: one context takes some tenths of a second. */
typedef struct {
    wl_device *device;
    size_t place;
    wl_saved_error *failure; // of all
} gpu_start;

static void *start_gpu(void *argument) {
    const gpu_start *start = argument;
    wl_save_error(start->failure, start->place, wl_gpu_open(start->device->ordinal, start->device));
    return NULL;
}

static wl_status start_gpus(wl_device *gpus, size_t count) {
    gpu_start start[WL_DEVICES_MOST];
    pthread_t thread[WL_DEVICES_MOST];
    int has_thread[WL_DEVICES_MOST] = {0};
    wl_saved_error failure = {0};
    for (size_t i = count; i-- > 0;) { // the first on this thread, when all others are under way
        start[i] = (gpu_start){&gpus[i], i, &failure};
        has_thread[i] = i > 0 && wl_thread_start(&thread[i], start_gpu, &start[i]);
        if (!has_thread[i]) start_gpu(&start[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (has_thread[i]) pthread_join(thread[i], NULL);
    return wl_saved_error_again(&failure);
}

static wl_status add_gpu(long ordinal, int present, wl_device_list *devices) {
    if (ordinal >= present)
        return wl_fail(WL_NO_MACHINE, "option --device: there is no GPU %ld; this machine has %d, numbered from 0",
                       ordinal, present);
    for (size_t i = 1; i < devices->count; i++)
        if (devices->items[i].ordinal == ordinal)
            return wl_fail(WL_BAD_USAGE, "option --device: GPU %ld is named twice", ordinal);
    devices->items[devices->count++].ordinal = (int)ordinal;
    return WL_OK;
}

/* "0,1,3" after "gpu:" */
static wl_status add_gpus(const char *request, const char *list, int present, wl_device_list *devices) {
    for (const char *at = list;; at++) {
        char *end;
        long ordinal = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;
        if (ordinal < 0 || (*end && *end != ','))
            return wl_fail(WL_BAD_USAGE, "option --device: '%.80s' is no device; %s", request, expected);
        if (devices->count == WL_DEVICES_MOST)
            return wl_fail(WL_BAD_USAGE, "option --device: more than %d GPUs", WL_DEVICES_MOST - 1);
        if (present > 0) { // without a GPU only the request's form is looked at
            WL_TRY(add_gpu(ordinal, present, devices));
        }
        at = end;
        if (*at == 0) return start_gpus(devices->items + 1, devices->count - 1);
    }
}

static char left_out[512];

const char *wl_devices_left_out(void) {
    static char said[sizeof left_out];
    memcpy(said, left_out, sizeof said);
    left_out[0] = 0;
    return said;
}

/* Adds the first GPU that starts and has memory for more than its context. Why others are left out is kept, as is what is used
   where none is. */
static void add_any_gpu(int present, const char *otherwise, wl_device_list *devices) {
    char reasons[sizeof left_out / 2] = "";
    for (int ordinal = 0; ordinal < present; ordinal++) {
        wl_device *gpu = &devices->items[devices->count];
        wl_status status = wl_gpu_open(ordinal, gpu);
        if (status == WL_OK && (double)gpu->memory_free < WL_GPU_START_MB * 1e6)
            status = wl_fail(WL_NO_MACHINE, "GPU %d (%s): %.0f MB of memory are free; expected %d MB or more", ordinal,
                             gpu->name, (double)gpu->memory_free / 1e6, WL_GPU_START_MB);
        if (status == WL_OK) {
            devices->count++;
            if (ordinal > 0) snprintf(left_out, sizeof left_out, "%s; GPU %d is used", reasons, ordinal);
            return;
        }
        if (ordinal == 0) snprintf(reasons, sizeof reasons, "%s", wl_error());
    }
    if (present > 0) snprintf(left_out, sizeof left_out, "%s; %s is used", reasons, otherwise);
}

wl_status wl_devices_select(const char *request, wl_device_list *devices) {
    int wants_auto = strcmp(request, "auto") == 0;
    int wants_gpu = strcmp(request, "gpu") == 0 || strncmp(request, "gpu:", 4) == 0;
    if (!wants_auto && !wants_gpu && strcmp(request, "cpu") != 0 && strcmp(request, "sim") != 0)
        return wl_fail(WL_BAD_USAGE, "option --device: '%.80s' is no device; %s", request, expected);

    devices->items[0] = cpu();
    devices->count = 1;
    if (strcmp(request, "cpu") == 0) return WL_OK;

    const char *reason = "";
    int present = wants_auto || wants_gpu ? wl_gpu_count(&reason) : 0;
    if (wants_gpu) {
        WL_TRY(add_gpus(request, request[3] == ':' ? request + 4 : "0", present, devices));
        if (present == 0) return wl_fail(WL_NO_MACHINE, "option --device %.80s: no GPU: %s", request, reason);
        return WL_OK;
    }
    if (wants_auto) add_any_gpu(present, "the simulated device", devices);
    if (devices->count == 1) devices->items[devices->count++] = simulated();
    return WL_OK;
}

wl_status wl_devices_of_tool(const char *request, wl_device_list *devices) {
    const double begun = wl_timings_now();
    wl_status status = WL_OK;
    if (strcmp(request, "auto") == 0) {
        devices->items[0] = cpu();
        devices->count = 1;
        add_any_gpu(wl_gpu_count(NULL), "the CPU", devices);
    } else {
        status = wl_devices_select(request, devices);
    }
    wl_timings_since(WL_PHASE_START, begun, 0);
    if (status != WL_OK || devices->count == 1) return status;
    memmove(devices->items, devices->items + 1, --devices->count * sizeof *devices->items);
    return WL_OK;
}

int wl_devices_all_gpus(char *text, size_t size, size_t most) {
    const int gpus = wl_gpu_count(NULL);
    int count = 0;
    for (size_t used = 0; count < gpus && count < (int)most && count < WL_DEVICES_MOST - 1; count++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", count == 0 ? "gpu:" : ",", count);
    return count;
}

wl_status wl_devices_of_hybrid(const char *request, wl_device_list *devices) {
    char gpus[8 + 4 * WL_DEVICES_MOST];
    const char *reason = "", *list = request + strlen("hybrid");
    if (strcmp(list, ":sim") == 0) return wl_devices_select("sim", devices);
    if (*list == ':' && snprintf(gpus, sizeof gpus, "gpu%s", list) >= (int)sizeof gpus)
        return wl_fail(WL_BAD_USAGE, "option --device: '%.80s' names too many GPUs", request);
    if (*list != ':' && wl_devices_all_gpus(gpus, sizeof gpus, WL_DEVICES_MOST) == 0) {
        wl_gpu_count(&reason);
        return wl_fail(WL_NO_MACHINE, "option --device hybrid: no GPU: %s", reason);
    }
    return wl_devices_select(gpus, devices);
}

void wl_devices_main(char **argv) {
    wl_thread_limits(argv);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0); // not 8: a context with fewer starts earlier
}

static void *find(void *argument) {
    wl_device_startup *coming = argument;
#ifdef _OPENMP
    omp_set_num_threads(coming->threads);
#endif
    wl_save_error(&coming->failure, 0, wl_devices_of_tool(coming->request, &coming->devices));
    return NULL;
}

void wl_devices_begin(const char *request, wl_device_startup *coming) {
    *coming = (wl_device_startup){0};
    snprintf(coming->request, sizeof coming->request, "%s", request);
#ifdef _OPENMP
    coming->threads = omp_get_max_threads();
#endif
    const int takes_long = strcmp(request, "auto") == 0 || strncmp(request, "gpu", 3) == 0;
    coming->has_thread = takes_long && wl_thread_start(&coming->thread, find, coming);
    if (!coming->has_thread) find(coming);
}

void wl_devices_drop(wl_device_startup *coming) {
    if (coming->has_thread) pthread_join(coming->thread, NULL);
    coming->has_thread = 0;
}

wl_status wl_devices_wait(wl_device_startup *coming, const wl_device **devices, size_t *count) {
    wl_devices_drop(coming);
    *devices = coming->devices.items;
    *count = coming->devices.count;
    return wl_saved_error_again(&coming->failure);
}

/* --- Time --- */

static double real_now(void *context) {
    (void)context;
    return wl_now();
}

static wl_status real_time(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing) {
    (void)context;
    if (device->backend == WL_GPU) return wl_gpu_time(device, timed, cold, timing);
    double begin = wl_now();
    wl_status status = timed.run(timed.argument);
    timing->seconds = wl_now() - begin;
    timing->clock = NAN;
    return status;
}

static int real_energy(void *context, const wl_device *device, double *joules) {
    (void)context;
    if (device->backend == WL_GPU) return wl_gpu_energy(device->ordinal, joules);
    return device->backend == WL_CPU && wl_rapl_joules(WL_RAPL_FOLDER, joules);
}

const wl_clockwork *wl_clockwork_real(void) {
    static const wl_clockwork clockwork = {NULL, real_now, real_time, real_energy};
    return &clockwork;
}

/* "gpu" and "hybrid" stand for all GPUs, of which this process takes one, as of a list. */
static const char *one_of(const char *kind, const char *given, int place, char text[64]) {
    const char *list = given + strlen(kind);
    if (*list == 0) {
        const int count = wl_gpu_count(NULL);
        if (count == 0) return given; // which is refused in the usual words
        snprintf(text, 64, "%s:%d", kind, place % count);
        return text;
    }
    if (list[0] != ':' || list[1] < '0' || list[1] > '9') return given;
    int count = 1;
    for (const char *at = list; *at; at++) count += *at == ',';
    list++;
    for (int skip = place % count; skip > 0; skip--) list = strchr(list, ',') + 1;
    snprintf(text, 64, "%s:%.*s", kind, (int)strcspn(list, ","), list);
    return text;
}

const char *wl_devices_one(const char *request, int place, char text[64]) {
    if (strcmp(request, "auto") == 0) return wl_gpu_count(NULL) > 0 ? one_of("gpu", "gpu", place, text) : request;
    if (strncmp(request, "gpu", 3) == 0) return one_of("gpu", request, place, text);
    if (strncmp(request, "hybrid", 6) == 0) return one_of("hybrid", request, place, text);
    return request;
}
