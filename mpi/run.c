#include "mpi/run.h"

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "harness/base/thread.h"
#include "mpi/messages.h"
#include "mpi/units.h"

enum { UNITS_A_RANK = 8 };

typedef struct {
    const wl_mpi_run *run;
    const wl_line *line;
    const wl_parts_tool *tool;
    void *job;
    wl_part_key key; /* of the run */
} work;

/* --- A unit ------------------------------------------------------------------------------------------------------ */

/* Its part file in memory, from malloc. */
static wl_status compute(const work *w, size_t unit, char **bytes, size_t *size) {
    wl_part_key key = w->key;
    key.part = unit + 1;
    *bytes = NULL;
    FILE *stream = open_memstream(bytes, size);
    if (stream == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the result of a unit");
    wl_status status = wl_parts_compute(w->line, stream, "a unit's result", w->tool, w->job, &key);
    if (fclose(stream) != 0 && status == WL_OK)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for the result of a unit");
    return status;
}

/* --- Other ranks than 0 ------------------------------------------------------------------------------------------ */

static wl_status compute_for_rank_0(const work *w) {
    wl_mpi_ask ask = {.unit = -1};
    char *bytes = NULL;
    for (;;) {
        wl_mpi_send(&ask, sizeof ask, 0, WL_MPI_ASK);
        if (ask.unit >= 0) wl_mpi_send(bytes, ask.bytes, 0, WL_MPI_DATA);
        free(bytes);
        wl_mpi_receive(&ask.unit, sizeof ask.unit, 0, WL_MPI_UNIT);
        if (ask.unit < 0) return WL_OK;
        size_t size;
        const wl_status status = compute(w, (size_t)ask.unit, &bytes, &size);
        if (status != WL_OK) {
            free(bytes);
            return status;
        }
        ask.bytes = size;
    }
}

/* --- Rank 0 ------------------------------------------------------------------------------------------------------ */

/* Its own units, on a thread of their own. */
typedef struct {
    const work *work;
    wl_units *units;
    pthread_mutex_t lock; /* of all below */
    wl_saved_error failure;
} own_units;

static wl_status compute_own(const work *w, wl_units *units, size_t unit) {
    char *bytes;
    size_t size;
    const wl_status status = compute(w, unit, &bytes, &size);
    if (status == WL_OK) return wl_units_give(units, unit, "a unit of rank 0", bytes, size);
    free(bytes);
    return status;
}

static void *run_own(void *argument) {
    own_units *own = argument;
    size_t unit;
    wl_status status = WL_OK;
    if (own->work->run->threads > 0) omp_set_num_threads(own->work->run->threads);
    while (status == WL_OK && wl_units_take(own->units, &unit)) status = compute_own(own->work, own->units, unit);
    pthread_mutex_lock(&own->lock);
    wl_save_error(&own->failure, 0, status);
    pthread_mutex_unlock(&own->lock);
    return NULL;
}

static wl_status look_at_own(own_units *own) {
    pthread_mutex_lock(&own->lock);
    const wl_status status = wl_saved_error_again(&own->failure);
    pthread_mutex_unlock(&own->lock);
    return status;
}

/* Takes what a rank has computed, and gives it more, or -1. */
static wl_status answer(wl_units *units, int rank, int *at_work) {
    wl_mpi_ask ask;
    wl_mpi_receive(&ask, sizeof ask, rank, WL_MPI_ASK);
    if (ask.unit >= 0) {
        char from[64];
        void *bytes = malloc(ask.bytes + 1);
        if (bytes == NULL)
            return wl_fail(WL_NO_MACHINE, "not enough memory for the results; --work DIR keeps them on disk");
        wl_mpi_receive(bytes, ask.bytes, rank, WL_MPI_DATA);
        snprintf(from, sizeof from, "a unit of rank %d", rank);
        WL_TRY(wl_units_give(units, (size_t)ask.unit, from, bytes, ask.bytes));
    }
    size_t unit;
    const int64_t next = wl_units_take(units, &unit) ? (int64_t)unit : -1;
    *at_work -= next < 0;
    wl_mpi_send(&next, sizeof next, rank, WL_MPI_UNIT);
    return WL_OK;
}

static wl_status serve(const work *w, wl_units *units) {
    own_units own = {.work = w, .units = units, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    int at_work = w->run->ranks - 1, from;
    if (!wl_thread_start(&thread, run_own, &own)) return wl_fail(WL_NO_MACHINE, "cannot start a thread");
    wl_status status = WL_OK;
    while (status == WL_OK && (at_work > 0 || wl_units_missing(units))) {
        wl_mpi_look_for_errors();
        if (wl_mpi_is_there(WL_MPI_ASK, &from))
            status = answer(units, from, &at_work);
        else
            wl_mpi_pause();
        if (status == WL_OK) status = look_at_own(&own);
    }
    if (status == WL_OK) pthread_join(thread, NULL); /* else all ends now */
    return status;
}

static wl_status merge(const work *w, wl_units *units) {
    wl_part_set set;
    WL_TRY(wl_units_set(units, &set));
    const wl_status status = w->tool->merge(w->job, &set);
    wl_part_set_close(&set);
    return status;
}

/* --- All --------------------------------------------------------------------------------------------------------- */

/* Rank 0 says what the run is of, and how many units it has. */
static wl_status agree(work *w) {
    wl_part_key first = w->key;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (first.inputs != w->key.inputs || first.options != w->key.options)
        return wl_fail(WL_BAD_INPUT, "found other %s than on rank 0; expected the same files on all hosts",
                       first.inputs != w->key.inputs ? "inputs" : "options or another version");
    w->key.parts = first.parts;
    return WL_OK;
}

static wl_status run(wl_parts_driver *driver, const wl_line *line, const wl_parts_tool *tool, void *job,
                     const wl_part_key *key) {
    const wl_mpi_run *r = (const wl_mpi_run *)driver; /* its first member */
    work w = {.run = r, .line = line, .tool = tool, .job = job, .key = *key};
    if (r->rank > 0) {
        WL_TRY(agree(&w));
        return compute_for_rank_0(&w);
    }
    wl_units units;
    WL_TRY(wl_units_open(r->folder, key, r->units, UNITS_A_RANK * (size_t)r->ranks, &units));
    w.key.parts = units.count;
    if (units.missing < units.count)
        wl_note(line, "%s: %zu of %zu units are finished", r->folder, units.count - units.missing, units.count);
    wl_status status = agree(&w);
    if (status == WL_OK) status = serve(&w, &units);
    if (status == WL_OK) status = merge(&w, &units);
    if (status == WL_OK) wl_units_close(&units);
    return status;
}

wl_mpi_run wl_mpi_run_of(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (wl_mpi_run){.driver = {.run = run, .writes = rank == 0, .gpu = -1}};
}
