/* What the driver's management library (NVML) alone knows. It is looked for at run time: nothing depends on it. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* The driver's release, "580.159.04"; "" where it cannot be told. */
void wl_nvml_driver_release(char *text, unsigned size);

/* Bytes of the GPU at this PCI address ("0000:3B:00.0"), without a context on it. False where they cannot be told. */
int wl_nvml_memory(const char *bus, size_t *available, size_t *total);

WL_C_END
