/* What a command line asks of the problem `distances`. */
#ifndef DISTANCES_OPTIONS_H
#define DISTANCES_OPTIONS_H

#include "distances/data.h"
#include "harness/bench/problem.h"

extern const wl_option distances_options[];

/* The shape: rows, columns and whether both are the same instances. */
typedef struct {
    size_t rows, columns;
    int symmetric;
} distances_shape;

/* recipe->count is that of rows and columns together. WL_BAD_USAGE names the option. */
wl_status distances_options_read(const wl_arguments *arguments, uint64_t seed, distances_shape *shape,
                                 distances_recipe *recipe);

#endif
