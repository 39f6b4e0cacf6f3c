/* Peeling: the likelihood of a tree, of columns of characters at its tips, under a model of substitution (Suchard &
   Rambaut 2009). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "peeling/join.h"

/* C unique columns of n tips. A view of somebody's memory. */
typedef struct {
    uint32_t tips;        // n, at least 2
    uint32_t patterns;    // C; may be 0
    const double *weight; // [patterns]: how many columns are like this one
    /* [tips][patterns]: the state, below model->states, or a set of states, from there on; below
       `codes` */
    const uint16_t *code;
    uint32_t codes;
    /* [codes]: each code's states as bits, never none; set[s] is bit s for the states themselves */
    const uint64_t *set;
} peeling_data;

/* What is to be computed, on numbered buffers. An evaluation of a whole tree is one such list, and a step of a chain is
   another, much shorter one. First all edges, then the joins, in an order in which every vector is computed before it is used; then
     site[c] = log sum_r share[r] sum_s frequency[s] F_root[r][c][s],   total = sum_c weight[c] site[c]. */
typedef struct {
    const peeling_edge *edges;
    const peeling_join *joins;
    uint32_t edge_count, join_count;
    uint32_t root; // vector
} peeling_work;

/* What every variant gets. Only views: the caller keeps the memory until the variant's state is released. */
typedef struct peeling_input {
    peeling_precision precision;       // of F and P; exponents are integers, and logarithms and sums double
    const struct peeling_model *model; // peeling/model/generator.h
    peeling_data data;
    peeling_work work; // of the whole tree: 2 tips - 2 edges into matrices 0 .., tips - 1 joins into partials 0 ..
    uint32_t matrices, partials; // buffers that there have to be
    int work_only;               // an engine is to run `work` and nothing else: it need not keep partials
    /* How stages cut the work, so that small inputs can take the ways of large ones. 0: as suits the device and the size. */
    uint32_t tiles; // 1: the smallest; 2, 4: larger; 7: the largest
    size_t spill;   // 09_resident: one waiting vector in shared memory, the others in so many bytes of device memory
    /* [matrices][rates][states][states]: for the reference alone, made by problem.c; may be NULL */
    const double *reference_matrix;
} peeling_input;
static inline size_t peeling_real(const peeling_input *in) { // bytes of a number
    return in->precision == PEELING_DOUBLE ? sizeof(double) : sizeof(float);
}

/* The result is double[patterns + 1]: site[c], and then the total. Where a column is impossible both are -infinity.
   Work is counted in floating-point operations, by our count: a join R C S (4 S - 1), an edge R (2 S^3 + S^2). */
