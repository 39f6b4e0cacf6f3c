/* What the driver's management library (NVML) alone knows. It is looked for at run time: nothing depends on it. */
#ifndef HARNESS_GPU_NVML_H
#define HARNESS_GPU_NVML_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The driver's release, "580.159.04"; "" where it cannot be told. */
void wl_nvml_driver_release(char *text, unsigned size);

/* Bytes of the GPU at this PCI address ("0000:3B:00.0"), without a context on it. False where they cannot be told. */
int wl_nvml_memory(const char *bus, size_t *available, size_t *total);

#ifdef __cplusplus
}
#endif
#endif
