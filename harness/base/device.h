/* What work runs on: a backend, and a device of it. */
#pragma once

#include <stddef.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

typedef enum { WL_CPU, WL_GPU, WL_SIM, WL_BACKENDS } wl_backend;

/* Where a variant runs. */
typedef struct {
    wl_backend backend;
    int ordinal;            // which GPU; 0 for cpu and sim
    char name[128];         // "NVIDIA H200", "simulated device", the CPU's model
    size_t memory_free;     // bytes a variant may allocate there
    int compute_capability; // 10 * major + minor; 0 for cpu
    int multiprocessors;    // CPU: threads that variants may use
} wl_device;

#define WL_DEVICES_MOST 17 // the CPU and 16 GPUs

const char *wl_backend_name(wl_backend backend); // "cpu", "gpu", "sim"

WL_C_END
