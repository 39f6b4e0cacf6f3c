/* The simulated device's stand-in for the toolkit's <cuda_runtime.h>: what a kernel file may use, in terms of
   harness/sim. A kernel compiled with this header runs on the CPU; it is written exactly as for a GPU.

   Kernel code is compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc, so that every load, store and basic
   block calls back into harness/sim/core.cpp, which gives them their CUDA meaning. */
#ifndef WL_SIM_CUDA_RUNTIME_H
#define WL_SIM_CUDA_RUNTIME_H

// The standard headers that kernel files use come first: some use names that CUDA makes macros of (__noinline__).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "vector_types.h"

#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#ifndef WL_SIM_TRANSLATING // else chevrons replaces these words
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) // chevrons has the kernel compare its block with the bound
// A block runs on one thread of the host from start to end: what that thread owns, the block shares.
#define __shared__ static thread_local __attribute__((aligned(16)))
#endif
#define __constant__ __attribute__((section("wl_constant")))
#ifndef WL_SIM_HOST_CODE // a .cpp file, which nvcc would not compile for the device
#define __CUDACC__ 1
#endif
#define CUDART_VERSION 13000

// What the simulated device is compiled as: every path for devices of compute capability 9.0.
#if !defined __CUDA_ARCH__ && !defined WL_SIM_HOST_CODE
#define __CUDA_ARCH__ 900
#endif

// ---------------------------------------------------------------- threads

extern "C" {
// Constant for a thread's whole life, which lets the compiler call each once.
uint3 wl_sim_thread_index(void) __attribute__((const));
uint3 wl_sim_block_index(void) __attribute__((const));
dim3 wl_sim_block_shape(void) __attribute__((const));
dim3 wl_sim_grid_shape(void) __attribute__((const));
void *wl_sim_dynamic_shared(void) __attribute__((const));
void wl_sim_bound(unsigned threads);
}
#define threadIdx wl_sim_thread_index()
#define blockIdx wl_sim_block_index()
#define blockDim wl_sim_block_shape()
#define gridDim wl_sim_grid_shape()
constexpr int warpSize = 32;

// ---------------------------------------------------------------- errors and devices

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
} cudaError_t;
typedef struct wl_sim_stream *cudaStream_t;
typedef struct wl_sim_event *cudaEvent_t;

typedef enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
} cudaMemcpyKind;

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1 };
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
typedef enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;
typedef enum {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
} cudaDeviceAttr;

typedef struct {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    int warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, multiProcessorCount, major, minor, l2CacheSize,
        regsPerBlock, regsPerMultiprocessor;
} cudaDeviceProp;

// In a namespace of their own: the program may link the real runtime, which has functions of these names.
namespace wl_sim {

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
// For an error of a kernel, its whole message: kernel, block, thread, source line.
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

cudaError_t wl_allocate(void **pointer, size_t bytes);
template <typename T> cudaError_t cudaMalloc(T **pointer, size_t bytes) {
    return wl_allocate(reinterpret_cast<void **>(pointer), bytes);
}
cudaError_t cudaFree(void *pointer);
template <typename T> cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);

// Work is done when the call returns. Streams and events are modelled all the same: what they leave unordered may race.
// Simulated time is no time: cudaEventElapsedTime refuses.
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
// Stream 0 is each host thread's own, as nvcc's --default-stream per-thread has it. For the whole program.
bool wl_streams_per_thread();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
static const bool wl_sim_streams_per_thread __attribute__((unused)) = wl_streams_per_thread();
#endif
inline cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t) { return cudaErrorNotSupported; }
inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t wl_allocate_host(void **pointer, size_t bytes);
template <typename T> cudaError_t cudaMallocHost(T **pointer, size_t bytes) {
    return wl_allocate_host(reinterpret_cast<void **>(pointer), bytes);
}
template <typename T> cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned) {
    return cudaMallocHost(pointer, bytes);
}
cudaError_t cudaFreeHost(void *pointer);
// `offset` bytes into a variable of `size` bytes; the copies below say which side the variable is.
cudaError_t wl_check_symbol(size_t size, size_t bytes, size_t offset, bool possible);
template <typename T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    cudaError_t error = wl_check_symbol(sizeof symbol, bytes, offset, kind != cudaMemcpyDeviceToHost);
    return error ? error : cudaMemcpy((char *)&symbol + offset, from, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    cudaError_t error = wl_check_symbol(sizeof symbol, bytes, offset, kind != cudaMemcpyHostToDevice);
    return error ? error : cudaMemcpy(to, (const char *)&symbol + offset, bytes, kind);
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **pointer, T &symbol) {
    return *pointer = (void *)&symbol, cudaSuccess;
}
// Dynamic shared memory above 48 KB has to be asked for, as on the device.
cudaError_t wl_allow_shared(const void *kernel, int bytes);
template <typename K> cudaError_t cudaFuncSetAttribute(K *kernel, cudaFuncAttribute attribute, int value) {
    return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize ? wl_allow_shared((const void *)kernel, value)
                                                                    : cudaSuccess;
}
template <typename K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K *, int threads, size_t bytes) {
    *blocks = threads > 0 ? 2048 / threads : 0; // threads and shared memory only: registers are not known here
    if (bytes > 0 && *blocks > (int)(232448 / bytes)) *blocks = (int)(232448 / bytes);
    return cudaSuccess;
}

// ---------------------------------------------------------------- launches

struct shape {
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;
};
// Runs `call(arguments)` once for every thread of the grid. `arguments` [bytes] is the kernel's parameter memory.
void run(const void *kernel, shape shape, void (*call)(void *), void *arguments, size_t bytes);

// A launch that waits for its arguments: launcher_of({grid, block}, kernel)(a, b). They become parameters as in a call.
template <typename... P> struct launcher {
    shape where;
    void (*kernel)(P...);
    void operator()(P... values) const {
        struct parameters {
            void (*kernel)(P...);
            std::tuple<std::decay_t<P>...> values;
        } all = {kernel, std::tuple<std::decay_t<P>...>(std::move(values)...)};
        run((const void *)kernel, where,
            [](void *p) {
                parameters *all = static_cast<parameters *>(p);
                std::apply(all->kernel, all->values);
            },
            &all, sizeof all);
    }
};
template <typename... P> launcher<P...> launcher_of(shape where, void (*kernel)(P...)) { return {where, kernel}; }
template <typename... P, typename... A> void launch(shape where, void (*kernel)(P...), A &&...values) {
    launcher_of(where, kernel)(std::forward<A>(values)...);
}
// Where the arguments say which kernel of a template it is: `find` is never called, its type is the answer.
template <typename F> struct launcher_by_arguments {
    shape where;
    template <typename... A> void operator()(A &&...values) const {
        launch(where, decltype(std::declval<F>()(std::forward<A>(values)...))::value, std::forward<A>(values)...);
    }
};
template <typename F> launcher_by_arguments<F> launcher_found(shape where, F) { return {where}; }

} // namespace wl_sim
using namespace wl_sim;

static inline wl_sim::shape wl_sim_shape(dim3 grid, dim3 block, size_t bytes = 0, cudaStream_t stream = 0) {
    return {grid, block, bytes, stream};
}
#define wl_sim_launch(...) wl_sim::launch(__VA_ARGS__)

#include "sim_atomics.h"
#include "sim_warp.h"
#include "sim_intrinsics.h"

#endif
