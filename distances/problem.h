/* Distances between all pairs of real data: letters of alignments, genotypes, small integers, with values that are missing.
   The lessons' problem as the tool `warpladder distances` needs it: a tile of the matrix at a time, missing data left out pair by
   pair. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/base/resident.h"
#include "harness/bench/variant.h"

WL_C_BEGIN

enum { DISTANCES_PLANES_MOST = 7, DISTANCES_WORDS_ALIGN = 8 }; // rows are whole cache lines of 64 bytes
#define DISTANCES_SITES_MOST ((uint64_t)1 << 31)               // so that a sum of two steps per site fits into 32 bits

typedef enum {
    DISTANCES_DIFFERENT, // sites at which the values differ: values are binary numbers, plane p is bit p
    DISTANCES_STEPS      // |a - b| summed over sites: values 0 .. planes in unary, plane p is set where value > p
} distances_sum;

/* Instances as bit planes. Bit k % 64 of word k / 64 of a plane is site k's. In planes 0 .. planes - 1 a missing value is 0; the
   last plane is 1 where the value is present. Bits after the last site are 0 in all planes. */
typedef struct {
    size_t count;
    const uint64_t *bits; // [count][planes + 1][words], 64-byte aligned
} distances_side;

/* What every variant gets: two stretches of instances, which may be the same. Only views: the caller keeps the memory until the
   variant's state is released. */
typedef struct {
    distances_sum sum;
    int planes; // 1 .. DISTANCES_PLANES_MOST; 2 for nucleotides and for genotypes
    uint64_t sites;
    size_t words;      // of a plane: sites / 64, rounded up to a multiple of DISTANCES_WORDS_ALIGN
    int complete;      // no value is missing: `compared` need not be counted, it is `sites`
    int distance_only; // nobody will look at the sites compared, which need not be there
    int symmetric;     // rows and columns are the same instances: half of the pairs do
    distances_side rows, columns;
    wl_resident *resident; // where a GPU's stage keeps a copy of `all` for the next input; NULL: nowhere
    distances_side all;    // with `resident`: of it, rows and columns may be stretches
} distances_input;

/* The result: uint32_t distance[rows.count][columns.count], followed, unless distance_only, by uint32_t compared[rows.count][columns.count], the
   sites at which both values are present. Work is counted in comparisons: rows x columns x sites. */

/* The serial reference, one site at a time: the only oracle of the checks. As wl_problem.reference, `input` a distances_input: slice s is row s, in both parts of the uint32_t output [2][rows][columns]. */
void distances_reference(const void *input, size_t first_slice, size_t slice_count, void *output);

WL_C_END
