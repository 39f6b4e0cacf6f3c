/* The few functions of the CUDA runtime that harness/gpu/open.c calls, answered from a test's table: a driver to order. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define CUDART_VERSION 13000

typedef enum {
    cudaSuccess = 0,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorECCUncorrectable = 214,
    cudaErrorUnknown = 999
} cudaError_t;
enum { cudaDevAttrComputeMode = 20 };
enum { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
};

typedef struct {
    cudaError_t start, kernel; // what cudaSetDevice and a launch answer
    int mode;                  // of computing
    size_t free_mb;            // 0: nobody knows
} fake_gpu;
typedef struct {
    int driver; // 0: none
    cudaError_t count;
    int gpus;
    fake_gpu gpu[3];
} fake_driver;

static const fake_driver *fake;
static _Thread_local int fake_current; // as the runtime's

static cudaError_t cudaDriverGetVersion(int *version) { return *version = fake->driver, cudaSuccess; }
static cudaError_t cudaGetDeviceCount(int *count) { return *count = fake->gpus, fake->count; }
static cudaError_t cudaGetLastError(void) { return cudaSuccess; }
static const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorUnknown            ? "unknown error"
           : error == cudaErrorECCUncorrectable ? "uncorrectable ECC error encountered"
           : error == cudaErrorNoDevice         ? "no CUDA-capable device is detected"
                                                : "another error";
}
static cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int ordinal) {
    snprintf(properties->name, sizeof properties->name, "Fake %d", ordinal);
    properties->major = 9;
    properties->minor = 0;
    properties->multiProcessorCount = 132;
    return cudaSuccess;
}
static cudaError_t cudaSetDevice(int ordinal) { return fake_current = ordinal, fake->gpu[ordinal].start; }
static cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *available = fake->gpu[fake_current].free_mb * 1000000;
    *total = (size_t)143771 * 1000000;
    return cudaSuccess;
}
static cudaError_t cudaDeviceGetPCIBusId(char *bus, int size, int ordinal) {
    snprintf(bus, (size_t)size, "%d", ordinal);
    return cudaSuccess;
}
static cudaError_t cudaDeviceGetAttribute(int *value, int which, int ordinal) {
    (void)which;
    return *value = fake->gpu[ordinal].mode, cudaSuccess;
}
