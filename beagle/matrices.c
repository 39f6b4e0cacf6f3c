/* Transition matrices from eigenvectors, and as joins read them. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beagle/instance.h"

int bg_matrix_wanted(bg_instance *b, int matrix) {
    bg_matrix *at = &b->matrix[matrix];
    if (at->column == NULL) at->column = bg_zeros(sizeof(double) * b->rates * b->layout.states * b->layout.row);
    if (at->packed == NULL) at->packed = bg_zeros(b->rates * b->layout.matrix_bytes);
    if (at->power == NULL) at->power = calloc(b->rates, sizeof *at->power);
    return at->column == NULL || at->packed == NULL || at->power == NULL ? BEAGLE_ERROR_OUT_OF_MEMORY : BEAGLE_SUCCESS;
}

/* A client's own matrix may have rows that add up to any number, and partials would leave the precision's range. So joins read it times
   2^-power, with rows of 1 at most. Rounding is left alone. */
static int power_of(const bg_instance *b, const double *column, double missing) {
    double row[PEELING_STATES_MOST] = {0}, most = missing;
    for (size_t j = 0; j < b->layout.states; j++)
        for (size_t s = 0; s < b->layout.states; s++) row[s] += column[j * b->layout.row + s];
    for (size_t s = 0; s < b->layout.states; s++) most = row[s] > most ? row[s] : most;
    return most > 1 + 1e-6 && isfinite(most) ? ilogb(most) + 1 : 0;
}

/* One rate class of a matrix as joins read it; scratch: [states][row]. */
static void pack(const bg_instance *b, const bg_matrix *matrix, size_t rate, double *scratch) {
    const double *from = matrix->column + rate * b->layout.states * b->layout.row;
    void *to = matrix->packed + rate * b->layout.matrix_bytes;
    const int power = matrix->power[rate] = power_of(b, from, matrix->missing);
    for (size_t i = 0; power != 0 && i < b->layout.states * b->layout.row; i++) scratch[i] = ldexp(from[i], -power);
    cpu_store_matrix(&b->layout, power != 0 ? scratch : from, to);
    if (!b->layout.few || (matrix->missing == 1 && power == 0)) return;
    const size_t first = CPU_FEW * CPU_FEW + CPU_FEW_SETS - 1; // of the last set, all states: peeling/core/few.h
    for (size_t s = 0; s < CPU_FEW; s++) {
        const size_t at = first + s * CPU_FEW_SETS;
        const int bias = b->layout.number == sizeof(float) ? CPU_FEW_BIAS_SINGLE : CPU_FEW_BIAS_DOUBLE;
        const double value = ldexp(matrix->missing, bias - power);
        if (b->layout.number == sizeof(float))
            ((float *)to)[at] = (float)value;
        else
            ((double *)to)[at] = value;
    }
}

void bg_pack(bg_instance *b, int matrix) {
    for (size_t r = 0; r < b->rates; r++) pack(b, &b->matrix[matrix], r, (double *)b->scratch);
    b->matrix[matrix].is_packed = 1;
}

/* grown[j] = left[j] times the n-th derivative of exp(lambda mu t) by t; for n = 0 less 1, so that short branches keep their digits. A pair
   of conjugate eigenvalues a + ib turns its two eigenvectors: (cos, sin; -sin, cos). */
static void grow(const bg_instance *b, const bg_eigen *eigen, double rate, double length, int derivative,
                 double *grown) {
    const double *imaginary = eigen->value + b->layout.states;
    for (size_t k = 0; k < b->layout.states; k++) {
        const double complex speed = rate * (eigen->value[k] + I * imaginary[k]);
        if (imaginary[k] == 0 || k + 1 == b->layout.states) {
            const double x = creal(speed);
            double factor = derivative == 0 ? expm1(x * length) : (derivative == 1 ? x : x * x) * exp(x * length);
            if (x == 0) factor = 0; // not 0 times infinity
            for (size_t j = 0; j < b->layout.states; j++)
                grown[j * b->layout.row + k] = eigen->left[j * b->layout.row + k] * factor;
            continue;
        }
        double complex factor = cexp(speed * length);
        for (int n = 0; n < derivative; n++) factor *= speed;
        if (derivative == 0) factor -= 1;
        for (size_t j = 0; j < b->layout.states; j++) {
            const double *left = eigen->left + j * b->layout.row + k;
            double *to = grown + j * b->layout.row + k;
            to[0] = left[0] * creal(factor) + left[1] * cimag(factor);
            to[1] = left[1] * creal(factor) - left[0] * cimag(factor);
        }
        k++;
    }
}

void bg_make_matrices(bg_instance *b, const bg_edge *edge, size_t rate, void *scratch) {
    double *grown = scratch, *P = grown + (b->layout.states + CPU_STEP - 1) / CPU_STEP * CPU_STEP * b->layout.row;
    const bg_eigen *eigen = &b->eigen[edge->eigen];
    for (int derivative = 0; derivative < 3; derivative++) {
        if (edge->matrix[derivative] == BEAGLE_OP_NONE) continue;
        bg_matrix *matrix = &b->matrix[edge->matrix[derivative]];
        grow(b, eigen, b->rate[edge->rates][rate], edge->length, derivative, grown);
        b->layout.core->product(b->layout.states, b->layout.row, eigen->right, grown, P);
        for (size_t j = 0; derivative == 0 && j < b->layout.states; j++) {
            P[j * b->layout.row + j] += 1;
            for (size_t s = 0; s < b->layout.states; s++)
                if (!(P[j * b->layout.row + s] > 0)) P[j * b->layout.row + s] = 0;
        }
        memcpy(matrix->column + rate * b->layout.states * b->layout.row, P,
               sizeof(double) * b->layout.states * b->layout.row);
        if (derivative == 0) pack(b, matrix, rate, P);
    }
}
