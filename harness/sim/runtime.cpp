/* The host's side of the simulated device: copies, errors, properties, and the record of launches. */
#include <map>
#include <mutex>

#include "cuda_runtime.h"
#include "harness/sim/internal.h"

namespace wl_sim {

// As on a GPU, an error stays until cudaGetLastError takes it; that a kernel failed is also what every call in between
// returns. (A GPU would be lost for the process; here it can be used again.)
static thread_local cudaError_t last_error;
static thread_local std::string last_message;
static std::mutex complaining;
static std::map<const void *, size_t> shared_allowed;
static std::vector<wl_sim_launch> launches;
static bool tracing;
static uint3 trace_block;
static std::vector<wl_sim_access> traced;

static void (*tell_finding)(const char *);

static void found(const std::string &message) {
    if (tell_finding) tell_finding(message.c_str());
}

int launch_error(void) { return last_error == cudaErrorLaunchFailure ? last_error : cudaSuccess; }

int report(int code) {
    if (!launch_error()) last_error = (cudaError_t)code;
    return code;
}

void set_launch_error(int code, const std::string &message) {
    if (launch_error()) return;
    last_error = (cudaError_t)code;
    last_message = message;
    found(message);
}

static std::string complaint, suspicion;

void suspect(const std::string &message) {
    std::lock_guard<std::mutex> guard(complaining);
    if (suspicion.empty()) suspicion = message;
}

std::string take_suspicion(void) {
    std::lock_guard<std::mutex> guard(complaining);
    std::string taken;
    taken.swap(suspicion);
    return taken;
}

void complain(const std::string &message) {
    std::lock_guard<std::mutex> guard(complaining);
    if (complaint.empty()) complaint = message;
    found(message);
}

std::string take_complaint(void) {
    std::lock_guard<std::mutex> guard(complaining);
    std::string taken;
    taken.swap(complaint);
    return taken;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaGetLastError() {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "cudaSuccess";
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorInvalidConfiguration:
            return "cudaErrorInvalidConfiguration";
        case cudaErrorNoDevice:
            return "cudaErrorNoDevice";
        case cudaErrorInvalidDevice:
            return "cudaErrorInvalidDevice";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        case cudaErrorLaunchFailure:
            return "cudaErrorLaunchFailure";
        case cudaErrorNotSupported:
            return "cudaErrorNotSupported";
    }
    return "unknown error";
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidConfiguration:
        case cudaErrorLaunchFailure:
            return last_message.empty() ? cudaGetErrorName(error) : last_message.c_str();
        case cudaErrorInvalidValue:
            return "a copy or fill reaches outside device memory, or an argument is wrong";
        case cudaErrorMemoryAllocation:
            return "not enough simulated device memory";
        case cudaErrorNotSupported:
            return "the simulated device does not measure time";
        default:
            return cudaGetErrorName(error);
    }
}

/* Rows of `width` bytes; `pitch` is from one to the next. */
struct Rows {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch, width, height;
    const int *fill; // null: a copy; else each byte becomes this
};

static cudaError_t move_rows(const char *what, const Rows &rows, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
    if (rows.width == 0 || rows.height == 0) return (cudaError_t)launch_error();
    const bool fill = rows.fill != nullptr;
    if (kind == cudaMemcpyDefault && !fill) {
        const bool to = is_allocated((uintptr_t)rows.to), from = is_allocated((uintptr_t)rows.from);
        kind = to     ? from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
               : from ? cudaMemcpyDeviceToHost
                      : cudaMemcpyHostToHost;
    }
    const bool to_device = fill || kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    Operation o = queue_operation(stream, what);
    const std::vector<Operation> unordered = unordered_with(o);
    const uintptr_t host = (uintptr_t)(to_device ? rows.from : rows.to);
    if (!fill && to_device != from_device && is_pinned(host)) {
        const size_t pitch = to_device ? rows.from_pitch : rows.to_pitch;
        o.host_low = host;
        o.host_high = host + pitch * (rows.height - 1) + rows.width;
        o.writes_host = from_device;
    } else if (from_device && !to_device) {
        wait = true; // a copy to pageable memory is over when the call returns
    }
    for (size_t row = 0; row < rows.height; row++) {
        char *to = (char *)rows.to + row * rows.to_pitch;
        const char *from = fill ? nullptr : (const char *)rows.from + row * rows.from_pitch;
        if (to_device && !is_device((uintptr_t)to, rows.width)) return (cudaError_t)report(cudaErrorInvalidValue);
        if (from_device && !is_device((uintptr_t)from, rows.width)) return (cudaError_t)report(cudaErrorInvalidValue);
        // Pointers that do not fit the direction are undefined behaviour in CUDA.
        if ((!fill && to_device && !from_device && is_allocated((uintptr_t)from)) ||
            (from_device && !to_device && is_allocated((uintptr_t)to)))
            return (cudaError_t)report(cudaErrorInvalidValue);
        if (to_device) o.ranges.push_back({(uintptr_t)to, (uintptr_t)to + rows.width, true});
        if (from_device) o.ranges.push_back({(uintptr_t)from, (uintptr_t)from + rows.width, false});
        if (fill)
            memset(to, *rows.fill, rows.width);
        else
            memmove(to, from, rows.width);
        if (to_device) note_written((uintptr_t)to, rows.width);
    }
    for (size_t i = 0; i < o.ranges.size() && !unordered.empty(); i++) {
        const std::string race = stream_race(o, unordered, o.ranges[i]);
        if (race.empty()) continue;
        set_launch_error(cudaErrorLaunchFailure, race);
        break;
    }
    if (wait)
        wait_for_operation(o);
    else
        remember_operation(o);
    return (cudaError_t)launch_error();
}

