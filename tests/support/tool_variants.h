/* Variants for the test of a tool: the serial reference computes, and the test has them refuse, wait or fail. A tool knows no kernel, so its
   test needs none. Before this is included, a test defines

       TOOL_PROBLEM "sw"    TOOL_INPUT sw_input    TOOL_REFERENCE(in, output): the whole result */
#pragma once

#include "tests/support/unit.h"
#include "harness/bench/device.h"
#include "harness/bench/variant.h"

typedef struct {
    TOOL_INPUT input;
    wl_backend backend;
    int ordinal;
} state_of_test;

static inline const char *takes_all(const wl_device *device, const void *input) {
    (void)device, (void)input;
    return NULL;
}

static inline const char *takes_none(const wl_device *device, const void *input) {
    (void)device, (void)input;
    return "no day for it";
}

static inline wl_status prepare(const wl_device *device, const void *input, void **state) {
    state_of_test *s = malloc(sizeof *s);
    if (s == NULL) return wl_fail(WL_NO_MACHINE, "no memory");
    *s = (state_of_test){*(const TOOL_INPUT *)input, device->backend, device->ordinal};
    *state = s;
    return WL_OK;
}

static inline wl_status launch_badly(void *state) {
    (void)state;
    return wl_fail(WL_CHECK_FAILED, "kernel.cu:7: an illegal memory access was encountered");
}

static inline wl_status collect(void *state, void *output, int poison) {
    (void)poison;
    TOOL_REFERENCE(&((const state_of_test *)state)->input, output);
    return WL_OK;
}

#define VARIANT(variable, on, title, supported, preparing, launching, collecting) \
    static const wl_variant variable = {.problem = TOOL_PROBLEM,                  \
                                        .name = title,                            \
                                        .idea = "a test's",                       \
                                        .source = __FILE__,                       \
                                        .backend = on,                            \
                                        .supports = supported,                    \
                                        .prepare = preparing,                     \
                                        .launch = launching,                      \
                                        .collect = collecting,                    \
                                        .release = free}
