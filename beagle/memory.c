/* Memory, and what is refused. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/instance.h"
#include "harness/base/memory.h"

int bg_grow(void *array, size_t *room, size_t count, size_t item_bytes) {
    return wl_memory_grow(&(size_t){0}, array, room, count, item_bytes) ? BEAGLE_SUCCESS : BEAGLE_ERROR_OUT_OF_MEMORY;
}

void *bg_zeros(size_t bytes) {
    const size_t rounded = cpu_rounded(bytes > 0 ? bytes : 1, CPU_LINE);
    void *memory = wl_memory_room(&(size_t){0}, rounded) ? aligned_alloc(CPU_LINE, rounded) : NULL;
    return memory == NULL ? NULL : memset(memory, 0, rounded);
}

static void tell(const char *what, const char *format, va_list arguments) {
    char *text = NULL;
    if (getenv("WARPLADDER_BEAGLE_VERBOSE") == NULL) return;
    if (vasprintf(&text, format, arguments) >= 0) fprintf(stderr, "warpladder beagle: %s%s\n", what, text);
    free(text);
}

void bg_tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell("", format, arguments);
    va_end(arguments);
}

int bg_refuse(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell("refused: ", format, arguments);
    va_end(arguments);
    return code;
}
