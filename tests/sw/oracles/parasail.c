/* Scores against parasail (Daily 2016), an independent program: more than 100,000 pairs, random and adversarial, every
   matrix, several gap costs, nucleotides, and scores beyond 16 bits. Both the serial reference and the CPU variant that large
   results are checked against must agree with it. */
#include <parasail.h>
#include <parasail/matrices/blosum45.h>
#include <parasail/matrices/blosum50.h>
#include <parasail/matrices/blosum62.h>
#include <parasail/matrices/blosum90.h>
#include <parasail/matrices/pam250.h>
#include <parasail/matrices/pam30.h>
#include <parasail/matrices/pam70.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/database/alphabet.h"
#include "harness/bench/check.h"
#include "harness/bench/device.h"
#include "sw/problem.h"
#include "sw/scoring/scoring.h"

static size_t failures;

static void complain(const char *what, const char *options, size_t q, size_t s, int ours, int theirs) {
#pragma omp critical
    if (failures++ < 10)
        printf("%s at '%s': score[query=%zu][subject=%zu] is %d, parasail's %d\n", what, options, q, s, ours, theirs);
}

/* Their matrix with our scores: the letters in the order of our codes. They add '*' themselves, after all others. */
static parasail_matrix_t *their_matrix(const sw_scoring *scoring) {
    char letters[SW_CODES] = "";
    int protein = scoring->alphabet == SW_PROTEIN;
    for (int code = 0; sw_letter(scoring->alphabet, code) != '?' && sw_letter(scoring->alphabet, code) != '*'; code++)
        letters[code] = sw_letter(scoring->alphabet, code);
    parasail_matrix_t *matrix = parasail_matrix_create(letters, 0, 0);
    int count = (int)strlen(letters) + protein;
    for (int a = 0; matrix && a < count; a++)
        for (int b = 0; b < count; b++) parasail_matrix_set_value(matrix, a, b, scoring->matrix[a][b]);
    return matrix;
}

/* Sequence s as text; the caller frees it. */
static char *text_of(const sw_scoring *scoring, const sw_set *set, size_t s) {
    char *text = malloc(set->length[s] + (size_t)1);
    for (uint32_t k = 0; text && k < set->length[s]; k++)
        text[k] = sw_letter(scoring->alphabet, set->residues[set->start[s] + k]);
    if (text) text[set->length[s]] = 0;
    return text;
}

/* Their open is a gap's first residue and their gap each further one, as in the paper. Their "scan" functions, not the
   "striped" ones: those of 2.6 find too little where both cost the same, as their own serial ones show. */
static void their_scores(const sw_input *in, int *score) {
    parasail_matrix_t *matrix = their_matrix(&in->scoring);
#pragma omp parallel for schedule(dynamic)
    for (size_t s = 0; s < in->database.count; s++) {
        char *subject = text_of(&in->scoring, &in->database, s);
        for (size_t q = 0; q < in->queries.count; q++) {
            char *query = text_of(&in->scoring, &in->queries, q);
            parasail_result_t *result =
                parasail_sw_scan_32(query, (int)in->queries.length[q], subject, (int)in->database.length[s],
                                    in->scoring.gap_open, in->scoring.gap_extend, matrix);
            score[q * in->database.count + s] = parasail_result_get_score(result);
            parasail_result_free(result);
            free(query);
        }
        free(subject);
    }
    parasail_matrix_free(matrix);
}

static void compare(const char *what, const char *options, const sw_input *in, const int *ours, const int *theirs) {
    for (size_t i = 0; i < in->queries.count * in->database.count; i++)
        if (ours[i] != theirs[i])
            complain(what, options, i / in->database.count, i % in->database.count, ours[i], theirs[i]);
}

static const wl_variant *cpu_variant(const char *name) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (strcmp(variants[v]->problem, "sw") == 0 && strcmp(variants[v]->name, name) == 0 &&
            variants[v]->backend == WL_CPU)
            return variants[v];
    return NULL;
}

static void require(int condition, const char *what) {
    if (condition) return;
    printf("%s: %s\n", what, wl_error());
    exit(1);
}

static void run_variant(const wl_variant *variant, const sw_input *in, int *score) {
    wl_device_list devices;
    void *state = NULL;
    require(wl_devices_select("cpu", &devices) == WL_OK, "no cpu");
    require(variant->prepare(&devices.items[0], in, &state) == WL_OK, "prepare");
    require(variant->launch(state) == WL_OK && variant->collect(state, score, 0) == WL_OK, "launch");
    variant->release(state);
}

