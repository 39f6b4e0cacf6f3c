/* Peeling as peeling/problem.h states it, serial, in double precision whatever precision the input asks for: the
   only oracle of the checks. */
#pragma once

#include <stddef.h>

#include "harness/bench/variant.h"
#include "peeling/problem.h"

/* matrix [matrices][rates][states][states]: P^(r) of all edges of input->work, from the model's eigenvectors.
   Buffers that no edge fills stay as they are. */
void peeling_reference_matrices(const peeling_input *input, double *matrix);
/* Some of them: numbered [edge][rate], `count` from `first` on. */
void peeling_reference_some_matrices(const peeling_input *input, size_t first, size_t count, double *matrix);

/* As wl_problem.reference, `input` a peeling_input, `site` double [patterns + 1]. A slice is a pattern. Writes
   site[c] of the slices' patterns only, and never the total after them. Reads input->reference_matrix; without it computes its own. */
void peeling_reference(const void *input, size_t first_slice, size_t slice_count, void *site);

/* sum_c weight[c] site[c], in the order of the patterns. */
double peeling_reference_total(const peeling_input *input, const double *site);

/* The one-thread variant serial_O3, which reference_engine.c makes an engine of. */
const wl_variant *peeling_serial(void);
