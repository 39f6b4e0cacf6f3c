/* A variant as something that evaluates again and again: what `likelihood` and the chain use. Every stage has one
   beside its wl_variant, of the same name, and the two share their functions. */
#ifndef PEELING_ENGINE_H
#define PEELING_ENGINE_H

#include "peeling/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peeling_engine {
    const wl_variant *variant; // name, backend, supports
    /* Joins may be a part of the tree, and what an earlier `run` left in buffers is still there. 0: only whole trees
       (input->work, or one with as many joins). */
    int keeps_partials;
    /* Optional (NULL: of every input): whether an evaluation was measured to take less time than in the stages before
       (its README). Where it was not, the stage is for those who ask for it by its name, or where no other takes the
       input. It looks at sizes alone, so that the same input is computed by the same stage, to the same digits. */
    int (*is_faster)(const peeling_input *input);
    /* The data of `input` on the device and room for input->matrices and input->partials buffers; the model's
       eigenvectors too. `input` and all it points to outlive the state; input->work may be empty, unless
       input->work_only. */
    wl_status (*open)(const wl_device *device, const peeling_input *input, void **state);
    /* Another model of as many states and rates, from the next run on. Matrices computed before stay as they are. */
    wl_status (*set_model)(void *state, const peeling_model *model);
    /* Queue this work. The list is copied: it may change as soon as this returns. */
    wl_status (*run)(void *state, const peeling_work *work);
    /* Wait for the last run. site [patterns] or NULL. */
    wl_status (*result)(void *state, double *total, double *site);
    void (*release)(void *state);
} peeling_engine;

void peeling_register_engine(const peeling_engine *engine);
#define PEELING_REGISTER_ENGINE(descriptor)                                       \
    __attribute__((constructor)) static void peeling_register_this_engine(void) { \
        peeling_register_engine(&(descriptor));                                   \
    }

/* The engine of this backend and variant name ("07_tensor"); without a name the best: of those that support the input
   on the device, and unless input->work_only of those that keep partials, if any does, and of those that are faster, if
   any is, the last by name. NULL: none, and *why (may be NULL) says so in words. */
const peeling_engine *peeling_engine_find(const wl_device *device, const char *name, const peeling_input *input,
                                          const char **why);

#ifdef __cplusplus
}
#endif
#endif
