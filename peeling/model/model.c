/* Models of substitution: what a user asks for is checked and becomes exchange rates and frequencies, and those a
   generator that is decomposed. */
#include "peeling/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peeling/model/internal.h"

/* --- Frequencies -------------------------------------------------------------------------------------------------- */

static const char *state_name(const peeling_settings *settings, int state, char text[24]) {
    const char *letters = peeling_alphabet_of(settings->kind) == PEELING_NUCLEOTIDES ? "ACGT" : "ARNDCQEGHILKMFPSTWYV";
    if (settings->kind == PEELING_GY94) {
        memcpy(text, "codon ", 6);
        peeling_codon_letters(settings->code, state, text + 6);
    } else {
        memcpy(text, peeling_alphabet_of(settings->kind) == PEELING_NUCLEOTIDES ? "nucleotide ?" : "amino acid ?", 13);
        text[11] = letters[state];
    }
    return text;
}

/* Says that this state's frequency is 0, and what the user can do. We add nothing to the counts instead: that would
   change the likelihood without the user having asked for it. */
static wl_status fail_never(const peeling_settings *settings, int state) {
    char text[24];
    const char *name = state_name(settings, state, text), *missing, *instead;
    if (settings->frequencies == PEELING_OBSERVED && settings->kind == PEELING_GY94) {
        missing = "is not in the alignment, and F61 needs every codon's frequency to be above 0";
        instead = "f3x4 takes them from nucleotides";
    } else if (settings->frequencies == PEELING_OBSERVED) {
        missing = "is not in the alignment, and the model needs every frequency to be above 0";
        instead =
            settings->kind == PEELING_EMPIRICAL ? "published takes the model's own" : "equal, or numbers of your own";
    } else if (settings->frequencies == PEELING_F3X4) {
        missing = "has a nucleotide that is nowhere at that position of codons, and the model needs every frequency to "
                  "be above 0";
        instead = "f1x4 or equal";
    } else if (settings->frequencies == PEELING_F1X4) {
        missing =
            "has a nucleotide that is nowhere in the alignment, and the model needs every frequency to be above 0";
        instead = "equal";
    } else {
        return wl_fail(WL_BAD_INPUT, "the frequency of %s is 0, and must be above 0", name);
    }
    return wl_fail(WL_BAD_INPUT, "%s %s: --frequencies %s", name, missing, instead);
}

/* The least frequency that we accept; all frequencies add up to 1. Rounding leaves errors of about
   1e-15 / sqrt(frequency[i] frequency[j]), relative to P[i][j]. */
#define RAREST 1e-12

static wl_status make_frequencies(const peeling_settings *settings, int states, double *frequency) {
    const int fixed = peeling_known_models[settings->kind].frequencies == PEELING_EQUAL;
    const int codon_only = settings->frequencies == PEELING_F1X4 || settings->frequencies == PEELING_F3X4;
    if ((fixed && settings->frequencies != PEELING_EQUAL) || (codon_only && settings->kind != PEELING_GY94) ||
        (settings->frequencies == PEELING_PUBLISHED && settings->kind != PEELING_EMPIRICAL)) {
        char text[PEELING_NAME];
        return wl_fail(WL_BAD_INPUT, "%s cannot have these frequencies: %s", peeling_model_name(settings, text),
                       fixed        ? "all its states are equally frequent"
                       : codon_only ? "F1x4 and F3x4 are of codons"
                                    : "only those of empirical models are published");
    }
    const double *given =
        settings->frequencies == PEELING_PUBLISHED ? settings->empirical->frequency : settings->frequency;
    double most = 0, sum = 0;
    char text[24];
    for (int s = 0; s < states; s++) {
        frequency[s] = settings->frequencies == PEELING_EQUAL ? 1 : given[s];
        if (!(frequency[s] >= 0) || isinf(frequency[s]))
            return wl_fail(WL_BAD_INPUT, "the frequency of %s is %g, and must be above 0 and finite",
                           state_name(settings, s, text), frequency[s]);
        most = fmax(most, frequency[s]);
    }
    for (int s = 0; s < states; s++) {
        if (frequency[s] == 0) return fail_never(settings, s);
        sum += frequency[s] /= most; // or the sum may overflow
    }
    for (int s = 0; s < states; s++) {
        frequency[s] /= sum;
        if (frequency[s] < RAREST)
            return wl_fail(WL_BAD_INPUT, "the frequency of %s is %g of all, and must be %g at least",
                           state_name(settings, s, text), frequency[s], RAREST);
    }
    return WL_OK;
}

