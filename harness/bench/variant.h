/* What a variant is: one optimisation stage of a problem, described by plain data and five functions.

   A variant registers itself. The build finds every folder <problem>/<name>/ with a kernel.cu (or kernel.c). WL_VARIANT(...) at the
   end of that file, or the macro of the problem's kit that stands for it, adds a descriptor to the list. Problem, name and backend
   are the folder's: the build defines WL_FOLDER_PROBLEM, WL_FOLDER_NAME and WL_FOLDER_BACKEND. The build compiles kernel.cu twice,
   by nvcc (backend gpu) and for the simulated device (backend sim). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/base/device.h"
#include "harness/base/error.h"
#include "harness/probes/rates.h"

WL_C_BEGIN

typedef struct wl_variant {
    const char *problem; // "lessons"
    const char *name;    // "03_char4": the folder's name
    const char *idea;    // one line
    const char *source;  // paper and section, or "Warpladder"
    wl_backend backend;

    /* Optional (NULL): which inputs of the problem the variant does not take, "DNA only". Without it a check at the problem's shapes
       fails where `supports` refuses one on the simulated device, which lacks nothing. */
    const char *limits;

    /* Optional (NULL): what a GPU counts otherwise than the simulated device, and why; `explain` says it. */
    const char *on_gpu;

    /* Optional (NULL): shapes that `check` tries of this variant alone, after the problem's: those of its own tiles and memory. As
       wl_problem.check_shapes. */
    const char *const *check_shapes;

    /* NULL when this device can run this input; else the reason in words (static or thread-local text). */
    const char *(*supports)(const wl_device *device, const void *input);

    /* Optional (NULL: of every input). Whether the variant was measured to take less time for this input than the stages before it. A
       tool passes over the variant where it does not, unless no other takes the input. */
    int (*faster)(const wl_device *device, const void *input);

    /* Optional (NULL: all or none, as `faster` says). How many of the first items of the input this variant should take, and the
       variants before it the others, so that all of them take the least time. What an item is, the problem says. */
    size_t (*share)(const wl_device *device, const void *input);

    /* Lay the input out as this stage wants it, move it to the device, allocate the output. `input` is the problem's
       own type and outlives the state. On failure nothing is left allocated. */
    wl_status (*prepare)(const wl_device *device, const void *input, void **state);

    /* The timed region: queue the kernels on the default stream (a CPU variant: do the work). Called many times
       on one state; each call must produce the whole result again. */
    wl_status (*launch)(void *state);

    /* Wait, and bring the result into host memory laid out as the problem's reference does. poison: the result is to be checked;
       a device's memory then keeps poison in its place (harness/device/memory.h). */
    wl_status (*collect)(void *state, void *output, int poison);

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

static inline int wl_variant_is_faster(const wl_variant *variant, const wl_device *device, const void *input) {
    return variant->faster == NULL || variant->faster(device, input);
}

/* The end of a `prepare`: *state is `made`, or after a failure `made` is released. Returns `status`. */
static inline wl_status wl_prepared(wl_status status, void *made, void (*release)(void *state), void **state) {
    if (status == WL_OK)
        *state = made;
    else
        release(made);
    return status;
}

/* Add a descriptor (static storage) to the list, before main. */
void wl_register(const wl_variant *variant);

/* The same of a folder's variant. What it leaves out (NULL) is taken from `defaults`, which may be NULL. */
void wl_register_folder(wl_variant *variant, const char *problem, const char *name, wl_backend backend,
                        const wl_variant *defaults);

/* The descriptor of a folder: WL_VARIANT(.idea = "...", .source = "...", .launch = launch, ...) says all; WL_STAGE leaves out what
   `defaults`, of a problem's kit, has. */
#define WL_VARIANT(...) WL_STAGE((const wl_variant *)NULL, __VA_ARGS__)
#define WL_STAGE(defaults, ...)                                                                                 \
    static wl_variant wl_this_variant = {__VA_ARGS__};                                                          \
    __attribute__((constructor)) static void wl_register_this(void) {                                           \
        wl_register_folder(&wl_this_variant, WL_FOLDER_PROBLEM, WL_FOLDER_NAME, WL_FOLDER_BACKEND, (defaults)); \
    }

/* A descriptor that belongs to no folder (of a test). */
#define WL_REGISTER(descriptor) \
    __attribute__((constructor)) static void wl_register_this(void) { wl_register(&(descriptor)); }

/* All variants, sorted by problem, backend and name. `*count` receives how many. */
const wl_variant *const *wl_variants(size_t *count);

/* The stages of a ladder are numbered: 01_naive, 02_coalesced. Others (cpu_simd, library_cudasw) are none. */
int wl_variant_is_stage(const wl_variant *variant);
/* The last stage before this one, of the same problem and backend, that takes `input` on `device`. NULL: there is none. */
const wl_variant *wl_stage_before(const wl_variant *variant, const wl_device *device, const void *input);

/* Is it a library's, there to compare with (a folder library*, see cmake/Variants.cmake)? Tools take one only where it is asked
   for by name, and no paper's stage is one. */
int wl_variant_is_library(const wl_variant *variant);

/* Does `variant` match one of the patterns, separated by spaces: "lessons", "lessons/03_char4", "lessons/03*" (shell
   wildcards in both parts)? */
int wl_variant_matches(const wl_variant *variant, const char *pattern);
/* How many variants of this program match one of them. */
size_t wl_variants_matching(const char *patterns);

/* Does a tool's --variant ask for `variant`? "lessons/03*" or "03*"; NULL: any stage. A serial baseline or a library's is asked for
   by its name only: by a pattern whose part for the variant does not begin with a wildcard. */
int wl_variant_is_wanted(const wl_variant *variant, const char *pattern);

WL_C_END

/* The backend a kernel.cu is being compiled for. */
#ifdef WL_SIMULATED
#define WL_DEVICE_BACKEND WL_SIM
#else
#define WL_DEVICE_BACKEND WL_GPU
#endif
