/* Threads whose stack does not depend on the shell's limit. */
#ifndef HARNESS_BASE_THREAD_H
#define HARNESS_BASE_THREAD_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start a thread with a stack of 8 MB. False where there can be none. */
int wl_thread_start(pthread_t *thread, void *(*run)(void *), void *user);

/* For main, before the first OpenMP region: the threads that libraries start have this stack, too, and an OMP_NUM_THREADS
   above WL_CPU_THREADS_MOST, of which OpenMP would die, is not heard. */
void wl_thread_limits(void);

#ifdef __cplusplus
}
#endif
#endif
