/* The simulated device seen from the host: what it counted, and where its kernels reached.

   Kernels run on the CPU with CUDA's meaning of threads, warps, barriers and memories; simulated time is never
   reported as time. docs/simulated-device.md says how it works and what it cannot see. */
#ifndef WL_SIM_H
#define WL_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counters of a launch, as the hardware defines them. A request is one warp-wide instruction; a sector is 32 bytes
   of global memory that a request touches; a pass is one trip of a request through the 32 banks of shared memory
   (without a conflict: one a request of 4-byte words, two of 8-byte, four of 16-byte words). */
typedef struct {
    uint64_t global_load_requests;
    uint64_t global_load_sectors;
    uint64_t global_store_requests;
    uint64_t global_store_sectors;
    uint64_t atomic_requests;   /* warp-wide atomic instructions on global memory */
    uint64_t atomic_operations; /* lanes' operations in them */
    uint64_t atomic_addresses;  /* different addresses, summed over requests; operations - addresses collide */
    uint64_t atomic_sectors;    /* sectors, each as often as the most wanted address in it has lanes */
    uint64_t shared_requests;   /* loads, stores and atomics */
    uint64_t shared_passes;
    uint64_t constant_requests;
    uint64_t barriers;     /* __syncthreads, once a block */
    uint64_t shared_loads; /* of the shared requests; the rest are atomics */
    uint64_t shared_stores;
    uint64_t warp_calls; /* shuffles, votes, __syncwarp and the like, once a warp */
    uint64_t steps;      /* basic blocks that a warp went through; lanes that diverge make steps of their own */
    uint64_t step_lanes; /* lanes in them: 32 * steps - step_lanes lanes were idle */
} wl_sim_counters;

typedef struct {
    char kernel[96]; /* "GPUshared" */
    unsigned grid[3], block[3];
    size_t shared_bytes; /* static and dynamic, a block */
    wl_sim_counters counters;
} wl_sim_launch;

/* Forget the launches recorded so far. */
void wl_sim_forget(void);
/* The launches since then, oldest first; valid until the next launch or wl_sim_forget. */
const wl_sim_launch *wl_sim_launches(size_t *count);

/* One global access of one thread, for drawing. */
typedef struct {
    uint32_t thread;     /* within the block, x fastest */
    uint32_t request;    /* number of the warp-wide instruction within the block */
    uint32_t allocation; /* which cudaMalloc since the trace began: 0, 1, ... */
    uint64_t offset;     /* bytes from that allocation's start */
    uint8_t size;        /* bytes */
    char kind;           /* 'l' load, 's' store, 'a' atomic */
} wl_sim_access;

/* Record every global access of block (x, y, z) in the launches that follow, until wl_sim_trace_end. */
void wl_sim_trace_begin(unsigned x, unsigned y, unsigned z);
/* The accesses recorded, `*count` of them, in the order they were issued; the caller frees the array.
   NULL and 0 when there were none. */
wl_sim_access *wl_sim_trace_end(size_t *count);

/* From here to wl_sim_watched, the calling thread's host code is watched: a crash, a sleep, or eight seconds without a kernel end
   the program with one line, which names the function and the line, and exit code 1. */
void wl_sim_watch(void);
/* NULL, or what was found wrong since wl_sim_watch that no call returned: memory freed twice or not at all, or touched by the host
   before a copy is awaited; and, where the result is wrong, a load of memory that nobody had written. Valid until the next call. */
const char *wl_sim_watched(int result_is_wrong);

/* Everything that is found wrong is told to `told` as it is found: a kernel that is refused, a race between streams, memory freed
   twice. NULL, as at the beginning: to nobody. */
void wl_sim_on_finding(void (*told)(const char *message));
/* NULL, or why a launch was refused of whose error the program has not asked. */
const char *wl_sim_untaken(void);

/* While `on`, an allocation of device memory is a finding: `launch` is timed, and prepare is there to allocate. */
void wl_sim_launching(int on);
/* While `on`, kernels are queued but not run. Copies and fills take place. */
void wl_sim_leave_out_kernels(int on);
/* From now on a launch runs at most `blocks` blocks, the first and the last ones of its grid, and a block that takes more than
   `steps` steps fails; 0: as always. While `blocks` is not 0, device memory may be larger than the machine's: pages that nobody
   touches cost nothing. Returns whether a block came to its limit of steps since the last call. */
int wl_sim_limit(uint64_t steps, unsigned blocks);
/* A hash of all that device memory holds: two states with the same hash hold the same. */
uint64_t wl_sim_memory_hash(void);
/* Do these bytes lie somewhere in device memory? */
int wl_sim_memory_holds(const void *bytes, size_t count);

/* From now on, launches are also counted by source line. */
void wl_sim_count_lines(void);
typedef struct {
    const char *file; /* as the compiler was given it; NULL where the program does not tell */
    int line;
    wl_sim_counters counters;
} wl_sim_line;
/* The lines of all launches of a kernel since then, [*count] by file and line. The caller frees the array, not the names. NULL and 0
   when there are none. */
wl_sim_line *wl_sim_lines(const char *kernel, size_t *count);

/* From now on, `told` is told of a crash of host code before the program ends with exit code 1. Without a watch (wl_sim_watch), too. */
void wl_sim_on_crash(void (*told)(const char *message));

/* How many threads of this machine simulate blocks side by side; 0 asks for all. The counters do not depend on it. */
void wl_sim_set_workers(int workers);

#ifdef __cplusplus
}
#endif
#endif
