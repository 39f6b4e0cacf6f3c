/* Peeling: the likelihood of a tree, of columns of characters at its tips, under a model of substitution (Suchard &
   Rambaut 2009). */
#ifndef PEELING_PROBLEM_H
#define PEELING_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "harness/bench/variant.h"
#include "peeling/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PEELING_SINGLE, PEELING_DOUBLE } peeling_precision;
extern const char *const peeling_precision_names[]; // "single", "double", NULL

/* C unique columns of n tips. A view of somebody's memory. */
typedef struct {
    uint32_t tips;        // n, at least 2
    uint32_t patterns;    // C; may be 0
    const double *weight; // [patterns]: how many columns are like this one
    const uint16_t
        *code; // [tips][patterns]: the state, below model->states, or a set of states, from there on; below `codes`
    uint32_t codes;
    const uint64_t
        *set; // [codes]: the states of each code as bits, never none; set[s] is bit s for the states themselves
} peeling_data;

/* What is to be computed, on numbered buffers. An evaluation of a whole tree is one such list, and a step of a chain is
   another, much shorter one.

   Vectors: 0 .. tips - 1 are the tips, and tips + k is partials buffer k: F[rate r][pattern c][state s], with an
   exponent e[r][c]; the paper's forward likelihood F_urcs is F * 2^e. A matrix buffer has P^(r) of one branch for all
   r. */
typedef struct {
    uint32_t matrix; // to be filled with P^(r)(length) for all r
    double length;   // of the branch; 0 .. infinity
} peeling_edge;
typedef struct {
    uint32_t to;        // vector, no tip and none of the children
    uint32_t child[2];  // vectors
    uint32_t matrix[2]; // of the branches above them
} peeling_join;
/* First all edges, then the joins, in an order in which every vector is computed before it is used; then
     site[c] = log sum_r share[r] sum_s frequency[s] F_root[r][c][s],   total = sum_c weight[c] site[c].
   A join is the paper's equation 3, with the probabilities of a tip's states 1 for those in its set and 0 for others:
     F_to[r][c][s] = (sum_j P_0^(r)[s][j] F_child0[r][c][j]) (sum_j P_1^(r)[s][j] F_child1[r][c][j]). */
typedef struct {
    const peeling_edge *edges;
    const peeling_join *joins;
    uint32_t edge_count, join_count;
    uint32_t root; // vector
} peeling_work;

/* What every variant gets. Only views: the caller keeps the memory until the variant's state is released. */
typedef struct {
    peeling_precision precision; // of F and P; exponents are integers, and logarithms and sums double
    const peeling_model *model;
    peeling_data data;
    peeling_work work; // of the whole tree: 2 tips - 2 edges into matrices 0 .., tips - 1 joins into partials 0 ..
    uint32_t matrices, partials; // buffers that there have to be
    int work_only;               // an engine is to run `work` and nothing else: it need not keep partials
    /* How stages cut the work, so that small inputs can take the ways of large ones. 0: as suits the device and the size. */
    uint32_t tiles; // 1: the smallest; 2, 4: larger; 7: the largest
    size_t spill;   // 09_resident: one waiting vector in shared memory, the others in so many bytes of device memory
    const double
        *reference_matrix; // [matrices][rates][states][states]: for the reference alone, made by problem.c; may be NULL
} peeling_input;

/* The result is double[patterns + 1]: site[c], and then the total. Where a column is impossible both are -infinity.
   Work is counted in floating-point operations as the paper counts: a join R C S (4 S - 1), an edge R (2 S^3 + S^2). */

double peeling_operations(const peeling_input *input);

/* What is really computed: at a tip with a known state nothing is summed, and a set of k states takes k - 1 additions for each state
   above. Of the input's list; of any list, where additions [tips] has what peeling_tip_additions counts for each tip (NULL: they are
   counted). */
double peeling_operations_done(const peeling_input *input);
double peeling_operations_of(const peeling_input *input, const peeling_work *work, const double *additions);
double peeling_tip_additions(const peeling_data *data, uint32_t tip);

/* Joins ordered by level: a join's level is one above its children's, tips have none. Writes the joins of `work` to
   `joins` [join_count], level by level, and where each begins to `first` [levels + 1] (room for join_count + 1);
   returns the number of levels. `scratch` [vectors] of numbers. */
uint32_t peeling_levels(const peeling_work *work, uint32_t vectors, peeling_join *joins, uint32_t *first,
                        uint32_t *scratch);

#ifdef __cplusplus
}
#endif
#endif
