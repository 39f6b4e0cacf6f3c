/* What the parts of `warpladder align-reads` share. */
#ifndef WL_CLI_ALIGN_READS_H
#define WL_CLI_ALIGN_READS_H

#include "cli/tell.h"
#include "harness/bench/device.h"
#include "papara/align/outputs.h"
#include "papara/align/part.h"

/* Everything that it needs, from the command line. */
typedef struct {
    const wl_line *line;
    papara_files files;
    wl_device_list devices; // the CPU in front only if it is to score
    papara_align_request request;
    papara_data data;
    papara_outputs outputs;
    int keep_insertions;
    double most_per_letter; // INFINITY: no limit
    wl_progress progress;
    double begun;
} align_job;

/* cli/align_notes.c: for people, beside the data. */
void align_note_input(const align_job *j);
void align_note_result(const align_job *j, const papara_aligned *aligned, const papara_layout *layout);

#endif