/* --- Exchange rates ----------------------------------------------------------------------------------------------- */

static wl_status in_range(const char *what, double value, double least, double most) {
    if (value >= least && value <= most) return WL_OK; // and no NaN
    return wl_fail(WL_BAD_INPUT, "%s is %g, and must be from %g to %g", what, value, least, most);
}

static int is_transition(int one, int other) { return one != other && one % 2 == other % 2; } // A-G and C-T of ACGT

/* Of MG94 a change's rate is the frequency of the nucleotide, not of the codon: without that of the other two. */
static double others_frequency(const peeling_settings *settings, const char *codon, int changed) {
    double product = 1;
    for (int position = 0; position < 3 && settings->frequencies != PEELING_EQUAL; position++)
        if (position != changed) product *= settings->nucleotide[position][strchr("ACGT", codon[position]) - "ACGT"];
    return product;
}

/* Frequencies of codons that are no products of nucleotides' are not MG94's. */
static wl_status check_products(const peeling_settings *settings, int states) {
    peeling_settings made = *settings;
    if (settings->frequencies == PEELING_EQUAL) return WL_OK;
    peeling_codon_frequencies(&made, settings->nucleotide);
    double most = 0;
    for (int s = 0; s < states; s++)
        most = fmax(most,
                    fabs(made.frequency[s] / settings->frequency[s] * settings->frequency[0] / made.frequency[0] - 1));
    if (most < 1e-9) return WL_OK; // and no NaN
    return wl_fail(WL_BAD_INPUT, "MG94 has frequencies of nucleotides: expected f3x4, f1x4 or equal");
}

static void codon_exchange(const peeling_settings *settings, int states, double *exchange) {
    char codon[PEELING_STATES_MOST][4];
    int amino_acid[PEELING_STATES_MOST];
    for (int s = 0; s < states; s++) {
        peeling_codon_letters(settings->code, s, codon[s]);
        amino_acid[s] = peeling_codon_amino_acid(settings->code, s);
    }
    for (int i = 0; i < states; i++)
        for (int j = 0; j < states; j++) {
            int differences = 0, changed = 0;
            double rate = 1;
            for (int position = 0; position < 3; position++) {
                const int one = (int)peeling_character(PEELING_NUCLEOTIDES, 0, codon[i] + position);
                const int other = (int)peeling_character(PEELING_NUCLEOTIDES, 0, codon[j] + position);
                differences += one != other;
                if (one != other) changed = position;
                if ((one | other) == 5 || (one | other) == 10) rate *= settings->kappa;
            }
            if (amino_acid[i] != amino_acid[j]) rate *= settings->omega;
            if (settings->muse_gaut && differences == 1) rate /= others_frequency(settings, codon[i], changed);
            exchange[i * states + j] = differences == 1 ? rate : 0;
        }
}

static void nucleotide_exchange(const peeling_settings *settings, double *exchange) {
    double rate[6];
    for (int k = 0; k < 6; k++) rate[k] = settings->exchange[peeling_alike(settings, k)];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double value = 1;
            if (settings->kind == PEELING_GTR)
                value = j == 0 ? rate[i - 1] : rate[i + j]; // CG 3, CT 4, GT 5
            else if (settings->kind != PEELING_JC69 && is_transition(i, j))
                value = settings->kappa;
            exchange[i * 4 + j] = exchange[j * 4 + i] = value;
        }
}

