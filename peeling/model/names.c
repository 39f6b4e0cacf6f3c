/* Models by what people call them: "GTR{1,4,1,1,4}+I{0.2}+G4{0.5}". The names are IQ-TREE's, and where no other model has them PAML's and
   RAxML-NG's. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "peeling/model/internal.h"
#include "harness/base/text.h"

#define KNOWN                                                                                                    \
    "JC69, K80, HKY85, F81, TN93, TIM, TVM, SYM, GTR and others of nucleotides, POISSON, WAG, LG and others of " \
    "amino acids, a file of PAML's (.dat), GY94 (or M0) and MG94, each with or without +F, +I or +ASC, and +G4 or +R4"

static const struct {
    const char *name;
    peeling_model_kind kind;
} others[] = {
    {"JC", PEELING_JC69}, {"K2P", PEELING_K80}, {"HKY", PEELING_HKY85}, {"M0", PEELING_GY94}, {"GY", PEELING_GY94}};

/* GTR with exchange rates of which some are equal, in the order AC, AG, AT, CG, CT, GT. */
static const struct {
    const char *name, *alike;
    peeling_frequencies frequencies;
} alike[] = {
    {"F81", "000000", PEELING_OBSERVED},    {"TN93", "010020", PEELING_OBSERVED},
    {"TN", "010020", PEELING_OBSERVED},     {"TrN", "010020", PEELING_OBSERVED},
    {"TNe", "010020", PEELING_EQUAL},       {"TrNe", "010020", PEELING_EQUAL},
    {"TN93ef", "010020", PEELING_EQUAL},    {"K81", "012210", PEELING_EQUAL},
    {"K3P", "012210", PEELING_EQUAL},       {"K3ST", "012210", PEELING_EQUAL},
    {"TPM1", "012210", PEELING_EQUAL},      {"K81u", "012210", PEELING_OBSERVED},
    {"K3Pu", "012210", PEELING_OBSERVED},   {"K81uf", "012210", PEELING_OBSERVED},
    {"TPM1u", "012210", PEELING_OBSERVED},  {"TPM1uf", "012210", PEELING_OBSERVED},
    {"TPM2", "010212", PEELING_EQUAL},      {"TPM2u", "010212", PEELING_OBSERVED},
    {"TPM2uf", "010212", PEELING_OBSERVED}, {"TPM3", "012012", PEELING_EQUAL},
    {"TPM3u", "012012", PEELING_OBSERVED},  {"TPM3uf", "012012", PEELING_OBSERVED},
    {"TIM", "012230", PEELING_OBSERVED},    {"TIMe", "012230", PEELING_EQUAL},
    {"TIM1uf", "012230", PEELING_OBSERVED}, {"TIM2", "010232", PEELING_OBSERVED},
    {"TIM2e", "010232", PEELING_EQUAL},     {"TIM2uf", "010232", PEELING_OBSERVED},
    {"TIM3", "012032", PEELING_OBSERVED},   {"TIM3e", "012032", PEELING_EQUAL},
    {"TIM3uf", "012032", PEELING_OBSERVED}, {"TVM", "012314", PEELING_OBSERVED},
    {"TVMe", "012314", PEELING_EQUAL},      {"TVMef", "012314", PEELING_EQUAL},
    {"SYM", "012345", PEELING_EQUAL},
};

