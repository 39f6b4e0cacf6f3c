/* What a GPU is, and its memory and waits. Which can be used: open.c. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "harness/gpu/internal.cuh"
#include "harness/gpu/nvml.h"

wl_status wl_gpu_use(int ordinal) {
    WL_CUDA(cudaSetDevice(ordinal));
    return WL_OK;
}

/* What a state frees the next one takes: without this, the driver unmaps it at the next synchronisation and maps it again. */
static wl_status keep_memory(int ordinal) {
    uint64_t all = UINT64_MAX;
    cudaMemPool_t pool;
    WL_CUDA(cudaDeviceGetDefaultMemPool(&pool, ordinal));
    WL_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    return WL_OK;
}

wl_status wl_gpu_trim(int ordinal) {
    cudaMemPool_t pool;
    WL_CUDA(cudaSetDevice(ordinal));
    WL_CUDA(cudaDeviceSynchronize()); // what streams are still to free
    WL_CUDA(cudaDeviceGetDefaultMemPool(&pool, ordinal));
    WL_CUDA(cudaMemPoolTrimTo(pool, 0));
    return WL_OK;
}

/* Also of a context that exists: since CUDA 11 the flags are overwritten. */
wl_status wl_gpu_sleep_in_waits(int ordinal) {
    WL_CUDA(cudaSetDevice(ordinal));
    WL_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    return keep_memory(ordinal);
}

static wl_status attribute(cudaDeviceAttr which, int ordinal, int *value) {
    WL_CUDA(cudaDeviceGetAttribute(value, which, ordinal));
    return WL_OK;
}

static __global__ void nothing(void) {}

int wl_gpu_try_kernel(void) {
    nothing<<<1, 1>>>();
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

/* The smallest step of the global timer seen in `span` nanoseconds. */
static __global__ void find_tick(unsigned long long span, unsigned long long *tick) {
    unsigned long long begin = wl_global_timer(), last = begin, smallest = ~0ull;
    while (last - begin < span) {
        unsigned long long now = wl_global_timer();
        if (now != last && now - last < smallest) smallest = now - last;
        last = now;
    }
    *tick = smallest;
}

wl_status wl_gpu_tick(int ordinal, double *nanoseconds) {
    unsigned long long *tick, value = 0;
    *nanoseconds = NAN;
    WL_CUDA(cudaSetDevice(ordinal));
    WL_CUDA(cudaMalloc((void **)&tick, sizeof *tick));
    find_tick<<<1, 1>>>(200000, tick);
    cudaError_t error = cudaMemcpy(&value, tick, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(tick);
    WL_CUDA(error);
    *nanoseconds = (double)value;
    return WL_OK;
}

static void version_text(int version, char *text, size_t size) {
    snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

wl_status wl_gpu_describe(int ordinal, wl_gpu_facts *facts) {
    int driver = 0, runtime = 0, clock = 0, memory_clock = 0, l2 = 0;
    size_t available = 0;
    memset(facts, 0, sizeof *facts);
    WL_CUDA(cudaSetDevice(ordinal));
    WL_CUDA(cudaDriverGetVersion(&driver));
    WL_CUDA(cudaRuntimeGetVersion(&runtime));
    version_text(driver, facts->driver, sizeof facts->driver);
    version_text(runtime, facts->runtime, sizeof facts->runtime);
    wl_nvml_driver_release(facts->driver_release, sizeof facts->driver_release);
    wl_status status = attribute(cudaDevAttrClockRate, ordinal, &clock);
    if (status == WL_OK) status = attribute(cudaDevAttrMemoryClockRate, ordinal, &memory_clock);
    if (status == WL_OK) status = attribute(cudaDevAttrL2CacheSize, ordinal, &l2);
    if (status == WL_OK) status = wl_gpu_tick(ordinal, &facts->clock_tick_ns);
    if (status != WL_OK) return status;
    facts->clock_mhz = clock / 1e3;
    facts->memory_clock_mhz = memory_clock / 1e3;
    facts->l2 = (size_t)l2;
    WL_CUDA(cudaMemGetInfo(&available, &facts->memory));
    return WL_OK;
}
