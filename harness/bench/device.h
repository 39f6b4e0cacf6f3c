/* The devices of this machine, and which of them a command was asked to use. */
#pragma once

#include <pthread.h>

#include "harness/base/clock.h"
#include "harness/gpu/gpu.h"

typedef struct {
    wl_device items[WL_DEVICES_MOST];
    size_t count;
} wl_device_list;

/* The devices a request stands for. The CPU always comes first, since its variants are the baselines. Known requests are "cpu", the
   CPU alone; "sim", the simulated device; "gpu", GPU 0; "gpu:0,1", those two; and "auto". That is the first GPU that starts and has
   memory free, else the simulated device. A malformed request is WL_BAD_USAGE; a GPU that is not there WL_NO_MACHINE. */
wl_status wl_devices_select(const char *request, wl_device_list *devices);

/* What "auto" has left out since the last call, in a line for the user; "" is nothing. A machine's GPUs are shared. */
const char *wl_devices_left_out(void);

/* The devices that a tool uses, which compares with no baseline: the same without the CPU, unless it was asked for; "auto" is the
   CPU alone where no GPU can be used. */
wl_status wl_devices_of_tool(const char *request, wl_device_list *devices);

/* The CPU and GPUs: all of "hybrid", those of "hybrid:0,1". "hybrid:sim" is for machines without a GPU. */
wl_status wl_devices_of_hybrid(const char *request, wl_device_list *devices);

/* The request of process `place` of those that share a machine: one GPU of several, in turn. `text` may be what is returned. */
const char *wl_devices_one(const char *request, int place, char text[64]);

/* "gpu:0,1,2", a request for all GPUs, but at most `most`, into `text`: their number. None: the text stays as it is. */
int wl_devices_all_gpus(char *text, size_t size, size_t most);

/* wl_devices_of_tool on a thread of its own, where it takes long: making a CUDA context takes a few tenths of a second, in which a tool can read.
   All zero, there is nothing to wait for. */
typedef struct {
    char request[128];
    int threads; // OpenMP's, of the thread that began
    int has_thread;
    pthread_t thread;
    wl_device_list devices;
    wl_saved_error failure;
} wl_device_startup;
void wl_devices_begin(const char *request, wl_device_startup *coming);
/* For main, as its first act: wl_thread_limits, and what the environment says to CUDA where the user has said nothing. */
void wl_devices_main(char **argv);
/* devices [*count] are coming->devices. Later calls return the same. */
wl_status wl_devices_wait(wl_device_startup *coming, const wl_device **devices, size_t *count);
/* Where something else has failed: wl_error() stays what it is. */
void wl_devices_drop(wl_device_startup *coming);

/* How many GPUs can be used: 0 without CUDA, driver or GPU. `*reason` (may be NULL) says in words why there is none:
   "built without CUDA", "no CUDA-capable device is detected". */
int wl_gpu_count(const char **reason);

/* Make `device` the calling thread's current one; needed before every call of a GPU variant's functions. */
wl_status wl_device_use(const wl_device *device);

/* From now on a thread that waits for this device sleeps, where CUDA's default is to spin: for work in which the processors have
   something better to do. Waking up takes microseconds longer, so measurements do without. */
wl_status wl_device_sleep_in_waits(const wl_device *device);

/* Give back the memory that states have freed and that is kept for the next ones. It waits for all that the device does. */
wl_status wl_device_trim(const wl_device *device);

/* --- How one launch is timed on each backend ------------------------------------------------------------------------- */

/* How time and energy are taken. Tests put in a clock of their own; everything else uses wl_clockwork_real(). */
typedef struct {
    void *context;
    double (*now)(void *context);
    /* Time one execution on `device`; with `cold`, a GPU's L2 cache is flushed first, outside the timed region. */
    wl_status (*time)(void *context, const wl_device *device, wl_timed timed, int cold, wl_timing *timing);
    /* Optional (NULL): joules that the device has drawn, counted from any moment. False where the device has no counter. */
    int (*energy)(void *context, const wl_device *device, double *joules);
} wl_clockwork;

const wl_clockwork *wl_clockwork_real(void);
