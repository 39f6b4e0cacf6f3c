/* NVRTC and the driver's functions for what it makes, both opened at run time. */
#include "harness/gpu/compile.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "harness/base/hash.h"
#include "harness/base/outfile.h"
}
#include "harness/gpu/internal.cuh"

/* --- The libraries --------------------------------------------------------------------------------------------------- */

/* Of NVRTC: nvrtcResult is an int, nvrtcProgram a pointer. Of the driver: CUresult, CUmodule, CUfunction, CUstream likewise. */
typedef struct {
    void *nvrtc, *driver;
    int (*version)(int *major, int *minor);
    int (*create)(void **program, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*add_name)(void *program, const char *name);
    int (*compile)(void *program, int count, const char *const *options);
    int (*lowered_name)(void *program, const char *name, const char **lowered);
    int (*size)(void *program, size_t *bytes);
    int (*get)(void *program, char *cubin);
    int (*log_size)(void *program, size_t *bytes);
    int (*log)(void *program, char *text);
    int (*destroy)(void **program);

    int (*load)(void **module, const void *image);
    int (*function)(void **function, void *module, const char *name);
    int (*set_attribute)(void *function, int attribute, int value);
    int (*occupancy)(int *blocks, void *function, int threads, size_t shared);
    int (*launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,
                  unsigned threads_z, unsigned shared, void *stream, void **parameters, void **extra);
    char why[256]; // NVRTC is not to be had; "" when it is
} library;

static void *open_nvrtc(library *l) {
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    const char *named = getenv("WL_NVRTC");
    if (named != NULL && *named != '\0') {
        void *file = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        if (file == NULL)
            snprintf(l->why, sizeof l->why, "WL_NVRTC=%.160s is no library that can be opened here", named);
        return file;
    }
    for (int version = 13; version >= 12; version--)
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            char path[64];
            snprintf(path, sizeof path, "%slibnvrtc.so.%d", folders[i], version);
            void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (file != NULL) return file;
        }
    snprintf(l->why, sizeof l->why,
             "NVRTC is not installed: no libnvrtc.so.13 or .12 was found; WL_NVRTC=FILE names one elsewhere");
    return NULL;
}

