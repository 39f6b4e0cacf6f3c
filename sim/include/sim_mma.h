/* The simulated device's half of harness/device/mma.h: the lanes of a warp exchange their fragments of A and B, and each
   computes its own elements of D.

   Fragments travel by value, in registers, as they do on the device: a pointer to a lane's array would make it
   memory, and the simulator would count it. The functions that compute are not instrumented. */
#pragma once

#include "sim_half_formats.h"
#include "sim_integer.h"

WL_DEVICE_CODE

extern "C" void wl_sim_warp_exchange(const void *mine, unsigned long bytes_per_lane, void *all32, const char *file,
                                     int line);
extern "C" unsigned wl_sim_lane(void) __attribute__((const));

#if defined(__has_attribute) && __has_attribute(no_sanitize_coverage)
#define WL_SIM_MMA_INSIDE __attribute__((noinline, unused, no_sanitize("thread"), no_sanitize_coverage))
#else
#define WL_SIM_MMA_INSIDE __attribute__((noinline, unused, no_sanitize("thread")))
#endif

typedef struct {
    uint32_t x[4];
} wl_sim_mma_quad;
typedef struct {
    double x[2];
} wl_sim_mma_pair;

/* What a lane gives away. */
typedef struct {
    wl_sim_mma_quad a;
    uint32_t b[2];
} wl_sim_mma_fragment;

/* ldmatrix: every lane has loaded its 16 bytes, which is counted as such; now words change lanes. */
WL_SIM_MMA_INSIDE static wl_sim_mma_quad wl_sim_mma_load(wl_sim_mma_quad mine, const char *file, int line) {
    wl_sim_mma_quad all[32];
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    const int lane = (int)wl_sim_lane();
    wl_sim_mma_quad r;
    for (int k = 0; k < 4; k++) r.x[k] = all[8 * k + lane / 4].x[lane % 4];
    return r;
}

/* The registers that hold A(row, k) and B(k, column), `per` elements a register: the layout in harness/device/mma.h,
   inverted. */
WL_DEVICE_INLINE uint32_t wl_sim_mma_a(const wl_sim_mma_fragment *all, int row, int k, int per) {
    return all[4 * (row % 8) + k / per % 4].a.x[row / 8 + 2 * (k / per / 4)];
}
WL_DEVICE_INLINE uint32_t wl_sim_mma_b(const wl_sim_mma_fragment *all, int k, int column, int per) {
    return all[4 * column + k / per % 4].b[k / per / 4];
}

WL_DEVICE_INLINE int wl_sim_mma_common_bits(uint32_t a, uint32_t b) { return __popc(a & b); }

#define WL_SIM_MMA_INTEGER(name, per, product)                                                                   \
    WL_SIM_MMA_INSIDE static wl_sim_mma_quad name(wl_sim_mma_fragment mine, wl_sim_mma_quad c, const char *file, \
                                                  int line) {                                                    \
        wl_sim_mma_fragment all[32];                                                                             \
        wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);                                               \
        int lane = (int)wl_sim_lane();                                                                           \
        for (int r = 0; r < 4; r++) {                                                                            \
            for (int k = 0; k < 8 * per; k += per) {                                                             \
                uint32_t a = wl_sim_mma_a(all, lane / 4 + 8 * (r / 2), k, per);                                  \
                uint32_t b = wl_sim_mma_b(all, k, 2 * (lane % 4) + r % 2, per);                                  \
                c.x[r] += (uint32_t)(product);                                                                   \
            }                                                                                                    \
        }                                                                                                        \
        return c;                                                                                                \
    }
WL_SIM_MMA_INTEGER(wl_sim_mma_s8, 4, __dp4a((int)a, (int)b, 0))
WL_SIM_MMA_INTEGER(wl_sim_mma_u8, 4, __dp4a(a, b, 0u))
WL_SIM_MMA_INTEGER(wl_sim_mma_b1, 32, wl_sim_mma_common_bits(a, b))

