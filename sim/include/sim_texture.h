/* Texture and surface objects: arrays, descriptions, and the functions that kernels fetch and store with. cuda_runtime.h includes it. */
#pragma once

#include "sim_host.h"

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;

typedef enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
} cudaTextureAddressMode;
typedef enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear } cudaTextureFilterMode;
typedef enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat } cudaTextureReadMode;
typedef enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero,
    cudaBoundaryModeClamp,
    cudaBoundaryModeTrap
} cudaSurfaceBoundaryMode;
typedef enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
} cudaResourceType;

struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};
struct cudaResourceViewDesc;

/* A vector type's number of components and the type of one. */
template <typename T> struct wl_components {
    typedef T type;
    static constexpr int count = 1;
};
#define WL_COMPONENTS(name, T)                  \
    template <> struct wl_components<name##1> { \
        typedef T type;                         \
        static constexpr int count = 1;         \
    };                                          \
    template <> struct wl_components<name##2> { \
        typedef T type;                         \
        static constexpr int count = 2;         \
    };                                          \
    template <> struct wl_components<name##3> { \
        typedef T type;                         \
        static constexpr int count = 3;         \
    };                                          \
    template <> struct wl_components<name##4> { \
        typedef T type;                         \
        static constexpr int count = 4;         \
    };
WL_COMPONENTS(char, signed char)
WL_COMPONENTS(uchar, unsigned char)
WL_COMPONENTS(short, short)
WL_COMPONENTS(ushort, unsigned short)
WL_COMPONENTS(int, int)
WL_COMPONENTS(uint, unsigned)
WL_COMPONENTS(float, float)
#undef WL_COMPONENTS

static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
template <typename T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef typename wl_components<T>::type C;
    const int bits = 8 * (int)sizeof(C), count = wl_components<T>::count;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            std::is_floating_point<C>::value ? cudaChannelFormatKindFloat
            : std::is_signed<C>::value       ? cudaChannelFormatKindSigned
                                             : cudaChannelFormatKindUnsigned};
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }

namespace wl_sim {

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height = 0,
                            unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                              unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags, cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description, const cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *description, cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

} // namespace wl_sim

// ---------------------------------------------------------------- in kernels

WL_DEVICE_CODE

/* What a fetch brings: numbers where the texture gives floats, else integers. */
struct wl_texel {
    float number[4];
    int integer[4];
};
extern "C" {
// Texels, point or linear, at x, y, z (as many as `dimensions` says) of a layer.
void wl_sim_fetch(wl_texel *texel, cudaTextureObject_t texture, int dimensions, float x, float y, float z, int layer);
void wl_sim_fetch_linear(wl_texel *texel, cudaTextureObject_t texture, int x); // of linear memory
// Which texel a surface access goes to; `bytes` is the size of what is read or written. 0: nowhere, and zero is read.
void *wl_sim_surface(cudaSurfaceObject_t surface, int x_bytes, int y, int z, int bytes, int mode, int writes);
}

#define WL_INSIDE_TEXTURE static inline __attribute__((no_sanitize("thread"), always_inline, unused))
template <typename T> WL_INSIDE_TEXTURE T wl_texel_as(const wl_texel &t) {
    typedef typename wl_components<T>::type C;
    C parts[4] = {};
    for (int i = 0; i < wl_components<T>::count; i++)
        parts[i] = std::is_floating_point<C>::value ? (C)t.number[i] : (C)t.integer[i];
    T value;
    __builtin_memcpy(&value, parts, sizeof value);
    return value;
}
#define WL_FETCH(name, parameters, call)                                                                             \
    template <typename T> WL_INSIDE_TEXTURE T name(cudaTextureObject_t texture, WL_UNPACK parameters) {              \
        wl_texel t;                                                                                                  \
        call;                                                                                                        \
        return wl_texel_as<T>(t);                                                                                    \
    }                                                                                                                \
    template <typename T> WL_INSIDE_TEXTURE void name(T *value, cudaTextureObject_t texture, WL_UNPACK parameters) { \
        wl_texel t;                                                                                                  \
        call;                                                                                                        \
        *value = wl_texel_as<T>(t);                                                                                  \
    }
#define WL_UNPACK(...) __VA_ARGS__
WL_FETCH(tex1Dfetch, (int x), wl_sim_fetch_linear(&t, texture, x))
WL_FETCH(tex1D, (float x), wl_sim_fetch(&t, texture, 1, x, 0, 0, 0))
WL_FETCH(tex2D, (float x, float y), wl_sim_fetch(&t, texture, 2, x, y, 0, 0))
WL_FETCH(tex3D, (float x, float y, float z), wl_sim_fetch(&t, texture, 3, x, y, z, 0))
WL_FETCH(tex1DLayered, (float x, int layer), wl_sim_fetch(&t, texture, 1, x, 0, 0, layer))
WL_FETCH(tex2DLayered, (float x, float y, int layer), wl_sim_fetch(&t, texture, 2, x, y, 0, layer))
// There is one level of detail.
WL_FETCH(tex1DLod, (float x, float), wl_sim_fetch(&t, texture, 1, x, 0, 0, 0))
WL_FETCH(tex2DLod, (float x, float y, float), wl_sim_fetch(&t, texture, 2, x, y, 0, 0))
WL_FETCH(tex3DLod, (float x, float y, float z, float), wl_sim_fetch(&t, texture, 3, x, y, z, 0))
#undef WL_FETCH

#define WL_SURFACE(suffix, parameters, given, place)                                                       \
    template <typename T>                                                                                  \
    WL_INSIDE_TEXTURE T surf##suffix##read(cudaSurfaceObject_t surface, WL_UNPACK parameters,              \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
        T value = {};                                                                                      \
        const void *from = wl_sim_surface(surface, WL_UNPACK place, sizeof value, mode, 0);                \
        if (from) __builtin_memcpy(&value, from, sizeof value);                                            \
        return value;                                                                                      \
    }                                                                                                      \
    template <typename T>                                                                                  \
    WL_INSIDE_TEXTURE void surf##suffix##read(T *value, cudaSurfaceObject_t surface, WL_UNPACK parameters, \
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
        *value = surf##suffix##read<T>(surface, WL_UNPACK given, mode);                                    \
    }                                                                                                      \
    template <typename T>                                                                                  \
    WL_INSIDE_TEXTURE void surf##suffix##write(T value, cudaSurfaceObject_t surface, WL_UNPACK parameters, \
                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
        void *to = wl_sim_surface(surface, WL_UNPACK place, sizeof value, mode, 1);                        \
        if (to) __builtin_memcpy(to, &value, sizeof value);                                                \
    }
WL_SURFACE(1D, (int x), (x), (x, 0, 0))
WL_SURFACE(2D, (int x, int y), (x, y), (x, y, 0))
WL_SURFACE(3D, (int x, int y, int z), (x, y, z), (x, y, z))
WL_SURFACE(2DLayered, (int x, int y, int layer), (x, y, layer), (x, y, layer))
#undef WL_SURFACE
#undef WL_UNPACK
#undef WL_INSIDE_TEXTURE

WL_DEVICE_CODE_END
