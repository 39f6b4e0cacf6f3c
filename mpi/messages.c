#include "mpi/messages.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A message has at most so many bytes: MPI counts in int. */
#define MOST ((size_t)1 << 30)

void wl_mpi_pause(void) {
    const struct timespec time = {.tv_nsec = 500000};
    nanosleep(&time, NULL);
}

static void wait_for(MPI_Request *request) {
    for (int done = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done;) wl_mpi_pause();
}

/* Sends the bytes, or receives them, in messages that are short enough. */
static void carry(unsigned char *at, size_t size, int other, int tag, int sends) {
    do {
        const int now = (int)(size < MOST ? size : MOST);
        MPI_Request request;
        if (sends)
            MPI_Isend(at, now, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(at, now, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
        wait_for(&request);
        at += now;
        size -= (size_t)now;
    } while (size > 0);
}

void wl_mpi_send(const void *bytes, size_t size, int to, int tag) { carry((unsigned char *)bytes, size, to, tag, 1); }

void wl_mpi_receive(void *bytes, size_t size, int from, int tag) { carry(bytes, size, from, tag, 0); }

int wl_mpi_is_there(int tag, int *from) {
    int found;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
    if (found) *from = status.MPI_SOURCE;
    return found;
}

void wl_mpi_meet(void) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_for(&request);
}

/* --- Errors ------------------------------------------------------------------------------------------------------ */

__attribute__((noreturn)) static void end_all(const wl_mpi_error *error) {
    fprintf(stderr, "%s\n", error->line);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, error->status);
    exit(error->status);
}

void wl_mpi_look_for_errors(void) {
    int from;
    wl_mpi_error error;
    if (!wl_mpi_is_there(WL_MPI_ERROR, &from)) return;
    wl_mpi_receive(&error, sizeof error, from, WL_MPI_ERROR);
    error.line[sizeof error.line - 1] = 0;
    end_all(&error);
}

void wl_mpi_fail(const char *command, wl_status status) {
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int rank, length;
    wl_mpi_error error = {.status = status};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    snprintf(error.line, sizeof error.line, "warpladder-mpi %s: rank %d on %.60s: %s", command, rank, host, wl_error());
    if (rank > 0) {
        /* Often all ranks find the same mistake: rank 0 says it once. Where it is busy, say it here. */
        const struct timespec time = {.tv_nsec = 10000000};
        MPI_Request request;
        MPI_Isend(&error, sizeof error, MPI_BYTE, 0, WL_MPI_ERROR, MPI_COMM_WORLD, &request);
        for (int i = 0, sent; i < 300 + rank % 100; i++) {
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
            nanosleep(&time, NULL);
        }
    }
    end_all(&error);
}
