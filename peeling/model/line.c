/* A model with all of its numbers, as programs read it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "peeling/model/internal.h"

typedef struct {
    char *text;
    size_t size, length;
    peeling_line_style style;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(l->text + l->length, l->size - l->length, format, arguments);
    va_end(arguments);
    l->length += length > 0 ? (size_t)length : 0;
    if (l->length >= l->size) l->length = l->size - 1;
}

/* What the programs call models whose usual names they do not read; ours reads these, too. */
static const char *name_of(const char *name) {
    static const char *const others[][2] = {{"JC69", "JC"}, {"HKY85", "HKY"}, {"GY94", "GY"}, {"MG94", "MGK"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0) return others[i][1];
    return name;
}

/* Twelve digits without an exponent, which IQ-TREE does not read. */
static void add_number(line *l, double number) {
    const double digits = number > 0 ? 11 - floor(log10(number)) : 0;
    add(l, "%.*f", (int)fmin(fmax(digits, 0), 17), number);
}

static void add_list(line *l, const double *number, int count) {
    for (int i = 0; i < count; i++) {
        add(l, "%s", i == 0 ? "{" : l->style == PEELING_LINE_IQTREE ? "," : "/");
        add_number(l, number[i]);
    }
    add(l, "}");
}

/* IQ-TREE takes the numbers that differ, but for those that are equal to G-T's, which is 1; RAxML-NG all that differ. */
static void add_exchange(line *l, const peeling_settings *settings) {
    double number[6];
    int count = 0;
    for (int k = 0; k < 6; k++) {
        const int of_last = settings->alike[k] == settings->alike[5];
        if (peeling_alike(settings, k) != k || (of_last && l->style == PEELING_LINE_IQTREE)) continue;
        number[count++] = settings->exchange[k] / settings->exchange[peeling_alike(settings, 5)];
    }
    if (count > 0) add_list(l, number, count);
}

static void add_frequencies(line *l, const peeling_settings *settings) {
    const peeling_frequencies usual = peeling_known_models[settings->kind].frequencies;
    double frequency[PEELING_STATES_MOST], sum = 0;
    const int states = peeling_states_of(settings);
    switch (settings->frequencies) {
        case PEELING_EQUAL:
            if (usual != PEELING_EQUAL) add(l, l->style == PEELING_LINE_IQTREE ? "+FQ" : "+FE");
            return;
        case PEELING_F1X4:
            add(l, "+F1X4");
            return;
        case PEELING_F3X4:
            add(l, "+F3X4");
            return;
        case PEELING_PUBLISHED:
            return;
        default:
            break;
    }
    for (int s = 0; s < states; s++) sum += settings->frequency[s];
    for (int s = 0; s < states; s++) frequency[s] = settings->frequency[s] / sum;
    add(l, l->style == PEELING_LINE_IQTREE ? "+F" : "+FU");
    add_list(l, frequency, states);
}

static void add_free_rates(line *l, const peeling_settings *settings) {
    double both[2 * PEELING_RATES_MOST], rate[PEELING_RATES_MOST], share[PEELING_RATES_MOST], all = 0, mean = 0;
    const int rates = settings->rates;
    for (int r = 0; r < rates; r++) all += settings->share[r];
    for (int r = 0; r < rates; r++) mean += settings->share[r] / all * settings->rate[r];
    for (int r = 0; r < rates; r++) {
        both[2 * r] = share[r] = settings->share[r] / all;
        both[2 * r + 1] = rate[r] = settings->rate[r] / mean;
    }
    add(l, "+R%d", rates);
    if (l->style == PEELING_LINE_IQTREE) {
        add_list(l, both, 2 * rates);
    } else {
        add_list(l, rate, rates);
        add_list(l, share, rates);
    }
}

const char *peeling_model_line(const peeling_settings *settings, peeling_line_style style, char *text, size_t size) {
    line l = {.text = text, .size = size, .style = style};
    char name[PEELING_NAME];
    peeling_settings bare = *settings;
    bare.has_invariant = bare.free_rates = bare.variable_only = 0;
    bare.rates = 1;
    const peeling_empirical *of = settings->empirical;
    if (settings->kind == PEELING_EMPIRICAL && settings->parts <= 1 && of->path)
        add(&l, "%.*s", of->path_length, of->path);
    else
        add(&l, "%s", name_of(peeling_model_name(&bare, name)));
    const peeling_model_kind kind = settings->kind;
    if (kind == PEELING_GTR) add_exchange(&l, settings);
    if (kind == PEELING_K80 || kind == PEELING_HKY85) {
        const double both[2] = {1, settings->kappa};
        add_list(&l, both + (style == PEELING_LINE_IQTREE), style == PEELING_LINE_IQTREE ? 1 : 2);
    }
    if (kind == PEELING_GY94) add_list(&l, (const double[]){settings->omega, settings->kappa}, 2);
    add_frequencies(&l, settings);
    if (settings->has_invariant) {
        add(&l, style == PEELING_LINE_IQTREE ? "+I" : "+IU");
        add_list(&l, &settings->invariant, 1);
    }
    if (settings->free_rates) {
        add_free_rates(&l, settings);
    } else if (settings->rates > 1) {
        add(&l, "+G%d%s", settings->rates, settings->median ? "a" : style == PEELING_LINE_IQTREE ? "" : "m");
        add_list(&l, &settings->alpha, 1);
    }
    if (settings->variable_only) add(&l, style == PEELING_LINE_IQTREE ? "+ASC" : "+ASC_LEWIS");
    return text;
}
