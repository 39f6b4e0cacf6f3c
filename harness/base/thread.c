#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "harness/base/thread.h"

#include "harness/base/cpu.h"
#ifdef _OPENMP
#include <omp.h>
#endif

/* A thread's default is the shell's limit (ulimit -s). The simulated device's thread-local memory takes 2 MB of it, and a vector
   kernel's tables take more. */
#define STACK_BYTES ((size_t)8 << 20)

int wl_thread_start(pthread_t *thread, void *(*run)(void *), void *user) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return 0;
    const int started =
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 && pthread_create(thread, &attributes, run, user) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

void wl_thread_limits(void) {
#ifdef _OPENMP
    if (omp_get_max_threads() > WL_CPU_THREADS_MOST) omp_set_num_threads(omp_get_num_procs());
#endif
#ifdef __GLIBC__ /* musl has no such limit: its default is a constant */
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_getattr_default_np(&attributes) != 0) return;
    if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < STACK_BYTES &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
}