static int find_all(library *l) {
    const struct {
        void *library;
        void **function;
        const char *name;
    } all[] = {
        {l->nvrtc, (void **)&l->version, "nvrtcVersion"},
        {l->nvrtc, (void **)&l->create, "nvrtcCreateProgram"},
        {l->nvrtc, (void **)&l->add_name, "nvrtcAddNameExpression"},
        {l->nvrtc, (void **)&l->compile, "nvrtcCompileProgram"},
        {l->nvrtc, (void **)&l->lowered_name, "nvrtcGetLoweredName"},
        {l->nvrtc, (void **)&l->size, "nvrtcGetCUBINSize"},
        {l->nvrtc, (void **)&l->get, "nvrtcGetCUBIN"},
        {l->nvrtc, (void **)&l->log_size, "nvrtcGetProgramLogSize"},
        {l->nvrtc, (void **)&l->log, "nvrtcGetProgramLog"},
        {l->nvrtc, (void **)&l->destroy, "nvrtcDestroyProgram"},
        {l->driver, (void **)&l->load, "cuModuleLoadData"},
        {l->driver, (void **)&l->function, "cuModuleGetFunction"},
        {l->driver, (void **)&l->set_attribute, "cuFuncSetAttribute"},
        {l->driver, (void **)&l->occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor"},
        {l->driver, (void **)&l->launch, "cuLaunchKernel"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].function = dlsym(all[i].library, all[i].name);
        if (*all[i].function != NULL) continue;
        snprintf(l->why, sizeof l->why, "NVRTC or the driver has no function %.80s", all[i].name);
        return 0;
    }
    return 1;
}

static library opened(void) {
    library l = {};
    l.nvrtc = open_nvrtc(&l);
    if (l.nvrtc == NULL) return l;
    l.driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (l.driver == NULL) snprintf(l.why, sizeof l.why, "no libcuda.so.1: there is no driver for a GPU");
    if (l.driver == NULL || !find_all(&l)) l.nvrtc = NULL;
    return l;
}

static const library *the_library(void) {
    static const library l = opened(); // by the first thread that asks
    return &l;
}

int wl_compile_can(const char **why) {
    const library *l = the_library();
    if (why != NULL) *why = l->why;
    return l->nvrtc != NULL;
}

/* --- Images ---------------------------------------------------------------------------------------------------------- */

/* What a kernel is compiled to: its name in the module, and the module. */
typedef struct {
    char *bytes; // "name\0" and the module
    size_t size;
} image;

static char *path_of(const library *l, const char *source, const char *name, int architecture) {
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int major = 0, minor = 0;
    l->version(&major, &minor);
    uint64_t key = wl_hash_join(wl_hash_text(source), wl_hash_text(name));
    key = wl_hash_join(key, (uint64_t)architecture << 32 | (uint64_t)major << 16 | (uint64_t)minor);
    char *path = NULL;
    int length = -1;
    if (folder != NULL && *folder == '/')
        length = asprintf(&path, "%s/warpladder/kernels/%016llx.cubin", folder, (unsigned long long)key);
    else if (home != NULL && *home == '/')
        length = asprintf(&path, "%s/.cache/warpladder/kernels/%016llx.cubin", home, (unsigned long long)key);
    return length < 0 ? NULL : path;
}

/* A file has the image's checksum, and then the image. The driver is not told how long an image is, so it must not see half of one. */
static int read_image(const char *path, image *result) {
    enum { MOST = 16 << 20 };
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    uint64_t sum = 0;
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) - (long)sizeof sum : -1;
    *result = (image){};
    if (size > 0 && size < MOST && fseek(file, 0, SEEK_SET) == 0 && fread(&sum, sizeof sum, 1, file) == 1)
        result->bytes = (char *)malloc((size_t)size);
    if (result->bytes != NULL) result->size = fread(result->bytes, 1, (size_t)size, file);
    fclose(file);
    if (result->size > 0 && wl_hash_bytes(result->bytes, result->size) == sum &&
        memchr(result->bytes, '\0', result->size) != NULL)
        return 1;
    free(result->bytes);
    return 0;
}

/* If the cache cannot be written, the next run compiles again. */
static void write_image(const char *path, const image *made) {
    wl_outfile file;
    if (wl_outfile_open_making(path, &file) != WL_OK) return;
    const uint64_t sum = wl_hash_bytes(made->bytes, made->size);
    fwrite(&sum, sizeof sum, 1, file.stream);
    fwrite(made->bytes, 1, made->size, file.stream); // wl_outfile_commit checks both
    wl_outfile_commit(&file);
}

static __thread char reason[512];

static int compile(const library *l, const char *source, const char *name, int architecture, image *result) {
    char option[48];
    snprintf(option, sizeof option, "--gpu-architecture=sm_%d", architecture);
    const char *const options[] = {option, "-std=c++17"};
    void *program = NULL;
    const char *lowered = NULL;
    size_t size = 0;
    *result = (image){};
    int status = l->create(&program, source, "kernel.cu", 0, NULL, NULL);
    if (status == 0) status = l->add_name(program, name);
    if (status == 0) status = l->compile(program, 2, options);
    if (status != 0 && program != NULL && l->log_size(program, &size) == 0) {
        char *text = (char *)malloc(size + 1);
        if (text != NULL && l->log(program, text) == 0)
            snprintf(reason, sizeof reason, "NVRTC does not compile %.80s: %.300s", name, text);
        free(text);
    }
    if (status == 0) status = l->lowered_name(program, name, &lowered);
    if (status == 0) status = l->size(program, &size);
    if (status == 0) {
        const size_t head = strlen(lowered) + 1;
        result->bytes = (char *)malloc(head + size);
        result->size = head + size;
        if (result->bytes != NULL) {
            memcpy(result->bytes, lowered, head);
            status = l->get(program, result->bytes + head);
        }
    }
    if (program != NULL) l->destroy(&program);
    if (status == 0 && result->bytes != NULL) return 1;
    free(result->bytes);
    return 0;
}

