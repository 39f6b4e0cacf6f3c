/* What the host computes before a stage runs, without touching a device: sizes in memory, groups of vectors, stretches of blocks. */
#pragma once

#include "harness/base/linkage.h"
#include "papara/problem.h"

WL_C_BEGIN

enum { PAPARA_WARP = 32 };

/* A kernel's argument, by value. The vectors are divided into groups of `width`, a multiple of 32 (the paper's R_padded). A block
   aligns one read to one group, so there are reads x groups blocks. */
typedef struct {
    const uint8_t *codes;   // [letters]
    const uint64_t *start;  // [reads]: read r begins at codes[start[r] - origin]
    const uint32_t *length; // [reads]
    const uint32_t *site;   // as the stage lays it out
    int *score;             // [reads][vectors]
    uint64_t origin;
    size_t reads, vectors, groups;
    uint32_t width;
    uint32_t sites;
    papara_penalties penalties;
    uint32_t sets[PAPARA_CODES];
} papara_task;

typedef struct papara_state papara_state;

/* What is different in each stage. */
typedef struct {
    uint32_t widest; // vectors of a group, at most; a multiple of 32
    /* The layout: its size in bytes, and how to make it from the plain vectors [vectors][sites]. Both are on the device. */
    size_t (*site_bytes)(const papara_input *in, const papara_task *task);
    wl_status (*pack)(papara_state *s, const uint32_t *plain, uint32_t *site);
    /* Bytes of `work` per vector while it is aligned to a read of m letters. NULL: none. */
    size_t (*work_bytes)(const papara_input *in, uint32_t m);
    /* Why the stage cannot take an input, apart from memory; NULL: it can. The pointer itself may be NULL. */
    const char *(*refuses)(const papara_input *in);
} papara_plan;

/* What a stage has on the device, and what it was made from. */
struct papara_state {
    const papara_input *input; // outlives the state
    const papara_plan *plan;
    papara_task task;
    uint32_t *site;  // device, task.site
    uint8_t *codes;  // device
    uint64_t *start; // device
    uint32_t *length;
    void *work; // device, for the stage: a block has `stride` bytes from work + stride * blockIdx.x on
    size_t work_bytes;
};

size_t papara_plain_bytes(const papara_input *in);                   // of the vectors as the input has them
size_t papara_code_bytes(const papara_reads *reads);                 // from a read's lowest begin to the highest end
papara_task papara_task_of(const papara_input *in, uint32_t widest); // without its pointers
/* Device memory that papara_open takes before `work`. It includes the plain vectors, which are there until they are packed. */
size_t papara_upload_bytes(const papara_input *in, const papara_plan *plan);
/* Bytes of `work`: what all blocks need at once, or half of what is free. *least: what the largest block needs. */
size_t papara_work_wanted(const wl_device *device, const papara_input *in, const papara_plan *plan, size_t *least);
/* The end of the stretch of blocks that begins with `first` and that `work` has room for. Block b aligns read b / groups to group
   b % groups. Each block of a stretch has *stride bytes, which is what its longest read needs. */
size_t papara_stretch(const papara_state *s, size_t first, size_t *stride);
/* wl_variant's `supports` of a stage with this plan. */
const char *papara_why_not(const wl_device *device, const papara_input *in, const papara_plan *plan);
/* wl_variant's `cost`: PAPARA_CELL_OPERATIONS for each computed cell, and the vectors, reads and scores moved once. */
enum { PAPARA_CELL_OPERATIONS = 10 };
void papara_cost(const wl_device *device, const void *input, wl_cost *cost);

WL_C_END
