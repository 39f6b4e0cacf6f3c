/* A run in parts by all ranks. */
#pragma once

#include "cli/parts.h"

typedef struct {
    wl_parts_driver driver; // the first member
    const char *folder;     // --work; NULL: not given
    size_t chunks;          // --chunks; 0: not given
    int rank, ranks;
    int threads; // of this process; 0: OpenMP's choice
} wl_mpi_run;

/* Whose driver computes chunks on all ranks, handed out by rank 0, and merges them on rank 0. */
wl_mpi_run wl_mpi_run_of(void);
