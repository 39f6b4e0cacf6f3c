/* Where the tiles go: into memory, or into a store. */
#include <stdlib.h>

#include "tools/distances/matrix/internal.h"
#include "harness/base/cpu.h"
#include "harness/base/memory.h"
#include "harness/bench/device.h"

/* Of rows that are laid out, where few are in memory. */
#define RING_BAND_BYTES ((size_t)32 << 20)

/* Bytes that a run may take beyond what was asked for, as threads' stacks and the like do anyway. */
#define SLACK 16e6

static wl_status use_memory(distances_matrix *matrix) {
    size_t bytes = (matrix->ring ? matrix->ring : distances_tiles(&matrix->grid)) * matrix->tile_bytes;
    matrix->memory = wl_memory_large(bytes);
    char size[WL_MEMORY_TEXT];
    return matrix->memory
               ? WL_OK
               : wl_fail(WL_NO_MACHINE, "not enough memory for %s of distances", wl_memory_show((double)bytes, size));
}

/* A store that is there says how large its tiles are: another device or less memory may have planned others. */
static wl_status use_store(const distances_request *request, distances_plan *plan, distances_store_key *key,
                           distances_store **store) {
    distances_store_key found;
    int empty = 1;
    wl_status status = WL_OK;
    if (distances_store_exists(request->store)) status = distances_store_look(request->store, &found, &empty);
    if (status != WL_OK) return status;
    if (!empty && found.side > 0 && found.side <= request->data->count && request->share == NULL) {
        double needed = distances_plan_work_bytes(plan, found.side);
        char wanted[WL_MEMORY_TEXT], allowed[WL_MEMORY_TEXT];
        if (found.side > plan->grid.side && needed > (double)plan->memory)
            return wl_fail(WL_NO_MACHINE,
                           "%s: was begun with tiles of %llu instances, which need %s of memory; %s may be used",
                           request->store, (unsigned long long)found.side, wl_memory_show(needed, wanted),
                           wl_memory_show((double)plan->memory, allowed));
        distances_plan_side(request, plan, found.side);
    }
    key->side = plan->grid.side;
    key->tiles = distances_tiles(&plan->grid);
    key->tile_bytes = plan->tile_bytes;
    return distances_store_open(request->store, key, store);
}

/* Parts know their tiles from the numbers of instances and parts, whatever the memory. */
static wl_status use_share(const distances_request *request, distances_plan *plan, distances_matrix *matrix) {
    const distances_share *share = matrix->share = request->share;
    const size_t count = request->data->count;
    if (share == NULL) return WL_OK;
    const size_t side = distances_share_side(count, share->parts);
    const double needed = distances_plan_work_bytes(plan, side);
    char wanted[WL_MEMORY_TEXT], allowed[WL_MEMORY_TEXT];
    if (needed > (double)plan->memory + SLACK)
        return wl_fail(
            WL_NO_MACHINE,
            "one of %zu parts has tiles of %zu instances, which take %s of memory; expected no more than the "
            "%s that may be used: take more parts",
            share->parts, side, wl_memory_show(needed, wanted), wl_memory_show((double)plan->memory, allowed));
    distances_plan_side(request, plan, side);
    matrix->tile_bytes = plan->tile_bytes;
    matrix->grid = plan->grid;
    matrix->owner = malloc(distances_tiles(&matrix->grid) * sizeof *matrix->owner);
    if (matrix->owner == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the list of tiles");
    distances_share_owners(&matrix->grid, share->parts, matrix->owner);
    return WL_OK;
}

wl_status distances_matrix_make(const distances_request *request, distances_plan *plan, distances_matrix *matrix) {
    const distances_data *data = request->data;
    *matrix =
        (distances_matrix){.measure = request->measure,
                           .rescale = request->rescale,
                           .min_compared = distances_may_lack(data, request->min_compared) ? request->min_compared : 0,
                           .kind = data->kind,
                           .complete = data->complete,
                           .sites = data->sites,
                           .stored = plan->stored,
                           .keep_compared = plan->keep_compared,
                           .threads = request->threads > 0 ? request->threads : wl_cpu_threads()};
    matrix->gathering = matrix->threads;
    matrix->largest_value = data->sum == DISTANCES_STEPS ? data->planes : (1 << data->planes) - 1;
    char needed[WL_MEMORY_TEXT], allowed[WL_MEMORY_TEXT];
    wl_memory_show((double)plan->memory, allowed);
    if (plan->needed > (double)plan->memory + SLACK)
        return wl_fail(
            WL_NO_MACHINE,
            "computing distances takes %s of memory beside the data; expected no more than the %s that may be "
            "used",
            wl_memory_show(plan->needed, needed), allowed);
    WL_TRY(use_share(request, plan, matrix));
    if (request->share && request->share->range) return WL_OK; // which has all tiles
    int on_disk = request->store && (!plan->fits || distances_plan_keeps(request, plan));
    if (!on_disk && !plan->fits)
        return wl_fail(WL_NO_MACHINE,
                       "the distances of %zu instances take more than the %s of memory that may be used; expected more "
                       "memory, or a file to keep them in (-o FILE)",
                       data->count, allowed);
    wl_status status = WL_OK;
    if (on_disk) {
        distances_store_key key = {.hash = distances_data_hash(data, matrix->threads),
                                   .count = data->count,
                                   .sites = data->sites,
                                   .stored = plan->stored,
                                   .keep_compared = (uint32_t)plan->keep_compared};
        status = use_store(request, plan, &key, &matrix->store);
    }
    matrix->tile_bytes = plan->tile_bytes;
    matrix->grid = plan->grid;
    matrix->ring = plan->ring;
    if (status == WL_OK && !on_disk) status = use_memory(matrix);
    size_t taken = on_disk ? 0 : (matrix->ring ? matrix->ring : distances_tiles(&matrix->grid)) * matrix->tile_bytes;
    matrix->band_bytes = plan->memory > taken ? (plan->memory - taken) / 2 : 0;
    if (matrix->ring && matrix->band_bytes > RING_BAND_BYTES) matrix->band_bytes = RING_BAND_BYTES;
    return status;
}
