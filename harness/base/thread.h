/* Threads whose stack does not depend on the shell's limit. */
#ifndef HARNESS_BASE_THREAD_H
#define HARNESS_BASE_THREAD_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start a thread with a stack of 8 MB. False where there can be none. */
int wl_thread_start(pthread_t *thread, void *(*run)(void *), void *user);

/* How many of `wanted` threads can run at once: fewer where the limits of the shell or of a container (address space, processes)
   leave no more, and at least 1. OpenMP ends the program when it cannot start a thread. */
int wl_threads_startable(int wanted);

/* For main, as its first act. OpenMP's threads wait for work asleep, not spinning; no more of them are started than can be;
   their stack does not depend on the shell's limit; an OMP_NUM_THREADS above WL_CPU_THREADS_MOST is not heard. OpenMP reads its
   environment before main, so the program is started again with it set, which takes some milliseconds. What the user has set
   stays (OMP_WAIT_POLICY, GOMP_SPINCOUNT). */
void wl_thread_limits(char **argv);

#ifdef __cplusplus
}
#endif
#endif
