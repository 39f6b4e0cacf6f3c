/* The problem `papara` for the harness: random vectors and reads as input (generate.c), the shapes of a check, and the comparison of
   scores. reference.c has the serial reference, options.c the options. `align-reads` reads files instead. */
#include "papara/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/bench/problem.h"
#include "papara/generate.h"
#include "papara/options.h"
#include "papara/reference.h"

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

static wl_status input_count(const wl_arguments *arguments, size_t *count) {
    uint32_t lengths[PAPARA_LENGTHS_MOST];
    papara_random_recipe recipe;
    *count = 1;
    return papara_options_recipe(arguments, 0, lengths, &recipe);
}

static wl_status input_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    (void)index;
    uint32_t lengths[PAPARA_LENGTHS_MOST];
    papara_random_recipe recipe;
    WL_TRY(papara_options_recipe(arguments, seed, lengths, &recipe));
    papara_owned_input *made = malloc(sizeof *made);
    if (!made) return wl_fail(WL_NO_MACHINE, "no memory for an input");
    wl_status status = papara_generate(&recipe, made);
    if (status != WL_OK) {
        free(made);
        return status;
    }
    *input = made; // papara_owned_input begins with the papara_input
    return WL_OK;
}

static void input_free(void *input) {
    if (!input) return;
    papara_owned_input_free(input);
    free(input);
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

/* "1250r90-110x320v5000": 1,250 reads of 90 to 110 letters against 320 vectors of 5,000 sites. "1250r90-110x320v5000aa": of amino
   acids. */
static void shape(const void *input, char *text, size_t size) {
    const papara_input *in = input;
    uint32_t shortest = in->reads.longest;
    for (size_t r = 0; r < in->reads.count; r++)
        if (in->reads.length[r] < shortest) shortest = in->reads.length[r];
    char lengths[32];
    if (shortest == in->reads.longest)
        snprintf(lengths, sizeof lengths, "%u", shortest);
    else
        snprintf(lengths, sizeof lengths, "%u-%u", shortest, in->reads.longest);
    snprintf(text, size, "%zur%sx%zuv%u%s", in->reads.count, lengths, in->vectors, in->sites,
             in->states == 4 ? "" : "aa");
}

int64_t papara_score_most(const papara_penalties *p, uint32_t length) {
    return (int64_t)length * (p->mismatch + p->cgap);
}

static double work(const void *input) {
    const papara_input *in = input;
    return (double)in->reads.letters * (double)in->vectors * (double)in->sites;
}

static double work_done(const void *input) {
    const papara_input *in = input;
    return papara_cells_computed(&in->reads, in->vectors, in->sites);
}

static size_t pairs(const papara_input *in) { return in->reads.count * in->vectors; }

static size_t output_size(const void *input) { return sizeof(int) * pairs(input); }

static size_t slices(const void *input) { return papara_slices(input); }

static void place(const void *input, size_t pair, char *text, size_t size) {
    const size_t vectors = ((const papara_input *)input)->vectors;
    snprintf(text, size, "score[read=%zu][vector=%zu]", pair / vectors, pair % vectors);
}

/* What a wrong value says about the mistake. */
static const char *diagnosis(const void *input, int64_t expected, int64_t found) {
    (void)input;
    if (found == PAPARA_INFINITE) return " (infinite: no cell of the last row was taken)";
    if (found < expected && found <= INT16_MAX && found >= INT16_MAX - 2 * PAPARA_PENALTY_MOST)
        return " (stuck at the end of 16 bits)";
    if ((int16_t)found == (int16_t)expected) return " (wrapped at 16 bits)";
    return "";
}

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const wl_whole_numbers numbers = {.count = pairs(input), .place = place, .diagnosis = diagnosis};
    return wl_compare_whole(&numbers, input, expected, actual, first, size);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* shapes.txt says why each is there. */
static const char *const check_shapes[] = {
#include "papara/shapes.rows"
    NULL,
};

static const char *const mixed_shapes[] = {
    "--vectors 64 --sites 33 --read-lengths 8,31,32,33",
    NULL,
};

static const char *const range_shapes[] = {
#include "papara/range_shapes.rows"
    NULL,
};

static const wl_problem papara = {
    .name = "papara",
    .title = "PaPaRa",
    .unit = "cell updates",
    .options = papara_options,
    .input_count = input_count,
    .input_create = input_create,
    .input_free = input_free,
    .shape = shape,
    .work = work,
    .work_done = work_done,
    .output_size = output_size,
    .slices = slices,
    .reference = papara_reference,
    .compare = compare,
    .fast_oracle = "cpu_simd",
    .fast_oracle_work = 2e10,
    .check_shapes = check_shapes,
    .range_shapes = range_shapes,
    .mixed_shapes = mixed_shapes,
    .small_arguments = "--reads 1 --read-lengths 48 --vectors 64 --sites 1200",
    .figure_arguments = "--read-lengths 12 --vectors 4 --sites 24",
    .serial_baseline = "serial_O3",
};

WL_REGISTER_PROBLEM(papara)
