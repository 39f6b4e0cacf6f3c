/* Textures and surfaces. A fetch computes what the CUDA programming guide's chapter on texture fetching says: point or linear filtering,
   whose weights are fractions of 256, and coordinates outside the texture by its address mode. Fetches are checked for races and
   freed memory, and not counted. */
#include <algorithm>
#include <cmath>

#include "cuda_fp16.h"
#include "sim/memory.h"

struct wl_sim_array {
    cudaChannelFormatDesc format;
    cudaExtent extent;
    unsigned flags;
    wl_sim::ArrayShape shape;
};

namespace wl_sim {

static size_t element_bytes(const cudaChannelFormatDesc &f) { return (size_t)(f.x + f.y + f.z + f.w) / 8; }

static bool possible(const cudaChannelFormatDesc &f) {
    const int count = 1 + (f.y > 0) + (f.z > 0) + (f.w > 0), bits[4] = {f.x, f.y, f.z, f.w};
    if (f.f > cudaChannelFormatKindFloat || (f.x != 8 && f.x != 16 && f.x != 32)) return false;
    if (f.f == cudaChannelFormatKindFloat && f.x == 8) return false;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < count ? f.x : 0)) return false;
    return count != 3;
}

ArrayShape array_shape(const wl_sim_array *array) { return array ? array->shape : ArrayShape{}; }

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent e, unsigned flags) {
    if (array == nullptr || format == nullptr || e.width == 0) return (cudaError_t)report(cudaErrorInvalidValue);
    if (!possible(*format)) return (cudaError_t)report(cudaErrorInvalidChannelDescriptor);
    if (flags & (unsigned)cudaArrayCubemap)
        return wl_refuse_call(cudaErrorNotSupported, "cubemap arrays are not simulated");
    const size_t element = element_bytes(*format), rows = std::max<size_t>(e.height, 1),
                 planes = std::max<size_t>(e.depth, 1);
    void *memory = nullptr;
    const cudaError_t error = wl_allocate_array(&memory, e.width * element * rows * planes);
    if (error) return error;
    *array = new wl_sim_array{*format, e, flags, {(char *)memory, element, e.width, rows, planes, e.width * element}};
    return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height,
                            unsigned flags) {
    return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == nullptr) return cudaSuccess;
    const cudaError_t error = cudaFree(array->shape.memory);
    delete array;
    return error;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
    if (array == nullptr) return (cudaError_t)report(cudaErrorInvalidResourceHandle);
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

namespace {

struct Texture {
    cudaResourceDesc resource;
    cudaTextureDesc how;
    cudaChannelFormatDesc format;
    ArrayShape shape;
    bool layered, numbers; // numbers: a fetch brings floats
};

std::string refuse(const char *function, const char *why) { return std::string(function) + ": " + why; }

bool shape_of(const cudaResourceDesc &r, Texture *t) {
    switch (r.resType) {
        case cudaResourceTypeArray: {
            const wl_sim_array *a = r.res.array.array;
            if (a == nullptr) return false;
            t->format = a->format;
            t->shape = a->shape;
            t->layered = a->flags & cudaArrayLayered;
            return true;
        }
        case cudaResourceTypeLinear: {
            const auto &l = r.res.linear;
            t->format = l.desc;
            const size_t element = possible(l.desc) ? element_bytes(l.desc) : 1, width = l.sizeInBytes / element;
            t->shape = {(char *)l.devPtr, element, width, 1, 1, width * element};
            return is_device((uintptr_t)l.devPtr, std::max<size_t>(l.sizeInBytes, 1));
        }
        case cudaResourceTypePitch2D: {
            const auto &p = r.res.pitch2D;
            t->format = p.desc;
            t->shape = {(char *)p.devPtr, possible(p.desc) ? element_bytes(p.desc) : 1, p.width, p.height, 1,
                        p.pitchInBytes};
            return p.height > 0 && p.pitchInBytes % 32 == 0 && (uintptr_t)p.devPtr % 256 == 0 &&
                   is_device((uintptr_t)p.devPtr, p.pitchInBytes * (p.height - 1) + p.width * t->shape.element);
        }
        default:
            return false;
    }
}

} // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *how, const cudaResourceViewDesc *) {
    Texture t = {*resource, *how, {}, {}, false, false};
    if (resource->resType == cudaResourceTypeMipmappedArray)
        return wl_refuse_call(cudaErrorNotSupported, "cudaCreateTextureObject: mipmapped arrays are not simulated");
    if (!shape_of(*resource, &t)) return (cudaError_t)report(cudaErrorInvalidValue);
    if (!possible(t.format)) return (cudaError_t)report(cudaErrorInvalidChannelDescriptor);
    const bool normalised = how->readMode == cudaReadModeNormalizedFloat;
    if (normalised && t.format.x == 32 && t.format.f != cudaChannelFormatKindFloat)
        return (cudaError_t)report(cudaErrorInvalidNormSetting);
    t.numbers = normalised || t.format.f == cudaChannelFormatKindFloat;
    if (how->filterMode == cudaFilterModeLinear && !t.numbers)
        return (cudaError_t)report(cudaErrorInvalidFilterSetting);
    if (how->sRGB) return wl_refuse_call(cudaErrorNotSupported, "cudaCreateTextureObject: sRGB is not simulated");
    *texture = (cudaTextureObject_t)(uintptr_t) new Texture(t);
    return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    delete (Texture *)(uintptr_t)texture;
    return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t texture) {
    return *resource = ((Texture *)(uintptr_t)texture)->resource, cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *how, cudaTextureObject_t texture) {
    return *how = ((Texture *)(uintptr_t)texture)->how, cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource) {
    Texture t = {*resource, {}, {}, {}, false, false};
    if (resource->resType != cudaResourceTypeArray || !shape_of(*resource, &t) ||
        !(resource->res.array.array->flags & (unsigned)cudaArraySurfaceLoadStore))
        return (cudaError_t)report(cudaErrorInvalidValue);
    *surface = (cudaSurfaceObject_t)(uintptr_t) new Texture(t);
    return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    delete (Texture *)(uintptr_t)surface;
    return cudaSuccess;
}

