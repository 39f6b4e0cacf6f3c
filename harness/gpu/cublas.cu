/* cuBLAS, opened at run time. */
#include "harness/gpu/cublas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/gpu/internal.cuh"

typedef struct {
    void *file;
    wl_cublas functions;
    int (*create)(cublasHandle_t *handle);
    int (*set_stream)(cublasHandle_t handle, cudaStream_t stream);
    const char *(*status_text)(int status); // NULL: an early cuBLAS 11 has none
    char why[256];                          // there is no library; "" when there is
} library;

static void *open_file(library *l) {
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    const char *named = getenv("WL_CUBLAS");
    if (named != NULL && *named != '\0') {
        void *file = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        if (file == NULL)
            snprintf(l->why, sizeof l->why, "WL_CUBLAS=%.160s is no library that can be opened here", named);
        return file;
    }
    for (int version = 13; version >= 11; version--)
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            char path[64];
            snprintf(path, sizeof path, "%slibcublas.so.%d", folders[i], version);
            void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (file != NULL) return file;
        }
    snprintf(l->why, sizeof l->why,
             "cuBLAS is not installed: no libcublas.so.13, .12 or .11 was found; WL_CUBLAS=FILE names one elsewhere");
    return NULL;
}

static int find(library *l, void **function, const char *name) {
    *function = dlsym(l->file, name);
    if (*function == NULL) snprintf(l->why, sizeof l->why, "cuBLAS has no function %.80s", name);
    return *function != NULL;
}

static int find_all(library *l) {
    wl_cublas *f = &l->functions;
    int (*property)(int which, int *value);
    if (!find(l, (void **)&property, "cublasGetProperty") || !find(l, (void **)&l->create, "cublasCreate_v2") ||
        !find(l, (void **)&l->set_stream, "cublasSetStream_v2") ||
        !find(l, (void **)&f->cublasGemmEx, "cublasGemmEx") ||
        !find(l, (void **)&f->cublasDgemmBatched, "cublasDgemmBatched") ||
        !find(l, (void **)&f->cublasSgemmBatched, "cublasSgemmBatched"))
        return 0;
    *(void **)&l->status_text = dlsym(l->file, "cublasGetStatusString");
    enum { MAJOR, MINOR, PATCH, NUMBERS };
    int number[NUMBERS] = {0};
    for (int i = 0; i < NUMBERS; i++) property(i, &number[i]);
    snprintf(f->version, sizeof f->version, "cuBLAS %d.%d.%d", number[MAJOR], number[MINOR], number[PATCH]);
    return 1;
}

static library opened(void) {
    library l = {};
    l.file = open_file(&l);
    if (l.file != NULL && !find_all(&l)) {
        dlclose(l.file);
        l.file = NULL;
    }
    return l;
}

static const library *the_library(void) {
    static const library l = opened(); // by the first thread that asks
    return &l;
}

const wl_cublas *wl_cublas_library(const char **why) {
    const library *l = the_library();
    if (why != NULL) *why = l->why;
    return l->file == NULL ? NULL : &l->functions;
}

wl_status wl_cublas_check(int status, const char *call, const char *file, int line) {
    if (status == CUBLAS_STATUS_SUCCESS) return WL_OK;
    const library *l = the_library();
    const wl_status code = status == 3 ? WL_NO_MACHINE : WL_CHECK_FAILED; // CUBLAS_STATUS_ALLOC_FAILED
    return wl_fail(code, "%s:%d: %.200s: cuBLAS' status %d%s%s", file, line, call, status, l->status_text ? ", " : "",
                   l->status_text ? l->status_text(status) : "");
}

wl_status wl_cublas_handle(cublasHandle_t *handle) {
    static cublasHandle_t kept[WL_GPUS_MOST];
    const library *l = the_library();
    if (l->file == NULL) return wl_fail(WL_NO_MACHINE, "%s", l->why);
    int ordinal;
    WL_CUDA(cudaGetDevice(&ordinal));
    cublasHandle_t *mine = &kept[ordinal];
    if (*mine == NULL) {
        WL_CUBLAS(l->create(mine));
        WL_CUBLAS(l->set_stream(*mine, cudaStreamPerThread));
    }
    *handle = *mine;
    return WL_OK;
}