/* --- Kernels --------------------------------------------------------------------------------------------------------- */

struct wl_compiled {
    wl_compiled *next;
    int ordinal;
    uint64_t source;
    char *name;
    void *function; // NULL: the driver does not take it
};

static wl_compiled *kernels; // under the lock
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The kernel of an image; what the driver says where it does not take it. */
static int load(const library *l, const image *made, void **function) {
    void *module = NULL;
    const size_t head = strlen(made->bytes) + 1;
    int status = l->load(&module, made->bytes + head);
    if (status == 0) status = l->function(function, module, made->bytes);
    if (status != 0) snprintf(reason, sizeof reason, "the driver does not load %.200s: error %d", made->bytes, status);
    return status == 0;
}

static void *make(const library *l, const char *source, const char *name, int architecture, int may_compile) {
    image made;
    void *function = NULL;
    char *path = path_of(l, source, name, architecture);
    if (path != NULL && read_image(path, &made)) { // if the driver refuses it, it is compiled again
        load(l, &made, &function);
        free(made.bytes);
    }
    if (function == NULL && may_compile && compile(l, source, name, architecture, &made)) {
        if (load(l, &made, &function) && path != NULL) write_image(path, &made);
        free(made.bytes);
    }
    free(path);
    return function;
}

static wl_compiled *find(int ordinal, uint64_t source, const char *name) {
    pthread_mutex_lock(&lock);
    wl_compiled *k = kernels;
    while (k != NULL && (k->ordinal != ordinal || k->source != source || strcmp(k->name, name) != 0)) k = k->next;
    pthread_mutex_unlock(&lock);
    return k;
}

const wl_compiled *wl_compile(const char *source, const char *name, int may_compile, const char **why) {
    const library *l = the_library();
    snprintf(reason, sizeof reason, "%s", l->why);
    if (why != NULL) *why = reason;
    int ordinal = 0, major = 0, minor = 0;
    if (l->nvrtc == NULL || cudaGetDevice(&ordinal) != cudaSuccess || cudaFree(NULL) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal) != cudaSuccess)
        return NULL;
    const uint64_t hash = wl_hash_text(source);
    wl_compiled *k = find(ordinal, hash, name);
    if (k == NULL) { // of two threads that compile the same, both may
        snprintf(reason, sizeof reason, "%.80s is not in the cache", name);
        void *function = make(l, source, name, 10 * major + minor, may_compile);
        char *copy = function != NULL || may_compile ? strdup(name) : NULL;
        if (copy != NULL) k = (wl_compiled *)calloc(1, sizeof *k);
        if (k != NULL) {
            pthread_mutex_lock(&lock);
            *k = (wl_compiled){kernels, ordinal, hash, copy, function};
            kernels = k;
            pthread_mutex_unlock(&lock);
        } else {
            free(copy);
        }
    } else if (k->function == NULL) {
        snprintf(reason, sizeof reason, "%.80s could not be compiled before", name);
    }
    return k != NULL && k->function != NULL ? k : NULL;
}

static wl_status check(int status, const char *what) {
    return status == 0 ? WL_OK : wl_fail(WL_CHECK_FAILED, "%s: the driver's error %d", what, status);
}

wl_status wl_compiled_occupancy(const wl_compiled *kernel, unsigned threads, size_t shared, int *blocks) {
    enum { MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
    const library *l = the_library();
    WL_TRY(check(l->set_attribute(kernel->function, MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared), "cuFuncSetAttribute"));
    return check(l->occupancy(blocks, kernel->function, (int)threads, shared), "cuOccupancyMaxActiveBlocks");
}

wl_status wl_compiled_launch(const wl_compiled *kernel, unsigned blocks, unsigned threads, size_t shared,
                             void *argument) {
    void *const stream_per_thread = (void *)2; // CU_STREAM_PER_THREAD, as all of a GPU's code here has it
    void *parameters[] = {argument};
    return check(the_library()->launch(kernel->function, blocks, 1, 1, threads, 1, 1, (unsigned)shared,
                                       stream_per_thread, parameters, NULL),
                 "cuLaunchKernel");
}
