/* The inputs for which a stage is to be chosen: ranges that were measured. */
#pragma once

#include "peeling/join.h"

/* A range of inputs for which an evaluation was measured to take less time than in the stages before (its README). The choice looks
   at sizes alone, so that the same input is computed by the same stage, to the same digits. */
typedef struct peeling_faster {
    const char *device; // as a shell pattern; NULL ends the rows
    int states[2];      // from, to
    peeling_precision precision;
    uint32_t tips[2];
    double cells[2]; // rate classes x patterns: from, and below
} peeling_faster;
/* Measured on an H200 only; an H100 has the same multiprocessors, and no stage's time is bound by device memory. */
#define PEELING_H200 "NVIDIA H[12]00*"
