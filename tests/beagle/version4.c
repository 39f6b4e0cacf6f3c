/* A library that stands for BEAGLE 4: the installed one, THEIRS, and a function that 4 adds. With it the test of handing over runs where
   only BEAGLE 3 is. */
#include <dlfcn.h>
#include <stdlib.h>

#include "beagle/theirs.h"

/* beagleX jumps to the installed library's. */
#define NAMES(X) BG_CALLS(X) X(GetCitation) X(GetVersion)
#if defined(__x86_64__)
#define JUMP(name) "jmp *to_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, to_" #name "\nldr x16, [x16, :lo12:to_" #name "]\nbr x16\n"
#endif
#define FORWARD(name)                                            \
    __attribute__((visibility("hidden"), used)) void *to_##name; \
    __asm__(".text\n.globl beagle" #name "\n.type beagle" #name ", @function\nbeagle" #name ":\n" JUMP(name));
NAMES(FORWARD)

__attribute__((constructor)) static void find(void) {
    void *library = dlopen(THEIRS, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) to_##name = library == NULL ? NULL : dlsym(library, "beagle" #name);
    NAMES(FIND)
}

/* Of at most 4 rate classes and 64 states. */
int beagleAddTransitionMatrices(int instance, const int *first, const int *second, const int *result, int count) {
    enum { MOST = 4 * 64 * 64 };
    double *a = calloc(2 * MOST, sizeof *a), *b = a + MOST;
    int code = a == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
    for (int i = 0; i < count && code == BEAGLE_SUCCESS; i++) {
        code = ((__typeof__(&beagleGetTransitionMatrix))to_GetTransitionMatrix)(instance, first[i], a);
        if (code == BEAGLE_SUCCESS)
            code = ((__typeof__(&beagleGetTransitionMatrix))to_GetTransitionMatrix)(instance, second[i], b);
        for (int k = 0; k < MOST; k++) a[k] += b[k];
        if (code == BEAGLE_SUCCESS)
            code = ((__typeof__(&beagleSetTransitionMatrix))to_SetTransitionMatrix)(instance, result[i], a, 1);
    }
    free(a);
    return code;
}
