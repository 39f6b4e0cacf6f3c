/* Unit tests with cmocka. TEST(name) { ... } is one, and `int main(void) { return run_all_tests(NULL, NULL); }` runs all of a file's, in the
   order in which they stand there. With cmocka's own header come those that it needs, and those that every test includes. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct unit_test {
    struct CMUnitTest test;
    int line;
    struct unit_test *next;
} unit_test;

static unit_test *unit_tests; // by line: the compiler calls constructors in no particular order

static inline void unit_test_add(unit_test *added) {
    unit_test **at = &unit_tests;
    while (*at != NULL && (*at)->line < added->line) at = &(*at)->next;
    added->next = *at;
    *at = added;
}

#define TEST(name)                                                                 \
    static void name(void **state);                                                \
    __attribute__((constructor)) static void register_##name(void) {               \
        static unit_test test = {{#name, name, NULL, NULL, NULL}, __LINE__, NULL}; \
        unit_test_add(&test);                                                      \
    }                                                                              \
    static void name(__attribute__((unused)) void **state)

static inline int unit_run(CMFixtureFunction set_up, CMFixtureFunction tear_down, CMFixtureFunction set_up_each,
                           CMFixtureFunction tear_down_each) {
    size_t count = 0;
    for (const unit_test *t = unit_tests; t != NULL; t = t->next) count++;
    struct CMUnitTest tests[count];
    count = 0;
    for (const unit_test *t = unit_tests; t != NULL; t = t->next) {
        tests[count] = t->test;
        tests[count].setup_func = set_up_each;
        tests[count++].teardown_func = tear_down_each;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* set_up before the first, tear_down after the last; NULL: nothing. */
static inline int run_all_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    return unit_run(set_up, tear_down, NULL, NULL);
}

/* Both around each of them. */
static inline int run_each_test(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    return unit_run(NULL, NULL, set_up, tear_down);
}
