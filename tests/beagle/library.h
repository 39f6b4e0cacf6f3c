/* A library with BEAGLE's interface, loaded by its path. */
#pragma once

#include <dlfcn.h>
#include <stdio.h>

#include "beagle/theirs.h"

typedef struct {
    BG_CALLS(BG_POINTER)
    BG_CALLS_OF_4(BG_POINTER)
    int instance;
    long processor; // BEAGLE_FLAG_PROCESSOR_CPU or _GPU
} library;

/* What is missing stays NULL; version 4's functions may. */
static inline int load(library *to, const char *path) {
    to->processor = BEAGLE_FLAG_PROCESSOR_CPU;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    int is_whole = 1;
#define FIND(name) *(void **)&to->name = dlsym(handle, "beagle" #name);
#define CHECK(name) is_whole = is_whole && to->name != NULL;
    BG_CALLS(FIND)
    BG_CALLS_OF_4(FIND)
    BG_CALLS(CHECK)
#undef FIND
#undef CHECK
    return is_whole;
}
