/* The model of `warpladder likelihood`, from its options. */
#include "tools/likelihood/options.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers with commas or blanks between. */
static wl_status read_list(const char *option, const char *text, size_t count, double *values) {
    size_t found = 0;
    for (const char *at = text; *at;) {
        const char *end;
        const double value = wl_decimal(at, &end);
        if (end == at || !(value >= 0) || isinf(value))
            return wl_fail(WL_BAD_USAGE, "option --%s: found '%.40s'; expected a number from 0 on", option, at);
        if (found < count) values[found] = value;
        found++;
        const char *next = end;
        while (isspace((unsigned char)*next)) next++;
        const int comma = *next == ',';
        next += comma;
        while (isspace((unsigned char)*next)) next++;
        if (comma && *next == '\0')
            return wl_fail(WL_BAD_USAGE, "option --%s: found nothing after the last ','; expected a number", option);
        if (next == end && *next)
            return wl_fail(WL_BAD_USAGE, "option --%s: found '%.40s' after a number; expected ','", option, end);
        at = next;
    }
    if (found == count) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --%s: found %zu number%s; expected %zu", option, found, found == 1 ? "" : "s",
                   count);
}

static wl_status refuse_for(const char *option, const peeling_settings *settings, const char *expected) {
    char text[PEELING_NAME];
    return wl_fail(WL_BAD_USAGE, "option --%s: the model %s has none; expected %s", option,
                   peeling_model_name(settings, text), expected);
}

/* GTR's six; of a model with fewer, as many as differ. */
static wl_status read_rates(const char *text, peeling_settings *settings) {
    double number[6];
    int count = 6;
    if (settings->named) {
        count = 0;
        for (int k = 0; k < 6; k++) count += strchr(settings->alike, settings->alike[k]) == settings->alike + k;
    }
    WL_TRY(read_list("rates", text, (size_t)count, number));
    peeling_settings_exchange(settings, number, count);
    settings->given |= PEELING_GIVEN_EXCHANGE;
    return WL_OK;
}

static wl_status refuse_twice(const char *option) {
    return wl_fail(WL_BAD_USAGE, "options --%s, --model: found it in both; expected one of them", option);
}

static wl_status read_parameters(const wl_arguments *own, peeling_settings *settings) {
    const peeling_model_kind kind = settings->kind;
    const int has_gamma = settings->rates > 1 && !settings->free_rates;
    const struct {
        const char *option;
        unsigned given;
        int fits;
        const char *expected;
        double low, high, *value;
    } parameters[] = {
        {"kappa", PEELING_GIVEN_KAPPA, kind == PEELING_K80 || kind == PEELING_HKY85 || kind == PEELING_GY94,
         "it with K80, HKY85 or GY94", 0, 1e6, &settings->kappa},
        {"omega", PEELING_GIVEN_OMEGA, kind == PEELING_GY94, "it with GY94", 0, 1e6, &settings->omega},
        {"alpha", PEELING_GIVEN_ALPHA, has_gamma, "it with +G, as in GTR+G4", 1e-3, 1e6, &settings->alpha},
        {"invariant", PEELING_GIVEN_INVARIANT, settings->has_invariant, "it with +I, as in GTR+I+G4", 0,
         PEELING_INVARIANT_MOST, &settings->invariant},
    };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (!wl_argument_given(own, parameters[i].option)) continue;
        if (!parameters[i].fits) return refuse_for(parameters[i].option, settings, parameters[i].expected);
        if (settings->given & parameters[i].given) return refuse_twice(parameters[i].option);
        WL_TRY(
            wl_argument_number(own, parameters[i].option, parameters[i].low, parameters[i].high, parameters[i].value));
        settings->given |= parameters[i].given;
    }
    if (wl_argument_given(own, "rates")) {
        if (kind != PEELING_GTR)
            return refuse_for("rates", settings, "it with GTR (+G4 and --alpha are about columns)");
        if (settings->given & PEELING_GIVEN_EXCHANGE) return refuse_twice("rates");
        WL_TRY(read_rates(wl_argument(own, "rates"), settings));
    }
    if (wl_argument_given(own, "median")) {
        if (!has_gamma) return refuse_for("median", settings, "it with +G, as in GTR+G4");
        settings->median = 1;
    }
    if (wl_argument_given(own, "code") && kind != PEELING_GY94) return refuse_for("code", settings, "it with GY94");
    return WL_OK;
}

