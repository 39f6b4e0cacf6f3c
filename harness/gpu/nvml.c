#include "harness/gpu/nvml.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The library, initialised; NULL where there is none. */
static void *open_library(void) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void) = NULL;
    if (library == NULL) return NULL;
    *(void **)&init = dlsym(library, "nvmlInit_v2");
    if (init && init() == 0) return library;
    dlclose(library);
    return NULL;
}

static void close_library(void *library) {
    int (*shutdown)(void);
    *(void **)&shutdown = dlsym(library, "nvmlShutdown");
    if (shutdown) shutdown();
    dlclose(library);
}

void wl_nvml_driver_release(char *text, unsigned size) {
    int (*version)(char *, unsigned);
    text[0] = 0;
    void *library = open_library();
    if (library == NULL) return;
    *(void **)&version = dlsym(library, "nvmlSystemGetDriverVersion");
    if (version == NULL || version(text, size) != 0) text[0] = 0;
    close_library(library);
}

int wl_nvml_memory(const char *bus, size_t *available, size_t *total) {
    int (*find)(const char *, void **);
    int (*memory)(void *, uint64_t[3]);
    void *device;
    uint64_t bytes[3]; // nvmlMemory_t: total, free, used
    void *library = open_library();
    if (library == NULL) return 0;
    *(void **)&find = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&memory = dlsym(library, "nvmlDeviceGetMemoryInfo");
    const int known = find && memory && find(bus, &device) == 0 && memory(device, bytes) == 0;
    if (known) *total = bytes[0], *available = bytes[1];
    close_library(library);
    return known;
}

/* Opened once, since opening takes longer than many of the kernels that are measured. */
static struct {
    char bus[32]; // "": nothing was opened yet
    void *device; // NULL: has no counter
    int (*read)(void *device, unsigned long long *millijoules);
} meter;

static void open_meter(const char *bus) {
    static void *library;
    int (*find)(const char *, void **);
    int (*mig)(void *, unsigned *, unsigned *);
    unsigned divided = 0, pending = 0;
    snprintf(meter.bus, sizeof meter.bus, "%s", bus);
    meter.device = NULL;
    if (library == NULL) library = open_library();
    if (library == NULL) return;
    *(void **)&find = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&mig = dlsym(library, "nvmlDeviceGetMigMode");
    *(void **)&meter.read = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    if (find == NULL || meter.read == NULL || find(bus, &meter.device) != 0) meter.device = NULL;
    if (meter.device && mig && mig(meter.device, &divided, &pending) == 0 && divided) meter.device = NULL;
}

int wl_nvml_energy(const char *bus, double *joules) {
    unsigned long long millijoules;
    if (strcmp(bus, meter.bus) != 0) open_meter(bus);
    if (meter.device == NULL || meter.read(meter.device, &millijoules) != 0) return 0;
    *joules = (double)millijoules / 1e3;
    return 1;
}
