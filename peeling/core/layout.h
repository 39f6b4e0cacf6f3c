/* How a tile of columns lies in memory, and one rate class's joins and roots on it. A unit of work
   is one rate class of one tile.

   A vector of a tile is [tile][padded] numbers, then scales, then exponents; with four states
   [4][tile] numbers, then exponents. Columns past the tile's last are computed and never used. */
#pragma once

#include "peeling/core/core.h"

typedef struct {
    const cpu_core *core;
    const cpu_precision *of;
    int few; // four states
    size_t states;
    size_t number;                              // bytes of one
    size_t padded, row;                         // states, to whole vectors of the precision, and of doubles
    size_t tile;                                // columns: a multiple of CPU_STEP
    size_t matrix_bytes;                        // as joins read a matrix
    size_t vector_bytes, scale_at, exponent_at; // of a tile's vector
    size_t code_bytes;                          // of a tip's column
    size_t scratch_bytes;                       // of a thread: for two products' rows, or for a join
} cpu_layout;

/* Computes all sizes, and allocates nothing. */
cpu_layout cpu_lay_out(const cpu_core *core, peeling_precision precision, size_t states, size_t tile);
size_t cpu_rounded(size_t a, size_t b); // a, up to a multiple of b

/* P^T [states][row] as joins read a matrix. */
void cpu_store_matrix(const cpu_layout *l, const double *from, void *to);
/* A join's child that has partials: a tile's vector, below a matrix. */
cpu_child cpu_inner_child(const cpu_layout *l, const void *matrix, const void *vector);
/* The join of both children into a tile's vector; set: of each code. scratch: [scratch_bytes]. */
void cpu_join_vectors(const cpu_layout *l, const cpu_child child[2], const uint64_t *set, size_t columns, void *to,
                      void *scratch);
/* What a root's vector gives: sum [columns]. A tip below it: the caller adds that. */
cpu_root cpu_root_of(const cpu_layout *l, const void *vector, const double *frequency, size_t columns, double *sum);
/* The sums, times 2^exponent [columns]; exponent may be NULL. */
void cpu_sum_root(const cpu_layout *l, const cpu_root *root, int32_t *exponent);
