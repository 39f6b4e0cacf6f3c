/* Copies and fills: of bytes, of rows, and of boxes. */
#include "cuda_runtime.h"
#include "sim/internal.h"
#include "sim/memory.h"

namespace wl_sim {

/* `planes` of `height` rows of `width` bytes; the pitches are from one row or plane to the next. */
struct Rows {
    char *to;
    size_t to_pitch, to_plane;
    const char *from;
    size_t from_pitch, from_plane;
    size_t width, height, planes;
    const int *fill; // null: a copy; else each byte becomes this
};

static cudaMemcpyKind inferred(const Rows &rows) {
    const bool to = is_device((uintptr_t)rows.to, 1), from = is_device((uintptr_t)rows.from, 1);
    return to     ? from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
           : from ? cudaMemcpyDeviceToHost
                  : cudaMemcpyHostToHost;
}

/* Says why [address, address + bytes) is no device memory: `role` is "source" or "destination". */
static cudaError_t refuse_range(const char *role, const void *pointer, size_t bytes) {
    const uintptr_t address = (uintptr_t)pointer;
    std::string why = std::string("invalid argument: the ") + role;
    std::unique_lock<std::mutex> guard(device_mutex);
    const auto at = find_allocation(address);
    if (pointer == nullptr) {
        why += " is a null pointer";
    } else if (const Freed *f = find_freed(address)) {
        why += " was freed in " + host_place_name(f->freed) + " (allocated " + memory_place(f->allocated) + ")";
    } else if (at != allocations.end() && address < at->high) {
        why += " has room for " + std::to_string(at->high - address) + " bytes, not for " + std::to_string(bytes) +
               ": " + std::to_string(at->high - at->low) + " were allocated " + memory_place(at->place);
    } else {
        why += " is not device memory (the pointer does not come from cudaMalloc)";
    }
    guard.unlock();
    return wl_refuse_call(cudaErrorInvalidValue, why.c_str());
}

static cudaError_t refuse_direction(const char *role) {
    const std::string why = std::string("invalid argument: the direction says that the ") + role +
                            " is host memory, but it comes from cudaMalloc";
    return wl_refuse_call(cudaErrorInvalidValue, why.c_str());
}

static cudaError_t move_rows(const char *what, Rows rows, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
    if (rows.width == 0 || rows.height == 0 || rows.planes == 0) return (cudaError_t)launch_error();
    const bool fill = rows.fill != nullptr;
    const int value = fill ? *rows.fill : 0;
    if (active) {
        const cudaStream_t own = active->launch->stream;
        add_child(active, false, [=] {
            Rows later = rows;
            if (later.fill) later.fill = &value;
            move_rows(what, later, kind, own, false);
        });
        return cudaSuccess;
    }
    const bool named = name_symbols(false);
    name_symbols(named);
    if (captured(stream, fill ? cudaGraphNodeTypeMemset : cudaGraphNodeTypeMemcpy, [=](cudaStream_t s) {
            Rows again = rows;
            if (again.fill) again.fill = &value;
            const bool before = name_symbols(named);
            move_rows(what, again, kind, s, false);
            name_symbols(before);
        }))
        return cudaSuccess;
    if (refuse_symbol(what, rows.to, rows.from)) return (cudaError_t)report(cudaErrorInvalidValue);
    if (rows.height > 1 && (rows.to_pitch < rows.width || (!fill && rows.from_pitch < rows.width)))
        return (cudaError_t)report(cudaErrorInvalidPitchValue);
    if (kind == cudaMemcpyDefault && !fill) kind = inferred(rows);
    const bool to_device = fill || kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    Operation o = queue_operation(stream, what);
    const uintptr_t host = (uintptr_t)(to_device ? rows.from : rows.to);
    const size_t last_row = rows.height - 1, last_plane = rows.planes - 1;
    if (!fill && to_device != from_device && is_pinned(host)) {
        o.host_low = host;
        o.host_high = host + rows.width +
                      (to_device ? last_row * rows.from_pitch + last_plane * rows.from_plane
                                 : last_row * rows.to_pitch + last_plane * rows.to_plane);
        o.writes_host = from_device;
    } else if (from_device && !to_device) {
        wait = true; // a copy to pageable memory is over when the call returns
    }
    size_t unwritten = 0;
    uintptr_t first_unwritten = 0;
    for (size_t plane = 0; plane < rows.planes; plane++)
        for (size_t row = 0; row < rows.height; row++) {
            char *to = rows.to + plane * rows.to_plane + row * rows.to_pitch;
            const char *from = fill ? nullptr : rows.from + plane * rows.from_plane + row * rows.from_pitch;
            if (to_device && !is_device((uintptr_t)to, rows.width)) return refuse_range("destination", to, rows.width);
            if (from_device && !is_device((uintptr_t)from, rows.width)) return refuse_range("source", from, rows.width);
            // Pointers that do not fit the direction are undefined behaviour in CUDA.
            if (!fill && to_device && !from_device && is_allocated((uintptr_t)from)) return refuse_direction("source");
            if (from_device && !to_device && is_allocated((uintptr_t)to)) return refuse_direction("destination");
            if (to_device) o.ranges.push_back({(uintptr_t)to, (uintptr_t)to + rows.width, true});
            if (from_device) o.ranges.push_back({(uintptr_t)from, (uintptr_t)from + rows.width, false});
            if (fill || !from_device || !to_device) {
                const RangeWindow window((uintptr_t)(to_device ? to : from), to_device || from_device ? rows.width : 0);
                if (from_device && tells_findings())
                    unwritten += count_unwritten((uintptr_t)from, rows.width, &first_unwritten);
                if (fill)
                    fill_memory((uintptr_t)to, value, rows.width);
                else
                    memmove(to, from, rows.width);
            } else {
                const DeviceWindow window;
                memmove(to, from, rows.width);
            }
            if (to_device) note_written((uintptr_t)to, rows.width);
        }
    if (unwritten > 0)
        note_unwritten_copy(what, unwritten, rows.width * rows.height * rows.planes,
                            first_unwritten - (uintptr_t)rows.from);
    simulated_work += rows.width * rows.height * rows.planes / SECTOR + 1;
    refuse_stream_race(o);
    if (wait)
        wait_for_operation(o);
    else
        remember_operation(o);
    return (cudaError_t)launch_error();
}

static Rows bytes_of(void *to, const void *from, size_t bytes, const int *fill = nullptr) {
    return {(char *)to, bytes, bytes, (const char *)from, bytes, bytes, bytes, 1, 1, fill};
}
static Rows plane_of(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                     const int *fill = nullptr) {
    return {(char *)to, to_pitch, 0, (const char *)from, from_pitch, 0, width, height, 1, fill};
}

// A copy within the device and a fill do not keep the host waiting.
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return move_rows("cudaMemcpy", bytes_of(to, from, bytes), kind, nullptr, kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return move_rows("cudaMemcpyAsync", bytes_of(to, from, bytes), kind, stream, false);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    if (to_device != 0 || from_device != 0) return (cudaError_t)report(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    if (to_device != 0 || from_device != 0) return (cudaError_t)report(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    return move_rows("cudaMemcpy2D", plane_of(to, to_pitch, from, from_pitch, width, height), kind, nullptr,
                     kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return move_rows("cudaMemcpy2DAsync", plane_of(to, to_pitch, from, from_pitch, width, height), kind, stream, false);
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return move_rows("cudaMemset", bytes_of(to, nullptr, bytes, &value), cudaMemcpyDefault, nullptr, false);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    return move_rows("cudaMemsetAsync", bytes_of(to, nullptr, bytes, &value), cudaMemcpyDefault, stream, false);
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return move_rows("cudaMemset2D", plane_of(to, pitch, nullptr, 0, width, height, &value), cudaMemcpyDefault, nullptr,
                     false);
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return move_rows("cudaMemset2DAsync", plane_of(to, pitch, nullptr, 0, width, height, &value), cudaMemcpyDefault,
                     stream, false);
}
static Rows box_of(const cudaPitchedPtr &to, const int *value, cudaExtent e) {
    return {(char *)to.ptr, to.pitch, to.pitch * to.ysize, nullptr, 0, 0, e.width, e.height, e.depth, value};
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent e) {
    return move_rows("cudaMemset3D", box_of(to, &value, e), cudaMemcpyDefault, nullptr, false);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent e, cudaStream_t stream) {
    return move_rows("cudaMemset3DAsync", box_of(to, &value, e), cudaMemcpyDefault, stream, false);
}

// ---------------------------------------------------------------- boxes and arrays

static cudaError_t copy_box(const char *what, const cudaMemcpy3DParms &p, cudaStream_t stream, bool wait) {
    Rows rows = {};
    // An extent counts elements where an array takes part, else bytes.
    const size_t element = p.dstArray   ? array_shape(p.dstArray).element
                           : p.srcArray ? array_shape(p.srcArray).element
                                        : 1;
    rows.width = p.extent.width * element;
    rows.height = p.extent.height;
    rows.planes = p.extent.depth;
    const auto place = [&](const cudaArray_t array, const cudaPitchedPtr &pitched, const cudaPos &at, char **start,
                           size_t *pitch, size_t *plane) {
        cudaPitchedPtr whole = pitched;
        size_t x = at.x;
        if (array) {
            const ArrayShape shape = array_shape(array);
            whole = {shape.memory, shape.pitch, 0, shape.rows};
            x *= shape.element;
            if (x + rows.width > shape.width * shape.element || at.y + rows.height > shape.rows ||
                at.z + rows.planes > shape.planes)
                return false;
        }
        *start = (char *)whole.ptr + at.z * whole.pitch * whole.ysize + at.y * whole.pitch + x;
        *pitch = whole.pitch;
        *plane = whole.pitch * whole.ysize;
        return whole.ptr != nullptr;
    };
    char *from = nullptr;
    if (!place(p.dstArray, p.dstPtr, p.dstPos, &rows.to, &rows.to_pitch, &rows.to_plane) ||
        !place(p.srcArray, p.srcPtr, p.srcPos, &from, &rows.from_pitch, &rows.from_plane))
        return (cudaError_t)report(cudaErrorInvalidValue);
    rows.from = from;
    return move_rows(what, rows, p.kind, stream, wait);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
    return copy_box("cudaMemcpy3D", *p, nullptr, p->kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
    return copy_box("cudaMemcpy3DAsync", *p, stream, false);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    const ArrayShape s = array_shape(to);
    const size_t rows = s.rows * s.planes;
    if (x + width > s.width * s.element || y + height > rows) return (cudaError_t)report(cudaErrorInvalidValue);
    return move_rows("cudaMemcpy2DToArray", plane_of(s.memory + y * s.pitch + x, s.pitch, from, pitch, width, height),
                     kind, stream, stream == nullptr && kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    const ArrayShape s = array_shape(from);
    const size_t rows = s.rows * s.planes;
    if (x + width > s.width * s.element || y + height > rows) return (cudaError_t)report(cudaErrorInvalidValue);
    return move_rows("cudaMemcpy2DFromArray", plane_of(to, pitch, s.memory + y * s.pitch + x, s.pitch, width, height),
                     kind, stream, stream == nullptr && kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}
/* Bytes fill an array row by row. */
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind) {
    const ArrayShape s = array_shape(to);
    const size_t row = s.width * s.element;
    if (x == 0 && row > 0 && bytes % row == 0) return cudaMemcpy2DToArray(to, 0, y, from, row, row, bytes / row, kind);
    return cudaMemcpy2DToArray(to, x, y, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
    const ArrayShape s = array_shape(from);
    const size_t row = s.width * s.element;
    if (x == 0 && row > 0 && bytes % row == 0)
        return cudaMemcpy2DFromArray(to, row, from, 0, y, row, bytes / row, kind);
    return cudaMemcpy2DFromArray(to, bytes, from, x, y, bytes, 1, kind);
}

} // namespace wl_sim
