/* The simulated device seen from the host: what it counted, and where its kernels reached.

   Kernels run on the CPU with CUDA's meaning of threads, warps, barriers and memories; simulated time is never
   reported as time. docs/simulated-device.md says how it works and what it cannot see. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/linkage.h"

WL_C_BEGIN

/* Counters of a launch, as the hardware defines them. A request is one warp-wide instruction. A
   sector is 32 bytes of global memory that a request touches. A pass is one trip of a request
   through the 32 banks of shared memory. Without conflicts, a request of 4-byte words takes one
   pass, of 8-byte words two, and of 16-byte words four. */
typedef struct {
    uint64_t global_load_requests;
    uint64_t global_load_sectors;
    uint64_t global_store_requests;
    uint64_t global_store_sectors;
    uint64_t atomic_requests;   // warp-wide atomic instructions on global memory
    uint64_t atomic_operations; // lanes' operations in them
    uint64_t atomic_addresses;  // different addresses, summed over requests; operations - addresses collide
    uint64_t atomic_sectors;    // sectors, each as often as the most wanted address in it has lanes
    uint64_t shared_requests;   // loads, stores and atomics
    uint64_t shared_passes;
    uint64_t constant_requests;
    uint64_t barriers;     // __syncthreads, once a block
    uint64_t shared_loads; // of the shared requests; the rest are atomics
    uint64_t shared_stores;
    uint64_t warp_calls; // shuffles, votes, __syncwarp and the like, once a warp
    uint64_t steps;      // basic blocks that a warp went through; lanes that diverge make steps of their own
    uint64_t step_lanes; // lanes in them: 32 * steps - step_lanes lanes were idle
} wl_sim_counters;

typedef struct {
    char kernel[96]; // "GPUshared"
    unsigned grid[3], block[3];
    uint64_t blocks;     // that were run
    size_t shared_bytes; // static and dynamic, a block
    wl_sim_counters counters;
} wl_sim_launch;

/* Forget the launches recorded so far. */
void wl_sim_forget(void);
/* The launches since then, oldest first; valid until the next launch or wl_sim_forget. */
const wl_sim_launch *wl_sim_launches(size_t *count);

/* One thing that a warp did: a request; a step (a basic block) in which it made none; a barrier; or a warp-wide call. */
typedef struct {
    uint32_t launch;    // of those since the trace began: 0, 1, ...
    uint64_t block;     // of the grid, x fastest
    uint32_t warp;      // of the block
    uint32_t lanes;     // that did it, a bit each
    uint32_t alive;     // that have not returned
    char kind;          // 'l' load, 's' store, 'a' atomic; '.' step, 'b' barrier, 'w' warp-wide call
    uint32_t memory;    // a request: which of the trace's memories
    uint32_t size;      // bytes that each lane asks for
    uint32_t sectors;   // of global memory; of an atomic the different addresses
    uint32_t passes;    // through shared memory
    int64_t offset[32]; // by lane, bytes from the memory's start
    const void *place;  // in the program's code
} wl_sim_trace_event;

/* An array that was accessed. */
typedef struct {
    char space;     // 'g' global, 's' shared, 'c' constant
    unsigned phase; // its address modulo 128 bytes
    uint64_t bytes; // all of it
    /* "dist[128]"; the kernel's pointer, "data"; or the place where it was allocated: "prepare,
       05_shared/kernel.cu:25" */
    char name[160];
} wl_sim_memory;

typedef struct {
    wl_sim_trace_event *events; // [count], by launch, by block, then in the order of time
    size_t count;
    uint64_t left_out; // events of the blocks asked for that came after the most that were wanted
    wl_sim_memory *memories;
    size_t memory_count;
    wl_sim_launch *launches;
    size_t launch_count;
} wl_sim_trace;

/* Record what the blocks of the launches that follow do, until wl_sim_trace_end: of block (x, y, z), or, where `block` is NULL, of
   all. At most `most` events are kept, those of the first blocks; a block that is not the first of its launch is kept whole or not
   at all. */
void wl_sim_trace_begin(const unsigned *block, size_t most);
/* What was recorded. wl_sim_trace_free frees; a zeroed one, too. */
void wl_sim_trace_end(wl_sim_trace *trace);
void wl_sim_trace_free(wl_sim_trace *trace);

/* What stands on a page above the trace. */
typedef struct {
    const char *title;   // "lessons/05_shared, 8x16"
    const char *command; // that made the page
    const char *note;    // NULL, or what the reader has to know: "the check failed: ..."
} wl_sim_heading;
/* A page of HTML that shows the trace step by step and needs no other file: sim/page.html with the trace in it. 0: not enough
   memory. */
int wl_sim_page_write(FILE *stream, const wl_sim_trace *trace, const wl_sim_heading *heading);

/* From here to wl_sim_watched, the calling thread's host code is watched: a crash, a sleep, or eight seconds without a kernel end
   the program with one line, which names the function and the line, and exit code 1. */
void wl_sim_watch(void);
/* NULL, or what was found wrong since wl_sim_watch that no call returned. That is memory freed
   twice or not at all, or touched by the host before a copy is awaited. If the result is wrong, it
   is also a load of memory that nobody had written. A second call may tell that it is. Valid until
   the next call. */
