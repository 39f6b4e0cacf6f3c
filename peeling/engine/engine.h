/* A stage as something that evaluates again and again: the one descriptor of what a stage does. `likelihood` and the chain use it as
   it is, and PEELING_ENGINE makes the wl_variant of it that is checked and timed. */
#pragma once

#include "harness/base/linkage.h"
#include "harness/bench/variant.h"
#include "peeling/engine/faster.h"
#include "peeling/model/generator.h"
#include "peeling/problem.h"

WL_C_BEGIN

/* Sums over all columns of their weights times the logarithm of their likelihood, as a function of one branch's length; or its first and
   second derivative. The height is without what does not depend on the length. */
typedef struct {
    double height, slope, curvature;
} peeling_slopes;
enum { PEELING_LENGTHS_MOST = 8 };

/* What an optimiser of branch lengths asks of a state that was opened for parts of a tree: the likelihood as a function of one branch's
   length. Double precision. An engine has either `at` or `constant` and `sums`. */
typedef struct {
    /* Before anything else. */
    wl_status (*open)(void *state);
    /* Edges and joins, without sites. Vectors of rate classes of rate 0 may be left out: no length changes them. */
    wl_status (*update)(void *state, const peeling_work *work);
    /* What the vectors at a branch's two ends have of each eigenvector, into vector `to`. */
    wl_status (*ends)(void *state, uint32_t one, uint32_t other, uint32_t to);
    /* `to` is the vector that `ends` made last, with a branch's two ends. For each pattern c, computes the likelihood of the rate classes
       whose rate is above 0, sum[0][c] * 2^exponent[c]; with `count` 3 also its first and second derivative by the length, in sum[1] and
       sum[2]. The exponents depend on `ends` alone, not on the length. */
    void (*at)(void *state, uint32_t to, double length, int count, double *const sum[3], const int32_t **exponent);
    /* For engines of a device, which keep the numbers of each pattern: [patterns], the likelihood of the rate classes of rate 0, which `sums`
       adds. NULL: there are none. */
    wl_status (*constant)(void *state, const double *likelihood);
    /* The same `to`, at up to PEELING_LENGTHS_MOST lengths together: the heights, or the slopes and curvatures. */
    wl_status (*sums)(void *state, uint32_t to, const double *length, int count, int heights, peeling_slopes *slopes);
} peeling_branches;

typedef struct peeling_engine {
    const wl_variant *variant; // of the same name
    /* Joins may be a part of the tree, and what an earlier launch left in buffers is still there. 0: only whole trees
       (input->work, or one with as many joins). */
    int keeps_partials;
    /* Optional (NULL: of every input). An input that no row has is for this stage where it is asked for by its name, or where no
       other takes the input. */
    const peeling_faster *faster;
    /* The data of `input` on the device and room for input->matrices and input->partials buffers; the model's
       eigenvectors too. `input` and all it points to outlive the state; input->work may be empty, unless
       input->work_only. */
    wl_status (*open)(const wl_device *device, const peeling_input *input, void **state);
    /* Another model of as many states and rates, from the next launch on. Matrices computed before stay as they are. */
    wl_status (*set_model)(void *state, const peeling_model *model);
    /* The list that the next launches compute; what it points to stays until they have returned. */
    wl_status (*load)(void *state, const peeling_work *work);
    /* Compute all of the list; on a device, queue what does. */
    wl_status (*launch)(void *state);
    /* Wait for the last launch. site [patterns] or NULL; poison: as of wl_variant's collect. */
    wl_status (*result)(void *state, double *total, double *site, int poison);
    void (*release)(void *state);
    const peeling_branches *branches; // NULL: it has none
} peeling_engine;

/* Load and launch. */
wl_status peeling_engine_run(const peeling_engine *engine, void *state, const peeling_work *work);

void peeling_register_engine(const peeling_engine *engine);
/* The engine, and its folder's variant; a library's only as a variant: `likelihood` and the chain use what is ours. */
void peeling_register_folder(peeling_engine *engine, wl_variant *variant,
                             wl_status (*prepare)(const wl_device *, const void *, void **), const char *name,
                             wl_backend backend);
wl_status peeling_variant_prepare(const peeling_engine *engine, const wl_device *device, const void *input,
                                  void **state);

/* At the end of a folder's kernel: `engine`, and of its wl_variant what is not made of it: idea, source, supports, cost,
   instruction_set. */
#define PEELING_ENGINE(engine, ...)                                                                     \
    static wl_variant peeling_this_variant = {__VA_ARGS__};                                             \
    static wl_status peeling_this_prepare(const wl_device *device, const void *input, void **state) {   \
        return peeling_variant_prepare(&(engine), device, input, state);                                \
    }                                                                                                   \
    __attribute__((constructor)) static void peeling_register_this(void) {                              \
        peeling_register_folder(&(engine), &peeling_this_variant, peeling_this_prepare, WL_FOLDER_NAME, \
                                WL_FOLDER_BACKEND);                                                     \
    }

/* The best engine of this backend that `name` asks for ("07_tensor", see wl_variant_is_wanted); without a name, the best of all.
   Only engines that support the input on the device are considered. If any of them keeps partials, only those remain, unless
   input->work_only. If any of the remaining ones is faster, only the faster ones remain. The last of these by name is the best.
   If no row names the GPU, the first input of about this size is used to measure which engines are faster; the result is kept in the
   user's cache folder (docs/likelihood.md). NULL: none, and *why (may be NULL) says so in words. */
const peeling_engine *peeling_engine_find(const wl_device *device, const char *name, const peeling_input *input,
                                          const char **why);

/* The same, among the engines that have branches. */
const peeling_engine *peeling_engine_find_branches(const wl_device *device, const peeling_input *input,
                                                   const char **why);

/* Whether a stage's rows apply to the device: the simulated device and the CPU take those of an H200. */
int peeling_is_measured(const wl_device *device, const peeling_faster *rows);
/* All of engines [count] take the input; returns the one that evaluates input->work in the least time. The choice is kept in
   $XDG_CACHE_HOME/warpladder/peeling.tsv (or ~/.cache), by device, program version and the input's sizes, each to a factor of two;
   where the folder cannot be written, the next process measures again. NULL: there is no work, or none of them could. */
const peeling_engine *peeling_choose_by_time(const wl_device *device, const peeling_input *input,
                                             const peeling_engine *const *engines, size_t count);

WL_C_END
