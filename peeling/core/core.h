/* What the kernel needs of an instruction set: joins and transition matrices of one rate class on a tile of columns, in
   either precision.

   The true partials of a column are `partials` * scale * 2^exponent. A join writes them unscaled, and the next join
   scales them when it reads them, since it has the numbers in registers anyway. The factor `scale` is a power of two that
   brings the column's largest to [2^bias, 2^(bias + 1)); a tip's is 2^bias for all columns. So the product of two
   children's sums lies high in the number type's range, and may fall far before it underflows.

   With four states, a column's numbers lie in one lane of four registers, and partials are stored scaled. In single
   precision the transition matrices are 2^bias too large instead of the partials. In double precision the matrices are
   as they are, and a column is scaled when its numbers have become small: few.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "peeling/model/generator.h"
#include "peeling/problem.h"

enum {
    CPU_STEP = 48,     // tiles have a multiple of so many columns: of all blocks and vectors
    CPU_FEW = 4,       // states for which vectors lie along columns; else they lie along states
    CPU_FEW_SETS = 16, // of these states, as bits
    CPU_FEW_MATRIX = CPU_FEW * CPU_FEW + CPU_FEW * CPU_FEW_SETS, // numbers of a matrix then: see few.h
    CPU_LINE = 64,                                               // bytes of a cache line, and of the longest vector
    CPU_BIAS_SINGLE = 60,
    CPU_BIAS_DOUBLE = 400,
    CPU_FEW_BIAS_SINGLE = CPU_BIAS_SINGLE, // of four states' matrices
    CPU_FEW_BIAS_DOUBLE = 0,
};

/* A vector, at its tile's columns: partials that a join has written, or a tip (partials NULL). */
typedef struct {
    const void *matrix;      // of the branch above it
    const void *partials;    // [columns][padded states]; four states: [4][stride]
    const void *scale;       // [columns]; four states: NULL
    const int32_t *exponent; // [columns]
    const void *code;        // of a tip: uint16_t [columns]; four states: uint8_t, the set as bits
    double missing; // of a tip, not with four states: what all states together give, less 1; NaN: the matrix has it
} cpu_child;

typedef struct {
    size_t states, padded; // padded: to whole vectors
    size_t columns, stride;
    const uint64_t *set; // of each code
    cpu_child child[2];
    void *partials, *scale; // as in cpu_child; no child's
    int32_t *exponent;
    void *scratch; // [stride + 2 * PEELING_STATES_MOST] vectors
} cpu_join;

/* sum[c] * 2^exponent[c] is what this rate class gives to column c. */
typedef struct {
    size_t states, padded, columns, stride;
    const double *frequency;
    const void *partials, *scale;
    const void *matrix, *code; // a tip at the end of a branch below, as in cpu_child; code NULL: none
    double missing;            // likewise
    double *sum;
} cpu_root;

/* A number type's functions. Matrices: column after column of P (row j of `from` has the probabilities of j), in panels
   of a few vectors' states each. */
typedef struct {
    void (*join)(const cpu_join *);
    void (*root)(const cpu_root *);
    /* The matrix `from` [states][stride] as joins read it, everything below `lowest` raised to that; and for four
       states. */
    void (*store)(size_t states, const double *from, size_t stride, double lowest, void *to);
    void (*join_few)(const cpu_join *);
    void (*root_few)(const cpu_root *);
    void (*store_few)(const double *from, size_t stride, void *to);
} cpu_precision;

typedef struct {
    size_t vector_bytes;
    cpu_precision precision[2]; // [peeling_precision]
    /* to[j][s] = sum_k from[j][k] matrix[k][s], rows of `stride` doubles; `matrix` as precision[PEELING_DOUBLE].store
       makes it. Rows of both: states, rounded up to CPU_STEP. */
    void (*product)(size_t states, size_t stride, const void *matrix, const double *from, double *to);
    /* sum[c] * 2^most[c] = sum_i weight[i] from[i][c] 2^exponent[i][c], of columns in rows of `stride`. */
    void (*mix)(size_t count, const double *weight, size_t columns, size_t stride, const double *from,
                const int32_t *exponent, double *sum, int32_t *most);
    /* to[i] = log(from[i] 2^exponent[i]), within a unit in the last place: -infinity of 0, NaN of what is negative. */
    void (*logarithm)(size_t count, const double *from, const int32_t *exponent, double *to);
} cpu_core;

extern const cpu_core cpu_core_portable; // for every CPU
/* The core for this CPU, and its instruction set's name; NULL, and why there is none. */
const cpu_core *cpu_core_choose(const char **title, const char **why);
