/* What programs ask the simulated device about itself. Its limits are those of compute capability 9.0; it has few multiprocessors and
   a small cache, because programs size their work by them. */
#include <algorithm>

#include "cuda_runtime.h"
#include "sim/internal.h"

namespace wl_sim {

constexpr int MULTIPROCESSORS = 4, MULTIPROCESSOR_THREADS = 2048, MULTIPROCESSOR_BLOCKS = 32, REGISTERS = 65536;
static_assert(MULTIPROCESSORS * MULTIPROCESSOR_BLOCKS <= MOST_RESIDENT, "workers for all");
constexpr size_t RESERVED_SHARED = 1 << 10; // for each block
constexpr size_t L2_BYTES = 1 << 20;
constexpr int TEXTURE_ALIGNMENT = 512, PITCH_ALIGNMENT = 32;

size_t shared_limit = SHARED_LIMIT;
static int multiprocessors = MULTIPROCESSORS;
static size_t multiprocessor_shared() { return shared_limit + RESERVED_SHARED; }

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define WL_ERROR(name, code, text) \
    case name:                     \
        return #name;
#include "sim_errors.h"
#undef WL_ERROR
    }
    return "unrecognized error code";
}

const char *error_text(int error) {
    switch ((cudaError_t)error) {
#define WL_ERROR(name, code, text) \
    case name:                     \
        return text[0] ? text : #name;
#include "sim_errors.h"
#undef WL_ERROR
    }
    return "unrecognized error code";
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
    if (device != 0) return (cudaError_t)report(cudaErrorInvalidDevice);
    *p = {};
    snprintf(p->name, sizeof p->name, "simulated device");
    size_t free_bytes;
    cudaMemGetInfo(&free_bytes, &p->totalGlobalMem);
    p->sharedMemPerBlock = STATIC_SHARED_LIMIT;
    p->sharedMemPerBlockOptin = shared_limit;
    p->sharedMemPerMultiprocessor = multiprocessor_shared();
    p->reservedSharedMemPerBlock = RESERVED_SHARED;
    p->warpSize = WARP;
    p->maxThreadsPerBlock = MAX_THREADS;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = MAX_THREADS, p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->maxThreadsPerMultiProcessor = MULTIPROCESSOR_THREADS;
    p->maxBlocksPerMultiProcessor = MULTIPROCESSOR_BLOCKS;
    p->multiProcessorCount = multiprocessors;
    p->major = 9;
    p->l2CacheSize = L2_BYTES;
    p->regsPerBlock = p->regsPerMultiprocessor = REGISTERS;
    p->totalConstMem = CONSTANT_LIMIT;
    p->memPitch = 0x7fffffff;
    p->textureAlignment = p->surfaceAlignment = TEXTURE_ALIGNMENT;
    p->texturePitchAlignment = PITCH_ALIGNMENT;
    p->maxTexture1D = 131072, p->maxTexture1DLinear = 1 << 28;
    p->maxTexture2D[0] = 131072, p->maxTexture2D[1] = 65536;
    p->maxTexture2DLinear[0] = 131072, p->maxTexture2DLinear[1] = 65000, p->maxTexture2DLinear[2] = 2097120;
    p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
    p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768, p->maxTexture2DLayered[2] = 2048;
    p->maxSurface2D[0] = 131072, p->maxSurface2D[1] = 65536;
    p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = 1;
    p->concurrentKernels = p->streamPrioritiesSupported = p->cooperativeLaunch = p->memoryPoolsSupported = 1;
    p->deviceOverlap = p->hostRegisterSupported = p->canUseHostPointerForRegisteredMem = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->asyncEngineCount = 1;
    p->memoryBusWidth = 512;
    p->clockRate = p->memoryClockRate = 1000000; // kHz: of a step, which is no time
    return cudaSuccess;
}

static bool attribute_of(const cudaDeviceProp &p, cudaDeviceAttr attribute, int *value) {
    const struct {
        cudaDeviceAttr attribute;
        long long value;
    } rows[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, (long long)p.totalConstMem},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxPitch, (long long)p.memPitch},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrClockRate, p.clockRate},
        {cudaDevAttrMemoryClockRate, p.memoryClockRate},
        {cudaDevAttrTextureAlignment, (long long)p.textureAlignment},
        {cudaDevAttrTexturePitchAlignment, (long long)p.texturePitchAlignment},
        {cudaDevAttrSurfaceAlignment, (long long)p.surfaceAlignment},
        {cudaDevAttrGpuOverlap, p.deviceOverlap},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrKernelExecTimeout, 0},
        {cudaDevAttrIntegrated, p.integrated},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrComputeMode, cudaComputeModeDefault},
        {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
        {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
        {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
        {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
        {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
        {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {cudaDevAttrEccEnabled, 0},
        {cudaDevAttrPciBusId, 0},
        {cudaDevAttrPciDeviceId, 0},
        {cudaDevAttrPciDomainId, 0},
        {cudaDevAttrTccDriver, 0},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
        {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long long)p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrIsMultiGpuBoard, 0},
        {cudaDevAttrHostNativeAtomicSupported, 0},
        {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrComputePreemptionSupported, 0},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)p.sharedMemPerBlockOptin},
        {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, (long long)p.reservedSharedMemPerBlock},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
        {cudaDevAttrClusterLaunch, 0},
    };
    for (const auto &row : rows)
        if (row.attribute == attribute) return *value = (int)row.value, true;
    return false;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    const cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error) return error;
    return attribute_of(p, attribute, value) ? cudaSuccess : (cudaError_t)report(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
    return device == 0 ? (cudaError_t)launch_error() : (cudaError_t)report(cudaErrorInvalidDevice);
}
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return *device = 0, cudaSuccess; }

