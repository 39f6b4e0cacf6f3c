/* What this machine can do at most, measured here: memory bandwidth and instruction rates. With a variant's wl_cost
   they give the time that no version of it can beat. */
#pragma once

#include "harness/base/linkage.h"
#include "harness/base/device.h"
#include "harness/base/error.h"

WL_C_BEGIN

/* Instruction rates that can be what limits a variant. Each is measured on this machine (`warpladder machine
   --measure`), never read off a data sheet. A rate is lane-operations per second over the whole device. */
typedef enum {
    WL_RATE_NONE,
    WL_RATE_INT32, // 32-bit integer add, logic or compare
    WL_RATE_POPC,  // population count of a 32-bit word
    WL_RATE_DPX16, /* three-operand instruction on two 16-bit integers (__viaddmax_s16x2_relu), which does two of each
                         operation and counts once; emulated by several before compute capability 9.0 */
    WL_RATE_MIN16X2, /* minimum or maximum of two operands of two 16-bit integers (__vmins2), which counts once; emulated by
                          several before compute capability 9.0 */
    WL_RATE_HALF2, // multiply-add of two 16-bit floats (__hfma2), which counts once; an addition takes as long
    WL_RATE_MMA_S8, /* tensor cores, bytes (wl_mma_m16n8k32_s8): multiplications and additions, each counts once; from compute
                         capability 8.0 on */
    WL_RATE_MMA_B1, // the same of bits (wl_mma_m16n8k256_b1): ands and additions
    WL_RATE_WGMMA_S8, // tensor cores, bytes from shared memory, four warps together (wl_warpgroup_bytes): compute capability 9.0
    WL_RATE_WGMMA_B1, // the same of bits (wl_warpgroup_bits)
    WL_RATE_FP32, /* multiplications and additions of 32-bit floats, each counts once, so a fused multiply-add is two. GPU: fmaf;
                         CPU: all threads, in the widest vectors there are */
    WL_RATE_FP64,     // the same of doubles
    WL_RATE_MMA_TF32, /* tensor cores, floats read as tf32 (wl_mma_m16n8k8_tf32): multiplications and additions, each counts
                         once; from compute capability 8.0 on */
    WL_RATE_MMA_F64,  // the same of doubles (wl_mma_m16n8k8_f64)
    WL_RATE_ATOMIC,   /* additions that arrive in global memory, one address a block. Where a warp adds to one address,
                          the compiler sums the lanes first, and one addition arrives */
    WL_RATE_SCALAR,   // CPU: one thread's 32-bit compare-and-add
    WL_RATE_LOGIC512, // CPU, all threads: popcount((a0 ^ b0) | (a1 ^ b1)) added up; counted in 64-bit results
    WL_RATE_SATURATED8, /* CPU, all threads: saturating addition, subtraction or maximum of 8-bit integers, in the widest
                           vectors there are; counted in 8-bit results, so an AVX-512 instruction is 64 */
    WL_RATE_ADDMIN16, /* CPU, all threads: additions and minima of 16-bit integers, as many of either, in the widest vectors there
                         are; counted in 16-bit results */
    WL_RATES
} wl_rate;

/* What a run of a variant cannot avoid: the bytes of its own layout read once and written once, and the
   operations of the kind that limits it. The harness turns both into times and takes the larger. */
typedef struct {
    double bytes;
    double operations;
    wl_rate rate;
} wl_cost;

/* NaN: not measured on this device. */
typedef struct {
    double bandwidth;            // bytes per second, read plus written, of a large copy in the device's memory
    double operations[WL_RATES]; // lane-operations per second
} wl_rates;

/* The rates of `device`, of which the bandwidth and `rate` have been measured, now or by an earlier call; WL_RATES: all of
   them. A GPU takes half a second for all; a CPU takes as long for each, so that only what is asked for is measured. What has
   not been measured is NaN, as everything is when measuring fails, and on the simulated device. */
const wl_rates *wl_rates_of(const wl_device *device, wl_rate rate);

/* "int32", "popc", "dpx16", "min16x2", "half2", "mma_s8", "mma_b1", "wgmma_s8", "wgmma_b1", "fp32", "fp64", "mma_tf32", "mma_f64", "atomic", "scalar",
   "logic512", "saturated8", "addmin16"; "" for WL_RATE_NONE. */
const char *wl_rate_name(wl_rate rate);

/* Seconds below which nothing of this cost can get, and in `*limit` what sets it: "bandwidth" or a rate's name. NaN and
   "" when neither is known. */
double wl_limit_seconds(const wl_cost *cost, const wl_rates *rates, const char **limit);

/* The CPU's part (rates_cpu.c), which leaves what is not NaN as it is, and the GPU's (rates_gpu.cu). */
void wl_cpu_rates(const wl_device *device, wl_rate rate, wl_rates *rates);
wl_status wl_gpu_rates(const wl_device *device, wl_rates *rates);

WL_C_END
