/* Memory that host and device share, and memory that is laid out in rows. */
#include <algorithm>

#include "cuda_runtime.h"
#include "sim/internal.h"

namespace wl_sim {

cudaError_t wl_allocate_managed(void **pointer, size_t bytes) {
    if (bytes == 0) return (cudaError_t)report(cudaErrorInvalidValue);
    return (cudaError_t)allocate(pointer, bytes, Home::managed);
}

cudaError_t wl_allocate_host(void **pointer, size_t bytes) {
    return (cudaError_t)allocate(pointer, std::max<size_t>(bytes, 1), Home::host);
}

cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned) {
    if (host == nullptr || bytes == 0) return (cudaError_t)report(cudaErrorInvalidValue);
    if (is_pinned((uintptr_t)host)) return (cudaError_t)report(cudaErrorHostMemoryAlreadyRegistered);
    return (cudaError_t)register_host((uintptr_t)host, bytes);
}

cudaError_t cudaHostUnregister(void *host) {
    if (host == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    wait_for_all();
    return (cudaError_t)unregister_host((uintptr_t)host);
}

// Host and device have the same addresses.
cudaError_t wl_device_pointer(void **device, void *host) {
    if (!is_pinned((uintptr_t)host)) return (cudaError_t)report(cudaErrorInvalidValue);
    return *device = host, cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    if (!is_pinned((uintptr_t)host)) return (cudaError_t)report(cudaErrorInvalidValue);
    return *flags = cudaHostAllocMapped, cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *pointer) {
    Home home;
    uintptr_t low;
    if (a == nullptr) return (cudaError_t)report(cudaErrorInvalidValue);
    void *p = const_cast<void *>(pointer);
    *a = {cudaMemoryTypeUnregistered, -2, nullptr, p};
    if (!find_home((uintptr_t)pointer, &home, &low)) return cudaSuccess;
    const cudaMemoryType types[] = {cudaMemoryTypeDevice, cudaMemoryTypeManaged, cudaMemoryTypeHost};
    *a = {types[(int)home], 0, p, home == Home::device ? nullptr : p};
    return cudaSuccess;
}

cudaError_t wl_check_advice(const void *pointer, size_t bytes) {
    Home home;
    uintptr_t low;
    const bool managed = bytes > 0 && find_home((uintptr_t)pointer, &home, &low) && home == Home::managed &&
                         find_home((uintptr_t)pointer + bytes - 1, &home, &low);
    return managed ? (cudaError_t)launch_error() : (cudaError_t)report(cudaErrorInvalidValue);
}

// ---------------------------------------------------------------- rows

constexpr size_t PITCH = 512;

cudaError_t wl_allocate_pitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return wl_allocate(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent e) {
    *pitched = {nullptr, 0, e.width, e.height};
    return wl_allocate_pitch(&pitched->ptr, &pitched->pitch, e.width, e.height * e.depth);
}

// ---------------------------------------------------------------- the pool of cudaMallocAsync

static uint64_t pool_attributes[cudaMemPoolAttrUsedMemHigh + 1];
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    if (device != 0) return (cudaError_t)report(cudaErrorInvalidDevice);
    return *pool = (cudaMemPool_t)pool_attributes, cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t) {
    return device ? (cudaError_t)report(cudaErrorInvalidDevice) : cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *props) {
    if (props->handleTypes != cudaMemHandleTypeNone) return (cudaError_t)report(cudaErrorNotSupported); // no IPC
    return cudaDeviceGetDefaultMemPool(pool, props->location.id);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }

static bool is_threshold(cudaMemPoolAttr attribute) {
    return attribute >= cudaMemPoolAttrReleaseThreshold && attribute <= cudaMemPoolAttrUsedMemHigh;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
    if (attribute < 1 || attribute > cudaMemPoolAttrUsedMemHigh) return (cudaError_t)report(cudaErrorInvalidValue);
    pool_attributes[attribute] = is_threshold(attribute) ? *(uint64_t *)value : (uint64_t) * (int *)value;
    return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
    if (attribute < 1 || attribute > cudaMemPoolAttrUsedMemHigh) return (cudaError_t)report(cudaErrorInvalidValue);
    if (is_threshold(attribute))
        *(uint64_t *)value = pool_attributes[attribute];
    else
        *(int *)value = (int)pool_attributes[attribute];
    return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

} // namespace wl_sim