/* Symmetric, the largest is 1. */
static wl_status make_exchange(const peeling_settings *settings, int states, double *exchange) {
    const peeling_model_kind kind = settings->kind;
    wl_status status = WL_OK;
    if (kind == PEELING_K80 || kind == PEELING_HKY85 || kind == PEELING_GY94)
        status = in_range("kappa", settings->kappa, 0, 1e6);
    if (status == WL_OK && kind == PEELING_GY94) status = in_range("omega", settings->omega, 0, 1e6);
    if (status != WL_OK) return status;
    static const char *const pair[6] = {"AC", "AG", "AT", "CG", "CT", "GT"};
    for (int k = 0; k < 6 && kind == PEELING_GTR; k++)
        if (!(settings->exchange[k] >= 0) || isinf(settings->exchange[k]))
            return wl_fail(WL_BAD_INPUT, "the exchange rate %s is %g, and must be 0 or above, and finite", pair[k],
                           settings->exchange[k]);
    if (kind == PEELING_GY94)
        codon_exchange(settings, states, exchange);
    else if (kind == PEELING_EMPIRICAL)
        peeling_empirical_exchange(settings->empirical, exchange);
    else if (kind == PEELING_POISSON)
        for (int i = 0; i < states * states; i++) exchange[i] = 1;
    else
        nucleotide_exchange(settings, exchange);
    double most = 0;
    for (int i = 0; i < states; i++) {
        exchange[i * states + i] = 0;
        for (int j = 0; j < i; j++) most = fmax(most, exchange[i * states + j]);
    }
    for (int i = 0; i < states * states && most > 0; i++) exchange[i] /= most;
    return WL_OK;
}

static wl_status check_connected(const peeling_settings *settings, int states, const double *exchange) {
    int reached[PEELING_STATES_MOST] = {1}, queue[PEELING_STATES_MOST] = {0}, count = 1;
    for (int next = 0; next < count; next++)
        for (int s = 0; s < states; s++)
            if (!reached[s] && exchange[queue[next] * states + s] > 0) {
                reached[s] = 1;
                queue[count++] = s;
            }
    if (count == states) return WL_OK;
    int unreached = 0;
    while (reached[unreached]) unreached++;
    char from[24], to[24];
    return wl_fail(WL_BAD_INPUT, "%s can never become %s: too many rates are 0%s", state_name(settings, 0, from),
                   state_name(settings, unreached, to), settings->kind == PEELING_GY94 ? " (kappa or omega)" : "");
}

static void reverse(double *values, int count) {
    for (int low = 0, high = count - 1; low < high; low++, high--) {
        const double value = values[low];
        values[low] = values[high];
        values[high] = value;
    }
}

/* Reversing all elements of a matrix reverses the order of its rows and the order of its columns. */
static wl_status decompose_reversed(double *exchange, peeling_model *model) {
    const int S = model->states;
    reverse(exchange, S * S);
    reverse(model->frequency, S);
    const wl_status status = peeling_model_decompose(exchange, model);
    reverse(model->frequency, S);
    reverse(model->eigenvalue, S);
    reverse(model->right, S * S);
    reverse(model->left, S * S);
    return status;
}

/* --- Classes of rates --------------------------------------------------------------------------------------------- */

/* Into rate [rates] and share [rates], of the columns that change: shares of sum 1, rates of mean 1. */
static wl_status make_free_rates(const peeling_settings *settings, double *rate, double *share) {
    double all = 0, mean = 0;
    for (int r = 0; r < settings->rates; r++) {
        WL_TRY(in_range("a class's share of the columns", settings->share[r], 0, 1e6));
        WL_TRY(in_range("a class's rate", settings->rate[r], 0, 1e6));
        all += settings->share[r];
        mean += settings->share[r] * settings->rate[r];
    }
    if (!(mean > 0)) return wl_fail(WL_BAD_INPUT, "no class of columns has both a share and a rate above 0");
    for (int r = 0; r < settings->rates; r++) {
        share[r] = settings->share[r] / all;
        rate[r] = settings->rate[r] * (all / mean);
    }
    return WL_OK;
}