static int is(const char *name, const char *text, size_t length) {
    return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

/* Models of four classes of columns, whose matrices are published as LG4M1 and so on: Le, Dang & Gascuel 2012. LG4M's rates are of a
   gamma distribution, LG4X's are free. */
static const char *const mixtures[] = {"LG4M", "LG4X"};

static void mixture_of(const char *name, peeling_settings *made) {
    *made = peeling_settings_of(PEELING_EMPIRICAL);
    made->named = name;
    made->parts = made->rates = 4;
    for (int k = 0; k < made->parts; k++) {
        char part[16];
        const int length = snprintf(part, sizeof part, "%s%d", name, k + 1);
        made->part[k] = peeling_empirical_named(part, (size_t)length);
    }
    made->empirical = made->part[0];
    if (strcmp(name, "LG4X") != 0) return;
    made->free_rates = 1;
    peeling_gamma_rates(made->alpha, made->rates, 0, made->rate);
    for (int r = 0; r < made->rates; r++) made->share[r] = 1.0 / made->rates;
}

/* The first `length` letters; WL_BAD_USAGE: no model, and nothing is said. */
static wl_status find(const char *text, size_t length, peeling_settings *made) {
    for (int kind = 0; kind < PEELING_MODELS; kind++)
        if (is(peeling_known_models[kind].name, text, length)) {
            *made = peeling_settings_of((peeling_model_kind)kind);
            return WL_OK;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is(others[i].name, text, length)) {
            *made = peeling_settings_of(others[i].kind);
            return WL_OK;
        }
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (is(alike[i].name, text, length)) {
            *made = peeling_settings_of(PEELING_GTR);
            made->named = alike[i].name;
            made->frequencies = alike[i].frequencies;
            memcpy(made->alike, alike[i].alike, sizeof made->alike);
            return WL_OK;
        }
    if (is("MG94", text, length) || is("MGK", text, length)) {
        *made = peeling_settings_of(PEELING_GY94);
        made->muse_gaut = 1;
        return WL_OK;
    }
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++)
        if (is(mixtures[i], text, length)) {
            mixture_of(mixtures[i], made);
            return WL_OK;
        }
    const peeling_empirical *empirical = peeling_empirical_named(text, length);
    const int counted =
        empirical == NULL && length > 1 && toupper((unsigned char)text[length - 1]) == 'F'; // RAxML's "LGF"
    if (counted) empirical = peeling_empirical_named(text, length - 1);
    if (empirical == NULL) return WL_BAD_USAGE;
    *made = peeling_settings_of(PEELING_EMPIRICAL);
    if (counted) made->frequencies = PEELING_OBSERVED;
    made->empirical = empirical;
    return WL_OK;
}

/* --- What follows the name ---------------------------------------------------------------------------------------- */

enum { NUMBERS_MOST = 2 * PEELING_RATES_MOST };

/* "{0.2,1}", or RAxML-NG's "{0.2/1}", at *at: up to `most` numbers of 0 or above, which *at is moved beyond. Returns how many; 0: there
   are no braces; -1: something else is in them. */
static int numbers(const char **at, int most, double *number) {
    if (**at != '{') return 0;
    const char *next = *at + 1;
    for (int count = 0; count < most;) {
        const char *end;
        const double value = wl_decimal(next, &end);
        if (!(value >= 0) || isinf(value) || *next == '+' || *next == '-') return -1;
        number[count++] = value;
        if (*end == '}') {
            *at = end + 1;
            return count;
        }
        if (*end != ',' && *end != '/') return -1;
        next = end + 1;
    }
    return -1;
}

/* One number, if there are braces. 0: wrong. */
static int one_number(const char **at, unsigned bit, double *value, peeling_settings *made) {
    const int count = numbers(at, 1, value);
    if (count == 1) made->given |= bit;
    return count >= 0;
}

/* `otherwise` without any digit; 0: none, or too many. */
static int classes(const char **at, int otherwise) {
    int count = 0, digits = 0;
    if (!isdigit((unsigned char)**at)) return otherwise;
    for (; isdigit((unsigned char)**at); ++*at, digits++)
        if (digits < 2) count = 10 * count + (**at - '0');
    return digits <= 2 && count <= PEELING_RATES_MOST ? count : 0;
}

/* Each function reads what follows its word, moves *at past it, and returns 0 if the text is wrong. */
static int gamma_classes(const char **at, peeling_settings *made) {
    made->free_rates = 0;
    made->rates = classes(at, 4);
    if (made->rates > 0 && (**at == 'm' || **at == 'a')) made->median = *(*at)++ == 'a'; // RAxML-NG's
    return made->rates > 0 && one_number(at, PEELING_GIVEN_ALPHA, &made->alpha, made);
}

/* IQ-TREE's {share,rate,share,rate}, or RAxML-NG's {rate/rate}{share/share}; without numbers the rates of +G. */
static int free_classes(const char **at, peeling_settings *made) {
    double number[NUMBERS_MOST];
    const int rates = made->rates = classes(at, 4);
    made->free_rates = 1;
    if (rates == 0) return 0;
    peeling_gamma_rates(made->alpha, rates, 0, made->rate);
    for (int r = 0; r < rates; r++) made->share[r] = 1.0 / rates;
    const int count = numbers(at, 2 * rates, number);
    if (count == 0) return 1;
    made->given |= PEELING_GIVEN_RATES;
    const int apart = count == rates && numbers(at, rates, number + rates) == rates;
    if (count != 2 * rates && !apart) return 0;
    for (int r = 0; r < rates; r++) {
        made->share[r] = number[apart ? rates + r : 2 * r];
        made->rate[r] = number[apart ? r : 2 * r + 1];
    }
    return 1;
}