const char *wl_sim_watched(int result_is_wrong);

/* Something that was found wrong. */
typedef enum { WL_SIM_ERROR, WL_SIM_SUPPRESSED } wl_sim_level; // suppressed: somebody has said that it is harmless
typedef struct {
    wl_sim_level level;
    const char *message;               // of the first time
    const char *kind, *kernel, *lines; // "race on shared memory", "reverse", "race.cu:6, race.cu:7"; or NULL
    uint64_t count;                    // how often, in this launch
} wl_sim_finding;
/* Everything that is found wrong is told to `told` as it is found: a kernel that is refused, a race between streams, memory freed
   twice. NULL, as at the beginning: to nobody. */
void wl_sim_on_finding(void (*told)(const wl_sim_finding *finding));
/* While `on`, kernels go on after a finding, as far as a GPU does. `suppressed` (NULL: none), separated by commas: kernels, and lines as
   "race.cu:6", whose findings are harmless. After these, kernels always go on. */
void wl_sim_keep_going(int on, const char *suppressed);
/* NULL, or why a launch was refused of whose error the program has not asked. */
const char *wl_sim_untaken(void);

/* While `on`, a barrier that a thread never reaches is an error, also if that thread has returned, which a GPU allows. */
void wl_sim_barriers_for_all(int on);
/* While `on`, an allocation of device memory is a finding: `launch` is timed, and prepare is there to allocate. */
void wl_sim_launching(int on);
/* The allocation of device memory with this number from now on, counted from 1, finds no memory, nor do later ones that are as large; 0: all find
   some. Returns whether one found none since the last call. */
int wl_sim_refuse_allocation(size_t number);
/* While `on`, kernels are queued but not run. Copies and fills take place. */
void wl_sim_leave_out_kernels(int on);
/* From now on a launch runs at most `blocks` blocks, the first and the last ones of its grid (1: the last), and a block that takes more than
   `steps` steps fails; 0: as always. While `blocks` is not 0, device memory may be larger than the machine's: pages that nobody
   touches cost nothing. Returns whether a block came to its limit of steps since the last call. */
int wl_sim_limit(uint64_t steps, unsigned blocks);
/* From now on a launch runs the first `blocks` blocks of its grid; 0: all. Cooperative launches always run all. */
void wl_sim_first_blocks(uint64_t blocks);
/* From now on, blocks and the warps of a block take turns in another order than usual: 0 as usual, 1 in reverse, others by chance. */
void wl_sim_set_order(uint64_t seed);
/* From now on the device has so many multiprocessors, and a block at most `shared` bytes of shared
   memory, as on a smaller GPU; 0: as usual. */
void wl_sim_resemble(int multiprocessors, size_t shared);
/* A hash of all that device memory holds: two states with the same hash hold the same. */
uint64_t wl_sim_memory_hash(void);
/* Do these bytes lie somewhere in device memory? */
int wl_sim_memory_holds(const void *bytes, size_t count);
/* A copy of what device memory holds; the caller frees. */
typedef struct wl_sim_image wl_sim_image;
wl_sim_image *wl_sim_image_take(void);
void wl_sim_image_free(wl_sim_image *image); // NULL, too
/* Device memory holds again what it held at `image`, but about half of the words of eight bytes that
   differ in `other` hold what they have there. The seed chooses them. The allocations of the two
   correspond in the order in which they were made. Addresses stay as they are. */
void wl_sim_image_mix(const wl_sim_image *image, const wl_sim_image *other, uint64_t seed);

/* From now on, launches are also counted by source line. */
void wl_sim_count_lines(void);
typedef struct {
    const char *file; // as the compiler was given it; NULL where the program does not tell
    int line;
    wl_sim_counters counters;
} wl_sim_line;
/* The lines of all launches of a kernel since then, [*count] by file and line. The caller frees the array, not the names. NULL and 0
   when there are none. */
wl_sim_line *wl_sim_lines(const char *kernel, size_t *count);

/* From now on, `told` is told of a crash of host code before the program ends with exit code 1. Without a watch (wl_sim_watch), too. */
void wl_sim_on_crash(void (*told)(const char *message));

/* A place of a kernel, or of the host's code in its file. It makes a number of 32 bits one of 64, as
   an index is, or multiplies two numbers of 32 bits, or computes a number of 64 bits which is then
   used as one of 32. The last two may be unsigned. x86 only. */
typedef enum { WL_SIM_INDEX, WL_SIM_PRODUCT, WL_SIM_CUT } wl_sim_range_kind; // of cmake/symbol-table.sh
typedef struct {
    const void *place;
    int32_t most; // the largest of its numbers since wl_sim_forget_ranges; INT32_MIN: it had none
    wl_sim_range_kind kind;
} wl_sim_range;
/* All such places of the program, [*count]. */
wl_sim_range *wl_sim_ranges(size_t *count);
void wl_sim_forget_ranges(void);
/* "05_shared/kernel.cu:25" of a place, into `text`. */
void wl_sim_place_name(const void *place, char *text, size_t size);

/* How many threads of this machine simulate blocks side by side; 0 asks for all. The counters do not depend on it. */
void wl_sim_set_workers(int workers);

WL_C_END
