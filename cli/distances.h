/* The parts of `warpladder distances`. */
#ifndef WL_CLI_DISTANCES_H
#define WL_CLI_DISTANCES_H

#include "cli/line.h"
#include "distances/matrix/matrix.h"
#include "harness/bench/device.h"
#include "harness/base/outfile.h"

/* Everything that it needs, from the command line. */
typedef struct {
    const wl_line *line;
    const char *input, *output; // "-": the standard streams
    distances_reading reading;
    wl_device_list devices; // the CPU in front only if it is to compute
    distances_request request;
    distances_layout layout;
    size_t memory; // --memory; 0: not given
    int progress;  // is shown
    double begun, shown;

    wl_outfile file; // of the output; all zero: standard output
    char *store;     // beside the output; NULL: there can be none
} distances_job;

/* cli/distances_options.c: the table, and what is wrong with a line before anything is read. */
extern const wl_option distances_tool_options[];
wl_status distances_job_options(distances_job *job);

/* cli/distances_show.c: what people are told, on standard error. */
void distances_note(const distances_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A note of each line. */
void distances_note_lines(const distances_job *job, const char *text, size_t length);
/* On a terminal: what is being done; "" clears the line. */
void distances_show(const distances_job *job, const char *what);
void distances_show_progress(void *job, double done, double seconds);
void distances_summarise(const distances_job *job, const distances_data *data, const distances_summary *summary);

#endif
