/* The options of the problem `peeling`. */
#include "peeling/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAXA_MOST ((int64_t)1 << 24)
#define PATTERNS_MOST ((int64_t)1 << 28)

const wl_option peeling_options[] = {
    {"model", "NAME:JC69 K80 HKY85 GTR Poisson WAG GY94 GY94+G4", "GY94+G4",
     "JC69, K80, HKY85, GTR, Poisson, WAG or GY94; +G4 adds four classes of rates"},
    {"alpha", "X", NULL, "shape of the gamma distribution of rates (default: 0.5)"},
    {"kappa", "X", NULL, "transitions over transversions (default: 2)"},
    {"omega", "X", NULL, "non-synonymous over synonymous substitutions (default: 0.5)"},
    {"code", "CODE:standard vertebrate-mitochondrial", "standard",
     "genetic code: standard (61 codons) or vertebrate-mitochondrial (60)"},
    {"taxa", "N", "62", "tips of the tree"},
    {"patterns", "N", "3600", "unique columns"},
    {"precision", "NAME:single double", "double", "single or double"},
    {"tree-shape", "SHAPE:yule ladder star balanced", "yule",
     "yule, ladder, star (a ladder whose inner branches have length 0) or balanced"},
    {"height", "X", "0.5", "expected substitutions per column from the root to a tip, on average; also 0 and inf"},
    {"branches", "KIND:tree mixed", "tree",
     "lengths as the tree has them, or mixed: some 0, 1e-9, 20, 1e9 and infinity"},
    {"kind", "KIND:evolved random identical", "evolved",
     "columns: evolved (down the tree, under the model), random (all states independent), identical (all tips alike)"},
    {"missing", "X", "0", "share of missing characters"},
    {"ambiguous", "X", "0", "share of sets of two or three states among the other characters"},
    {"weight", "X", "1", "weight of a column; a pattern has the sum of its columns' weights"},
    {"tiles", "SIZE", "auto",
     "cut the work of stages 05 to 10 into tiles of size 1, 2, 4 or 7; auto: by device and input"},
    {"spill", "BYTES", "0",
     "(09_resident) keep one waiting vector in shared memory and others in this many bytes; 0: by device and input"},
    {"chain", "N", NULL,
     "(run) time N steps of a Markov chain over trees, branch lengths and parameters instead of evaluations; on the "
     "simulated device only with --device sim"},
    {"trace", "DIR", NULL,
     "(run --chain) write DIR/peeling.log and DIR/peeling.trees, as Tracer and TreeAnnotator read them"},
    {"trace-every", "N", "100", "steps between two lines of the trace"},
    {NULL, NULL, NULL, NULL},
};

/* Uneven and fixed, so that a model does not depend on the seed: of A, C, G, T at the three positions of a codon;
   where there is one position, the first. About those of vertebrates' mitochondria. */
static const double nucleotides[3][4] = {{0.30, 0.25, 0.21, 0.24}, {0.19, 0.26, 0.13, 0.42}, {0.39, 0.30, 0.06, 0.25}};

static void set_frequencies(peeling_settings *settings) {
    if (settings->frequencies == PEELING_EQUAL || settings->frequencies == PEELING_PUBLISHED) return;
    settings->frequencies = PEELING_GIVEN;
    if (peeling_alphabet_of(settings->kind) == PEELING_CODONS)
        peeling_codon_frequencies(settings, nucleotides);
    else
        memcpy(settings->frequency, nucleotides[0], sizeof nucleotides[0]);
}

