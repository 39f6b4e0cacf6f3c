/* Threads whose stack does not depend on the shell's limit. */
#pragma once

#include <pthread.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* Start a thread with a stack of 8 MB. False where there can be none. */
int wl_thread_start(pthread_t *thread, void *(*run)(void *), void *user);

/* How many of `wanted` threads can run at once: fewer where the limits of the shell or of a container (address space, processes)
   leave no more, and at least 1. OpenMP ends the program when it cannot start a thread. */
int wl_threads_startable(int wanted);

/* Called by wl_devices_main. OpenMP's threads spin for some 50 us before they sleep: without spinning, two threads take longer
   than one where work comes in small pieces; with much more, they take the processor from others. No more of them are started than can be;
   their stack does not depend on the shell's limit; an OMP_NUM_THREADS above WL_CPU_THREADS_MOST is not heard. OpenMP reads its
   environment before main, so the program is started again with it set, which takes some milliseconds. What the user has set
   stays (OMP_WAIT_POLICY, GOMP_SPINCOUNT). */
void wl_thread_limits(char **argv);

WL_C_END
