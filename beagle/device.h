/* What an instance asks of a GPU (device.cu), or of the simulated one in tests. Everything returns one of BEAGLE's codes.

   Vectors are partials and the codes of tips in one numbering, as in peeling/kit/stage.h: buffer i's tip states are vector i, and
   vectors from `buffers` on are partials. Columns are patterns in the client's order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "peeling/join.h"

WL_C_BEGIN

typedef struct bg_device bg_device;
#define BG_NONE UINT32_MAX // in place of a buffer's or vector's number

typedef struct {
    uint32_t buffers, partials, matrices, scales, eigens; // how many of each
    uint32_t states, rates, patterns;
    int is_single;
} bg_device_size;

/* Matrices of one model and one set of category rates. */
typedef struct {
    uint32_t eigen, first, count; // of the edges
    const double *rate;           // [rates]
} bg_device_model;

/* What an operation tells of scale factors (scaling.c). BG_NONE: none. With no `to`, scale buffer `write` gets sign times the factors of
   `read`, or zeros where that is none. */
typedef struct {
    uint32_t to, child[2];     // buffers; a child whose factors are all 1 is none
    uint32_t vector;           // of `to`
    uint32_t write, read, sum; // scale buffers
    int32_t sign;
} bg_device_note;

/* A root, or the parent's end of a branch. */
typedef struct {
    uint32_t parent, child, matrix;   // vectors; child BG_NONE: a root
    const double *weight, *frequency; // [rates], [states]
} bg_device_subset;

/* In this order: matrices, joins level by level, notes, likelihoods. */
typedef struct {
    const bg_device_model *models;
    const peeling_edge *edges;
    const peeling_join *joins;
    const uint32_t *first_join; // [levels + 1]
    const bg_device_note *notes;
    const bg_device_subset *subsets;
    uint32_t model_count, edge_count, join_count, levels, note_count, subset_count;
} bg_device_work;

/* How many there are; the name of one, and its bytes of memory. */
int bg_device_count(void);
void bg_device_name(int device, char *name, size_t size, char *description, size_t description_size);

int bg_device_open(int device, const bg_device_size *size, bg_device **opened);
void bg_device_close(bg_device *d); // or NULL

/* code [patterns]: a state, or `states` for missing. */
int bg_device_set_codes(bg_device *d, uint32_t buffer, const uint16_t *code);
/* partials [rates][patterns][states], times 2^exponent [rates][patterns]. */
int bg_device_set_partials(bg_device *d, uint32_t vector, const double *partials, const int32_t *exponent);
int bg_device_get_partials(bg_device *d, uint32_t vector, double *partials, int32_t *exponent);
/* right [states][states] row by row, left its inverse, value [states]. */
int bg_device_set_eigen(bg_device *d, uint32_t eigen, const double *right, const double *left, const double *value);
/* column [rates][states][row]: row j has the probabilities of going to j, from each state. */
int bg_device_set_matrix(bg_device *d, uint32_t matrix, const double *column, size_t row);
int bg_device_get_matrix(bg_device *d, uint32_t matrix, double *column, size_t row);
int bg_device_set_weights(bg_device *d, const double *weight); // of patterns

/* All of it; *total: the log-likelihood, where there are subsets. When it returns it is done. */
int bg_device_run(bg_device *d, const bg_device_work *work, double *total);
int bg_device_get_sites(bg_device *d, double *site); // [patterns]: log-likelihoods of the last run that had subsets

int bg_device_get_scale(bg_device *d, uint32_t scale, int32_t *exponent); // [patterns]
int bg_device_get_taken(bg_device *d, uint32_t buffer, int32_t *exponent);

WL_C_END
