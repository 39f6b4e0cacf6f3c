/* Sizes, groups and stretches of blocks: the host's part of every GPU stage. */
#include "papara/kit/plan.h"

#include <string.h>

size_t papara_plain_bytes(const papara_input *in) { return sizeof(uint32_t) * in->vectors * in->sites; }

/* The lowest begin of a read. Reads may be in any order. */
static uint64_t origin_of(const papara_reads *reads) {
    uint64_t origin = reads->count > 0 ? reads->start[0] : 0;
    for (size_t r = 1; r < reads->count; r++)
        if (reads->start[r] < origin) origin = reads->start[r];
    return origin;
}

size_t papara_code_bytes(const papara_reads *reads) {
    uint64_t end = 0;
    for (size_t r = 0; r < reads->count; r++)
        if (reads->start[r] + reads->length[r] > end) end = reads->start[r] + reads->length[r];
    return (size_t)(end - origin_of(reads));
}

/* All groups have the same width. There are as few groups as possible, and then as narrow ones as possible: 321 vectors are two groups
   of 192, not one of 320 and one of 1. */
papara_task papara_task_of(const papara_input *in, uint32_t widest) {
    papara_task task = {.reads = in->reads.count,
                        .vectors = in->vectors,
                        .sites = in->sites,
                        .penalties = in->penalties,
                        .origin = origin_of(&in->reads),
                        .groups = (in->vectors + widest - 1) / widest};
    memcpy(task.sets, in->sets, sizeof task.sets);
    const size_t each = task.groups > 0 ? (in->vectors + task.groups - 1) / task.groups : 1;
    task.width = (uint32_t)((each + PAPARA_WARP - 1) / PAPARA_WARP * PAPARA_WARP);
    return task;
}

size_t papara_upload_bytes(const papara_input *in, const papara_plan *plan) {
    const papara_task task = papara_task_of(in, plan->widest);
    size_t bytes = papara_plain_bytes(in) + plan->site_bytes(in, &task) + papara_code_bytes(&in->reads);
    bytes += in->reads.count * (sizeof(uint64_t) + sizeof(uint32_t) + sizeof(int) * in->vectors);
    return bytes + ((size_t)1 << 20); // because allocations are rounded up
}

/* Bytes of `work` per block that aligns a read of m letters. */
static size_t block_bytes(const papara_input *in, const papara_plan *plan, uint32_t width, uint32_t m) {
    return plan->work_bytes != NULL ? plan->work_bytes(in, m) * width : 0;
}

/* Bytes of `work`: all, for all blocks at once; least, for the largest block. */
static void work_range(const papara_input *in, const papara_plan *plan, size_t *least, size_t *all) {
    const papara_task task = papara_task_of(in, plan->widest);
    *least = 0;
    for (size_t r = 0; r < in->reads.count; r++) {
        const size_t bytes = block_bytes(in, plan, task.width, in->reads.length[r]);
        if (bytes > *least) *least = bytes;
    }
    *all = *least * task.groups * task.reads;
}

const char *papara_why_not(const wl_device *device, const papara_input *in, const papara_plan *plan) {
    const char *why = plan->refuses != NULL ? plan->refuses(in) : NULL;
    if (why != NULL) return why;
    size_t least, all, upload = papara_upload_bytes(in, plan);
    if (upload > device->memory_free) return "the vectors, reads and scores do not fit into device memory";
    work_range(in, plan, &least, &all);
    // `work` gets half of what is left.
    if (2 * least > device->memory_free - upload)
        return "a block's rows do not fit into device memory beside the vectors";
    return NULL;
}

size_t papara_work_wanted(const wl_device *device, const papara_input *in, const papara_plan *plan, size_t *least) {
    const size_t taken = papara_upload_bytes(in, plan);
    const size_t room = device->memory_free > taken ? (device->memory_free - taken) / 2 : 0;
    size_t wanted;
    work_range(in, plan, least, &wanted);
    if (wanted == 0) return 0; // nothing to align, or a stage without rows
    if (wanted > room) wanted = room;
    return wanted < *least ? *least : wanted;
}

size_t papara_stretch(const papara_state *s, size_t first, size_t *stride) {
    const papara_task *task = &s->task;
    const size_t BLOCKS_MOST = (size_t)1 << 30; // per launch; the hardware's limit is twice as many
    const size_t groups = task->groups, blocks = task->reads * groups;
    size_t end = first;
    *stride = 0;
    while (end < blocks) {
        const size_t read = end / groups, next = (read + 1) * groups;
        size_t bytes = block_bytes(s->input, s->plan, task->width, s->input->reads.length[read]);
        if (bytes < *stride) bytes = *stride;
        size_t fit = bytes > 0 ? s->work_bytes / bytes : BLOCKS_MOST;
        if (fit > BLOCKS_MOST) fit = BLOCKS_MOST;
        if (fit <= end - first) break;
        *stride = bytes;
        end = next < first + fit ? next : first + fit;
        if (end < next) break;
    }
    return end;
}

/* Ten operations of equation 1: two for M, five additions, three minima. Choosing penalties by CGAP is not counted. */
void papara_cost(const wl_device *device, const void *input, wl_cost *cost) {
    const papara_input *in = input;
    (void)device;
    cost->bytes = (double)papara_plain_bytes(in) + (double)in->reads.letters;
    cost->bytes += (double)sizeof(int) * (double)in->reads.count * (double)in->vectors;
    cost->operations = PAPARA_CELL_OPERATIONS * papara_cells_computed(&in->reads, in->vectors, in->sites);
    cost->rate = WL_RATE_INT32;
}
