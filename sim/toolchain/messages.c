/* What the compiler and the linker say. A function or header of CUDA's that the simulated device lacks is told in one line:
   prog.cu:12: cudaFoo is not simulated */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "sim/toolchain/toolchain.h"

/* Does a name or a header come from CUDA or one of its libraries? */
static int is_cudas(const char *name, size_t length) {
    static const char *const families[] = {
        "cuda", "cublas", "curand", "cufft",  "cusparse", "cusolver", "cudnn",       "cutlass",
        "nccl", "nvtx",   "nvml",   "nvrtc",  "npp",      "thrust",   "cub",         "cooperative_groups",
        "cg",   "nvcuda", "wmma",   "atomic", "tex",      "surf",     "helper_cuda", "device_launch_parameters",
        "mma"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const size_t size = strlen(families[i]);
        if (length >= size && strncmp(name, families[i], size) == 0) return 1;
    }
    if (length > 2 && strncmp(name, "__", 2) == 0) return 1;                             // __shfl_sync, __half2float
    return length > 2 && strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]); // the driver's
}

/* The name in a message between `before` and `after`, where both are found; else NULL. */
static const char *between(const char *line, const char *before, const char *after, size_t *length) {
    const char *name = strstr(line, before), *end = name ? strstr(name + strlen(before), after) : NULL;
    if (end == NULL) return NULL;
    name += strlen(before);
    *length = (size_t)(end - name);
    return name;
}

/* "prog.cu:12" of "prog.cu:12:5: error: ...": its length. */
static size_t place_length(const char *line) {
    const char *colon = strchr(line, ':');
    size_t length = colon ? (size_t)(colon - line) : 0;
    if (length > 0 && isdigit((unsigned char)line[length + 1])) length += 1 + strspn(line + length + 1, "0123456789");
    return length;
}

/* The name of CUDA's that a message misses; NULL: it is another message. */
static const char *missing(const char *line, size_t *length) {
    static const char *const forms[][2] = {
        {"error: '", "' was not declared in this scope"},
        {"error: '", "' does not name a type"},
        {"error: '", "' has not been declared"},
        {"error: '", "' is not a member of "},
        {"error: there are no arguments to '", "' that depend on a template parameter"},
        {"error: use of undeclared '", "'"},
        {"fatal error: ", ": No such file or directory"},
        {"undefined reference to `", "'"},
        {"has no member named '", "'"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *name = between(line, forms[i][0], forms[i][1], length);
        if (name == NULL) continue;
        const size_t whole = strcspn(name, "(<"); // of a function that the linker misses, without its parameters
        if (whole < *length) *length = whole;
        const int of_cuda = is_cudas(name, *length) || strstr(line, "'wl_ptx'") != NULL ||
                            (strstr(line, "'cudaDeviceProp' has no member") != NULL);
        return of_cuda ? name : NULL;
    }
    return NULL;
}

static int told_before(wl_messages *m, const char *name, size_t length) {
    for (size_t i = 0; i < m->told.count; i++)
        if (strlen(m->told.items[i]) == length && strncmp(m->told.items[i], name, length) == 0) return 1;
    wl_word(&m->told, "%.*s", (int)length, name);
    return 0;
}

void wl_message(void *messages, char *line) {
    wl_messages *m = messages;
    size_t length;
    const char *name = missing(line, &length);
    if (name != NULL) {
        m->quiet = 1;
        const size_t prefix = strstr(line, "'wl_ptx'") ? strlen("do_") : 0; // of the function of an instruction
        if (!told_before(m, name, length))
            wl_print(m->to, "%.*s: %s%.*s is not simulated\n", (int)place_length(line), line,
                     prefix ? "inline PTX: " : "", (int)(length - prefix), name + prefix);
        return;
    }
    const int starts = strstr(line, ": error: ") || strstr(line, ": warning: ") || strstr(line, "undefined reference");
    if (starts) m->quiet = 0;
    if (m->quiet || strstr(line, "compilation terminated") || strstr(line, "collect2: error")) return;
    if (strstr(line, ": In function '") || strstr(line, ": In member function") || strstr(line, "in function `"))
        return;
    wl_print(m->to, "%s\n", line);
}