/* What would change nothing. */
static wl_status refuse_unused(const wl_arguments *arguments, const peeling_settings *settings) {
    const char *model = wl_argument(arguments, "model");
    const peeling_model_kind kind = settings->kind;
    const struct {
        const char *name;
        int used;
    } numbers[] = {{"alpha", settings->rates > 1 && !settings->free_rates},
                   {"kappa", kind == PEELING_K80 || kind == PEELING_HKY85 || kind == PEELING_GY94},
                   {"omega", kind == PEELING_GY94}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (wl_argument_given(arguments, numbers[i].name) && !numbers[i].used)
            return wl_fail(WL_BAD_USAGE, "option --%s: the model %s has none; expected a model that has",
                           numbers[i].name, model);
    if (wl_argument_given(arguments, "code") && settings->kind != PEELING_GY94)
        return wl_fail(WL_BAD_USAGE, "option --code: the model %s has none; expected it with GY94", model);
    WL_TRY(wl_argument_refuse_without(arguments, "trace", "chain"));
    return wl_argument_refuse_without(arguments, "trace-every", "trace");
}

static wl_status model_of(const wl_arguments *arguments, peeling_settings *settings) {
    static const double exchange[6] = {1.3, 4.5, 0.8,
                                       0.9, 5.2, 1}; // AC, AG, AT, CG, CT, GT: transitions are more frequent
    const struct {
        const char *name;
        double *value, low, high;
    } numbers[] = {{"alpha", &settings->alpha, 1e-3, 1e6},
                   {"kappa", &settings->kappa, 1e-6, 1e6},
                   {"omega", &settings->omega, 1e-6, 1e6}};
    int code;
    WL_TRY(peeling_model_parse(wl_argument(arguments, "model"), settings));
    WL_TRY(wl_argument_choice(arguments, "code", &code));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (wl_argument_given(arguments, numbers[i].name))
            WL_TRY(wl_argument_number(arguments, numbers[i].name, numbers[i].low, numbers[i].high, numbers[i].value));
    WL_TRY(refuse_unused(arguments, settings));
    settings->code = (peeling_genetic_code)code;
    if (settings->kind == PEELING_GTR) memcpy(settings->exchange, exchange, sizeof exchange);
    set_frequencies(settings);
    return WL_OK;
}

wl_status peeling_options_recipe(const wl_arguments *arguments, uint64_t seed, peeling_recipe *recipe) {
    static const uint32_t tiles[] = {0, 1, 2, 4, 7};
    int64_t taxa, patterns, spill;
    int precision, shape, lengths, kind, size;
    peeling_recipe made = {.seed = seed};
    WL_TRY(model_of(arguments, &made.settings));
    WL_TRY(wl_argument_integer(arguments, "taxa", 2, TAXA_MOST, &taxa));
    WL_TRY(wl_argument_integer(arguments, "patterns", 0, PATTERNS_MOST, &patterns));
    WL_TRY(wl_argument_choice(arguments, "precision", &precision));
    WL_TRY(wl_argument_choice(arguments, "tree-shape", &shape));
    WL_TRY(wl_argument_choice(arguments, "branches", &lengths));
    WL_TRY(wl_argument_choice(arguments, "kind", &kind));
    WL_TRY(wl_argument_number(arguments, "height", 0, INFINITY, &made.height));
    WL_TRY(wl_argument_number(arguments, "missing", 0, 1, &made.missing));
    WL_TRY(wl_argument_number(arguments, "ambiguous", 0, 1, &made.ambiguous));
    WL_TRY(wl_argument_number(arguments, "weight", 1e-6, 1e15, &made.weight));
    WL_TRY(wl_argument_choice_of(arguments, "tiles", "auto 1 2 4 7", &size));
    WL_TRY(wl_argument_integer(arguments, "spill", 0, INT64_C(1) << 40, &spill));
    made.tiles = tiles[size];
    made.spill = (size_t)spill;
    made.taxa = (uint32_t)taxa;
    made.patterns = (uint32_t)patterns;
    made.precision = (peeling_precision)precision;
    made.shape = (peeling_shape)shape;
    made.lengths = (peeling_lengths)lengths;
    made.kind = (peeling_kind)kind;
    *recipe = made;
    return WL_OK;
}
