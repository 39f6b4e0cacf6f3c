/* The problem `sw`: random proteins and nucleotides or sequence files as input, and how scores are compared. The serial
   reference is in reference.c, random sequences come from generate.c, the options are in options.c. */
#include "sw/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/problem.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/fasta.h"
#include "io/database/database.h"
#include "sw/generate.h"
#include "sw/limits.h"
#include "sw/options.h"
#include "sw/reference.h"

const char *sw_refuse_scores(const sw_input *in) {
    const uint32_t shorter = in->queries.longest < in->database.longest ? in->queries.longest : in->database.longest;
    const double most = (double)shorter * in->scoring.highest;
    return most > INT32_MAX - SW_GAP_MOST - SW_SCORE_MOST ? "a score may be larger than 32 bits hold" : NULL;
}

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

/* What inputs of one command line have in common: with --each-query twenty of them share a database of 200 MB. */
typedef struct {
    size_t users;
    char *key; // the command line and the seed
    sw_scoring scoring;
    sw_owned_set queries;
    sw_owned_set made;  // the database, where it is random
    sw_database opened; // and where it is a file
    sw_set database;    // either's
} source;

/* An input, and the source whose sequences it is a view of. */
typedef struct {
    sw_input input;
    source *from;
} owned_input;

static source *recent; // the last one made, as long as somebody uses it

static void source_release(source *s) {
    if (--s->users > 0) return;
    if (recent == s) recent = NULL;
    sw_owned_set_free(&s->queries);
    sw_owned_set_free(&s->made);
    if (s->opened.memory) sw_database_close(&s->opened);
    WL_FREE(s->key, s);
}

static wl_status read_queries(const char *path, sw_alphabet alphabet, sw_owned_set *queries) {
    wl_sequences sequences;
    WL_TRY(wl_sequences_read(path, &sequences));
    wl_status status = sw_set_encode(wl_path_shown(path), &sequences, alphabet, 0, queries);
    wl_sequences_free(&sequences);
    return status;
}

static wl_status fill_source(const wl_arguments *arguments, uint64_t seed, source *s) {
    sw_recipe recipe;
    wl_status status = sw_options_check(arguments);
    if (status == WL_OK) status = sw_options_scoring(arguments, &s->scoring);
    if (status == WL_OK) status = sw_options_recipe(arguments, seed, &recipe);
    if (status != WL_OK) return status;
    if (wl_argument_given(arguments, "query")) {
        status = read_queries(wl_argument(arguments, "query"), recipe.alphabet, &s->queries);
    } else {
        uint32_t lengths[SW_QUERIES_MOST];
        size_t count;
        status = sw_options_lengths(arguments, lengths, &count);
        if (status == WL_OK) status = sw_generate_queries(&recipe, count, lengths, &s->queries);
    }
    if (status != WL_OK) return status;
    if (wl_argument_given(arguments, "db")) {
        status = sw_database_open(wl_argument(arguments, "db"), recipe.alphabet, &s->opened);
        s->database = s->opened.set;
    } else {
        status = sw_generate_database(&recipe, &s->queries.set, &s->made);
        s->database = s->made.set;
    }
    return status;
}

static char *key_of(const wl_arguments *arguments, uint64_t seed) {
    char *key = NULL;
    size_t size;
    FILE *text = open_memstream(&key, &size);
    if (!text) return NULL;
    fprintf(text, "%llu", (unsigned long long)seed);
    for (size_t i = 0; i < arguments->count; i++)
        fprintf(text, "\n%s", arguments->values[i] ? arguments->values[i] : "\t");
    return fclose(text) == 0 ? key : NULL;
}

static wl_status source_get(const wl_arguments *arguments, uint64_t seed, source **found) {
    char *key = key_of(arguments, seed);
    source *made = calloc(1, sizeof *made);
    if (key && made && recent && strcmp(recent->key, key) == 0) {
        WL_FREE(key, made);
        recent->users++;
        *found = recent;
        return WL_OK;
    }
    wl_status status =
        key && made ? fill_source(arguments, seed, made) : wl_fail(WL_NO_MACHINE, "no memory for an input");
    if (status != WL_OK) {
        if (made) sw_owned_set_free(&made->queries);
        WL_FREE(made, key);
        return status;
    }
    made->users = 1;
    made->key = key;
    recent = *found = made;
    return WL_OK;
}

static wl_status input_count(const wl_arguments *arguments, size_t *count) {
    *count = 1;
    wl_status status = sw_options_check(arguments);
    if (status != WL_OK || !wl_argument_given(arguments, "each-query")) return status;
    if (!wl_argument_given(arguments, "query")) {
        uint32_t lengths[SW_QUERIES_MOST];
        return sw_options_lengths(arguments, lengths, count);
    }
    wl_sequences sequences;
    WL_TRY(wl_sequences_read(wl_argument(arguments, "query"), &sequences));
    *count = sequences.count;
    wl_sequences_free(&sequences);
    return WL_OK;
}

