/* What host code of a CUDA program calls: memory, copies, streams, events. cuda_runtime.h includes it. */
#pragma once

#include "sim_device.h"
#include "vector_types.h"

typedef struct wl_sim_stream *cudaStream_t;
typedef struct wl_sim_event *cudaEvent_t;
typedef struct wl_sim_array cudaArray, *cudaArray_t;
typedef const struct wl_sim_array *cudaArray_const_t;
typedef struct wl_sim_pool *cudaMemPool_t;

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
} cudaMemcpyKind;

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaEventRecordDefault = 0, cudaEventRecordExternal = 1, cudaEventWaitDefault = 0, cudaEventWaitExternal = 1 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum {
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8
};
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
#define cudaStreamTailLaunch ((cudaStream_t)3) // of kernels' launches
#define cudaStreamFireAndForget ((cudaStream_t)4)
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define CUDART_CB

typedef enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
} cudaMemoryType;
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
typedef enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
} cudaMemoryAdvise;
typedef enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2
} cudaMemLocationType;
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
typedef enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned = 1,
    cudaMemAllocationTypeManaged = 2
} cudaMemAllocationType;
typedef enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone = 0,
    cudaMemHandleTypePosixFileDescriptor = 1,
    cudaMemHandleTypeWin32 = 2
} cudaMemAllocationHandleType;
typedef enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0,
    cudaMemAccessFlagsProtRead = 1,
    cudaMemAccessFlagsProtReadWrite = 3
} cudaMemAccessFlags;
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
typedef enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh
} cudaMemPoolAttr;
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

// ---------------------------------------------------------------- shapes of 3-D copies and arrays

struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t width, size_t height) {
    return {p, pitch, width, height};
}
typedef enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
} cudaChannelFormatKind;
struct cudaChannelFormatDesc {
    int x, y, z, w; // bits
    cudaChannelFormatKind f;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
enum {
    cudaArrayDefault = 0,
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8
};

// In a namespace of their own: the program may link the real runtime, which has functions of these names.
namespace wl_sim {

// ---------------------------------------------------------------- memory

cudaError_t wl_allocate(void **pointer, size_t bytes);
cudaError_t wl_allocate_managed(void **pointer, size_t bytes);
cudaError_t wl_allocate_host(void **pointer, size_t bytes);
cudaError_t wl_allocate_pitch(void **pointer, size_t *pitch, size_t width, size_t height);
template <typename T> cudaError_t cudaMalloc(T **pointer, size_t bytes) {
    return wl_allocate(reinterpret_cast<void **>(pointer), bytes);
}
template <typename T> cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned = cudaMemAttachGlobal) {
    return wl_allocate_managed(reinterpret_cast<void **>(pointer), bytes);
}
template <typename T> cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return wl_allocate_pitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent);
template <typename T> cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned = 0) {
    return wl_allocate_host(reinterpret_cast<void **>(pointer), bytes);
}
template <typename T> cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned) {
    return wl_allocate_host(reinterpret_cast<void **>(pointer), bytes);
}
cudaError_t wl_device_pointer(void **device, void *host);
template <typename T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned) {
    return wl_device_pointer(reinterpret_cast<void **>(device), host);
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *host);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
template <typename T> cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
template <typename T> cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);
// Advice: checked, without an effect.
cudaError_t wl_check_advice(const void *pointer, size_t bytes);
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int, cudaStream_t = 0) {
    return wl_check_advice(p, bytes);
}
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation, unsigned, cudaStream_t = 0) {
    return wl_check_advice(p, bytes);
}
inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise, int) {
    return wl_check_advice(p, bytes);
}
inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
    return wl_check_advice(p, bytes);
}
// One pool, which keeps nothing: its attributes are remembered.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *props); // the same one each time
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t, cudaMemLocation *) {
    return *flags = cudaMemAccessFlagsProtReadWrite, cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);

// ---------------------------------------------------------------- copies and fills

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
// Work is done when the call returns. Streams and events are modelled all the same: what they leave unordered may race.
WL_ANY_CODE // in a kernel, they are done when it is over, as its launches
    cudaError_t
    cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = 0);
WL_ANY_CODE_END
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = 0);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, cudaStream_t stream = 0);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream = 0);

// `offset` bytes into a variable of `size` bytes; the copies below say which side the variable is.
cudaError_t wl_check_symbol(size_t size, size_t bytes, size_t offset, bool possible);
bool name_symbols(bool on);
/* While it lives, the calling thread may name a variable where device memory is meant. */
struct wl_naming {
    const bool before = name_symbols(true);
    ~wl_naming() { name_symbols(before); }
};
void wl_note_symbol(const void *symbol); // its address on the device is known to the program from now on
template <typename T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    cudaError_t error = wl_check_symbol(sizeof symbol, bytes, offset, kind != cudaMemcpyDeviceToHost);
    const wl_naming naming;
    return error ? error : cudaMemcpy((char *)&symbol + offset, from, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    cudaError_t error = wl_check_symbol(sizeof symbol, bytes, offset, kind != cudaMemcpyHostToDevice);
    const wl_naming naming;
    return error ? error : cudaMemcpy(to, (const char *)&symbol + offset, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyDefault, cudaStream_t stream = 0) {
    cudaError_t error = wl_check_symbol(sizeof symbol, bytes, offset, kind != cudaMemcpyDeviceToHost);
    const wl_naming naming;
    return error ? error : cudaMemcpyAsync((char *)&symbol + offset, from, bytes, kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDefault, cudaStream_t stream = 0) {
    cudaError_t error = wl_check_symbol(sizeof symbol, bytes, offset, kind != cudaMemcpyHostToDevice);
    const wl_naming naming;
    return error ? error : cudaMemcpyAsync(to, (const char *)&symbol + offset, bytes, kind, stream);
}
template <typename P, typename T> cudaError_t cudaGetSymbolAddress(P **pointer, T &symbol) {
    return wl_note_symbol(&symbol), *pointer = (P *)&symbol, cudaSuccess;
}
template <typename T> cudaError_t cudaGetSymbolSize(size_t *bytes, T &symbol) {
    return *bytes = sizeof symbol, cudaSuccess;
}

// ---------------------------------------------------------------- streams, events

cudaError_t cudaDeviceSynchronize();
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
WL_ANY_CODE
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
WL_ANY_CODE_END
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
WL_ANY_CODE
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
WL_ANY_CODE_END
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags);
template <typename T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *, size_t = 0, unsigned = cudaMemAttachSingle) {
    return cudaSuccess; // advice about managed memory
}
WL_ANY_CODE
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
WL_ANY_CODE_END
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}
WL_ANY_CODE
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
WL_ANY_CODE_END
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0, unsigned = 0) {
    return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
WL_ANY_CODE
cudaError_t cudaEventDestroy(cudaEvent_t event);
WL_ANY_CODE_END
// Simulated time is no time: what comes is a count of work, and a line on standard error says so.
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);
// Stream 0 is each host thread's own, as nvcc's --default-stream per-thread has it. For the whole program.
bool wl_streams_per_thread();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
static const bool wl_sim_streams_per_thread __attribute__((unused)) = wl_streams_per_thread();
#endif

} // namespace wl_sim
