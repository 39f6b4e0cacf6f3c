/* The two steps that a likelihood is made of: the matrix of a branch, and the vector of a node from its children's. */
#pragma once

#include <stdint.h>

typedef enum { PEELING_SINGLE, PEELING_DOUBLE } peeling_precision;

/* Vectors: 0 .. tips - 1 are the tips, and tips + k is partials buffer k: F[rate r][pattern c][state s], with an
   exponent e[r][c]; the paper's forward likelihood F_urcs is F * 2^e. A matrix buffer has P^(r) of one branch for all
   r. */
typedef struct {
    uint32_t matrix; // to be filled with P^(r)(length) for all r
    double length;   // of the branch; 0 .. infinity
} peeling_edge;
/* The paper's equation 3, with the probabilities of a tip's states 1 for those in its set and 0 for others:
     F_to[r][c][s] = (sum_j P_0^(r)[s][j] F_child0[r][c][j]) (sum_j P_1^(r)[s][j] F_child1[r][c][j]). */
typedef struct {
    uint32_t to;        // vector, no tip and none of the children
    uint32_t child[2];  // vectors
    uint32_t matrix[2]; // of the branches above them
} peeling_join;
