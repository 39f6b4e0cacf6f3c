/* The variant's state, and the evaluation that works on it. */
#ifndef PEELING_CPU_SIMD_STATE_H
#define PEELING_CPU_SIMD_STATE_H

#include "peeling/core/core.h"

/* A unit of work is one rate class of one tile of columns. A tile's vector is [tile][padded] numbers, and behind them
   scales and exponents; with four states [4][tile] numbers, and exponents. */
typedef struct {
    const peeling_input *input;
    peeling_work work;
    peeling_model model;
    const cpu_core *core;
    const cpu_precision *of;
    int keep, few, threads;
    size_t states, rates;
    size_t padded, row; /* states, to whole vectors of the precision, and of doubles */
    size_t number;      /* bytes of one */
    size_t tile, tiles; /* columns of a tile, how many */
    size_t matrix_bytes, vector_bytes, scale_at, exponent_at, code_bytes, scratch_bytes;
    double *left;            /* E^-1 transposed, [states][row] */
    double *right;           /* E transposed, as product() wants it */
    void *code;              /* [tips][tiles][tile] */
    unsigned char *matrices; /* [matrices][rates][matrix_bytes] */
    unsigned char *partials; /* keep: [partials][rates][tiles][vector_bytes]; else [threads][slots][vector_bytes] */
    uint32_t *slot, slots;   /* of the partials, not with keep */
    unsigned char *scratch;  /* [threads][scratch_bytes] */
    double *sum;             /* [rates][columns]: what cpu_root computes */
    int32_t *exponent;       /* [rates][columns] */
    double *site, total;     /* [patterns] */
} cpu_state;

/* Edges, joins, sites and the total of s->work, on all threads. */
void cpu_evaluate(cpu_state *s);

/* Of memory that will be gone through from end to end; a hint. */
void cpu_use_large_pages(void *memory, size_t bytes);

#endif
