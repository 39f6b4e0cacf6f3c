/* What a variant is: one optimisation stage of a problem, described by plain data and four functions.

   A variant registers itself: a folder <problem>/<name>/ with a kernel.cu (or kernel.c) is found by the build, and
   the WL_REGISTER line at the end of the file adds its descriptor to the list. Nothing else is edited.
   kernel.cu is compiled twice, by nvcc (backend gpu) and for the simulated device (backend sim);
   WL_DEVICE_BACKEND names the one being compiled. */
#ifndef WL_VARIANT_H
#define WL_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "harness/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WL_CPU, WL_GPU, WL_SIM, WL_BACKENDS } wl_backend;

/* Where a variant runs. */
typedef struct {
    wl_backend backend;
    int ordinal;            /* which GPU; 0 for cpu and sim */
    char name[128];         /* "NVIDIA H200", "simulated device", the CPU's model */
    size_t memory_free;     /* bytes a variant may allocate there */
    int compute_capability; /* 10 * major + minor; 0 for cpu */
    int multiprocessors;    /* CPU: threads that variants may use */
} wl_device;

/* Instruction rates that can be what limits a variant. Each is measured on this machine (`warpladder machine
   --measure`), never read off a data sheet. A rate is lane-operations a second over the whole device. */
typedef enum {
    WL_RATE_NONE,
    WL_RATE_INT32, /* 32-bit integer add, logic or compare */
    WL_RATE_POPC,  /* population count of a 32-bit word */
    WL_RATE_DPX16, /* three-operand instruction on two 16-bit integers (__viaddmax_s16x2_relu), which does two of each
                         operation and counts once; emulated by several before compute capability 9.0 */
    WL_RATE_MIN16X2, /* minimum or maximum of two operands of two 16-bit integers (__vmins2), which counts once; emulated by
                          several before compute capability 9.0 */
    WL_RATE_HALF2, /* multiply-add of two 16-bit floats (__hfma2), which counts once; an addition takes as long */
    WL_RATE_MMA_S8, /* tensor cores, bytes (wl_mma_m16n8k32_s8): multiplications and additions, each counts once; from compute
                         capability 8.0 on */
    WL_RATE_MMA_B1, /* the same of bits (wl_mma_m16n8k256_b1): ands and additions */
    WL_RATE_WGMMA_S8, /* tensor cores, bytes from shared memory, four warps together (wl_warpgroup_bytes): compute capability 9.0 */
    WL_RATE_WGMMA_B1, /* the same of bits (wl_warpgroup_bits) */
    WL_RATE_FP32, /* multiplications and additions of 32-bit floats, each counts once, so a fused multiply-add is two. GPU: fmaf;
                         CPU: all threads, in the widest vectors there are */
    WL_RATE_FP64,     /* the same of doubles */
    WL_RATE_MMA_TF32, /* tensor cores, floats read as tf32 (wl_mma_m16n8k8_tf32): multiplications and additions, each counts
                         once; from compute capability 8.0 on */
    WL_RATE_MMA_F64,  /* the same of doubles (wl_mma_m16n8k8_f64) */
    WL_RATE_ATOMIC,   /* additions that arrive in global memory, one address a block. Where a warp adds to one address,
                          the compiler sums the lanes first, and one addition arrives */
    WL_RATE_SCALAR,   /* CPU: one thread's 32-bit compare-and-add */
    WL_RATE_LOGIC512, /* CPU, all threads: popcount((a0 ^ b0) | (a1 ^ b1)) added up; counted in 64-bit results */
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

typedef struct wl_variant {
    const char *problem; /* "lessons" */
    const char *name;    /* "03_char4": the folder's name */
    const char *idea;    /* one line */
    const char *source;  /* paper and section, or "Warpladder" */
    wl_backend backend;

    /* NULL when this device can run this input; else the reason in words (static or thread-local text). */
    const char *(*supports)(const wl_device *device, const void *input);

    /* Lay the input out as this stage wants it, move it to the device, allocate the output. `input` is the problem's
       own type and outlives the state. On failure nothing is left allocated. */
    wl_status (*prepare)(const wl_device *device, const void *input, void **state);

    /* The timed region: queue the kernels on the default stream (a CPU variant: do the work). Called many times
       on one state; each call must produce the whole result again. */
    wl_status (*launch)(void *state);

    /* Wait, and bring the result into host memory laid out as the problem's reference does. */
    wl_status (*collect)(void *state, void *output);

    void (*release)(void *state);

    /* Optional (NULL): see wl_cost. */
    void (*cost)(const wl_device *device, const void *input, wl_cost *cost);

    /* Optional (NULL): a CPU variant's instruction set, "AVX-512 VPOPCNTDQ", or the version of the library that a variant
       calls, "cuBLAS 13.1.0"; goes into the result row. */
    const char *(*instruction_set)(void);

    /* Optional (NULL): a serial CPU variant's way to do a part. Slices first .. first + count - 1 of the problem's
       slices (see wl_problem), on the calling thread. The harness times a prefix of them and scales, so that a slow
       baseline does not cost hours; a variant that has it counts as serial: one thread, and never "the best CPU
       variant". */
    wl_status (*launch_slices)(void *state, size_t first, size_t count);
} wl_variant;

/* Add a descriptor (static storage) to the list; called before main by WL_REGISTER. */
void wl_register(const wl_variant *variant);

#define WL_REGISTER(descriptor) \
    __attribute__((constructor)) static void wl_register_this(void) { wl_register(&(descriptor)); }

/* All variants, sorted by problem, backend and name. `*count` receives how many. */
const wl_variant *const *wl_variants(size_t *count);

const char *wl_backend_name(wl_backend backend); /* "cpu", "gpu", "sim" */

/* Is it a library's, there to compare with (a folder library*, see cmake/Variants.cmake)? Tools take one only where it is asked
   for by name, and no paper's stage is one. */
int wl_variant_is_library(const wl_variant *variant);

/* Not 0 while the harness collects a result to check it, and not to time or to use it: device code then leaves poison where the
   result was (wl_cuda_take). */
extern int wl_takes_results;

/* Does `variant` match one of the patterns, separated by spaces: "lessons", "lessons/03_char4", "lessons/03*" (shell
   wildcards in both parts)? */
int wl_variant_matches(const wl_variant *variant, const char *pattern);

#ifdef __cplusplus
}
#endif

/* The backend a kernel.cu is being compiled for. */
#ifdef WL_SIMULATED
#define WL_DEVICE_BACKEND WL_SIM
#else
#define WL_DEVICE_BACKEND WL_GPU
#endif

#endif