/* Columns that never change are the first class, of rate 0; the others are faster by so much that the mean of all is 1. */
static wl_status make_rates(const peeling_settings *settings, int *classes, double *all_rates, double *all_shares) {
    const int first = settings->has_invariant != 0;
    double *rate = all_rates + first, *share = all_shares + first;
    *classes = peeling_classes_of(settings);
    if (settings->rates < 1 || *classes > PEELING_RATES_MOST)
        return wl_fail(WL_BAD_INPUT, "%d rate classes, and there can be 1 to %d", *classes, PEELING_RATES_MOST);
    if (settings->free_rates) {
        WL_TRY(make_free_rates(settings, rate, share));
    } else {
        if (settings->rates > 1) WL_TRY(in_range("alpha", settings->alpha, 1e-3, 1e6));
        peeling_gamma_rates(settings->alpha, settings->rates, settings->median, rate);
        for (int r = 0; r < settings->rates; r++) share[r] = 1.0 / settings->rates;
    }
    if (!first) return WL_OK;
    WL_TRY(in_range("the share of invariant columns", settings->invariant, 0, PEELING_INVARIANT_MOST));
    all_rates[0] = 0;
    all_shares[0] = settings->invariant;
    for (int r = 0; r < settings->rates; r++) {
        rate[r] /= 1 - settings->invariant;
        share[r] *= 1 - settings->invariant;
    }
    return WL_OK;
}

/* A class of a model whose classes differ by more than their rates. */
static wl_status make_part(const peeling_settings *settings, int part, peeling_settings *alone, double *share,
                           double *rate) {
    double rates[PEELING_RATES_MOST], shares[PEELING_RATES_MOST];
    int classes;
    *alone = *settings;
    WL_TRY(make_rates(settings, &classes, rates, shares));
    if (classes != settings->parts)
        return wl_fail(WL_BAD_INPUT, "%d rate classes, and the model has %d", classes, settings->parts);
    alone->empirical = settings->part[part];
    alone->parts = alone->rates = 1;
    alone->free_rates = 0;
    *share = shares[part];
    *rate = rates[part];
    return WL_OK;
}

/* exchange: [PEELING_STATES_MOST * PEELING_STATES_MOST]. */
static wl_status make_with(const peeling_settings *settings, int reversed, peeling_model *model, double *exchange) {
    WL_TRY(make_rates(settings, &model->rates, model->rate, model->share));
    if (settings->muse_gaut) WL_TRY(check_products(settings, model->states));
    WL_TRY(make_frequencies(settings, model->states, model->frequency));
    WL_TRY(make_exchange(settings, model->states, exchange));
    WL_TRY(check_connected(settings, model->states, exchange));
    return reversed ? decompose_reversed(exchange, model) : peeling_model_decompose(exchange, model);
}

static wl_status make(const peeling_settings *settings, int reversed, peeling_model *model) {
    model->states = peeling_states_of(settings);
    if (settings->parts > 1)
        return wl_fail(WL_BAD_INPUT, "a model whose classes have exchange rates of their own can only be evaluated");
    double *exchange = malloc(sizeof *exchange * PEELING_STATES_MOST * PEELING_STATES_MOST);
    if (exchange == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for a model");
    const wl_status status = make_with(settings, reversed, model, exchange);
    free(exchange);
    return status;
}

wl_status peeling_model_make(const peeling_settings *settings, peeling_model *model) {
    return make(settings, 0, model);
}

wl_status peeling_model_make_part(const peeling_settings *settings, int part, peeling_model *model, double *share) {
    peeling_settings alone;
    double rate = 1;
    *share = 1;
    if (settings->parts <= 1) return make(settings, 0, model);
    WL_TRY(make_part(settings, part, &alone, share, &rate));
    WL_TRY(make(&alone, 0, model));
    model->rate[0] = rate;
    return WL_OK;
}

wl_status peeling_model_make_again(const peeling_settings *settings, peeling_model *model) {
    return make(settings, 1, model);
}
