/* Kernels compiled while the program runs, for numbers that are not known before: NVIDIA's NVRTC makes constants of them. The library
   is opened when it is first asked for, so that the program neither needs it to be built nor to be started. What it has compiled is
   kept in $XDG_CACHE_HOME/warpladder/kernels (or ~/.cache), by source, name, architecture and version, and read there the next time. */
#ifndef HARNESS_GPU_COMPILE_H
#define HARNESS_GPU_COMPILE_H

#include <stddef.h>

#include "harness/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wl_compiled wl_compiled;

/* libnvrtc.so.13 or .12, where the linker looks or in /usr/local/cuda; or the file that the environment variable WL_NVRTC names. 0 where
   there is none ("WL_NVRTC=none" says that there is none), with the reason in words in `*why` (may be NULL). */
int wl_compile_can(const char **why);

/* The kernel `name` ("cells<16, 40>") of `source`, which includes nothing, for the calling thread's GPU. `may_compile` 0: only if it is in the
   cache. NULL: it is not to be had, for the reason in `*why` (may be NULL), which stays valid until the thread asks again. It is loaded
   once for each GPU and kept. */
const wl_compiled *wl_compile(const char *source, const char *name, int may_compile, const char **why);

/* Blocks of so many threads and bytes of dynamic shared memory that a multiprocessor has room for. Also allows it so much. */
wl_status wl_compiled_occupancy(const wl_compiled *kernel, unsigned threads, size_t shared, int *blocks);
/* Queue it on the thread's default stream. `argument`: the one that the kernel takes. */
wl_status wl_compiled_launch(const wl_compiled *kernel, unsigned blocks, unsigned threads, size_t shared,
                             void *argument);

#ifdef __cplusplus
}
#endif
#endif
