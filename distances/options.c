/* The options of the problem `distances`. */
#include "distances/options.h"

#include <stdlib.h>
#include <string.h>

#define MOST_INSTANCES ((int64_t)1 << 24)

const wl_option distances_options[] = {
    {"rows", "N", "1024", "random instances, 0 to 16777216"},
    {"columns", "N", NULL, "compare the rows with N other instances; default: with one another, a symmetric matrix"},
    {"sites", "N", "8192", "of each instance, 1 to 2147483648"},
    {"values", "N", "4", "that a site can have, 2 to 128, or to 8 with --sum steps; 4: nucleotides, 3: genotypes"},
    {"sum", "SUM:different steps", "different",
     "different: sites at which two instances differ; steps: |a - b| summed over sites"},
    {"missing", "SHARE", "0.02", "of values that are missing, 0 to 1"},
    {"difference", "SHARE", "0.1", "of sites at which an instance differs from the common ancestor; 1: independent"},
    {NULL, NULL, NULL, NULL},
};

static wl_status share_of(const wl_arguments *arguments, const char *name, double *share) {
    const char *text = wl_argument(arguments, name);
    char *end;
    *share = strtod(text, &end);
    if (end != text && *end == 0 && *share >= 0 && *share <= 1) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --%s: found '%.40s'; expected a share from 0 to 1", name, text);
}

static wl_status values_of(const wl_arguments *arguments, distances_recipe *recipe) {
    int64_t values;
    const char *sum = wl_argument(arguments, "sum");
    const int steps = strcmp(sum, "steps") == 0;
    if (!steps && strcmp(sum, "different") != 0)
        return wl_fail(WL_BAD_USAGE, "option --sum: found '%.40s'; expected different or steps", sum);
    WL_TRY(wl_argument_integer(arguments, "values", 2, steps ? DISTANCES_PLANES_MOST + 1 : 1 << DISTANCES_PLANES_MOST,
                               &values));
    recipe->values = (int)values;
    recipe->kind = !steps ? DISTANCES_LETTERS : values == 3 ? DISTANCES_GENOTYPES : DISTANCES_INTEGERS;
    return WL_OK;
}

wl_status distances_options_read(const wl_arguments *arguments, uint64_t seed, distances_shape *shape,
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
