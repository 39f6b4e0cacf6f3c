/* Tests of the simulated device, written in .cu files and run by main.c. */
#pragma once

#include "harness/base/linkage.h"

WL_C_BEGIN

void sim_test_add(const char *name, void (*function)(void));
/* Say that what `text` (an expression) claims is not so; the test goes on. */
void sim_test_fail(const char *file, int line, const char *text);

WL_C_END

#define TEST(name)                                                                                \
    static void name(void);                                                                       \
    __attribute__((constructor)) static void register_##name(void) { sim_test_add(#name, name); } \
    static void name(void)
#define CHECK(expression) ((expression) ? (void)0 : sim_test_fail(__FILE__, __LINE__, #expression))
