/* Built without CUDA: there is no GPU, and what instances with one would call is never called. */
#ifndef WL_BEAGLE_DEVICE
#include "beagle/device.h"
#include "beagle/interface.h"

#define NEVER(name, ...) \
    int name(__VA_ARGS__) { return BEAGLE_ERROR_NO_RESOURCE; }
#define UNUSED __attribute__((unused))

int bg_device_count(void) { return 0; }
void bg_device_name(UNUSED int device, UNUSED char *name, UNUSED size_t size, UNUSED char *description,
                    UNUSED size_t description_size) {}
void bg_device_close(UNUSED bg_device *d) {}
NEVER(bg_device_open, UNUSED int device, UNUSED const bg_device_size *size, UNUSED bg_device **opened)
NEVER(bg_device_set_codes, UNUSED bg_device *d, UNUSED uint32_t buffer, UNUSED const uint16_t *code)
NEVER(bg_device_set_partials, UNUSED bg_device *d, UNUSED uint32_t vector, UNUSED const double *partials,
      UNUSED const int32_t *exponent)
NEVER(bg_device_get_partials, UNUSED bg_device *d, UNUSED uint32_t vector, UNUSED double *partials,
      UNUSED int32_t *exponent)
NEVER(bg_device_set_eigen, UNUSED bg_device *d, UNUSED uint32_t eigen, UNUSED const double *right,
      UNUSED const double *left, UNUSED const double *value)
NEVER(bg_device_set_matrix, UNUSED bg_device *d, UNUSED uint32_t matrix, UNUSED const double *column, UNUSED size_t row)
NEVER(bg_device_get_matrix, UNUSED bg_device *d, UNUSED uint32_t matrix, UNUSED double *column, UNUSED size_t row)
NEVER(bg_device_set_weights, UNUSED bg_device *d, UNUSED const double *weight)
NEVER(bg_device_run, UNUSED bg_device *d, UNUSED const bg_device_work *work, UNUSED double *total)
NEVER(bg_device_get_sites, UNUSED bg_device *d, UNUSED double *site)
NEVER(bg_device_get_scale, UNUSED bg_device *d, UNUSED uint32_t scale, UNUSED int32_t *exponent)
NEVER(bg_device_get_taken, UNUSED bg_device *d, UNUSED uint32_t buffer, UNUSED int32_t *exponent)
#endif
