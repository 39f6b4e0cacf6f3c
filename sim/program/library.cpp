/* Calls of libraries: operations of a stream, as kernels and copies are. */
#include "sim_library.h"

#include "sim/internal.h"

namespace wl_sim {

bool wl_library_call(const char *name, cudaStream_t stream, const wl_use *uses, size_t count) {
    if (active) return true; // a kernel's own algorithm
    if (launch_error()) return false;
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(stream, &status);
    if (status != cudaStreamCaptureStatusNone) {
        set_launch_error(cudaErrorStreamCaptureUnsupported,
                         name + std::string(" in a captured stream: the host would have to wait for its result"));
        return false;
    }
    Operation o = queue_operation(stream, name);
    for (const wl_use *use = uses; use < uses + count; use++) {
        const uintptr_t low = (uintptr_t)use->memory;
        if (use->bytes == 0) continue;
        if (!is_device(low, use->bytes)) {
            set_launch_error(cudaErrorIllegalAddress, described(o) + ": " + (use->writes ? "stores " : "loads ") +
                                                          std::to_string(use->bytes) +
                                                          " bytes that are not within one allocation of device memory");
            return false;
        }
        o.ranges.push_back({low, low + use->bytes, use->writes});
    }
    if (!refuse_stream_race(o).empty()) return false;
    for (const Operation::Range &r : o.ranges)
        if (r.writes) note_written(r.low, r.high - r.low);
    remember_operation(o);
    return true;
}

bool wl_becomes_node(cudaStream_t stream, std::function<void(cudaStream_t)> again) {
    return !active && captured(stream, cudaGraphNodeTypeKernel, std::move(again));
}

void wl_begin_computing(const char *name, cudaStream_t stream) {
    if (active) return;
    wl_library_call(name, stream, nullptr, 0);
    cudaStreamSynchronize(stream);
}

wl_in_stream::wl_in_stream() {
    if (active) return;
    enter_stream(true);
    begin_one_thread();
}
wl_in_stream::~wl_in_stream() {
    if (!active) enter_stream(false);
}

} // namespace wl_sim
