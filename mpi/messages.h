/* Messages between rank 0, which hands out chunks, and the others, which compute them. Waiting sleeps: ranks may be more than cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { WL_MPI_ASK = 1, WL_MPI_CHUNK, WL_MPI_DATA, WL_MPI_ERROR };

/* Chunks first .. first + count - 1. From rank 0: what to compute; no chunks: nothing is left. To rank 0: what is computed, of which each
   chunk's size follows, and then its bytes; and that the rank wants more. */
typedef struct {
    uint64_t first, count;
} wl_mpi_chunks;

/* Another rank's error. */
typedef struct {
    int32_t status;
    char line[1200];
} wl_mpi_error;

void wl_mpi_send(const void *bytes, size_t size, int to, int tag);
void wl_mpi_receive(void *bytes, size_t size, int from, int tag);
/* Is there a message of this tag? From whom? */
int wl_mpi_is_there(int tag, int *from);
/* Sleep for as long as a message may well wait. */
void wl_mpi_pause(void);
/* When all ranks have come here. */
void wl_mpi_meet(void);

/* The end of all ranks, for an error of this one: one line on standard error, with the rank and its host. */
__attribute__((noreturn)) void wl_mpi_fail(const char *command, wl_status status);
/* On rank 0: the same for another rank's error, where there is one. */
void wl_mpi_look_for_errors(void);
