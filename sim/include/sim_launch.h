/* Launches: <<<...>>> as chevrons rewrites it, and the runtime's functions that launch a kernel. cuda_runtime.h includes it. */
#pragma once

#include <functional>
#include <vector>

#include "sim_host.h"

typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
} cudaLaunchAttributeID;
typedef enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2
} cudaAccessProperty;
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};
typedef union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int syncPolicy;
    int cooperative;
    struct {
        unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
} cudaLaunchAttributeValue;
typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef cudaLaunchAttributeID cudaStreamAttrID, cudaKernelNodeAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue, cudaKernelNodeAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

namespace wl_sim {

struct shape {
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;
    bool cooperative; // all blocks are resident at once, and may wait for each other
};
// Runs `call(arguments)` once for every thread of the grid. `arguments` [bytes] is the kernel's parameter memory.
void run(const void *kernel, shape shape, void (*call)(void *), void *arguments, size_t bytes);

/* What is kept of an argument: a reference stays one, to memory that the device has to know. */
template <typename P>
using kept = std::conditional_t<std::is_reference<P>::value, std::reference_wrapper<std::remove_reference_t<P>>, P>;

// A launch that waits for its arguments: launcher_of({grid, block}, kernel)(a, b). They become parameters as in a call.
template <typename... P> struct launcher {
    shape where;
    void (*kernel)(P...);
    void operator()(P... values) const {
        if constexpr ((std::is_reference<P>::value || ...))
            start(kept<P>(values)...);
        else
            start(std::move(values)...);
    }
    void start(kept<P>... values) const {
        // Not instrumented: what is counted begins with the kernel.
        auto all = [to = kernel, values...]() mutable WL_SIM_INSIDE { to(values...); };
        run((const void *)kernel, where, [](void *p) WL_SIM_INSIDE { (*static_cast<decltype(all) *>(p))(); }, &all,
            sizeof all);
    }
};
template <typename... P> launcher<P...> launcher_of(shape where, void (*kernel)(P...)) { return {where, kernel}; }
template <typename... P, typename... A> void launch(shape where, void (*kernel)(P...), A &&...values) {
    launcher_of(where, kernel)(std::forward<A>(values)...);
}
// What a stub of a kernel is launched with: chevrons has `configure` called before it, and the stub asks for it. False: the stub is called.
bool configure(shape where);
shape configured();

cudaError_t wl_refuse_call(cudaError_t error, const char *message);
// Did a launch just now go wrong? As cudaLaunchKernel returns it: errors of the kernel itself come later.
cudaError_t wl_launch_refused();

template <typename... P, size_t... I>
cudaError_t wl_launch_with(shape shape, void (*kernel)(P...), void **arguments, std::index_sequence<I...>) {
    launch(shape, kernel, *static_cast<std::decay_t<P> *>(arguments[I])...);
    return wl_launch_refused();
}
template <typename... P>
cudaError_t wl_launch_kernel(bool cooperative, void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                             size_t bytes = 0, cudaStream_t stream = 0) {
    return wl_launch_with({grid, block, bytes, stream, cooperative}, kernel, arguments,
                          std::index_sequence_for<P...>());
}

/* What a kernel's type says. It is kept for calls that get its address as `void *`: chevrons has `known` called where a program casts a
   kernel to that. */
struct wl_kernel_type {
    std::shared_ptr<void> (*keep)(void **arguments,
                                  std::vector<void *> *copies); // the copies live as long as the result
    void (*launch)(const void *kernel, shape where, void **arguments);
};
void wl_note_kernel(const void *kernel, const wl_kernel_type *type);
const wl_kernel_type *kernel_type(const void *kernel); // null: no kernel that the program has cast
template <typename... P, size_t... I>
std::shared_ptr<void> wl_keep_as(void **arguments, std::vector<void *> *copies, std::index_sequence<I...>) {
    auto all = std::make_shared<std::tuple<std::decay_t<P>...>>(*static_cast<std::decay_t<P> *>(arguments[I])...);
    *copies = {(void *)&std::get<I>(*all)...};
    return all;
}
template <typename... P>
inline constexpr wl_kernel_type wl_type_of = {
    [](void **arguments, std::vector<void *> *copies) {
        return wl_keep_as<P...>(arguments, copies, std::index_sequence_for<P...>());
    },
    [](const void *kernel, shape where, void **arguments) {
        wl_launch_with(where, (void (*)(P...))kernel, arguments, std::index_sequence_for<P...>());
    }};
template <typename... P> void (&wl_known_kernel(void (&kernel)(P...)))(P...) {
    wl_note_kernel((const void *)kernel, &wl_type_of<P...>);
    return kernel;
}
template <typename T> T &wl_known_kernel(T &variable) { return variable; } // that has a kernel's name
inline cudaError_t wl_launch_kernel(bool cooperative, const void *kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t bytes = 0, cudaStream_t stream = 0) {
    const wl_kernel_type *type = kernel_type(kernel);
    if (type == nullptr) return wl_refuse_call(cudaErrorInvalidDeviceFunction, "found no kernel there");
    type->launch(kernel, {grid, block, bytes, stream, cooperative}, arguments);
    return wl_launch_refused();
}
// What a stream's launches do to caches has no effect here.
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *) {
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *value) {
    return *value = {}, cudaSuccess;
}
inline cudaError_t wl_shape_of(const cudaLaunchConfig_t *c, shape *where) {
    *where = {c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream, false};
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const auto &v = c->attrs[i].val;
        if (c->attrs[i].id == cudaLaunchAttributeCooperative) where->cooperative = v.cooperative != 0;
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension &&
            v.clusterDim.x * v.clusterDim.y * v.clusterDim.z != 1)
            return wl_refuse_call(cudaErrorNotSupported, "clusters of blocks are not simulated");
    }
    return cudaSuccess;
}
template <typename... P, typename... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(P...), A &&...values) {
    shape where;
    const cudaError_t error = wl_shape_of(c, &where);
    if (error) return error;
    launch(where, kernel, std::forward<A>(values)...);
    return wl_launch_refused();
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **arguments) {
    shape where;
    const cudaError_t error = wl_shape_of(c, &where);
    return error ? error
                 : wl_launch_kernel(where.cooperative, kernel, where.grid, where.block, arguments, where.bytes,
                                    where.stream);
}

} // namespace wl_sim

