/* A pool: host threads that work for one device or several. Each takes the next task of a job as soon as it has done its last, so
   that devices of any speed finish together. The first failure ends the job. */
#pragma once

#include "harness/base/error.h"
#include "harness/bench/variant.h"

/* --- The variants of a tool -------------------------------------------------------------------------------------- */

typedef struct {
    const wl_variant **items; // [count], best first
    size_t count;
} wl_candidates;

/* The variants of `problem` for the device's backend that --variant asks for (wl_variant_is_wanted), the highest stage first.
   None: WL_NO_MACHINE, or WL_BAD_USAGE where there is a pattern. On success free candidates->items. */
wl_status wl_candidates_find(const char *problem, const wl_device *device, const char *pattern,
                             wl_candidates *candidates);

/* --- Workers ----------------------------------------------------------------------------------------------------- */

typedef struct wl_pool wl_pool;

/* A host thread and its device. */
typedef struct {
    wl_pool *pool;
    size_t place;     // of the device in the setup's list
    wl_device device; // memory_free: what this worker may take of it; multiprocessors, of a CPU: the threads it may use
    wl_candidates candidates;
    void *own; // the job's: [own_bytes]
} wl_worker;

/* A task is too much for a variant if memory is short or a sequence is too long. So inputs[count] has the whole task first, and then easier
   ones (NULL: left out). Finds the first input that a candidate takes, trying all inputs on one candidate before the next. Candidates
   that are not faster for the whole task (wl_variant.faster) are tried only if no other candidate takes any input.
   Returns the input's number, and the candidate in *variant; `count`: no candidate takes any. */
size_t wl_worker_choose(const wl_worker *worker, const void *const *inputs, size_t count, const wl_variant **variant);
/* How many of the input's first items are for the best candidate, if the others are for the rest (wl_variant.share). 0: it does not say. */
size_t wl_worker_share(const wl_worker *worker, const void *input);
/* Why the best candidate does not take the input; "?" where it does. */
const char *wl_worker_objection(const wl_worker *worker, const void *input);
/* prepare, launch, collect, release. On the worker's thread. */
wl_status wl_worker_run(wl_worker *worker, const wl_variant *variant, const void *input, void *output);

/* How many workers a device has: two of a GPU, since one lays out and copies while the other's task is computed. */
size_t wl_pool_workers(const wl_device *device);

/* --- The pool ---------------------------------------------------------------------------------------------------- */

/* What is to be done. Callbacks get the job; all but `work` are called one at a time, under the pool's lock. */
typedef struct {
    const char *problem;      // whose variants work; NULL: none, and one worker of the CPU
    const wl_device *devices; // [device_count]
    size_t device_count;
    const char *pattern; // of variants; NULL: the best of each backend
    size_t memory;       // of a device that may be used, bytes; 0: what is free there
    int memory_of_cpu;   // does `memory` hold for a CPU, too?
    int threads;         // of a worker, for OpenMP; 0: OpenMP's choice
    size_t cpu_workers;  // workers of one thread each in place of the CPU's one; 0: one
    int times_kernels;   // launches of a device one after the other, and timed

    void *job;
    size_t own_bytes, task_bytes;
    wl_status (*begin)(void *job, wl_worker *worker); // set up worker->own, which is zero; may be NULL
    void (*end)(void *job, wl_worker *worker);        // free what is in worker->own, also after a failure; may be NULL
    /* Write the next task for this worker. 1: there was one; 0: none now; -1: WL_NO_MACHINE, and wl_error says why. */
    int (*next)(void *job, wl_worker *worker, void *task);
    wl_status (*work)(void *job, wl_worker *worker, const void *task);
    void (*finish)(void *job, wl_worker *worker, const void *task, double seconds); // after success
} wl_pool_setup;

/* Find each device's candidates and start the threads. The setup is copied; what it points to outlives the pool. On success
   close with wl_pool_close. */
wl_status wl_pool_open(const wl_pool_setup *setup, wl_pool **pool);
/* Also with tasks left: what is under way is waited for, and nothing new is begun. NULL: nothing. */
void wl_pool_close(wl_pool *pool);

/* For the job's own data, from other threads than workers. */
void wl_pool_lock(wl_pool *pool);
void wl_pool_unlock(wl_pool *pool);
/* There may be tasks again. Under the lock. */
void wl_pool_wake(wl_pool *pool);

/* Wait until is_done(what), which is called under the lock (NULL: until no worker finds a task), calling tick(context) (may be
   NULL) several times a second from this thread. The first failure of a worker: its status, when
   all others have stopped. */
wl_status wl_pool_wait(wl_pool *pool, int (*is_done)(const void *what), const void *what, void (*tick)(void *context),
                       void *context);

/* "2 x NVIDIA H200 (07_x), simulated device (idle)": every device with the first variant that ran on it, into `text`. */
void wl_pool_describe(wl_pool *pool, char *text, size_t size);
/* The first variant that ran on the device at `place`; NULL: none yet. Under the lock, or after wl_pool_wait. */
const wl_variant *wl_pool_used(const wl_pool *pool, size_t place);
/* Of timed launches, all devices together; the simulated device's have no time. After wl_pool_wait. */
double wl_pool_kernel_seconds(const wl_pool *pool);
