/* What CUB's and Thrust's stand-ins are written with: they compute on the host, on device memory, when they are called. The call has its
   place in its stream like a kernel. */
#pragma once

#include <functional>
#include <iterator>

#include "cuda_runtime.h"

WL_ANY_CODE

/* Memory that a call uses. */
struct wl_use {
    const void *memory;
    size_t bytes;
    bool writes;
};
/* The elements of an iterator that are memory for certain: a pointer's. */
template <typename I> wl_use wl_used(I, size_t, bool) { return {nullptr, 0, false}; }
template <typename T> wl_use wl_used(T *first, size_t count, bool writes) {
    return {(const void *)first, count * sizeof(T), writes};
}

namespace wl_sim {
/* False: memory is not the device's, or other work races with the call; the program has been told, and the call has to return. */
bool wl_library_call(const char *name, cudaStream_t stream, const wl_use *uses, size_t count);
/* Is the stream captured? Then the call becomes a node of the graph. `again` is the call as it is now; it gets the node's stream. */
bool wl_becomes_node(cudaStream_t stream, std::function<void(cudaStream_t)> again);
/* A number that a call reads: the device's, by its address, or the value that the host's has when the call is made. */
template <typename T> struct wl_factor {
    T value;
    const T *of_device; // null: the host's
    operator const T *() const { return of_device ? of_device : &value; }
};
/* The host is going to use an element through a reference, for which Thrust copies it. */
void wl_host_element(const void *element, size_t bytes);
/* The call is an algorithm of the host's: what was queued in the stream before is over. In a kernel, it is the kernel's own. */
void wl_begin_computing(const char *name, cudaStream_t stream);
/* While it lives, the thread computes for a stream: what was queued there before is over. */
struct wl_in_stream {
    wl_in_stream();
    ~wl_in_stream();
    wl_in_stream(const wl_in_stream &) = delete;
};
} // namespace wl_sim

WL_ANY_CODE_END