static int invariant(const char **at, peeling_settings *made) {
    made->has_invariant = 1;
    return one_number(at, PEELING_GIVEN_INVARIANT, &made->invariant, made);
}

static int may_have(const peeling_settings *made, peeling_frequencies frequencies) {
    return frequencies == PEELING_EQUAL || peeling_known_models[made->kind].frequencies != PEELING_EQUAL;
}

static int equal_frequencies(const char **at, peeling_settings *made) {
    (void)at;
    made->frequencies = PEELING_EQUAL;
    return 1;
}

/* Those in the braces; without them those of the alignment. */
static int frequencies(const char **at, peeling_settings *made) {
    double number[PEELING_STATES_MOST];
    const int count = numbers(at, PEELING_STATES_MOST, number);
    const peeling_frequencies which = count > 0 ? PEELING_GIVEN : PEELING_OBSERVED;
    if (!may_have(made, which) || (count != 0 && count != peeling_states_of(made))) return 0;
    made->frequencies = which;
    for (int s = 0; s < count; s++) made->frequency[s] = number[s];
    return count == 0 || peeling_frequencies_check(made->frequency, count) == WL_OK;
}

static int given_frequencies(const char **at, peeling_settings *made) {
    return frequencies(at, made) && made->frequencies == PEELING_GIVEN;
}

/* RAxML-NG's and IQ-TREE's: without numbers they are to be estimated. */
static int estimated_frequencies(const char **at, peeling_settings *made) {
    if (!frequencies(at, made)) return 0;
    made->free_frequencies = made->frequencies == PEELING_OBSERVED;
    return !made->free_frequencies || peeling_alphabet_of(made->kind) != PEELING_CODONS;
}

static int f1x4(const char **at, peeling_settings *made) {
    (void)at;
    made->frequencies = PEELING_F1X4;
    return peeling_alphabet_of(made->kind) == PEELING_CODONS;
}

static int f3x4(const char **at, peeling_settings *made) {
    (void)at;
    made->frequencies = PEELING_F3X4;
    return peeling_alphabet_of(made->kind) == PEELING_CODONS;
}

static int variable_only(const char **at, peeling_settings *made) {
    (void)at;
    made->variable_only = 1;
    return 1;
}