// A copy within the device and a fill do not keep the host waiting.
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return move_rows("cudaMemcpy", {to, bytes, from, bytes, bytes, 1, nullptr}, kind, nullptr,
                     kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return move_rows("cudaMemcpyAsync", {to, bytes, from, bytes, bytes, 1, nullptr}, kind, stream, false);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    return move_rows("cudaMemcpy2D", {to, to_pitch, from, from_pitch, width, height, nullptr}, kind, nullptr,
                     kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return move_rows("cudaMemcpy2DAsync", {to, to_pitch, from, from_pitch, width, height, nullptr}, kind, stream,
                     false);
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return move_rows("cudaMemset", {to, bytes, nullptr, 0, bytes, 1, &value}, cudaMemcpyDefault, nullptr, false);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    return move_rows("cudaMemsetAsync", {to, bytes, nullptr, 0, bytes, 1, &value}, cudaMemcpyDefault, stream, false);
}

cudaError_t wl_check_symbol(size_t size, size_t bytes, size_t offset, bool possible) {
    bool inside = offset <= size && bytes <= size - offset;
    return inside && possible ? cudaSuccess : (cudaError_t)report(cudaErrorInvalidValue);
}

cudaError_t wl_allow_shared(const void *kernel, int bytes) {
    if (bytes < 0 || (size_t)bytes > SHARED_LIMIT) return (cudaError_t)report(cudaErrorInvalidValue);
    shared_allowed[kernel] = (size_t)bytes;
    return cudaSuccess;
}

size_t allowed_shared(const void *kernel) {
    auto at = shared_allowed.find(kernel);
    return at == shared_allowed.end() ? 0 : at->second;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = MAX_THREADS;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = STATIC_SHARED_LIMIT;
            break;
        case cudaDevAttrWarpSize:
            *value = WARP;
            break;
        case cudaDevAttrClockRate:
            return cudaErrorNotSupported;
        case cudaDevAttrMultiProcessorCount:
            *value = 4;
            break; // small: programs size their grids by it
        case cudaDevAttrL2CacheSize:
            *value = 1 << 20;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = 2048;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = 9;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = 0;
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = 228 << 10;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = SHARED_LIMIT;
            break;
        default:
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
    if (device != 0) return cudaErrorInvalidDevice;
    *p = {};
    snprintf(p->name, sizeof p->name, "simulated device");
    size_t free_bytes;
    cudaMemGetInfo(&free_bytes, &p->totalGlobalMem);
    p->sharedMemPerBlock = STATIC_SHARED_LIMIT;
    p->sharedMemPerBlockOptin = SHARED_LIMIT;
    p->sharedMemPerMultiprocessor = 228 << 10;
    p->warpSize = WARP;
    p->maxThreadsPerBlock = MAX_THREADS;
    p->maxThreadsPerMultiProcessor = 2048;
    p->multiProcessorCount = 4;
    p->major = 9;
    p->l2CacheSize = 1 << 20;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    return cudaSuccess;
}

void record_launch(const Launch &launch, const wl_sim_counters &counters, std::vector<wl_sim_access> &&trace) {
    wl_sim_launch record{};
    snprintf(record.kernel, sizeof record.kernel, "%s", launch.name.c_str());
    record.grid[0] = launch.grid.x, record.grid[1] = launch.grid.y, record.grid[2] = launch.grid.z;
    record.block[0] = launch.block.x, record.block[1] = launch.block.y, record.block[2] = launch.block.z;
    record.shared_bytes = launch.static_bytes + launch.dynamic_bytes;
    record.counters = counters;
    launches.push_back(record);
    traced.insert(traced.end(), trace.begin(), trace.end());
}

bool trace_wanted(uint3 *block) {
    *block = trace_block;
    return tracing;
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" {

void wl_sim_on_finding(void (*told)(const char *)) { tell_finding = told; }

void wl_sim_forget(void) { launches.clear(); }

const wl_sim_launch *wl_sim_launches(size_t *count) {
    *count = launches.size();
    return launches.data();
}

void wl_sim_trace_begin(unsigned x, unsigned y, unsigned z) {
    tracing = true;
    trace_block = {x, y, z};
    traced.clear();
    number_allocations();
}

wl_sim_access *wl_sim_trace_end(size_t *count) {
    tracing = false;
    *count = traced.size();
    wl_sim_access *copy = nullptr;
    if (!traced.empty()) {
        copy = (wl_sim_access *)malloc(traced.size() * sizeof *copy);
        if (copy) memcpy(copy, traced.data(), traced.size() * sizeof *copy);
    }
    if (copy == nullptr) *count = 0;
    traced.clear();
    return copy;
}

} // extern "C"
