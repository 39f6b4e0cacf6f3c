/* Runs the tests that .cu files of this folder register; exit code 1 if one fails. */
#include "tests/sim/tests.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    const char *name;
    void (*function)(void);
} tests[256];
static int count, failures;

void sim_test_add(const char *name, void (*function)(void)) {
    tests[count].name = name;
    tests[count++].function = function;
}

void sim_test_fail(const char *file, int line, const char *text) {
    if (failures++ < 20) printf("  %s:%d: not so: %s\n", file, line, text);
}

int main(void) {
    setenv("WL_SIM_STEPS", "1000000", 1); // the endless loop should end soon
    int failed = 0;
    for (int i = 0; i < count; i++) {
        failures = 0;
        tests[i].function();
        printf("%s %s\n", failures ? "FAILED" : "ok    ", tests[i].name);
        failed += failures > 0;
    }
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed || count == 0;
}