/* `product`: of all elements of two registers, in double, added to `sum` in the order of k. */
#define WL_SIM_MMA_FLOAT(name, per, product)                                                                     \
    WL_SIM_MMA_INSIDE static wl_sim_mma_quad name(wl_sim_mma_fragment mine, wl_sim_mma_quad c, const char *file, \
                                                  int line) {                                                    \
        wl_sim_mma_fragment all[32];                                                                             \
        wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);                                               \
        int lane = (int)wl_sim_lane();                                                                           \
        for (int r = 0; r < 4; r++) {                                                                            \
            double sum = wl_bit_cast<float>(c.x[r]);                                                             \
            for (int k = 0; k < 8 * per; k += per) {                                                             \
                uint32_t a = wl_sim_mma_a(all, lane / 4 + 8 * (r / 2), k, per);                                  \
                uint32_t b = wl_sim_mma_b(all, k, 2 * (lane % 4) + r % 2, per);                                  \
                product;                                                                                         \
            }                                                                                                    \
            c.x[r] = wl_bit_cast<uint32_t>((float)sum);                                                          \
        }                                                                                                        \
        return c;                                                                                                \
    }
WL_SIM_MMA_FLOAT(wl_sim_mma_f16, 2, {
    sum += (double)wl_half_to_float(a & 0xffff) * (double)wl_half_to_float(b & 0xffff);
    sum += (double)wl_half_to_float(a >> 16) * (double)wl_half_to_float(b >> 16);
})
WL_SIM_MMA_FLOAT(wl_sim_mma_tf32, 1,
                 { sum += (double)wl_bit_cast<float>(a & 0xffffe000u) * (double)wl_bit_cast<float>(b & 0xffffe000u); })

WL_SIM_MMA_INSIDE static wl_sim_mma_pair wl_sim_mma_f64(double a, double b, wl_sim_mma_pair c, const char *file,
                                                        int line) {
    wl_sim_mma_pair mine = {{a, b}}, all[32];
    wl_sim_warp_exchange(&mine, sizeof mine, all, file, line);
    int lane = (int)wl_sim_lane();
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 4; k++)
            c.x[r] = __builtin_fma(all[4 * (lane / 4) + k].x[0], all[4 * (2 * (lane % 4) + r) + k].x[1], c.x[r]);
    return c;
}

/* From a lane's arrays to values and back. T is int or float. */
template <typename T>
WL_DEVICE_INLINE void wl_sim_mma(T d[4], const uint32_t a[4], const uint32_t b[2], const T c[4],
                                 wl_sim_mma_quad (*compute)(wl_sim_mma_fragment, wl_sim_mma_quad, const char *, int),
                                 const char *file, int line) {
    wl_sim_mma_quad sum = {{wl_bit_cast<uint32_t>(c[0]), wl_bit_cast<uint32_t>(c[1]), wl_bit_cast<uint32_t>(c[2]),
                            wl_bit_cast<uint32_t>(c[3])}};
    sum = compute(wl_sim_mma_fragment{{{a[0], a[1], a[2], a[3]}}, {b[0], b[1]}}, sum, file, line);
    d[0] = wl_bit_cast<T>(sum.x[0]);
    d[1] = wl_bit_cast<T>(sum.x[1]);
    d[2] = wl_bit_cast<T>(sum.x[2]);
    d[3] = wl_bit_cast<T>(sum.x[3]);
}

/* harness/device/mma_m16n8k8.h. */
#define WL_MMA_HERE , const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void wl_mma_m16n8k8_tf32(float d[4], const uint32_t a[4], const uint32_t b[2],
                                       const float c[4] WL_MMA_HERE) {
    wl_sim_mma(d, a, b, c, wl_sim_mma_tf32, file, line);
}

static inline void wl_mma_m8n8k4_f64(double d[2], double a, double b, const double c[2] WL_MMA_HERE) {
    wl_sim_mma_pair sum = wl_sim_mma_f64(a, b, wl_sim_mma_pair{{c[0], c[1]}}, file, line);
    d[0] = sum.x[0];
    d[1] = sum.x[1];
}

static inline void wl_mma_m16n8k8_f64(double d[4], const double a[4], const double b[2],
                                      const double c[4] WL_MMA_HERE) {
    double sum[4] = {c[0], c[1], c[2], c[3]};
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 2; i++) wl_mma_m8n8k4_f64(sum + 2 * i, a[i + 2 * half], b[half], sum + 2 * i, file, line);
    for (int i = 0; i < 4; i++) d[i] = sum[i];
}

WL_DEVICE_CODE_END
