/* The numbers of a model that may be estimated. */
#include <math.h>
#include <stdio.h>

#include "peeling/model/internal.h"

static const char *const pair[6] = {"AC", "AG", "AT", "CG", "CT", "GT"};

int peeling_model_parameters(peeling_settings *settings, peeling_model_parameter list[PEELING_MODEL_PARAMETERS_MOST]) {
    const peeling_model_kind kind = settings->kind;
    const int is_codon = peeling_alphabet_of(kind) == PEELING_CODONS;
    int count = 0;
    const struct {
        int has;
        peeling_model_parameter parameter;
    } single[] = {
        {settings->rates > 1 && !settings->free_rates, {"alpha", PEELING_GIVEN_ALPHA, 1e-3, 1e6, &settings->alpha}},
        {kind == PEELING_K80 || kind == PEELING_HKY85 || is_codon,
         {"kappa", PEELING_GIVEN_KAPPA, 0, 1e6, &settings->kappa}},
        {is_codon, {"omega", PEELING_GIVEN_OMEGA, 0, 1e6, &settings->omega}},
        {settings->has_invariant,
         {"invariant", PEELING_GIVEN_INVARIANT, 0, PEELING_INVARIANT_MOST, &settings->invariant}},
    };
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i].has) list[count++] = single[i].parameter;
    for (int k = 0; k < 5 && kind == PEELING_GTR; k++) {
        if (peeling_alike(settings, k) != k || settings->alike[k] == settings->alike[5]) continue;
        peeling_model_parameter made = {"", PEELING_GIVEN_EXCHANGE, 0, INFINITY, &settings->exchange[k]};
        snprintf(made.name, sizeof made.name, "%s", pair[k]);
        list[count++] = made;
    }
    for (int r = 0; r + 1 < settings->rates && settings->free_rates; r++) {
        peeling_model_parameter rate = {"", PEELING_GIVEN_RATES, 0, 1e6, &settings->rate[r]};
        peeling_model_parameter share = {"", PEELING_GIVEN_RATES, 0, 1e6, &settings->share[r]};
        snprintf(rate.name, sizeof rate.name, "rate%d", r + 1);
        snprintf(share.name, sizeof share.name, "share%d", r + 1);
        list[count++] = rate;
        list[count++] = share;
    }
    return count;
}