/* Returns how many pairs. */
static size_t try(const wl_problem *problem, const wl_variant *simd, const char *options, uint64_t seed) {
    wl_arguments arguments;
    wl_inputs inputs;
    const void *expected;
    require(wl_arguments_parse(problem->options, options, &arguments) == WL_OK, options);
    require(wl_inputs_create(problem, &arguments, seed, 0, &inputs) == WL_OK, options);
    require(wl_inputs_expected(&inputs, 0, &expected) == WL_OK, options);
    const sw_input *in = inputs.inputs[0];
    size_t pairs = in->queries.count * in->database.count;
    int *theirs = wl_poisoned(sizeof(int) * pairs), *ours = wl_poisoned(sizeof(int) * pairs);
    require(theirs && ours, "memory");
    their_scores(in, theirs);
    compare("reference", options, in, expected, theirs);
    run_variant(simd, in, ours);
    compare(simd->name, options, in, ours, theirs);
    free(theirs);
    free(ours);
    free(arguments.values);
    wl_inputs_free(&inputs);
    return pairs;
}

/* The twenty amino acids' scores are the same everywhere. Not compared: B, Z and X, which parasail has from older files,
   and BLOSUM80, which it has in thirds of a bit where BLAST has halves. */
static void compare_matrices(void) {
    static const parasail_matrix_t *const theirs[] = {&parasail_blosum45, &parasail_blosum50, &parasail_blosum62,
                                                      &parasail_blosum90, &parasail_pam30,    &parasail_pam70,
                                                      &parasail_pam250};
    for (size_t m = 0; m < sizeof theirs / sizeof *theirs; m++) {
        sw_scoring ours;
        require(sw_scoring_named(theirs[m]->name, &ours) == WL_OK, theirs[m]->name);
        for (int a = 0; a < 20; a++)
            for (int b = 0; b < 20; b++) {
                int row = theirs[m]->mapper[(int)sw_letter(SW_PROTEIN, a)];
                int column = theirs[m]->mapper[(int)sw_letter(SW_PROTEIN, b)];
                int score = theirs[m]->matrix[row * theirs[m]->size + column];
                if (score != ours.matrix[a][b])
                    complain("matrix", ours.name, (size_t)a, (size_t)b, ours.matrix[a][b], score);
            }
    }
}

int main(void) {
    static const char *const matrices[] = {"BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80",
                                           "BLOSUM90", "PAM30",    "PAM70",    "PAM250"};
    static const char *const gaps[] = {"", "--gap-open 3 --gap-extend 1", "--gap-open 0 --gap-extend 4"};
    static const char *const kinds[] = {"random", "related", "gaps", "letters", "repeat"};
    static const char *const others[] = {
        "--subjects 300 --longest 150 --query-lengths 1,20,150 --kind unknown",
        "--subjects 300 --longest 150 --query-lengths 1,20,150 --kind identical --gap-extend 0",
        "--subjects 300 --longest 300 --query-lengths 17,170 --kind related --nucleotide",
        "--subjects 300 --longest 300 --query-lengths 17,170 --kind letters --nucleotide --match 5 --mismatch -4",
        "--subjects 3 --subject-length 600 --query-lengths 258,259,600 --kind repeat --nucleotide --match 127 "
        "--mismatch -127",
        "--subjects 40 --subject-length 700 --query-lengths 700 --kind gaps --nucleotide --match 127 --mismatch -50",
        "--subjects 1 --subject-length 3500 --query-lengths 3500 --kind repeat",
        "--subjects 20 --subject-length 1 --query-lengths 1,2,3",
    };
    const wl_problem *problem = wl_problem_named("sw");
    const wl_variant *simd = problem ? cpu_variant(problem->fast_oracle) : NULL;
    require(problem && simd, "no sw/cpu_simd in this program");
    size_t pairs = 0, tried = 0;
    compare_matrices();
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++)
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++, tried++) {
            char options[200];
            snprintf(options, sizeof options,
                     "--subjects 560 --longest 150 --query-lengths 1,2,7,13,31,60,100,150 --matrix %s --kind %s %s",
                     matrices[m], kinds[tried % (sizeof kinds / sizeof *kinds)], gaps[g]);
            pairs += try(problem, simd, options, tried);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) pairs += try(problem, simd, others[i], i);
    printf("%zu pairs: %zu scores differ from parasail's\n", pairs, failures);
    return failures > 0 || pairs < 100000;
}
