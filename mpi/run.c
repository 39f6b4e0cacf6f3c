#include "mpi/run.h"

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "harness/base/thread.h"
#include "mpi/messages.h"
#include "mpi/chunks.h"

enum { CHUNKS_A_RANK = 8 };

typedef struct {
    const wl_mpi_run *run;
    const wl_args *args;
    const wl_parts_tool *tool;
    void *job;
    wl_part_key key; // of the run
} work;

/* --- A chunk ------------------------------------------------------------------------------------------------------ */

/* Its part file in memory, from malloc. */
static wl_status compute(const work *w, size_t chunk, char **bytes, size_t *size) {
    wl_part_key key = w->key;
    key.part = chunk + 1;
    *bytes = NULL;
    FILE *stream = open_memstream(bytes, size);
    if (stream == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the result of a unit");
    wl_status status = wl_parts_compute(w->args, stream, "a unit's result", w->tool, w->job, &key);
    if (fclose(stream) != 0 && status == WL_OK)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for the result of a unit");
    return status;
}

/* --- Other ranks than 0 ------------------------------------------------------------------------------------------ */

static wl_status compute_for_rank_0(const work *w) {
    wl_mpi_ask ask = {.chunk = -1};
    char *bytes = NULL;
    for (;;) {
        wl_mpi_send(&ask, sizeof ask, 0, WL_MPI_ASK);
        if (ask.chunk >= 0) wl_mpi_send(bytes, ask.bytes, 0, WL_MPI_DATA);
        free(bytes);
        wl_mpi_receive(&ask.chunk, sizeof ask.chunk, 0, WL_MPI_CHUNK);
        if (ask.chunk < 0) return WL_OK;
        size_t size;
        const wl_status status = compute(w, (size_t)ask.chunk, &bytes, &size);
        if (status != WL_OK) {
            free(bytes);
            return status;
        }
        ask.bytes = size;
    }
}

/* --- Rank 0 ------------------------------------------------------------------------------------------------------ */

/* Its own chunks, on a thread of their own. */
typedef struct {
    const work *work;
    wl_chunks *chunks;
    pthread_mutex_t lock; // of all below
    wl_saved_error failure;
} own_chunks;

static wl_status compute_own(const work *w, wl_chunks *chunks, size_t chunk) {
    char *bytes;
    size_t size;
    const wl_status status = compute(w, chunk, &bytes, &size);
    if (status == WL_OK) return wl_chunks_give(chunks, chunk, "a unit of rank 0", bytes, size);
    free(bytes);
    return status;
}

static void *run_own(void *argument) {
    own_chunks *own = argument;
    size_t chunk;
    wl_status status = WL_OK;
    if (own->work->run->threads > 0) omp_set_num_threads(own->work->run->threads);
    while (status == WL_OK && wl_chunks_take(own->chunks, &chunk)) status = compute_own(own->work, own->chunks, chunk);
    pthread_mutex_lock(&own->lock);
    wl_save_error(&own->failure, 0, status);
    pthread_mutex_unlock(&own->lock);
    return NULL;
}

static wl_status look_at_own(own_chunks *own) {
    pthread_mutex_lock(&own->lock);
    const wl_status status = wl_saved_error_again(&own->failure);
    pthread_mutex_unlock(&own->lock);
    return status;
}

/* Takes what a rank has computed, and gives it more, or -1. */
static wl_status answer(wl_chunks *chunks, int rank, int *at_work) {
    wl_mpi_ask ask;
    wl_mpi_receive(&ask, sizeof ask, rank, WL_MPI_ASK);
    if (ask.chunk >= 0) {
        char from[64];
        void *bytes = malloc(ask.bytes + 1);
        if (bytes == NULL)
            return wl_fail(WL_NO_MACHINE, "not enough memory for the results; --work DIR keeps them on disk");
        wl_mpi_receive(bytes, ask.bytes, rank, WL_MPI_DATA);
        snprintf(from, sizeof from, "a unit of rank %d", rank);
        WL_TRY(wl_chunks_give(chunks, (size_t)ask.chunk, from, bytes, ask.bytes));
    }
    size_t chunk;
    const int64_t next = wl_chunks_take(chunks, &chunk) ? (int64_t)chunk : -1;
    *at_work -= next < 0;
    wl_mpi_send(&next, sizeof next, rank, WL_MPI_CHUNK);
    return WL_OK;
}

static wl_status serve(const work *w, wl_chunks *chunks) {
    own_chunks own = {.work = w, .chunks = chunks, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    int at_work = w->run->ranks - 1, from;
    if (!wl_thread_start(&thread, run_own, &own)) return wl_fail(WL_NO_MACHINE, "cannot start a thread");
    wl_status status = WL_OK;
    while (status == WL_OK && (at_work > 0 || wl_chunks_missing(chunks))) {
        wl_mpi_look_for_errors();
        if (wl_mpi_is_there(WL_MPI_ASK, &from))
            status = answer(chunks, from, &at_work);
        else
            wl_mpi_pause();
        if (status == WL_OK) status = look_at_own(&own);
    }
    if (status == WL_OK) pthread_join(thread, NULL); // else all ends now
    return status;
}

static wl_status merge(const work *w, wl_chunks *chunks) {
    wl_part_set set;
    WL_TRY(wl_chunks_set(chunks, &set));
    const wl_status status = w->tool->merge(w->job, &set);
    wl_part_set_close(&set);
    return status;
}

/* --- All --------------------------------------------------------------------------------------------------------- */

/* Rank 0 says what the run is of, and how many chunks it has. */
static wl_status agree(work *w) {
    wl_part_key first = w->key;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (first.inputs != w->key.inputs || first.options != w->key.options)
        return wl_fail(WL_BAD_INPUT, "found other %s than on rank 0; expected the same files on all hosts",
                       first.inputs != w->key.inputs ? "inputs" : "options or another version");
    w->key.parts = first.parts;
    return WL_OK;
}

static wl_status run(wl_parts_driver *driver, const wl_args *args, const wl_parts_tool *tool, void *job,
                     const wl_part_key *key) {
    const wl_mpi_run *r = (const wl_mpi_run *)driver; // its first member
    work w = {.run = r, .args = args, .tool = tool, .job = job, .key = *key};
    if (r->rank > 0) {
        WL_TRY(agree(&w));
        return compute_for_rank_0(&w);
    }
    wl_chunks chunks;
    WL_TRY(wl_chunks_open(r->folder, key, r->chunks, CHUNKS_A_RANK * (size_t)r->ranks, &chunks));
    w.key.parts = chunks.count;
    if (chunks.missing < chunks.count)
        wl_note(args, "%s: %zu of %zu units are finished", r->folder, chunks.count - chunks.missing, chunks.count);
    wl_status status = agree(&w);
    if (status == WL_OK) status = serve(&w, &chunks);
    if (status == WL_OK) status = merge(&w, &chunks);
    if (status == WL_OK) wl_chunks_close(&chunks);
    return status;
}

wl_mpi_run wl_mpi_run_of(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (wl_mpi_run){.driver = {.run = run, .writes = rank == 0, .gpu = -1}};
}
