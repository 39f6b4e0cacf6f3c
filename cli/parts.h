/* A tool's run in parts: the same work by several processes, here or on other machines, and a merge that gives the bytes of a single
   run. The unit of work is part I of N. A tool says what it is, how it computes one and how it makes its output of all of them; who
   computes which part is no matter of the tool. */
#pragma once

#include "cli/args.h"
#include "io/part.h"

/* In a tool's table of options. */
#define WL_OPTION_PART                                                                                               \
    {                                                                                                                \
        "part", "I/N", NULL,                                                                                         \
            "compute part I of N only, into the part file -o FILE; 'warpladder merge' makes the output of all parts" \
    }

typedef struct wl_parts_tool {
    const char *own;     // options that no result depends on, with blanks around each: " output device "
    const char *outputs; // the same: further outputs, which parts do not write
    const char *inputs;  // options that name input files; their content counts
    /* A hash of all inputs, read by now. */
    wl_status (*hash)(void *job, uint64_t *hash);
    /* Put the range's parts into its writers. What several parts share may be in any one of them. Any number of parts may be more than
       there is work for. Called for several ranges one after the other, it leaves the job as it was. */
    wl_status (*compute)(void *job, const wl_part_range *range);
    /* Write the output from all parts. */
    wl_status (*merge)(void *job, const wl_part_set *set);
} wl_parts_tool;

/* Who computes which part. There is none in an ordinary run. */
typedef struct wl_parts_driver {
    wl_status (*run)(struct wl_parts_driver *driver, const wl_args *args, const wl_parts_tool *tool, void *job,
                     const wl_part_key *key);
    int writes;      // does this process write the output?
    int only_merges; // and compute nothing, so that any device will do?
    int merge_share; // how many times its own threads this process may use to merge, since others have nothing left to do; 0: once
    int gpu; // the number of this process among those that share the machine's GPUs; -1: it has all
} wl_parts_driver;
void wl_parts_drive(wl_parts_driver *driver);

/* Is this run, or what is asked for, one of parts? Then the tool reads its inputs, calls wl_parts_run and does nothing else. */
int wl_parts_wanted(const wl_args *args);
/* Does this process write the output under its name? Else the tool opens none. */
int wl_parts_writes(const wl_args *args);
/* The threads for a merge, of a process that has `threads` (0: OpenMP's choice) for a part. */
int wl_parts_merge_threads(int threads);
/* Is it worth a line that a part is finished? */
int wl_parts_tells(const wl_args *args);
/* The value of --device for this process; `text` may be what is returned. */
const char *wl_parts_device(const wl_args *args, char text[64]);
/* What is wrong with --part, before anything is read. `line` is one of a tool with that option. */
wl_status wl_parts_check(const wl_args *args, const wl_parts_tool *tool);
wl_status wl_parts_run(const wl_args *args, const wl_parts_tool *tool, void *job);

/* `count` parts from key->part on, each to its stream. */
wl_status wl_parts_compute(const wl_args *args, FILE *const *streams, size_t count, const char *name,
                           const wl_parts_tool *tool, void *job, const wl_part_key *key);
/* The line of `command`, a tool, for a merge: what its result depends on is a part's fields, all else that of merge's `own` line. Nothing
   of a part is read as an option or names a file that is written. What the line points to is the part's and `own`'s; wl_args_free frees
   the rest. WL_BAD_INPUT: the part asks for what no part of that tool has. */
wl_status wl_parts_line(const wl_part *part, const wl_command *command, const wl_args *own, wl_args *args);
