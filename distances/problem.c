/* The problem `distances`: random instances as input, and how results are compared. The serial reference is in reference.c,
   random values come from generate.c. Files are read by the tool (read*.c). */
#include "distances/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "distances/data.h"
#include "harness/base/text.h"
#include "harness/bench/problem.h"

/* --- Options ------------------------------------------------------------------------------------------------------ */

#define MOST_INSTANCES ((int64_t)1 << 24)

static const wl_option options[] = {
    {"rows", "N", "1024", "random instances, 0 to 16777216"},
    {"columns", "N", NULL, "compare the rows with N other instances; default: with one another, a symmetric matrix"},
    {"sites", "N", "8192", "sites of each instance, 1 to 2147483648"},
    {"values", "N", "4", "values that a site can have, 2 to 128 (with --sum steps 8); 4: nucleotides, 3: genotypes"},
    {"sum", "SUM:different steps", "different",
     "different: sites at which two instances differ; steps: |a - b| summed over sites"},
    {"missing", "SHARE", "0.02", "share of values that are missing, 0 to 1"},
    {"difference", "SHARE", "0.1",
     "share of sites at which an instance differs from the common ancestor; 1: independent"},
    {NULL, NULL, NULL, NULL},
};

/* The shape: rows, columns and whether both are the same instances. */
typedef struct {
    size_t rows, columns;
    int symmetric;
} shape_request;

static wl_status share_of(const wl_arguments *arguments, const char *name, double *share) {
    const char *text = wl_argument(arguments, name);
    const char *end;
    *share = wl_decimal(text, &end);
    if (end != text && *end == 0 && *share >= 0 && *share <= 1) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --%s: found '%.40s'; expected a share from 0 to 1", name, text);
}

static wl_status values_of(const wl_arguments *arguments, distances_recipe *recipe) {
    int64_t values;
    int steps;
    WL_TRY(wl_argument_choice(arguments, "sum", &steps));
    WL_TRY(wl_argument_integer(arguments, "values", 2, steps ? DISTANCES_PLANES_MOST + 1 : 1 << DISTANCES_PLANES_MOST,
                               &values));
    recipe->values = (int)values;
    recipe->kind = !steps ? DISTANCES_LETTERS : values == 3 ? DISTANCES_GENOTYPES : DISTANCES_INTEGERS;
    return WL_OK;
}

/* recipe->count is that of rows and columns together. WL_BAD_USAGE names the option. */
static wl_status read_options(const wl_arguments *arguments, uint64_t seed, shape_request *shape,
                              distances_recipe *recipe) {
    int64_t rows, columns = 0, sites;
    *recipe = (distances_recipe){.seed = seed};
    shape->symmetric = !wl_argument_given(arguments, "columns");
    WL_TRY(wl_argument_integer(arguments, "rows", 0, MOST_INSTANCES, &rows));
    if (!shape->symmetric) WL_TRY(wl_argument_integer(arguments, "columns", 0, MOST_INSTANCES, &columns));
    WL_TRY(wl_argument_integer(arguments, "sites", 1, (int64_t)DISTANCES_SITES_MOST, &sites));
    WL_TRY(values_of(arguments, recipe));
    WL_TRY(share_of(arguments, "missing", &recipe->missing));
    WL_TRY(share_of(arguments, "difference", &recipe->difference));
    shape->rows = (size_t)rows;
    shape->columns = shape->symmetric ? shape->rows : (size_t)columns;
    recipe->count = (size_t)(rows + columns);
    recipe->sites = (uint64_t)sites;
    return WL_OK;
}

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

/* An input, and then the data that it is a view of. */
typedef struct {
    distances_input input;
    distances_data data;
} owned_input;

static wl_status input_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    shape_request shape;
    distances_recipe recipe;
    (void)index; // there is one
    WL_TRY(read_options(arguments, seed, &shape, &recipe));
    owned_input *in = calloc(1, sizeof *in);
    if (in == NULL) return wl_fail(WL_NO_MACHINE, "no memory for an input");
    wl_status status = distances_generate(&recipe, &in->data);
    if (status != WL_OK) {
        free(in);
        return status;
    }
    const distances_data *data = &in->data;
    const size_t stride = (size_t)(data->planes + 1) * data->words, behind = shape.symmetric ? 0 : shape.rows;
    in->input = (distances_input){.sum = data->sum,
                                  .planes = data->planes,
                                  .sites = data->sites,
                                  .words = data->words,
                                  .complete = data->complete,
                                  .symmetric = shape.symmetric,
                                  .rows = {shape.rows, data->bits},
                                  .columns = {shape.columns, data->bits + behind * stride}};
    *input = in;
    return WL_OK;
}