static unsigned device_flags;
cudaError_t cudaSetDeviceFlags(unsigned flags) { return device_flags = flags, cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned *flags) { return *flags = device_flags | cudaDeviceMapHost, cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
    if (device != 0) return (cudaError_t)report(cudaErrorInvalidDevice);
    snprintf(text, (size_t)std::max(length, 0), "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }

static size_t limits[] = {1 << 10, 1 << 20, 0, 2, 2048, 64, 0}; // by cudaLimit
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
    if ((size_t)limit >= std::size(limits)) return (cudaError_t)report(cudaErrorUnsupportedLimit);
    *value = limit == cudaLimitMallocHeapSize ? heap_limit() : limits[limit];
    return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if ((size_t)limit >= std::size(limits)) return (cudaError_t)report(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    if (limit == cudaLimitMallocHeapSize) set_heap_limit(value);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (device != 0 || peer != 0) return (cudaError_t)report(cudaErrorInvalidDevice);
    return *can = 0, cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) {
    return (cudaError_t)report(cudaErrorInvalidDevice); // of two devices, and there is one
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return (cudaError_t)report(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return (cudaError_t)report(cudaErrorPeerAccessNotEnabled); }

// ---------------------------------------------------------------- kernels

static bool is_kernel(const void *kernel) { return owner_at(kernel).mangled != "?"; }

cudaError_t wl_function_attributes(cudaFuncAttributes *a, const void *kernel) {
    if (!is_kernel(kernel)) return (cudaError_t)report(cudaErrorInvalidDeviceFunction);
    const Owner owner = owner_at(kernel);
    *a = {};
    a->sharedSizeBytes = static_shared_bytes(owner);
    a->constSizeBytes = constant_bytes(owner);
    a->maxThreadsPerBlock = MAX_THREADS;
    a->ptxVersion = a->binaryVersion = 90;
    const size_t usual = STATIC_SHARED_LIMIT - std::min(STATIC_SHARED_LIMIT, a->sharedSizeBytes);
    a->maxDynamicSharedSizeBytes = (int)std::max(usual, allowed_shared(kernel));
    a->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t wl_set_function_attribute(const void *kernel, cudaFuncAttribute attribute, int value) {
    if (!is_kernel(kernel)) return (cudaError_t)report(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) return (cudaError_t)allow_shared(kernel, value);
    const bool carveout = attribute == cudaFuncAttributePreferredSharedMemoryCarveout && value >= -1 && value <= 100;
    return carveout ? cudaSuccess : (cudaError_t)report(cudaErrorInvalidValue);
}

cudaError_t wl_occupancy(int *blocks, const void *kernel, int threads, size_t shared_bytes) {
    if (!is_kernel(kernel)) return (cudaError_t)report(cudaErrorInvalidDeviceFunction);
    if (threads <= 0 || shared_bytes > shared_limit) return (cudaError_t)report(cudaErrorInvalidValue);
    const int rounded = (threads + (int)WARP - 1) / (int)WARP * (int)WARP;
    const size_t shared = (static_shared_bytes(owner_at(kernel)) + shared_bytes + 127) / 128 * 128 + RESERVED_SHARED;
    *blocks = threads > (int)MAX_THREADS ? 0
                                         : std::min({MULTIPROCESSOR_THREADS / rounded, MULTIPROCESSOR_BLOCKS,
                                                     (int)(multiprocessor_shared() / shared)});
    return cudaSuccess;
}

cudaError_t wl_available_shared(size_t *bytes, const void *kernel, int blocks, int threads) {
    int most = 0;
    const cudaError_t error = wl_occupancy(&most, kernel, threads, 0);
    if (error) return error;
    if (blocks <= 0 || blocks > most) return (cudaError_t)report(cudaErrorInvalidValue);
    const size_t each = multiprocessor_shared() / (size_t)blocks / 128 * 128,
                 taken = static_shared_bytes(owner_at(kernel)) + RESERVED_SHARED;
    *bytes = std::min(shared_limit, each - std::min(each, taken));
    return cudaSuccess;
}

uint64_t resident_blocks(const void *kernel, uint64_t threads, size_t shared_bytes) {
    int blocks = 0;
    return wl_occupancy(&blocks, kernel, (int)threads, shared_bytes) ? 0 : (uint64_t)blocks * multiprocessors;
}

} // namespace wl_sim

extern "C" void wl_sim_resemble(int count, size_t shared) {
    wl_sim::multiprocessors = count ? count : wl_sim::MULTIPROCESSORS;
    wl_sim::shared_limit = shared ? shared : wl_sim::SHARED_LIMIT;
}
