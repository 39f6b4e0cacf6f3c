/* Drivers whose management library has an energy counter, or none: a faked library in the place of libnvidia-ml.so.1. */
#include <dlfcn.h>
#include <math.h>

#include "tests/support/unit.h"

typedef struct {
    int has_library, has_counter;
    int is_divided;  // by MIG
    int answer;      // of the counter: 0, or an NVML error
    const char *bus; // of its GPU
    unsigned long long millijoules;
} fake_nvml;
static const fake_nvml *fake;

static int fake_init(void) { return 0; }
static int fake_find(const char *bus, void **device) {
    *device = (void *)fake;
    return strcmp(bus, fake->bus) == 0 ? 0 : 6; // NVML_ERROR_NOT_FOUND
}
static int fake_mig(void *device, unsigned *now, unsigned *pending) {
    *now = *pending = (unsigned)((const fake_nvml *)device)->is_divided;
    return 0;
}
static int fake_energy(void *device, unsigned long long *millijoules) {
    (void)device; // which the program keeps
    *millijoules = fake->millijoules;
    return fake->answer;
}

static void *fake_dlopen(const char *name, int flags) {
    (void)flags;
    return fake->has_library && strcmp(name, "libnvidia-ml.so.1") == 0 ? (void *)&fake : NULL;
}
static void *fake_dlsym(void *library, const char *name) {
    assert_ptr_equal(library, &fake);
    if (strcmp(name, "nvmlInit_v2") == 0) return (void *)fake_init;
    if (strcmp(name, "nvmlDeviceGetHandleByPciBusId_v2") == 0) return (void *)fake_find;
    if (strcmp(name, "nvmlDeviceGetMigMode") == 0) return (void *)fake_mig;
    if (strcmp(name, "nvmlDeviceGetTotalEnergyConsumption") == 0 && fake->has_counter) return (void *)fake_energy;
    return NULL;
}
static int fake_dlclose(void *library) { return (void)library, 0; }

/* The program's own, compiled once more over the faked library. */
#define dlopen fake_dlopen
#define dlsym fake_dlsym
#define dlclose fake_dlclose
#define wl_nvml_driver_release library_nvml_driver_release
#define wl_nvml_memory library_nvml_memory
#define wl_nvml_energy library_nvml_energy
#include "harness/gpu/nvml.c"

/* The order matters: a library that was found stays open. */
TEST(energy_where_the_driver_counts_it) {
    static const struct {
        fake_nvml driver;
        const char *bus;
        double joules; // -1: cannot be told
    } machines[] = {
        {{.bus = "0"}, "0", -1},            // no driver
        {{1, 0, 0, 0, "1", 5000}, "1", -1}, // one that is too old for the function
        {{1, 1, 0, 3, "2", 5000}, "2", -1}, // a GPU older than Volta: NVML_ERROR_NOT_SUPPORTED
        {{1, 1, 1, 0, "3", 5000}, "3", -1}, // MIG
        {{1, 1, 0, 0, "4", 5000}, "another", -1},
        {{1, 1, 0, 0, "5", 1234567890123}, "5", 1234567890.123},
        {{1, 1, 0, 0, "5", 1234567890250}, "5", 1234567890.25},
        {{1, 1, 0, 0, "6", 42}, "6", 0.042}, // another GPU of the same machine
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        double joules = -1;
        fake = &machines[i].driver;
        const int known = wl_nvml_energy(machines[i].bus, &joules);
        assert_int_equal(known, machines[i].joules >= 0);
        if (known) assert_true(fabs(joules - machines[i].joules) < 1e-6);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