static void input_free(void *input) {
    owned_input *in = input;
    if (in == NULL) return;
    distances_data_free(&in->data);
    free(in);
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

/* "1024x8192, 2 planes": rows and sites of a symmetric matrix; "128:1024x8192, 2 planes of steps, none missing": rows and columns of
   another. */
static void shape(const void *input, char *text, size_t size) {
    const distances_input *in = input;
    char columns[24] = "";
    if (!in->symmetric) snprintf(columns, sizeof columns, ":%zu", in->columns.count);
    snprintf(text, size, "%zu%sx%llu, %d plane%s%s%s", in->rows.count, columns, (unsigned long long)in->sites,
             in->planes, in->planes == 1 ? "" : "s", in->sum == DISTANCES_STEPS ? " of steps" : "",
             in->complete ? ", none missing" : "");
}

static size_t pairs(const distances_input *in) { return in->rows.count * in->columns.count; }

static double work(const void *input) {
    const distances_input *in = input;
    return (double)pairs(in) * (double)in->sites;
}

/* Each pair once, where both stretches are the same instances. */
static double work_done(const void *input) {
    const distances_input *in = input;
    const double n = (double)in->rows.count;
    return in->symmetric ? n * (n - 1) / 2 * (double)in->sites : work(input);
}

static size_t output_size(const void *input) {
    return (((const distances_input *)input)->distance_only ? 1 : 2) * sizeof(uint32_t) * pairs(input);
}

static size_t slices(const void *input) { return ((const distances_input *)input)->rows.count; }

static void place(const void *input, size_t element, char *text, size_t size) {
    const distances_input *in = input;
    const size_t each = pairs(in), columns = in->columns.count;
    snprintf(text, size, "%s[row=%zu][column=%zu]", element < each ? "distance" : "compared", element % each / columns,
             element % columns);
}

/* What the wrong value tells about the mistake. */
static const char *diagnosis(const void *input, int64_t expected, int64_t found) {
    const distances_input *in = input;
    if (found == 2 * expected) return " (twice as much)";
    if (found > expected && (uint64_t)(found - expected) <= 64 * in->words - in->sites && in->sites % 64 != 0)
        return " (sites after the last one?)";
    return "";
}

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const wl_whole_numbers numbers = {
        .count = 2 * pairs(input), .is_unsigned = 1, .place = place, .diagnosis = diagnosis};
    return wl_compare_whole(&numbers, input, expected, actual, first, size);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* shapes.txt says why each is there. */
static const char *const check_shapes[] = {
#include "distances/shapes.rows"
    NULL,
};

static const char *const mixed_shapes[] = {
    "--rows 33 --sites 513 --missing 0",
    NULL,
};

static const char *const range_shapes[] = {
#include "distances/range_shapes.rows"
    NULL,
};

static const char *const long_shapes[] = {
#include "distances/long_shapes.rows"
    NULL,
};

static const wl_problem distances = {
    .name = "distances",
    .title = "Distances with missing data",
    .unit = "comparisons",
    .options = options,
    .input_create = input_create,
    .input_free = input_free,
    .shape = shape,
    .work = work,
    .work_done = work_done,
    .output_size = output_size,
    .slices = slices,
    .reference = distances_reference,
    .compare = compare,
    .fast_oracle = "cpu_simd",
    .fast_oracle_work = 2e9,
    .check_shapes = check_shapes,
    .range_shapes = range_shapes,
    .mixed_shapes = mixed_shapes,
    .long_shapes = long_shapes,
    .small_arguments = "--rows 64 --sites 1024",
    .figure_arguments = "--rows 8 --sites 64",
    .serial_baseline = "serial_O3",
};

WL_REGISTER_PROBLEM(distances)
