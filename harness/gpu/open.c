/* Which GPUs can be used, and what is said of one that cannot: machines are shared, and drivers are older than programs. Plain C
   over the runtime's interface, so that a test can stand in for the driver. */
#ifdef WL_HAVE_CUDA
#ifndef CUDART_VERSION // a test's own functions stand in for the runtime's
#include <cuda_runtime_api.h>
#endif
#include <stdio.h>
#include <string.h>

#include "harness/gpu/gpu.h"
#include "harness/gpu/nvml.h"

int wl_gpu_devices(const char **reason) {
    static _Thread_local char text[128];
    int count = 0, driver = 0;
    snprintf(text, sizeof text, "no CUDA-capable device is detected");
    if (reason) *reason = text;
    /* Asked first: without a driver cudaGetDeviceCount blames the driver's version, which misleads. */
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        snprintf(text, sizeof text, "no NVIDIA driver is installed");
        cudaGetLastError();
        return 0;
    }
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        cudaGetLastError(); // not sticky: later calls must not find it
        if (error == cudaErrorInsufficientDriver)
            snprintf(text, sizeof text, "the driver knows CUDA up to %d.%d; this program is built with %d.%d",
                     driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
        else
            snprintf(text, sizeof text, "%s (CUDA error %d)", cudaGetErrorString(error), (int)error);
        return 0;
    }
    return count < WL_GPUS_MOST ? count : WL_GPUS_MOST;
}

/* Why the GPU does not start. NVML knows what is free where no context can be made. */
static wl_status refuse(int ordinal, const char *name, cudaError_t error) {
    int mode = cudaComputeModeDefault;
    char bus[32] = "";
    size_t available = 0, total = 0;
    cudaGetLastError();
    if (error == cudaErrorMemoryAllocation) {
        if (cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal) == cudaSuccess && wl_nvml_memory(bus, &available, &total))
            return wl_fail(WL_NO_MACHINE,
                           "GPU %d (%s): %.0f MB of its %.0f MB are free; expected %d MB or more for a start: other "
                           "programs hold the rest (nvidia-smi lists them)",
                           ordinal, name, (double)available / 1e6, (double)total / 1e6, WL_GPU_START_MB);
        return wl_fail(WL_NO_MACHINE,
                       "GPU %d (%s): too little memory is free for a start, which takes %d MB: other programs hold it "
                       "(nvidia-smi lists them)",
                       ordinal, name, WL_GPU_START_MB);
    }
    if (error == cudaErrorDevicesUnavailable) {
        if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, ordinal) != cudaSuccess)
            mode = cudaComputeModeDefault;
        return wl_fail(WL_NO_MACHINE, "GPU %d (%s): %s (nvidia-smi shows who uses it)", ordinal, name,
                       mode == cudaComputeModeProhibited ? "its compute mode is 'prohibited': no program may use it"
                       : mode == cudaComputeModeExclusiveProcess ? "it is in exclusive mode, and another program has it"
                                                                 : "it is busy or not available");
    }
    if (error == cudaErrorNoKernelImageForDevice)
        return wl_fail(WL_NO_MACHINE, "GPU %d (%s): this program has no kernels for it: build it on this machine",
                       ordinal, name);
    return wl_fail(WL_NO_MACHINE, "GPU %d (%s) does not start: %s (CUDA error %d; nvidia-smi shows its state)", ordinal,
                   name, cudaGetErrorString(error), (int)error);
}

wl_status wl_gpu_open(int ordinal, wl_device *device) {
    struct cudaDeviceProp properties;
    size_t total = 0;
    memset(device, 0, sizeof *device);
    device->backend = WL_GPU;
    device->ordinal = ordinal;
    cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
    if (error != cudaSuccess) return refuse(ordinal, "unknown", error);
    snprintf(device->name, sizeof device->name, "%.127s", properties.name);
    device->compute_capability = 10 * properties.major + properties.minor;
    device->multiprocessors = properties.multiProcessorCount;
    error = cudaSetDevice(ordinal); // makes the context
    if (error != cudaSuccess) return refuse(ordinal, device->name, error);
    WL_TRY(wl_gpu_trim(ordinal)); // what this process had before counts as free, too
    error = cudaMemGetInfo(&device->memory_free, &total);
    /* A GPU this program holds no code for answers here, in one line, and not in the middle of a measurement. */
    if (error == cudaSuccess) error = (cudaError_t)wl_gpu_try_kernel();
    return error == cudaSuccess ? WL_OK : refuse(ordinal, device->name, error);
}

int wl_gpu_energy(int ordinal, double *joules) {
    char bus[32];
    return cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal) == cudaSuccess && wl_nvml_energy(bus, joules);
}

#else
typedef int wl_gpu_open_none; // a translation unit must declare something
#endif
