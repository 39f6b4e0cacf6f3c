#include "mpi/run.h"

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "harness/base/memory.h"
#include "harness/base/thread.h"
#include "mpi/messages.h"
#include "mpi/chunks.h"

typedef struct {
    const wl_mpi_run *run;
    const wl_args *args;
    const wl_parts_tool *tool;
    void *job;
    wl_part_key key; // of the run
} work;

/* --- Chunks ------------------------------------------------------------------------------------------------------- */

/* Their part files in memory. */
typedef struct {
    wl_mpi_chunks of;
    char **bytes; // [of.count], each from malloc
    size_t *size; // [of.count]
} results;

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "not enough memory for the result of a unit"); }

static void free_results(results *made) {
    for (size_t i = 0; made->bytes && i < made->of.count; i++) free(made->bytes[i]);
    WL_FREE(made->bytes, made->size);
    *made = (results){0};
}

static wl_status compute_into(const work *w, results *made, FILE **streams) {
    wl_part_key key = w->key;
    key.part = made->of.first + 1;
    wl_status status = WL_OK;
    for (size_t i = 0; i < made->of.count && status == WL_OK; i++)
        if ((streams[i] = open_memstream(&made->bytes[i], &made->size[i])) == NULL) status = no_memory();
    if (status == WL_OK)
        status = wl_parts_compute(w->args, streams, made->of.count, "a unit's result", w->tool, w->job, &key);
    for (size_t i = 0; i < made->of.count; i++)
        if (streams[i] && fclose(streams[i]) != 0 && status == WL_OK) status = no_memory();
    return status;
}

/* On success free with free_results. */
static wl_status compute(const work *w, wl_mpi_chunks of, results *made) {
    FILE **streams = NULL;
    *made = (results){.of = of};
    wl_status status =
        WL_ALLOCATE(WL_ZEROS(made->bytes, of.count), WL_ZEROS(made->size, of.count), WL_ZEROS(streams, of.count))
            ? compute_into(w, made, streams)
            : no_memory();
    WL_FREE(streams);
    if (status != WL_OK) free_results(made);
    return status;
}

/* --- Other ranks than 0 ------------------------------------------------------------------------------------------ */

static wl_status compute_for_rank_0(const work *w) {
    results made = {0};
    for (;;) {
        wl_mpi_chunks next;
        wl_mpi_send(&made.of, sizeof made.of, 0, WL_MPI_ASK);
        if (made.of.count > 0) wl_mpi_send(made.size, made.of.count * sizeof *made.size, 0, WL_MPI_DATA);
        for (size_t i = 0; i < made.of.count; i++) wl_mpi_send(made.bytes[i], made.size[i], 0, WL_MPI_DATA);
        free_results(&made);
        wl_mpi_receive(&next, sizeof next, 0, WL_MPI_CHUNK);
        if (next.count == 0) return WL_OK;
        WL_TRY(compute(w, next, &made));
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

static wl_status compute_own(const work *w, wl_chunks *chunks, wl_mpi_chunks of) {
    results made;
    WL_TRY(compute(w, of, &made));
    wl_status status = WL_OK;
    for (size_t i = 0; i < of.count && status == WL_OK; i++) {
        status = wl_chunks_give(chunks, of.first + i, "a unit of rank 0", made.bytes[i], made.size[i]);
        made.bytes[i] = NULL; // the chunks' by now
    }
    free_results(&made);
    return status;
}

static wl_mpi_chunks take(wl_chunks *chunks) {
    size_t first;
    const size_t count = wl_chunks_take(chunks, &first);
    return (wl_mpi_chunks){first, count};
}

static void *run_own(void *argument) {
    own_chunks *own = argument;
    wl_status status = WL_OK;
    if (own->work->run->threads > 0) omp_set_num_threads(own->work->run->threads);
    for (wl_mpi_chunks next; status == WL_OK && (next = take(own->chunks)).count > 0;)
        status = compute_own(own->work, own->chunks, next);
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

static wl_status no_memory_on_0(void) {
    return wl_fail(WL_NO_MACHINE, "not enough memory for the results; --work DIR keeps them on disk");
}

/* What a rank has computed. */
static wl_status receive(wl_chunks *chunks, int rank, wl_mpi_chunks of) {
    char from[64];
    snprintf(from, sizeof from, "a unit of rank %d", rank);
    size_t *size = malloc(of.count * sizeof *size);
    if (size == NULL) return no_memory_on_0();
    wl_mpi_receive(size, of.count * sizeof *size, rank, WL_MPI_DATA);
    wl_status status = WL_OK;
    for (size_t i = 0; i < of.count && status == WL_OK; i++) {
        void *bytes = malloc(size[i] + 1);
        if (bytes == NULL) {
            status = no_memory_on_0();
        } else {
            wl_mpi_receive(bytes, size[i], rank, WL_MPI_DATA);
            status = wl_chunks_give(chunks, of.first + i, from, bytes, size[i]);
        }
    }
    free(size);
    return status;
}

/* Takes what a rank has computed, if anything, and gives it more, or nothing. */
static wl_status answer(wl_chunks *chunks, int rank, int *at_work) {
    wl_mpi_chunks made;
    wl_mpi_receive(&made, sizeof made, rank, WL_MPI_ASK);
    if (made.count > 0) WL_TRY(receive(chunks, rank, made));
    const wl_mpi_chunks next = take(chunks);
    *at_work -= next.count == 0;
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
    WL_TRY(wl_chunks_open(r->folder, key, r->chunks, (size_t)r->ranks, &chunks));
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
