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
    *input = made; /* papara_owned_input begins with the papara_input */
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

/* The shapes of a check:
   - nothing, one, and one below and above the units of kernels: warps of 32 and blocks of 320 vectors, 6 sites per word, 12 and 24
     columns, powers of two;
   - reads as long as the vectors (only the diagonal), and one and two letters shorter; all lengths in one input;
   - every kind of data, 134 x 125 pairs of each, so that each variant is compared on 100,000 pairs;
   - penalties that are all equal, that are 0, and that no alignment can avoid: scores above 8 bits, and above 16 bits with and
     without a sign (with n = m no gap is possible: 129 and 258 letters at 255 each, 65 and 129 at 510 with CGAP);
   - bands of stage 08 (up to 109 letters) and of 09 (62 amino acids) with stripes: two or three of 512 sites, and five of 32;
   - nine reads and more, because a block of stage 09 has eight.
   About nine million cells in all, because the simulated device computes one or two million per second. */
static const char *const *check_shapes(void) {
#define ALL_255 "--mismatch 255 --insertion 255 --gap-open 255 --gap-extend 255 --cgap 255"
#define MANY "--reads 134 --vectors 125 --sites 13 --read-length 5 --shortest 1 --longest 13"
    static const char *const shapes[] = {
        "--reads 0 --vectors 3 --sites 110",
        "--reads 3 --vectors 0 --sites 110",
        "--vectors 1 --sites 1 --read-lengths 1",
        "--vectors 1 --sites 2 --read-lengths 1,2",
        "--vectors 2 --sites 13 --read-lengths 1,2,11,12,13",
        "--vectors 31 --sites 24 --read-lengths 1,11,12,13,22,23,24",
        "--vectors 32 --sites 25 --read-lengths 24,25,15,16,17,2",
        "--vectors 33 --sites 65 --read-lengths 1,11,12,13,31,32,33,63,64,65",
        "--vectors 63 --sites 12 --read-lengths 1,11,12",
        "--vectors 64 --sites 33 --read-lengths 8,31,32,33",
        "--vectors 65 --sites 35 --read-lengths 7,24",
        "--vectors 3 --sites 36 --read-lengths 1,12,13,24,25,36",
        "--vectors 3 --sites 37 --read-lengths 1,12,13,24,25,37",
        "--vectors 3 --sites 47 --read-lengths 12,13,36,46",
        "--vectors 3 --sites 48 --read-lengths 12,13,36,47",
        "--vectors 3 --sites 49 --read-lengths 12,13,36,37",
        "--vectors 3 --sites 130 --read-lengths 1,63,64,65,127,128,129",
        "--vectors 2 --sites 258 --read-lengths 1,127,129,255,256,257,258",
        "--vectors 2 --sites 1030 --read-lengths 3,1010",
        "--kind gaps --vectors 2 --sites 140 --read-lengths 33,109,110,131 --gap-open 255 --gap-extend 255",
        "--vectors 319 --sites 15 --read-lengths 4,9",
        "--vectors 320 --sites 16 --read-lengths 5",
        "--vectors 321 --sites 17 --read-lengths 3,16,17",
        "--vectors 641 --sites 10 --read-lengths 4",
        "--reads 1 --vectors 40 --sites 30 --read-lengths 9",
        "--reads 31 --vectors 3 --sites 31 --read-length 9",
        "--reads 32 --vectors 4 --sites 32 --read-length 10",
        "--reads 33 --vectors 5 --sites 30 --read-length 11",
        "--reads 63 --vectors 2 --sites 22 --read-length 8",
        "--reads 64 --vectors 1 --sites 22 --read-length 8",
        "--reads 65 --vectors 2 --sites 21 --read-length 7",
        "--reads 9 --vectors 5 --sites 300 --read-lengths 1,300,2,150,299",
        "--kind cut " MANY,
        "--kind random " MANY,
        "--kind gaps " MANY,
        "--kind ambiguous " MANY,
        "--kind allgap " MANY,
        "--kind repeat " MANY,
        "--kind cut --reads 4 --vectors 34 --sites 200 --read-length 40 --shortest 20 --longest 60",
        "--kind gaps --reads 4 --vectors 34 --sites 150 --read-length 40 --shortest 20 --longest 60",
        "--kind ambiguous --reads 4 --vectors 35 --sites 70 --read-length 30 --shortest 20 --longest 60",
        "--kind allgap --reads 4 --vectors 36 --sites 70 --read-length 30 --shortest 20 --longest 60",
        "--kind repeat --reads 9 --vectors 37 --sites 70 --read-length 20 --shortest 10 --longest 60",
        "--protein --kind cut --reads 3 --vectors 33 --sites 120 --read-length 40",
        "--protein --kind gaps --vectors 34 --sites 65 --read-lengths 1,12,33,64,65",
        "--protein --kind ambiguous --vectors 31 --sites 70 --read-lengths 13,40,70",
        "--protein --kind repeat --vectors 40 --sites 33 --read-lengths 31,5,33",
        "--protein --kind gaps --vectors 2 --sites 530 --read-lengths 129,3,66,62",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --mismatch 0 --insertion 0 --gap-open 0 "
        "--gap-extend 0 --cgap 0",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 " ALL_255,
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --gap-open 2 --gap-extend 2",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --gap-open 255 --gap-extend 0",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --gap-open 1 --gap-extend 0 --mismatch 255",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --insertion 0",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --insertion 255 --cgap 0",
        "--kind random --reads 3 --vectors 33 --sites 90 --read-length 30 --mismatch 0",
        "--kind gaps --reads 3 --vectors 33 --sites 90 --read-length 30 --cgap 255 --mismatch 1 --insertion 9",
        "--kind repeat --vectors 8 --sites 65 --read-lengths 64,65,63,64,65,63,64,65 " ALL_255,
        "--kind repeat --vectors 8 --sites 129 --read-lengths 127,128,129 " ALL_255,
        "--kind repeat --vectors 4 --sites 200 --read-lengths 200,199 " ALL_255,
        "--kind repeat --vectors 4 --sites 258 --read-lengths 257,258,256 " ALL_255,
        "--kind gaps --vectors 9 --sites 300 --read-lengths 200 " ALL_255,
        NULL,
    };
#undef ALL_255
#undef MANY
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
    .work_done = work_done,
    .output_size = output_size,
    .slices = slices,
    .reference = papara_reference,
    .compare = compare,
    .fast_oracle = "cpu_simd",
    .fast_oracle_work = 2e10,
    .check_shapes = check_shapes,
    .small_arguments = "--reads 1 --read-lengths 48 --vectors 64 --sites 1200",
    .figure_arguments = "--read-lengths 12 --vectors 4 --sites 24",
    .serial_baseline = "serial_O3",
};

WL_REGISTER_PROBLEM(papara)
