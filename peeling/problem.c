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
        *input = made; // peeling_owned_input begins with the peeling_input
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

/* Is there a total to check? The total depends on all slices, so no slice of the reference writes it; compare() sums the
   expected sites instead. If only some slices were computed, the harness sets all other numbers to 0 on both sides: a total
   that is 0 on both sides is accepted. Otherwise `expected` has poison in the total's place, or what the fast oracle found. */
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

/* shapes.txt says why each is there. */
static const char *const check_shapes[] = {
#include "peeling/shapes.rows"
    NULL,
};

static const char *const mixed_shapes[] = {
    "--model WAG --taxa 5 --patterns 17 --tiles 2 --precision single",
    "--model GTR --taxa 3 --patterns 33",
    NULL,
};

static const char *const range_shapes[] = {
#include "peeling/range_shapes.rows"
    NULL,
};

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
    .range_shapes = range_shapes,
    .mixed_shapes = mixed_shapes,
    .small_arguments = "--model GTR+G4 --taxa 8 --patterns 64 --tiles 4",
    .figure_arguments = "--model JC69 --taxa 3 --patterns 16",
    .other_arguments = "--model WAG --taxa 3 --patterns 16 --tiles 2",
    .serial_baseline = "serial_O3",
    .own_run_option = "chain",
};

WL_REGISTER_PROBLEM(peeling)
