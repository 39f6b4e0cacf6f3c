/* Kinds of mistakes: what a class's page calls them, what a student is told of each, and the words by which the simulated device's
   messages are known. */
#include <string.h>

#include "labs/lab.h"

static const struct {
    const char *id, *name;
    const char *signs[4]; // words of the message, the first kind that has one of them
    const char *hint;     // NULL: the test's own says more
} kinds[WL_LAB_MISTAKES] = {
    [WL_LAB_NO_MISTAKE] = {"", "", {NULL}, NULL},
    [WL_LAB_MISSING] = {"missing",
                        "no kernel.cu",
                        {"found no kernel.cu", "a plain file", "bytes; expected at most"},
                        NULL},
    [WL_LAB_MARKS] = {"marks",
                      "marks changed",
                      {"found 0 of the regions", "of the regions between"},
                      "The lines BEGIN YOUR CODE and END YOUR CODE must stay as they were made."},
    [WL_LAB_FORBIDDEN] = {"forbidden",
                          "forbidden code",
                          {"not allow", "allows only", "backslash", "wl_sim"},
                          "Only statements of a kernel are allowed, and calls of CUDA's and mathematical functions."},
    [WL_LAB_COMPILE] =
        {"compile",
         "compile error",
         {NULL},
         "The compiler's first error counts; later ones often follow from it. Its number is the line in kernel.cu."},
    [WL_LAB_EMPTY] = {"empty", "empty stub", {NULL}, "There is no code between the marks yet."},
    [WL_LAB_RACE] = {"race",
                     "race",
                     {"race on", "race between"},
                     "Two threads use the same element, and at least one of them stores to it. Which barrier or atomic "
                     "operation comes "
                     "between the two?"},
    [WL_LAB_MEMORY] = {"memory",
                       "access outside",
                       {"out of bounds", "outside", "null pointer", "freed"},
                       "For some thread an index is too large or too small, or a pointer is not one of the kernel's "
                       "arrays. What must a thread compare before it loads or stores?"},
    [WL_LAB_ALIGNMENT] = {"alignment",
                          "misaligned access",
                          {"misaligned"},
                          "The address of a load of 4, 8 or 16 bytes must be a multiple of 4, 8 or 16."},
    [WL_LAB_BARRIER] = {"barrier",
                        "barrier not reached",
                        {"barrier", "__sync"},
                        "All threads of a block must arrive at the same barrier. Is it in a branch or loop that some "
                        "threads leave out?"},
    [WL_LAB_UNWRITTEN] =
        {"unwritten",
         "uninitialised memory",
         {"uninitialised"},
         "A thread loads what nobody has stored. Which thread should store it, and before which barrier?"},
    [WL_LAB_ENDLESS] = {"endless",
                        "endless or too slow",
                        {"endless loop", "took too long"},
                        "Does the loop's variable come nearer to its end in each step, for every thread? Does each "
                        "thread do only its part of the "
                        "work?"},
    [WL_LAB_STOPPED] = {"stopped",
                        "program ended",
                        {NULL},
                        "The kernel ended the whole program. The message above says how."},
    [WL_LAB_NOTHING] = {"nothing", "nothing stored", {"the launch stored nothing"}, NULL},
    [WL_LAB_AGAIN] =
        {"again",
         "wrong when repeated",
         {"launched a second time"},
         "The first launch is right and the second is not. What does the kernel leave behind, or expect to find as 0?"},
    [WL_LAB_WRONG] = {"wrong", "wrong result", {NULL}, NULL},
    [WL_LAB_MORE] = {"more", "count too high", {NULL}, NULL},
    [WL_LAB_FEWER] =
        {"fewer",
         "count too low",
         {NULL},
         "No kernel can do this with so few. Only plain loads and stores of the arrays are counted as such."},
};

const char *wl_lab_mistake_name(wl_lab_mistake kind) { return kinds[kind].name; }

const char *wl_lab_mistake_hint(wl_lab_mistake kind) { return kinds[kind].hint; }

wl_lab_mistake wl_lab_mistake_called(const char *id) {
    wl_lab_mistake kind = WL_LAB_MISTAKES - 1;
    while (kind > WL_LAB_NO_MISTAKE && strcmp(kinds[kind].id, id) != 0) kind--;
    return kind;
}

wl_lab_mistake wl_lab_mistake_of(const char *message, wl_lab_mistake first, wl_lab_mistake last, wl_lab_mistake other) {
    for (wl_lab_mistake kind = first; kind <= last; kind++)
        for (size_t i = 0; i < 4 && kinds[kind].signs[i]; i++)
            if (strstr(message, kinds[kind].signs[i])) return kind;
    return other;
}
