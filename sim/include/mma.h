/* The simulated device's stand-in for the toolkit's <mma.h>: warp matrix functions. Each lane's fragment holds the elements that the lane
   would hold, as far as that is told to anybody: element i of lane l is number 32 i + l of the matrix, row by row. A and B are kept
   by 32 lanes once, where a GPU may keep them twice. Products of floats are summed in double and rounded once. */
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

WL_DEVICE_CODE

extern "C" void wl_sim_warp_exchange(const void *mine, unsigned long bytes_per_lane, void *all32, const char *file,
                                     int line);

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
} // namespace precision
enum layout_t { mem_row_major, mem_col_major };

template <typename T> struct wl_storage { typedef T type; };
template <> struct wl_storage<precision::tf32> { typedef float type; };
template <typename Use, int M, int N, int K> struct wl_matrix { // of an accumulator
    static constexpr int rows = M, columns = N;
};
template <int M, int N, int K> struct wl_matrix<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct wl_matrix<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <int M, int N, int K, typename T> constexpr bool wl_possible() {
    constexpr bool shape16 = K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32));
    return std::is_same<T, precision::tf32>::value ? M == 16 && N == 16 && K == 8
           : std::is_same<T, double>::value        ? M == 8 && N == 8 && K == 4
           : std::is_same<T, float>::value         ? shape16 || (M == 16 && N == 16 && K == 8)
                                                   : shape16;
}

template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment {
    static_assert(wl_possible<M, N, K, T>(), "no such shape of matrices for this element type");

  public:
    typedef typename wl_storage<T>::type element_type;
    typedef element_type storage_element_type;
    static constexpr int rows = wl_matrix<Use, M, N, K>::rows, columns = wl_matrix<Use, M, N, K>::columns;
    static constexpr int num_elements = rows * columns / 32, num_storage_elements = num_elements;
    element_type x[num_elements];
};

static inline float __float_to_tf32(float x) { // to nearest, ties away from zero
    const uint32_t bits = wl_bit_cast<uint32_t>(x);
    return (bits & 0x7f800000u) == 0x7f800000u ? x : wl_bit_cast<float>((bits + 0x1000u) & 0xffffe000u);
}

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
static inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = (typename fragment<Use, M, N, K, T, Layout>::element_type)value;
}

/* Loads and stores are the lanes' own, element by element: checked as such; a GPU moves wider words. */
template <typename F, typename P> static inline void wl_load(F &f, const P *from, unsigned stride, bool by_rows) {
    const int lane = (int)wl_sim_lane();
    for (int i = 0; i < F::num_elements; i++) {
        const int element = 32 * i + lane, row = element / F::columns, column = element % F::columns;
        f.x[i] = (typename F::element_type)from[by_rows ? row * (int)stride + column : column * (int)stride + row];
    }
}
template <typename Use, int M, int N, int K, typename T, typename P>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, row_major> &f, const P *from, unsigned stride,
                                    WL_SIM_HERE) {
    wl_sim_warp(WL_SIM_ALL, ~0u, 1, 0, nullptr, "load_matrix_sync", file, line);
    wl_load(f, from, stride, true);
}
template <typename Use, int M, int N, int K, typename T, typename P>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, col_major> &f, const P *from, unsigned stride,
                                    WL_SIM_HERE) {
    wl_sim_warp(WL_SIM_ALL, ~0u, 1, 0, nullptr, "load_matrix_sync", file, line);
    wl_load(f, from, stride, false);
}
template <int M, int N, int K, typename T, typename P>
static inline void load_matrix_sync(fragment<accumulator, M, N, K, T, void> &f, const P *from, unsigned stride,
                                    layout_t layout, WL_SIM_HERE) {
    wl_sim_warp(WL_SIM_ALL, ~0u, 1, 0, nullptr, "load_matrix_sync", file, line);
    wl_load(f, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, typename T, typename P>
static inline void store_matrix_sync(P *to, const fragment<accumulator, M, N, K, T, void> &f, unsigned stride,
                                     layout_t layout, WL_SIM_HERE) {
    typedef fragment<accumulator, M, N, K, T, void> F;
    wl_sim_warp(WL_SIM_ALL, ~0u, 1, 0, nullptr, "store_matrix_sync", file, line);
    const int lane = (int)wl_sim_lane();
    for (int i = 0; i < F::num_elements; i++) {
        const int element = 32 * i + lane, row = element / F::columns, column = element % F::columns;
        to[layout == mem_row_major ? row * (int)stride + column : column * (int)stride + row] = f.x[i];
    }
}

template <typename T> static inline double wl_factor(const T &x) { return (double)x; }
static inline double wl_factor(const __half &x) { return (double)(float)x; }
static inline double wl_factor(const __nv_bfloat16 &x) { return (double)(float)x; }

template <int M, int N, int K, typename T, typename LA, typename LB, typename C, typename D>
__attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage)) static void wl_multiply(
    fragment<accumulator, M, N, K, D, void> *d, const fragment<matrix_a, M, N, K, T, LA> *a,
    const fragment<matrix_b, M, N, K, T, LB> *b, const fragment<accumulator, M, N, K, C, void> *c, bool saturate,
    const char *file, int line) {
    typedef typename wl_storage<T>::type E;
    struct {
        fragment<matrix_a, M, N, K, T, LA> a;
        fragment<matrix_b, M, N, K, T, LB> b;
    } mine = {*a, *b}, all[32];
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    const int lane = (int)wl_sim_lane();
    for (int i = 0; i < M * N / 32; i++) {
        const int element = 32 * i + lane, row = element / N, column = element % N;
        long long whole = 0;
        double sum = 0;
        for (int k = 0; k < K; k++) {
            const int at = row * K + k, bt = k * N + column;
            const E x = all[at % 32].a.x[at / 32], y = all[bt % 32].b.x[bt / 32];
            if constexpr (std::is_integral<E>::value)
                whole += (long long)x * y;
            else if constexpr (std::is_same<T, precision::tf32>::value)
                sum += (double)wl_bit_cast<float>(wl_bit_cast<uint32_t>((float)x) & 0xffffe000u) *
                       (double)wl_bit_cast<float>(wl_bit_cast<uint32_t>((float)y) & 0xffffe000u);
            else
                sum += wl_factor(x) * wl_factor(y);
        }
        if constexpr (std::is_integral<E>::value) {
            whole += c->x[i];
            if (saturate) whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            d->x[i] = (int)(unsigned)whole;
        } else if constexpr (std::is_same<D, double>::value) {
            d->x[i] = sum + c->x[i];
        } else {
            d->x[i] = (D)(float)(sum + wl_factor(c->x[i]));
        }
    }
}
template <int M, int N, int K, typename T, typename LA, typename LB, typename C, typename D>
static inline void mma_sync(fragment<accumulator, M, N, K, D, void> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
                            const fragment<matrix_b, M, N, K, T, LB> &b,
                            const fragment<accumulator, M, N, K, C, void> &c, bool saturate = false, WL_SIM_HERE) {
    wl_multiply(&d, &a, &b, &c, saturate, file, line);
}

} // namespace wmma
} // namespace nvcuda

WL_DEVICE_CODE_END
