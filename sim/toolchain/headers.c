/* A machine with a CUDA toolkit has headers that the simulated device lacks. Those that define what ours define are refused by name,
   before the compiler finds hundreds of clashes; those of libraries that are not simulated, before a program links the toolkit's, which
   fail without a GPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/toolchain/toolchain.h"

typedef struct {
    char *path;
    size_t line; // the next line to come
} place;

/* The length of the toolkit's folder, "/usr/local/cuda/include/", in the path of one of its headers that clash; 0: it is none. */
static size_t toolkit_of(const char *path, const char *ours) {
    static const char *const clash[] = {
        "/vector_types.h",  "/driver_types.h",    "/host_defines.h",    "/cuda_runtime_api.h",
        "/builtin_types.h", "/device_types.h",    "/crt/host_config.h", "/crt/host_defines.h",
        "/cuda_runtime.h",  "/cusolver_common.h", "/cudnn.h",           "/nccl.h",
        "/nvrtc.h",         "/nppdefs.h",         "/nvjpeg.h",          "/nvml.h",
        "/cufile.h",        "/cutensor.h",        "/nvJitLink.h"};
    const size_t length = strlen(path);
    if (strncmp(path, ours, strlen(ours)) == 0) return 0;
    for (size_t i = 0; i < sizeof clash / sizeof *clash; i++) {
        const size_t size = strlen(clash[i]);
        if (length > size && strcmp(path + length - size, clash[i]) == 0) return length - size + 1;
    }
    return 0;
}

/* The innermost of stack[0, depth) is a header of the toolkit's: says which one the program includes. */
static wl_status refuse(const place *stack, size_t depth, size_t toolkit) {
    const char *folder = stack[depth - 1].path;
    size_t outermost = depth - 1;
    for (size_t i = depth; i-- > 1;)
        if (strncmp(stack[i].path, folder, toolkit) == 0) outermost = i;
    const char *name = stack[outermost].path + toolkit;
    if (outermost == 0) return wl_fail(WL_BAD_INPUT, "%s is not simulated", name);
    return wl_fail(WL_BAD_INPUT, "%s:%zu: %s is not simulated", stack[outermost - 1].path, stack[outermost - 1].line,
                   name);
}

wl_status wl_refuse_toolkit(const char *preprocessed, const char *ours) {
    enum { DEEPEST = 256 };
    place stack[DEEPEST] = {{NULL, 0}};
    size_t depth = 0, room = 0;
    char *line = NULL;
    wl_status status = WL_OK;
    FILE *file = fopen(preprocessed, "r");
    if (file == NULL) return wl_fail(WL_NO_MACHINE, "%s: %s", preprocessed, strerror(errno));
    while (status == WL_OK && getline(&line, &room, file) > 0) {
        char *quote = strncmp(line, "# ", 2) == 0 ? strchr(line, '"') : NULL,
             *end = quote ? strrchr(quote + 1, '"') : NULL;
        if (end == NULL) { // of the file
            if (depth > 0) stack[depth - 1].line++;
            continue;
        }
        *end = 0;
        const int enters = strncmp(end + 1, " 1", 2) == 0, leaves = strncmp(end + 1, " 2", 2) == 0;
        if ((enters || depth == 0) && depth < DEEPEST) stack[depth++] = (place){strdup(quote + 1), 0};
        if (leaves && depth > 1) free(stack[--depth].path);
        if (depth > 0 && stack[depth - 1].path != NULL && strcmp(stack[depth - 1].path, quote + 1) == 0)
            stack[depth - 1].line = strtoul(line + 2, NULL, 10);
        const size_t toolkit = enters ? toolkit_of(quote + 1, ours) : 0;
        if (toolkit > 0) status = refuse(stack, depth, toolkit);
    }
    while (depth > 0) free(stack[--depth].path);
    free(line);
    fclose(file);
    return status;
}