static wl_status read_frequencies(const wl_arguments *own, peeling_settings *settings) {
    const char *text = wl_argument(own, "frequencies");
    if (text == NULL) return WL_OK;
    const peeling_model_kind kind = settings->kind;
    if (settings->frequencies == PEELING_GIVEN || settings->free_frequencies) return refuse_twice("frequencies");
    if (isdigit((unsigned char)*text) || (*text != '\0' && strchr(".+-", *text))) {
        settings->frequencies = PEELING_GIVEN;
        WL_TRY(read_list("frequencies", text, (size_t)peeling_states_of(settings), settings->frequency));
        if (peeling_frequencies_check(settings->frequency, peeling_states_of(settings)) != WL_OK)
            return wl_fail(WL_BAD_USAGE, "option --frequencies: %s", wl_error());
    } else if (!peeling_frequencies_named(text, &settings->frequencies)) {
        return wl_fail(WL_BAD_USAGE,
                       "option --frequencies: found '%.40s'; expected equal, observed, f1x4, f3x4, f61, published or "
                       "numbers with commas between",
                       text);
    }
    if (settings->muse_gaut && (settings->frequencies == PEELING_GIVEN || settings->frequencies == PEELING_OBSERVED))
        return refuse_for("frequencies", settings, "f3x4, f1x4 or equal, of nucleotides");
    if (settings->parts > 1 && settings->frequencies != PEELING_PUBLISHED)
        return refuse_for("frequencies", settings, "published, which each class has");
    const int of_codons = text[0] == 'f';
    if (settings->frequencies != PEELING_EQUAL && peeling_settings_of(kind).frequencies == PEELING_EQUAL)
        return refuse_for("frequencies", settings, "equal, which its states are");
    if (of_codons && kind != PEELING_GY94) return refuse_for("frequencies", settings, "f1x4, f3x4 and f61 with GY94");
    if (settings->frequencies == PEELING_PUBLISHED && kind != PEELING_EMPIRICAL)
        return refuse_for("frequencies", settings, "published with an empirical model of amino acids");
    return WL_OK;
}

/* "GTR+G" says less than "GTR+G8". */
static int has_own_classes(const char *text, const peeling_settings *settings) {
    const char *gamma = strcasestr(text, "+G");
    return settings->free_rates || settings->parts > 1 || (gamma && isdigit((unsigned char)gamma[2]));
}

/* By its name, or NCBI's number. */
static wl_status read_code(const wl_arguments *own, peeling_genetic_code *code) {
    int chosen;
    WL_TRY(wl_argument_choice(own, "code", &chosen));
    *code = chosen == 1 ? PEELING_CODE_VERTEBRATE_MITOCHONDRIAL : PEELING_CODE_STANDARD;
    peeling_code_numbered(atoi(wl_argument(own, "code")), code);
    return WL_OK;
}

wl_status peeling_likelihood_data_options(const wl_arguments *own, peeling_likelihood_request *request) {
    request->prunes = wl_argument_given(own, "prune");
    request->drops_constant = wl_argument_given(own, "drop-constant");
    if (!wl_argument_given(own, "constant-sites")) return WL_OK;
    double counts[4];
    WL_TRY(read_list("constant-sites", wl_argument(own, "constant-sites"), 4, counts));
    for (int k = 0; k < 4; k++) {
        if (counts[k] != floor(counts[k]) || counts[k] > 1e12)
            return wl_fail(WL_BAD_USAGE, "option --constant-sites: found %g; expected counts of A, C, G and T",
                           counts[k]);
        request->constant[k] = (uint64_t)counts[k];
    }
    return WL_OK;
}

wl_status peeling_likelihood_model_options(const wl_arguments *own, peeling_settings *settings) {
    const char *text = wl_argument(own, "model");
    static peeling_empirical of_file; // as long as the settings
    peeling_genetic_code code;
    WL_TRY(read_code(own, &code));
    const wl_status status = peeling_model_parse_file(text, code, &of_file, settings);
    if (status != WL_OK) return wl_fail(status, "option --model: %s", wl_error());
    if (wl_argument_given(own, "classes")) {
        int64_t classes;
        WL_TRY(wl_argument_integer(own, "classes", 1, PEELING_RATES_MOST, &classes));
        if (settings->rates != (int)classes && has_own_classes(text, settings))
            return wl_fail(WL_BAD_USAGE, "option --classes: found %d, and %d in the model; expected one of them",
                           (int)classes, settings->rates);
        settings->rates = (int)classes;
    }
    WL_TRY(read_parameters(own, settings));
    return read_frequencies(own, settings);
}
