/* What a stage's kernel.cu includes: where things are in device memory, and the macro that makes a stage of a plan (peeling/kit/state.h). */
#pragma once

#include "harness/stage.h"
#include "peeling/kit/state.h"

enum { PEELING_WARP = 32 };

/* The kit's own .cu files are compiled once for GPUs and once for the simulated device, so a function of theirs has two names. */
#ifdef WL_SIMULATED
#define PEELING_ON(name) name##_sim
#else
#define PEELING_ON(name) name##_gpu
#endif

/* F of a vector in rate class r, from pattern c on: [padded] for each pattern. A tip is the same in all classes. */
template <typename real>
static __device__ __forceinline__ const real *peeling_vector(const peeling_task *task, uint32_t vector, uint32_t r,
                                                             size_t c) {
    const size_t C = task->patterns, W = task->padded;
    return vector < task->tips
               ? (const real *)task->tip + (vector * C + c) * W
               : (const real *)task->partial + (((vector - task->tips) * (size_t)task->rates + r) * C + c) * W;
}
/* The same for writing; not for tips. */
template <typename real>
static __device__ __forceinline__ real *peeling_partial(const peeling_task *task, uint32_t vector, uint32_t r,
                                                        size_t c) {
    return (real *)task->partial +
           (((vector - task->tips) * (size_t)task->rates + r) * task->patterns + c) * task->padded;
}
static __device__ __forceinline__ int *peeling_exponent(const peeling_task *task, uint32_t vector, uint32_t r,
                                                        size_t c) {
    return task->exponent + ((vector - task->tips) * (size_t)task->rates + r) * task->patterns + c;
}
/* The exponent of a child, 0 for a tip. */
static __device__ __forceinline__ int peeling_exponent_of(const peeling_task *task, uint32_t vector, uint32_t r,
                                                          size_t c) {
    return vector < task->tips ? 0 : *peeling_exponent(task, vector, r, c);
}
/* P^(r) in a matrix buffer: [padded][padded]. */
template <typename real>
static __device__ __forceinline__ real *peeling_matrix(const peeling_task *task, uint32_t matrix, uint32_t r) {
    return (real *)task->matrix + (matrix * (size_t)task->rates + r) * task->padded * task->padded;
}

/* Entry (i, j) of P from its sum over k: adds the identity, and sets negative rounding errors and padding to 0. */
static __device__ __forceinline__ double peeling_probability(const peeling_task *task, uint32_t i, uint32_t j,
                                                             double sum) {
    if (i >= task->states || j >= task->states) return 0;
    const double p = sum + (i == j ? 1 : 0);
    return p > 0 ? p : 0;
}

/* Runs f<double>(s) or f<float>(s). */
#define PEELING_BY_PRECISION(f, s) ((s)->is_double ? f<double>(s) : f<float>(s))

extern "C" {
extern const struct peeling_device PEELING_ON(peeling_device);
/* For stages that rescale in a launch of its own: the vector that `join` has made. */
wl_status PEELING_ON(peeling_rescaled)(peeling_state *s, const peeling_join *join);
/* The codes of all tips to code [tips][row], on the device; 0 after the last pattern. */
wl_status PEELING_ON(peeling_pack)(peeling_state *s, uint16_t *code, uint32_t row);
}

/* At the end of a kernel.cu: the members of its peeling_plan. */
#define PEELING_STAGE(...)                                                                                           \
    static peeling_plan peeling_this = {__VA_ARGS__};                                                                \
    __attribute__((constructor)) static void peeling_register_this(void) {                                           \
        const peeling_stage_functions functions = {                                                                  \
            [](const wl_device *on, const peeling_input *in, void **s) {                                             \
                return peeling_open(&peeling_this, on, in, s);                                                       \
            },                                                                                                       \
            [](const wl_device *on, const void *in, void **s) { return peeling_prepare(&peeling_this, on, in, s); }, \
            [](const wl_device *on, const void *in) { return peeling_supports(&peeling_this, on, in); },             \
            [](const wl_device *, const void *in, wl_cost *cost) { peeling_cost(&peeling_this, in, cost); }};        \
        peeling_register_stage(&peeling_this, &functions, &PEELING_ON(peeling_device), WL_FOLDER_NAME,               \
                               WL_FOLDER_BACKEND);                                                                   \
    }
