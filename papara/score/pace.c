#include "papara/score/pace.h"

#include "harness/bench/crew.h"
#include "papara/score/queue.h"

#define GPU_CELLS_MOST 4e12 // of the smallest block with all reads of a launch: a second or two of an H200
#define LONGEST_ON_CPU 0.5  // seconds of a block, so that progress is seen

/* How long a block should take, where there is a choice: a share of what the whole rest will, so that blocks are
   large where nothing is at stake and all finish together; not so short that a block's beginning and end count; and
   the first one, before a rate has been measured, not long. */
static const struct {
    double rate;                   // that is assumed until one is measured: cells a second of a GPU or a CPU thread
    double share, shortest, first; // seconds
} expected[WL_BACKENDS] = {
    [WL_CPU] = {5e9, 0.25, 0.02, 0.1},
    [WL_GPU] = {5e11, 0.5, 0.2, 0.5},
    [WL_SIM] = {5e5, 0.25, 0.2, 0.2},
};

/* Cells a second of one worker. */
static double rate_of(const papara_pace *pace) {
    if (pace->busy > 0 && pace->cells > 0) return pace->cells / pace->busy;
    double rate = expected[pace->device->backend].rate;
    return pace->device->backend == WL_GPU ? rate / (double)pace->workers : rate;
}

double papara_block_wanted(const papara_pace *paces, size_t count, const papara_pace *pace, double cells_left) {
    wl_backend backend = pace->device->backend;
    double rates = 0;
    for (size_t i = 0; i < count; i++) rates += rate_of(&paces[i]) * (double)paces[i].workers;
    double seconds = expected[backend].share * cells_left / rates;
    if (pace->cells == 0 && seconds > expected[backend].first) seconds = expected[backend].first;
    if (backend == WL_CPU && seconds > LONGEST_ON_CPU) seconds = LONGEST_ON_CPU;
    if (seconds < expected[backend].shortest) seconds = expected[backend].shortest;
    return seconds * rate_of(pace);
}

size_t papara_reads_of_a_launch(const papara_score_request *request) {
    const size_t count = request->reads.count, step = PAPARA_WIDE_STEP;
    const double letters = (double)request->reads.letters / (double)count;
    size_t most = count;
    for (size_t d = 0; d < request->device_count; d++) {
        const wl_device *device = &request->devices[d];
        if (device->backend != WL_GPU) continue;
        size_t memory = device->memory_free;
        if (request->memory > 0 && memory > request->memory) memory = request->memory;
        double by_cells = GPU_CELLS_MOST / ((double)step * request->sites * letters);
        double by_memory =
            (double)memory / (double)wl_crew_workers(device) / 4 / ((double)step * sizeof(int) + letters);
        double reads = by_cells < by_memory ? by_cells : by_memory;
        if (reads < (double)most) most = (size_t)reads;
    }
    if (request->most_reads > 0 && most > request->most_reads) most = request->most_reads;
    if (most > PAPARA_SCORES_MOST / step) most = PAPARA_SCORES_MOST / step;
    return most > 0 ? most : 1;
}

size_t papara_vectors_of_a_launch(const papara_score_request *request, wl_backend backend, size_t memory,
                                  size_t reads) {
    if (backend == WL_CPU) return PAPARA_NARROW_VECTORS;
    size_t by_scores = PAPARA_SCORES_MOST / reads, by_memory = memory / 4 / sizeof(uint32_t) / request->sites;
    size_t most = by_scores < by_memory ? by_scores : by_memory;
    if (most > PAPARA_WIDE_STEP) most -= most % PAPARA_WIDE_STEP;
    return most > 0 ? most : 1;
}