static wl_status input_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    source *from;
    WL_TRY(source_get(arguments, seed, &from));
    owned_input *in = malloc(sizeof *in);
    if (!in) {
        source_release(from);
        return wl_fail(WL_NO_MACHINE, "no memory for an input");
    }
    in->from = from;
    in->input = (sw_input){.scoring = from->scoring, .queries = from->queries.set, .database = from->database};
    if (wl_argument_given(arguments, "each-query")) in->input.queries = sw_set_part(&from->queries.set, index, 1);
    *input = in;
    return WL_OK;
}

static void input_free(void *input) {
    owned_input *in = input;
    if (!in) return;
    source_release(in->from);
    free(in);
}

static int unequal_inputs(const wl_arguments *arguments) { return wl_argument_given(arguments, "each-query"); }

/* --- Results ----------------------------------------------------------------------------------------------------- */

/* "464x14.0M": one query of 464 residues against 14.0 million; "20q144-5478x204.5M": twenty of these lengths. */
static void shape(const void *input, char *text, size_t size) {
    const sw_input *in = input;
    uint32_t shortest = in->queries.longest;
    for (size_t q = 0; q < in->queries.count; q++)
        if (in->queries.length[q] < shortest) shortest = in->queries.length[q];
    char queries[48], letters[24];
    if (in->queries.count == 1)
        snprintf(queries, sizeof queries, "%u", shortest);
    else
        snprintf(queries, sizeof queries, "%zuq%u-%u", in->queries.count, shortest, in->queries.longest);
    if (in->database.letters < 100000)
        snprintf(letters, sizeof letters, "%llu", (unsigned long long)in->database.letters);
    else
        snprintf(letters, sizeof letters, "%.1fM", 1e-6 * (double)in->database.letters);
    snprintf(text, size, "%sx%s", queries, letters);
}

static double work(const void *input) {
    const sw_input *in = input;
    return (double)in->queries.letters * (double)in->database.letters;
}

static size_t pairs(const sw_input *in) { return in->queries.count * in->database.count; }

static size_t output_size(const void *input) { return sizeof(int) * pairs(input); }

static size_t slices(const void *input) { return sw_slices(input); }

static void place(const void *input, size_t pair, char *text, size_t size) {
    const size_t subjects = ((const sw_input *)input)->database.count;
    snprintf(text, size, "score[query=%zu][subject=%zu]", pair / subjects, pair % subjects);
}

/* What the wrong value tells about the mistake. */
static const char *diagnosis(const void *input, int64_t expected, int64_t found) {
    const int highest = ((const sw_input *)input)->scoring.highest, most = highest > 0 ? highest : 0;
    if (found < expected && found >= INT16_MAX - most && found <= INT16_MAX) return " (stuck at the end of 16 bits)";
    if (found < expected && (int16_t)found == (int16_t)expected) return " (wrapped at 16 bits)";
    return "";
}

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const wl_whole_numbers numbers = {.count = pairs(input), .place = place, .diagnosis = diagnosis};
    return wl_compare_whole(&numbers, input, expected, actual, first, size);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* shapes.txt says why each is there. */
static const char *const check_shapes[] = {
#include "sw/shapes.rows"
    NULL,
};

static const char *const mixed_shapes[] = {
    "--subjects 31 --subject-length 33 --query-lengths 31,32,33",
    NULL,
};

static const char *const range_shapes[] = {
#include "sw/range_shapes.rows"
    NULL,
};

static const wl_problem sw = {
    .name = "sw",
    .title = "Smith-Waterman",
    .unit = "cell updates",
    .options = sw_options,
    .input_count = input_count,
    .input_create = input_create,
    .input_free = input_free,
    .unequal_inputs = unequal_inputs,
    .shape = shape,
    .work = work,
    .output_size = output_size,
    .slices = slices,
    .reference = sw_reference,
    .compare = compare,
    .fast_oracle = "cpu_simd",
    .fast_oracle_work = 2e10,
    .check_shapes = check_shapes,
    .range_shapes = range_shapes,
    .mixed_shapes = mixed_shapes,
    /* Two full warps and equal lengths: no lane idles, so a cell's bytes are the paper's (section II.2 to II.3). */
    .small_arguments = "--subjects 64 --subject-length 200 --query-lengths 144",
    .figure_arguments = "--subjects 4 --subject-length 12 --query-lengths 12",
    .serial_baseline = "serial_O3",
};

WL_REGISTER_PROBLEM(sw)
