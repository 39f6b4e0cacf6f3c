#include "peeling/data/columns.h"

static void scale(double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    for (int i = 0; i < count; i++) values[i] = sum > 0 ? values[i] / sum : 1.0 / count;
}

static int nucleotide_of(char letter) { return letter == 'A' ? 0 : letter == 'C' ? 1 : letter == 'G' ? 2 : 3; }

/* A codon's is the product of its letters'. */
static void from_positions(const peeling_columns *columns, const peeling_settings *settings, int states,
                           double *frequency) {
    double of[3][4];
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 4; b++) of[k][b] = columns->counts[4 * k + b];
    for (int b = 0; b < 4 && settings->frequencies == PEELING_F1X4; b++)
        of[0][b] = of[1][b] = of[2][b] = of[0][b] + of[1][b] + of[2][b];
    for (int k = 0; k < 3; k++) scale(of[k], 4);
    for (int s = 0; s < states; s++) {
        char letters[4];
        peeling_codon_letters(settings->code, s, letters);
        frequency[s] = 1;
        for (int k = 0; k < 3; k++) frequency[s] *= of[k][nucleotide_of(letters[k])];
    }
}

void peeling_columns_frequencies(const peeling_columns *columns, peeling_settings *settings) {
    const int states = peeling_states_of(settings);
    double *frequency = settings->frequency;
    if (settings->frequencies == PEELING_OBSERVED)
        for (int s = 0; s < states; s++) frequency[s] = columns->counts[12 + s];
    else
        from_positions(columns, settings, states, frequency);
    scale(frequency, states);
}
