/* The problem `peeling`: random trees and data as input, and how likelihoods are compared. The serial reference is in
   reference.c, trees and data come from simulate/, the options are in options.c, and what is counted in work.c. */
#include "peeling/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/expected.h"
#include "harness/bench/problem.h"
#include "peeling/options.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"
#include "peeling/work.h"

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

static wl_status input_count(const wl_arguments *arguments, size_t *count) {
    peeling_recipe recipe;
    *count = 1;
    return peeling_options_recipe(arguments, 0, &recipe);
}

static wl_status input_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    (void)index;
    peeling_recipe recipe;
    WL_TRY(peeling_options_recipe(arguments, seed, &recipe));
    peeling_owned_input *made = malloc(sizeof *made);
    if (!made) return wl_fail(WL_NO_MACHINE, "no memory for an input");
    const wl_status status = peeling_simulate(&recipe, made);
    if (status == WL_OK)
        *input = made; /* peeling_owned_input begins with the peeling_input */
    else
        free(made);
    return status;
}

static void input_free(void *input) {
    if (!input) return;
    peeling_owned_input_free(input);
    free(input);
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

/* "62x3600s61r4 double": 62 taxa, 3,600 patterns, 61 states, 4 classes of rates. */
static void shape(const void *input, char *text, size_t size) {
    const peeling_input *in = input;
    snprintf(text, size, "%ux%us%dr%d %s", in->data.tips, in->data.patterns, in->model->states, in->model->rates,
             peeling_precision_names[in->precision]);
}

static double work(const void *input) { return peeling_operations(input); }

static double work_done(const void *input) { return peeling_operations_done(input); }

static size_t output_size(const void *input) {
    return sizeof(double) * (((const peeling_input *)input)->data.patterns + (size_t)1);
}

static size_t slices(const void *input) { return ((const peeling_input *)input)->data.patterns; }

/* What result memory is filled with beforehand: as a number it is -1e-127, which beside a likelihood of 1, whose
   logarithm is 0, would do. */
static int is_poison(double value) { return wl_is_poison(&value, sizeof value); }

/* tolerance: absolute. */
static int is_wrong(double expected, double found, double tolerance) {
    if (is_poison(found)) return 1;
    if (expected == found) return 0; // infinite ones
    return !(fabs(found - expected) <= tolerance) || isinf(expected);
}
/* A likelihood near 1 has a logarithm near 0, of which rounding leaves no digits: below 1, errors are absolute. */
static double size_of(double site) { return fmax(1, fabs(site)); }

/* What the wrong value tells about the mistake. */
static const char *diagnosis(double expected, double found) {
    if (is_poison(found)) return " (never written)";
    if (isnan(found)) return " (infinity less infinity, or 0 by infinity?)";
    if (isinf(found) && found < 0) return " (underflow)";
    if (isinf(expected)) return " (an impossible column)";
    const double exponents = (found - expected) / log(2);
    if (fabs(exponents) > 0.5 && fabs(exponents - round(exponents)) < 1e-3) return " (an exponent lost, or twice)";
    return "";
}

/* The total is the slices' together, so none of them writes it: it is checked against the expected sites. Where only
   some slices were computed the harness makes all other numbers 0 on both sides, and a total that is 0 on both sides
   is taken; in all other cases what is expected in its place is poison, or what the fast oracle found. */
static int has_total(const double *expected, const double *actual, size_t patterns) {
    static const double zero = 0;
    return memcmp(&expected[patterns], &zero, sizeof zero) != 0 || memcmp(&actual[patterns], &zero, sizeof zero) != 0;
}

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const peeling_input *in = input;
    const int single = in->precision == PEELING_SINGLE;
    const double *should = expected, *is = actual; // [patterns + 1]
    const size_t patterns = in->data.patterns;
    size_t wrong = 0;
    double sizes = 0; // of all sites together
    for (size_t c = 0; c < patterns; c++) {
        sizes += in->data.weight[c] * size_of(should[c]);
        if (!is_wrong(should[c], is[c], (single ? 1e-5 : 1e-10) * size_of(should[c]))) continue;
        if (wrong++ > 0) continue;
        snprintf(first, size, "site[pattern=%zu]: expected %.10g, found %.10g%s", c, should[c], is[c],
                 diagnosis(should[c], is[c]));
    }
    const double total = peeling_reference_total(in, should);
    if (has_total(should, is, patterns) && is_wrong(total, is[patterns], (single ? 1e-6 : 1e-10) * sizes) &&
        wrong++ == 0)
        snprintf(first, size, "total: expected %.12g, found %.12g%s", total, is[patterns],
                 diagnosis(total, is[patterns]));
    return wrong;
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

static const char *const *check_shapes(void) {
#define SINGLE " --precision single"
    static const char *const shapes[] = {
        // Nothing, one, and around the tiles of 8, 16, 32 and 64 patterns that kernels work in.
        "--model JC69 --taxa 2 --patterns 0",
        "--model GY94 --taxa 2 --patterns 0" SINGLE,
        "--model JC69 --taxa 2 --patterns 1",
        "--model JC69 --taxa 2 --patterns 1" SINGLE,
        "--model HKY85+G4 --taxa 3 --patterns 2 --tiles 4",
        "--model GTR+I{0.3}+G4 --taxa 5 --patterns 7" SINGLE,
        "--model GTR+G4 --taxa 7 --patterns 8 --tiles 4",
        "--model K80+G2 --taxa 6 --patterns 9 --tiles 4" SINGLE,
        "--model GTR+G4 --taxa 8 --patterns 15 --missing 0.1 --tiles 4",
        "--model GTR+G8 --taxa 4 --patterns 16 --tiles 4" SINGLE,
        "--model GTR+G4 --taxa 9 --patterns 17 --tree-shape ladder",
        "--model GTR --taxa 10 --patterns 31 --tree-shape balanced --tiles 4" SINGLE,
        "--model GTR+G4 --taxa 16 --patterns 32 --tree-shape balanced --ambiguous 0.2 --tiles 4",
        "--model GTR+G4 --taxa 12 --patterns 33 --tree-shape star --tiles 4" SINGLE,
        "--model GTR+I{0.1}+R4{4,0.1,3,0.8,2,1.5,1,6} --taxa 5 --patterns 63 --tiles 4",
        "--model GTR+G2 --taxa 7 --patterns 64" SINGLE,
        "--model HKY85+G4 --taxa 6 --patterns 65 --missing 0.2 --ambiguous 0.2 --tiles 4",
        "--model GTR+G4 --taxa 6 --patterns 100 --tiles 4" SINGLE,
        "--model GTR --taxa 4 --patterns 513 --tiles 4",
        "--model GTR+G4 --taxa 4 --patterns 257 --tiles 4" SINGLE,
        // Amino acids.
        "--model WAG --taxa 2 --patterns 1 --tiles 2",
        "--model WAG+G4 --taxa 4 --patterns 9 --missing 0.1 --ambiguous 0.2 --tiles 2",
        "--model Poisson+G2 --taxa 5 --patterns 17 --tiles 2" SINGLE,
        "--model WAG --taxa 5 --patterns 65 --tiles 2" SINGLE,
        "--model WAG+G8 --taxa 3 --patterns 16",
        "--model WAG --taxa 3 --patterns 20" SINGLE,
        "--model WAG --taxa 3 --patterns 66 --tiles 4" SINGLE,
        "--model GY94 --taxa 3 --patterns 20",
        // Codons, 60 and 61.
        "--model GY94 --taxa 2 --patterns 1 --tiles 2",
        "--model GY94 --taxa 2 --patterns 15 --tiles 7" SINGLE,
        "--model GY94+G2 --taxa 2 --patterns 17 --code vertebrate-mitochondrial --tiles 2",
        "--model GY94 --taxa 5 --patterns 7 --missing 0.2 --ambiguous 0.3 --tree-shape balanced --tiles 7",
        "--model GY94 --taxa 4 --patterns 16 --missing 0.2 --ambiguous 0.3 --tree-shape ladder" SINGLE,
        "--model GY94+I{0.2}+R4{4,0.1,3,0.8,2,1.5,1,6} --taxa 2 --patterns 8" SINGLE,
        "--model GY94 --taxa 3 --patterns 33 --code vertebrate-mitochondrial --tiles 2" SINGLE,
        // Lengths without a middle; impossible columns, and possible ones beside them.
        "--model GTR+G4 --taxa 9 --patterns 20 --height 0",
        "--model GTR+G4 --taxa 9 --patterns 20 --height 0 --kind random --missing 0.6 --tiles 4",
        "--model GTR+G4 --taxa 6 --patterns 20 --height 0 --kind random --missing 0.5 --tiles 4" SINGLE,
        "--model GTR+G4 --taxa 9 --patterns 20 --height inf --tiles 4",
        "--model GTR+G4 --taxa 9 --patterns 20 --height 1e30 --tiles 4" SINGLE,
        "--model GTR+G4 --taxa 20 --patterns 30 --branches mixed",
        "--model HKY85+G4 --taxa 20 --patterns 30 --branches mixed --missing 0.1 --tiles 4" SINGLE,
        "--model HKY85+G2 --taxa 7 --patterns 30 --branches mixed --kind random --tiles 4",
        "--model WAG+G2 --taxa 6 --patterns 10 --branches mixed --tiles 4",
        // Not of random data: three substitutions in 1e-9 are below what rounding leaves of a matrix, in whatever order
        // it is summed.
        "--model GY94 --taxa 4 --patterns 9 --branches mixed --missing 0.4 --tiles 2",
        "--model GY94 --taxa 3 --patterns 6 --height 0 --kind random --missing 0.6 --tiles 4" SINGLE,
        // Data that tell little.
        "--model GTR+G4 --taxa 8 --patterns 6 --kind identical --tiles 4",
        "--model GTR+G4 --taxa 8 --patterns 3 --missing 1 --tiles 4",
        "--model GTR+G4 --taxa 8 --patterns 3 --missing 1" SINGLE,
        "--model GY94 --taxa 2 --patterns 2 --missing 1 --tiles 4",
        "--model GTR+G4 --taxa 7 --patterns 40 --ambiguous 1 --tiles 4",
        // Rates from almost nothing to large, and weights beyond 32 bits.
        "--model GTR+G8 --taxa 8 --patterns 20 --alpha 0.02 --tiles 4",
        "--model GTR+G4 --taxa 40 --patterns 20 --alpha 0.001 --branches mixed --tiles 4", // a rate of 0, infinitely long
        "--model GTR+G4 --taxa 8 --patterns 20 --alpha 0.05 --tiles 4" SINGLE,
        "--model GTR+G4 --taxa 6 --patterns 20 --weight 1e12",
        // Three changes are beyond doubles.
        "--model WAG --taxa 12 --patterns 6 --height 1e-120 --kind random --tiles 4 --spill 32768",
        // Three such changes of a codon's three nucleotides are beyond floats: scaled after every join, not every second.
        "--model GY94 --taxa 8 --patterns 9 --height 0.0002 --kind random --tree-shape balanced --tiles 2 --spill "
        "32768" SINGLE,
        // Hardly a change: what each join rounds away, if always to the same side, shows in the sum.
        "--model WAG --taxa 50 --patterns 2 --height 0.01 --kind identical --tiles 4 --spill 32768" SINGLE,
        // Large trees: beyond single precision's exponents many times over.
        "--model GTR --taxa 150 --patterns 17 --tree-shape ladder --height 4 --tiles 4" SINGLE,
        "--model JC69 --taxa 2000 --patterns 2 --height 5" SINGLE,
        "--model GY94 --taxa 8 --patterns 1 --height 9 --tree-shape ladder --tiles 2 --spill 32768" SINGLE,
        NULL,
    };
#undef SINGLE
    return shapes;
}

static const wl_problem peeling = {
    .name = "peeling",
    .title = "Peeling",
    .unit = "floating-point operations",
    .options = peeling_options,
    .input_count = input_count,
    .input_create = input_create,
    .input_free = input_free,
    .shape = shape,
    .work = work,
    .work_done = work_done,
    .output_size = output_size,
    .slices = slices,
    .reference = peeling_reference,
    .compare = compare,
    .fast_oracle = "cpu_simd",
    .fast_oracle_work = 1e10,
    .check_shapes = check_shapes,
    .small_arguments = "--model GTR+G4 --taxa 8 --patterns 64 --tiles 4",
    .figure_arguments = "--model JC69 --taxa 3 --patterns 16",
    .other_arguments = "--model WAG --taxa 3 --patterns 16 --tiles 2",
    .serial_baseline = "serial_O3",
    .own_run_option = "chain",
};

WL_REGISTER_PROBLEM(peeling)
