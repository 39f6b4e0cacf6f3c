#include "harness/bench/machine.h"

#include <stdarg.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/bench/device.h"
#include "harness/gpu/gpu.h"

/* The build defines these; WL_COMMIT anew each time (cmake/commit.cmake). */
#ifndef WL_COMMIT
#define WL_COMMIT "unknown"
#endif
#ifndef WL_BUILD_FLAGS
#define WL_BUILD_FLAGS "unknown"
#endif

static void say(wl_fact *tell, void *context, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(wl_fact *tell, void *context, const char *key, const char *format, ...) {
    char value[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    tell(context, key, value);
}

static const double gib = 1 << 30, mib = 1 << 20;

/* GPU 0's keys are plain, those of the others numbered: gpu, gpu_memory; gpu1, gpu1_memory. */
static void say_gpu(wl_fact *tell, void *context, int ordinal) {
    char key[64], number[16] = "";
    wl_device device;
    wl_gpu_facts facts;
    if (ordinal > 0) snprintf(number, sizeof number, "%d", ordinal);
    snprintf(key, sizeof key, "gpu%s", number);
    if (wl_gpu_open(ordinal, &device) != WL_OK || wl_gpu_describe(ordinal, &facts) != WL_OK) {
        say(tell, context, key, "unusable: %s", wl_error());
        return;
    }
    say(tell, context, key, "%s", device.name);
    snprintf(key, sizeof key, "gpu%s_architecture", number);
    say(tell, context, key, "compute capability %d.%d, %d multiprocessors, L2 cache %.0f MiB",
        device.compute_capability / 10, device.compute_capability % 10, device.multiprocessors, (double)facts.l2 / mib);
    snprintf(key, sizeof key, "gpu%s_memory", number);
    say(tell, context, key, "%.1f GiB", (double)facts.memory / gib);
    snprintf(key, sizeof key, "gpu%s_clock", number);
    say(tell, context, key, "%.0f MHz nominal, memory %.0f MHz", facts.clock_mhz, facts.memory_clock_mhz);
    snprintf(key, sizeof key, "gpu%s_timer", number);
    say(tell, context, key, "the global timer, by which the SM clock is watched, steps by %.0f ns",
        facts.clock_tick_ns);
    if (ordinal > 0) return;
    say(tell, context, "driver", "%s%sCUDA %s", facts.driver_release, facts.driver_release[0] ? ", " : "",
        facts.driver);
    say(tell, context, "cuda_runtime", "%s", facts.runtime);
}

void wl_machine_facts(wl_fact *tell, void *context) {
    char model[256];
    struct utsname system;
    wl_cpu_model(model, sizeof model);
    say(tell, context, "cpu", "%s", model);
    if (wl_cpu_identity(model, sizeof model)) say(tell, context, "cpu_identity", "%s", model);
    say(tell, context, "cores", "%ld online, %d for this program", sysconf(_SC_NPROCESSORS_ONLN), wl_cpu_threads());
    say(tell, context, "instruction_set", "%s", wl_cpu_instruction_set());
    say(tell, context, "memory", "%.1f GiB", (double)wl_memory_total() / gib);
    if (uname(&system) == 0) say(tell, context, "system", "%s %s %s", system.sysname, system.release, system.machine);
    const char *reason;
    int gpus = wl_gpu_count(&reason);
    if (gpus == 0) say(tell, context, "gpu", "none: %s", reason);
    for (int i = 0; i < gpus; i++) say_gpu(tell, context, i);
}

void wl_build_facts(wl_fact *tell, void *context) {
    tell(context, "program", "warpladder " WL_VERSION);
    tell(context, "commit", WL_COMMIT);
#ifdef __VERSION__
    tell(context, "compiler", "gcc " __VERSION__);
#endif
    tell(context, "flags", WL_BUILD_FLAGS);
#ifdef WL_BUILD_CUDA
    tell(context, "cuda_compiler", WL_BUILD_CUDA);
#elif !defined(WL_HAVE_CUDA)
    tell(context, "cuda_compiler", "none");
#endif
}
