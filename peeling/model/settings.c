/* What a model is by its settings: kinds and their defaults, numbers of states and of classes, its name. */
#include <stdio.h>

#include "peeling/model/internal.h"

const peeling_known_model peeling_known_models[PEELING_MODELS] = {
    [PEELING_JC69] = {"JC69", PEELING_NUCLEOTIDES, PEELING_EQUAL},
    [PEELING_K80] = {"K80", PEELING_NUCLEOTIDES, PEELING_EQUAL},
    [PEELING_HKY85] = {"HKY85", PEELING_NUCLEOTIDES, PEELING_OBSERVED},
    [PEELING_GTR] = {"GTR", PEELING_NUCLEOTIDES, PEELING_OBSERVED},
    [PEELING_POISSON] = {"POISSON", PEELING_AMINO_ACIDS, PEELING_EQUAL},
    [PEELING_EMPIRICAL] = {"WAG", PEELING_AMINO_ACIDS, PEELING_PUBLISHED},
    [PEELING_GY94] = {"GY94", PEELING_CODONS, PEELING_F3X4},
};

peeling_settings peeling_settings_of(peeling_model_kind kind) {
    return (peeling_settings){.kind = kind,
                              .empirical = kind == PEELING_EMPIRICAL ? peeling_empirical_named("WAG", 3) : NULL,
                              .rates = 1,
                              .alpha = 0.5,
                              .kappa = 2,
                              .omega = 0.5,
                              .exchange = {1, 1, 1, 1, 1, 1},
                              .alike = "012345",
                              .invariant = 0.2,
                              .frequencies = peeling_known_models[kind].frequencies};
}

peeling_alphabet peeling_alphabet_of(peeling_model_kind kind) { return peeling_known_models[kind].alphabet; }

int peeling_states_of(const peeling_settings *settings) {
    const peeling_alphabet alphabet = peeling_alphabet_of(settings->kind);
    if (alphabet == PEELING_CODONS) return peeling_code_states(settings->code);
    return alphabet == PEELING_NUCLEOTIDES ? 4 : 20;
}

int peeling_classes_of(const peeling_settings *settings) { return settings->rates + (settings->has_invariant != 0); }

int peeling_alike(const peeling_settings *settings, int k) {
    int first = 0;
    while (settings->alike[first] != settings->alike[k]) first++;
    return first;
}

int peeling_parts_of(const peeling_settings *settings) { return settings->parts > 1 ? settings->parts : 1; }

const char *peeling_model_name(const peeling_settings *settings, char text[PEELING_NAME]) {
    const char *name = peeling_known_models[settings->kind].name;
    if (settings->kind == PEELING_EMPIRICAL) name = settings->empirical->name;
    if (settings->named) name = settings->named;
    if (settings->muse_gaut) name = "MG94";
    char classes[16] = "";
    if (settings->rates > 1 || settings->free_rates)
        snprintf(classes, sizeof classes, "+%c%d", settings->free_rates ? 'R' : 'G', settings->rates);
    snprintf(text, PEELING_NAME, "%s%s%s%s", name, settings->has_invariant ? "+I" : "", classes,
             settings->variable_only ? "+ASC" : "");
    return text;
}

int peeling_settings_exchange(peeling_settings *settings, const double *number, int count) {
    int groups = 0, next = 0;
    double of_group[6] = {0};
    if (settings->kind != PEELING_GTR) return 0;
    for (int k = 0; k < 6; k++) groups += peeling_alike(settings, k) == k;
    if (count == 6 && groups < 6)
        for (int k = 0; k < 6; k++)
            if (number[k] != number[peeling_alike(settings, k)]) return 0;
    const int all = count == 6 || count == groups;
    if (!all && count != groups - 1) return 0;
    for (int k = 0; k < 6; k++) {
        const int first = peeling_alike(settings, k);
        if (count == 6)
            of_group[k] = number[k];
        else if (first < k)
            of_group[k] = of_group[first];
        else
            of_group[k] = !all && settings->alike[k] == settings->alike[5] ? 1 : number[next++];
    }
    for (int k = 0; k < 6; k++) settings->exchange[k] = of_group[k];
    return 1;
}
