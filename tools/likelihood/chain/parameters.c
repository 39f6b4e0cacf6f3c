/* The parameters that a chain samples: where they are, and what is known of them beforehand. */
#include "tools/likelihood/chain/chain.h"

const char *const peeling_move_names[PEELING_MOVES] = {"branch", "nni", "alpha", "kappa", "omega", "exchange"};

const peeling_parameter peeling_chain_parameters[PEELING_PARAMETERS] = {
    {"alpha", PEELING_MOVE_ALPHA, 1, 0.005, 1000},   {"kappa", PEELING_MOVE_KAPPA, 4, 1e-3, 1000},
    {"omega", PEELING_MOVE_OMEGA, 1, 1e-4, 1000},    {"rAC", PEELING_MOVE_EXCHANGE, 1. / 6, 1e-6, 1},
    {"rAG", PEELING_MOVE_EXCHANGE, 1. / 6, 1e-6, 1}, {"rAT", PEELING_MOVE_EXCHANGE, 1. / 6, 1e-6, 1},
    {"rCG", PEELING_MOVE_EXCHANGE, 1. / 6, 1e-6, 1}, {"rCT", PEELING_MOVE_EXCHANGE, 1. / 6, 1e-6, 1},
    {"rGT", PEELING_MOVE_EXCHANGE, 1. / 6, 1e-6, 1},
};

int peeling_has_parameter(const peeling_settings *settings, int parameter) {
    const peeling_model_kind kind = settings->kind;
    switch (peeling_chain_parameters[parameter].move) {
        case PEELING_MOVE_ALPHA:
            return settings->rates > 1 && !settings->free_rates;
        case PEELING_MOVE_KAPPA:
            return kind == PEELING_K80 || kind == PEELING_HKY85 || kind == PEELING_GY94;
        case PEELING_MOVE_OMEGA:
            return kind == PEELING_GY94;
        default:
            return kind == PEELING_GTR;
    }
}

double *peeling_parameter_of(peeling_settings *settings, int parameter) {
    double *const single[PEELING_EXCHANGE] = {&settings->alpha, &settings->kappa, &settings->omega};
    return parameter < PEELING_EXCHANGE ? single[parameter] : &settings->exchange[parameter - PEELING_EXCHANGE];
}

double peeling_parameter_shown(const peeling_settings *settings, int parameter) {
    peeling_settings copy = *settings;
    double value = *peeling_parameter_of(&copy, parameter), sum = 0;
    if (parameter < PEELING_EXCHANGE) return value;
    for (int k = 0; k < 6; k++) sum += copy.exchange[k];
    return value / sum;
}
