/* What the kernels of stages 01 to 06 share: which thread aligns what, and a cell of equation 1. */
#pragma once

#include "papara/kit/device.h"

enum { PAPARA_THREADS = 320 }; // the paper's threads per block: 12 columns of each need 15 KB

/* The paper's Figure 2: a block aligns one read, and each of its threads takes one vector. */
typedef struct {
    size_t read, group, vector;
    int m;            // letters of the read
    const uint8_t *B; // [m], its codes
} papara_pair;

static __device__ __forceinline__ papara_pair papara_pair_of(const papara_task *task, size_t block) {
    papara_pair pair;
    pair.read = block / task->groups;
    pair.group = block % task->groups;
    pair.vector = pair.group * task->width + threadIdx.x;
    pair.m = (int)task->length[pair.read];
    pair.B = task->codes + (task->start[pair.read] - task->origin);
    return pair;
}

/* S[i][j] of equation 1. match: A[i] and B[j] have a state in common; gapped: A[i] has CGAP; diagonal: S[i-1][j-1]; above:
   S[i][j-1]; left: S[i-1][j]; *D: D[i-1][j] before, D[i][j] after. */
static __device__ __forceinline__ int papara_cell(const papara_penalties *p, bool match, bool gapped, int diagonal,
                                                  int above, int left, int *D) {
    const int CG = gapped ? p->cgap : 0, GP_OE = gapped ? 0 : p->gap_open, GP_E = gapped ? 0 : p->gap_extend;
    const int M = match ? 0 : p->mismatch;
    *D = min(left + GP_OE, *D + GP_E);
    return min(min(diagonal + M + CG, *D), above + p->insertion);
}

/* The same from a site as the input has it (A) and the states of a letter (B). */
static __device__ __forceinline__ int papara_cell_at(const papara_penalties *p, uint32_t A, uint32_t B, int diagonal,
                                                     int above, int left, int *D) {
    return papara_cell(p, (A & B) != 0, (A & PAPARA_CGAP) != 0, diagonal, above, left, D);
}
