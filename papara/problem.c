/* The problem `papara`: random vectors and reads as input, and how scores are compared. The serial reference is in reference.c,
   random data come from generate.c, the options are in options.c; `align-reads` reads files. */
#include "papara/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/problem.h"
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
    wl_status status = papara_options_recipe(arguments, seed, lengths, &recipe);
    if (status != WL_OK) return status;
    papara_owned_input *made = malloc(sizeof *made);
    if (!made) return wl_fail(WL_NO_MACHINE, "no memory for an input");
    status = papara_generate(&recipe, made);
    if (status != WL_OK) {
        free(made);
        return status;
    }
    *input = made; /* papara_owned_input begins with the papara_input */
    return WL_OK;
}

static void input_free(void *input) {
    if (!input) return;
    papara_owned_input_free(input);
    free(input);
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

/* "1250r90-110x320v5000": 1,250 reads of 90 to 110 letters against 320 vectors of 5,000 sites. */
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
    snprintf(text, size, "%zur%sx%zuv%u", in->reads.count, lengths, in->vectors, in->sites);
}

static double work(const void *input) {
    const papara_input *in = input;
    return (double)in->reads.letters * (double)in->vectors * (double)in->sites;
}

static size_t pairs(const papara_input *in) { return in->reads.count * in->vectors; }

static size_t output_size(const void *input) { return sizeof(int) * pairs(input); }

static size_t slices(const void *input) { return papara_slices(input); }

static void reference(const void *input, size_t first_slice, size_t slice_count, void *output) {
    papara_reference(input, first_slice, slice_count, output);
}

#define POISON 0xA5A5A5A5u /* what result memory is filled with beforehand */

/* What the wrong value tells about the mistake. */
static const char *diagnosis(int expected, int found) {
    if ((unsigned)found == POISON) return " (never written)";
    if (found == PAPARA_INFINITE) return " (infinite: no cell of the last row was taken)";
    if (found < expected && found <= INT16_MAX && found >= INT16_MAX - 2 * PAPARA_PENALTY_MOST)
        return " (stuck at the end of 16 bits)";
    if (found != expected && (int16_t)found == (int16_t)expected) return " (wrapped at 16 bits)";
    return "";
}

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const papara_input *in = input;
    const int *should = expected, *is = actual; // [reads][vectors]
    size_t wrong = 0;
    for (size_t pair = 0; pair < pairs(in); pair++) {
        if (is[pair] == should[pair]) continue;
        if (wrong++ > 0) continue;
        snprintf(first, size, "score[read=%zu][vector=%zu]: expected %d, found %d%s", pair / in->vectors,
                 pair % in->vectors, should[pair], is[pair], diagnosis(should[pair], is[pair]));
    }
    return wrong;
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

static const char *const *check_shapes(void) {
    static const char *const shapes[] = {
        "--reads 0 --vectors 3 --sites 110",
        "--reads 3 --vectors 0 --sites 110",
        "--vectors 1 --sites 1 --read-lengths 1",
        "--vectors 33 --sites 65 --read-lengths 1,2,11,12,13,31,32,33,63,64,65",
        NULL,
    };
    return shapes;
}

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
    .output_size = output_size,
    .slices = slices,
    .reference = reference,
    .compare = compare,
    .fast_oracle = "cpu_simd",
    .fast_oracle_work = 2e10,
    .check_shapes = check_shapes,
    .small_arguments = "--reads 4 --read-lengths 48 --vectors 64 --sites 240",
    .figure_arguments = "--read-lengths 12 --vectors 4 --sites 24",
    .serial_baseline = "serial_O3",
};

WL_REGISTER_PROBLEM(papara)
