/* The tests' one program: warpladder-tests NAME [ARGUMENTS] runs the main function of one test file. Under another name (a link to
   it, such as patterns_sim) the name says which. Linking each test with the whole of Warpladder took over a gigabyte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* list_of_tests.h is written by tests/CMakeLists.txt: TEST(function, "name") each. Some mains take arguments and some do not. */
#define TEST(function, name) int function();
#include "list_of_tests.h"
#undef TEST

static const struct {
    const char *name;
    int (*main)();
} tests[] = {
#define TEST(function, name) {name, function},
#include "list_of_tests.h"
};

static void run_if_known(int count, char **words) {
    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(tests[i].name, name) == 0) exit(tests[i].main(count, words));
}

int main(int count, char **words) {
    run_if_known(count, words);
    if (count > 1) run_if_known(count - 1, words + 1);
    fprintf(stderr, "warpladder-tests: expected one of these names, then the test's own arguments:\n");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) fprintf(stderr, "  %s\n", tests[i].name);
    return 2;
}
