/* What the driver's management library (NVML) alone knows. It is looked for at run time: nothing depends on it. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* The driver's release, "580.159.04"; "" where it cannot be told. */
void wl_nvml_driver_release(char *text, unsigned size);

/* Bytes of the GPU at this PCI address ("0000:3B:00.0"), without a context on it. False where they cannot be told. */
int wl_nvml_memory(const char *bus, size_t *available, size_t *total);

/* Joules that the whole board at this PCI address has drawn since the driver was loaded. False where they cannot be told: without NVML,
   on a GPU without this counter, and where MIG divides the GPU, because the counter is all instances' together. The library stays open
   for the calls that follow, which are of one thread. */
int wl_nvml_energy(const char *bus, double *joules);

WL_C_END