// ---------------------------------------------------------------- fetching

/* Texel i of n by the address mode; -1: the border. Modes that need normalised coordinates clamp otherwise. */
static long address(long i, long n, cudaTextureAddressMode mode, bool normalised) {
    if (i >= 0 && i < n) return i;
    switch (normalised || mode == cudaAddressModeBorder ? mode : cudaAddressModeClamp) {
        case cudaAddressModeWrap:
            return ((i % n) + n) % n;
        case cudaAddressModeMirror: {
            const long period = ((i % (2 * n)) + 2 * n) % (2 * n);
            return period < n ? period : 2 * n - 1 - period;
        }
        case cudaAddressModeBorder:
            return -1;
        default:
            return i < 0 ? 0 : n - 1;
    }
}

static void texel(const Texture &t, long x, long y, long z, wl_texel *value, Place place) {
    const int count = 1 + (t.format.y > 0) + (t.format.z > 0) + (t.format.w > 0);
    for (int c = 0; c < 4; c++) value->number[c] = 0, value->integer[c] = 0;
    if (x < 0 || y < 0 || z < 0) {
        for (int c = 0; c < count; c++) value->number[c] = t.how.borderColor[c];
        return;
    }
    const char *from =
        t.shape.memory + ((size_t)z * t.shape.rows + (size_t)y) * t.shape.pitch + (size_t)x * t.shape.element;
    access_uncounted(active, (uintptr_t)from, t.shape.element, Kind::load, place);
    const int bytes = t.format.x / 8;
    const bool is_signed = t.format.f == cudaChannelFormatKindSigned;
    for (int c = 0; c < count; c++) {
        uint32_t bits = 0;
        memcpy(&bits, from + c * bytes, (size_t)bytes);
        if (t.format.f == cudaChannelFormatKindFloat) {
            value->number[c] = bytes == 2 ? wl_half_to_float(bits) : wl_bit_cast<float>(bits);
            value->integer[c] = (int)bits;
            continue;
        }
        value->integer[c] = is_signed ? (int32_t)(bits << (32 - 8 * bytes)) >> (32 - 8 * bytes) : (int)bits;
        const float most = (float)((1u << (8 * bytes - is_signed)) - 1);
        value->number[c] = std::max(-1.0f, (float)value->integer[c] / most);
    }
}

/* The two neighbours of a coordinate and the second one's weight, in fractions of 256. */
struct Axis {
    long low, high;
    float weight;
};
static Axis axis(const Texture &t, int which, float coordinate, size_t size, bool linear) {
    const bool normalised = t.how.normalizedCoords != 0;
    const cudaTextureAddressMode mode = t.how.addressMode[which];
    if (std::isnan(coordinate)) coordinate = 0;
    double x = normalised ? (double)coordinate * (double)size : (double)coordinate;
    x = std::min(std::max(x, -1e15), 1e15);
    if (!linear) {
        const long i = address((long)std::floor(x), (long)size, mode, normalised);
        return {i, i, 0};
    }
    // Rounded to the weights' step: a coordinate just below a texel's centre is on it.
    const double steps = std::floor((x - 0.5) * 256 + 0.5), base = std::floor(steps / 256);
    const long i = (long)base;
    return {address(i, (long)size, mode, normalised), address(i + 1, (long)size, mode, normalised),
            (float)((steps - base * 256) / 256)};
}

} // namespace wl_sim

