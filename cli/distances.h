/* The parts of `warpladder distances`. */
#ifndef WL_CLI_DISTANCES_H
#define WL_CLI_DISTANCES_H

#include "cli/parts.h"
#include "cli/tell.h"
#include "distances/matrix/matrix.h"
#include "harness/bench/device.h"
#include "harness/base/outfile.h"

/* Everything that it needs, from the command line. */
typedef struct {
    const wl_line *line;
    const char *input, *output; // "-": the standard streams
    distances_reading reading;
    wl_devices_coming devices;
    distances_request request;
    distances_layout layout;
    distances_cluster_count clusters;
    size_t memory; // --memory; 0: not given
    char *notes;   // of what was read, for the end: nobody wants them where there is no result
    wl_progress progress;
    double begun;

    wl_outfile file; // of the output; all zero: standard output
    char *store;     // beside the output; NULL: there can be none
} distances_job;

/* cli/distances_options.c: the table, and what is wrong with a line before anything is read. */
extern const wl_option distances_tool_options[];
wl_status distances_job_options(distances_job *job);
/* The request's devices, which distances_job_options has begun to look for. */
wl_status distances_job_devices(distances_job *job);

/* cli/distances_parts.c: the command in parts; wl_parts_run gets distances_part_job. */
extern const wl_parts_tool distances_parts_tool;
typedef struct {
    distances_job *job;
    distances_data *data;
} distances_part_job;

/* cli/distances.c: compute the matrix, or fetch it, and write it. */
wl_status distances_job_compute(distances_job *job, distances_data *data);

#endif
