/* `warpladder distances` in parts. */
#include <stdio.h>

#include "cli/distances.h"
#include "harness/base/cpu.h"

static wl_status hash_inputs(void *context, uint64_t *hash) {
    const distances_part_job *part = context;
    *hash =
        distances_data_hash(part->data, part->job->request.threads > 0 ? part->job->request.threads : wl_cpu_threads());
    return WL_OK;
}

static void summarise(const distances_job *job, size_t part, size_t parts, const distances_summary *summary) {
    if (!wl_parts_tells(job->line)) return;
    fprintf(stderr, "warpladder distances: part %zu of %zu: %zu of %zu tiles", part + 1, parts,
            summary->tiles - summary->resumed, summary->tiles);
    if (job->request.devices[0].backend == WL_SIM || summary->comparisons <= 0) // whose time says nothing
        fprintf(stderr, " on %s\n", summary->devices);
    else
        fprintf(stderr, " in %.2f s, %.3g comparisons/s on %s\n", summary->seconds,
                summary->comparisons / summary->seconds, summary->devices);
}

static wl_status compute_part(void *context, size_t part, size_t parts, wl_part_writer *writer) {
    const distances_part_job *all = context;
    const distances_share share = {.part = part, .parts = parts, .writer = writer};
    distances_request request = all->job->request;
    distances_summary summary;
    distances_matrix *matrix;
    request.data = all->data;
    request.share = &share;
    request.store = NULL;
    WL_TRY(distances_compute(&request, &matrix, &summary));
    distances_matrix_close(matrix, 0);
    wl_progress_show(&all->job->progress, "%s", "");
    summarise(all->job, part, parts, &summary);
    return WL_OK;
}

static wl_status merge_parts(void *context, const wl_part_set *set) {
    const distances_part_job *all = context;
    const distances_share share = {.parts = set->count, .set = set};
    all->job->request.share = &share;
    const wl_status status = distances_job_compute(all->job, all->data);
    all->job->request.share = NULL;
    return status;
}

const wl_parts_tool distances_parts_tool = {.own = " output device variant threads memory restart ",
                                            .inputs = " ",
                                            .hash = hash_inputs,
                                            .compute = compute_part,
                                            .merge = merge_parts};
