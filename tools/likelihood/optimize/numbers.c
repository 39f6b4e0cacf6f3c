/* A model's numbers as an optimiser sees them: logarithms of what is a ratio, and the share of invariant columns as it is. */
#include <math.h>
#include <string.h>

#include "tools/likelihood/optimize/internal.h"

static const struct {
    const char *name;
    double low, high;
} bounds[] = {
    {"alpha", 0.01, 1e6}, {"kappa", 1e-3, 1e4}, {"omega", 1e-5, 1e3}, {"rate", 1e-6, 1e4}, {"share", 1e-5, 1e5}};
#define EXCHANGE_LOW 1e-5
#define EXCHANGE_HIGH 1e5
#define FREQUENCY_LOW 1e-6

static int is_plain(const peeling_model_parameter *parameter) { return parameter->given == PEELING_GIVEN_INVARIANT; }

void optimize_numbers_of(peeling_settings *settings, optimize_numbers *numbers) {
    *numbers = (optimize_numbers){.settings = settings};
    peeling_model_parameter all[PEELING_MODEL_PARAMETERS_MOST];
    const int known = peeling_model_parameters(settings, all);
    for (int i = 0; i < known; i++) {
        if (settings->given & all[i].given) continue;
        double low = log(EXCHANGE_LOW), high = log(EXCHANGE_HIGH);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            if (strncmp(all[i].name, bounds[b].name, strlen(bounds[b].name)) == 0) {
                low = log(bounds[b].low);
                high = log(bounds[b].high);
            }
        if (is_plain(&all[i])) {
            low = 0;
            high = 0.9999;
        }
        numbers->low[numbers->listed] = low;
        numbers->high[numbers->listed] = high;
        numbers->list[numbers->listed++] = all[i];
    }
    numbers->count = numbers->listed;
    if (!settings->free_frequencies) return;
    numbers->frequencies = peeling_states_of(settings) - 1;
    for (int i = 0; i < numbers->frequencies; i++) {
        numbers->low[numbers->count] = log(FREQUENCY_LOW);
        numbers->high[numbers->count++] = -log(FREQUENCY_LOW);
    }
}

static double within(const optimize_numbers *numbers, int i, double x) {
    return fmin(fmax(x, numbers->low[i]), numbers->high[i]);
}

void optimize_numbers_get(const optimize_numbers *numbers, double *x) {
    for (int i = 0; i < numbers->listed; i++)
        x[i] = within(numbers, i, is_plain(&numbers->list[i]) ? *numbers->list[i].value : log(*numbers->list[i].value));
    if (numbers->frequencies == 0) return; // nor is there a model where only branches are estimated
    const double *frequency = numbers->settings->frequency;
    for (int i = 0; i < numbers->frequencies; i++)
        x[numbers->listed + i] =
            within(numbers, numbers->listed + i, log(frequency[i] / frequency[numbers->frequencies]));
}

void optimize_numbers_set(const optimize_numbers *numbers, const double *x) {
    for (int i = 0; i < numbers->listed; i++) *numbers->list[i].value = is_plain(&numbers->list[i]) ? x[i] : exp(x[i]);
    if (numbers->frequencies == 0) return;
    double sum = 1, *frequency = numbers->settings->frequency;
    for (int i = 0; i < numbers->frequencies; i++) sum += exp(x[numbers->listed + i]);
    for (int i = 0; i < numbers->frequencies; i++) frequency[i] = exp(x[numbers->listed + i]) / sum;
    frequency[numbers->frequencies] = 1 / sum;
}
