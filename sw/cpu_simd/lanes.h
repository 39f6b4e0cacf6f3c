/* Which subject each lane works on. A lane that comes to the end of its subject takes the next one of the job's list. So lanes
   are idle only at the end of the list, whatever the lengths. */
#pragma once

#include <string.h>

#include "sw/cpu_simd/core.h"

/* At most so many blocks of columns lie between two looks at the lanes, so a lane that has overflowed ends soon. */
enum { RUN = 64 };

#define IDLE SIZE_MAX

typedef struct {
    const cpu_job *job;
    size_t given;                    // subjects handed out
    int busy;                        // lanes
    const uint8_t *next[MOST_LANES]; // its next residues
    uint32_t left[MOST_LANES];       // blocks of columns until its subject ends
    size_t item[MOST_LANES];         // its subject's place in the job's list, or IDLE
    uint8_t ends[RUN * COLUMNS];     // what an idle lane reads
} cpu_lanes;

/* Hands the next subject to a lane, or nothing if none is left. */
INLINE void lanes_refill(cpu_lanes *lanes, size_t lane) {
    const cpu_job *job = lanes->job;
    if (lanes->given < job->count) {
        const size_t item = lanes->given++, s = job->subject[item];
        lanes->item[lane] = item;
        lanes->next[lane] = job->database->residues + job->database->start[s];
        lanes->left[lane] = (job->database->length[s] + COLUMNS - 1) / COLUMNS;
        lanes->busy++;
    } else {
        lanes->item[lane] = IDLE;
        lanes->next[lane] = lanes->ends;
        lanes->left[lane] = UINT32_MAX;
    }
}

INLINE void lanes_start(cpu_lanes *lanes, const cpu_job *job, size_t count) {
    lanes->job = job;
    lanes->given = 0;
    lanes->busy = 0;
    memset(lanes->ends, SW_END, sizeof lanes->ends);
    for (size_t lane = 0; lane < count; lane++) lanes_refill(lanes, lane);
}

/* The number of blocks until a lane's subject ends, at most RUN. */
INLINE uint32_t lanes_run(const cpu_lanes *lanes, size_t count) {
    uint32_t least = RUN;
    for (size_t lane = 0; lane < count; lane++)
        if (lanes->left[lane] < least) least = lanes->left[lane];
    return least;
}

INLINE void lanes_advance(cpu_lanes *lanes, size_t count, uint32_t run) {
    for (size_t lane = 0; lane < count; lane++) {
        if (lanes->item[lane] == IDLE) continue;
        lanes->next[lane] += run * COLUMNS;
        lanes->left[lane] -= run;
    }
}