/* The first that fits; the words of RAxML-NG are FC (counted), FE (equal), FU (these), FO (these, or to be estimated), IU and IO. */
static const struct {
    const char *word;
    int (*read)(const char **at, peeling_settings *made);
} parts[] = {
    {"ASC_LEWIS", variable_only},
    {"ASC", variable_only},
    {"F1X4", f1x4},
    {"F3X4", f3x4},
    {"FQ", equal_frequencies},
    {"FE", equal_frequencies},
    {"FU", given_frequencies},
    {"FO", estimated_frequencies},
    {"FC", frequencies},
    {"F", frequencies},
    {"IU", invariant},
    {"IO", invariant},
    {"I", invariant},
    {"G", gamma_classes},
    {"R", free_classes},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* "{..}+G4+F" of a model whose settings are the defaults. */
static int read_rest(const char *at, peeling_settings *made) {
    double number[6];
    unsigned had = 0; // the first letters of parts, as bits
    const int count = numbers(&at, 6, number);
    if (count < 0) return 0;
    if (count > 0 && made->kind == PEELING_GTR) {
        if (!peeling_settings_exchange(made, number, count)) return 0;
        made->given |= PEELING_GIVEN_EXCHANGE;
    } else if (count > 0 && (made->kind == PEELING_K80 || made->kind == PEELING_HKY85) && count <= 2) {
        if (count == 2 && number[0] == 0) return 0;
        made->kappa = count == 2 ? number[1] / number[0] : number[0];
        made->given |= PEELING_GIVEN_KAPPA;
    } else if (count == 2 && peeling_alphabet_of(made->kind) == PEELING_CODONS) {
        made->omega = number[0];
        made->kappa = number[1];
        made->given |= PEELING_GIVEN_OMEGA | PEELING_GIVEN_KAPPA;
    } else if (count > 0) {
        return 0;
    }
    while (*at == '+') {
        size_t p = 0;
        at++;
        while (p < PARTS && strncasecmp(at, parts[p].word, strlen(parts[p].word)) != 0) p++;
        if (p == PARTS) return 0;
        const unsigned bit = parts[p].word[0] == 'R' ? 1u << ('G' - 'A') : 1u << (parts[p].word[0] - 'A'); // +R or +G
        at += strlen(parts[p].word);
        if ((had & bit) || !parts[p].read(&at, made)) return 0;
        had |= bit;
    }
    if (made->parts > 1 && (made->rates != made->parts || made->has_invariant || made->variable_only ||
                            made->frequencies != PEELING_PUBLISHED))
        return 0;
    if (made->muse_gaut && (made->frequencies == PEELING_GIVEN || made->frequencies == PEELING_OBSERVED)) return 0;
    if (made->variable_only && made->has_invariant) return 0; // the share of columns that are left out says nothing
    return *at == '\0' && peeling_classes_of(made) <= PEELING_RATES_MOST;
}

/* What is wrong with a model of which each part is known; NULL: another thing. */
static const char *reason(const peeling_settings *made) {
    if (made->rates == 0 || peeling_classes_of(made) > PEELING_RATES_MOST)
        return "found too few or too many rate classes; expected 1 to 64, of which +I is one";
    if (made->variable_only && made->has_invariant)
        return "found +I and +ASC; expected one of them: +ASC is for data whose constant columns were left out";
    if (made->frequencies == PEELING_GIVEN &&
        peeling_frequencies_check(made->frequency, peeling_states_of(made)) != WL_OK)
        return wl_error();
    return NULL;
}

static wl_status parse_rest(const char *text, const char *rest, const peeling_settings *defaults,
                            peeling_settings *settings) {
    char name[PEELING_NAME];
    peeling_settings made = *defaults;
    const int fits = read_rest(rest, &made);
    const char *why = fits ? NULL : reason(&made);
    if (why) return wl_fail(WL_BAD_USAGE, "the model '%.60s': %s", text, why);
    if (!fits)
        return wl_fail(WL_BAD_USAGE, "unknown model '%.40s': '%.40s' is not what can follow %s; known are " KNOWN, text,
                       rest, peeling_model_name(defaults, name));
    *settings = made;
    return WL_OK;
}

static wl_status parse(const char *text, peeling_genetic_code code, peeling_settings *settings) {
    const size_t length = strcspn(text, "+{");
    peeling_settings made;
    if (find(text, length, &made) != WL_OK)
        return wl_fail(WL_BAD_USAGE, "unknown model '%.40s': known are " KNOWN, text);
    if (peeling_alphabet_of(made.kind) == PEELING_CODONS) made.code = code;
    return parse_rest(text, text + length, &made, settings);
}

wl_status peeling_model_parse(const char *text, peeling_settings *settings) {
    return parse(text, PEELING_CODE_STANDARD, settings);
}

wl_status peeling_model_parse_file(const char *text, peeling_genetic_code code, peeling_empirical *own,
                                   peeling_settings *settings) {
    const char *end = strstr(text, ".dat");
    if (end != NULL)
        end += 4;
    else if (strchr(text, '/') != NULL && strcspn(text, "/") < strcspn(text, "{"))
        end = strrchr(text, '/') + strcspn(strrchr(text, '/'), "+");
    if (end == NULL) return parse(text, code, settings);
    char *path = strndup(text, (size_t)(end - text));
    if (path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a name");
    const wl_status status = peeling_empirical_read(path, own);
    own->path = text;
    own->path_length = (int)(end - text);
    free(path);
    if (status != WL_OK) return status;
    peeling_settings made = peeling_settings_of(PEELING_EMPIRICAL);
    made.empirical = own;
    return parse_rest(text, end, &made, settings);
}

wl_status peeling_frequencies_check(const double *frequency, int count) {
    double sum = 0;
    for (int s = 0; s < count; s++) sum += frequency[s];
    if (fabs(sum - 1) <= 0.01) return WL_OK; // and no NaN
    return wl_fail(WL_BAD_USAGE, "found frequencies that sum to %.6g; expected 1", sum);
}

int peeling_frequencies_named(const char *word, peeling_frequencies *frequencies) {
    static const struct {
        const char *word;
        peeling_frequencies meant;
    } known[] = {{"equal", PEELING_EQUAL}, {"observed", PEELING_OBSERVED}, {"f1x4", PEELING_F1X4},
                 {"f3x4", PEELING_F3X4},   {"f61", PEELING_OBSERVED},      {"published", PEELING_PUBLISHED}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(word, known[i].word) != 0) continue;
        *frequencies = known[i].meant;
        return 1;
    }
    return 0;
}