using namespace wl_sim;

static const Texture *texture_of(unsigned long long object, const char *what, Place place) {
    if (object != 0) return (const Texture *)(uintptr_t)object;
    active->error = refuse(what, "the object is 0") + ", at " + place_name(place);
    abandon(active);
}

extern "C" {

void wl_sim_fetch(wl_texel *value, cudaTextureObject_t texture, int dimensions, float x, float y, float z, int layer) {
    const Place place = (Place)__builtin_return_address(0);
    const Texture &t = *texture_of(texture, "texture fetch", place);
    if (t.resource.resType == cudaResourceTypeLinear) {
        active->error =
            refuse("texture fetch", "linear memory is fetched with tex1Dfetch") + ", at " + place_name(place);
        abandon(active);
    }
    const bool linear = t.how.filterMode == cudaFilterModeLinear;
    const Axis one = {0, 0, 0}, ax = axis(t, 0, x, t.shape.width, linear),
               ay = dimensions > 1 ? axis(t, 1, y, t.shape.rows, linear) : one;
    Axis az = dimensions > 2 ? axis(t, 2, z, t.shape.planes, linear) : one;
    if (t.layered) az.low = az.high = std::min(std::max((long)layer, 0l), (long)t.shape.planes - 1);
    if (!linear) return texel(t, ax.low, ay.low, az.low, value, place);
    wl_texel sum = {};
    for (int corner = 0; corner < 8; corner++) {
        const float weight = (corner & 1 ? ax.weight : 1 - ax.weight) * (corner & 2 ? ay.weight : 1 - ay.weight) *
                             (corner & 4 ? az.weight : 1 - az.weight);
        if (weight == 0) continue;
        wl_texel part;
        texel(t, corner & 1 ? ax.high : ax.low, corner & 2 ? ay.high : ay.low, corner & 4 ? az.high : az.low, &part,
              place);
        for (int c = 0; c < 4; c++) sum.number[c] += weight * part.number[c];
    }
    *value = sum;
}

void wl_sim_fetch_linear(wl_texel *value, cudaTextureObject_t texture, int x) {
    const Place place = (Place)__builtin_return_address(0);
    const Texture &t = *texture_of(texture, "tex1Dfetch", place);
    if (t.resource.resType != cudaResourceTypeLinear) {
        active->error = refuse("tex1Dfetch", "the texture is not of linear memory") + ", at " + place_name(place);
        abandon(active);
    }
    *value = {};
    if (x >= 0 && (size_t)x < t.shape.width) texel(t, x, 0, 0, value, place); // what lies outside is zero
}

void *wl_sim_surface(cudaSurfaceObject_t surface, int x_bytes, int y, int z, int bytes, int mode, int writes) {
    const Place place = (Place)__builtin_return_address(0);
    const Texture &t = *texture_of(surface, "surface access", place);
    const ArrayShape &s = t.shape;
    const auto fail = [&](const std::string &what) {
        active->error = "surface access at " + place_name(place) + ": " + what;
        abandon(active);
    };
    if (x_bytes % bytes != 0)
        fail("the byte offset " + std::to_string(x_bytes) + " is no multiple of the " + std::to_string(bytes) +
             " bytes accessed");
    const long row = (long)(s.width * s.element);
    const bool inside =
        x_bytes >= 0 && x_bytes + bytes <= row && y >= 0 && (size_t)y < s.rows && z >= 0 && (size_t)z < s.planes;
    long x = x_bytes;
    if (!inside) {
        if (mode == cudaBoundaryModeZero) return nullptr;
        if (mode != cudaBoundaryModeClamp)
            fail("(" + std::to_string(x_bytes / bytes) + ", " + std::to_string(y) + ", " + std::to_string(z) +
                 ") lies outside the surface of " + std::to_string(s.width) + " x " + std::to_string(s.rows) + " x " +
                 std::to_string(s.planes));
        x = std::min(std::max(x, 0l), row - bytes);
        y = std::min(std::max(y, 0), (int)s.rows - 1);
        z = std::min(std::max(z, 0), (int)s.planes - 1);
    }
    char *at = s.memory + ((size_t)z * s.rows + (size_t)y) * s.pitch + (size_t)x;
    access_uncounted(active, (uintptr_t)at, (size_t)bytes, writes ? Kind::store : Kind::load, place);
    return at;
}
}
