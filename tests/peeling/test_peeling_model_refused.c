/* What no model of substitution can be made of is refused, in one line that says what to do; what only looks odd is
   not. */
#include <math.h>

#include "tests/support/unit.h"
#include "peeling/model/model.h"

static peeling_settings settings_of(peeling_model_kind kind) {
    peeling_settings settings = peeling_settings_of(kind);
    for (int s = 0; s < PEELING_STATES_MOST; s++) settings.frequency[s] = 3 + s % 5;
    return settings;
}

static void is_made(const peeling_settings *settings) {
    static peeling_model model;
    if (peeling_model_make(settings, &model) != WL_OK) fail_msg("%s", wl_error());
    double sum = 0;
    for (int s = 0; s < model.states; s++) sum += model.frequency[s];
    assert_true(fabs(sum - 1) < 1e-14 && isfinite(model.eigenvalue[model.states - 1]));
}

static void refused(const peeling_settings *settings, const char *line) {
    static peeling_model model;
    assert_int_equal(peeling_model_make(settings, &model), WL_BAD_INPUT);
    assert_string_equal(wl_error(), line);
}

TEST(frequencies_that_are_none) {
    peeling_settings settings = settings_of(PEELING_GTR);
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    settings.frequencies = PEELING_GIVEN;
    for (int k = 0; k < 4; k++) {
        char line[100];
        settings.frequency[2] = bad[k];
        snprintf(line, sizeof line, "the frequency of nucleotide G is %g, and must be above 0 and finite", bad[k]);
        refused(&settings, line);
    }
    settings.frequency[2] = 0;
    refused(&settings, "the frequency of nucleotide G is 0, and must be above 0");
    settings.frequency[2] = 1e-14;
    assert_int_equal(peeling_model_make(&settings, &(peeling_model){0}), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), "of all, and must be 1e-12 at least"));
    settings.frequency[2] = 1;
    settings.frequency[1] = settings.frequency[0] = settings.frequency[3] = 1e308; // too much to add up
    refused(&settings, "the frequency of nucleotide G is 3.33333e-309 of all, and must be 1e-12 at least");
    settings.frequency[2] = 1e308;
    is_made(&settings);

    settings.frequencies = PEELING_OBSERVED;
    settings.frequency[3] = 0;
    refused(&settings, "nucleotide T is not in the alignment, and the model needs every frequency to be above 0: "
                       "--frequencies equal, or numbers of your own");
    settings = settings_of(PEELING_EMPIRICAL);
    settings.frequencies = PEELING_OBSERVED;
    settings.frequency[17] = 0;
    refused(&settings, "amino acid W is not in the alignment, and the model needs every frequency to be above 0: "
                       "--frequencies published takes the model's own");
    settings = settings_of(PEELING_GY94);
    settings.frequency[8] = 0;
    refused(&settings,
            "codon AGA has a nucleotide that is nowhere at that position of codons, and the model needs every "
            "frequency to be above 0: --frequencies f1x4 or equal");
    settings.frequencies = PEELING_F1X4;
    refused(&settings,
            "codon AGA has a nucleotide that is nowhere in the alignment, and the model needs every frequency "
            "to be above 0: --frequencies equal");
    settings.frequencies = PEELING_OBSERVED;
    refused(&settings, "codon AGA is not in the alignment, and F61 needs every codon's frequency to be above 0: "
                       "--frequencies f3x4 takes them from nucleotides");
    settings.code = PEELING_CODE_VERTEBRATE_MITOCHONDRIAL; // where AGA is a stop codon
    refused(&settings, "codon AGC is not in the alignment, and F61 needs every codon's frequency to be above 0: "
                       "--frequencies f3x4 takes them from nucleotides");

    settings = settings_of(PEELING_K80);
    settings.frequencies = PEELING_GIVEN;
    refused(&settings, "K80 cannot have these frequencies: all its states are equally frequent");
    settings = settings_of(PEELING_EMPIRICAL);
    settings.frequencies = PEELING_F1X4;
    refused(&settings, "WAG cannot have these frequencies: F1x4 and F3x4 are of codons");
    settings = settings_of(PEELING_GTR);
    settings.frequencies = PEELING_PUBLISHED;
    refused(&settings, "GTR cannot have these frequencies: only those of empirical models are published");
}

TEST(rates_that_are_none) {
    peeling_settings settings = settings_of(PEELING_GTR);
    static const double bad[] = {-1, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        char line[100];
        settings.exchange[3] = bad[k];
        snprintf(line, sizeof line, "the exchange rate CG is %g, and must be 0 or above, and finite", bad[k]);
        refused(&settings, line);
    }
    for (int k = 0; k < 6; k++) settings.exchange[k] = k < 3 ? 0 : 1;
    refused(&settings, "nucleotide A can never become nucleotide C: too many rates are 0");
    for (int k = 0; k < 6; k++) settings.exchange[k] = k == 0 || k == 5; // A-C and G-T
    refused(&settings, "nucleotide A can never become nucleotide G: too many rates are 0");
    settings.exchange[1] = 1e-9;
    is_made(&settings);
    settings.exchange[1] = 1e-11;
    refused(&settings, "the model's rates differ by more than double precision can hold: "
                       "some states are all but never reached from others");
    for (int k = 0; k < 6; k++) settings.exchange[k] = 1.5e308; // too much to add up
    is_made(&settings);

    settings = settings_of(PEELING_GY94);
    settings.omega = 0;
    refused(&settings, "codon AAA can never become codon AAC: too many rates are 0 (kappa or omega)");
    settings.omega = -0.5;
    refused(&settings, "omega is -0.5, and must be from 0 to 1e+06");
    settings.omega = NAN;
    refused(&settings, "omega is nan, and must be from 0 to 1e+06");
    settings.omega = 0.1;
    settings.kappa = 1e7;
    refused(&settings, "kappa is 1e+07, and must be from 0 to 1e+06");

    settings = settings_of(PEELING_JC69);
    settings.alpha = NAN; // which one rate class does not need
    is_made(&settings);
    settings.rates = 4;
    refused(&settings, "alpha is nan, and must be from 0.001 to 1e+06");
    settings.alpha = 0;
    refused(&settings, "alpha is 0, and must be from 0.001 to 1e+06");
    settings.alpha = 1;
    settings.rates = 65;
    refused(&settings, "65 rate classes, and there can be 1 to 64");
    settings.rates = 0;
    refused(&settings, "0 rate classes, and there can be 1 to 64");
}

int main(void) { return run_all_tests(NULL, NULL); }
