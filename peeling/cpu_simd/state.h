/* The variant's state, and the evaluation that works on it. */
#pragma once

#include "peeling/core/layout.h"
#include "peeling/engine/engine.h"

typedef struct {
    const peeling_input *input;
    peeling_work work;
    peeling_model model;
    cpu_layout layout;
    int keep, threads;
    size_t rates, tiles;
    double *left;            // E^-1 transposed, [states][row]
    double *right;           // E transposed, as product() wants it
    void *code;              // [tips][tiles][tile]
    unsigned char *matrices; // [matrices][rates][matrix_bytes]
    unsigned char *partials; // keep: [partials][rates][tiles][vector_bytes]; else [threads][slots][vector_bytes]
    uint32_t *slot, slots;   // of the partials, not with keep
    unsigned char *scratch;  // [threads][scratch_bytes]
    double *sum;             // [rates][columns]: what cpu_root computes
    int32_t *exponent;       // [rates][columns]
    double *site, total;     // [patterns]
    unsigned char *ends;     // NULL without cpu_branches: E^-1 as joins read a matrix
    double *end_weight;      // [rates][columns]
    double (*end_factor)[3][PEELING_STATES_MOST]; // [rates]: of a length, and of its derivatives
    int32_t *end_exponent;                        // [columns]
} cpu_state;

/* A calling thread's own. */
unsigned char *cpu_scratch(const cpu_state *s);
size_t cpu_columns_of(const cpu_state *s, size_t tile);
unsigned char *cpu_partials_of(const cpu_state *s, uint32_t vector, size_t rate, size_t tile);
unsigned char *cpu_matrix_of(const cpu_state *s, size_t matrix, size_t rate);
void cpu_make_matrix(const cpu_state *s, const peeling_edge *edge, size_t rate);
/* With matrix[i], of child i; missing: as in cpu_child. */
void cpu_join_tile(const cpu_state *s, const peeling_join *join, const void *const matrix[2], double missing,
                   size_t rate, size_t tile);

/* branch.c */
extern const peeling_branches cpu_branches;
void cpu_branches_model(cpu_state *s); // after another model was set

/* Edges, joins, sites and the total of s->work, on all threads. */
void cpu_evaluate(cpu_state *s);

/* Of memory that will be gone through from end to end; a hint. */
void cpu_use_large_pages(void *memory, size_t bytes);