static inline wl_sim::shape wl_sim_shape(dim3 grid, dim3 block, size_t bytes = 0, cudaStream_t stream = 0) {
    return {grid, block, bytes, stream, false};
}
#define wl_sim_launch(...) wl_sim::launch(__VA_ARGS__)
#ifdef WL_SIM_RULES // what clang makes of <<<...>>>, by its version
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t bytes = 0, cudaStream_t stream = 0);
extern "C" int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t bytes = 0, cudaStream_t stream = 0);
#endif

/* cudaLaunchKernel((void *)kernel, ...): the cast would lose the parameters' types, so a first word in parentheses is dropped. */
#define WL_THIRD(a, b, c, ...) c
#define WL_PICK(...) WL_THIRD(__VA_ARGS__)
#define WL_PAREN(...) 0, 0 // two words where a parenthesis follows, else one
#define WL_FIRST_IS_PAREN(first, ...) WL_PICK(WL_PAREN first, DROP, KEEP)
#define WL_DROP(...)
#define WL_UNCAST_KEEP(...) __VA_ARGS__
#define WL_UNCAST_DROP(...) WL_DROP __VA_ARGS__
#define WL_JOIN_(a, b) a##b
#define WL_JOIN(a, b) WL_JOIN_(a, b)
#define WL_UNCAST(...) WL_JOIN(WL_UNCAST_, WL_FIRST_IS_PAREN(__VA_ARGS__, ))(__VA_ARGS__)
#define cudaLaunchKernel(...) wl_launch_kernel(false, WL_UNCAST(__VA_ARGS__))
#define cudaLaunchCooperativeKernel(...) wl_launch_kernel(true, WL_UNCAST(__VA_ARGS__))
