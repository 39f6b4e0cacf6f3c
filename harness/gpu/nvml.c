#include "harness/gpu/nvml.h"

#include <dlfcn.h>
#include <stdint.h>

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
    uint64_t bytes[3]; /* nvmlMemory_t: total, free, used */
    void *library = open_library();
    if (library == NULL) return 0;
    *(void **)&find = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&memory = dlsym(library, "nvmlDeviceGetMemoryInfo");
    const int known = find && memory && find(bus, &device) == 0 && memory(device, bytes) == 0;
    if (known) *total = bytes[0], *available = bytes[1];
    close_library(library);
    return known;
}
